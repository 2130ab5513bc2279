//! A model in plain parts: what another language builds one from, and gets one as.

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::aliases;
use crate::components::{
    AddedToken, Decoder, Normalizer, Padding, PostProcessor, PreTokenizer, Truncation, Unicode,
};
use crate::error::{Error, Result};
use crate::model::{
    EndOfWord, Kind, Merge, Model, Order, Piece, Rule, Scores, Units, Unknown, is_met,
};
use crate::vocabulary::{Token, Vocabulary};

/// A model in plain parts.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Ids and tokens; the bytes include the marker where the token ends a word.
    pub tokens: Vec<(u32, Vec<u8>)>,
    /// Ids of tokens that end a word.
    pub word_ends: Vec<u32>,
    /// Ids of added tokens that are no part of the vocabulary proper.
    pub added_only: Vec<u32>,
    /// Ids of tokens that are plain text and no added tokens: see [`Token::literal`].
    pub literal: Vec<u32>,
    /// Merges in rank order, where the rule lists them.
    pub merges: Vec<(u32, u32, u32)>,
    /// Pieces, where the rule is by scores: ids, scores and kinds.
    pub pieces: Vec<(u32, f32, Kind)>,
    /// Everything else.
    pub settings: Settings,
}

/// The parts of a model that are not tables, as JSON spells them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the model")]
pub struct Settings {
    /// `bytes` or `chars`.
    pub units: String,
    /// `merges`, `ranks`, `scores`, `longest-first` or `left-to-right`.
    pub rule: String,
    /// See [`Scores::bos`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bos: Option<u32>,
    /// See [`Scores::eos`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eos: Option<u32>,
    /// See [`Scores::pad`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pad: Option<u32>,
    /// See [`Scores::self_test`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_test: Vec<(String, String)>,
    /// See [`Model::ignore_merges`].
    #[serde(default)]
    pub ignore_merges: bool,
    /// The unknown token's text.
    #[serde(default)]
    pub unk_token: Option<String>,
    /// See [`Unknown::fuse`].
    #[serde(default)]
    pub fuse_unk: bool,
    /// The marker's text.
    #[serde(default)]
    pub end_of_word: Option<String>,
    /// Whether the marker is attached to the last unit.
    #[serde(default)]
    pub attached: bool,
    /// See [`Model::added_tokens`].
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    /// See [`Model::normalizer`].
    #[serde(default)]
    pub normalizer: Option<Normalizer>,
    /// See [`Model::unicode`].
    #[serde(default)]
    pub unicode: Unicode,
    /// See [`Model::drops_unknown`].
    #[serde(default)]
    pub drops_unknown: bool,
    /// See [`Model::spelled`].
    #[serde(default)]
    pub spelled: bool,
    /// See [`Model::byte_fallback`].
    #[serde(default)]
    pub byte_fallback: bool,
    /// See [`Model::continuing_prefix`].
    #[serde(default)]
    pub continuing_prefix: Option<String>,
    /// See [`Model::unused`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<u32>,
    /// See [`Model::glossaries`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub glossaries: Vec<String>,
    /// See [`Model::dropout`].
    #[serde(default)]
    pub dropout: Option<f64>,
    /// See [`Model::truncation`].
    #[serde(default)]
    pub truncation: Option<Truncation>,
    /// See [`Model::padding`].
    #[serde(default)]
    pub padding: Option<Padding>,
    /// See [`Model::pre_tokenizer`].
    #[serde(default)]
    pub pre_tokenizer: Option<PreTokenizer>,
    /// See [`Model::post_processor`].
    #[serde(default)]
    pub post_processor: Option<PostProcessor>,
    /// See [`Model::decoder`].
    #[serde(default)]
    pub decoder: Option<Decoder>,
}

impl Settings {
    /// Settings from JSON.
    pub fn from_json(json: &str) -> Result<Self> {
        serde_json::from_str(json).map_err(|error| Error::Format(format!("model: {error}")))
    }

    /// Settings as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data has a JSON form")
    }
}

