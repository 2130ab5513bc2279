//! What a format cannot hold: all reasons at once, each in words.

use serde::Serialize;

use crate::components::{
    AddedToken, Behavior, ByteLevel, Decoder, Pattern, PostProcessor, PreTokenizer,
};
use crate::error::{Error, Result};
use crate::model::{Model, Rule, Units};

/// The reasons why a format cannot hold a model.
pub(super) struct Cannot {
    format: &'static str,
    reasons: Vec<String>,
}

impl Cannot {
    /// No reason yet.
    pub fn new(format: &'static str) -> Self {
        Self { format, reasons: Vec::new() }
    }

    /// Adds a reason where there is one.
    pub fn add(&mut self, reason: Option<impl Into<String>>) -> &mut Self {
        self.reasons.extend(reason.map(Into::into));
        self
    }

    /// Fails where there is a reason.
    pub fn check(&self) -> Result<()> {
        if self.reasons.is_empty() {
            return Ok(());
        }
        Err(Error::Format(format!(
            "the format {:?} cannot hold this model: {}; save it as tokenizer.json, or change it \
             with tok.with_(…) first",
            self.format,
            self.reasons.join("; ")
        )))
    }
}

/// A normalizer, which no format of plain lists holds.
pub(super) fn normalizer(model: &Model) -> Option<String> {
    let normalizer = model.normalizer.as_ref()?;
    Some(format!("it has a normalizer ({})", kind(normalizer)))
}

/// A post-processor that adds ids.
pub(super) fn post_processor(model: &Model) -> Option<String> {
    match model.post_processor.as_ref()? {
        PostProcessor::ByteLevel(_) => None,
        other => Some(format!("it has a post-processor ({})", kind(other))),
    }
}

/// Units other than bytes, with which a decoder of bytes goes.
pub(super) fn no_bytes(model: &Model) -> Option<String> {
    match (&model.decoder, model.units) {
        (_, Units::Chars) => Some("its units are characters, not bytes".into()),
        (Some(Decoder::ByteLevel(_)), Units::Bytes) => None,
        (Some(other), Units::Bytes) => {
            Some(format!("its decoder is {}, not ByteLevel", kind(other)))
        }
        (None, Units::Bytes) => Some("it has no decoder; the format's is ByteLevel".into()),
    }
}

/// A decoder other than that with which the format is read.
pub(super) fn other_decoder(model: &Model, own: &Decoder) -> Option<String> {
    match &model.decoder {
        Some(decoder) if decoder == own => None,
        Some(other) if kind(other) == kind(own) => {
            Some(format!("its decoder, {}, is not that of its marker", kind(other)))
        }
        Some(other) => Some(format!("its decoder is {}, not {}", kind(other), kind(own))),
        None => Some(format!("it has no decoder; the format's is {}", kind(own))),
    }
}

/// Neighbouring unknown characters as one token, where no reader is told so.
pub(super) fn fuse_unk(model: &Model) -> Option<&'static str> {
    let is_fused = model.unknown.as_ref().is_some_and(|unknown| unknown.fuse);
    (is_fused && model.may_be_unknown())
        .then_some("it makes neighbouring unknown characters one token (fuse_unk)")
}

/// An added token that is not matched as it stands: those that are given to a loader are.
pub(super) fn matched_otherwise(model: &Model) -> Option<String> {
    let is_other = |token: &&AddedToken| token.single_word || token.lstrip || token.rstrip;
    let added = model.added_tokens.iter().find(is_other)?;
    Some(format!(
        "the added token {:?} is matched in a way of its own (single_word, lstrip, rstrip)",
        added.content
    ))
}

/// Any rule but listed merges.
pub(super) fn no_merges(model: &Model) -> Option<&'static str> {
    match model.rule {
        Rule::Merges(_) => None,
        Rule::Ranks => Some("it merges by ranks and lists no merges"),
        Rule::Scores(_) => Some("it merges by scores and lists no merges"),
        Rule::Greedy(_) => Some("it is greedy and merges nothing"),
    }
}

/// An end-of-word marker.
pub(super) fn marker(model: &Model) -> Option<String> {
    let end = model.end_of_word.as_ref()?;
    Some(format!("it has the end-of-word marker {:?}", end.marker))
}

/// Symbols that are not the characters of a word.
pub(super) fn characters_in_parts(model: &Model) -> Option<&'static str> {
    match model {
        Model { byte_fallback: true, .. } => Some("it falls back to bytes (byte_fallback)"),
        Model { continuing_prefix: Some(_), .. } => Some("its tokens have a continuing prefix"),
        Model { spelled: true, .. } => Some("it spells bytes as characters (spelled)"),
        _ => None,
    }
}

/// Tokens that are taken apart again.
pub(super) fn unused(model: &Model) -> Option<String> {
    let count = model.unused.len();
    (count > 0).then(|| format!("it takes {count} of its tokens apart again (unused)"))
}

/// What is kept whole in words.
pub(super) fn glossaries(model: &Model) -> Option<String> {
    let count = model.glossaries.len();
    (count > 0).then(|| format!("it keeps what {count} glossaries find whole (glossaries)"))
}

/// A dropout.
pub(super) fn dropout(model: &Model) -> Option<String> {
    model.dropout.map(|dropout| format!("it has a dropout ({dropout})"))
}

/// An added token that any text means: of those that are given to a loader, none is.
pub(super) fn always_added(model: &Model) -> Option<String> {
    let added = model.added_tokens.iter().find(|token| !token.special)?;
    Some(format!(
        "the added token {:?} is not special, so that it is a token in any text",
        added.content
    ))
}

/// The whole-word look-up before merging.
pub(super) fn ignore_merges(model: &Model) -> Option<&'static str> {
    model.ignore_merges.then_some("it looks whole words up before merging (ignore_merges)")
}

/// The type of a component, as `tokenizer.json` names it.
pub(super) fn kind(component: &impl Serialize) -> String {
    let value = serde_json::to_value(component).unwrap_or_default();
    value["type"].as_str().unwrap_or("unknown").to_owned()
}

/// The parts of a pre-tokenizer, sequences flattened.
pub(super) fn parts(pre_tokenizer: &PreTokenizer) -> Vec<&PreTokenizer> {
    match pre_tokenizer {
        PreTokenizer::Sequence { pretokenizers } => pretokenizers.iter().flat_map(parts).collect(),
        part => vec![part],
    }
}

/// Whether a pre-tokenizer splits as GPT-2 does, however it is spelled.
pub(super) fn splits_as_gpt2(pre_tokenizer: &PreTokenizer) -> bool {
    let plain = |byte_level: &ByteLevel, use_regex: bool| {
        !byte_level.add_prefix_space && byte_level.use_regex == use_regex
    };
    match parts(pre_tokenizer).as_slice() {
        [PreTokenizer::ByteLevel(byte_level)] => plain(byte_level, true),
        [split, PreTokenizer::ByteLevel(byte_level)] => {
            plain(byte_level, false)
                && is_split(split, crate::pretokenize::GPT2, Behavior::Isolated)
        }
        _ => false,
    }
}

/// Whether a pre-tokenizer is a split by `regex`.
pub(super) fn is_split(part: &PreTokenizer, regex: &str, wanted: Behavior) -> bool {
    matches!(
        part,
        PreTokenizer::Split { pattern: Pattern::Regex(own), behavior, invert: false }
            if own == regex && *behavior == wanted
    )
}
