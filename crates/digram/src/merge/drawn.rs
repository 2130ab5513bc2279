//! Pairs and words drawn at random, for tests.

use super::pairs::{Pairs, Product};
use crate::encode::tests::Random;

/// Some pairs of the symbols below 24: with a table of low ids, and without; with numbers that are ranks, or
/// listed, and with ranks of several products.
pub fn pairs(random: &mut Random, round: usize) -> Pairs {
    let capacity = if round.is_multiple_of(2) { 64 } else { 400 };
    let products = |at: u32| {
        let rank = if at < 24 { at / 3 } else { at };
        Product { rank, merged: 4 + at % 20 }
    };
    let mut pairs = match round % 3 {
        0 => Pairs::by_rank(capacity, 3),
        1 => Pairs::with_capacity(capacity),
        _ => Pairs::of_products((0..capacity as u32).map(products), 2),
    };
    for rank in 0..64 {
        let product = match round % 3 {
            0 => Product { rank, merged: rank },
            1 => Product { rank, merged: 4 + random.below(20) as u32 },
            _ => products(rank),
        };
        pairs.add(random.below(24) as u32, random.below(24) as u32, product);
    }
    pairs
}

/// A word of so many symbols, of few kinds.
pub fn word(random: &mut Random, length: usize) -> Vec<u32> {
    (0..length).map(|_| random.below(6) as u32).collect()
}
