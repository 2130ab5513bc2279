//! Words that are too long for any slot, or have too many ids, and their ids.
//!
//! A word and its ids lie one behind the other in a list of bytes, and a slot tells where. Slots of eight
//! words that share a place are one line of the cache, so that to find a word takes two look-ups, of which each
//! can be asked for while others are dealt with. Words are compared in full: an answer is right or absent.
//!
//! There are two tables, of half the budget each. When the young one is full it becomes the old one, and what
//! was old is forgotten, if no more bytes can be had for both; a word that is met in the old one is young again.
//! So what is met often stays. (Not so of lines, which may take as many bytes as both tables have room for: those
//! that became young again would drive out others that come back as soon.) Very long words seldom come back, and
//! are taken in when they do.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

use super::spare::Spare;
use super::widths::{Packed, Width, pack};
use crate::arch::prefetch::{prefetch, prefetch_at};

/// Longer words are not remembered.
pub const MAX_WORD: usize = 1 << 12;

/// Longer ones are taken in when they are met again.
const ONCE: usize = 255;

/// Hashes of very long words that were met once.
const MET: usize = 1 << 9;

/// Slots of one line of the cache.
const WAYS: usize = 8;

/// So many buckets are looked at, however many words share a place: whoever chooses the words.
const PROBED: usize = 4;

/// Bytes before a word: its length and whether it is a part, of how many bytes each id is, and how many it has.
const HEAD: usize = 4;
/// Above the length of the longest word.
const WIDTH_AT: u32 = 14;

/// The two tables.
pub struct LongWords {
    young: Generation,
    old: Generation,
    /// How many bytes words, ids and slots of one table may have together.
    budget: usize,
    /// How many they may have where they grow at once, and nothing is forgotten unasked; 0 where that is not so.
    at_once: usize,
    /// Parts of the hashes of very long words that were met once, by the hash; empty before there are any.
    met: Vec<u32>,
}

/// A word or a part of one, that is looked for.
#[derive(Clone, Copy)]
pub struct Long<'a> {
    word: &'a [u8],
    is_part: bool,
    hash: u64,
}

impl<'a> Long<'a> {
    /// That word, or that part of one.
    pub fn new(word: &'a [u8], is_part: bool) -> Self {
        let hash = FixedState::with_seed(u64::from(is_part)).hash_one(word);
        Self { word, is_part, hash }
    }

    /// What stands before it and its ids.
    fn head(self, ids: usize, width: Width) -> [u8; HEAD] {
        let word = self.word.len() << 1 | usize::from(self.is_part);
        let [a, b] = (word as u16 | (width as u16) << WIDTH_AT).to_le_bytes();
        let [c, d] = (ids as u16).to_le_bytes();
        [a, b, c, d]
    }

    /// What tells it in a slot from most others; never 0.
    fn tag(self) -> u32 {
        (self.hash >> 32) as u32 | 1
    }

    /// How many bytes it takes with its ids.
    pub fn bytes_with(self, ids: &[u32]) -> usize {
        HEAD + self.word.len() + Width::of(ids).bytes() * ids.len()
    }

    /// How many bytes it has.
    pub fn len(self) -> usize {
        self.word.len()
    }

    /// Its hash.
    pub fn hash(self) -> u64 {
        self.hash
    }
}

impl LongWords {
    /// Empty tables of at most so many bytes.
    pub fn with_budget(budget: usize) -> Self {
        let budget = (budget / 2).min(u32::MAX as usize);
        let [young, old] = [Generation::default(), Generation::default()];
        Self { young, old, budget, at_once: 0, met: Vec::new() }
    }

    /// The same, which grow from some bytes to others as soon as they are full, and then forget nothing unless
    /// [`put`](Self::put) is told so.
    pub fn growing([first, most]: [usize; 2]) -> Self {
        Self { at_once: most / 2, ..Self::with_budget(first) }
    }

    /// Asks for the slots of a word.
    #[inline]
    pub fn prefetch_slots(&self, long: Long) {
        if let Some(bucket) = self.young.buckets.get(self.young.bucket(long.tag())) {
            prefetch(bucket);
        }
    }

    /// Asks for what may be a word and its ids.
    #[inline]
    pub fn prefetch_ids(&self, long: Long) {
        self.young.prefetch_ids(long);
    }

    /// Appends the ids of a word, and tells whether they are known.
    pub fn find(&mut self, long: Long, spare: &mut Spare, ids: &mut Vec<u32>) -> bool {
        let before = ids.len();
        if let Some(known) = self.young.find(long) {
            known.give_to(ids);
            return true;
        }
        let Some(known) = self.old.find(long) else { return false };
        known.give_to(ids);
        if self.at_once == 0 {
            self.put(long, &ids[before..], true, spare);
        }
        true
    }

