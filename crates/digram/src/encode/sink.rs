//! Where ids go: into a list, or into a sum.
//!
//! Threads that share a text have a sink each, and what went into them is put together in order: so
//! a sum needs no list.

use super::words;
use crate::arch::append::{MOST, Packed, Packing, append, count};

/// A list for the ids of so many bytes: in most texts half as many at most, and room for what is written
/// before it is counted: two values at most for each of the words that go together. What is not written
/// is mostly no memory, and to move a list that is too short takes longer than all of its pages.
pub fn list_for(bytes: usize) -> Vec<u32> {
    Vec::with_capacity(MOST.saturating_mul(bytes).min(bytes / 2 + 2 * MOST * words::MOST))
}

/// Where ids go.
pub trait Sink: Send + Sized {
    /// An empty one, for the ids of so many bytes.
    fn of_bytes(bytes: usize) -> Self;
    /// Takes over what went into another.
    fn take_over(&mut self, other: Self);
    /// Takes the ids of words that have a few each.
    fn values(&mut self, values: &[Packed], packing: Packing);
    /// Takes the ids of one word.
    fn ids(&mut self, ids: &[u32]);
    /// How many ids went into it.
    fn so_far(&self) -> usize;
}

impl Sink for Vec<u32> {
    fn of_bytes(bytes: usize) -> Self {
        list_for(bytes)
    }

    fn take_over(&mut self, other: Self) {
        self.extend(other);
    }

    #[inline]
    fn values(&mut self, values: &[Packed], packing: Packing) {
        append(packing, self, values);
    }

    fn ids(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }

    fn so_far(&self) -> usize {
        self.len()
    }
}

/// Counts ids.
impl Sink for usize {
    fn of_bytes(_: usize) -> Self {
        0
    }

    fn take_over(&mut self, other: Self) {
        *self += other;
    }

    #[inline]
    fn values(&mut self, values: &[Packed], _: Packing) {
        *self += values.iter().map(|&packed| count(packed)).sum::<usize>();
    }

    fn ids(&mut self, ids: &[u32]) {
        *self += ids.len();
    }

    fn so_far(&self) -> usize {
        *self
    }
}
