//! Words and how often they were seen, while counting.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::hot::{Found, Hot};
use super::short::{Short, ShortWords};
use super::words::WordCounts;
use crate::encode::table::{MAX_WORD, key};
use crate::error::Result;

/// Counts of words, each with the place where it was first seen.
#[derive(Default)]
pub(super) struct Tally {
    hot: Hot,
    short: ShortWords,
    long: LongWords,
}

/// Words that are too long for a key.
#[derive(Default)]
struct LongWords {
    entries: HashTable<Long>,
    arena: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Long {
    start: u64,
    length: u64,
    count: u64,
    first: u64,
}

impl Tally {
    /// Counts words once each.
    #[inline]
    pub fn add_all(&mut self, found: Found) {
        let Self { hot, short, long } = self;
        hot.count(found, short, |start, end| {
            let word = &found.text[start as usize..end as usize];
            long.add(word, 1, found.place + u64::from(start));
        });
    }

    /// Counts one word, seen at `place`.
    pub fn add(&mut self, word: &[u8], place: u64) {
        if word.len() > MAX_WORD {
            self.long.add(word, 1, place);
        } else {
            let key = key(word, 0, word.len() as u32);
            self.short.add(Short { key, count: 1, first: place });
        }
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, mut other: Self) {
        other.hot.flush(&mut other.short);
        self.short.merge(other.short);
        self.long.merge(other.long);
    }

    /// The counts, words in the order in which they were first seen.
    pub fn into_counts(mut self) -> Result<WordCounts> {
        self.hot.flush(&mut self.short);
        let Self { short, long, .. } = self;
        let mut long_words: Vec<&Long> = long.entries.iter().collect();
        long_words.sort_unstable_by_key(|word| word.first);
        let mut long_words = long_words.into_iter().peekable();
        let mut counts = WordCounts::default();
        for word in short.in_order() {
            while let Some(long_word) = long_words.next_if(|long| long.first < word.first) {
                counts.push_new(long_word.of(&long.arena), long_word.count)?;
            }
            let (bytes, length) = word.bytes();
            counts.push_new(&bytes[..length], word.count)?;
        }
        for long_word in long_words {
            counts.push_new(long_word.of(&long.arena), long_word.count)?;
        }
        Ok(counts)
    }
}

impl LongWords {
    fn add(&mut self, word: &[u8], times: u64, place: u64) {
        let Self { entries, arena } = self;
        let hash = hash(word);
        if let Some(entry) = entries.find_mut(hash, |entry| entry.of(arena) == word) {
            entry.count += times;
            entry.first = entry.first.min(place);
        } else {
            let start = arena.len() as u64;
            let entry = Long { start, length: word.len() as u64, count: times, first: place };
            arena.extend_from_slice(word);
            entries.insert_unique(hash, entry, |entry| self::hash(entry.of(arena)));
        }
    }

    fn merge(&mut self, other: Self) {
        if self.entries.is_empty() {
            *self = other;
            return;
        }
        for entry in &other.entries {
            self.add(entry.of(&other.arena), entry.count, entry.first);
        }
    }
}

impl Long {
    fn of(self, arena: &[u8]) -> &[u8] {
        &arena[self.start as usize..][..self.length as usize]
    }
}

fn hash(word: &[u8]) -> u64 {
    FixedState::with_seed(1).hash_one(word)
}
