//! Counts of words of up to 15 bytes.
//!
//! Such a word is a number (see [`encode::table`](crate::encode::table)), so a table of them holds
//! no references: two words are compared in one step, and a table that is full is copied to one
//! of twice the size without looking at any text.

use crate::arch::prefetch::prefetch;
use crate::encode::table::{Key, fold};

/// A word, how often it was seen, and where first. The key 0, which no word has, means no word.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
pub(super) struct Short {
    pub key: Key,
    pub count: u64,
    pub first: u64,
}

/// Slots of the smallest table.
const LEAST: usize = 1 << 10;
/// Of so many slots five are used at most: words are then found some two slots from their place.
const FULL: usize = 8;
/// How many words ahead of the one being added memory is asked for.
const AHEAD: usize = 16;

/// Words and their counts: open addressing, each word at its place or behind it.
#[derive(Default)]
pub(super) struct ShortWords {
    slots: Vec<Short>,
    len: usize,
}

impl Short {
    /// The bytes of the word, and how many they are: behind them is what pads a key.
    pub fn bytes(&self) -> ([u8; 16], usize) {
        (self.key.to_le_bytes(), 16 - (!self.key).leading_zeros() as usize / 8)
    }
}

impl ShortWords {
    /// All words, in the order in which they were first seen.
    pub fn in_order(&self) -> impl Iterator<Item = &Short> {
        let mut order = Vec::with_capacity(self.len);
        let used = self.slots.iter().enumerate().filter(|(_, slot)| slot.key != 0);
        order.extend(used.map(|(place, slot)| (slot.first, place)));
        order.sort_unstable();
        (0..order.len()).map(move |nth| {
            if let Some(&(_, ahead)) = order.get(nth + AHEAD) {
                prefetch(&self.slots[ahead]);
            }
            &self.slots[order[nth].1]
        })
    }

    fn home(&self, key: Key) -> usize {
        (fold(key) >> 32) as usize & self.slots.len().wrapping_sub(1)
    }

    /// Begins to load what [`add`](Self::add) will look at.
    #[inline]
    pub fn announce(&self, key: Key) {
        if let Some(slot) = self.slots.get(self.home(key)) {
            prefetch(slot);
        }
    }

    /// Counts a word as often as `more` says.
    pub fn add(&mut self, more: Short) {
        if FULL * (self.len + 1) > 5 * self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut place = self.home(more.key);
        loop {
            let slot = &mut self.slots[place];
            if slot.key == more.key {
                slot.count += more.count;
                slot.first = slot.first.min(more.first);
                return;
            }
            if slot.key == 0 {
                *slot = more;
                self.len += 1;
                return;
            }
            place = (place + 1) & mask;
        }
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: Self) {
        if self.len == 0 {
            *self = other;
            return;
        }
        for (place, slot) in other.slots.iter().enumerate() {
            if let Some(ahead) = other.slots.get(place + AHEAD) {
                self.announce(ahead.key);
            }
            if slot.key != 0 {
                self.add(*slot);
            }
        }
    }

    fn grow(&mut self) {
        let slots = vec![Short::default(); (2 * self.slots.len()).max(LEAST)];
        let old = std::mem::replace(self, Self { slots, len: 0 });
        old.slots.into_iter().filter(|slot| slot.key != 0).for_each(|slot| self.add(slot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::table::key;

    #[test]
    fn words_are_added_up_and_come_in_the_order_first_seen() {
        let mut halves = [ShortWords::default(), ShortWords::default()];
        let mut seen: Vec<(String, u64)> = Vec::new();
        for place in 0..20_000_u64 {
            let number = place * place % 7_919;
            let word = format!("{number:.>width$}", width = number as usize % 16);
            let key = key(word.as_bytes(), 0, word.len() as u32);
            let half = &mut halves[usize::from(place % 3 == 0)];
            half.add(Short { key, count: place, first: place });
            match seen.iter_mut().find(|(known, _)| *known == word) {
                Some((_, count)) => *count += place,
                None => seen.push((word, place)),
            }
        }
        let [mut all, other] = halves;
        all.merge(other);
        let found: Vec<_> = all.in_order().map(|word| (word.bytes(), word.count)).collect();
        assert_eq!(found.len(), seen.len());
        for (((bytes, length), count), (word, expected)) in found.into_iter().zip(&seen) {
            assert_eq!((&bytes[..length], count), (word.as_bytes(), *expected));
        }
    }
}
