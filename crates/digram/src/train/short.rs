//! Counts of words of up to 15 bytes.
//!
//! Such a word is a number (see [`encode::table`](crate::encode::table)), so a table of them holds
//! no references: two words are compared in one step, and a table that is full is copied to one
//! of twice the size without looking at any text.

use crate::arch::pages::advise_room;
use crate::arch::prefetch::prefetch;
use crate::encode::table::{Key, fold};

use super::tally::SHARDS;

/// A word, how often it was seen, and where first. The key 0, which no word has, means no word.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
pub(super) struct Short {
    pub key: Key,
    pub count: u64,
    pub first: u64,
}

/// Slots of a shard's smallest table.
const LEAST: usize = 1 << 6;
/// Of so many slots five are used at most: words are then found some two slots from their place.
const FULL: usize = 8;
/// How many words ahead of the one being added memory is asked for.
const AHEAD: usize = 16;
/// The bits of a hash that tell a word's shard; its place in there comes from those below.
const SHARD_BITS: u32 = SHARDS.ilog2();

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

    /// What sorts as the bytes do: those, the first the highest, zeros behind them, the length.
    fn in_order(&self) -> (u128, usize) {
        let (bytes, length) = self.bytes();
        let padding = u128::MAX.checked_shr(8 * length as u32).unwrap_or(0);
        (u128::from_be_bytes(bytes) & !padding, length)
    }
}

/// Words and their counts in several tables, each word in that of its hash.
#[derive(Default)]
pub(super) struct ShortShards(pub [ShortWords; SHARDS]);

impl ShortShards {
    fn of(key: Key) -> usize {
        (fold(key) >> (u64::BITS - SHARD_BITS)) as usize
    }

    /// Begins to load what [`add`](Self::add) will look at.
    #[inline]
    pub fn announce(&self, key: Key) {
        self.0[Self::of(key)].announce(key);
    }

    /// Counts a word as often as `more` says.
    #[inline]
    pub fn add(&mut self, more: Short) {
        self.0[Self::of(more.key)].add(more);
    }
}

impl ShortWords {
    /// How many words there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many bytes the table takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.slots.as_slice())
    }

    /// All words, each with its slot.
    pub fn slots(&self) -> impl Iterator<Item = (usize, &Short)> {
        self.slots.iter().enumerate().filter(|(_, slot)| slot.key != 0)
    }

    /// The word in a slot that is used.
    pub fn at(&self, slot: usize) -> &Short {
        &self.slots[slot]
    }

    /// Begins to load a slot.
    pub fn announce_slot(&self, slot: usize) {
        prefetch(&self.slots[slot]);
    }

    /// All words, in the order of their bytes; takes no further memory.
    pub fn into_sorted(self) -> Vec<Short> {
        let mut words = self.slots;
        words.retain(|word| word.key != 0);
        words.sort_unstable_by_key(Short::in_order);
        words
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

    /// Adds all that `other` counted; the smaller table goes into the larger.
    pub fn merge(&mut self, mut other: Self) {
        if self.slots.len() < other.slots.len() {
            std::mem::swap(self, &mut other);
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
        let size = (2 * self.slots.len()).max(LEAST);
        let mut slots = Vec::with_capacity(size);
        advise_room(&mut slots);
        slots.resize(size, Short::default());
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
        let mut halves = [ShortShards::default(), ShortShards::default()];
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
        let mut found = Vec::new();
        let [one, other] = halves.map(|half| half.0.into_iter());
        for (mut shard, same) in one.zip(other) {
            shard.merge(same);
            found.extend(shard.slots().map(|(_, word)| *word));
        }
        found.sort_by_key(|word| word.first);
        assert_eq!(found.len(), seen.len());
        for (word, (text, count)) in found.iter().zip(&seen) {
            let (bytes, length) = word.bytes();
            assert_eq!((&bytes[..length], word.count), (text.as_bytes(), *count));
        }
    }

    #[test]
    fn words_sort_as_their_bytes() {
        let words =
            ["b", "a", "a\0", "a\0\0", "ab", "é", "aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaab", "\0"];
        let mut table = ShortWords::default();
        for word in words {
            let key = key(word.as_bytes(), 0, word.len() as u32);
            table.add(Short { key, count: 1, first: 0 });
        }
        let sorted: Vec<_> = table.into_sorted().iter().map(Short::bytes).collect();
        let mut expected = words;
        expected.sort_unstable();
        for ((bytes, length), word) in sorted.into_iter().zip(expected) {
            assert_eq!(&bytes[..length], word.as_bytes());
        }
    }
}
