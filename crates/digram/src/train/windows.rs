//! A file of text in windows: stretches that are counted one after the other.
//!
//! A window ends where a word begins for certain, or a line; what was read behind that place
//! begins the next one. Where no such place is told the window grows, at the worst to the file.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memrchr;

use super::pipe;
use crate::arch::pages::advise_room;
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::pretokenize::Splitter;

/// Bytes that a window has about: enough work for all threads, and soon read.
pub(super) const WINDOW: usize = 8 << 20;

/// The first one is smaller: nothing is counted while it is read. Each is twice as large as the one
/// before, which takes longer to count than it to be read.
const FIRST: usize = WINDOW / 16;

/// Bytes that a character has at most.
const LONGEST_CHARACTER: usize = 4;

/// Where a text may be cut into windows.
pub(super) struct Cuts {
    splitter: Arc<Splitter>,
    /// Whether words can be told from a stretch of text.
    may_cut: bool,
    special_tokens: Vec<Vec<u8>>,
    /// What must be known behind a cut: a special token that begins before it, and a character.
    behind: usize,
}

impl Cuts {
    /// Where texts that are split so may be cut, if they are counted as they are.
    pub fn new(splitter: &Arc<Splitter>, as_is: bool, special_tokens: &[String]) -> Self {
        let longest = special_tokens.iter().map(String::len).max().unwrap_or(0);
        Self {
            splitter: Arc::clone(splitter),
            may_cut: as_is && splitter.tells_certain_places(),
            special_tokens: special_tokens.iter().map(|token| token.as_bytes().to_vec()).collect(),
            behind: longest + LONGEST_CHARACTER,
        }
    }

    /// A place in the last quarter of `text` that may go on: words before it are known, those
    /// behind it do not depend on what is before, and it is in no special token.
    pub fn place(&self, text: &str) -> Option<usize> {
        let to = text.len().checked_sub(self.behind).filter(|_| self.may_cut)?;
        let mut from = to / 4 * 3;
        loop {
            let place = self.splitter.certain_place(text, from, to)?;
            if !self.is_inside_special(text.as_bytes(), place) {
                return Some(place);
            }
            from = place + 1;
        }
    }

    fn is_inside_special(&self, text: &[u8], place: usize) -> bool {
        self.special_tokens.iter().any(|token| {
            let before = 1..token.len().min(place + 1);
            before.into_iter().any(|before| text[place - before..].starts_with(token))
        })
    }
}

/// A file being read.
pub(super) struct Windows<'a> {
    path: &'a Path,
    file: File,
    /// Whether there may be nothing to read yet.
    waits: bool,
    /// Where the next window begins in the file.
    start: u64,
    /// About how many bytes are read next.
    size: usize,
}

/// A stretch of text.
pub(super) struct Window {
    pub text: String,
    /// Where the next window begins; the file ends here if it is the text's end.
    pub to: usize,
    /// The beginning of a character that was not read to its end.
    rest: Vec<u8>,
    pub is_last: bool,
}

impl<'a> Windows<'a> {
    /// Opens a file.
    pub fn open(path: &'a Path) -> Result<Self> {
        let io = |source| Error::Io { path: path.into(), source };
        let waits = pipe::waits(path);
        let file = if waits { pipe::open(path) } else { File::open(path) }.map_err(io)?;
        Ok(Self { path, file, waits, start: 0, size: FIRST })
    }

    /// Reads the window behind `last`; `place` tells where a text may be cut. The memory of
    /// `spare` is used again.
    pub fn read(
        &mut self,
        last: Option<&Window>,
        spare: String,
        place: impl Fn(&str) -> Option<usize>,
        monitor: &Monitor,
    ) -> Result<Window> {
        let mut bytes = spare.into_bytes();
        bytes.clear();
        if let Some(last) = last {
            bytes.extend_from_slice(&last.text.as_bytes()[last.to..]);
            bytes.extend_from_slice(&last.rest);
            self.start += last.to as u64;
        }
        let mut wanted = self.size;
        self.size = WINDOW.min(2 * wanted);
        loop {
            monitor.check()?;
            let is_last = self.fill(&mut bytes, wanted, monitor)?;
            let rest = if is_last { Vec::new() } else { bytes.split_off(whole(&bytes)) };
            let text = String::from_utf8(bytes).map_err(|error| {
                let place = error.utf8_error().valid_up_to();
                self.not_utf8(place, error.as_bytes()[place])
            })?;
            let to = if is_last { Some(text.len()) } else { place(&text) };
            if let Some(to) = to {
                return Ok(Window { text, to, rest, is_last });
            }
            wanted = text.len();
            bytes = text.into_bytes();
            bytes.extend_from_slice(&rest);
        }
    }

