//! Lines that were met before, with all their ids.
//!
//! What is encoded again mostly comes back line by line: the beginnings of prompts, what was said so far in a
//! chat, headers, templates. To look up a line takes a tenth of what its words take. But to remember one takes time
//! and memory, and most text is new. So of one line in four, told by its hash, some bits are kept; only
//! while most of these are there when they are looked for, lines are looked up and remembered.
//!
//! A line ends where its ids depend neither on what follows nor on what stands before (see
//! [`lined`](super::lined)); so they are the same wherever it stands.

use super::long::{Long, LongWords};
use super::spare::Spare;

/// Places for what is kept of lines.
const PLACES: usize = 1 << 15;
/// One line of two to the power of so many is looked for.
const ONE_OF_BITS: u32 = 2;
/// After so many it is told anew whether lines come back.
const ASKED: u32 = 16;
/// So many of them came back, if most did.
const MOST: u32 = 14;
/// How many bytes of lines there may be at first.
const FIRST: usize = 256 << 10;
/// How many there may be at most, if no table of words needs them first.
const MOST_BYTES: usize = 4 << 20;
/// How often it is not told anew, where there was no memory.
const RESTS: u32 = 2048;
/// Few were found if fewer than one of so many bytes that were missed.
const FEW: usize = 4;
/// And so few that those that stayed need not.
const FEW_THAT_STAY: usize = 8;
/// So many bytes of lines are not remembered where those that are there stay.
const LEFT_OUT: usize = 8 * MOST_BYTES;

/// What is known of the lines before.
#[derive(Default)]
pub struct Lines {
    /// Some bits of the hashes of lines, by others; empty before there are any.
    met: Vec<u16>,
    /// How many lines were looked for, and how many of them were there.
    asked: u32,
    back: u32,
    /// Whether most came back.
    expected: bool,
    /// How often it is not told anew.
    rests: u32,
    known: Option<Known>,
    /// Where the line begins of which not all was met.
    pub(super) next: usize,
    /// How many lines that are not known are encoded together.
    pub(super) together: usize,
    pub(super) ids: Vec<u32>,
}

/// The lines that are remembered.
struct Known {
    lines: LongWords,
    /// How many bytes of lines were found and not found since that was looked at last; and how many bytes those
    /// take, with their ids, that were remembered.
    found: usize,
    missed: usize,
    stored: usize,
    /// How many bytes are not remembered, as others stay; and whether that was so until now.
    left_out: usize,
    stayed: bool,
}

impl Known {
    /// No lines, if there is memory for some.
    fn new(spare: &mut Spare) -> Option<Self> {
        let lines = spare.take(FIRST).then(|| LongWords::growing([FIRST, MOST_BYTES]))?;
        Some(Self { lines, found: 0, missed: 0, stored: 0, left_out: 0, stayed: false })
    }

    /// Remembers a line that was not known; where there is room for no other, and as many were remembered as there is
    /// room for, it is looked at how many of them were found.
    fn remember(&mut self, line: Long, ids: &[u32], spare: &mut Spare) {
        self.missed += line.len();
        if self.left_out > 0 {
            self.left_out = self.left_out.saturating_sub(line.len());
            return;
        }
        self.stored += line.bytes_with(ids);
        if self.lines.put(line, ids, false, spare) {
            return;
        }
        if self.stayed || self.stored >= self.lines.room() {
            self.stayed = self.stay();
            (self.found, self.missed, self.stored) = (0, 0, 0);
        }
        if self.stayed {
            self.left_out = LEFT_OUT;
        } else {
            self.lines.put(line, ids, true, spare);
        }
    }

    /// Whether those that are there stay for long, where there is no room for another. What comes back in turn, and
    /// is more than there is room for, drives out all of it before it comes: then few are found.
    fn stay(&self) -> bool {
        if self.stayed {
            return self.found >= self.missed / FEW_THAT_STAY;
        }
        self.found < self.missed / FEW
    }
}

impl Lines {
    /// Whether lines are remembered, or may be once they come back: there is memory.
    pub fn may_be_known(&self, spare: &Spare) -> bool {
        self.known.is_some() || spare.has(FIRST)
    }

    /// Whether lines are looked up.
    pub fn are_expected(&self) -> bool {
        self.expected
    }

    /// Notes that a line was met, by its hash.
    #[inline]
    pub(super) fn note(&mut self, hash: u64, spare: &mut Spare) {
        if hash >> (u64::BITS - ONE_OF_BITS) == 0 {
            self.note_one(hash, spare);
        }
    }

    fn note_one(&mut self, hash: u64, spare: &mut Spare) {
        let bits = (hash >> 40) as u16 | 1;
        self.met.resize(PLACES, 0);
        let place = &mut self.met[hash as usize % PLACES];
        self.back += u32::from(std::mem::replace(place, bits) == bits);
        self.asked += 1;
        if self.asked == ASKED {
            self.tell(spare);
        }
    }

    /// Tells whether lines come back.
    #[cold]
    fn tell(&mut self, spare: &mut Spare) {
        let most = self.back >= MOST;
        (self.asked, self.back) = (0, 0);
        self.rests = self.rests.saturating_sub(1);
        if most && self.known.is_none() && self.rests == 0 {
            self.known = Known::new(spare);
            self.rests = if self.known.is_none() { RESTS } else { 0 };
        }
        self.expected = most && self.known.is_some() && self.rests == 0;
    }

    /// Appends the ids of a line, and tells whether they are known; notes that it was met if they are.
    pub(super) fn find(&mut self, line: Long, spare: &mut Spare) -> bool {
        let Some(known) = &mut self.known else { return false };
        if !known.lines.find(line, spare, &mut self.ids) {
            return false;
        }
        known.found += line.len();
        self.note(line.hash(), spare);
        true
    }

    pub(super) fn knows(&self, line: Long) -> bool {
        self.known.as_ref().is_some_and(|known| known.lines.knows(line))
    }

    /// Notes that lines were met that were not known, and remembers them: the ids of each end where `counts` say.
    pub(super) fn remember(&mut self, lines: &[Long], counts: &[usize], spare: &mut Spare) {
        let mut first = 0;
        for (nth, (&line, &end)) in lines.iter().zip(counts).enumerate() {
            self.note(line.hash(), spare);
            // one that is there twice is remembered once
            let is_first = lines[..nth].iter().all(|other| other.hash() != line.hash());
            if let Some(known) = self.known.as_mut().filter(|_| is_first) {
                known.remember(line, &self.ids[first..end], spare);
            }
            first = end;
        }
    }
}

#[cfg(test)]
mod tests;
