//! What digram keeps under `model.digram`.

use serde::{Deserialize, Serialize};

use crate::components::{Normalizer, PreTokenizer, Unicode};
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
    /// The version of Unicode that the normalizer follows, where it is not Hugging Face's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unicode: Option<Unicode>,
    /// What becomes of characters that are not in the vocabulary, where it is not Hugging Face's
    /// way, to leave them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<UnknownName>,
    /// The record of training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<serde_json::Value>,
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
    pub fn of(model: &Model, training: Option<&serde_json::Value>) -> Self {
        let is_separate = model.end_of_word.as_ref().is_some_and(|end| !end.attached);
        let expected = told(model);
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
            training: training.cloned(),
        }
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

/// What the file that is written for a model tells about its units.
fn told(model: &Model) -> Told {
    let looks_at_characters = model.byte_fallback || model.continuing_prefix.is_some();
    Told::of(model.normalizer.as_ref(), model.pre_tokenizer.as_ref(), looks_at_characters)
}
