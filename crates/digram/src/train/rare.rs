//! Pairs that are too rare to be merged are not kept.
//!
//! Most of the pairs that merges make occur once or twice, and learning ends long before their
//! turn: kept, they would be most of what is kept. How rare the last pair may be is known ahead.
//! Once all pairs are merged that occur *c* times or more, each word that occurs so often is one
//! symbol, as any pair left in it would occur as often. No two words are made by one merge. So of
//! *n* merges the last has a pair that occurs at least as often as the *n*-th word of two symbols
//! or more, by how often they occur; what is rarer is never merged. Counts only fall, so what is
//! too rare stays so.
//!
//! The proof lets all pairs merge, the most frequent first. Where some may not, where required
//! tokens come first, or single occurrences were left out though their turn comes, no pair is left before the end: then all are counted again, the rare ones
//! among them, in the words as they are then. So rarity decides about time, never about merges.

use crate::error::Result;

use super::corpus::Corpus;
use super::learn::Learner;
use super::pairs::Pairs;
use super::queue::Queue;
use super::ties::TieRule;
use super::tokens::Tokens;

/// Pairs that occur less are left out while there are others.
const FEW: u64 = 2;
/// Words that occur so often, or more, are not told apart.
const MANY: usize = 1 << 12;

/// How many words occur how often.
pub(super) struct Histogram(Vec<u32>);

impl Histogram {
    /// No words yet.
    pub fn new() -> Self {
        Self(vec![0; MANY + 1])
    }

    /// Adds a word that occurs `count` times.
    pub fn add(&mut self, count: u64) {
        self.0[count.min(MANY as u64) as usize] += 1;
    }

    /// How often the `n`-th of the words occurs at least, the most frequent first; 0 where there
    /// are fewer.
    pub fn nth(&self, n: u64) -> u64 {
        let mut words = 0;
        let reaches = |&count: &usize| {
            words += u64::from(self.0[count]);
            words >= n
        };
        (0..=MANY).rev().find(reaches).unwrap_or(0) as u64
    }
}

/// The least count of a pair that is worth keeping, of those that may be merged.
///
/// All where constraints may refuse many: to find that no pair is left, all would be counted.
pub(super) fn least_kept(
    (corpus, tokens): (&Corpus, &Tokens),
    min_frequency: u64,
    merges: Option<u64>,
) -> u64 {
    if tokens.are_constrained() {
        return min_frequency.max(1);
    }
    let last = merges.map_or(0, |merges| corpus.histogram.nth(merges));
    min_frequency.max(last).max(FEW)
}

impl<R: TieRule> Learner<'_, R> {
    /// Counts all pairs again if rare ones were left out, or tells that none was.
    pub(super) fn recall_rare(&mut self) -> Result<bool> {
        let least = self.options.min_frequency.max(1);
        if self.pairs.least <= least {
            return Ok(false);
        }
        self.corpus.close_up(&self.tokens, self.monitor)?;
        self.tokens.forget_spans();
        self.pairs = Pairs::new(least); // what was kept goes before the new pairs come
        self.pairs = self.corpus.count_pairs(least, &self.tokens, self.monitor)?;
        self.queue = Queue::of::<R>(&self.pairs, &self.tokens, self.monitor)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Units;
    use crate::train::tests::{assert_same, run};
    use crate::train::{LearnOptions, Ties, WordCounts, naive};

    #[test]
    fn the_nth_word_is_found_from_the_most_frequent_on() {
        let mut histogram = Histogram::new();
        for count in [7, 1, 3, 1 << 40, 3] {
            histogram.add(count);
        }
        let found = [1, 2, 3, 4, 5, 6].map(|n| histogram.nth(n));
        assert_eq!(found, [MANY as u64, 7, 3, 3, 1, 0]);
    }

    /// Words that stay longer than their ends are looked for, and move as the others shrink.
    #[test]
    fn long_words_have_their_ends_where_they_are_closed_up_to() {
        let long: String = ('\u{4e00}'..).take(100).collect();
        let words = [("abab", 9), (&*long, 1), ("abcd", 1)];
        let words = words.map(|(word, count)| (word.as_bytes().to_vec(), count));
        let counts = WordCounts::from_pairs(words.clone()).expect("small counts");
        for (_, ties) in Ties::NAMES {
            let units = Units::Chars;
            let options = LearnOptions { units, ties, min_frequency: 1, ..LearnOptions::default() };
            assert_same(&run(&counts, &options), &naive::learn(&words, &options), &options);
        }
    }

    #[test]
    fn single_occurrences_come_at_last_in_words_closed_up() {
        let long = ["ab".repeat(70), "abc".repeat(50), "ca".repeat(40)].concat();
        let words = [("abab", 9), ("cab", 4), (&long, 1), ("dcba", 1), ("dd", 1), ("a", 1)];
        let words = words.map(|(word, count)| (word.as_bytes().to_vec(), count));
        let counts = WordCounts::from_pairs(words.clone()).expect("small counts");
        for (_, ties) in Ties::NAMES {
            for num_merges in [None, Some(5), Some(9), Some(12)] {
                let options = LearnOptions {
                    ties,
                    num_merges,
                    units: Units::Chars,
                    min_frequency: 1,
                    ..LearnOptions::default()
                };
                assert_same(&run(&counts, &options), &naive::learn(&words, &options), &options);
            }
        }
    }
}