impl Parts {
    /// The model of these parts; [`Model::checked`] has not run yet.
    pub fn into_model(self) -> Result<Model> {
        let units = match self.settings.units.as_str() {
            "bytes" => Units::Bytes,
            "chars" => Units::Chars,
            other => return Err(choice("units", other, "\"bytes\" or \"chars\"")),
        };
        let literal = self.literal(units);
        let Self { tokens, mut word_ends, mut added_only, merges, mut pieces, settings, .. } = self;
        pieces.sort_by_key(|(id, ..)| *id);
        word_ends.sort_unstable();
        added_only.sort_unstable();
        let marker = settings.end_of_word.clone().unwrap_or_default();
        let tokens = tokens.into_iter().map(|(id, bytes)| {
            let ends_word = word_ends.binary_search(&id).is_ok();
            let added_only = added_only.binary_search(&id).is_ok();
            let bytes = if ends_word { without_marker(id, bytes, &marker)? } else { bytes };
            let literal = literal.contains(&id);
            Ok(Token { ends_word, added_only, literal, ..Token::new(id, bytes) })
        });
        let vocabulary = Vocabulary::new(tokens.collect::<Result<_>>()?)?;
        let rule = rule(&settings, merges, &pieces)?;
        let unknown = settings.unk_token.as_deref().map(|token| {
            let id = match pieces.iter().find(|(.., kind)| *kind == Kind::Unknown) {
                Some((id, ..)) => *id,
                None => unknown_id(&vocabulary, &settings.added_tokens, token)?,
            };
            Ok(Unknown { id, fuse: settings.fuse_unk })
        });
        let end_of_word = settings.end_of_word;
        // as files list them: of two that match at one place, the first may count
        let mut added_tokens = settings.added_tokens;
        added_tokens.sort_by_key(|added| added.id);
        let mut model = Model {
            unknown: unknown.transpose()?,
            end_of_word: end_of_word
                .map(|marker| EndOfWord { marker, attached: settings.attached }),
            ignore_merges: settings.ignore_merges,
            added_tokens,
            unicode: settings.unicode.where_needed(settings.normalizer.as_ref()),
            normalizer: settings.normalizer,
            drops_unknown: settings.drops_unknown,
            spelled: settings.spelled,
            byte_fallback: settings.byte_fallback,
            continuing_prefix: settings.continuing_prefix,
            unused: ascending(settings.unused),
            glossaries: settings.glossaries,
            dropout: settings.dropout,
            truncation: settings.truncation,
            padding: settings.padding,
            pre_tokenizer: settings.pre_tokenizer,
            post_processor: settings.post_processor,
            decoder: settings.decoder,
            ..Model::new(vocabulary, units, rule)
        };
        model.drops_unknown &= model.may_miss(); // else there is nothing to leave out
        Ok(model)
    }

    /// The ids of all tokens that no text becomes: those listed, and added tokens that stand in
    /// the vocabulary as their own text and are not met (see [`is_met`]).
    fn literal(&self, units: Units) -> HashSet<u32> {
        if self.settings.rule == "scores" {
            let apart = self.pieces.iter().filter(|(.., kind)| !kind.merges());
            return apart.map(|(id, ..)| *id).collect();
        }
        let added: HashMap<u32, &AddedToken> =
            self.settings.added_tokens.iter().map(|token| (token.id, token)).collect();
        let in_merges: HashSet<u32> = self.merges.iter().flat_map(|m| [m.0, m.1, m.2]).collect();
        let word_ends: HashSet<u32> = self.word_ends.iter().copied().collect();
        let is_literal = |(id, bytes): &&(u32, Vec<u8>)| {
            let end = word_ends.contains(id);
            added.get(id).is_some_and(|added| {
                bytes == added.content.as_bytes()
                    && !self.is_text(units, added, end, in_merges.contains(id))
            })
        };
        let added = self.tokens.iter().filter(is_literal).map(|(id, _)| *id);
        self.literal.iter().copied().chain(added).collect()
    }

    /// Whether an added token whose bytes are those of its content is what text becomes: in bytes, those are then
    /// what the content spells.
    fn is_text(&self, units: Units, added: &AddedToken, end: bool, in_merges: bool) -> bool {
        let Settings { end_of_word, continuing_prefix, ignore_merges, .. } = &self.settings;
        let marker = end_of_word.as_deref().filter(|_| end);
        let content = added.content.as_str();
        let stem = marker.and_then(|marker| content.strip_suffix(marker)).unwrap_or(content);
        let is_spelled = match units {
            Units::Bytes => aliases::unspell(stem).is_some_and(|bytes| bytes == stem.as_bytes()),
            Units::Chars => true,
        };
        is_spelled && is_met((stem, continuing_prefix.as_deref()), added, in_merges, *ignore_merges)
    }

    /// The parts of a model.
    pub fn of(model: &Model) -> Self {
        let vocabulary = &model.vocabulary;
        let ids = || vocabulary.iter().map(|(id, _)| id);
        let added: HashSet<u32> = model.added_tokens.iter().map(|token| token.id).collect();
        Self {
            tokens: ids().map(|id| (id, model.marked_bytes(id))).collect(),
            word_ends: ids().filter(|&id| vocabulary.ends_word(id)).collect(),
            added_only: ids().filter(|&id| vocabulary.added_only(id)).collect(),
            literal: match model.rule {
                Rule::Scores(_) => Vec::new(), // the kinds of the pieces tell
                _ => ids().filter(|id| vocabulary.literal(*id) && !added.contains(id)).collect(),
            },
            merges: Self::merges_of(model),
            pieces: pieces_of(model),
            settings: settings_of(model),
        }
    }

