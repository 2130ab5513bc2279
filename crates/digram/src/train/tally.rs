//! Words and how often they were seen, while counting.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::error::{Error, Result};

/// Counts of words, each with the place where it was first seen.
#[derive(Default)]
pub(super) struct Tally {
    entries: HashTable<Entry>,
    arena: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    length: u32,
    count: u64,
    first: u64,
}

impl Tally {
    /// Counts `word` `times` more; `place` is where this was seen.
    #[inline]
    pub fn add(&mut self, word: &[u8], times: u64, place: u64) -> Result<()> {
        let Self { entries, arena } = self;
        let hash = hash(word);
        if let Some(entry) = entries.find_mut(hash, |entry| entry.of(arena) == word) {
            entry.count = entry.count.checked_add(times).ok_or_else(|| overflow(word))?;
            entry.first = entry.first.min(place);
        } else {
            let start = arena.len() as u64;
            let entry = Entry { start, length: word.len() as u32, count: times, first: place };
            arena.extend_from_slice(word);
            entries.insert_unique(hash, entry, |entry| self::hash(entry.of(arena)));
        }
        Ok(())
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.entries.is_empty() {
            self.arena.clone_from(&other.arena);
            self.entries.clone_from(&other.entries);
            return Ok(());
        }
        other.entries.iter().try_for_each(|e| self.add(e.of(&other.arena), e.count, e.first))
    }

    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The words and their counts, in the order in which they were first seen.
    pub fn in_order(&self) -> Vec<(&[u8], u64)> {
        let mut entries: Vec<&Entry> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|entry| entry.first);
        entries.into_iter().map(|entry| (entry.of(&self.arena), entry.count)).collect()
    }
}

impl Entry {
    fn of(self, arena: &[u8]) -> &[u8] {
        &arena[self.start as usize..][..self.length as usize]
    }
}

fn hash(word: &[u8]) -> u64 {
    FixedState::with_seed(1).hash_one(word)
}

fn overflow(word: &[u8]) -> Error {
    let word = String::from_utf8_lossy(word);
    Error::Limit(format!("the count of the word {word:?} is larger than {}", u64::MAX))
}
