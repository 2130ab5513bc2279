//! Places where a word begins whatever stands before.
//!
//! In the patterns that word masks run, a letter is followed in its word by letters, marks and
//! contractions, never by a blank; and a newline is followed by blanks, newlines and slashes,
//! never by a letter. So a word begins between an ASCII letter and a space or a newline, and
//! between a newline and a letter. What words there are behind depends on that place alone.

use super::Splitter;
use super::classes::classes;
use crate::arch::{class, generic};

/// More blanks than so many are not looked past.
const BLANKS: usize = 64;
/// Nor more newlines at which no line ends: they may stand at every second place.
const NEWLINES: usize = 16;

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

/// A line, as far as words go.
pub struct Line {
    /// Where it ends.
    pub end: usize,
    /// Up to where a text must go for that to be told.
    pub seen: usize,
}

impl Splitter {
    /// Whether all of a text is one word.
    pub fn splits_nothing(&self) -> bool {
        self.stages.is_empty()
    }

    /// Whether [`line`](Self::line) tells lines.
    pub fn ends_lines(&self) -> bool {
        self.tells_certain_places()
    }

    /// The line that begins at `from`, where a word does: with so many bytes at least and at most, and not beyond
    /// `limit`. It ends behind a newline.
    ///
    /// Its words are the same whatever follows in a text. Behind a newline a word begins where a sign or a letter
    /// does, but a slash. Where a newline ends the word of the blanks before it, one begins with the blanks behind
    /// it too, if such a sign follows them: no further newline does.
    pub fn line(&self, text: &str, from: usize, bounds: [usize; 2], limit: usize) -> Option<Line> {
        let [stage] = self.stages.as_slice() else { return None };
        let (_, rules) = stage.sweeps()?;
        let bytes = text.as_bytes();
        behind_newline(text, from, bounds, limit, |end| {
            let blanks =
                bytes[end..].iter().take(BLANKS).take_while(|&&byte| is_blank(byte)).count();
            let next = end + blanks;
            if !(blanks == 0 || rules.lines) || !is_sign_or_letter(bytes, next, blanks > 0) {
                return None;
            }
            let seen = text.ceil_char_boundary(next + 1);
            Some(Line { end, seen })
        })
    }
}

/// The line that `line_at` finds at the end of a newline, so many bytes behind `from` at least and at most, and not
/// beyond `limit`; few newlines are asked for.
pub fn behind_newline(
    text: &str,
    from: usize,
    [least, most]: [usize; 2],
    limit: usize,
    line_at: impl Fn(usize) -> Option<Line>,
) -> Option<Line> {
    let (bytes, to) = (text.as_bytes(), limit.min(from + most));
    let mut at = from + least - 1;
    for _ in 0..NEWLINES {
        let end = at + memchr::memchr(b'\n', bytes.get(at..to)?)? + 1;
        if let Some(line) = line_at(end) {
            return Some(line);
        }
        at = end;
    }
    None
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Whether a sign of ASCII or a letter is there, but a slash only behind blanks.
fn is_sign_or_letter(bytes: &[u8], place: usize, behind_blanks: bool) -> bool {
    match bytes.get(place) {
        Some(b'/') => behind_blanks,
        Some(byte) if byte.is_ascii() => byte.is_ascii_graphic(),
        Some(_) => class_at(bytes, place) & class::LETTER != 0,
        None => false,
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
