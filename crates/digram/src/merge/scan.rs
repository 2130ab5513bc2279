//! Merging a short word: look at every pair for the lowest rank, merge it, repeat.
//!
//! Quadratic, and the fastest for the words of ordinary text, which have a handful of symbols.

use super::pairs::{NONE, Products};
use super::{Observer, Step};

/// Merges `symbols` until no pair merges: lowest rank first, leftmost first within a rank.
///
/// `ranks` is room to work in.
pub fn merge(
    symbols: &mut Vec<u32>,
    pairs: &impl Products,
    ranks: &mut Vec<u32>,
    observer: &mut impl Observer,
) {
    ranks.clear();
    ranks.extend(symbols.windows(2).map(|pair| pairs.product(pair[0], pair[1]).rank));
    while let Some(at) = lowest(ranks) {
        let (left, right) = (symbols[at], symbols[at + 1]);
        let product = pairs.product(left, right);
        observer.merged(Step { at, left, right, product });
        symbols[at] = product.merged;
        symbols.remove(at + 1);
        ranks.remove(at);
        if at > 0 {
            ranks[at - 1] = pairs.product(symbols[at - 1], symbols[at]).rank;
        }
        if at < ranks.len() {
            ranks[at] = pairs.product(symbols[at], symbols[at + 1]).rank;
        }
    }
}

/// Where the lowest rank stands, leftmost; `None` where no pair merges.
fn lowest(ranks: &[u32]) -> Option<usize> {
    let (mut best, mut at) = (NONE, None);
    for (index, &rank) in ranks.iter().enumerate() {
        if rank < best {
            (best, at) = (rank, Some(index));
        }
    }
    at
}
