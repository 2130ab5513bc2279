//! The merges of a word one by one, each with its place among the symbols that there are then.

use super::pairs::Products;
use super::{Step, heap, scan};
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;

/// Beyond it a heap is quicker than a scan.
const SHORT: usize = 96;
/// Merges between two looks at the monitor.
const MERGES_PER_CHECK: usize = 1024;

/// Merges `symbols` until no pair merges, and tells all merges, in order. O(n log n).
pub fn merge(
    symbols: &mut Vec<u32>,
    pairs: &impl Products,
    monitor: &Monitor,
) -> Result<Vec<Step>> {
    let count = symbols.len();
    let mut steps = memory::list(count)?;
    if count <= SHORT {
        scan::merge(symbols, pairs, &mut Vec::new(), &mut steps);
        return Ok(steps);
    }
    heap::merge_observed(symbols, pairs, monitor, &mut steps)?;
    let mut standing = Standing::new(count)?;
    for steps in steps.chunks_mut(MERGES_PER_CHECK) {
        monitor.check()?;
        for step in steps {
            step.at = standing.join(step.at);
        }
    }
    Ok(steps)
}

/// Which of the symbols at first still stand for themselves, and have not become part of one before.
///
/// A binary indexed tree (Fenwick 1994): entry `i` counts those of the places below `i` that are not
/// counted by entry `i` without its lowest bit.
struct Standing(Vec<u32>);

impl Standing {
    fn new(count: usize) -> Result<Self> {
        let mut tree = memory::list(count + 1)?;
        tree.extend((0..=count as u32).map(lowest_bit));
        Ok(Self(tree))
    }

    /// Lets a symbol take in the next, and tells how many stand before it.
    fn join(&mut self, at: usize) -> usize {
        let before = self.before(at);
        self.take(before as usize + 1);
        before as usize
    }

    /// How many stand before a place.
    fn before(&self, at: usize) -> u32 {
        let (mut before, mut entry) = (0, at as u32);
        while entry > 0 {
            before += self.0[entry as usize];
            entry -= lowest_bit(entry);
        }
        before
    }

    /// Takes away the one that so many stand before.
    fn take(&mut self, mut before: usize) {
        let mut entry = 0;
        let mut bit = self.0.len().next_power_of_two();
        while bit > 0 {
            match self.0.get(entry + bit) {
                Some(&count) if count as usize <= before => {
                    before -= count as usize;
                    entry += bit;
                }
                Some(_) => self.0[entry + bit] -= 1,
                None => {}
            }
            bit /= 2;
        }
    }
}

fn lowest_bit(entry: u32) -> u32 {
    entry & entry.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::super::pairs::{Pairs, Product};
    use super::*;
    use crate::monitor::Nobody;

    #[test]
    fn a_long_word_is_told_as_by_looking_at_every_pair() {
        // 0 to 3 are symbols, and what two of them make merges once more
        let mut pairs = Pairs::with_capacity(32);
        for (rank, (left, right)) in
            [(0, 1), (1, 1), (2, 0), (4, 4), (3, 4), (5, 2), (0, 0), (7, 3)].into_iter().enumerate()
        {
            pairs.add(left, right, Product { rank: rank as u32, merged: 4 + rank as u32 });
        }
        let mut state = 7_u64;
        for length in [97, 98, 127, 128, 129, 255, 256, 257, 1000] {
            let drawn = (0..length).map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32 % 4
            });
            let symbols: Vec<u32> = drawn.collect();
            let (mut scanned, mut expected) = (symbols.clone(), Vec::new());
            scan::merge(&mut scanned, &pairs, &mut Vec::new(), &mut expected);
            let mut merged = symbols;
            let steps = merge(&mut merged, &pairs, &Monitor::new(&Nobody)).expect("merges");
            assert!(!steps.is_empty());
            assert_eq!((merged, steps), (scanned, expected), "length {length}");
        }
    }
}
