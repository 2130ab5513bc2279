//! The parts around a model, as `tokenizer.json` spells them.
//!
//! Each is a plain value; the modules below execute them. A kind that is not listed here is
//! refused by name where a file is read, never ignored.

pub mod added;
pub(crate) mod aligned;
pub(crate) mod chain;
pub mod decoder;
pub mod normalizer;
pub mod pieces;
pub mod post_processor;
pub mod pre_tokenizer;
pub(crate) mod replace;
pub(crate) mod runs;
pub mod sections;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use decoder::Decoder;
pub use normalizer::{Normalizer, Rewriter, Unicode};
pub use pre_tokenizer::{Behavior, Metaspace, PreTokenizer, PrependScheme};
pub use sections::{Padding, Truncation};

use crate::error::{Error, Result};

/// A component, or a list of them, from its JSON.
pub fn from_json<T: serde::de::DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(|error| Error::Format(format!("component: {error}")))
}

/// A token matched whole in the text, before merging.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the file")]
pub struct AddedToken {
    /// Its id.
    pub id: u32,
    /// The text that it matches.
    pub content: String,
    /// Match only where no word character stands before or after.
    pub single_word: bool,
    /// Swallow the white space before.
    pub lstrip: bool,
    /// Swallow the white space after.
    pub rstrip: bool,
    /// Match in the normalized text, not in the raw text.
    pub normalized: bool,
    /// A special token: matched only when the call asks for it.
    pub special: bool,
}

/// A special token with no other wishes.
pub(crate) fn special(id: u32, content: &str) -> AddedToken {
    AddedToken {
        id,
        content: content.to_owned(),
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
    }
}

/// What is searched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// The text itself.
    String(String),
    /// A regular expression.
    Regex(String),
}

/// The byte level, in three slots with the same fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByteLevel {
    /// Put a space before text that does not begin with one.
    pub add_prefix_space: bool,
    /// Keep blanks out of offsets.
    pub trim_offsets: bool,
    /// Split with GPT-2's pattern.
    #[serde(default = "yes")]
    pub use_regex: bool,
}

impl ByteLevel {
    /// The byte level that only changes the alphabet.
    pub fn alphabet_only() -> Self {
        Self { add_prefix_space: false, trim_offsets: true, use_regex: false }
    }
}

/// Puts begin and end ids around a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum PostProcessor {
    /// Changes offsets only.
    ByteLevel(ByteLevel),
    /// `<cls> a <sep>`, and `<cls> a <sep> <sep> b <sep>`.
    RobertaProcessing {
        /// The separator and its id.
        sep: (String, u32),
        /// The begin token and its id.
        cls: (String, u32),
        /// Keep blanks out of offsets.
        trim_offsets: bool,
        /// As the pre-tokenizer's.
        add_prefix_space: bool,
    },
    /// `[CLS] a [SEP]`, and `[CLS] a [SEP] b [SEP]`.
    BertProcessing {
        /// The separator and its id.
        sep: (String, u32),
        /// The begin token and its id.
        cls: (String, u32),
    },
    /// A template for one text and one for two.
    TemplateProcessing {
        /// For one text.
        single: Vec<Piece>,
        /// For two texts.
        pair: Vec<Piece>,
        /// What the names in the templates mean.
        #[serde(deserialize_with = "by_name")]
        special_tokens: BTreeMap<String, SpecialToken>,
    },
    /// One after the other.
    Sequence {
        /// The parts, in order.
        processors: Vec<PostProcessor>,
    },
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// Where the ids of a text go: `A` or `B`.
    Sequence {
        /// Which text.
        id: SequenceId,
        /// The type id of its tokens.
        type_id: u32,
    },
    /// A special token, by its name in the template's table.
    SpecialToken {
        /// The name.
        id: String,
        /// The type id of its tokens.
        type_id: u32,
    },
}

/// Which of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SequenceId {
    /// The first.
    A,
    /// The second.
    B,
}

/// What a template's name stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecialToken {
    /// The name, again.
    pub id: String,
    /// The ids that it writes.
    pub ids: Vec<u32>,
    /// The same as tokens.
    pub tokens: Vec<String>,
}

/// Special tokens by their names. Where one has another name within, it is left: templates use the names outside.
fn by_name<'de, D: serde::Deserializer<'de>>(
    tokens: D,
) -> std::result::Result<BTreeMap<String, SpecialToken>, D::Error> {
    let mut tokens = BTreeMap::<String, SpecialToken>::deserialize(tokens)?;
    for (name, token) in &mut tokens {
        token.id.clone_from(name);
    }
    Ok(tokens)
}

/// A number that everybody can count to, with 64 bits and a sign.
pub(crate) fn count<'de, D: serde::Deserializer<'de>>(
    number: D,
) -> std::result::Result<usize, D::Error> {
    let read = u64::deserialize(number)?;
    let small = i64::try_from(read).is_ok().then(|| usize::try_from(read).ok()).flatten();
    small.ok_or_else(|| {
        serde::de::Error::custom(format!("{read} is too large; give {} or less", i64::MAX))
    })
}

pub(crate) fn yes() -> bool {
    true
}
