//! The words that a thread meets again and again, in front of all the others.
//!
//! A word has one place in this table, which stays in the second-level cache. A word that is there
//! is counted there; one that is not takes the place, and what was counted of the word before it
//! goes on to the table behind. Sums are sums in whatever parts they are added up, so nobody can
//! observe which words met here.
//!
//! As in encoding, a batch of words goes through several loops, so that nothing that one word
//! waits for holds up the next.

use super::distinct::Distinct;
use super::short::{Short, ShortWords};
use crate::arch::Kernel;
use crate::arch::keys::{self, Key, Spans, TOO_LONG};
use crate::encode::table::fold;

/// Two to the power of so many places: 512 KiB.
const BITS: u32 = 14;
/// How many words go through the loops together.
const MOST: usize = 1024;

/// The table, empty until the first word.
#[derive(Default)]
pub(super) struct Hot {
    slots: Vec<Short>,
    keys: Vec<Key>,
    /// The place of each.
    homes: Vec<u32>,
    missing: Vec<u32>,
    /// Words that lost their places.
    out: Vec<Short>,
}

/// Words by where they begin and end in a text, which begins at `place` among all texts.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub text: &'a [u8],
    pub starts: &'a [u32],
    pub ends: &'a [u32],
    pub place: u64,
}

impl Hot {
    /// Counts words once each. Calls `long` with those that are too long for this table.
    pub fn count(&mut self, found: Found, behind: &mut ShortWords, mut long: impl FnMut(u32, u32)) {
        if self.slots.is_empty() {
            self.slots = vec![Short::default(); 1 << BITS];
            self.keys = vec![0; MOST];
            self.homes = vec![0; MOST];
            self.missing = vec![0; MOST];
        }
        for (starts, ends) in found.starts.chunks(MOST).zip(found.ends.chunks(MOST)) {
            let some = Found { starts, ends, ..found };
            let missing = self.hit(some);
            self.miss(missing, some, behind, &mut long);
            for word in self.out.drain(..) {
                behind.add(word);
            }
        }
    }

    /// Counts the words that are at their places; returns how many are not.
    fn hit(&mut self, found: Found) -> usize {
        let count = found.starts.len();
        let (keys, homes) = (&mut self.keys[..count], &mut self.homes[..count]);
        let Found { text, starts, ends, .. } = found;
        keys::keys(Kernel::chosen(), Spans { text, starts, ends, parts: &[] }, BITS, keys, homes);
        let (slots, words) = (&mut self.slots[..], &mut self.missing[..MOST]);
        let mut missing = 0;
        for index in 0..count {
            let slot = &mut slots[homes[index] as usize];
            let same = slot.key == keys[index];
            slot.count = slot.count.wrapping_add(u64::from(same));
            words[missing] = index as u32;
            missing += usize::from(!same);
        }
        missing
    }

    /// Gives the missing words their places.
    fn miss(
        &mut self,
        missing: usize,
        found: Found,
        behind: &ShortWords,
        long: &mut impl FnMut(u32, u32),
    ) {
        for &index in &self.missing[..missing] {
            let index = index as usize;
            let (key, start) = (self.keys[index], found.starts[index]);
            if key == TOO_LONG {
                long(start, found.ends[index]);
                continue;
            }
            let slot = &mut self.slots[self.homes[index] as usize];
            if slot.key == key {
                slot.count += 1;
                continue;
            }
            let first = found.place + u64::from(start);
            let old = std::mem::replace(slot, Short { key, count: 1, first });
            if old.key != 0 {
                behind.announce(old.key);
                self.out.push(old);
            }
        }
    }

    /// How many bytes the table takes.
    pub fn bytes(&self) -> usize {
        let words = size_of_val(self.keys.as_slice()) + size_of_val(self.homes.as_slice());
        size_of_val(self.slots.as_slice()) + words
    }

    /// Notes the words that are there, of which the table behind may not know.
    pub fn note(&self, distinct: &mut Distinct) {
        for word in self.slots.iter().filter(|word| word.key != 0) {
            distinct.note(fold(word.key));
        }
    }

    /// Hands all words on, and holds none.
    pub fn flush(&mut self, behind: &mut ShortWords) {
        for word in self.slots.drain(..).filter(|word| word.key != 0) {
            behind.add(word);
        }
    }
}
