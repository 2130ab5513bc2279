//! Words, many at a time: where each begins and ends.

use super::picking::Picking;
use super::table::Table;
use crate::arch::{self, BLOCK, Kernel};

/// How many words make a batch: their positions stay in the first-level cache.
pub const WORDS: usize = 1024;

/// The words of a stretch of text, in order.
///
/// Most pre-tokenizers leave no gaps: there a word begins where the one before it ends, and only
/// the borders are kept.
#[derive(Default)]
pub struct Batch {
    /// Where words end; the first entry is where the first word begins. Those behind `count` are
    /// room for more, so that it is not cleared for each batch.
    borders: Vec<u32>,
    /// How many borders there are.
    count: usize,
    /// Where words begin, if that is not where the one before ends.
    starts: Vec<u32>,
}

impl Batch {
    /// Where each word begins.
    pub fn starts(&self) -> &[u32] {
        if self.starts.is_empty() { &self.borders[..self.len()] } else { &self.starts }
    }

    /// Where each word ends.
    pub fn ends(&self) -> &[u32] {
        self.borders.get(1..self.count).unwrap_or_default()
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.count.saturating_sub(1)
    }

    /// Whether it is not full.
    pub fn has_room(&self) -> bool {
        self.len() < WORDS
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets the words that begin at `end` or behind it; returns where the first of them does.
    pub fn keep_before(&mut self, end: usize) -> usize {
        let kept = self.starts().partition_point(|&start| (start as usize) < end);
        if kept < self.len() {
            let next = self.starts()[kept] as usize;
            self.count = kept + 1;
            self.starts.truncate(kept);
            return next;
        }
        self.end()
    }

    /// Empties the batch; the next word begins at `start`, or behind it.
    pub fn begin(&mut self, start: usize) {
        self.starts.clear();
        self.count = 0;
        self.push_end(start);
    }

    /// Where the last word ends.
    pub(super) fn end(&self) -> usize {
        self.borders[self.count - 1] as usize
    }

    /// Whether there are no gaps, and the next word can begin here.
    pub(super) fn reaches(&self, start: usize) -> bool {
        self.starts.is_empty() && self.end() == start
    }

    /// Whether the words of another text may follow that begins here: there are gaps, or none yet.
    pub fn goes_on_at(&self, start: usize) -> bool {
        !self.starts.is_empty() || self.end() == start
    }

    /// Adds the word from the last border to this one.
    pub(super) fn push_end(&mut self, end: usize) {
        self.reserve(1);
        self.borders[self.count] = end as u32;
        self.count += 1;
    }

    /// Adds the words that end before each `character`, and returns where to go on.
    pub(super) fn fill_before(&mut self, character: char, text: &str, position: usize) -> usize {
        let mut position = position;
        while position < text.len() && self.len() < WORDS {
            let own =
                if text[position..].starts_with(character) { character.len_utf8() } else { 0 };
            let from = position + own;
            position = text[from..].find(character).map_or(text.len(), |at| from + at);
            self.push_end(position);
        }
        position
    }

    /// Adds the words that end at the bits of `ends`, the first of which means `position`.
    pub(super) fn extend(&mut self, kernel: Kernel, ends: &[u64], position: usize) {
        self.reserve(ends.len() * BLOCK);
        let room = &mut self.borders[self.count..];
        self.count += arch::flatten(kernel, ends, position as u32, room);
    }

    /// Adds the words of `text` that `table` finds in one pass, where `offset` is added to places.
    pub(super) fn pass(&mut self, table: &Table, text: &str, position: usize, offset: usize) {
        // a piece that must be done whole may need more than the batch is to have
        let room = WORDS.saturating_sub(self.len()).max(BLOCK);
        self.reserve(room);
        let ends = &mut self.borders[self.count..][..room];
        let count = table.pass(text.as_bytes(), position, ends);
        ends[..count].iter_mut().for_each(|end| *end += offset as u32);
        self.count += count;
    }

    /// Adds the words of `text` that `picking` finds in one pass from `position` on; returns where to go on.
    pub(super) fn pick(&mut self, picking: &Picking, text: &str, position: usize) -> usize {
        let words = self.len();
        let room = WORDS.saturating_sub(words).max(1);
        self.reserve(room);
        if self.starts.is_empty() {
            self.starts.extend_from_slice(&self.borders[..words]);
        }
        self.starts.resize(words + room + 1, 0);
        let ends = &mut self.borders[self.count..][..room];
        let picked = picking.pick(text.as_bytes(), position, &mut self.starts[words..], ends);
        self.count += picked.words;
        self.starts.truncate(words + picked.words);
        picked.position
    }

    fn reserve(&mut self, more: usize) {
        if self.borders.len() < self.count + more {
            self.borders.resize((self.count + more).next_power_of_two(), 0);
        }
    }

    /// Adds a word.
    pub(super) fn push(&mut self, start: usize, end: usize) {
        let (start, end) = (start as u32, end as u32);
        if !self.starts.is_empty() {
            self.starts.push(start);
        } else if self.borders[self.count - 1] != start {
            self.starts.extend_from_slice(&self.borders[..self.count - 1]);
            self.starts.push(start);
        }
        self.push_end(end as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places_with_gaps_and_without() {
        for gap in [0, 1] {
            let mut batch = Batch::default();
            batch.begin(5);
            assert!(batch.is_empty());
            let words = [(5, 7), (7 + gap, 9), (9 + gap, 10)];
            for (start, end) in words {
                batch.push(start, end);
            }
            let read: Vec<_> = batch.starts().iter().zip(batch.ends()).collect();
            let told: Vec<_> = words.map(|(start, end)| (start as u32, end as u32)).to_vec();
            assert_eq!(read, told.iter().map(|(start, end)| (start, end)).collect::<Vec<_>>());
        }
    }
}
