//! Merging a very long word: all places of a rank in one pass, then those of the next, O(n log n).
//!
//! A heap of all pairs of a long word goes anywhere in memory for each step. Here places wait in a
//! list for each rank, and only the ranks in a heap. The places of the lowest rank are sorted, as
//! they nearly are, and merged from left to right: memory is read in order, and what comes next can
//! be asked for before.
//!
//! Merging makes pairs of higher ranks, nearly always. Where one is made that goes first, the pass
//! is left off and gone on with later; places that its rank is given meanwhile wait in a small heap
//! beside it. So the order is that of [`heap`](super::heap), whatever the ranks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::take;

use foldhash::HashMap;

use super::pairs::{NONE, Products};
use crate::arch::prefetch::prefetch;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;

/// Steps between two looks at the monitor.
const STEPS_PER_CHECK: usize = 1024;
/// How many places ahead memory is asked for.
const AHEAD: usize = 12;
/// What follows the last symbol, and stands before the first.
const END: u32 = u32::MAX;

/// Merges `symbols` until no pair merges: lowest rank first, leftmost first within a rank.
pub fn merge(symbols: &mut Vec<u32>, pairs: &impl Products, monitor: &Monitor) -> Result<()> {
    memory::expect(2 * size_of::<Node>() * symbols.len())?;
    let mut queue = Queue::default();
    let mut list = list_of(symbols);
    symbols.clear();
    for at in 0..list.len() as u32 {
        if (at as usize).is_multiple_of(STEPS_PER_CHECK) {
            monitor.check()?;
        }
        enter(&mut list, &mut queue, pairs, at);
    }
    let mut steps = 0_usize;
    while let Some((rank, mut wave)) = queue.pop() {
        while let Some(at) = wave.next(&list) {
            steps += 1;
            if steps.is_multiple_of(STEPS_PER_CHECK) {
                monitor.check()?;
            }
            // what is merged away, or into another pair, has another rank
            if list[at as usize].rank == rank && join(&mut list, &mut queue, pairs, at) <= rank {
                break;
            }
        }
        queue.put_back(rank, wave);
    }
    let mut at = 0;
    while at != END {
        symbols.push(list[at as usize].symbol);
        at = list[at as usize].next;
    }
    Ok(())
}

/// A symbol, and its neighbours.
#[derive(Clone, Copy)]
struct Node {
    symbol: u32,
    next: u32,
    previous: u32,
    /// Of the pair with the next one; [`NONE`] where that does not merge.
    rank: u32,
}

fn list_of(symbols: &[u32]) -> Vec<Node> {
    let last = symbols.len() as u32 - 1;
    let node = |(at, &symbol): (usize, &u32)| {
        let at = at as u32;
        let next = if at == last { END } else { at + 1 };
        Node { symbol, next, previous: at.wrapping_sub(1), rank: NONE }
    };
    symbols.iter().enumerate().map(node).collect()
}

/// Enters the pair at a place into the queue, if it merges; returns its rank.
fn enter(list: &mut [Node], queue: &mut Queue, pairs: &impl Products, at: u32) -> u32 {
    let Node { symbol, next, .. } = list[at as usize];
    let rank =
        if next == END { NONE } else { pairs.product(symbol, list[next as usize].symbol).rank };
    list[at as usize].rank = rank;
    if rank != NONE {
        queue.push(rank, at);
    }
    rank
}

/// Merges the pair at a place, and enters the pairs that this makes; returns the lowest rank.
fn join(list: &mut [Node], queue: &mut Queue, pairs: &impl Products, at: u32) -> u32 {
    let Node { symbol, next: right, previous, .. } = list[at as usize];
    let Node { symbol: other, next: after, .. } = list[right as usize];
    list[right as usize].rank = NONE;
    list[at as usize].symbol = pairs.product(symbol, other).merged;
    list[at as usize].next = after;
    if after != END {
        list[after as usize].previous = at;
    }
    let own = enter(list, queue, pairs, at);
    if previous == END { own } else { own.min(enter(list, queue, pairs, previous)) }
}

/// Places that wait to be merged, by the ranks of their pairs.
#[derive(Default)]
struct Queue {
    ranks: BinaryHeap<Reverse<u32>>,
    numbers: HashMap<u32, usize>,
    waves: Vec<Wave>,
    /// The rank that was asked for last, and its number.
    last: Option<(u32, usize)>,
}

