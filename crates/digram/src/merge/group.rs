//! Merging several short words together.
//!
//! After each merge a word waits for two pairs to be looked up, and those of a large vocabulary
//! are seldom near. So several words take turns: each does one merge and asks for what it needs
//! next, and by the time it is its turn again, that is there.
//!
//! Nothing here branches on a word's content but its end, and on products that share a rank. An edge stands on both sides of a word,
//! which merges with nothing, so that each symbol has neighbours. The rank of each pair stands
//! where its left symbol does, with that place in the lowest bits: so the least of these numbers is
//! the lowest rank, leftmost within a rank, and tells where it is.
//!
//! All of it is compiled for each kernel ([`compiled`](crate::arch::compiled)), so it is inlined to
//! the last function: with vectors, the least of sixteen ranks and the likest of four pairs are a
//! few instructions.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for any machine")]

use super::bytes::Bytes;
use super::pairs::{EDGE, NO_NUMBER, Pairs, Seek};
use super::there::There;
use super::word::{FIRST, Ids};

/// How many words take turns.
pub const WORDS: usize = 8;
/// The most symbols that a word may have here.
pub const MOST: usize = Lane::<128, u128>::MOST;

/// Words in four sizes.
#[derive(Default)]
pub struct Group {
    short: Vec<Lane<16, u32>>,
    middle: Vec<Lane<32, u32>>,
    long: Vec<Lane<64, u64>>,
    longest: Vec<Lane<128, u128>>,
}

impl Group {
    /// Takes a word in, which `place` names; not if it has too many symbols, or some beyond what
    /// `pairs` has numbers for.
    #[inline(always)]
    pub fn take(&mut self, place: usize, word: &[u32], pairs: &Pairs) -> bool {
        let fits = word.len() <= MOST && pairs.numbered() && word.iter().all(|&id| id < EDGE);
        if !fits {
            return false;
        }
        match word.len() + 2 {
            2..=16 => push(&mut self.short).fill(place, word, pairs),
            17..=32 => push(&mut self.middle).fill(place, word, pairs),
            33..=64 => push(&mut self.long).fill(place, word, pairs),
            _ => push(&mut self.longest).fill(place, word, pairs),
        }
        true
    }

    /// Takes a word of bytes in, given with `0xFF` behind it; not if it is empty or has too many.
    #[inline(always)]
    pub fn take_bytes(&mut self, place: usize, word: u128, length: usize, bytes: &Bytes) -> bool {
        let fits = length.wrapping_sub(1) < Lane::<16, u32>::MOST;
        if fits {
            push(&mut self.short).begin(place, &word.to_le_bytes(), length, bytes);
        }
        fits
    }

    /// Merges the words until no pair merges: lowest rank first, leftmost first within a rank.
    /// Gives the place and the symbols of each to `done`, in any order.
    #[inline(always)]
    pub fn merge(&mut self, pairs: &Pairs, mut done: impl FnMut(usize, Ids)) {
        run(&mut self.short, pairs, &mut done);
        run(&mut self.middle, pairs, &mut done);
        run(&mut self.long, pairs, &mut done);
        run(&mut self.longest, pairs, &mut done);
    }
}

/// One more word, which is to be filled where it lies: a copy in vectors would wait for what was written one by one.
#[inline(always)]
fn push<const ROOM: usize, Bits: There>(
    lanes: &mut Vec<Lane<ROOM, Bits>>,
) -> &mut Lane<ROOM, Bits> {
    lanes.push(Lane::EMPTY);
    lanes.last_mut().expect("it was pushed")
}

/// A word on its way.
#[derive(Clone, Copy)]
struct Lane<const ROOM: usize, Bits> {
    symbols: [u32; ROOM],
    /// The rank of each symbol with the next above its place; `NO_MERGE` or more where they do
    /// not merge.
    ranks: [u32; ROOM],
    /// One bit for each symbol, or edge, that is still there.
    there: Bits,
    /// Where the last merge was, and the symbol before it.
    at: usize,
    left: usize,
    /// The pairs that it made: with the symbol before, and with the one behind.
    made: [Seek; 2],
    place: usize,
}

impl<const ROOM: usize, Bits: There> Lane<ROOM, Bits> {
    /// That of no word.
    const EMPTY: Self = Self {
        symbols: [EDGE; ROOM],
        ranks: [Self::NO_MERGE; ROOM],
        there: Bits::NONE,
        at: 0,
        left: 0,
        made: [Seek::NOTHING; 2],
        place: 0,
    };
    /// The most symbols between two edges.
    const MOST: usize = ROOM - 2;
    /// How many bits a place takes.
    const BITS: u32 = ROOM.trailing_zeros();
    /// No rank stands above any place from here on.
    const NO_MERGE: u32 = NO_NUMBER << Self::BITS;

    /// Makes it that of a word of symbols.
    #[inline(always)]
    fn fill(&mut self, place: usize, word: &[u32], pairs: &Pairs) {
        self.there = Bits::of(word.len() + 2);
        self.place = place;
        self.symbols[1..=word.len()].copy_from_slice(word);
        for (at, pair) in (1..).zip(word.windows(2)) {
            self.ranks[at] = Self::above(pairs.first_number(pair[0], pair[1]), at);
        }
    }

    /// Makes it that of a word of bytes: all that it might have are looked at.
    #[inline(always)]
    fn begin(&mut self, place: usize, word: &[u8; 16], length: usize, bytes: &Bytes) {
        for at in 0..Self::MOST.min(word.len() - 2) {
            self.symbols[at + 1] = bytes.symbol(word, at);
            self.ranks[at + 1] = Self::above(bytes.number(word, at), at + 1);
        }
        self.there = Bits::of(length + 2);
        self.place = place;
    }

