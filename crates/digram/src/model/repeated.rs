//! Which of many pairs are there twice.
//!
//! Nearly always none is. So first each pair has one of many bits: where no two have the same, no two
//! are the same; and only those that share one are compared.

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use std::hash::BuildHasher;

/// Bits for each pair: of so many pairs, one shares its bit with another by chance.
const BITS: usize = 32;

/// The places of pairs that were there before, ascending.
pub fn repeated(pairs: impl ExactSizeIterator<Item = (u32, u32)> + Clone) -> Vec<usize> {
    let mut bits = vec![0_u64; (BITS * pairs.len()).next_power_of_two().max(64) / 64];
    let mask = 64 * bits.len() - 1;
    let hasher = FixedState::with_seed(0);
    let bit = |pair| hasher.hash_one(pair) as usize & mask;
    let mut shared = HashSet::new();
    for bit in pairs.clone().map(bit) {
        let word = &mut bits[bit / 64];
        if *word >> (bit % 64) & 1 != 0 {
            shared.insert(bit);
        }
        *word |= 1 << (bit % 64);
    }
    if shared.is_empty() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let met = |pair| shared.contains(&bit(pair)) && !seen.insert(pair);
    let places = pairs.map(met).enumerate().filter_map(|(place, met)| met.then_some(place));
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_are_there_twice_are_found_and_no_others() {
        assert_eq!(repeated([].into_iter()), [] as [usize; 0]);
        let all: Vec<(u32, u32)> = (0..300).flat_map(|a| (0..300).map(move |b| (a, b))).collect();
        assert_eq!(repeated(all.iter().copied()), [] as [usize; 0], "some bits are shared");
        let mut some = all.clone();
        for (place, like) in [(5, 3), (80_000, 3), (89_999, 0), (7, 6), (8, 6)] {
            some[place] = all[like];
        }
        assert_eq!(repeated(some.iter().copied()), [5, 7, 8, 80_000, 89_999]);
        assert_eq!(repeated(some.iter().rev().copied()).len(), 5);
        assert_eq!(repeated([(1, 2); 4].into_iter()), [1, 2, 3]);
    }
}