    /// How many bytes words, ids and slots may have together.
    pub fn room(&self) -> usize {
        2 * self.budget
    }

    /// Whether the ids of a word are known.
    pub fn knows(&self, long: Long) -> bool {
        self.young.find(long).is_some() || self.old.find(long).is_some()
    }

    /// Remembers the ids of a word, which is not there.
    pub fn insert(&mut self, long: Long, ids: &[u32], spare: &mut Spare) {
        let is_short = long.word.len() <= ONCE;
        if is_short || long.word.len() <= MAX_WORD && self.is_met_again(long) {
            self.put(long, ids, true, spare);
        }
    }

    /// Whether a very long word was met before; notes it, instead of another.
    fn is_met_again(&mut self, long: Long) -> bool {
        self.met.resize(MET, 0);
        let place = &mut self.met[long.hash as usize % MET];
        std::mem::replace(place, long.tag()) == long.tag()
    }

    /// Remembers the ids of a word, which is not there; `false` where others would be forgotten for it, and may not.
    pub fn put(&mut self, long: Long, ids: &[u32], may_forget: bool, spare: &mut Spare) -> bool {
        let alone = Generation::default().size_with(long, ids);
        if ids.len() > usize::from(u16::MAX) || alone > self.budget {
            return true;
        }
        if self.young.size_with(long, ids) > self.budget && !self.grows(spare) {
            if !may_forget && self.old.taken > 0 {
                return false;
            }
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(long, ids, self.budget);
        true
    }

    /// Takes twice as many bytes, if there are.
    fn grows(&mut self, spare: &mut Spare) -> bool {
        let twice = (2 * self.budget).min(u32::MAX as usize);
        let may = self.old.taken > 0 && self.at_once == 0 || twice <= self.at_once;
        let grows = may && twice > self.budget && spare.take(2 * (twice - self.budget));
        self.budget = if grows { twice } else { self.budget };
        grows
    }
}

/// Where a word and its ids are, and above it a part of its hash; 0 for none.
type Slot = u64;

fn slot(long: Long, start: usize) -> Slot {
    u64::from(long.tag()) << 32 | start as u64
}

fn tag_of(slot: Slot) -> u32 {
    (slot >> 32) as u32
}

/// A line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Slot; WAYS]);

/// Words, and where they are by parts of their hashes: in the first bucket from there on that was not full.
#[derive(Default)]
struct Generation {
    buckets: Vec<Bucket>,
    /// How many slots are taken.
    taken: usize,
    words: Vec<u8>,
}

impl Generation {
    /// How many bytes it takes with one more word.
    fn size_with(&self, long: Long, ids: &[u32]) -> usize {
        let buckets = if self.is_to_grow() { self.twice() } else { self.buckets.len() };
        self.words.len() + long.bytes_with(ids) + size_of::<Bucket>() * buckets
    }

    fn is_to_grow(&self) -> bool {
        self.taken >= self.buckets.len() * WAYS / 8 * 5
    }

    /// How many buckets it has after it has grown.
    fn twice(&self) -> usize {
        (2 * self.buckets.len()).max(1)
    }

    fn bucket(&self, tag: u32) -> usize {
        (tag as usize >> 1) & self.buckets.len().wrapping_sub(1)
    }

    #[inline]
    fn prefetch_ids(&self, long: Long) {
        let Some(Bucket(slots)) = self.buckets.get(self.bucket(long.tag())) else { return };
        let Some(slot) = slots.iter().find(|&&slot| tag_of(slot) == long.tag()) else { return };
        let start = *slot as u32 as usize;
        for line in [start, start + 64, start + 128] {
            prefetch_at(self.words.as_ptr().wrapping_add(line));
        }
    }

    /// The buckets where a word may be, one after the other.
    fn places(&self, tag: u32) -> impl Iterator<Item = usize> + use<> {
        let (first, mask) = (self.bucket(tag), self.buckets.len().wrapping_sub(1));
        (0..PROBED.min(self.buckets.len())).map(move |next| (first + next) & mask)
    }

    /// The ids of a word.
    fn find(&self, long: Long) -> Option<Packed<'_>> {
        for bucket in self.places(long.tag()) {
            let Bucket(slots) = &self.buckets[bucket];
            for &slot in slots {
                if tag_of(slot) == long.tag()
                    && let Some(ids) = self.ids(slot as u32 as usize, long)
                {
                    return Some(ids);
                }
            }
            if slots[WAYS - 1] == 0 {
                break;
            }
        }
        None
    }

