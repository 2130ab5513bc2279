//! Words seen before and their ids: a bounded table, one per thread.
//!
//! Keys are compared in full, so an answer is right or absent. When the budget is spent the table
//! is emptied and fills again: text repeats its words soon enough.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Memory for one table, keys and ids and slots together.
const BUDGET: usize = 8 << 20;
/// Longer words seldom come back, and would fill the table with what is not asked for again.
const MAX_WORD: usize = 64;

/// The table.
pub struct WordTable {
    entries: HashTable<Entry>,
    words: Vec<u8>,
    ids: Vec<u32>,
    hasher: FixedState,
}

#[derive(Clone, Copy)]
struct Entry {
    word: u32,
    ids: u32,
    word_length: u8,
    ids_length: u8,
}

impl Default for WordTable {
    fn default() -> Self {
        Self {
            entries: HashTable::new(),
            words: Vec::new(),
            ids: Vec::new(),
            hasher: FixedState::with_seed(0),
        }
    }
}

impl WordTable {
    /// Appends the ids of `word` to `ids`, from the table, or else as `encode` writes them.
    #[inline]
    pub fn look_up<E>(
        &mut self,
        word: &str,
        ids: &mut Vec<u32>,
        encode: impl FnOnce(&mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        if word.len() > MAX_WORD {
            return encode(ids);
        }
        let hash = self.hasher.hash_one(word.as_bytes());
        if let Some(entry) = self.entries.find(hash, |entry| self.word(entry) == word.as_bytes()) {
            let start = entry.ids as usize;
            ids.extend_from_slice(&self.ids[start..start + usize::from(entry.ids_length)]);
            return Ok(());
        }
        let before = ids.len();
        encode(ids)?;
        self.insert(hash, word, &ids[before..]);
        Ok(())
    }

    fn word(&self, entry: &Entry) -> &[u8] {
        let start = entry.word as usize;
        &self.words[start..start + usize::from(entry.word_length)]
    }

    fn insert(&mut self, hash: u64, word: &str, ids: &[u32]) {
        let more = word.len() + size_of_val(ids) + size_of::<Entry>();
        if self.size() + more > BUDGET {
            self.entries.clear();
            self.words.clear();
            self.ids.clear();
        }
        let Ok(ids_length) = u8::try_from(ids.len()) else { return };
        let entry = Entry {
            word: self.words.len() as u32,
            ids: self.ids.len() as u32,
            word_length: word.len() as u8,
            ids_length,
        };
        self.words.extend_from_slice(word.as_bytes());
        self.ids.extend_from_slice(ids);
        let Self { entries, words, hasher, .. } = self;
        entries.insert_unique(hash, entry, |entry| {
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
        let mut table = WordTable::default();
        for number in 0..400_000_u32 {
            let word = format!("word{number}");
            for _ in 0..2 {
                let mut ids = vec![7];
                table
                    .look_up::<()>(&word, &mut ids, |ids| {
                        ids.extend([number, number + 1]);
                        Ok(())
                    })
                    .expect("no error is possible");
                assert_eq!(ids, [7, number, number + 1]);
            }
            assert!(table.size() <= BUDGET);
        }
    }
}
