//! Merging a long word: a heap of candidate pairs over a linked list, O(n log n).
//!
//! A merge makes the pairs around it stale. They stay in the heap and are recognized when they
//! come up: a symbol only ever grows to the right, so a pair at a position that still has the
//! rank it was entered with is the same pair.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::{NONE, Products};
use super::{Observer, Step};
use crate::error::Result;
use crate::monitor::Monitor;

/// More symbols are merged rank by rank: random letters take less time here at 3,000, and more at
/// 10,000, when the heap no longer fits the nearest caches.
pub const MOST: usize = 1 << 12;
/// Merges between two looks at the monitor: some 100 µs of work.
const MERGES_PER_CHECK: usize = 1024;
/// What follows the last symbol.
const END: u32 = u32::MAX;

/// Merges `symbols` until no pair merges: lowest rank first, leftmost first within a rank.
pub fn merge(symbols: &mut Vec<u32>, pairs: &impl Products, monitor: &Monitor) -> Result<()> {
    merge_observed(symbols, pairs, monitor, &mut ())
}

/// The same, telling each merge; its place is that of the left symbol among those at first.
pub fn merge_observed(
    symbols: &mut Vec<u32>,
    pairs: &impl Products,
    monitor: &Monitor,
    observer: &mut impl Observer,
) -> Result<()> {
    let mut list = List::new(symbols);
    let mut heap = BinaryHeap::with_capacity(symbols.len());
    for at in 0..symbols.len() as u32 - 1 {
        list.push(&mut heap, pairs, at);
    }
    let mut steps = 0_usize;
    while let Some(Reverse((rank, at))) = heap.pop() {
        steps += 1;
        if steps.is_multiple_of(MERGES_PER_CHECK) {
            monitor.check()?;
        }
        let Some(right) = list.right_of(at) else { continue };
        let (left, next) = (list.symbols[at as usize], list.symbols[right as usize]);
        let product = pairs.product(left, next);
        if product.rank != rank {
            continue;
        }
        observer.merged(Step { at: at as usize, left, right: next, product });
        list.join(at, right, product.merged);
        if let Some(left) = list.left_of(at) {
            list.push(&mut heap, pairs, left);
        }
        list.push(&mut heap, pairs, at);
    }
    *symbols = list.remaining();
    Ok(())
}

/// Symbols as a doubly linked list in place; a symbol merged away keeps [`END`] as its `next`
/// and has no id.
struct List {
    symbols: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl List {
    fn new(symbols: &[u32]) -> Self {
        let last = symbols.len() as u32 - 1;
        Self {
            symbols: symbols.to_vec(),
            next: (1..=last).chain([END]).collect(),
            previous: [END].into_iter().chain(0..last).collect(),
        }
    }

    fn right_of(&self, at: u32) -> Option<u32> {
        let next = self.next[at as usize];
        (next != END).then_some(next)
    }

    fn left_of(&self, at: u32) -> Option<u32> {
        let previous = self.previous[at as usize];
        (previous != END).then_some(previous)
    }

    fn push(&self, heap: &mut BinaryHeap<Reverse<(u32, u32)>>, pairs: &impl Products, at: u32) {
        let Some(right) = self.right_of(at) else { return };
        let rank = pairs.product(self.symbols[at as usize], self.symbols[right as usize]).rank;
        if rank != NONE {
            heap.push(Reverse((rank, at)));
        }
    }

    fn join(&mut self, at: u32, right: u32, merged: u32) {
        let after = self.next[right as usize];
        self.symbols[at as usize] = merged;
        self.next[at as usize] = after;
        self.next[right as usize] = END;
        if after != END {
            self.previous[after as usize] = at;
        }
    }

    /// The symbols that are left; the first is never merged away.
    fn remaining(&self) -> Vec<u32> {
        let mut symbols = Vec::new();
        let mut at = 0;
        while at != END {
            symbols.push(self.symbols[at as usize]);
            at = self.next[at as usize];
        }
        symbols
    }
}
