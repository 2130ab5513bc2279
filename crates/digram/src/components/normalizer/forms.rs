//! The normal forms, by the tables of two versions of Unicode.
//!
//! Hugging Face normalizes by Unicode 9, and what it has made must be read so; what is made anew
//! follows the version that the classes of patterns follow.

use serde::{Deserialize, Serialize};
use unicode_normalization as current;
use unicode_normalization_alignments as nine;

use super::Normalizer;

/// A version of Unicode, as far as normal forms depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unicode {
    /// The version of Hugging Face's normalizers.
    #[serde(rename = "9.0")]
    Nine,
    /// The version of digram's classes.
    #[default]
    #[serde(rename = "16.0")]
    Sixteen,
}

/// The characters as a text, up to the first beyond `most` bytes.
fn collected(characters: impl Iterator<Item = char>, most: usize) -> String {
    let mut text = String::new();
    for character in characters {
        text.push(character);
        if text.len() > most {
            break;
        }
    }
    text
}

/// A function that writes a normal form of a text, or `None` where the text is in it already.
macro_rules! form {
    ($name:ident, $quick:ident, $doc:literal) => {
        #[doc = $doc]
        pub(super) fn $name(self, text: &str, most: usize) -> Option<String> {
            // ASCII is in every normal form.
            if text.is_ascii() {
                return None;
            }
            match self {
                Self::Nine => {
                    let quick = nine::$quick(text.chars());
                    let is_form = matches!(quick, nine::IsNormalized::Yes);
                    (!is_form).then(|| {
                        collected(nine::UnicodeNormalization::$name(text).map(|(c, _)| c), most)
                    })
                }
                Self::Sixteen => {
                    let quick = current::$quick(text.chars());
                    let is_form = matches!(quick, current::IsNormalized::Yes);
                    (!is_form).then(|| collected(current::UnicodeNormalization::$name(text), most))
                }
            }
        }
    };
}

impl Unicode {
    form!(nfc, is_nfc_quick, "Canonical composition.");
    form!(nfd, is_nfd_quick, "Canonical decomposition.");
    form!(nfkc, is_nfkc_quick, "Compatibility decomposition, then composition.");
    form!(nfkd, is_nfkd_quick, "Compatibility decomposition.");

    /// This version where a normalizer depends on it; where none does, there is one value.
    #[must_use]
    pub fn where_needed(self, normalizer: Option<&Normalizer>) -> Self {
        let depends = normalizer.is_some_and(Normalizer::depends_on_unicode);
        if depends { self } else { Self::default() }
    }

    /// Whether a character is a combining mark.
    pub(super) fn is_mark(self, character: char) -> bool {
        match self {
            Self::Nine => nine::char::is_combining_mark(character),
            Self::Sixteen => current::char::is_combining_mark(character),
        }
    }
}
