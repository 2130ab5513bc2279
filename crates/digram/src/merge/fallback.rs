//! Byte fallback: the tokens `<0x00>` to `<0xFF>`, for characters that the vocabulary does not hold.

use super::pairs::NONE;
use crate::model::{Kind, Merge, Model, Scores};
use crate::vocabulary::Vocabulary;

/// The id of each byte's token. With the marker of a word's end it is none.
pub(crate) fn bytes(vocabulary: &Vocabulary) -> Box<[u32; 256]> {
    let mut ids = Box::new([NONE; 256]);
    let is_plain = |id| !vocabulary.added_only(id) && !vocabulary.ends_word(id);
    for (id, token) in vocabulary.iter().filter(|&(id, _)| is_plain(id)) {
        if let Some(byte) = byte_of(token) {
            ids[usize::from(byte)] = id;
        }
    }
    ids
}

/// The id of each byte's piece.
pub(super) fn bytes_of(model: &Model, scores: &Scores) -> Box<[u32; 256]> {
    let mut ids = Box::new([NONE; 256]);
    for id in scores.of_kind(Kind::Byte) {
        if let Some(byte) = byte_of(model.vocabulary.bytes(id)) {
            ids[usize::from(byte)] = id;
        }
    }
    ids
}

/// Whether a merge has to do with the token of a byte.
pub(crate) fn merge(vocabulary: &Vocabulary, merges: &[Merge]) -> bool {
    let is_byte = |id: u32| byte_of(vocabulary.bytes(id)).is_some();
    merges.iter().any(|merge| is_byte(merge.left) || is_byte(merge.right))
}

/// The token of a byte.
pub(crate) fn name_of(byte: u8) -> String {
    format!("<0x{byte:02X}>")
}

/// The byte that a token stands for. Its digits are two, and capital.
pub(crate) fn byte_of(token: &[u8]) -> Option<u8> {
    let digits = token.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.len() == 2)?;
    let is_digit = |c: char| c.is_ascii_digit() || ('A'..='F').contains(&c);
    if digits.chars().all(is_digit) { u8::from_str_radix(digits, 16).ok() } else { None }
}
