//! `tokenizer.json`: Hugging Face's file, and digram's own.
//!
//! What does not affect ids (the record of training, how a rule is called) is kept under
//! `model.digram`, which Hugging Face drops. A model that Hugging Face would encode differently
//! has the `model.type` `DigramBPE`, which it refuses.

mod anchors;
mod blocks;
mod classes;
mod components;
mod escapes;
mod extension;
mod file;
mod flags;
mod for_others;
mod named_classes;
mod oniguruma;
mod read;
mod repeated;
mod repetitions;
mod write;

pub(super) use file::{ById, Vocab};
pub(super) use read::read;
pub(super) use write::write;

/// Whether a file looks like this: a JSON object whose first value is no number.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    first_value(bytes).is_some_and(|value| !value.is_ascii_digit() && value != b'-')
}

/// The first byte of the first value of a JSON object.
pub(super) fn first_value(bytes: &[u8]) -> Option<u8> {
    let inside = bytes.trim_ascii_start().strip_prefix(b"{")?;
    let key = inside.trim_ascii_start().strip_prefix(b"\"")?;
    let mut is_escaped = false;
    let end = key.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    let value = key[end + 1..].trim_ascii_start().strip_prefix(b":")?;
    value.trim_ascii_start().first().copied()
}

/// The ids that Hugging Face gives to added tokens, whatever their ids in the file: the one that
/// the vocabulary has for the content, or else the next after as many as the vocabulary has.
fn added_ids<'a>(
    contents: impl Iterator<Item = &'a str>,
    vocabulary_size: usize,
    listed: impl Fn(&str) -> Option<u32>,
) -> Vec<u32> {
    let mut next = vocabulary_size as u32;
    let mut outside = || {
        next += 1;
        next - 1
    };
    contents.map(|content| listed(content).unwrap_or_else(&mut outside)).collect()
}

#[cfg(test)]
mod tests;
