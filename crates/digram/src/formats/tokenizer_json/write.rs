//! Writing a `tokenizer.json`, as Hugging Face lays it out.

use hashbrown::HashSet;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

use super::extension::Extension;
use super::file::ById;
use super::for_others;
use super::oniguruma;
use super::repetitions::each_pattern;
use crate::components::{AddedToken, Padding, PostProcessor, Truncation, decoder};
use crate::error::{Error, Result};
use crate::formats::spelled::Index;
use crate::formats::{Contents, by_scores, ranks, spell};
use crate::limits::Limits;
use crate::model::{Merge, Model, Rule, Scores};

#[derive(Serialize)]
struct File<'a> {
    version: &'static str,
    truncation: &'a Option<Truncation>,
    padding: &'a Option<Padding>,
    added_tokens: &'a [AddedToken],
    normalizer: Value,
    pre_tokenizer: Value,
    post_processor: &'a Option<PostProcessor>,
    decoder: Value,
    model: ModelFields<'a>,
}

#[derive(Serialize)]
struct ModelFields<'a> {
    r#type: &'static str,
    dropout: Option<f64>,
    unk_token: Option<&'a str>,
    continuing_subword_prefix: Option<&'a str>,
    end_of_word_suffix: Option<&'a str>,
    fuse_unk: bool,
    byte_fallback: bool,
    ignore_merges: bool,
    vocab: ById<'a>,
    merges: Vec<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Extension::is_empty")]
    digram: Extension,
}

/// Writes a model and the record of its training.
pub(in crate::formats) fn write(model: &Model, training: Option<&serde_json::Value>) -> Contents {
    match &model.rule {
        Rule::Scores(scores) => {
            let shown = Shown::of(model, scores)?;
            let digram = Extension::of(model, Some(&shown.model), training);
            written(&shown.model, digram, shown.is_alike)
        }
        _ => written(model, Extension::of(model, None, training), !ranks_words(model)),
    }
}

/// Whether tokens that end a word merge by ranks: the merges that are listed for others leave them out.
fn ranks_words(model: &Model) -> bool {
    let vocabulary = &model.vocabulary;
    let merges = |id: u32| vocabulary.ends_word(id) && vocabulary.merges(id);
    let is_joined = |(id, bytes): (u32, &[u8])| merges(id) && !model.is_unit(bytes);
    model.rule == Rule::Ranks && vocabulary.iter().any(is_joined)
}

/// What a file shows to others of a model by scores.
struct Shown {
    model: Model,
    /// Whether they give the same ids by it.
    is_alike: bool,
}

impl Shown {
    fn of(model: &Model, scores: &Scores) -> Result<Self> {
        Ok(match by_scores::listed(model, scores)? {
            Ok(listed) => Self { model: listed, is_alike: true },
            Err(_) => Self { model: by_scores::plain(model, Vec::new())?, is_alike: false },
        })
    }
}

/// The file of a model by anything but scores.
fn written(model: &Model, mut digram: Extension, is_alike: bool) -> Contents {
    let (components, kind) = Components::of(model, &mut digram, is_alike);
    let mut added_tokens = model.added_tokens.clone();
    added_tokens.sort_by_key(|added| added.id);
    let listed = merges(model)?;
    let entries;
    (entries, digram.added_only) = entries_of(model, &listed, &added_tokens)?;
    let spellings = Spellings::of(&entries, model.vocabulary.ids());
    let file = File {
        version: "1.0",
        truncation: &model.truncation,
        padding: &model.padding,
        added_tokens: &added_tokens,
        normalizer: components.normalizer,
        pre_tokenizer: components.pre_tokenizer,
        post_processor: &model.post_processor,
        decoder: components.decoder,
        model: ModelFields {
            r#type: kind,
            dropout: model.dropout,
            unk_token: model.unknown.as_ref().map(|unknown| spellings.get(unknown.id)),
            continuing_subword_prefix: model.continuing_prefix.as_deref(),
            end_of_word_suffix: model.end_of_word.as_ref().map(|end| end.marker.as_str()),
            fuse_unk: model.unknown.as_ref().is_some_and(|unknown| unknown.fuse),
            byte_fallback: model.byte_fallback,
            ignore_merges: model.ignore_merges,
            vocab: ById(&entries),
            merges: listed.iter().map(|m| [m.left, m.right].map(|id| spellings.get(id))).collect(),
            digram,
        },
    };
    Ok(vec![serde_json::to_vec_pretty(&file).expect("plain data has a JSON form")])
}

