//! Words and how often they were seen, while counting.
//!
//! The words lie in shards, each word in that of its hash (of short and of long ones different
//! hashes): tables of several threads can be put together shard by shard, by all threads at once.

use super::distinct::Distinct;
use super::hot::{Found, Hot};
use super::long::{LongShards, LongWords};
use super::short::{Short, ShortWords};
use crate::encode::table::{MAX_WORD, key};

/// How many shards there are: some for each thread of most machines, and each large enough.
pub(super) const SHARDS: usize = 16;

/// Counts of words, each with the place where it was first seen.
#[derive(Default)]
pub(super) struct Tally {
    hot: Hot,
    short: ShortWords,
    long: LongShards,
    /// How many words were counted.
    pub words: u64,
}

impl Tally {
    /// Counts words once each.
    #[inline]
    pub fn add_all(&mut self, found: Found) {
        let Self { hot, short, long, words } = self;
        *words += found.starts.len() as u64;
        hot.count(found, short, |start, end| {
            let word = &found.text[start as usize..end as usize];
            long.add(word, 1, found.place + u64::from(start));
        });
    }

    /// Counts one word, seen at `place`.
    pub fn add(&mut self, word: &[u8], place: u64) {
        self.words += 1;
        if word.len() > MAX_WORD {
            self.long.add(word, 1, place);
        } else {
            let key = key(word, 0, word.len() as u32);
            self.short.add(Short { key, count: 1, first: place });
        }
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: Self) {
        self.words += other.words;
        let (short, mut long) = other.into_words();
        self.short.merge(short);
        self.long.new.take_from(&mut long.new);
        for (mine, theirs) in self.long.shards.iter_mut().zip(long.shards) {
            mine.merge(theirs);
        }
    }

    /// How many bytes all of it takes; the most, where tables would grow soon.
    pub fn bytes(&self) -> usize {
        let long: usize = self.long.shards.iter().map(LongWords::bytes).sum();
        // the table that is left is there until the new one, some times as large, is filled
        let new = if self.short.is_nearly_full() { self.short.times() } else { 0 };
        let short = self.short.bytes() * (1 + new);
        self.hot.bytes() + short + long
    }

    /// Notes all words in `distinct`, but for those that were noted before.
    pub fn note(&mut self, distinct: &mut Distinct) {
        distinct.take_from(&mut self.short.new);
        distinct.take_from(&mut self.long.new);
        self.hot.note(distinct);
    }

    /// What was counted.
    pub fn into_words(mut self) -> (ShortWords, LongShards) {
        self.hot.flush(&mut self.short);
        (self.short, self.long)
    }
}
