//! One text, scanned from several places at once.
//!
//! A guessed scan begins at a cut, where a word need not begin. It holds its first pieces back.
//! The scan before it, once it is past the cut, goes on until it reaches a boundary that the
//! guessed scan found too: from there both are the same, so the guessed words count from there.

use super::hot::Found;
use super::tally::Tally;
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::pretokenize::{Batch, Outermost, SplitCache, Splitter};

/// Pieces that a guessed scan holds back: scans of real text meet within a few.
const HELD_BACK: usize = 4096;
/// Pieces between two looks at the monitor.
const PIECES_PER_CHECK: usize = 1024;

/// Words of short texts that are counted together.
const TOGETHER: usize = 1024;
/// Bytes that may be loaded behind a word.
const BEHIND: usize = 16;

/// What a thread needs while it scans.
#[derive(Default)]
pub(super) struct Room {
    split: SplitCache,
    batch: Batch,
    joined: Joined,
}

/// Short texts one behind the other, and where their words begin and end.
#[derive(Default)]
struct Joined {
    text: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
}

/// A scan of one text.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a> {
    pub splitter: &'a Splitter,
    pub text: &'a str,
    /// Where the text begins among all texts.
    pub place: u64,
    pub monitor: &'a Monitor<'a>,
}

/// Counts the words of short texts, each of them split on its own; `place` is that of the first
/// among all texts, and the others follow it.
///
/// What costs the same for any number of words is done for many texts at once.
pub(super) fn run_short<'a>(
    splitter: &Splitter,
    texts: impl Iterator<Item = &'a str>,
    mut place: u64,
    tally: &mut Tally,
    room: &mut Room,
    monitor: &Monitor,
) -> Result<()> {
    let Room { split, batch, joined } = room;
    for text in texts {
        let mut position = 0;
        while position < text.len() {
            position = splitter.fill(text, position, split, batch)?;
            joined.push_words(batch);
        }
        joined.text.extend_from_slice(text.as_bytes());
        if joined.starts.len() >= TOGETHER {
            monitor.check()?;
            place += joined.count(place, tally);
        }
    }
    joined.count(place, tally);
    Ok(())
}

impl Joined {
    /// Adds the words of a text that comes behind those here.
    fn push_words(&mut self, batch: &Batch) {
        let before = self.text.len() as u32;
        self.starts.extend(batch.starts().iter().map(|start| before + start));
        self.ends.extend(batch.ends().iter().map(|end| before + end));
    }

    /// Counts all words, and holds none; returns how many bytes the texts had.
    fn count(&mut self, place: u64, tally: &mut Tally) -> u64 {
        let length = self.text.len();
        self.text.resize(length + BEHIND, 0);
        let Self { text, starts, ends } = self;
        tally.add_all(Found { text, starts, ends, place });
        self.text.clear();
        self.starts.clear();
        self.ends.clear();
        length as u64
    }
}

/// What a guessed scan found.
pub(super) struct Part {
    /// Where the pieces held back begin.
    boundaries: Vec<usize>,
    /// Their words: where the piece begins, and the word's start and end.
    held: Vec<(usize, usize, usize)>,
    /// Where the pieces begin that were not held back.
    free: usize,
    /// Where the scan ended.
    end: usize,
    /// The words that were not held back.
    tally: Tally,
}

impl Scan<'_> {
    /// Counts the words of all pieces that begin in `from..to`; returns where the next begins.
    pub fn run(&self, from: usize, to: usize, tally: &mut Tally, room: &mut Room) -> Result<usize> {
        if from < to && self.splitter.words_are_apart() {
            return self.run_batches(from, to, tally, room);
        }
        let mut pieces = self.splitter.outermost(self.text);
        let (mut position, mut count) = (from, 0_usize);
        while position < to {
            count += 1;
            if count.is_multiple_of(PIECES_PER_CHECK) {
                self.monitor.check()?;
            }
            position = self.step(&mut pieces, position, tally, room)?;
        }
        Ok(position)
    }

    /// Does the same where each word is a piece, many at a time.
    ///
    /// Batches hold places of 32 bits, counted from `from`.
    fn run_batches(
        &self,
        from: usize,
        to: usize,
        tally: &mut Tally,
        room: &mut Room,
    ) -> Result<usize> {
        let end = self.text.floor_char_boundary(from.saturating_add(u32::MAX as usize));
        let text = &self.text[from..end];
        let place = self.place + from as u64;
        let (mut position, to) = (0, to - from);
        while position < to {
            self.monitor.check()?;
            let Room { split, batch, .. } = room;
            position = self.splitter.fill(text, position, split, batch)?;
            if position == text.len() && end < self.text.len() {
                return Err(too_long(from));
            }
            position = batch.keep_before(to);
            let (starts, ends) = (batch.starts(), batch.ends());
            tally.add_all(Found { text: text.as_bytes(), starts, ends, place });
        }
        Ok(from + position)
    }

    /// Counts the words of the piece at `position`; returns where the next begins.
    fn step(
        &self,
        pieces: &mut Outermost,
        position: usize,
        tally: &mut Tally,
        room: &mut Room,
    ) -> Result<usize> {
        pieces.step(position, &mut room.split, &mut |start, end| {
            self.count(start, end, tally);
            Ok(())
        })
    }

    /// Scans from a cut; `sure` where a piece is known to begin there.
    pub fn guess(&self, from: usize, to: usize, sure: bool) -> Result<Part> {
        let (mut tally, mut room) = (Tally::default(), Room::default());
        let (mut boundaries, mut held) = (Vec::new(), Vec::new());
        let (mut free, mut pieces) = (from, self.splitter.outermost(self.text));
        while !sure && free < to && boundaries.len() < HELD_BACK {
            boundaries.push(free);
            free = pieces.step(free, &mut room.split, &mut |start, end| {
                held.push((free, start, end));
                Ok(())
            })?;
        }
        let end = self.run(free, to, &mut tally, &mut room)?;
        Ok(Part { boundaries, held, free, end, tally })
    }

    /// Counts the words from `position` to the end of a guessed part that ends before `to`;
    /// returns where the next piece begins.
    pub fn join(&self, position: usize, to: usize, part: Part, total: &mut Tally) -> Result<usize> {
        let mut room = Room::default();
        let (mut position, mut pieces) = (position, self.splitter.outermost(self.text));
        while position < part.free && !part.has_boundary(position) {
            position = self.step(&mut pieces, position, total, &mut room)?;
        }
        if position > part.free {
            return self.run(position, to, total, &mut room);
        }
        for &(_, start, end) in part.held.iter().filter(|(piece, ..)| *piece >= position) {
            self.count(start, end, total);
        }
        total.merge(part.tally);
        Ok(part.end)
    }

    fn count(&self, start: usize, end: usize, tally: &mut Tally) {
        tally.add(&self.text.as_bytes()[start..end], self.place + start as u64);
    }
}

fn too_long(from: usize) -> Error {
    Error::Limit(format!(
        "a word behind byte {from} is longer than 2^32 - 1 bytes; choose a pattern that splits it"
    ))
}

impl Part {
    fn has_boundary(&self, position: usize) -> bool {
        self.boundaries.binary_search(&position).is_ok()
    }
}