    /// The merges of a model alone, in rank order; none where its rule lists none.
    pub fn merges_of(model: &Model) -> Vec<(u32, u32, u32)> {
        match &model.rule {
            Rule::Merges(merges) => merges.iter().map(|m| (m.left, m.right, m.merged)).collect(),
            _ => Vec::new(),
        }
    }
}

/// The rule that settings name, with its tables.
fn rule(
    settings: &Settings,
    merges: Vec<(u32, u32, u32)>,
    pieces: &[(u32, f32, Kind)],
) -> Result<Rule> {
    let merge = |(left, right, merged)| Merge { left, right, merged };
    Ok(match settings.rule.as_str() {
        "merges" => Rule::Merges(merges.into_iter().map(merge).collect()),
        "ranks" => Rule::Ranks,
        "scores" => Rule::Scores(Scores {
            pieces: pieces.iter().map(|&(id, score, kind)| Piece { id, score, kind }).collect(),
            bos: settings.bos,
            eos: settings.eos,
            pad: settings.pad,
            self_test: settings.self_test.clone(),
        }),
        "longest-first" => Rule::Greedy(Order::LongestFirst),
        "left-to-right" => Rule::Greedy(Order::LeftToRight),
        other => {
            let known = "\"merges\", \"ranks\", \"scores\", \"longest-first\" or \"left-to-right\"";
            return Err(choice("rule", other, known));
        }
    })
}

/// The pieces of a model by scores.
fn pieces_of(model: &Model) -> Vec<(u32, f32, Kind)> {
    let Rule::Scores(scores) = &model.rule else { return Vec::new() };
    scores.pieces.iter().map(|piece| (piece.id, piece.score, piece.kind)).collect()
}

/// The settings of a model alone.
pub fn settings_of(model: &Model) -> Settings {
    let rule = match model.rule {
        Rule::Merges(_) => "merges",
        Rule::Ranks => "ranks",
        Rule::Scores(_) => "scores",
        Rule::Greedy(Order::LongestFirst) => "longest-first",
        Rule::Greedy(Order::LeftToRight) => "left-to-right",
    };
    let unknown = model.unknown.as_ref();
    let [bos, eos, pad] = match &model.rule {
        Rule::Scores(scores) => [scores.bos, scores.eos, scores.pad],
        _ => [None; 3],
    };
    let self_test = match &model.rule {
        Rule::Scores(scores) => scores.self_test.clone(),
        _ => Vec::new(),
    };
    Settings {
        bos,
        eos,
        pad,
        self_test,
        units: if model.units == Units::Bytes { "bytes" } else { "chars" }.into(),
        rule: rule.into(),
        ignore_merges: model.ignore_merges,
        unk_token: unknown
            .map(|u| String::from_utf8_lossy(model.vocabulary.bytes(u.id)).into_owned()),
        fuse_unk: unknown.is_some_and(|unknown| unknown.fuse),
        end_of_word: model.end_of_word.as_ref().map(|end| end.marker.clone()),
        attached: model.end_of_word.as_ref().is_some_and(|end| end.attached),
        added_tokens: model.added_tokens.clone(),
        normalizer: model.normalizer.clone(),
        unicode: model.unicode,
        drops_unknown: model.drops_unknown,
        spelled: model.spelled,
        byte_fallback: model.byte_fallback,
        continuing_prefix: model.continuing_prefix.clone(),
        unused: model.unused.clone(),
        glossaries: model.glossaries.clone(),
        dropout: model.dropout,
        truncation: model.truncation.clone(),
        padding: model.padding.clone(),
        pre_tokenizer: model.pre_tokenizer.clone(),
        post_processor: model.post_processor.clone(),
        decoder: model.decoder.clone(),
    }
}

/// Ids in order, each once.
fn ascending(mut ids: Vec<u32>) -> Vec<u32> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn without_marker(id: u32, mut bytes: Vec<u8>, marker: &str) -> Result<Vec<u8>> {
    if marker.is_empty() || !bytes.ends_with(marker.as_bytes()) {
        let shown = String::from_utf8_lossy(&bytes);
        return Err(Error::Format(format!(
            "token {id} is among the word ends, but {shown:?} does not end with the marker {marker:?}"
        )));
    }
    bytes.truncate(bytes.len() - marker.len());
    Ok(bytes)
}

fn unknown_id(vocabulary: &Vocabulary, added: &[AddedToken], token: &str) -> Result<u32> {
    let added = added.iter().find(|added| added.content == token).map(|added| added.id);
    added.or_else(|| vocabulary.id_of(token.as_bytes(), false)).ok_or_else(|| {
        Error::Format(format!("the unknown token {token:?} is not in the vocabulary"))
    })
}

fn choice(what: &str, given: &str, known: &str) -> Error {
    Error::Value(format!("{what} is {given:?}; it is {known}"))
}
