//! Merging a word of up to 64 symbols, in place.
//!
//! Nothing is moved while merging: one bit for each symbol says whether it is still there, so its
//! neighbours are the nearest set bits, and the rank of each pair stands where its left symbol
//! does. Each round looks at all ranks for the lowest; that is quadratic, and the fastest for the
//! words of ordinary text. [`scan`](super::scan) does the same in the obvious way.

use super::pairs::{NONE, NOTHING, Product, Products};
use super::there::There;

/// The most symbols that a word may have here.
pub const MOST: usize = 64;

/// The pairs of a word.
struct Candidates {
    /// The rank of each symbol with the next; [`NONE`] where they do not merge.
    ranks: [u32; MOST],
    /// What they become.
    merged: [u32; MOST],
}

impl Candidates {
    #[inline]
    fn set(&mut self, at: usize, product: Product) {
        (self.ranks[at], self.merged[at]) = (product.rank, product.merged);
    }

    /// Where the lowest rank stands among the first `count`, leftmost.
    #[inline]
    fn lowest(&self, count: usize) -> (u32, usize) {
        let (mut best, mut at) = (NONE, 0);
        for (index, &rank) in self.ranks[..count].iter().enumerate() {
            if rank < best {
                (best, at) = (rank, index);
            }
        }
        (best, at)
    }
}

/// Merges `symbols` until no pair merges: lowest rank first, leftmost first within a rank.
///
/// Panics where there are more than [`MOST`].
pub fn merge(symbols: &mut Vec<u32>, pairs: &impl Products) {
    let count = symbols.len();
    let word = &mut symbols[..count.min(MOST)];
    assert_eq!(word.len(), count, "longer words go through the heap");
    let mut candidates = Candidates { ranks: [NONE; MOST], merged: [NONE; MOST] };
    for (at, pair) in word.windows(2).enumerate() {
        candidates.set(at, pairs.product(pair[0], pair[1]));
    }
    let mut there = u64::of(count.max(1));
    loop {
        let (rank, at) = candidates.lowest(count);
        if rank == NONE {
            break;
        }
        word[at] = candidates.merged[at];
        let right = there.behind(at).first();
        there &= !(1 << right);
        candidates.ranks[right] = NONE;
        let next = there.behind(at).first();
        let product = if next < MOST { pairs.product(word[at], word[next]) } else { NOTHING };
        candidates.set(at, product);
        if at > 0 {
            let left = there.before(at);
            candidates.set(left, pairs.product(word[left], word[at]));
        }
    }
    keep(symbols, there);
}

/// Keeps the symbols whose bits are set.
fn keep(symbols: &mut Vec<u32>, mut there: u64) {
    let mut kept = 0;
    let count = there.count();
    while kept < count.min(symbols.len()) {
        symbols[kept] = symbols[there.first()];
        there = there.without_first();
        kept += 1;
    }
    symbols.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::pairs::Pairs;
    use crate::merge::scan;

    #[test]
    fn words_merge_as_in_a_scan() {
        let mut state = 11_u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below
        };
        let mut merges = 0;
        for _ in 0..300 {
            let mut pairs = Pairs::with_capacity(64);
            for rank in 0..64 {
                let product = Product { rank: rank / 2, merged: 4 + random(20) };
                pairs.add(random(24), random(24), product);
            }
            for count in 0..=MOST {
                let mut word: Vec<u32> = (0..count).map(|_| random(6)).collect();
                let mut scanned = word.clone();
                scan::merge(&mut scanned, &pairs, &mut Vec::new(), &mut ());
                merges += count - scanned.len();
                merge(&mut word, &pairs);
                assert_eq!(word, scanned);
            }
        }
        assert!(merges > 10_000, "only {merges} merges");
    }
}
