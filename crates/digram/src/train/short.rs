//! Counts of words of up to 15 bytes.
//!
//! Such a word is a number (see [`encode::table`](crate::encode::table)), so a table of them holds
//! no references: two words are compared in one step, and a table that is full is copied to one
//! of twice the size without looking at any text.

use crate::arch::pages::advise_room;
use crate::arch::prefetch::prefetch;
use crate::encode::table::{Key, fold};

use super::distinct::Distinct;
use super::tally::SHARDS;
use crate::error::Result;
use std::borrow::Cow;

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
/// A table that has fewer, less than 2 MiB, soon grows again.
const SMALL: usize = 1 << 15;
/// Of so many slots five are used at most: words are then found some two slots from their place.
const FULL: usize = 8;
/// And so many where tables are put together, if no word were in two of them; most are.
const MERGED: usize = 7;
/// How many words ahead of the one being added memory is asked for.
const AHEAD: usize = 16;
/// The highest bits of a hash tell a word's shard, those below its place there.
const SHARD_BITS: u32 = SHARDS.ilog2();

/// Words and their counts: open addressing, each word at its place or behind it.
///
/// The table is one list, so that it lies in huge pages. Its parts of equal size are the shards;
/// what finds no place at the end of one goes on at its beginning.
#[derive(Default)]
pub(super) struct ShortWords {
    slots: Vec<Short>,
    /// How many words each shard has.
    lens: [usize; SHARDS],
    /// Those that were new, since it was last asked.
    pub new: Distinct,
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

/// Where a word belongs in a table of so many slots, which is a power of two.
fn home(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * slots as u128) >> u64::BITS) as usize
}

impl ShortWords {
    /// How many bytes the table takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.slots.as_slice())
    }

    /// Whether it grows soon.
    pub fn is_nearly_full(&self) -> bool {
        self.lens.iter().any(|len| FULL * len * SHARDS > 4 * self.slots.len())
    }

    /// The slots of each shard.
    pub fn shards(&mut self) -> impl Iterator<Item = &mut [Short]> {
        let size = self.size().max(1);
        self.slots.chunks_mut(size)
    }

    /// The words of each shard, in the order of their bytes; takes no further memory.
    pub fn into_sorted(
        mut self,
        mut each: impl FnMut(usize, &[Short]) -> Result<()>,
    ) -> Result<()> {
        let size = self.size().max(1);
        for (shard, slots) in self.slots.chunks_mut(size).enumerate() {
            let mut used = 0;
            for place in 0..slots.len() {
                if slots[place].key != 0 {
                    slots[used] = slots[place];
                    used += 1;
                }
            }
            slots[..used].sort_unstable_by_key(Short::in_order);
            each(shard, &slots[..used])?;
        }
        Ok(())
    }

    /// How many slots a shard has.
    fn size(&self) -> usize {
        self.slots.len() / SHARDS
    }

    /// Begins to load what [`add`](Self::add) will look at.
    #[inline]
    pub fn announce(&self, key: Key) {
        if let Some(slot) = self.slots.get(home(fold(key), self.slots.len())) {
            prefetch(slot);
        }
    }

    /// Counts a word as often as `more` says.
    pub fn add(&mut self, more: Short) {
        let hash = fold(more.key);
        let shard = (hash >> (u64::BITS - SHARD_BITS)) as usize;
        if FULL * (self.lens[shard] + 1) * SHARDS > 5 * self.slots.len() {
            self.grow();
        }
        let size = self.size();
        if put(&mut self.slots, size, hash, more) {
            self.lens[shard] += 1;
            self.new.note(hash);
        }
    }

    /// Adds all that `other` counted.
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

    /// How many times as large the table becomes when it grows.
    pub fn times(&self) -> usize {
        if self.slots.len() < SMALL { 4 } else { 2 }
    }

    fn grow(&mut self) {
        let times = self.times();
        let old = std::mem::take(&mut self.slots);
        self.slots = empty((times * old.len()).max(LEAST));
        let size = self.size();
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            put(&mut self.slots, size, fold(slot.key), slot);
        }
    }
}

/// The words of one shard of several tables, added up: in the largest of them, if it has room.
pub(super) fn merged(mut shards: Vec<&mut [Short]>) -> Cow<'_, [Short]> {
    let used = |slots: &[Short]| slots.iter().filter(|slot| slot.key != 0).count();
    shards.sort_by_key(|slots| slots.len());
    let Some(mut largest) = shards.pop() else { return Cow::default() };
    if shards.is_empty() {
        return Cow::Borrowed(largest);
    }
    let most = used(largest) + shards.iter().map(|slots| used(slots)).sum::<usize>();
    let mut room = Vec::new();
    if FULL * most > MERGED * largest.len() {
        room = empty((most * FULL / 5 + 1).next_power_of_two());
        shards.push(std::mem::take(&mut largest));
    }
    let slots = if room.is_empty() { &mut *largest } else { &mut room };
    let size = slots.len();
    for &word in shards.iter().flat_map(|slots| slots.iter()).filter(|slot| slot.key != 0) {
        put(slots, size, fold(word.key) << SHARD_BITS, word);
    }
    if room.is_empty() { Cow::Borrowed(largest) } else { Cow::Owned(room) }
}

fn empty(size: usize) -> Vec<Short> {
    let mut slots = Vec::with_capacity(size);
    advise_room(&mut slots);
    slots.resize(size, Short::default());
    slots
}

/// Counts a word in a table of shards of `size`, not all of whose slots are used; says whether the
/// word is new there.
#[inline]
fn put(slots: &mut [Short], size: usize, hash: u64, more: Short) -> bool {
    let mut place = home(hash, slots.len());
    let start = place & !(size - 1);
    loop {
        let slot = &mut slots[place];
        if slot.key == more.key {
            slot.count += more.count;
            slot.first = slot.first.min(more.first);
            return false;
        }
        if slot.key == 0 {
            *slot = more;
            return true;
        }
        place = start + ((place + 1) & (size - 1));
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
        let mut found = Vec::new();
        let [one, other] = &mut halves;
        for (one, other) in one.shards().zip(other.shards()) {
            found.extend(merged(vec![one, other]).iter().filter(|slot| slot.key != 0).copied());
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
        let (mut table, mut found) = (ShortWords::default(), Vec::new());
        for word in words {
            let key = key(word.as_bytes(), 0, word.len() as u32);
            table.add(Short { key, count: 1, first: 0 });
        }
        table
            .into_sorted(|_, sorted| {
                let sorted: Vec<_> = sorted.iter().map(Short::bytes).collect();
                let words: Vec<_> = sorted.iter().map(|(word, length)| &word[..*length]).collect();
                assert!(words.is_sorted());
                found.extend(words.into_iter().map(<[u8]>::to_vec));
                Ok(())
            })
            .expect("nothing fails");
        found.sort_unstable();
        let mut expected = words.map(|word| word.as_bytes().to_vec());
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