impl Queue {
    fn push(&mut self, rank: u32, at: u32) {
        let number = self.number(rank);
        let wave = &mut self.waves[number];
        wave.new.push(at);
        if !std::mem::replace(&mut wave.waits, true) {
            self.ranks.push(Reverse(rank));
        }
    }

    fn number(&mut self, rank: u32) -> usize {
        if let Some((last, number)) = self.last
            && last == rank
        {
            return number;
        }
        let number = *self.numbers.entry(rank).or_insert(self.waves.len());
        if number == self.waves.len() {
            self.waves.push(Wave::default());
        }
        self.last = Some((rank, number));
        number
    }

    /// The lowest rank, and its places.
    fn pop(&mut self) -> Option<(u32, Wave)> {
        let Reverse(rank) = self.ranks.pop()?;
        let number = self.number(rank);
        let mut wave = take(&mut self.waves[number]);
        wave.order();
        Some((rank, wave))
    }

    /// Takes back what is left of the places of a rank.
    fn put_back(&mut self, rank: u32, mut wave: Wave) {
        if wave.is_empty() {
            return;
        }
        let number = self.number(rank);
        let own = &mut self.waves[number];
        wave.new = take(&mut own.new);
        if !own.waits {
            self.ranks.push(Reverse(rank));
        }
        wave.waits = true;
        *own = wave;
    }
}

/// The places of a rank.
#[derive(Default)]
struct Wave {
    /// In order from `done` on.
    places: Vec<u32>,
    done: usize,
    /// Those that came when some of the others were done.
    late: BinaryHeap<Reverse<u32>>,
    /// Those that came last, in any order.
    new: Vec<u32>,
    /// Whether its rank is in the heap.
    waits: bool,
}

impl Wave {
    fn is_empty(&self) -> bool {
        self.done == self.places.len() && self.late.is_empty()
    }

    /// Puts the new places in order.
    fn order(&mut self) {
        let new = take(&mut self.new);
        if !self.is_empty() {
            return self.late.extend(new.into_iter().map(Reverse));
        }
        (self.places, self.done) = (new, 0);
        #[expect(clippy::stable_sort_primitive, reason = "it merges the few ascending runs")]
        self.places.sort();
    }

    /// The first place that is left.
    fn next(&mut self, list: &[Node]) -> Option<u32> {
        let next = self.places.get(self.done).copied();
        if let Some(&Reverse(late)) = self.late.peek()
            && next.is_none_or(|next| late < next)
        {
            self.late.pop();
            return Some(late);
        }
        if let Some(&ahead) = self.places.get(self.done + AHEAD) {
            prefetch(&list[ahead as usize]);
        }
        self.done += usize::from(next.is_some());
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::heap;
    use crate::merge::pairs::{NOTHING, Product};
    use crate::monitor::Nobody;

    /// Any pair may become anything, at any rank.
    struct Any {
        products: Vec<Product>,
        symbols: u32,
    }

    impl Products for Any {
        fn product(&self, left: u32, right: u32) -> Product {
            self.products[(left * self.symbols + right) as usize]
        }
    }

    #[test]
    fn places_of_a_rank_together_merge_as_pairs_one_by_one_do() {
        let mut state = 11_u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below
        };
        let (monitor, mut merged) = (Monitor::new(&Nobody), 0);
        for round in 0..2000 {
            let (symbols, ranks) = (1 + random(12), 1 + random(40));
            let products = (0..symbols * symbols).map(|pair| match random(3) {
                0 => NOTHING,
                // those of trained models rise with what is merged, others need not
                _ if round % 2 == 0 => Product { rank: pair, merged: random(symbols) },
                _ => Product { rank: random(ranks), merged: random(symbols) },
            });
            let any = Any { products: products.collect(), symbols };
            let mut word: Vec<u32> = (0..=random(300)).map(|_| random(symbols)).collect();
            let (before, mut expected) = (word.len(), word.clone());
            heap::merge(&mut expected, &any, &monitor).expect("nobody stops it");
            merge(&mut word, &any, &monitor).expect("nobody stops it");
            assert_eq!(word, expected);
            merged += before - word.len();
        }
        assert!(merged > 100_000, "only {merged} merges: little was tested");
    }
}
