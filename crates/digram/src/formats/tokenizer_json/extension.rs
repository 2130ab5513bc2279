//! What digram keeps under `model.digram`.

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use crate::aliases;
use crate::components::{AddedToken, Decoder, Normalizer, PreTokenizer, Unicode};
use crate::error::{Error, Result};
use crate::formats::cannot;
use crate::model::{
    EndOfWord, Kind as PieceKind, Model, Order, Piece, Rule, Scores, Units, Unknown,
};
use crate::vocabulary::{Token, Vocabulary};

/// What a `tokenizer.json` of Hugging Face has no place for.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extension<T = serde_json::Value> {
    /// The rule, where it is not listed merges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleName>,
    /// Where the marker stands, if not attached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<MarkerName>,
    /// The units, where the pre-tokenizer does not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitsName>,
    /// The version of Unicode that the normalizer follows, where it is not Hugging Face's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unicode: Option<Unicode>,
    /// What becomes of characters that are not in the vocabulary, where it is not Hugging Face's
    /// way, to leave them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<UnknownName>,
    /// The pieces, where the rule is by scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Pieces>,
    /// The tokens that are taken apart again after merging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused: Option<Vec<u32>>,
    /// The added tokens that are listed in the vocabulary for their ids' sake alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added_only: Vec<u32>,
    /// What is kept whole in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glossaries: Option<Vec<String>>,
    /// How patterns were given that the file spells otherwise, so that others read them alike.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, String>,
    /// The record of training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<T>,
}

/// What is read: the record stays text, as it may be any JSON.
pub(super) type ReadExtension = Extension<Box<RawValue>>;

/// What a vocabulary by scores has beside texts and ids.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pieces {
    /// The scores of the first ids, in their order; none where an id is no piece.
    pub scores: Vec<Option<f32>>,
    /// What those are that are not normal, by id.
    pub kinds: BTreeMap<u32, PieceKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bos: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eos: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pad: Option<u32>,
    /// The texts of the self-test, each with its pieces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_test: Vec<(String, String)>,
    /// What Hugging Face's components beside say as far as it matters to ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalizer: Option<Normalizer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoder: Option<Decoder>,
}

impl Pieces {
    /// The pieces of a vocabulary; the components too where others stand at the file's top.
    fn of(model: &Model, scores: &Scores, with_components: bool) -> Self {
        let odd = scores.pieces.iter().filter(|piece| piece.kind != PieceKind::Normal);
        let ids = scores.pieces.iter().map(|piece| piece.id as usize + 1).max().unwrap_or(0);
        let mut by_id = vec![None; ids];
        for piece in &scores.pieces {
            by_id[piece.id as usize] = Some(piece.score);
        }
        Self {
            scores: by_id,
            kinds: odd.map(|piece| (piece.id, piece.kind)).collect(),
            bos: scores.bos,
            eos: scores.eos,
            pad: scores.pad,
            self_test: scores.self_test.clone(),
            normalizer: model.normalizer.clone().filter(|_| with_components),
            decoder: model.decoder.clone().filter(|_| with_components),
        }
    }

