//! What digram keeps under `model.digram`.

use serde::{Deserialize, Serialize};

use crate::components::PreTokenizer;
use crate::error::{Error, Result};
use crate::formats::cannot;
use crate::model::{Model, Order, Rule, Units};

/// What a `tokenizer.json` of Hugging Face has no place for.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extension {
    /// The rule, where it is not listed merges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleName>,
    /// Where the marker stands, if not attached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<MarkerName>,
    /// The units, where the pre-tokenizer does not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<UnitsName>,
    /// The record of training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<serde_json::Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RuleName {
    Ranks,
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

impl Extension {
    /// What a file must keep of `model`.
    pub fn of(model: &Model, training: Option<&serde_json::Value>) -> Result<Self> {
        let is_separate = model.end_of_word.as_ref().is_some_and(|end| !end.attached);
        let expected = units(model.pre_tokenizer.as_ref())?;
        Ok(Self {
            rule: match model.rule {
                Rule::Merges(_) => None,
                Rule::Ranks => Some(RuleName::Ranks),
                Rule::Greedy(Order::LongestFirst) => Some(RuleName::LongestFirst),
                Rule::Greedy(Order::LeftToRight) => Some(RuleName::LeftToRight),
            },
            marker: is_separate.then_some(MarkerName::Separate),
            units: (model.units != expected).then_some(match model.units {
                Units::Bytes => UnitsName::Bytes,
                Units::Chars => UnitsName::Chars,
            }),
            training: training.cloned(),
        })
    }

    /// What Hugging Face, which drops all this, would do otherwise. (By ranks it would not: the
    /// merges listed beside give the same ids.)
    pub fn differing(&self) -> Option<&'static str> {
        match (self.rule, self.marker, self.units) {
            (Some(RuleName::LongestFirst | RuleName::LeftToRight), ..) => Some("rule"),
            (_, Some(MarkerName::Separate), _) => Some("marker"),
            (.., Some(_)) => Some("units"),
            _ => None,
        }
    }

    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The units that a pre-tokenizer tells: bytes where it ends with the byte level.
pub(super) fn units(pre_tokenizer: Option<&PreTokenizer>) -> Result<Units> {
    let parts = pre_tokenizer.map(cannot::parts).unwrap_or_default();
    let is_byte_level = |part: &&PreTokenizer| matches!(part, PreTokenizer::ByteLevel(_));
    match parts.iter().position(is_byte_level) {
        None => Ok(Units::Chars),
        Some(last) if last + 1 == parts.len() => Ok(Units::Bytes),
        Some(position) => Err(Error::Format(format!(
            "pre_tokenizer: {} after ByteLevel is not supported",
            cannot::kind(parts[position + 1])
        ))),
    }
}
