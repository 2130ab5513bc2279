//! Normalizers at work. The normal forms follow Unicode 16.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization};
use unicode_normalization::{is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick};

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
            Self::NFC => form(text, is_nfc_quick, |text| text.nfc().collect()),
            Self::NFD => form(text, is_nfd_quick, |text| text.nfd().collect()),
            Self::NFKC => form(text, is_nfkc_quick, |text| text.nfkc().collect()),
            Self::NFKD => form(text, is_nfkd_quick, |text| text.nfkd().collect()),
        }
    }
}

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

/// Character by character: no final sigma, as Hugging Face has it.
fn lowercase(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| character.to_lowercase().eq([character])) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().flat_map(char::to_lowercase).collect())
}
