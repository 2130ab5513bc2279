//! Words that have no room in a slot of the [`table`](super::table), and their ids.
//!
//! A wide slot is a whole line of the cache: a key of 32 bytes, padded as short keys are, and up to
//! seven ids of 32 bits, or fifteen of 16, and their number. It takes words of up to 31 bytes, as most
//! words of scripts with two or three bytes to a character are, and shorter ones that have many ids. A
//! word has four places; a new word takes a free one or the last, and a word that is met again the
//! first, so that words that never come back drive out each other. The table begins small and grows up
//! to a limit.

use super::table::{PADDING, fold, is_to_grow, load, part};
use crate::arch::pages::Zeroed;
use crate::arch::prefetch::prefetch;

/// The longest word that is a key.
pub const MAX_WORD: usize = 31;
/// How many ids a slot holds at most, and their number.
pub const LANES: usize = 16;

/// Places of a word: with two, some words of Russian were merged again each time.
const WAYS: usize = 4;

/// Set in the keys of words, and not in those of parts of words.
const WHOLE: u128 = 1 << 120;

/// A slot: the key in two halves, and the value.
pub type Slot = [u128; 4];

/// A word as two numbers.
pub type Key = [u128; 2];

/// The key of the word `start..end` of a text, or of a part; `None` where it is too long.
pub fn key(text: &[u8], start: u32, end: u32, is_part: bool) -> Option<Key> {
    let length = (end - start) as usize;
    if length > MAX_WORD {
        return None;
    }
    let start = start as usize;
    let padding = if length < 16 { PADDING[length] } else { 0 };
    let first = load(text, start) | padding;
    let last = if length > 16 { load(text, start + 16) } else { 0 };
    let last = last | PADDING[length.saturating_sub(16)];
    Some([first, if is_part { last ^ WHOLE } else { last }])
}

fn hash(key: Key) -> usize {
    (fold(key[0]) ^ fold(key[1]).rotate_left(32)) as usize
}

/// The table.
pub struct Wide {
    slots: Zeroed,
    mask: usize,
    /// How many slots are taken.
    taken: usize,
    /// How many bits an id has, and the number of ids.
    bits: u32,
}

impl Wide {
    /// An empty table of so many slots, at first and at most: powers of two, or none. Ids have 32 bits
    /// or 16.
    pub fn with_slots(slots: [usize; 2], bits: u32) -> Self {
        let mask = slots[0].saturating_sub(1);
        Self { slots: Zeroed::growing(slots.map(|slots| 4 * slots)), mask, taken: 0, bits }
    }

    /// The first of the places of a word.
    #[inline]
    fn place(&self, key: Key) -> usize {
        hash(key) & self.mask & !(WAYS - 1)
    }

    fn ways(&mut self, key: Key) -> Option<&mut [Slot]> {
        let place = self.place(key);
        self.slots.as_chunks_mut().0.get_mut(place..place + WAYS)
    }

