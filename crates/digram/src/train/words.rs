//! Word counts: what counting gives and learning takes.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::OnceLock;

use crate::error::{Error, Result};

/// How often each word occurs, in the order in which the words were first seen.
///
/// ```
/// use digram::train::WordCounts;
///
/// let mut counts = WordCounts::new();
/// for (word, count) in [("low", 5), ("new", 2), ("low", 1)] {
///     counts.push(word.as_bytes(), count)?;
/// }
/// assert_eq!(counts.iter().collect::<Vec<_>>(), [(&b"low"[..], 6), (&b"new"[..], 2)]);
/// assert_eq!((counts.len(), counts.total()), (2, 8));
/// # Ok::<(), digram::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct WordCounts {
    arena: Vec<u8>,
    ends: Vec<usize>,
    counts: Vec<u64>,
    total: u64,
    /// Where each word is: made when it is first asked for.
    index: OnceLock<HashTable<u32>>,
}

impl WordCounts {
    /// No words yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counts of `words`; the counts of equal words are added up.
    pub fn from_pairs<W: AsRef<[u8]>>(words: impl IntoIterator<Item = (W, u64)>) -> Result<Self> {
        let mut counts = Self::new();
        for (word, count) in words {
            counts.push(word.as_ref(), count)?;
        }
        Ok(counts)
    }

    /// Counts `count` more occurrences of `word`.
    ///
    /// Fails where the word is empty, the count is 0, or the sum of all counts leaves 64 bits.
    pub fn push(&mut self, word: &[u8], count: u64) -> Result<()> {
        if word.is_empty() {
            let reason = "a word is empty; leave it out, there is nothing to learn from it";
            return Err(Error::Value(reason.into()));
        }
        if count == 0 {
            return Err(Error::Value(format!(
                "the count of {} is 0; a counted word occurs at least once, so leave it out",
                quoted(word)
            )));
        }
        if let Some(known) = self.find(word) {
            self.total = self.total.checked_add(count).ok_or_else(|| too_often(word, count))?;
            self.counts[known] += count;
            return Ok(());
        }
        self.push_new(word, count)?;
        if let Some(mut index) = self.index.take() {
            insert(&mut index, &self.arena, &self.ends, self.len() - 1);
            self.index = index.into();
        }
        Ok(())
    }

    /// Counts `count` occurrences of a word that is not there yet, nor looked for.
    pub(super) fn push_new(&mut self, word: &[u8], count: u64) -> Result<()> {
        if u32::try_from(self.counts.len()).is_err() {
            return Err(too_many(word));
        }
        self.total = self.total.checked_add(count).ok_or_else(|| too_often(word, count))?;
        self.arena.extend_from_slice(word);
        self.ends.push(self.arena.len());
        self.counts.push(count);
        Ok(())
    }

    /// No words yet, and room for so many with so many bytes together.
    pub(super) fn with_room(words: usize, bytes: usize) -> Self {
        Self {
            arena: Vec::with_capacity(bytes),
            ends: Vec::with_capacity(words),
            counts: Vec::with_capacity(words),
            ..Self::default()
        }
    }

    /// Lists one behind the other, of which no two have a word in common.
    pub(super) fn joined(lists: Vec<Self>) -> Result<Self> {
        let mut lists = lists.into_iter();
        let mut all = lists.next().unwrap_or_default();
        let (words, bytes) = lists
            .as_slice()
            .iter()
            .fold((0, 0), |(words, bytes), list| (words + list.len(), bytes + list.arena.len()));
        all.arena.reserve_exact(bytes);
        all.ends.reserve_exact(words);
        all.counts.reserve_exact(words);
        for list in lists {
            let Some(last) = list.len().checked_sub(1) else { continue };
            if u32::try_from(all.len() + last).is_err() {
                return Err(too_many(list.word(last)));
            }
            let total = all.total.checked_add(list.total);
            all.total = total.ok_or_else(|| too_often(list.word(last), list.counts[last]))?;
            let before = all.arena.len();
            all.arena.extend_from_slice(&list.arena);
            all.ends.extend(list.ends.iter().map(|end| before + end));
            all.counts.extend_from_slice(&list.counts);
        }
        Ok(all)
    }

