//! The words that a thread meets again and again, in front of all the others.
//!
//! A word has one place in this table, which stays in the second-level cache. A word that is there
//! is counted there; one that is not takes the place, and what was counted of the word before it
//! goes on to the table behind. Sums are sums in whatever parts they are added up, so nobody can
//! observe which words met here.
//!
//! As in encoding, a batch of words goes through several loops, so that nothing that one word
//! waits for holds up the next.

use super::short::{Short, ShortWords};
use crate::encode::table::{Key, TOO_LONG, fold, key};

/// Places: 512 KiB.
const PLACES: usize = 1 << 14;
/// How many words go through the loops together.
const MOST: usize = 1024;

/// The table, empty until the first word.
#[derive(Default)]
pub(super) struct Hot {
    slots: Vec<Short>,
    keys: Vec<Key>,
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
            self.slots = vec![Short::default(); PLACES];
            self.keys = vec![0; MOST];
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
        let keys = &mut self.keys[..found.starts.len()];
        for (kept, (&start, &end)) in keys.iter_mut().zip(found.starts.iter().zip(found.ends)) {
            *kept = key(found.text, start, end);
        }
        let slots = &mut self.slots[..PLACES];
        let missing = &mut self.missing[..MOST];
        let mut count = 0;
        for (index, &key) in keys.iter().enumerate() {
            let slot = &mut slots[home(key)];
            let same = slot.key == key;
            slot.count = slot.count.wrapping_add(u64::from(same));
            missing[count] = index as u32;
            count += usize::from(!same);
        }
        count
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
            let slot = &mut self.slots[home(key)];
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
        size_of_val(self.slots.as_slice()) + size_of_val(self.keys.as_slice())
    }

    /// Hands all words on, and holds none.
    pub fn flush(&mut self, behind: &mut ShortWords) {
        for word in self.slots.drain(..).filter(|word| word.key != 0) {
            behind.add(word);
        }
    }
}

fn home(key: Key) -> usize {
    fold(key) as usize % PLACES
}
