//! Normalizers at work.
//!
//! A file says only `NFC`; the tables behind that name are Hugging Face's, of Unicode 9, and the
//! ids of every model that was trained through them depend on it. So a normal form means those
//! tables here, in files and in training alike: characters assigned later are left as they are.

use std::borrow::Cow;

use unicode_normalization::IsNormalized;
use unicode_normalization::{is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick};
use unicode_normalization_alignments::UnicodeNormalization;

use super::Normalizer;

impl Normalizer {
    /// The text, normalized; borrowed where nothing changes.
    pub fn normalize<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self {
            Self::Lowercase => lowercase(text),
            Self::Sequence { normalizers } => {
                let mut current = Cow::Borrowed(text);
                for normalizer in normalizers {
                    if let Cow::Owned(changed) = normalizer.normalize(&current) {
                        current = Cow::Owned(changed);
                    }
                }
                current
            }
            // ASCII is in every normal form already.
            _ if text.is_ascii() => Cow::Borrowed(text),
            Self::NFC => form(text, is_nfc_quick, |text| text.nfc().map(first).collect()),
            Self::NFD => form(text, is_nfd_quick, |text| text.nfd().map(first).collect()),
            Self::NFKC => form(text, is_nfkc_quick, |text| text.nfkc().map(first).collect()),
            Self::NFKD => form(text, is_nfkd_quick, |text| text.nfkd().map(first).collect()),
        }
    }
}

/// Normalizes what is not in the form yet.
///
/// The quick check knows a newer Unicode. By Unicode's stability policy, what is in a form by the
/// newer tables is in it by the older: they know fewer compositions and fewer classes of marks.
fn form<'a>(
    text: &'a str,
    quick: impl Fn(std::str::Chars<'a>) -> IsNormalized,
    normalize: impl Fn(&'a str) -> String,
) -> Cow<'a, str> {
    match quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(normalize(text)),
    }
}

/// The character, without the note of how it came about.
fn first((character, _): (char, isize)) -> char {
    character
}

/// Character by character: no final sigma, as Hugging Face has it.
fn lowercase(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| character.to_lowercase().eq([character])) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).collect())
}
