//! Counts of words that are too long for a key.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::distinct::Distinct;
use super::run::Record;
use super::tally::SHARDS;

/// The bits above tell a word's shard: those at both ends are the table's.
const SHARD_SHIFT: u32 = 40;

/// Words and their counts: a table of references into one list of bytes.
#[derive(Default)]
pub(super) struct LongWords {
    entries: HashTable<Long>,
    arena: Vec<u8>,
}

/// A word by where it lies, how often it was seen, and where first.
#[derive(Clone, Copy)]
pub(super) struct Long {
    start: u64,
    length: u64,
    pub count: u64,
    pub first: u64,
}

/// Words and their counts in several tables, each word in that of its hash.
#[derive(Default)]
pub(super) struct LongShards {
    pub shards: [LongWords; SHARDS],
    /// Those that were met, since it was last asked.
    pub new: Distinct,
}

impl LongShards {
    /// Counts a word `times` times, seen at `place`.
    pub fn add(&mut self, word: &[u8], times: u64, place: u64) {
        let hash = hash(word);
        self.new.note(hash);
        self.shards[(hash >> SHARD_SHIFT) as usize % SHARDS].add(hash, word, times, place);
    }
}

impl LongWords {
    /// How many bytes the table and the words take.
    pub fn bytes(&self) -> usize {
        self.entries.allocation_size() + self.arena.capacity()
    }

    /// All words, in no order, and the bytes that they refer to.
    pub fn into_words(self) -> (Vec<Long>, Vec<u8>) {
        (self.entries.into_iter().collect(), self.arena)
    }

    /// Adds all that `other` counted; the smaller table goes into the larger.
    pub fn merge(&mut self, mut other: Self) {
        if self.entries.len() < other.entries.len() {
            std::mem::swap(self, &mut other);
        }
        for entry in &other.entries {
            let word = entry.of(&other.arena);
            self.add(hash(word), word, entry.count, entry.first);
        }
    }

    fn add(&mut self, hash: u64, word: &[u8], times: u64, place: u64) {
        let Self { entries, arena } = self;
        if let Some(entry) = entries.find_mut(hash, |entry| entry.of(arena) == word) {
            entry.count += times;
            entry.first = entry.first.min(place);
        } else {
            let entry = Long::new(arena.len(), Record { word, count: times, first: place });
            arena.extend_from_slice(word);
            entries.insert_unique(hash, entry, |entry| self::hash(entry.of(arena)));
        }
    }
}

impl Long {
    /// The word of a record, whose bytes begin at `start`.
    pub fn new(start: usize, record: Record) -> Self {
        let Record { word, count, first } = record;
        Self { start: start as u64, length: word.len() as u64, count, first }
    }

    /// The word with its bytes, which are among those of its table.
    pub fn record(self, arena: &[u8]) -> Record<'_> {
        Record { word: self.of(arena), count: self.count, first: self.first }
    }

    /// The word's bytes, among those of its table.
    pub fn of(self, arena: &[u8]) -> &[u8] {
        &arena[self.start as usize..][..self.length as usize]
    }
}

fn hash(word: &[u8]) -> u64 {
    FixedState::with_seed(1).hash_one(word)
}
