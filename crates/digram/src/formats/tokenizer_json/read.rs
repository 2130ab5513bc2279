//! Reading a `tokenizer.json`.

use super::components::{DECODER, NORMALIZER, POST_PROCESSOR, PRE_TOKENIZER};
use super::extension::{self, MarkerName, Pieces, ReadExtension, RuleName, Told};
use super::file::{File, Kind, ModelFields, Pair};
use super::for_others;
use crate::components::{AddedToken, Unicode};
use crate::error::{Error, Result};
use crate::formats::spelled::{self, Entries, Index, Repeated, Spelling};
use crate::formats::{Files, Known, Loaded, by_scores, lines, only, ranks};
use crate::limits::Limits;
use crate::model::{EndOfWord, Merge, Model, Order, Rule, Unknown};
use crate::vocabulary::Vocabulary;

/// Reads a file.
pub(in crate::formats) fn read(files: &Files, known: &Known) -> Result<Loaded> {
    let text = lines::text(only(files, "tokenizer.json")?)?;
    let mut file: File = serde_json::from_str(text).map_err(|error| refusal(text, &error))?;
    check_kind(file.model.kind.as_deref())?;
    check_version(&file)?;
    let extension = file.model.digram.take().unwrap_or_default();
    if let Some(record) = &extension.training {
        known.limits.check_depth_of(record.get(), "model.digram.training")?;
    }
    let is_for_others = file.model.kind.as_deref() != Some("DigramBPE");
    let model = model(file, &extension, &known.limits)?;
    let model = match (extension.rule, &extension.pieces) {
        (Some(RuleName::Scores), Some(pieces)) => by_pieces(&model, pieces, is_for_others)?,
        (None | Some(RuleName::Ranks | RuleName::LongestFirst | RuleName::LeftToRight), None) => {
            model
        }
        _ => {
            return Err(Error::Format(
                "model.digram: the rule \"scores\" and the pieces go together".into(),
            ));
        }
    };
    Ok(Loaded { model, training: extension.training })
}

/// The model of a file. What is damaged is told before what is not supported.
fn model(file: File, extension: &ReadExtension, limits: &Limits) -> Result<Model> {
    let File { added_tokens, model, .. } = file;
    let index = Index::of(&model.vocab.0, limits).map_err(|error| error.at("model.vocab"))?;
    let continuing_prefix = model.continuing_subword_prefix.clone().filter(|p| !p.is_empty());
    let merges = merges(&index, &model.merges.0, continuing_prefix.as_deref())?;
    check_extension(&model, extension)?;
    let of_others = model.kind.as_deref() != Some("DigramBPE");
    let given = of_others.then_some(&extension.patterns);
    let normalizer = NORMALIZER.read(file.normalizer, given, limits)?;
    let pre_tokenizer = PRE_TOKENIZER.read(file.pre_tokenizer, given, limits)?;
    let post_processor = POST_PROCESSOR.read(file.post_processor, None, limits)?;
    let decoder = DECODER.read(file.decoder, given, limits)?;
    let added_tokens = with_ids(added_tokens, &index, &model.vocab.0)?;
    let ignore_merges = model.ignore_merges.unwrap_or(false);
    let end_of_word = end_of_word(&model, extension);
    let byte_fallback = model.byte_fallback.unwrap_or(false);
    // what merges join are tokens, which are fewer
    let all_spelled =
        model.vocab.0.iter().all(|(text, _)| extension::is_spelled(text, end_of_word.as_ref()));
    let looks_at_characters = byte_fallback
        || continuing_prefix.is_some()
        || (!all_spelled
            && extension::merges_plain_text(pairs(&model.merges.0), end_of_word.as_ref()));
    let told = Told::of(normalizer.as_ref(), pre_tokenizer.as_ref(), looks_at_characters);
    let Told { units, spelled } = extension.units.map_or(told, Told::from);
    let unicode = extension.unicode.unwrap_or(Unicode::Nine).where_needed(normalizer.as_ref());
    let prefix = continuing_prefix.as_deref();
    let spelling = Spelling { units, end_of_word: end_of_word.as_ref(), prefix, ignore_merges };
    let vocabulary = spelling
        .vocabulary(&model.vocab.0, &merges, &added_tokens)
        .map_err(|error| error.at("model.vocab"))?;
    let vocabulary = extension.without_added(vocabulary, &added_tokens)?;
    let rule = rule(extension, merges, &vocabulary)?;
    let names_unknown = model.unk_token.is_some();
    let mut model = Model {
        ignore_merges,
        unknown: unknown(&model, &index),
        end_of_word,
        unicode,
        spelled,
        byte_fallback,
        continuing_prefix,
        unused: extension.unused.clone().unwrap_or_default(),
        glossaries: extension.glossaries.clone().unwrap_or_default(),
        dropout: model.dropout,
        truncation: file.truncation,
        padding: file.padding,
        added_tokens,
        normalizer,
        pre_tokenizer,
        post_processor,
        decoder,
        ..Model::new(vocabulary, units, rule)
    };
    model.drops_unknown = extension.unknown.is_none() && !names_unknown && model.may_miss();
    Ok(model)
}

