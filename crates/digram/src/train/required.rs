//! Tokens that must be there: their merges come first.
//!
//! Of all pairs in the required tokens, as the merges so far spell these, the most frequent in the
//! words is merged next, ties as ever, until each of them is one symbol. Words are merged along,
//! so what is learned after is learned from words as they are then encoded.

use hashbrown::HashMap;

use crate::error::{Error, Result};
use crate::monitor::Monitor;

use super::corpus::Speller;
use super::heap::Heap;
use super::learn::Learner;
use super::options::LearnOptions;
use super::pairs::Pair;
use super::ties::{Candidate, TieRule};

/// The required tokens as symbols.
pub(super) struct Required {
    words: Vec<Vec<u32>>,
    /// The words that each pair was ever seen in.
    holders: HashMap<Pair, Vec<u32>>,
}

impl Required {
    /// The required tokens, spelled as words are.
    pub fn new(speller: &dyn Speller, options: &LearnOptions, monitor: &Monitor) -> Result<Self> {
        let spell = |(word, is_whole): (&str, bool)| {
            let mut symbols = Vec::new();
            speller.spell(word.as_bytes(), is_whole, &mut symbols, monitor)?;
            Ok(symbols)
        };
        let words = options.required_words().map(spell).collect::<Result<_>>()?;
        let mut required = Self { words, holders: HashMap::new() };
        for index in 0..required.words.len() {
            for place in 1..required.words[index].len() {
                required.note(index, place);
            }
        }
        Ok(required)
    }

    /// Notes the pair of a word that ends at `place`.
    fn note(&mut self, index: usize, place: usize) -> Pair {
        let pair = Pair::new(self.words[index][place - 1], self.words[index][place]);
        let holders = self.holders.entry(pair).or_default();
        if holders.last() != Some(&(index as u32)) {
            holders.push(index as u32);
        }
        pair
    }

    /// Whether each of them is one symbol.
    pub fn is_made(&self) -> bool {
        self.words.iter().all(|word| word.len() == 1)
    }

    fn holds(&self, pair: Pair) -> bool {
        let [left, right] = [pair.left(), pair.right()];
        self.holders.get(&pair).is_some_and(|holders| {
            let is_here = |&index: &u32| self.words[index as usize].windows(2);
            holders.iter().flat_map(is_here).any(|two| two == [left, right])
        })
    }

    /// Merges a pair wherever it is, and tells which pairs there are for it.
    fn merge(&mut self, pair: Pair, merged: u32) -> Vec<Pair> {
        let mut made = Vec::new();
        for index in self.holders.remove(&pair).unwrap_or_default() {
            let index = index as usize;
            replace(&mut self.words[index], pair, merged);
            for place in 1..self.words[index].len() {
                let [left, right] = [self.words[index][place - 1], self.words[index][place]];
                if left == merged || right == merged {
                    made.push(self.note(index, place));
                }
            }
        }
        made.sort_unstable();
        made.dedup();
        made
    }
}

/// Replaces each occurrence of a pair, from left to right.
fn replace(symbols: &mut Vec<u32>, pair: Pair, merged: u32) {
    let mut kept: Vec<u32> = Vec::with_capacity(symbols.len());
    for &symbol in symbols.iter() {
        match kept.last_mut() {
            Some(last) if *last == pair.left() && symbol == pair.right() => *last = merged,
            _ => kept.push(symbol),
        }
    }
    *symbols = kept;
}

impl<R: TieRule> Learner<'_, R> {
    /// Makes the required tokens.
    pub(super) fn make(&mut self, required: &mut Required) -> Result<()> {
        let mut heap = Heap::new(Vec::new(), |_, _| false);
        let mut found: Vec<Pair> = required.holders.keys().copied().collect();
        loop {
            found.retain(|&pair| self.tokens.may_merge(pair));
            for pair in found {
                let candidate = self.wanted(pair);
                heap.push(candidate, |one, other| R::before(one, other, &self.tokens));
            }
            let Some(chosen) = self.choose_wanted(&mut heap, required)? else {
                break;
            };
            let merged = self.tokens.len() as u32;
            self.merge(chosen, (0, 0))?;
            found = required.merge(chosen.pair, merged);
        }
        self.check_made(required)?;
        self.pairs.forget_below(self.rarest);
        Ok(())
    }

    /// A pair of required tokens as it is now; it need not occur in any word.
    fn wanted(&mut self, pair: Pair) -> Candidate<R::Key> {
        let absent = Candidate { count: 0, pair, key: R::key(pair, u32::MAX, &self.tokens) };
        self.candidate(pair).unwrap_or(absent)
    }

    fn choose_wanted(
        &mut self,
        heap: &mut Heap<Candidate<R::Key>>,
        required: &Required,
    ) -> Result<Option<Candidate<R::Key>>> {
        while let Some(top) = heap.top() {
            self.monitor.check()?;
            let now = self.wanted(top.pair);
            let before = |one: &_, other: &_| R::before(one, other, &self.tokens);
            if !required.holds(top.pair) {
                heap.pop(before);
            } else if now.count == top.count && now.key == top.key {
                heap.pop(before);
                return Ok(Some(now));
            } else {
                heap.replace_top(now, before);
            }
        }
        Ok(None)
    }

    /// Refuses required tokens that cannot be made, or are too many.
    fn check_made(&self, required: &Required) -> Result<()> {
        let text = |&id: &u32| String::from_utf8_lossy(self.tokens.text(id)).into_owned();
        if let Some(parts) = required.words.iter().find(|word| word.len() > 1) {
            let parts: Vec<String> = parts.iter().map(text).collect();
            return Err(Error::Value(format!(
                "the required token {:?} cannot be made: of its parts {} no two may be merged, \
                 because what they make is too long, a special token, forbidden, or kept apart; \
                 allow it, or leave the token out",
                parts.concat(),
                parts.iter().map(|part| format!("{part:?}")).collect::<Vec<_>>().join(", "),
            )));
        }
        let LearnOptions { vocab_size, num_merges, .. } = self.options;
        let (tokens, merges) = (self.tokens.count(), self.done.merges.len() as u64);
        let by_size = vocab_size.map(|size| ("vocab_size", size, tokens));
        let by_merges = num_merges.map(|number| ("num_merges", number, merges));
        for (name, value, least) in by_size.into_iter().chain(by_merges) {
            if value < least {
                return Err(Error::Value(format!(
                    "{name} is {value}, but with the required tokens, which take {merges} merges, \
                     {least} is the least"
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "required_tests.rs"]
mod tests;
