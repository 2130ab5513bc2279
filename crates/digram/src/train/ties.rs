//! The five tie rules, as keys that a heap compares.
//!
//! The heap is lazy: an entry may be better than its pair now is, never worse. Counts only fall;
//! four of the rules look at strings or ids, which stay; and the first occurrence of a pair only
//! moves on, because occurrences only go away and places keep their order. Where they are closed up,
//! all keys are made anew.

use std::cmp::Ordering;

use super::pairs::Pair;
use super::tokens::Tokens;

/// A pair that may be merged next, as it was when last looked at.
#[derive(Clone, Copy)]
pub(super) struct Candidate<K> {
    pub count: u64,
    pub pair: Pair,
    pub key: K,
}

/// How equally frequent pairs are told apart.
pub(super) trait TieRule {
    /// What is kept of a pair to compare it.
    type Key: Copy + PartialEq;

    /// Whether the key depends on where the pair first occurs.
    const MOVES: bool = false;

    /// The key of a pair that first occurs at `first`.
    fn key(pair: Pair, first: u32, tokens: &Tokens) -> Self::Key;

    /// Which of two equally frequent candidates goes first: the lesser one.
    fn compare(
        one: &Candidate<Self::Key>,
        other: &Candidate<Self::Key>,
        tokens: &Tokens,
    ) -> Ordering;

    /// Whether `one` is merged before `other`.
    fn before(one: &Candidate<Self::Key>, other: &Candidate<Self::Key>, tokens: &Tokens) -> bool {
        if one.count != other.count {
            return one.count > other.count;
        }
        let order = Self::compare(one, other, tokens);
        order.then_with(|| one.pair.cmp(&other.pair)).is_lt()
    }
}

pub(super) struct SmallestIds;

impl TieRule for SmallestIds {
    type Key = ();

    fn key(_: Pair, _: u32, _: &Tokens) -> Self::Key {}

    fn compare(_: &Candidate<()>, _: &Candidate<()>, _: &Tokens) -> Ordering {
        Ordering::Equal
    }
}

pub(super) struct FirstSeen;

impl TieRule for FirstSeen {
    type Key = u32;

    const MOVES: bool = true;

    fn key(_: Pair, first: u32, _: &Tokens) -> u32 {
        first
    }

    fn compare(one: &Candidate<u32>, other: &Candidate<u32>, _: &Tokens) -> Ordering {
        one.key.cmp(&other.key)
    }
}

pub(super) struct SmallestStrings;

impl TieRule for SmallestStrings {
    /// The head of the left string: most comparisons need no more.
    type Key = u64;

    fn key(pair: Pair, _: u32, tokens: &Tokens) -> u64 {
        tokens.head(pair.left())
    }

    fn compare(one: &Candidate<u64>, other: &Candidate<u64>, tokens: &Tokens) -> Ordering {
        one.key.cmp(&other.key).then_with(|| compare_strings(one.pair, other.pair, tokens))
    }
}

pub(super) struct LargestStrings;

impl TieRule for LargestStrings {
    type Key = u64;

    fn key(pair: Pair, _: u32, tokens: &Tokens) -> u64 {
        tokens.head(pair.left())
    }

    fn compare(one: &Candidate<u64>, other: &Candidate<u64>, tokens: &Tokens) -> Ordering {
        SmallestStrings::compare(other, one, tokens)
    }
}

pub(super) struct Shortest;

impl TieRule for Shortest {
    /// The product's length in units, and its head.
    type Key = (usize, u64);

    fn key(pair: Pair, _: u32, tokens: &Tokens) -> Self::Key {
        (tokens.length(pair), tokens.product_head(pair))
    }

    fn compare(
        one: &Candidate<Self::Key>,
        other: &Candidate<Self::Key>,
        tokens: &Tokens,
    ) -> Ordering {
        one.key.cmp(&other.key).then_with(|| compare_products(one.pair, other.pair, tokens))
    }
}

fn compare_strings(one: Pair, other: Pair, tokens: &Tokens) -> Ordering {
    let left = if one.left() == other.left() {
        Ordering::Equal
    } else {
        tokens.text(one.left()).cmp(tokens.text(other.left()))
    };
    left.then_with(|| tokens.text(one.right()).cmp(tokens.text(other.right())))
}

fn compare_products(one: Pair, other: Pair, tokens: &Tokens) -> Ordering {
    let [a, b] = [one, other].map(|pair| {
        let [left, right] = [pair.left(), pair.right()].map(|id| tokens.text(id).iter());
        left.chain(right)
    });
    a.cmp(b)
}
