//! Merging a word of up to 4,096 symbols: ranks in blocks of 64, and the lowest of each block.
//!
//! As in a [`group`](super::group), the rank of each pair stands where its left symbol does, with its place
//! in the block below it; so the least number of a block is its lowest rank, leftmost, and tells where
//! that is. The lowest rank of all is that of the first block that has it. After a merge, the least numbers of
//! the blocks that it touched are found again: one block mostly, which is eight vectors, where a
//! [`heap`](super::heap) goes up and down for each pair and keeps those that are no more.

#![expect(clippy::inline_always, reason = "merging is compiled for each kernel")]

use super::pairs::{EDGE, NO_NUMBER, Pairs};

/// How many pairs are in a block, and how many blocks there are at most.
const SIZE: usize = 64;
/// The most symbols that a word may have here.
pub const MOST: usize = SIZE * SIZE;
/// How many bits a place in a block takes, or a block.
const BITS: u32 = SIZE.trailing_zeros();
/// No rank stands above any place from here on.
const NO_MERGE: u32 = NO_NUMBER << BITS;
/// What follows the last symbol, and stands before the first: a place that no symbol has.
const END: u16 = u16::MAX;

/// Room for a word.
#[derive(Default)]
pub struct Blocks {
    /// The rank of each symbol with the next above its place in the block; [`NO_MERGE`] or more where they do not
    /// merge.
    ranks: Vec<[u32; SIZE]>,
    /// The least of each block.
    lowest: Vec<u32>,
    links: Vec<Link>,
    /// Where each symbol begins that is left.
    starts: Vec<u16>,
}

/// The neighbours of a symbol.
#[derive(Clone, Copy)]
struct Link {
    previous: u16,
    next: u16,
}

impl Blocks {
    /// Merges a word until no pair merges: lowest rank first, leftmost first within a rank; `false`, and nothing,
    /// if it is too long, or has symbols beyond what `pairs` has numbers for.
    #[inline(always)]
    pub fn merge(&mut self, word: &mut Vec<u32>, pairs: &Pairs) -> bool {
        let fits = word.len() <= MOST && pairs.numbered() && word.iter().all(|&id| id < EDGE);
        if fits && !word.is_empty() {
            self.begin(word, pairs);
            while self.step(word, pairs) {}
            self.keep(word);
        }
        fits
    }

    #[inline(always)]
    fn begin(&mut self, word: &[u32], pairs: &Pairs) {
        let last = word.len() - 1;
        let link = |at: usize| Link {
            previous: (at as u16).wrapping_sub(1),
            next: if at == last { END } else { at as u16 + 1 },
        };
        self.links.clear();
        self.links.extend((0..word.len()).map(link));
        self.ranks.clear();
        self.ranks.resize(word.len().div_ceil(SIZE), [NO_MERGE; SIZE]);
        let ranks = self.ranks.as_flattened_mut();
        for (at, pair) in word.windows(2).enumerate() {
            ranks[at] = above(pairs.first_number(pair[0], pair[1]), at);
        }
        self.lowest.clear();
        self.lowest.resize(self.ranks.len(), NO_MERGE);
        for block in 0..self.ranks.len() {
            self.find_lowest(block);
        }
    }

    /// Finds the lowest rank of a block.
    #[inline(always)]
    fn find_lowest(&mut self, block: usize) {
        self.lowest[block] =
            self.ranks[block].iter().fold(NO_MERGE, |least, &rank| least.min(rank));
    }

    /// Where the lowest rank of all stands, leftmost, if there is one; and that rank.
    #[inline(always)]
    fn next(&self) -> Option<(usize, u32)> {
        let above_block = |(block, least): (u32, &u32)| least >> BITS << BITS | block;
        let first = (0..).zip(&self.lowest).map(above_block).fold(NO_MERGE, u32::min);
        let (rank, block) = (first >> BITS, first as usize % SIZE);
        let place = |least: &u32| block * SIZE + *least as usize % SIZE;
        (rank < NO_NUMBER).then(|| (place(&self.lowest[block]), rank))
    }

