//! Normalizers: what they are. [`Rewriter`] has them ready to run.

mod align;
mod bert;
mod charsmap;
mod forms;
mod lower;
mod plain;
mod rewriter;
mod sentencepiece;
mod spots;
mod touched;

use serde::{Deserialize, Serialize};

use super::Pattern;
pub use charsmap::{Rules, Table, named as named_rules, written as table_of};
pub use forms::Unicode;
pub use rewriter::Rewriter;
pub use sentencepiece::SentencePiece;
pub use sentencepiece::VISIBLE_SPACE;

/// Changes text before it is split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Normalizer {
    /// Canonical composition.
    NFC,
    /// Canonical decomposition.
    NFD,
    /// Compatibility decomposition, then composition.
    NFKC,
    /// Compatibility decomposition.
    NFKD,
    /// Lower case, character by character.
    Lowercase,
    /// Remove white space at the ends.
    Strip {
        /// At the beginning.
        strip_left: bool,
        /// At the end.
        strip_right: bool,
    },
    /// Remove combining marks.
    StripAccents,
    /// Remove control characters, and make the various blanks spaces.
    Nmt,
    /// Write each byte as a character, by GPT-2's alphabet.
    ByteLevel,
    /// What BERT does to text.
    BertNormalizer {
        /// Remove control characters, and make blanks spaces.
        clean_text: bool,
        /// Put spaces around ideographs.
        handle_chinese_chars: bool,
        /// Remove accents; unless told, where the text is lowercased.
        strip_accents: Option<bool>,
        /// Lower case, character by character.
        lowercase: bool,
    },
    /// Replace what is found.
    Replace {
        /// What is searched for.
        pattern: Pattern,
        /// What stands there instead.
        content: String,
    },
    /// Put a text before, unless there is nothing.
    Prepend {
        /// What is put before.
        prepend: String,
    },
    /// The table of a `SentencePiece` model.
    Precompiled {
        /// The table; in JSON it is base64.
        precompiled_charsmap: Table,
    },
    /// All that a `SentencePiece` model does to text.
    SentencePiece(SentencePiece),
    /// One after the other.
    Sequence {
        /// The parts, in order.
        normalizers: Vec<Normalizer>,
    },
}

impl Normalizer {
    /// Whether what it does depends on the version of Unicode.
    pub fn depends_on_unicode(&self) -> bool {
        match self {
            Self::NFC | Self::NFD | Self::NFKC | Self::NFKD | Self::StripAccents => true,
            Self::Sequence { normalizers } => normalizers.iter().any(Self::depends_on_unicode),
            _ => false,
        }
    }

    /// Whether it leaves none of a character, as it is replaced by something else.
    pub fn removes(&self, character: char) -> bool {
        match self {
            Self::Replace { pattern: Pattern::String(text), content } => {
                text.chars().eq([character]) && !content.contains(character)
            }
            Self::Sequence { normalizers } => normalizers.iter().fold(false, |removed, part| {
                part.removes(character) || removed && part.cannot_add(character)
            }),
            _ => false,
        }
    }

    /// Whether it certainly puts no such character into a text that has none.
    fn cannot_add(&self, character: char) -> bool {
        match self {
            Self::Replace { content, .. } => !content.contains(character),
            Self::Prepend { prepend } => !prepend.contains(character),
            _ => false,
        }
    }

    /// Whether it spells text in GPT-2's alphabet.
    pub fn spells(&self) -> bool {
        match self {
            Self::ByteLevel => true,
            Self::Sequence { normalizers } => normalizers.iter().any(Self::spells),
            _ => false,
        }
    }
}
