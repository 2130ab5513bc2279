//! Longest match instead of merging: longest anywhere first, or from left to right.
//!
//! A word is a list of units (bytes or characters, the marker counting as one), so a token's
//! length is counted in units too.

use super::units::Units;
use crate::model::{Model, Order};

/// A stretch of units, and the token that it is; `None` where no token matches.
pub type Stretch = (usize, usize, Option<u32>);

/// Cuts a word into tokens; what no token covers comes back as stretches without one.
pub fn cut(word: &Units, model: &Model, order: Order, longest: usize) -> Vec<Stretch> {
    let taken = match order {
        Order::LongestFirst => longest_first(word, model, longest),
        Order::LeftToRight => left_to_right(word, model, longest),
    };
    with_leftovers(taken, word.len())
}

/// Takes the longest tokens first, wherever they are, leftmost first: O(n · longest).
///
/// Taking the longest that fits and going on in what is left is the same as trying all stretches
/// by descending length, each if it crosses none already taken.
fn longest_first(word: &Units, model: &Model, longest: usize) -> Vec<(usize, usize, u32)> {
    let mut covered = vec![false; word.len()];
    let mut taken = Vec::new();
    for length in (1..=longest.min(word.len())).rev() {
        let mut free = 0; // how many units up to `end` are not covered
        for end in 1..=word.len() {
            free = if covered[end - 1] { 0 } else { free + 1 };
            if free < length {
                continue;
            }
            let start = end - length;
            if let Some(id) = word.token(model, start, end) {
                covered[start..end].fill(true);
                taken.push((start, end, id));
                free = 0;
            }
        }
    }
    taken.sort_unstable();
    taken
}

fn left_to_right(word: &Units, model: &Model, longest: usize) -> Vec<(usize, usize, u32)> {
    let mut taken = Vec::new();
    let mut start = 0;
    while start < word.len() {
        let ends = (start + 1..=word.len().min(start + longest)).rev();
        let found = ends.into_iter().find_map(|end| Some((end, word.token(model, start, end)?)));
        if let Some((end, id)) = found {
            taken.push((start, end, id));
            start = end;
        } else {
            start += 1;
        }
    }
    taken
}

/// Fills the holes between tokens with stretches of their own, one for each run.
fn with_leftovers(taken: Vec<(usize, usize, u32)>, length: usize) -> Vec<Stretch> {
    let mut stretches = Vec::with_capacity(taken.len());
    let mut position = 0;
    for (start, end, id) in taken {
        if position < start {
            stretches.push((position, start, None));
        }
        stretches.push((start, end, Some(id)));
        position = end;
    }
    if position < length {
        stretches.push((position, length, None));
    }
    stretches
}
