//! Lines that were met before, with all their ids.
//!
//! What is encoded again mostly comes back line by line: the beginnings of prompts, what was said so far in a
//! chat, headers, templates. To look up a line takes a tenth of what its words take. But to remember one takes time
//! and memory, and most text is new. So of one line in two, told by its hash, and of the first ones of each text, some
//! bits are kept; only while most of these are there when they are looked for, or a text began with some, lines are
//! looked up and remembered.
//!
//! A line ends where its ids depend neither on what follows nor on what stands before (see
//! [`lined`](super::lined)); so they are the same wherever it stands.

use super::long::{Long, LongWords};
use super::spare::Spare;

/// Places for what is kept of lines, each for a few of them.
const PLACES: usize = 1 << 13;
/// How many: seldom so many that come back share a place.
const WAYS: usize = 4;
/// One line of two to the power of so many is looked for.
const ONE_OF_BITS: u32 = 1;
/// Most come back where so many of the last sixteen did.
const MOST: u32 = 14;
/// A text comes back, as far as its beginning tells, where so many did before a second of those that are looked for in any
/// case did not.
const BEGINNING: u32 = 4;
/// Or among so many of its first lines, all of which are looked for.
const FIRST_LINES: u32 = 6;
/// How many bytes of lines there may be at first.
const FIRST: usize = 256 << 10;
/// How many there may be at most, if no table of words needs them first.
const MOST_BYTES: usize = 4 << 20;
/// After so many it is looked again whether there is memory, where there was none.
const RESTS: u32 = 1 << 15;
/// Few were found if fewer than one of so many bytes that were missed.
const FEW: usize = 4;
/// And so few that those that stayed need not.
const FEW_THAT_STAY: usize = 8;
/// So many bytes of lines are not remembered where those that are there stay.
const LEFT_OUT: usize = 8 * MOST_BYTES;

/// What is known of the lines before.
#[derive(Default)]
pub struct Lines {
    /// Some bits of the hashes of lines, by others, the last ones first; empty before there are any.
    met: Vec<[u16; WAYS]>,
    /// Which of the last sixteen that were looked for were there, the last one the lowest.
    recent: u16,
    /// How many of this text were looked for, were there, and were not; `None` once that tells enough.
    begun: Option<[u32; 3]>,
    /// Whether the text came back, as far as its beginning tells, and no line since did not.
    begins: bool,
    /// Whether a line of it was known.
    found: bool,
    /// Whether lines are looked up.
    expected: bool,
    /// Before so many more it is not looked whether there is memory.
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

/// Whether a line is one of those that are looked for.
#[inline]
fn is_looked_for(hash: u64) -> bool {
    hash >> (u64::BITS - ONE_OF_BITS) == 0
}

/// Where it is looked for.
fn place(hash: u64) -> usize {
    hash as usize % PLACES
}

/// And what there is of it, never 0.
fn bits(hash: u64) -> u16 {
    (hash >> 40) as u16 | 1
}

/// Whether one is there; it is then, as the first, instead of the last.
fn replace(place: &mut [u16; WAYS], bits: u16) -> bool {
    let at = place.iter().position(|&other| other == bits);
    place[..=at.unwrap_or(WAYS - 1)].rotate_right(1);
    place[0] = bits;
    at.is_some()
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

    /// Whether a line that is not known may come back: if only the beginning of a text tells that lines do, one that was
    /// looked for and not there tells otherwise, and so does any behind those that were known.
    pub(super) fn may_come_back(&self, line: Long) -> bool {
        let is_untold = !self.found && !is_looked_for(line.hash());
        self.come_back() || is_untold || self.is_met(line)
    }

    /// Whether a line was met, as far as that is kept.
    fn is_met(&self, line: Long) -> bool {
        let place = self.met.get(place(line.hash()));
        place.is_some_and(|place| place.contains(&bits(line.hash())))
    }

    /// Whether most of the last lines did.
    fn come_back(&self) -> bool {
        self.recent.count_ones() >= MOST
    }

    /// Lines are not looked up: the one that comes was not there.
    pub(super) fn stop(&mut self) {
        (self.begins, self.expected) = (false, false);
    }

    /// A text begins, of which the first line may be asked for: lines are looked up if most of the last ones came back, or
    /// this one does.
    pub(super) fn begin<'a>(&mut self, first: impl FnOnce() -> Option<Long<'a>>) {
        (self.begun, self.found) = (Some([0; 3]), false);
        let come_back = self.come_back();
        let is_back = || self.known.is_some() && first().is_some_and(|line| self.is_met(line));
        self.begins = !come_back && is_back();
        self.expected = self.begins || self.expected && come_back;
    }

    /// Notes that a line was met, by its hash.
    #[inline]
    pub(super) fn note(&mut self, hash: u64, spare: &mut Spare) {
        if is_looked_for(hash) || self.begun.is_some() {
            self.note_one(hash, spare);
        }
    }

    fn note_one(&mut self, hash: u64, spare: &mut Spare) {
        self.met.resize(PLACES, [0; WAYS]);
        let is_back = replace(&mut self.met[place(hash)], bits(hash));
        if is_looked_for(hash) {
            self.recent = self.recent << 1 | u16::from(is_back);
            self.begins &= is_back;
        }
        if let Some([all, there, not]) = &mut self.begun {
            *all += 1;
            *there += u32::from(is_back);
            // any other was not noted, unless a text began with it
            *not += u32::from(!is_back && is_looked_for(hash));
            self.begins |= *there == BEGINNING;
            if self.begins || *not > 1 && *all >= FIRST_LINES {
                self.begun = None;
            }
        }
        self.rests = self.rests.saturating_sub(1);
        let expected = self.begins || self.come_back();
        self.expected = expected && (self.known.is_some() || self.finds_memory(spare));
    }

    /// Whether there is memory for lines.
    #[cold]
    fn finds_memory(&mut self, spare: &mut Spare) -> bool {
        if self.rests > 0 {
            return false;
        }
        self.known = Known::new(spare);
        self.rests = if self.known.is_none() { RESTS } else { 0 };
        self.known.is_some()
    }

    /// Appends the ids of a line, and tells whether they are known; notes that it was met if they are.
    pub(super) fn find(&mut self, line: Long, spare: &mut Spare) -> bool {
        let Some(known) = &mut self.known else { return false };
        if !known.lines.find(line, spare, &mut self.ids) {
            return false;
        }
        known.found += line.len();
        self.found = true;
        self.note(line.hash(), spare);
        true
    }

    pub(super) fn knows(&self, line: Long) -> bool {
        self.known.as_ref().is_some_and(|known| known.lines.knows(line))
    }

    /// Notes that lines were met that were not known, and remembers them: the ids of each end where `counts` say.
    pub(super) fn remember(&mut self, lines: &[Long], counts: &[usize], spare: &mut Spare) {
        let mut first = 0;
        for (&line, &end) in lines.iter().zip(counts) {
            self.note(line.hash(), spare);
            // one that is there twice is remembered once
            if let Some(known) = self.known.as_mut().filter(|known| !known.lines.knows(line)) {
                known.remember(line, &self.ids[first..end], spare);
            }
            first = end;
        }
    }
}

#[cfg(test)]
mod tests;
