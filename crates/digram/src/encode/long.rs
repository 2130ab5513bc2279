//! Words that are too long for a slot, or have too many ids for it, and their ids.
//!
//! Keys are compared in full, so an answer is right or absent. When the budget is spent the table
//! is emptied and fills again: text repeats its words soon enough.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Longer words seldom come back, and would fill the table with what is not asked for again.
const MAX_WORD: usize = 128;

/// The table.
pub struct LongWords {
    entries: HashTable<Entry>,
    words: Vec<u8>,
    ids: Vec<u32>,
    hasher: FixedState,
    /// How many bytes keys, ids and slots may have together.
    budget: usize,
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
    /// An empty table of at most so many bytes.
    pub fn with_budget(budget: usize) -> Self {
        Self {
            entries: HashTable::new(),
            words: Vec::new(),
            ids: Vec::new(),
            hasher: FixedState::with_seed(0),
            budget,
        }
    }

    /// The ids of a word, or of a part of one, if they are known.
    pub fn find(&self, word: &[u8], is_part: bool) -> Option<&[u32]> {
        if word.len() > MAX_WORD {
            return None;
        }
        let same = |entry: &Entry| entry.is_part == is_part && self.word(entry) == word;
        let entry = self.entries.find(self.hasher.hash_one(word), same)?;
        let start = entry.ids as usize;
        Some(&self.ids[start..start + usize::from(entry.ids_length)])
    }

    fn word(&self, entry: &Entry) -> &[u8] {
        let start = entry.word as usize;
        &self.words[start..start + usize::from(entry.word_length)]
    }

    /// Remembers the ids of a word, which is not there.
    pub fn insert(&mut self, word: &[u8], is_part: bool, ids: &[u32]) {
        let more = word.len() + size_of_val(ids) + size_of::<Entry>();
        let Ok(ids_length) = u8::try_from(ids.len()) else { return };
        if word.len() > MAX_WORD || more > self.budget {
            return;
        }
        if self.size() + more > self.budget {
            self.entries.clear();
            self.words.clear();
            self.ids.clear();
        }
        let entry = Entry {
            word: self.words.len() as u32,
            ids: self.ids.len() as u32,
            word_length: word.len() as u8,
            ids_length,
            is_part,
        };
        self.words.extend_from_slice(word);
        self.ids.extend_from_slice(ids);
        let Self { entries, words, hasher, .. } = self;
        entries.insert_unique(hasher.hash_one(word), entry, |entry| {
            let start = entry.word as usize;
            hasher.hash_one(&words[start..start + usize::from(entry.word_length)])
        });
    }

    fn size(&self) -> usize {
        self.words.len()
            + size_of::<u32>() * self.ids.len()
            + size_of::<Entry>() * self.entries.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_still_answers_right() {
        let mut table = LongWords::with_budget(1 << 20);
        let mut known = 0;
        for number in 0..100_000_u32 {
            let word = format!("word{number}");
            for is_part in [false, true] {
                let ids = [number, number + 1, u32::from(is_part)];
                table.insert(word.as_bytes(), is_part, &ids);
                assert_eq!(table.find(word.as_bytes(), is_part), Some(&ids[..]));
            }
            let before = format!("word{}", number / 2);
            let found = table.find(before.as_bytes(), false);
            assert!(found.is_none_or(|ids| ids == [number / 2, number / 2 + 1, 0]));
            known += u32::from(found.is_some());
            assert!(table.size() <= 1 << 20);
        }
        assert!(known > 10_000, "only {known} words were found again");
    }
}
