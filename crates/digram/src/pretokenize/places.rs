//! Places where a word begins whatever stands before.
//!
//! In the patterns that word masks run, a letter is followed in its word by letters, marks and
//! contractions, never by a blank; and a newline is followed by blanks, newlines and slashes,
//! never by a letter. So a word begins between an ASCII letter and a space or a newline, and
//! between a newline and a letter. What words there are behind depends on that place alone.

use super::Splitter;
use super::classes::classes;
use crate::arch::{class, generic};

impl Splitter {
    /// Whether the pattern tells such places, and they are places of the text as it was given.
    pub fn tells_certain_places(&self) -> bool {
        self.rewriting.is_empty()
            && matches!(self.stages.as_slice(), [stage] if stage.sweeps().is_some())
    }

    /// The first place in `from..to` where a word of `text` begins for certain; `None` where there
    /// is none, or the pattern does not tell.
    pub fn certain_place(&self, text: &str, from: usize, to: usize) -> Option<usize> {
        let [stage] = self.stages.as_slice() else { return None };
        stage.sweeps()?;
        let bytes = text.as_bytes();
        (from.max(1)..to).find(|&place| match (bytes[place - 1], bytes[place]) {
            (before, b' ' | b'\n') => before.is_ascii_alphabetic(),
            (b'\n', _) => class_at(bytes, place) & class::LETTER != 0,
            _ => false,
        })
    }
}

/// The class of the character that begins at `place`.
fn class_at(bytes: &[u8], place: usize) -> u8 {
    if bytes[place].is_ascii() {
        return classes().ascii[usize::from(bytes[place])];
    }
    let mut character = [0; 4];
    let rest = &bytes[place..];
    let length = rest.len().min(4);
    character[..length].copy_from_slice(&rest[..length]);
    generic::class_of(classes(), u32::from_be_bytes(character))
}
