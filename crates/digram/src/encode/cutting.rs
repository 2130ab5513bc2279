//! Long words, cut where no merge crosses: their parts are looked up as words are.

use std::ops::{BitOr, Range};

use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use super::words::MOST;
use super::{Tokenizer, stretches};
use crate::error::Result;
use crate::merge;
use crate::merge::cut::{Cuts, MIN_CUT};
use crate::monitor::Monitor;

/// How many words are looked at together for a long one.
const CHUNK: usize = 32;

/// Words, and the parts of those that are cut.
#[derive(Default)]
pub(super) struct Parts {
    pub starts: Vec<u32>,
    ends: Vec<u32>,
    cut: Vec<bool>,
}

impl Parts {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.cut.clear();
    }

    /// Adds words as they are.
    pub fn extend(&mut self, words: Pieces) {
        self.starts.extend_from_slice(words.starts);
        self.ends.extend_from_slice(words.ends);
        self.cut.resize(self.ends.len(), false);
    }

    /// Adds the parts of a word, which begins at `start`, from `position` on, but not more than
    /// are looked up together; returns where to go on.
    pub fn add_cut(&mut self, word: &str, start: usize, position: usize, cuts: &Cuts) -> usize {
        let first = self.ends.len();
        // no more parts than bytes
        self.ends.resize(first + (word.len() - position).min(MOST.saturating_sub(first)), 0);
        let (begun, moved) = ((start + position) as u32, start as u32);
        let count = cuts.ends_of_parts(word, position, moved, &mut self.ends[first..]);
        self.ends.truncate(first + count);
        let Some((&last, inner)) = self.ends[first..].split_last() else { return position };
        self.starts.push(begun);
        self.starts.extend_from_slice(inner);
        self.cut.resize(first + count, true);
        last as usize - start
    }

    /// Leaves out the parts behind a cut, if one ends there; returns it.
    fn keep_before(&mut self, cut: usize) -> Option<usize> {
        let kept = self.ends.binary_search(&(cut as u32)).ok()? + 1;
        self.starts.truncate(kept);
        self.ends.truncate(kept);
        self.cut.truncate(kept);
        Some(cut)
    }

    pub fn pieces(&self) -> Pieces<'_> {
        Pieces { starts: &self.starts, ends: &self.ends, parts: &self.cut }
    }
}

impl Tokenizer {
    /// Adds the parts of a long word, and encodes them once they are many.
    pub(super) fn cut_word(
        &self,
        (text, span): (&str, Range<usize>),
        cuts: &Cuts,
        parts: &mut Parts,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let (word, start) = (&text[span.clone()], span.start);
        let workers = stretches::useful(word.len(), scratch.workers);
        let is_apart = workers > 1 || self.has_lines_of_parts(word, scratch);
        if is_apart && merge::whole(word, &self.model).is_none() {
            self.look_up(text, parts.pieces(), scratch, sink, monitor)?;
            parts.clear();
            if workers > 1 {
                return self.encode_parts_at_once(word, workers, cuts, sink, monitor);
            }
            return self.encode_parts(word, cuts, parts, scratch, sink, monitor);
        }
        let mut position = 0;
        while position < word.len() {
            let (begun, before) = (position, parts.ends.len());
            position = parts.add_cut(word, start, position, cuts);
            if begun == 0 && position == word.len() && parts.ends.len() == before + 1 {
                // it is a word, which may be taken whole: no token is ever cut
                parts.cut[before] = false;
            }
            if parts.starts.len() >= MOST {
                monitor.check()?;
                self.look_up(text, parts.pieces(), scratch, sink, monitor)?;
                parts.clear();
            }
        }
        Ok(())
    }

    /// Encodes a stretch between two cuts of a long word, or lines of it if they come back. Nothing is left in `parts`.
    pub(super) fn encode_parts(
        &self,
        stretch: &str,
        cuts: &Cuts,
        parts: &mut Parts,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut position = 0;
        while position < stretch.len() {
            monitor.check()?;
            let before = position;
            position =
                self.advance_by_lines_of_parts(stretch, before, cuts, scratch, sink, monitor)?;
            if position == before {
                position = parts.add_cut(stretch, 0, before, cuts);
                let span = (before, position);
                if let Some(line) = self.note_lines_of_parts(stretch, span, cuts, scratch) {
                    position = parts.keep_before(line).unwrap_or(position);
                }
                self.look_up(stretch, parts.pieces(), scratch, sink, monitor)?;
                parts.clear();
            }
            self.exchange(scratch, false);
        }
        Ok(())
    }
}

/// The next word from `from` on that is long enough to be cut, and is.
#[inline]
pub(super) fn next_long(
    words: Pieces,
    from: usize,
    is_cut: impl Fn(Range<usize>) -> bool,
) -> Option<usize> {
    let mut from = from;
    while from < words.len() {
        let to = words.len().min(from + CHUNK);
        let (starts, ends) = (&words.starts[from..to], &words.ends[from..to]);
        // one is so long exactly if one has a bit as high, and that is told for many at once
        let lengths = starts.iter().zip(ends).map(|(start, end)| end.wrapping_sub(*start));
        if lengths.fold(0, BitOr::bitor) as usize >= MIN_CUT {
            let found = starts.iter().zip(ends).position(|(&start, &end)| {
                (end - start) as usize >= MIN_CUT && is_cut(start as usize..end as usize)
            });
            if let Some(at) = found {
                return Some(from + at);
            }
        }
        from = to;
    }
    None
}
