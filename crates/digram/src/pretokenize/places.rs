//! Places where a word begins whatever stands before.
//!
//! In the patterns that word masks run, a letter is followed in its word by letters, marks and
//! contractions, never by a blank; and a newline is followed by blanks, newlines and slashes,
//! never by a letter. So a word begins between an ASCII letter and a space or a newline, and
//! between a newline and a letter. What words there are behind depends on that place alone.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Splitter;
use super::classes::classes;
use crate::arch::{class, generic};
use crate::components::normalizer;

/// More blanks than so many are not looked past.
const BLANKS: usize = 64;
/// Nor more signs at which no line ends: they may stand at every second place.
const SIGNS: usize = 16;
/// Where lines end.
static NEWLINE: Sign = Sign::new(|| Finder::new("\n"));
/// Where one ends if no newline is near.
static SPACE: Sign = Sign::new(|| Finder::new(" "));
/// The same of a text whose spaces are visible.
pub static VISIBLE_SPACE: Sign = Sign::new(|| Finder::new(normalizer::VISIBLE_SPACE));
/// What ends a sentence where no spaces do.
pub static STOP: Sign = Sign::new(|| Finder::new("。"));

/// What a line may end at, ready to be looked for.
pub type Sign = LazyLock<Finder<'static>>;

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

/// How many bytes a line has.
pub struct Bounds {
    /// At least.
    pub least: usize,
    /// How far a newline is looked for, before it ends elsewhere.
    pub near: usize,
    /// At most.
    pub most: usize,
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

    /// The line that begins at `from`, where a word does, with so many bytes as `bounds` say, and not beyond `limit`. It
    /// ends behind a newline, or elsewhere where none is near.
    ///
    /// Its words are the same in any text that goes on in such a way. Behind a newline, and blanks, a word begins where
    /// a sign or a letter does, but a slash, and no further newline does. Where the word of a newline ends with it, that
    /// is the line's end. Elsewhere the last blank, or newline, before the sign is no part of the word of those before.
    pub fn line(&self, text: &str, from: usize, bounds: &Bounds, limit: usize) -> Option<Line> {
        let [stage] = self.stages.as_slice() else { return None };
        let (_, rules) = stage.sweeps()?;
        let bytes = text.as_bytes();
        let behind = |newline: usize| {
            let first = newline + 1;
            let blanks =
                bytes[first..].iter().take(BLANKS).take_while(|&&byte| is_blank(byte)).count();
            let next = first + blanks;
            let end = if rules.lines { first } else { next - 1 };
            let seen = text.ceil_char_boundary(next + 1);
            is_sign_or_letter(bytes, next, blanks > 0).then_some(Line { end, seen })
        };
        let before = |end: usize| {
            let letter = text.floor_char_boundary(end - 1);
            let seen = text.ceil_char_boundary(end + 1);
            (class_at(bytes, letter) & class::LETTER != 0).then_some(Line { end, seen })
        };
        line_of(text, (from, limit), bounds, behind, ([&SPACE, &STOP], before))
    }
}

/// The line from a place on and up to another that `behind` finds at a newline, if one is near; or `before` finds at one of
/// some signs.
pub fn line_of(
    text: &str,
    (from, limit): (usize, usize),
    bounds: &Bounds,
    behind: impl Fn(usize) -> Option<Line>,
    (signs, before): ([&Sign; 2], impl Fn(usize) -> Option<Line>),
) -> Option<Line> {
    let [to, near] = [bounds.most, bounds.near].map(|bytes| limit.min(from + bytes));
    let ends = from + bounds.least..=to;
    let start = from + bounds.least - 1;
    if let Some(line) = line_at(text, (start, near), &NEWLINE, &ends, behind) {
        return Some(line);
    }
    // where the text goes on, a newline may be near
    let (near, to) = (near < to).then_some((near, to))?;
    let [first, second] = signs;
    let line = line_at(text, (near, to), first, &ends, &before);
    let to = line.as_ref().map_or(to, |line| line.end);
    line_at(text, (near, to), second, &ends, &before).or(line)
}

/// The line that `told` finds at one of the first of some signs, if it ends there.
fn line_at(
    text: &str,
    (mut from, to): (usize, usize),
    sign: &Sign,
    ends: &RangeInclusive<usize>,
    told: impl Fn(usize) -> Option<Line>,
) -> Option<Line> {
    for _ in 0..SIGNS {
        let place = from + sign.find(text.as_bytes().get(from..to)?)?;
        if let Some(line) = told(place).filter(|line| ends.contains(&line.end)) {
            return Some(line);
        }
        from = place + sign.needle().len();
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
