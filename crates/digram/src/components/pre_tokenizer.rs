//! Pre-tokenizers: what they are. [`pretokenize`](crate::pretokenize) makes them ready to run.

use serde::{Deserialize, Serialize};

use super::{ByteLevel, Normalizer, Pattern};

/// What becomes of what a pre-tokenizer finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behavior {
    /// Matches are words, and so is what lies between.
    #[default]
    Isolated,
    /// Only what lies between is a word.
    Removed,
    /// A match goes with what lies before it; if that is a match, it is a word.
    MergedWithPrevious,
    /// A match goes with what lies behind it; if that is a match, it is a word.
    MergedWithNext,
    /// Matches that touch are one word, and what lies between is.
    Contiguous,
}

/// Splits text into words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum PreTokenizer {
    /// Work on bytes, spelled by GPT-2's alphabet; split with GPT-2's pattern if `use_regex`.
    ByteLevel(ByteLevel),
    /// Split by a pattern.
    Split {
        /// What is searched for.
        pattern: Pattern,
        /// What becomes of it.
        behavior: Behavior,
        /// Swap the roles of matches and of what lies between.
        invert: bool,
    },
    /// The matches of `\w+|[^\w\s]+`.
    Whitespace,
    /// What lies between blanks.
    WhitespaceSplit,
    /// What lies between blanks, and each punctuation character.
    BertPreTokenizer,
    /// Digits.
    Digits {
        /// Each is a word of its own.
        individual_digits: bool,
    },
    /// Punctuation characters.
    Punctuation {
        /// What becomes of them.
        #[serde(default)]
        behavior: Behavior,
    },
    /// What lies between occurrences of a character.
    CharDelimiterSplit {
        /// The character.
        delimiter: char,
    },
    /// Words of so many characters.
    FixedLength {
        /// How many.
        #[serde(default = "five", deserialize_with = "super::count")]
        length: usize,
    },
    /// Runs of one script; spaces go with the run before them.
    UnicodeScripts,
    /// Blanks become a visible character, which begins words.
    Metaspace(Metaspace),
    /// One after the other, each splitting the words of the one before.
    Sequence {
        /// The parts, in order.
        pretokenizers: Vec<PreTokenizer>,
    },
}

impl PreTokenizer {
    /// Whether it finds nothing in what `normalizer` leaves, as files of Gemma have it: they split at spaces,
    /// and have made each visible before.
    pub fn is_idle_behind(&self, normalizer: &Normalizer) -> bool {
        match self {
            Self::Split { pattern: Pattern::String(text), invert: false, .. } => {
                let mut characters = text.chars();
                let first = characters.next();
                characters.next().is_none() && first.is_some_and(|one| normalizer.removes(one))
            }
            Self::Sequence { pretokenizers } => {
                pretokenizers.iter().all(|part| part.is_idle_behind(normalizer))
            }
            _ => false,
        }
    }
}

/// The visible blank, in two slots with the same fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "MetaspaceFields")]
pub struct Metaspace {
    /// What stands for a space.
    pub replacement: char,
    /// Where one is put before.
    pub prepend_scheme: PrependScheme,
    /// Whether words begin at each.
    pub split: bool,
}

/// Where something is put before a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PrependScheme {
    /// Before the very first.
    First,
    /// Nowhere.
    Never,
    /// Before each.
    #[default]
    Always,
}

/// The fields of a [`Metaspace`], those of older files included.
#[derive(Deserialize)]
struct MetaspaceFields {
    replacement: char,
    #[serde(default)]
    prepend_scheme: PrependScheme,
    split: Option<bool>,
    add_prefix_space: Option<bool>,
    #[serde(rename = "str_rep")]
    _str_rep: Option<String>,
}

impl TryFrom<MetaspaceFields> for Metaspace {
    type Error = &'static str;

    fn try_from(fields: MetaspaceFields) -> Result<Self, Self::Error> {
        let MetaspaceFields { replacement, prepend_scheme, split, .. } = fields;
        if fields.add_prefix_space == Some(false) && prepend_scheme != PrependScheme::Never {
            return Err("add_prefix_space is false, and prepend_scheme is not \"never\"");
        }
        Ok(Self { replacement, prepend_scheme, split: split.unwrap_or(true) })
    }
}

fn five() -> usize {
    5
}

#[cfg(test)]
mod tests {
    use super::super::from_json;
    use super::*;

    #[test]
    fn a_split_at_what_is_replaced_is_idle() {
        let split = |pattern: &str, invert: bool| -> PreTokenizer {
            let behavior = "MergedWithPrevious";
            let split = serde_json::json!({"type": "Split", "pattern": {"String": pattern},
                "behavior": behavior, "invert": invert});
            from_json(&split.to_string()).expect("it is one")
        };
        let replace = |pattern: &str, content: &str| {
            format!(
                r#"{{"type": "Replace", "pattern": {{"String": "{pattern}"}}, "content": "{content}"}}"#
            )
        };
        let some = |parts: &[String]| {
            format!(r#"{{"type": "Sequence", "normalizers": [{}]}}"#, parts.join(", "))
        };
        let prepend = |text| format!(r#"{{"type": "Prepend", "prepend": "{text}"}}"#);
        let nfc = || r#"{"type": "NFC"}"#.to_owned();
        for (normalizer, is_idle) in [
            (replace(" ", "▁"), true),
            (replace(" ", "a b"), false),
            (replace("  ", "▁"), false),
            (replace("▁", " "), false),
            (nfc(), false),
            (some(&[nfc(), prepend("▁"), replace(" ", "▁")]), true),
            (some(&[replace(" ", "▁"), prepend("▁"), replace("a", "b")]), true),
            (some(&[replace(" ", "▁"), prepend(" ")]), false),
            (some(&[replace(" ", "▁"), replace("a", " ")]), false),
            (some(&[replace(" ", "▁"), nfc()]), false),
            (some(&[]), false),
        ] {
            let normalizer: Normalizer = from_json(&normalizer).expect("it is one");
            assert_eq!(split(" ", false).is_idle_behind(&normalizer), is_idle, "{normalizer:?}");
            for other in [split(" ", true), split("  ", false), split("", false)] {
                assert!(!other.is_idle_behind(&normalizer), "{other:?}");
            }
        }
    }
}
