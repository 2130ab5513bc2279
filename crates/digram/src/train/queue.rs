//! The pairs that wait to be merged, by how often they occur.
//!
//! Most pairs are rare, and are never merged, or late. So only those whose count is that of the
//! best, or less than two times smaller, are kept in a heap; all others wait in rows, one for each
//! power of two, in no order. When the heap is empty, the highest row becomes the heap.

use crate::error::Result;
use crate::monitor::Monitor;

use super::heap::Heap;
use super::pairs::Pairs;
use super::ties::{Candidate, TieRule};
use super::tokens::Tokens;

/// Pairs looked at between two looks at the monitor.
const CHECK: usize = 1 << 12;

/// A queue: the candidate that goes before all others is on top.
///
/// All calls on one queue must be given the same strict order, more frequent pairs first.
pub(super) struct Queue<K> {
    heap: Heap<Candidate<K>>,
    /// By the logarithm of the count.
    rows: Vec<Vec<Candidate<K>>>,
    /// The least count in the heap.
    least: u64,
}

impl<K: Copy> Queue<K> {
    fn new() -> Self {
        let rows = std::iter::repeat_with(Vec::new).take(u64::BITS as usize).collect();
        Self { heap: Heap::new(Vec::new(), |_, _| false), rows, least: u64::MAX }
    }

    /// All pairs, waiting to be merged.
    pub fn of<R: TieRule<Key = K>>(
        pairs: &Pairs,
        tokens: &Tokens,
        monitor: &Monitor,
    ) -> Result<Self> {
        let mut queue = Self::new();
        for (index, (pair, found)) in pairs.iter().enumerate() {
            if index % CHECK == 0 {
                monitor.check()?;
            }
            let key = R::key(pair, pairs.places()[found.start], tokens);
            let candidate = Candidate { count: found.count, pair, key };
            queue.push(candidate, |one, other| R::before(one, other, tokens));
        }
        Ok(queue)
    }

    /// The candidate on top.
    pub fn top(
        &mut self,
        before: impl Fn(&Candidate<K>, &Candidate<K>) -> bool,
    ) -> Option<Candidate<K>> {
        if self.heap.top().is_none() {
            let row = self.rows.iter().rposition(|row| !row.is_empty())?;
            self.heap = Heap::new(std::mem::take(&mut self.rows[row]), before);
            self.least = 1 << row;
        }
        self.heap.top()
    }

    /// Adds a candidate that occurs at all.
    pub fn push(
        &mut self,
        candidate: Candidate<K>,
        before: impl Fn(&Candidate<K>, &Candidate<K>) -> bool,
    ) {
        if candidate.count >= self.least {
            self.heap.push(candidate, before);
        } else {
            self.rows[candidate.count.ilog2() as usize].push(candidate);
        }
    }

    /// How many candidates of the largest count that there is, `count`, satisfy `is_true`.
    pub fn count_first(&self, count: u64, is_true: impl Fn(&Candidate<K>) -> bool) -> u32 {
        self.heap.count(|candidate| candidate.count == count, is_true) as u32
    }

    /// Takes the top away.
    pub fn pop(&mut self, before: impl Fn(&Candidate<K>, &Candidate<K>) -> bool) {
        self.heap.pop(before);
    }

    /// Puts another candidate, which goes behind it, in place of the top.
    pub fn replace_top(
        &mut self,
        candidate: Candidate<K>,
        before: impl Fn(&Candidate<K>, &Candidate<K>) -> bool,
    ) {
        if candidate.count >= self.least {
            self.heap.replace_top(candidate, before);
        } else {
            self.heap.pop(&before);
            self.push(candidate, before);
        }
    }
}
