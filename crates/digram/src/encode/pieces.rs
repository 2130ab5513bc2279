//! The words of a text that are looked up together, and parts of words.

use std::ops::Range;

use super::long::Long;
use super::wide;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::Batch;

/// So many are soon dealt with, if few are new.
const SOME: usize = 1 << 16;

/// Words and parts of words, by where they lie in a text.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    /// Where each begins.
    pub starts: &'a [u32],
    /// Where each ends.
    pub ends: &'a [u32],
    /// Which are parts of words; empty where none is.
    pub parts: &'a [bool],
}

impl<'a> Pieces<'a> {
    /// The words of a batch.
    pub fn of(batch: &'a Batch) -> Self {
        Self { starts: batch.starts(), ends: batch.ends(), parts: &[] }
    }

    /// Those at `range`.
    pub fn slice(self, range: Range<usize>) -> Self {
        let Self { starts, ends, parts } = self;
        let parts = if parts.is_empty() { parts } else { &parts[range.clone()] };
        Self { starts: &starts[range.clone()], ends: &ends[range], parts }
    }

    /// Calls `take` with some of them after the other, where there are so many that it takes long.
    #[inline]
    pub fn each_some(
        self,
        monitor: &Monitor,
        mut take: impl FnMut(Self) -> Result<()>,
    ) -> Result<()> {
        let mut from = 0;
        while self.len() - from > SOME {
            take(self.slice(from..from + SOME))?;
            from += SOME;
            monitor.check()?;
        }
        take(self.slice(from..self.len()))
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.ends.len()
    }

    /// The text of one.
    pub fn text(self, text: &str, index: usize) -> &str {
        &text[self.starts[index] as usize..self.ends[index] as usize]
    }

    /// Its key where it has no room in the table; `None` where it is too long for one.
    #[expect(clippy::inline_always, reason = "the key goes by registers, not through memory")]
    #[inline(always)]
    pub fn wide_key(self, text: &str, index: usize) -> Option<wide::Key> {
        let (start, end) = (self.starts[index], self.ends[index]);
        wide::key(text.as_bytes(), start, end, self.is_part(index))
    }

    /// The same where it has no room in a wide slot either.
    pub fn long(self, text: &str, index: usize) -> Long<'_> {
        Long::new(self.text(text, index).as_bytes(), self.is_part(index))
    }

    /// Whether two are the same.
    pub fn are_same(self, text: &str, two: [u32; 2]) -> bool {
        let [one, other] = two.map(|index| index as usize);
        self.is_part(one) == self.is_part(other) && self.text(text, one) == self.text(text, other)
    }

    /// Whether it is a part of a word.
    pub fn is_part(self, index: usize) -> bool {
        self.parts.get(index).copied().unwrap_or(false)
    }
}