/// The model by scores that stands behind the one shown to others.
fn by_pieces(shown: &Model, pieces: &Pieces, is_for_others: bool) -> Result<Model> {
    let model = pieces.model(shown)?.checked()?;
    let Rule::Scores(scores) = &model.rule else { return Ok(model) };
    let expected = match by_scores::listed(&model, scores)? {
        Ok(listed) if is_for_others => listed,
        Err(reason) if is_for_others => {
            return Err(Error::Format(format!(
                "model.digram.pieces needs the type 'DigramBPE', because with type 'BPE' other \
                 libraries give other ids: {reason}"
            )));
        }
        _ => by_scores::plain(&model, Vec::new())?,
    };
    let is_alike = expected.rule == shown.rule
        && expected.normalizer == shown.normalizer
        && expected.decoder == shown.decoder;
    if is_alike {
        return Ok(model);
    }
    Err(Error::Format(
        "model.digram.pieces does not go with the merges and components beside; remove one or the \
         other"
            .into(),
    ))
}

/// Why a file does not parse: another type of model, or none, goes before what its fields look like.
fn refusal(text: &str, error: &serde_json::Error) -> Error {
    let kind = serde_json::from_str::<Kind>(text).ok();
    let is_other = kind.as_ref().is_some_and(|kind| kind.model.is_none());
    let kind = kind.and_then(|kind| kind.model?.kind);
    match check_kind(kind.as_deref()) {
        Err(other) => other,
        Ok(()) if is_other => Error::Format(format!(
            "it has no model ({error}): this is another file of JSON, such as tokenizer_config.json, which stands \
             beside a tokenizer; open that, or the directory"
        )),
        Ok(()) => Error::Format(error.to_string()),
    }
}

fn check_kind(kind: Option<&str>) -> Result<()> {
    match kind {
        None | Some("BPE" | "DigramBPE") => Ok(()),
        Some(other) => Err(Error::Format(format!(
            "model of type '{other}' is not supported; digram is for byte-pair encoding (BPE)"
        ))),
    }
}

fn check_version(file: &File) -> Result<()> {
    match &file.version {
        // Hugging Face takes a file that does not say it for this one
        None => Ok(()),
        Some(version) if version.get() == "\"1.0\"" => Ok(()),
        Some(other) => Err(Error::Format(format!(
            "version is {}; the one supported is \"1.0\"",
            lines::shortened(other.get())
        ))),
    }
}

fn pairs<'a>(pairs: &'a [Pair]) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
    pairs.iter().map(|(left, right)| (left.as_ref(), right.as_ref()))
}

fn merges(index: &Index, listed: &[Pair], prefix: Option<&str>) -> Result<Vec<Merge>> {
    let pairs = pairs(listed);
    let place = |merge: usize| format!("model.merges[{merge}]");
    spelled::merges(index, pairs, prefix.unwrap_or_default(), Repeated::LastCounts, place)
}