    fn find(&self, word: &[u8]) -> Option<usize> {
        let index = self.index.get_or_init(|| {
            let mut index = HashTable::with_capacity(self.len());
            (0..self.len()).for_each(|word| insert(&mut index, &self.arena, &self.ends, word));
            index
        });
        let known = index.find(hash(word), |&known| self.word(known as usize) == word)?;
        Some(*known as usize)
    }

    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there is no word at all.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How often all words occur together.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes all words have together, each as often as it occurs.
    pub fn text_bytes(&self) -> u128 {
        self.iter().map(|(word, count)| word.len() as u128 * u128::from(count)).sum()
    }

    /// How often `word` occurs, or `None` where it was never seen.
    pub fn get(&self, word: &[u8]) -> Option<u64> {
        self.find(word).map(|known| self.counts[known])
    }

    /// All words and their counts, in the order first seen.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&[u8], u64)> {
        self.counts.iter().enumerate().map(|(word, &count)| (self.word(word), count))
    }

    fn word(&self, word: usize) -> &[u8] {
        slice(&self.arena, &self.ends, word)
    }
}

impl fmt::Debug for WordCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(word, count)| (quoted(word), count))).finish()
    }
}

fn insert(index: &mut HashTable<u32>, arena: &[u8], ends: &[usize], word: usize) {
    let of = |word: usize| hash(slice(arena, ends, word));
    index.insert_unique(of(word), word as u32, |&known| of(known as usize));
}

fn slice<'a>(arena: &'a [u8], ends: &[usize], word: usize) -> &'a [u8] {
    let start = word.checked_sub(1).map_or(0, |previous| ends[previous]);
    &arena[start..ends[word]]
}

fn hash(word: &[u8]) -> u64 {
    FixedState::with_seed(0).hash_one(word)
}

/// A word as messages show it.
pub(super) fn quoted(word: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(word))
}

fn too_many(word: &[u8]) -> Error {
    let word = quoted(word);
    Error::Limit(format!("{word} is one distinct word too many; the most is 2^32"))
}

fn too_often(word: &[u8], count: u64) -> Error {
    Error::Limit(format!(
        "with {count} times {} the counts add up to more than 2^64 - 1; divide all counts by a \
         common factor",
        quoted(word)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_are_added_up_and_keep_their_first_place() {
        let words = ["b", "a", "b", "c", "a", "b"].map(|word| (word, 2));
        let counts = WordCounts::from_pairs(words).expect("small counts");
        let found: Vec<_> = counts.iter().collect();
        assert_eq!(found, [(&b"b"[..], 6), (&b"a"[..], 4), (&b"c"[..], 2)]);
        assert_eq!((counts.get(b"a"), counts.get(b"d"), counts.total()), (Some(4), None, 12));
    }

    #[test]
    fn many_words_are_all_found_again() {
        let words: Vec<_> = (0..5_000_u64).map(|n| (n.to_string(), n + 1)).collect();
        let counts = WordCounts::from_pairs(words.iter().cloned()).expect("small counts");
        assert!(words.iter().all(|(word, count)| counts.get(word.as_bytes()) == Some(*count)));
    }

    #[test]
    fn a_sum_beyond_64_bits_is_refused_by_name() {
        let mut counts = WordCounts::from_pairs([("a", u64::MAX)]).expect("it just fits");
        let error = counts.push(b"the", 1).expect_err("it overflows");
        assert!(matches!(&error, Error::Limit(message) if message.contains("\"the\"")), "{error}");
    }

    #[test]
    fn empty_words_and_zero_counts_are_refused() {
        let mut counts = WordCounts::new();
        assert!(matches!(counts.push(b"", 1), Err(Error::Value(_))));
        assert!(matches!(counts.push(b"a", 0), Err(Error::Value(_))));
        assert!(counts.is_empty() && counts.total() == 0);
    }
}
