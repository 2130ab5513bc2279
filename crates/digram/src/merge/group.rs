//! Merging several short words in lock-step.
//!
//! After each merge a word waits for two pairs to be looked up, and those of a large vocabulary
//! are seldom near. So several words are merged together: each does one merge and asks for what
//! it needs next, and by the time it is its turn again, that is there.

use super::pairs::{NONE, NOTHING, Pairs, Product};

/// How many words are merged together.
pub const WORDS: usize = 8;
/// The most symbols that a word may have here.
pub const MOST: usize = 16;

/// A word on its way; see [`short`](super::short), which does the same for one.
#[derive(Clone)]
pub struct Lane {
    /// Which of the words it is.
    pub place: usize,
    symbols: [u32; MOST],
    /// The rank of each symbol with the next; [`NONE`] where they do not merge.
    ranks: [u32; MOST],
    merged: [u32; MOST],
    /// One bit for each symbol that is still there.
    there: u32,
    /// Where the last merge was; [`MOST`] where nothing is left to merge.
    at: usize,
}

impl Lane {
    /// A word as it begins; `None` where it is too long.
    pub fn of(place: usize, word: &[u32], pairs: &Pairs) -> Option<Self> {
        let mut symbols = [0; MOST];
        symbols.get_mut(..word.len())?.copy_from_slice(word);
        let there = (1 << word.len()) - 1;
        let (ranks, merged) = ([NONE; MOST], [NONE; MOST]);
        let mut lane = Self { place, symbols, ranks, merged, there, at: 0 };
        for (at, pair) in word.windows(2).enumerate() {
            lane.set(at, pairs.get(pair[0], pair[1]));
        }
        Some(lane)
    }

    #[inline]
    fn set(&mut self, at: usize, product: Product) {
        (self.ranks[at], self.merged[at]) = (product.rank, product.merged);
    }

    /// The symbols on both sides of the one at `at`; [`MOST`] and more where there is none.
    #[inline]
    fn around(&self, at: usize) -> (usize, usize) {
        let before = self.there & ((1 << at) - 1);
        let after = self.there >> at >> 1;
        (
            before.checked_ilog2().map_or(MOST, |left| left as usize),
            at + 1 + after.trailing_zeros() as usize,
        )
    }

    /// Carries out the next merge, and asks for the pairs that it changes.
    #[inline]
    fn step(&mut self, pairs: &Pairs) {
        let (mut best, mut at) = (NONE, MOST);
        for (index, &rank) in self.ranks.iter().enumerate() {
            if rank < best {
                (best, at) = (rank, index);
            }
        }
        self.at = at;
        if at == MOST {
            return;
        }
        let (_, right) = self.around(at);
        self.symbols[at] = self.merged[at];
        self.there &= !(1 << right);
        self.ranks[right] = NONE;
        let (left, next) = self.around(at);
        if left < MOST {
            pairs.prefetch(self.symbols[left], self.symbols[at]);
        }
        if next < MOST {
            pairs.prefetch(self.symbols[at], self.symbols[next]);
        }
    }

    /// Looks up the pairs that the last merge has changed.
    #[inline]
    fn refresh(&mut self, pairs: &Pairs) {
        let at = self.at;
        let (left, next) = self.around(at);
        if left < MOST {
            self.set(left, pairs.get(self.symbols[left], self.symbols[at]));
        }
        let product =
            if next < MOST { pairs.get(self.symbols[at], self.symbols[next]) } else { NOTHING };
        self.set(at, product);
    }

    /// Writes the symbols that are left, after clearing what is in `symbols`.
    pub fn write(&self, symbols: &mut Vec<u32>) {
        symbols.clear();
        let mut there = self.there;
        while there != 0 {
            symbols.push(self.symbols[there.trailing_zeros() as usize]);
            there &= there - 1;
        }
    }
}

/// Merges words until no pair merges: lowest rank first, leftmost first within a rank.
pub fn merge(lanes: &mut [Lane], pairs: &Pairs) {
    loop {
        let mut merged = false;
        for lane in lanes.iter_mut().filter(|lane| lane.at < MOST) {
            lane.step(pairs);
            merged |= lane.at < MOST;
        }
        if !merged {
            return;
        }
        for lane in lanes.iter_mut().filter(|lane| lane.at < MOST) {
            lane.refresh(pairs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::scan;

    #[test]
    fn words_merge_as_in_a_scan() {
        let mut state = 13_u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below
        };
        let mut merges = 0;
        for round in 0..600 {
            // with a table of low ids, and without
            let mut pairs = Pairs::with_capacity(if round % 2 == 0 { 64 } else { 400 });
            for rank in 0..64 {
                let product = Product { rank: rank / 2, merged: 4 + random(20) };
                pairs.add(random(24), random(24), product);
            }
            let lengths: Vec<u32> = (0..=random(WORDS as u32)).map(|_| random(17)).collect();
            let words: Vec<Vec<u32>> =
                lengths.iter().map(|&length| (0..length).map(|_| random(6)).collect()).collect();
            let lanes = words.iter().map(|word| Lane::of(0, word, &pairs).expect("it is short"));
            let mut lanes: Vec<Lane> = lanes.collect();
            merge(&mut lanes, &pairs);
            for (word, lane) in words.iter().zip(&lanes) {
                let (mut scanned, mut left) = (word.clone(), Vec::new());
                scan::merge(&mut scanned, &pairs, &mut Vec::new(), &mut ());
                lane.write(&mut left);
                merges += word.len() - left.len();
                assert_eq!(left, scanned, "{word:?}");
            }
        }
        assert!(merges > 1_000, "only {merges} merges");
        let long = [0; MOST + 1];
        assert!(Lane::of(0, &long, &Pairs::with_capacity(1)).is_none());
    }
}
