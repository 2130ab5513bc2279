//! Components from JSON, older spellings included.
//!
//! Fields that are not known are passed over, as Hugging Face passes over them. A component
//! whose type is missing, or not known, is told by its fields where Hugging Face tells it so.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use super::{anchors, escapes, for_others, repetitions};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// A slot of the file.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub name: &'static str,
    /// The field that its sequences keep their parts in.
    pub parts: &'static str,
    /// The types that are told by their fields, in the order in which Hugging Face tries them.
    pub told: &'static [(&'static str, &'static [&'static str])],
    /// Whether the fields go before the type that the file says.
    pub fields_first: bool,
}

pub(super) const NORMALIZER: Slot = Slot {
    name: "normalizer",
    parts: "normalizers",
    told: &[
        ("BertNormalizer", &["clean_text", "handle_chinese_chars", "lowercase"]),
        ("Strip", &["strip_left", "strip_right"]),
        ("Sequence", &["normalizers"]),
        ("Replace", &["pattern", "content"]),
        ("Prepend", &["prepend"]),
    ],
    fields_first: false,
};
pub(super) const PRE_TOKENIZER: Slot =
    Slot { name: "pre_tokenizer", parts: "pretokenizers", told: &[], fields_first: false };
pub(super) const POST_PROCESSOR: Slot = Slot {
    name: "post_processor",
    parts: "processors",
    told: &[
        ("RobertaProcessing", &["sep", "cls", "trim_offsets", "add_prefix_space"]),
        ("BertProcessing", &["sep", "cls"]),
        ("TemplateProcessing", &["single", "pair", "special_tokens"]),
    ],
    fields_first: true,
};
pub(super) const DECODER: Slot = Slot {
    name: "decoder",
    parts: "decoders",
    told: &[
        ("BPEDecoder", &["suffix"]),
        ("WordPiece", &["prefix", "cleanup"]),
        ("CTC", &["pad_token", "word_delimiter_token", "cleanup"]),
        ("Replace", &["pattern", "content"]),
        ("Strip", &["content", "start", "stop"]),
    ],
    fields_first: false,
};

impl Slot {
    /// The component of this slot. Fails where its type, or what a field says, is not supported.
    /// Patterns are read as the engine of others reads them, but for those that were `given` otherwise; `None`
    /// stands for a file that is not for others.
    pub fn read<T: DeserializeOwned>(
        self,
        described: Option<&RawValue>,
        given: Option<&BTreeMap<String, String>>,
        limits: &Limits,
    ) -> Result<Option<T>> {
        let Some(described) = described else { return Ok(None) };
        limits.check_json(described.get(), self.name)?;
        let mut described: Value = serde_json::from_str(described.get())
            .map_err(|error| Error::Format(format!("{}: {error}", self.name)))?;
        if let Some(given) = given {
            escapes::rewrite(&mut described);
            anchors::rewrite(&mut described);
            repetitions::rewrite(&mut described);
            for_others::restore(&mut described, given);
        }
        self.component(described).map(Some)
    }

    fn component<T: DeserializeOwned>(self, mut described: Value) -> Result<T> {
        self.tell::<T>(&mut described);
        let Some(kind) = described.get("type").and_then(Value::as_str).map(str::to_owned) else {
            return Err(Error::Format(format!("{}: it has no type", self.name)));
        };
        if let Some(parts) = described.get(self.parts).and_then(Value::as_array) {
            for part in parts {
                self.component::<T>(part.clone())?;
            }
        }
        T::deserialize(described).map_err(|error| {
            let message = error.to_string();
            let slot = self.name;
            Error::Format(if is_unknown(&message, &kind) {
                format!("{slot} of type '{kind}' is not supported")
            } else {
                format!("{slot} of type '{kind}': {message}")
            })
        })
    }

    /// Gives a type to a component, and to its parts, where the fields tell it.
    fn tell<T: DeserializeOwned>(self, described: &mut Value) {
        let kind = described.get("type").and_then(Value::as_str);
        let is_known = kind.is_some_and(|kind| {
            let error = T::deserialize(serde_json::json!({ "type": kind })).err();
            !error.is_some_and(|error| is_unknown(&error.to_string(), kind))
        });
        let Some(fields) = described.as_object_mut() else { return };
        let has = |needed: &&str| fields.contains_key(*needed);
        let told = self.told.iter().find(|(_, needed)| needed.iter().all(has));
        if let Some((kind, _)) = told.filter(|_| self.fields_first || !is_known) {
            fields.insert("type".into(), Value::from(*kind));
        }
        if let Some(parts) = fields.get_mut(self.parts).and_then(Value::as_array_mut) {
            for part in parts {
                self.tell::<T>(part);
            }
        }
    }
}

fn is_unknown(message: &str, kind: &str) -> bool {
    message.starts_with(&format!("unknown variant `{kind}`"))
}