    /// The model that a file means where it shows `shown` to others.
    pub fn model(&self, shown: &Model) -> Result<Model> {
        let score = |id: u32| self.scores.get(id as usize).copied().flatten();
        let kind = |id| self.kinds.get(&id).copied().unwrap_or(PieceKind::Normal);
        if let Some(id) = self.kinds.keys().find(|&&id| score(id).is_none()) {
            return Err(Error::Format(format!("model.digram.pieces: {id} has a kind, no score")));
        }
        let vocabulary = &shown.vocabulary;
        let tokens = vocabulary.iter().map(|(id, bytes)| Token {
            literal: score(id).is_some() && !kind(id).merges(),
            added_only: score(id).is_none(),
            ..Token::new(id, bytes)
        });
        let scores = (0..).zip(&self.scores);
        let pieces =
            scores.filter_map(|(id, &score)| Some(Piece { id, score: score?, kind: kind(id) }));
        let unknown = self.kinds.iter().find(|(_, kind)| **kind == PieceKind::Unknown);
        let unknown = unknown.map(|(&id, _)| Unknown {
            id,
            fuse: shown.unknown.as_ref().is_some_and(|unknown| unknown.fuse),
        });
        Ok(Model {
            unknown,
            drops_unknown: false,
            vocabulary: Vocabulary::new(tokens.collect())?,
            rule: Rule::Scores(Scores {
                pieces: pieces.collect(),
                bos: self.bos,
                eos: self.eos,
                pad: self.pad,
                self_test: self.self_test.clone(),
            }),
            normalizer: self.normalizer.clone().or_else(|| shown.normalizer.clone()),
            decoder: self.decoder.clone().or_else(|| shown.decoder.clone()),
            ..shown.clone()
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RuleName {
    Ranks,
    Scores,
    LongestFirst,
    LeftToRight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MarkerName {
    Separate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum UnitsName {
    Bytes,
    Chars,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum UnknownName {
    Error,
}

impl Extension {
    /// What a file must keep of `model`.
    ///
    /// `shown` is what the file shows to others, where that is another model.
    pub fn of(model: &Model, shown: Option<&Model>, training: Option<&serde_json::Value>) -> Self {
        let is_separate = model.end_of_word.as_ref().is_some_and(|end| !end.attached);
        let expected = told(shown.unwrap_or(model));
        let depends = model.normalizer.as_ref().is_some_and(Normalizer::depends_on_unicode);
        let refuses = model.may_miss() && !model.drops_unknown;
        Self {
            unknown: refuses.then_some(UnknownName::Error),
            unicode: Some(model.unicode).filter(|&unicode| depends && unicode != Unicode::Nine),
            rule: match model.rule {
                Rule::Merges(_) => None,
                Rule::Ranks => Some(RuleName::Ranks),
                Rule::Scores(_) => Some(RuleName::Scores),
                Rule::Greedy(Order::LongestFirst) => Some(RuleName::LongestFirst),
                Rule::Greedy(Order::LeftToRight) => Some(RuleName::LeftToRight),
            },
            marker: is_separate.then_some(MarkerName::Separate),
            units: ((model.units, model.spelled) != (expected.units, expected.spelled)).then_some(
                match model.units {
                    Units::Bytes => UnitsName::Bytes,
                    Units::Chars => UnitsName::Chars,
                },
            ),
            pieces: match &model.rule {
                Rule::Scores(scores) => {
                    let has_others = shown.is_some_and(|shown| shown.decoder != model.decoder);
                    Some(Pieces::of(model, scores, has_others))
                }
                _ => None,
            },
            unused: Some(model.unused.clone()).filter(|unused| !unused.is_empty()),
            added_only: Vec::new(),
            glossaries: Some(model.glossaries.clone()).filter(|some| !some.is_empty()),
            patterns: BTreeMap::new(),
            training: training.cloned(),
        }
    }

    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl<T> Default for Extension<T> {
    fn default() -> Self {
        Self {
            rule: None,
            marker: None,
            units: None,
            unicode: None,
            unknown: None,
            pieces: None,
            unused: None,
            added_only: Vec::new(),
            glossaries: None,
            patterns: BTreeMap::new(),
            training: None,
        }
    }
}

impl<T> Extension<T> {
    /// The vocabulary, which lists some added tokens that are no part of it.
    pub fn without_added(&self, listed: Vocabulary, added: &[AddedToken]) -> Result<Vocabulary> {
        if self.added_only.is_empty() {
            return Ok(listed);
        }
        let is_literal = |token: &&AddedToken| {
            listed.literal(token.id) && listed.bytes(token.id) == token.content.as_bytes()
        };
        let literal: HashSet<u32> = added.iter().filter(is_literal).map(|token| token.id).collect();
        if let Some(&id) = self.added_only.iter().find(|&id| !literal.contains(id)) {
            return Err(Error::Format(format!(
                "model.digram.added_only lists {id}, which is no added token, or one that merging makes"
            )));
        }
        let only: HashSet<u32> = self.added_only.iter().copied().collect();
        let token = |(id, bytes)| Token {
            ends_word: listed.ends_word(id),
            literal: listed.literal(id) && !only.contains(&id),
            added_only: listed.added_only(id) || only.contains(&id),
            ..Token::new(id, bytes)
        };
        Vocabulary::new(listed.iter().map(token).collect())
    }

    /// What Hugging Face, which drops all this, would do otherwise. (By ranks it would not: the
    /// merges listed beside give the same ids.)
    pub fn differing(&self) -> Option<&'static str> {
        match (self.rule, self.marker, self.units) {
            (Some(RuleName::LongestFirst | RuleName::LeftToRight), ..) => Some("rule"),
            (_, Some(MarkerName::Separate), _) => Some("marker"),
            (.., Some(_)) => Some("units"),
            _ if self.unused.is_some() => Some("unused"),
            _ => self.glossaries.as_ref().map(|_| "glossaries"),
        }
    }
}

/// As [`merges_plain_text`], of a model that is spelled.
fn model_merges_plain_text(model: &Model) -> bool {
    let Rule::Merges(merges) = &model.rule else { return false };
    let text = |id| std::str::from_utf8(model.vocabulary.bytes(id)).unwrap_or_default();
    merges_plain_text(merges.iter().map(|m| (text(m.left), text(m.right))), None)
}

/// How Hugging Face understands the units of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub units: Units,
    /// The units are characters of the byte alphabet.
    pub spelled: bool,
}

impl Told {
    /// What the file's components tell: bytes where the byte level is the last step before
    /// merging, and merging does not look at characters.
    pub fn of(
        normalizer: Option<&Normalizer>,
        pre_tokenizer: Option<&PreTokenizer>,
        looks_at_characters: bool,
    ) -> Self {
        let parts = pre_tokenizer.map(cannot::parts).unwrap_or_default();
        let is_byte_level = |part: &&PreTokenizer| matches!(part, PreTokenizer::ByteLevel(_));
        let first = parts.iter().position(is_byte_level);
        let is_last = first.is_some_and(|first| first + 1 == parts.len());
        let is_spelled_before = normalizer.is_some_and(Normalizer::spells);
        if is_last && !is_spelled_before && !looks_at_characters {
            return Self { units: Units::Bytes, spelled: false };
        }
        Self { units: Units::Chars, spelled: first.is_some() }
    }
}

impl From<UnitsName> for Told {
    /// What digram has written itself, which needs no spelling.
    fn from(name: UnitsName) -> Self {
        let units = match name {
            UnitsName::Bytes => Units::Bytes,
            UnitsName::Chars => Units::Chars,
        };
        Self { units, spelled: false }
    }
}

/// Whether merges join text that is not spelled in the byte alphabet: the marker apart, which no
/// byte level makes.
pub(super) fn merges_plain_text<'a>(
    mut pairs: impl Iterator<Item = (&'a str, &'a str)>,
    end: Option<&EndOfWord>,
) -> bool {
    pairs.any(|(left, right)| !is_spelled(left, end) || !is_spelled(right, end))
}

/// Whether text is spelled in the byte alphabet, but for a marker at its end.
pub(super) fn is_spelled(text: &str, end: Option<&EndOfWord>) -> bool {
    let marker = end.map_or("", |end| end.marker.as_str());
    let stem = match marker {
        "" => text,
        marker => text.strip_suffix(marker).unwrap_or(text),
    };
    // most are printable ASCII, which is its own alias, and characters from U+00C0 to U+013F, which all
    // are aliases, a space's and a line's end's among them
    stem.bytes().all(|byte| matches!(byte, b'!'..=b'~' | 0x80..=0xBF | 0xC3 | 0xC4))
        || stem.chars().all(|character| aliases::byte_of(character).is_some())
}

/// What the file that is written for a model tells about its units.
fn told(model: &Model) -> Told {
    let looks_at_characters = model.byte_fallback
        || model.continuing_prefix.is_some()
        || (model.spelled && model_merges_plain_text(model));
    Told::of(model.normalizer.as_ref(), model.pre_tokenizer.as_ref(), looks_at_characters)
}
