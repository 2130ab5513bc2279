//! Merging a very long word by stretches that overlap, in time that grows as the word does.
//!
//! **Lemma.** Symbols are what merging makes of a word exactly if each two neighbours are what it makes of
//! them alone. For what it makes of a word, no merge crosses any of its borders, so between two of
//! them all goes on as if there were nothing else: that is one direction. For the other: take the
//! first merge that crosses a border between such symbols. Until then the two beside it went on as they
//! do alone, and this merge has the lowest rank in the word, leftmost, and so in the two; so they
//! would merge alone, too, which they do not.
//!
//! So stretches of a word are merged by themselves, each from some symbols before the end of the one
//! before. Where both have the same symbol at the same place, what the first has up to it and the
//! second has from it on are neighbours in a stretch, each two of them, and so what merging makes of
//! the whole. They nearly always agree at once: what is before a border that stays has no influence on what is
//! behind it. Where they never do, the word is merged whole. A stretch of the same symbols as the one before is
//! not merged again: so runs of blanks, of one letter, or of a few that come again, take next to no time.

#![expect(clippy::inline_always, reason = "merging is compiled for each kernel")]

use std::ops::Range;

use super::blocks::{self, Blocks};
use super::pairs::Pairs;
use crate::error::Result;
use crate::monitor::Monitor;

/// Shorter words are merged whole, and stretches go on so far behind the last.
pub const LEAST: usize = 512;
/// So many symbols before the end of a stretch the next one begins; if they do not agree, then from further back.
const BACK: [usize; 3] = [8, 64, blocks::MOST];

/// What merging makes of a word: lowest rank first, leftmost first within a rank; `None` where stretches do not
/// agree, or it has symbols that [`Blocks`] do not merge.
#[inline(always)]
pub fn merge(
    word: &[u32],
    pairs: &Pairs,
    blocks: &mut Blocks,
    monitor: &Monitor,
) -> Result<Option<Vec<u32>>> {
    let mut merged = Vec::new();
    let mut known = Stretch::default();
    while known.end < word.len() {
        monitor.check()?;
        let end = word.len().min(known.end + LEAST);
        let Some((before, next)) = go_on(word, &known, end, pairs, blocks) else {
            return Ok(None);
        };
        merged.extend_from_slice(&known.symbols[known.begin..before]);
        known = next;
    }
    merged.extend_from_slice(&known.symbols[known.begin..]);
    Ok(Some(merged))
}

/// A stretch of a word, merged.
#[derive(Default)]
struct Stretch {
    symbols: Vec<u32>,
    /// Where each begins in the word.
    starts: Vec<usize>,
    /// Where the last one ends.
    end: usize,
    /// From which on they are known to follow what was merged before.
    begin: usize,
}

impl Stretch {
    /// Merges a stretch, from `start` to `end`, if it is not too long.
    #[inline(always)]
    fn of(word: &[u32], range: Range<usize>, pairs: &Pairs, blocks: &mut Blocks) -> Option<Self> {
        let Range { start, end } = range;
        let mut symbols = word[start..end].to_vec();
        let is_merged = blocks.merge(&mut symbols, pairs);
        let starts = blocks.starts().iter().map(|&at| start + usize::from(at)).collect();
        is_merged.then_some(Self { symbols, starts, end, begin: 0 })
    }

    /// What merging makes of `range`, if its symbols are those that this is made of.
    #[inline(never)]
    fn again(&self, word: &[u32], range: Range<usize>) -> Option<Self> {
        let start = *self.starts.first()?;
        let is_same = word[range.clone()] == word[start..self.end];
        is_same.then(|| Self {
            symbols: self.symbols.clone(),
            starts: self.starts.iter().map(|at| at - start + range.start).collect(),
            end: range.end,
            begin: 0,
        })
    }

    /// The first place from `from` on where both have the same symbol.
    fn agrees(&self, from: usize, other: &Self) -> Option<(usize, usize)> {
        let (mut here, mut there) = (from, 0);
        while let (Some(own), Some(others)) = (self.starts.get(here), other.starts.get(there)) {
            if own == others && self.symbols[here] == other.symbols[there] {
                return Some((here, there));
            }
            here += usize::from(own <= others);
            there += usize::from(others <= own);
        }
        None
    }
}

/// The next stretch, which ends at `end`, and which symbol of the one before is its first that counts.
#[inline(always)]
fn go_on(
    word: &[u32],
    known: &Stretch,
    end: usize,
    pairs: &Pairs,
    blocks: &mut Blocks,
) -> Option<(usize, Stretch)> {
    if known.end == 0 {
        return Some((0, Stretch::of(word, 0..end, pairs, blocks)?));
    }
    for back in BACK {
        let from = known.symbols.len().saturating_sub(back).max(known.begin);
        let range = known.starts[from]..end;
        let next = match known.again(word, range.clone()) {
            Some(again) => again,
            None => Stretch::of(word, range, pairs, blocks)?,
        };
        if let Some((before, begin)) = known.agrees(from, &next) {
            return Some((before, Stretch { begin, ..next }));
        }
        if from == known.begin {
            break;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::Random;
    use crate::merge::pairs::Product;
    use crate::merge::{drawn, heap};
    use crate::monitor::Nobody;

    fn check(word: &[u32], pairs: &Pairs) -> bool {
        let (monitor, mut expected) = (Monitor::new(&Nobody), word.to_vec());
        let merged = merge(word, pairs, &mut Blocks::default(), &monitor);
        let Some(merged) = merged.expect("nobody stops it") else { return false };
        heap::merge(&mut expected, pairs, &monitor).expect("nobody stops it");
        assert_eq!(merged, expected);
        true
    }

    #[test]
    fn stretches_merge_as_the_whole_does() {
        let (mut random, mut agreed) = (Random(19), 0);
        for round in 0..400 {
            let pairs = drawn::pairs(&mut random, round);
            let length = LEAST + random.below(9 * LEAST);
            let mut word = drawn::word(&mut random, length);
            if round % 4 == 0 {
                // few symbols, many times
                for symbol in &mut word {
                    *symbol %= 2;
                }
            }
            if round % 3 == 0 {
                // the same ones again and again, but for one
                let period = 1 + random.below(12);
                (period..length).for_each(|at| word[at] = word[at - period]);
                let at = random.below(length);
                word[at] = word[random.below(length)];
            }
            agreed += usize::from(check(&word, &pairs));
        }
        assert!(agreed > 350, "only {agreed} words of 400");
    }

    #[test]
    fn where_the_last_symbol_changes_the_first_they_do_not_agree() {
        let mut pairs = Pairs::with_capacity(1);
        pairs.add(0, 1, Product { rank: 0, merged: 1 });
        let mut word = vec![0; 5 * LEAST];
        assert!(check(&word, &pairs));
        word.push(1);
        assert!(!check(&word, &pairs));
        word.extend([2; 3 * LEAST]);
        assert!(!check(&word, &pairs), "what was taken before it is wrong");
        // within reach they do
        let reach = [vec![2; 5 * LEAST], vec![0; 50], vec![1, 2]].concat();
        assert!(check(&reach, &pairs));
    }
}