    /// Carries out the next merge; `false` where there is none.
    #[inline(always)]
    fn step(&mut self, word: &mut [u32], pairs: &Pairs) -> bool {
        let Some((at, rank)) = self.next() else { return false };
        let Link { previous, next: second } = self.links[at];
        let next = self.links[usize::from(second)].next;
        let pair = || (word[at], word[usize::from(second)]);
        let merged = pairs.product_of(rank, pair).merged;
        word[at] = merged;
        self.links[at].next = next;
        if let Some(link) = self.links.get_mut(usize::from(next)) {
            link.previous = at as u16;
        }
        let symbol = |at: u16| word.get(usize::from(at)).copied().unwrap_or(EDGE);
        let left = pairs.seek(symbol(previous), merged);
        let right = pairs.seek(merged, symbol(next));
        let second = usize::from(second);
        // where there is none before, it is as if the first was looked at again
        let (before, left) = if previous == END {
            (at, pairs.sought(right))
        } else {
            (usize::from(previous), pairs.sought(left))
        };
        self.set(second, NO_NUMBER);
        self.set(at, pairs.sought(right));
        self.set(before, left);
        for block in [before / SIZE, second / SIZE] {
            if block != at / SIZE {
                self.find_lowest(block);
            }
        }
        self.find_lowest(at / SIZE);
        true
    }

    #[inline(always)]
    fn set(&mut self, at: usize, rank: u32) {
        self.ranks[at / SIZE][at % SIZE] = above(rank, at);
    }

    /// Keeps the symbols that are left.
    #[inline(always)]
    fn keep(&mut self, word: &mut Vec<u32>) {
        self.starts.clear();
        let mut at = 0;
        while let Some(link) = self.links.get(usize::from(at)) {
            word[self.starts.len()] = word[usize::from(at)];
            self.starts.push(at);
            at = link.next;
        }
        word.truncate(self.starts.len());
    }

    /// Where each symbol began that the last merging left, among those before.
    pub fn starts(&self) -> &[u16] {
        &self.starts
    }
}

/// A rank above its place.
#[inline(always)]
fn above(rank: u32, at: usize) -> u32 {
    rank << BITS | (at % SIZE) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Kernel, Work, compiled};
    use crate::encode::tests::Random;
    use crate::merge::pairs::Product;
    use crate::merge::{drawn, scan};

    struct One<'a>(&'a mut Blocks, &'a mut Vec<u32>, &'a Pairs);

    impl Work for One<'_> {
        type Done = bool;

        #[inline(always)]
        fn work(self) -> bool {
            self.0.merge(self.1, self.2)
        }
    }

    #[test]
    fn words_merge_as_in_a_scan() {
        let (mut random, mut blocks, mut steps) = (Random(17), Blocks::default(), 0);
        for round in 0..300 {
            let pairs = drawn::pairs(&mut random, round);
            let length = random.below([3, 70, 1000][round / 3 % 3]);
            let word = drawn::word(&mut random, length);
            let mut scanned = word.clone();
            scan::merge(&mut scanned, &pairs, &mut Vec::new(), &mut ());
            for kernel in Kernel::available() {
                let mut merged = word.clone();
                assert!(compiled(kernel, One(&mut blocks, &mut merged, &pairs)));
                assert_eq!(merged, scanned, "{word:?}");
            }
            steps += word.len() - scanned.len();
        }
        assert!(steps > 5_000, "only {steps} merges");
    }

    #[test]
    fn of_what_is_left_it_is_told_where_it_began() {
        let mut pairs = Pairs::with_capacity(1);
        pairs.add(1, 2, Product { rank: 0, merged: 3 });
        let mut word = [[0, 1, 2]; MOST / 3].concat();
        let mut blocks = Blocks::default();
        assert!(blocks.merge(&mut word, &pairs));
        assert_eq!(word, [[0, 3]; MOST / 3].concat());
        let starts = (0..MOST as u16 - 1).filter(|at| at % 3 < 2);
        assert!(starts.eq(blocks.starts().iter().copied()));
    }

    #[test]
    fn words_that_do_not_fit_are_left_as_they_are() {
        let (pairs, mut blocks) = (Pairs::with_capacity(1), Blocks::default());
        for mut word in [vec![0; MOST + 1], vec![1, EDGE]] {
            let before = word.clone();
            assert!(!blocks.merge(&mut word, &pairs));
            assert_eq!(word, before);
        }
        assert!(blocks.merge(&mut Vec::new(), &pairs));
        let mut level = Pairs::with_capacity(1);
        level.add(0, 1, Product { rank: 3, merged: 2 });
        assert!(!blocks.merge(&mut vec![0, 1], &level), "a rank that is no number");
    }
}