    /// Begins to load what [`find`](Self::find) will look at.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        let slots: &[Slot] = self.slots.as_chunks().0;
        let place = self.place(key);
        slots.iter().skip(place).take(WAYS).for_each(prefetch);
    }

    /// How many numbers a slot holds besides the key.
    fn lanes(&self) -> usize {
        2 * (u128::BITS / self.bits) as usize
    }

    /// The ids of a word, if they are known: how many they are, and what begins with them.
    pub fn find(&mut self, key: Key) -> Option<(usize, [u32; LANES])> {
        let ways = self.ways(key)?;
        let found = ways.iter().position(|slot| slot[..2] == key)?;
        let [_, _, low, high] = ways[found];
        ways.swap(0, found);
        let mut lanes = [0; LANES];
        let (numbers, bits) = (&mut lanes[..self.lanes()], self.bits);
        let (first, last) = numbers.split_at_mut(numbers.len() / 2);
        for (half, lanes) in [(low, first), (high, last)] {
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane = (half >> (bits * at as u32)) as u32 & (u32::MAX >> (u32::BITS - bits));
            }
        }
        Some((lanes[self.lanes() - 1] as usize, lanes))
    }

    /// What holds a word and its ids; `None` where they are too many or too large.
    pub fn slot(&self, key: Key, ids: &[u32]) -> Option<Slot> {
        let last = self.lanes() - 1;
        let mut lanes = [0; LANES];
        lanes[..last].get_mut(..ids.len())?.copy_from_slice(ids);
        lanes[last] = ids.len() as u32;
        let fit = ids.iter().all(|&id| u64::from(id) >> self.bits == 0);
        let add = |all: u128, &id: &u32| all << self.bits | u128::from(id);
        let half = |lanes: &[u32]| lanes.iter().rev().fold(0, add);
        let (first, second) = lanes[..=last].split_at(self.lanes() / 2);
        fit.then(|| [key[0], key[1], half(first), half(second)])
    }

    /// Puts words into the table that are not there.
    pub fn learn(&mut self, slots: &[Slot]) {
        for slot in slots {
            self.prefetch([slot[0], slot[1]]);
        }
        for slot in slots {
            if self.find([slot[0], slot[1]]).is_none() {
                self.insert(*slot);
            }
        }
    }

    /// Remembers a word, which is not there.
    pub fn insert(&mut self, slot: Slot) {
        if is_to_grow(self.taken, self.mask + 1, self.slots.most() / 4) {
            self.grow();
        }
        let Some(ways) = self.ways([slot[0], slot[1]]) else { return };
        let free = ways.iter().position(|slot| slot[1] == 0);
        ways[free.unwrap_or(WAYS - 1)] = slot;
        self.taken += usize::from(free.is_some());
    }

    /// Becomes twice as large.
    #[cold]
    fn grow(&mut self) {
        let before = self.mask + 1;
        self.mask = 2 * before - 1;
        self.slots.grow(8 * before);
        let slots: &mut [Slot] = self.slots.as_chunks_mut().0;
        let moves = |slot: &Slot| hash([slot[0], slot[1]]) & before != 0;
        part(slots.as_chunks_mut::<WAYS>().0, |slot| slot[1] != 0, moves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_where_words_are() {
        let text = b"aab\0\0 a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0123456789abcdefghijklmnopqrst";
        let mut seen: Vec<(Key, &[u8], bool)> = Vec::new();
        for start in (0..text.len()).step_by(3) {
            for end in start + 1..=text.len() {
                let found = [false, true].map(|part| key(text, start as u32, end as u32, part));
                let word = &text[start..end];
                let copied = [false, true].map(|part| key(word, 0, word.len() as u32, part));
                assert_eq!(found, copied, "padding from outside the word");
                assert_eq!(found[0].is_some(), end - start <= MAX_WORD);
                let known = [false, true].into_iter().zip(found);
                seen.extend(known.filter_map(|(part, key)| Some((key?, word, part))));
            }
        }
        for (a, word, part) in &seen {
            assert!(a[1] != 0, "an empty slot has such a key");
            assert!(seen.iter().all(|(b, other, p)| (a == b) == ((word, part) == (other, p))));
        }
    }

    #[test]
    fn slots_hold_seven_ids_or_fifteen_small_ones() {
        for (bits, most) in [(32, 7), (16, 15)] {
            let mut table = Wide::with_slots([2, 2], bits);
            let largest = u32::MAX >> (32 - bits);
            for count in 0..20 {
                let mut ids: Vec<u32> = (0..count).map(|at| largest - at).collect();
                let Some(slot) = table.slot([1, 2], &ids) else {
                    assert!(ids.len() > most);
                    continue;
                };
                assert!(ids.len() <= most);
                table = Wide::with_slots([4, 4], bits);
                table.insert(slot);
                let (found, lanes) = table.find([1, 2]).expect("it was put in");
                assert_eq!(lanes[..found], ids);
                if let (Some(last), 16) = (ids.last_mut(), bits) {
                    *last = 65_536;
                    assert_eq!(table.slot([1, 2], &ids), None);
                }
            }
        }
    }

    #[test]
    fn a_table_of_any_size_answers_right_or_not_at_all() {
        let sizes = [[0, 0], [2, 2], [2, 64], [64, 64], [8, 1 << 12]];
        for ([first, slots], bits) in sizes.into_iter().flat_map(|size| [(size, 16), (size, 32)]) {
            let mut table = Wide::with_slots([first, slots], bits);
            let mut found = 0;
            for number in 0..20_000_u32 {
                let number = number % 1_500;
                let word = format!("a word of some length {number}");
                let key = key(word.as_bytes(), 0, word.len() as u32, false).expect("it is short");
                let ids: Vec<u32> = (0..number % 17).map(|more| number + more).collect();
                match table.find(key) {
                    None => table.slot(key, &ids).into_iter().for_each(|slot| table.insert(slot)),
                    Some((count, lanes)) => {
                        assert_eq!(lanes[..count], ids);
                        found += 1;
                    }
                }
            }
            assert!(slots < 1 << 12 || found > 7_000, "only {found} found");
        }
    }
}