/// Refuses a file that Hugging Face would encode otherwise than what digram wrote beside.
fn check_extension(model: &ModelFields, extension: &ReadExtension) -> Result<()> {
    let is_other = |(listed, given): &(&String, &String)| for_others::spelled(given) != **listed;
    if let Some((_, given)) = extension.patterns.iter().find(is_other) {
        return Err(Error::Format(format!(
            "model.digram.patterns: {given:?} does not go with the pattern that stands for it; remove it"
        )));
    }
    if model.kind.as_deref() == Some("DigramBPE") {
        return Ok(());
    }
    match extension.differing() {
        None => Ok(()),
        Some(field) => Err(Error::Format(format!(
            "model.digram.{field} needs the type 'DigramBPE', because with type 'BPE' other \
             libraries give other ids"
        ))),
    }
}

/// Added tokens with the ids that Hugging Face gives them, by id. Of a content that is listed
/// twice the last counts, where the first stands, and it is special if any is; an empty one is none. Fails where
/// such an id is that of another token.
fn with_ids(listed: Vec<AddedToken>, index: &Index, vocab: &Entries) -> Result<Vec<AddedToken>> {
    let mut places = hashbrown::HashMap::with_capacity(listed.len());
    let mut added: Vec<AddedToken> = Vec::with_capacity(listed.len());
    for mut token in listed.into_iter().filter(|token| !token.content.is_empty()) {
        if let Some(&place) = places.get(&token.content) {
            let before: &AddedToken = &added[place];
            token.special |= before.special;
            added[place] = token;
        } else {
            places.insert(token.content.clone(), added.len());
            added.push(token);
        }
    }
    let contents = added.iter().map(|added| added.content.as_str());
    let ids = super::added_ids(contents, vocab.len(), |content| index.get(content));
    let is_beyond = |(_, id): &&(_, u32)| *id as usize >= vocab.len();
    let taken: hashbrown::HashMap<u32, _> =
        vocab.iter().filter(is_beyond).map(|(token, id)| (*id, token)).collect();
    for (added, id) in added.iter_mut().zip(ids) {
        if let Some(token) = taken.get(&id).filter(|_| index.get(&added.content).is_none()) {
            return Err(Error::Format(format!(
                "added_tokens: {:?} gets id {id}, which is that of {token:?}; whatever a file says ({}), such tokens \
                 are numbered on from how many model.vocab has, {}, so number those from 0, without holes",
                added.content,
                added.id,
                vocab.len()
            )));
        }
        added.id = id;
    }
    added.sort_by_key(|added| added.id);
    Ok(added)
}

fn end_of_word(model: &ModelFields, extension: &ReadExtension) -> Option<EndOfWord> {
    let marker = model.end_of_word_suffix.clone().filter(|suffix| !suffix.is_empty())?;
    Some(EndOfWord { marker, attached: extension.marker != Some(MarkerName::Separate) })
}

/// The unknown token. Hugging Face opens a file whose own is in no vocabulary, and fails where a
/// text needs it: that is to have none.
fn unknown(model: &ModelFields, index: &Index) -> Option<Unknown> {
    let id = index.get(model.unk_token.as_ref()?)?;
    Some(Unknown { id, fuse: model.fuse_unk.unwrap_or(false) })
}

/// The rule. By ranks, the merges listed are those that give the same ids; none are where it is
/// greedy.
fn rule(extension: &ReadExtension, merges: Vec<Merge>, vocabulary: &Vocabulary) -> Result<Rule> {
    let (rule, expected) = match extension.rule {
        // by scores, this is what the file shows to others: the pieces come after
        None | Some(RuleName::Scores) => return Ok(Rule::Merges(merges)),
        Some(RuleName::Ranks) => (Rule::Ranks, ranks::splits(vocabulary)?),
        Some(RuleName::LongestFirst) => (Rule::Greedy(Order::LongestFirst), Vec::new()),
        Some(RuleName::LeftToRight) => (Rule::Greedy(Order::LeftToRight), Vec::new()),
    };
    if merges == expected {
        return Ok(rule);
    }
    Err(Error::Format(
        "model.digram.rule does not go with the merges listed; remove one or the other".into(),
    ))
}
