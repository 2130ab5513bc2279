//! Finding many texts at once: the leftmost, and the longest of those that begin there.

use aho_corasick::{AhoCorasick, MatchKind};
use daachorse::{DoubleArrayAhoCorasick, DoubleArrayAhoCorasickBuilder};
use hashbrown::HashSet;

use crate::error::{Error, Result};

/// With more texts than these, an automaton whose making takes linear time. The other one skips
/// what cannot begin any text much faster, but texts that begin with each other cost it the
/// square of their number: 4 s for a hundred thousand.
const FEW: usize = 4096;

/// Finds texts in a text.
pub enum Automaton {
    /// Quick to search.
    Few(AhoCorasick),
    /// Quick to make.
    Many(Box<DoubleArrayAhoCorasick<u32>>),
}

/// Where one of the texts stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which one, in the order given.
    pub which: usize,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Automaton {
    /// An automaton for texts that are not empty; of equal ones the first is found.
    pub fn new<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> Result<Self> {
        let count = texts.len();
        let failed = |error: &dyn std::fmt::Display| {
            Error::Limit(format!("an automaton for {count} added tokens cannot be made: {error}"))
        };
        if count <= FEW {
            let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts);
            return Ok(Self::Few(built.map_err(|error| failed(&error))?));
        }
        let mut seen = HashSet::with_capacity(count);
        let numbered = texts.zip(0..).filter(|&(text, _)| seen.insert(text));
        let built = DoubleArrayAhoCorasickBuilder::new()
            .match_kind(daachorse::MatchKind::LeftmostLongest)
            .build_with_values(numbered);
        Ok(Self::Many(Box::new(built.map_err(|error| failed(&error))?)))
    }

    /// Calls `each` with what is found, in order and without overlaps, until it gives `false`.
    pub fn find(&self, text: &str, mut each: impl FnMut(Found) -> bool) {
        match self {
            Self::Few(automaton) => {
                let found = automaton.find_iter(text);
                let mut found = found.map(|found| Found {
                    which: found.pattern().as_usize(),
                    start: found.start(),
                    end: found.end(),
                });
                found.all(&mut each);
            }
            Self::Many(automaton) => {
                let found = automaton.leftmost_find_iter(text);
                let mut found = found.map(|found| Found {
                    which: found.value() as usize,
                    start: found.start(),
                    end: found.end(),
                });
                found.all(&mut each);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both kinds find in a text.
    fn both(texts: &[&str], text: &str) -> [Vec<Found>; 2] {
        let few = Automaton::new(texts.iter().copied()).expect("few texts");
        // More texts that cannot be in any of the tests' texts.
        let more: Vec<String> = (0..FEW).map(|number| format!("\u{1}{number}")).collect();
        let all = texts.iter().copied().chain(more.iter().map(String::as_str));
        let all: Vec<&str> = all.collect();
        let many = Automaton::new(all.iter().copied()).expect("many texts");
        assert!(matches!((&few, &many), (Automaton::Few(_), Automaton::Many(_))));
        [few, many].map(|automaton| {
            let mut found = Vec::new();
            automaton.find(text, |each| {
                found.push(each);
                true
            });
            found
        })
    }

    #[test]
    fn both_kinds_find_the_leftmost_longest() {
        let texts = ["ab", "abc", "bcd", "é", "ab", "c", "aéa"];
        for text in ["", "abcd", "xabxabcx", "aéaéa", "ccabbcdab", "zzz", "ababc\u{1}"] {
            let [few, many] = both(&texts, text);
            assert_eq!(few, many, "{text:?}");
        }
        let [few, _] = both(&texts, "xabcd");
        assert_eq!(few, [Found { which: 1, start: 1, end: 4 }]);
    }

    #[test]
    fn finding_ends_when_told() {
        let automaton = Automaton::new(["a"].into_iter()).expect("a text");
        let mut count = 0;
        automaton.find("aaaa", |_| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }
}
