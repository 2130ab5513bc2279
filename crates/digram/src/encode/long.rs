//! Words that are too long for any slot, or have too many ids, and their ids.
//!
//! Keys are compared in full, so an answer is right or absent. There are two tables, of half the
//! budget each. When the young one is full it becomes the old one, and what was old is forgotten, if no
//! more bytes can be had for both; a word that is met in the old one is young again. So what is met often stays.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::spare::Spare;

/// Longer words seldom come back, and would fill the table with what is not asked for again.
const MAX_WORD: usize = 255;

/// The two tables.
pub struct LongWords {
    young: Generation,
    old: Generation,
    /// How many bytes keys, ids and slots of one table may have together.
    budget: usize,
}

#[derive(Default)]
struct Generation {
    entries: HashTable<Entry>,
    words: Vec<u8>,
    ids: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Entry {
    word: u32,
    ids: u32,
    word_length: u8,
    ids_length: u8,
    is_part: bool,
}

impl LongWords {
    /// Empty tables of at most so many bytes.
    pub fn with_budget(budget: usize) -> Self {
        Self { young: Generation::default(), old: Generation::default(), budget: budget / 2 }
    }

    /// The ids of a word, or of a part of one, if they are known.
    pub fn find(&mut self, word: &[u8], is_part: bool, spare: &mut Spare) -> Option<&[u32]> {
        if word.len() > MAX_WORD {
            return None;
        }
        let hash = hash(word);
        if self.young.find(hash, word, is_part).is_none() {
            let ids = self.old.find(hash, word, is_part)?.to_vec();
            self.insert(word, is_part, &ids, spare);
        }
        self.young.find(hash, word, is_part)
    }

    /// Remembers the ids of a word, which is not there.
    pub fn insert(&mut self, word: &[u8], is_part: bool, ids: &[u32], spare: &mut Spare) {
        let more = word.len() + size_of_val(ids) + size_of::<Entry>();
        if word.len() > MAX_WORD || ids.len() > usize::from(u8::MAX) || more > self.budget {
            return;
        }
        if self.young.size() + more > self.budget {
            if self.old.size() > 0 && spare.take(2 * self.budget) {
                self.budget *= 2;
            } else {
                self.old = std::mem::take(&mut self.young);
            }
        }
        self.young.insert(word, is_part, ids);
    }
}

fn hash(word: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(word)
}

impl Generation {
    fn find(&self, hash: u64, word: &[u8], is_part: bool) -> Option<&[u32]> {
        let same = |entry: &Entry| entry.is_part == is_part && self.word(entry) == word;
        let entry = self.entries.find(hash, same)?;
        let start = entry.ids as usize;
        Some(&self.ids[start..start + usize::from(entry.ids_length)])
    }

    fn word(&self, entry: &Entry) -> &[u8] {
        let start = entry.word as usize;
        &self.words[start..start + usize::from(entry.word_length)]
    }

    fn insert(&mut self, word: &[u8], is_part: bool, ids: &[u32]) {
        let entry = Entry {
            word: self.words.len() as u32,
            ids: self.ids.len() as u32,
            word_length: word.len() as u8,
            ids_length: ids.len() as u8,
            is_part,
        };
        append(&mut self.words, word);
        append(&mut self.ids, ids);
        let Self { entries, words, .. } = self;
        entries.insert_unique(hash(word), entry, |entry| {
            let start = entry.word as usize;
            hash(&words[start..start + usize::from(entry.word_length)])
        });
    }

    fn size(&self) -> usize {
        self.words.len()
            + size_of::<u32>() * self.ids.len()
            + size_of::<Entry>() * self.entries.len()
    }
}

/// Appends to a list that is given a quarter more room at a time: twice as much would go beyond the budget.
fn append<T: Copy>(list: &mut Vec<T>, some: &[T]) {
    if list.capacity() - list.len() < some.len() {
        list.reserve_exact(some.len().max(list.len() / 4));
    }
    list.extend_from_slice(some);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_still_answers_right() {
        let (mut table, mut spare) = (LongWords::with_budget(1 << 18), Spare::of(1 << 20));
        let mut known = 0;
        for number in 0..100_000_u32 {
            let word = format!("word{number}");
            for is_part in [false, true] {
                let ids = [number, number + 1, u32::from(is_part)];
                table.insert(word.as_bytes(), is_part, &ids, &mut spare);
                assert_eq!(table.find(word.as_bytes(), is_part, &mut spare), Some(&ids[..]));
            }
            let before = format!("word{}", number / 2);
            let found = table.find(before.as_bytes(), false, &mut spare);
            assert!(found.is_none_or(|ids| ids == [number / 2, number / 2 + 1, 0]));
            known += u32::from(found.is_some());
            assert!(table.young.size() + table.old.size() <= 1 << 20);
            let room = |of: &Generation| of.words.capacity() + 4 * of.ids.capacity();
            assert!(room(&table.young) + room(&table.old) <= (1 << 20) + (1 << 18));
        }
        assert!(known > 5_000, "only {known} words were found again");
    }
}