    /// Reads `wanted` bytes more, or up to the end of the file; says whether it is reached.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize, monitor: &Monitor) -> Result<bool> {
        bytes.try_reserve(wanted).map_err(|_| {
            let held = bytes.len() + wanted;
            Error::Limit(format!("{}: {held} bytes do not fit into memory", self.path.display()))
        })?;
        advise_room(bytes);
        if self.waits {
            return self.fill_in_time(bytes, wanted, monitor);
        }
        let read = (&mut self.file).take(wanted as u64).read_to_end(bytes);
        let read = read.map_err(|source| Error::Io { path: self.path.into(), source })?;
        Ok(read < wanted)
    }

    /// The same where there may be nothing to read yet.
    fn fill_in_time(
        &mut self,
        bytes: &mut Vec<u8>,
        wanted: usize,
        monitor: &Monitor,
    ) -> Result<bool> {
        let mut end = bytes.len();
        bytes.resize(end + wanted, 0);
        loop {
            monitor.check()?;
            let read = pipe::read(&mut self.file, &mut bytes[end..]);
            let read = read.map_err(|source| Error::Io { path: self.path.into(), source })?;
            end += read.unwrap_or(0);
            if read == Some(0) || end == bytes.len() {
                let is_last = end < bytes.len();
                bytes.truncate(end);
                return Ok(is_last);
            }
        }
    }

    fn not_utf8(&self, place: usize, byte: u8) -> Error {
        Error::Value(format!(
            "{}: byte {} is 0x{byte:02X}, which is not UTF-8; convert the file to UTF-8 first",
            self.path.display(),
            self.start + place as u64,
        ))
    }
}

/// How many bytes there are before the character at the end that is not whole, if one is not.
fn whole(bytes: &[u8]) -> usize {
    let begins = |&back: &usize| back <= bytes.len() && bytes[bytes.len() - back] & 0xC0 != 0x80;
    let Some(back) = (1..=LONGEST_CHARACTER).find(begins) else { return bytes.len() };
    let place = bytes.len() - back;
    let length = match bytes[place] {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    if length > back { place } else { bytes.len() }
}

/// Behind the last line that ends in `text`.
pub(super) fn line_place(text: &str) -> Option<usize> {
    memrchr(b'\n', text.as_bytes()).map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::PreTokenizer;

    #[test]
    fn characters_that_are_not_whole_are_told_at_the_end() {
        let text = "aé漢😀";
        for end in 0..=text.len() {
            assert_eq!(whole(&text.as_bytes()[..end]), text.floor_char_boundary(end), "{end}");
        }
    }

    #[test]
    fn a_text_is_cut_where_a_word_begins_and_in_no_special_token() {
        let gpt2 = PreTokenizer::Split {
            pattern: crate::components::Pattern::Regex(crate::pretokenize::GPT2.into()),
            behavior: crate::components::Behavior::Isolated,
            invert: false,
        };
        let splitter = Arc::new(Splitter::new(Some(&gpt2)).expect("compiles"));
        let place = |specials: &[&str], text| {
            let specials: Vec<_> = specials.iter().map(|&token| token.to_owned()).collect();
            Cuts::new(&splitter, true, &specials).place(text)
        };
        let text = "a word and another one, and then some more";
        assert_eq!(place(&[], text), Some(27));
        assert_eq!(place(&["and"], text), Some(27));
        assert_eq!(place(&["x", "d t"], text), Some(32));
        assert_eq!(place(&["d t", "n s"], text), None);
        assert_eq!(Cuts::new(&splitter, false, &[]).place(text), None);
    }
}