    /// A rank above its place.
    #[inline(always)]
    fn above(rank: u32, at: usize) -> u32 {
        rank << Self::BITS | at as u32
    }

    /// Carries out the next merge, and asks for the pairs that it changes; `false` where there is
    /// nothing to merge.
    #[inline(always)]
    fn step(&mut self, pairs: &Pairs) -> bool {
        let least = self.ranks.iter().fold(Self::NO_MERGE, |least, &rank| least.min(rank));
        if least >= Self::NO_MERGE {
            return false;
        }
        let at = least as usize % ROOM;
        let after = self.there.behind(at);
        let second = after.first() % ROOM;
        let pair = || (self.symbols[at], self.symbols[second]);
        let merged = pairs.product_of(least >> Self::BITS, pair).merged;
        let rest = after.without_first();
        let left = self.there.before(at);
        self.there = self.there & !after | rest;
        self.ranks[second] = Self::NO_MERGE;
        self.symbols[at] = merged;
        self.at = at;
        self.left = left % ROOM;
        let right = rest.first() % ROOM;
        self.made = [(self.symbols[self.left], merged), (merged, self.symbols[right])]
            .map(|(left, right)| pairs.seek(left, right));
        true
    }

    /// Looks up the pairs that the last merge has changed.
    #[inline(always)]
    fn refresh(&mut self, pairs: &Pairs) {
        let (left, at) = (self.left % ROOM, self.at % ROOM);
        let [before, after] = self.made;
        self.ranks[left] = Self::above(pairs.sought(before), left);
        self.ranks[at] = Self::above(pairs.sought(after), at);
    }

    /// The symbols that are left, behind them zeros, and how many there are.
    ///
    /// The first are written however many there are: most words have no more, and so no branch depends
    /// on it.
    #[inline(always)]
    fn rest(&mut self) -> ([u32; ROOM], usize) {
        // where nothing is left, the lowest bit is taken to be that of the edge before
        self.symbols[0] = 0;
        let edges = Bits::one(0) | Bits::one(self.there.last());
        let (mut rest, mut there) = ([0; ROOM], self.there & !edges);
        let count = there.count();
        let mut next = || {
            let symbol = self.symbols[there.first() % ROOM];
            there = there.without_first();
            symbol
        };
        let (first, others) = rest.split_at_mut(FIRST);
        first.fill_with(&mut next);
        for place in others.iter_mut().take(count.saturating_sub(first.len())) {
            *place = next();
        }
        (rest, count)
    }
}

/// Merges words, some at a time, and empties the list.
#[inline(always)]
fn run<const ROOM: usize, Bits: There>(
    lanes: &mut Vec<Lane<ROOM, Bits>>,
    pairs: &Pairs,
    done: &mut impl FnMut(usize, Ids),
) {
    while !lanes.is_empty() {
        let first = lanes.len() - lanes.len().min(WORDS);
        let mut ready = 0_u32;
        for (at, lane) in lanes[first..].iter_mut().enumerate() {
            ready |= u32::from(!lane.step(pairs)) << at;
        }
        // from the last on: what takes its place has been looked at
        while ready != 0 {
            let at = ready.ilog2();
            ready ^= 1 << at;
            let lane = &mut lanes[first + at as usize];
            let (place, (rest, count)) = (lane.place, lane.rest());
            lanes.swap_remove(first + at as usize);
            let first = *rest.first_chunk().expect("there is room for so many");
            done(place, Ids { all: &rest[..count], first });
        }
        for lane in &mut lanes[first..] {
            lane.refresh(pairs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::{Kernel, Work, compiled};
    use crate::encode::tests::Random;
    use crate::merge::pairs::Product;
    use crate::merge::{drawn, scan};

    struct All<'a, F>(&'a [Vec<u32>], &'a Pairs, F);

    impl<F: FnMut(usize, Ids)> Work for All<'_, F> {
        type Done = ();

        #[inline(always)]
        fn work(self) {
            let Self(words, pairs, told) = self;
            let mut group = Group::default();
            for (place, word) in words.iter().enumerate() {
                assert!(group.take(place, word, pairs));
            }
            group.merge(pairs, told);
        }
    }

    #[test]
    fn words_merge_as_in_a_scan() {
        let (mut random, mut steps) = (Random(13), 0);
        for round in 0..600 {
            let pairs = drawn::pairs(&mut random, round);
            let longest = 1 + [30, 30, MOST][round / 3 % 3];
            let words: Vec<Vec<u32>> = (0..=random.below(20))
                .map(|_| {
                    let length = random.below(longest);
                    drawn::word(&mut random, length)
                })
                .collect();
            for kernel in Kernel::available() {
                let mut told = vec![false; words.len()];
                let check = |place: usize, Ids { all: left, first }: Ids| {
                    assert_eq!(first, Ids::of(left).first);
                    let mut scanned = words[place].clone();
                    scan::merge(&mut scanned, &pairs, &mut Vec::new(), &mut ());
                    steps += words[place].len() - left.len();
                    assert_eq!(left, scanned, "{:?}", words[place]);
                    told[place] = true;
                };
                compiled(kernel, All(&words, &pairs, check));
                assert!(told.iter().all(|&told| told));
            }
        }
        assert!(steps > 20_000, "only {steps} merges");
    }

    #[test]
    fn words_that_do_not_fit_are_not_taken() {
        let pairs = Pairs::with_capacity(1);
        let mut group = Group::default();
        assert!(!group.take(0, &[0; MOST + 1], &pairs));
        assert!(!group.take(0, &[1, EDGE], &pairs));
        let mut level = Pairs::with_capacity(1);
        level.add(0, 1, Product { rank: 3, merged: 2 });
        assert!(!group.take(0, &[0, 1], &level), "a rank that is no number");
    }
}