/// The components that may have patterns, as the file lists them.
struct Components {
    normalizer: Value,
    pre_tokenizer: Value,
    decoder: Value,
}

impl Components {
    /// Those of a model, and the type that it has then: `BPE` where Hugging Face gives the same ids and text,
    /// wherever digram gives any. Patterns are spelled so that it does, where they can be.
    fn of(model: &Model, digram: &mut Extension, is_alike: bool) -> (Self, &'static str) {
        if is_alike && digram.differing().is_none() && !decoder::gives_bytes_behind_markers(model) {
            let mut components = Self::as_given(model);
            let mut given = BTreeMap::new();
            components.each(&mut |component| for_others::spell(component, &mut given));
            let mut differs = false;
            components.each(&mut |component| {
                each_pattern(component, &mut |regex| differs |= oniguruma::may_differ(regex));
            });
            if !differs {
                digram.patterns = given;
                return (components, "BPE");
            }
        }
        (Self::as_given(model), "DigramBPE")
    }

    fn as_given(model: &Model) -> Self {
        Self {
            normalizer: value_of(&model.normalizer),
            pre_tokenizer: value_of(&model.pre_tokenizer),
            decoder: value_of(&model.decoder),
        }
    }

    fn each(&mut self, change: &mut impl FnMut(&mut Value)) {
        change(&mut self.normalizer);
        change(&mut self.pre_tokenizer);
        change(&mut self.decoder);
    }
}

fn value_of(component: &impl Serialize) -> Value {
    serde_json::to_value(component).expect("plain data has a JSON form")
}

/// The merges to list: for ranks all that give the same ids.
fn merges(model: &Model) -> Result<Cow<'_, [Merge]>> {
    Ok(match &model.rule {
        Rule::Merges(merges) => Cow::Borrowed(merges),
        Rule::Ranks => Cow::Owned(ranks::splits(&model.vocabulary)?),
        Rule::Scores(_) | Rule::Greedy(_) => Cow::Borrowed(&[]),
    })
}

/// The spelling of each id.
struct Spellings<'a>(Vec<&'a str>);

impl<'a> Spellings<'a> {
    fn of(entries: &'a [(Cow<'_, str>, u32)], ids: usize) -> Self {
        let mut spellings = vec![""; ids];
        for (spelling, id) in entries {
            spellings[*id as usize] = spelling;
        }
        Self(spellings)
    }

    fn get(&self, id: u32) -> &'a str {
        self.0[id as usize]
    }
}

/// Tokens as they are spelled, with their ids.
type Spelled = Vec<(Cow<'static, str>, u32)>;

/// The vocabulary to list, and the added tokens in it that are no part of it: none, where Hugging Face
/// finds the ids that they have without.
fn entries_of(
    model: &Model,
    merges: &[Merge],
    added: &[AddedToken],
) -> Result<(Spelled, Vec<u32>)> {
    let unknown = model.unknown.as_ref().map(|unknown| unknown.id);
    let ids = added.iter().map(|added| added.id);
    let outside: Vec<u32> =
        ids.filter(|&id| model.vocabulary.added_only(id) && Some(id) != unknown).collect();
    let listed = spell::entries(model, merges, &outside.iter().copied().collect())?;
    if wrong_id(&listed, added)?.is_none() {
        return Ok((listed, Vec::new()));
    }
    let listed = spell::entries(model, merges, &HashSet::new())?;
    match wrong_id(&listed, added)? {
        None => Ok((listed, outside)),
        Some((added, id)) => Err(Error::Format(format!(
            "the added token {:?} has id {}, but the token {id} is spelled the same; other \
             libraries would take that one",
            added.content, added.id
        ))),
    }
}

/// The first added token to which Hugging Face gives another id, and that id.
fn wrong_id<'a>(
    listed: &[(Cow<'_, str>, u32)],
    added: &'a [AddedToken],
) -> Result<Option<(&'a AddedToken, u32)>> {
    let index = Index::of(listed, &Limits::default())?;
    let contents = added.iter().map(|added| added.content.as_str());
    let ids = super::added_ids(contents, listed.len(), |content| index.get(content));
    Ok(added.iter().zip(ids).find(|(added, id)| added.id != *id))
}
