//! Tells of most hashes that they were never put in.
//!
//! One bit for each, so that all of them are near where what they lead to is not: a vocabulary of 100,000
//! tokens takes 128 KiB here, and 4 MiB in its index.

use crate::arch::prefetch::prefetch;

/// So many bits at least for each hash: of those that were not put in, at most one in eight is taken for one
/// that was.
const BITS: usize = 8;

/// A set of hashes, and some others.
#[derive(Clone)]
pub(super) struct Filter {
    /// As many as a power of two.
    words: Vec<u64>,
}

impl Filter {
    /// An empty set with room for so many.
    pub fn with_capacity(hashes: usize) -> Self {
        Self { words: vec![0; (BITS * hashes).next_power_of_two().div_ceil(64)] }
    }

    /// The word of a hash, and the bit in it: by its upper half.
    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        let upper = hash >> 32;
        ((upper / 64) as usize & (self.words.len() - 1), 1 << (upper % 64))
    }

    pub fn insert(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        self.words[word] |= bit;
    }

    /// Begins to load what [`may_hold`](Self::may_hold) looks at.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.words[self.place(hash).0]);
    }

    /// Whether a hash may have been put in.
    #[inline]
    pub fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.words[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_told_and_most_else_is_not() {
        for count in [0, 1, 5, 100, 4096, 100_000] {
            let mut filter = Filter::with_capacity(count);
            let hash = |number: usize| (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (0..count).for_each(|number| filter.insert(hash(number)));
            (0..count).for_each(|number| filter.prefetch(hash(number)));
            assert!((0..count).all(|number| filter.may_hold(hash(number))));
            let others = (count..count + 1000).filter(|&number| filter.may_hold(hash(number)));
            assert!(others.count() < 300, "of 1,000 others, with {count}");
        }
    }
}