    /// The ids of the word that lies at `start`, if it is this one.
    fn ids(&self, start: usize, long: Long) -> Option<Packed<'_>> {
        let (head, rest) = self.words[start..].split_first_chunk::<HEAD>()?;
        let ids = usize::from(u16::from_le_bytes([head[2], head[3]]));
        let width = if head[1] >> (WIDTH_AT - 8) == 0 { Width::Two } else { Width::Four };
        if *head != long.head(ids, width) {
            return None;
        }
        let (word, rest) = rest.split_at(long.word.len());
        (word == long.word).then(|| Packed(&rest[..width.bytes() * ids], width))
    }

    /// Remembers a word, which is not there, if there is a place; there may be so many bytes.
    fn insert(&mut self, long: Long, ids: &[u32], budget: usize) {
        if self.is_to_grow() {
            self.grow();
        }
        let start = self.words.len();
        let Some(place) = self.free_place(long.tag()) else { return };
        *place = slot(long, start);
        self.taken += 1;
        if self.words.capacity() - self.words.len() < long.bytes_with(ids) {
            // addresses: memory is taken as it is touched
            self.words.reserve_exact(budget.saturating_sub(self.words.len()));
        }
        let width = Width::of(ids);
        self.words.extend_from_slice(&long.head(ids.len(), width));
        self.words.extend_from_slice(long.word);
        pack(ids, width, &mut self.words);
    }

    fn free_place(&mut self, tag: u32) -> Option<&mut Slot> {
        let is_free = |bucket: &usize| self.buckets[*bucket].0[WAYS - 1] == 0;
        let bucket = self.places(tag).find(is_free)?;
        self.buckets[bucket].0.iter_mut().find(|slot| **slot == 0)
    }

    /// Takes twice as many buckets.
    #[cold]
    fn grow(&mut self) {
        let twice = vec![Bucket::default(); self.twice()];
        for Bucket(slots) in std::mem::replace(&mut self.buckets, twice) {
            for slot in slots.into_iter().filter(|&slot| slot != 0) {
                if let Some(place) = self.free_place(tag_of(slot)) {
                    *place = slot;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(table: &mut LongWords, long: Long, spare: &mut Spare) -> Option<Vec<u32>> {
        let mut ids = vec![7];
        let is_known = table.knows(long);
        assert_eq!(table.find(long, spare, &mut ids), is_known);
        assert!(ids[0] == 7 && (is_known || ids.len() == 1));
        is_known.then(|| ids.split_off(1))
    }

    #[test]
    fn a_full_table_still_answers_right() {
        let (mut table, mut spare) = (LongWords::with_budget(1 << 18), Spare::of(1 << 20));
        let [mut known, mut left_out] = [0; 2];
        for number in 0..100_000_u32 {
            let word = format!("word{number}");
            for is_part in [false, true] {
                let long = Long::new(word.as_bytes(), is_part);
                let ids = [number, number + 1, u32::from(is_part)];
                table.insert(long, &ids, &mut spare);
                let found = found(&mut table, long, &mut spare);
                left_out += u32::from(found.is_none());
                assert!(found.is_none_or(|found| found == ids));
            }
            let before = format!("word{}", number / 2);
            let ids = found(&mut table, Long::new(before.as_bytes(), false), &mut spare);
            known += u32::from(ids.is_some());
            assert!(ids.is_none_or(|ids| ids == [number / 2, number / 2 + 1, 0]));
            let size = |of: &Generation| of.words.len() + size_of_val(&of.buckets[..]);
            assert!(size(&table.young) + size(&table.old) <= 1 << 20);
            assert!(table.young.words.capacity().max(table.old.words.capacity()) <= 1 << 19);
        }
        assert!(known > 5_000, "only {known} words were found again");
        assert!(left_out < 200, "{left_out} of 200,000 words found no place");
    }

    #[test]
    fn very_long_words_are_taken_in_when_they_come_back() {
        let (mut table, mut spare) = (LongWords::with_budget(1 << 18), Spare::of(0));
        let text = "z".repeat(MAX_WORD + 1);
        for (length, rounds) in [(0, 1), (ONCE, 1), (ONCE + 1, 2), (MAX_WORD, 2)] {
            let long = Long::new(&text.as_bytes()[..length], false);
            for round in 1..=rounds {
                table.insert(long, &[1; 300], &mut spare);
                assert_eq!(table.knows(long), round == rounds, "{length}");
            }
        }
        let longest = Long::new(text.as_bytes(), false);
        (0..3).for_each(|_| table.insert(longest, &[1], &mut spare));
        assert!(!table.knows(longest));
        let many = Long::new(b"many", false);
        table.insert(many, &vec![1; 1 << 16], &mut spare);
        assert!(!table.knows(many));
    }
}
