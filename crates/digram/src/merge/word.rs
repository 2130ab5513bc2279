//! Words as merging takes them, and what it makes of them.

use crate::arch::append::MOST;

/// A word to be merged.
#[derive(Clone, Copy)]
pub struct Word<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its first fifteen bytes, the first the lowest, and behind it `0xFF`; anything where it is longer.
    pub bytes: u128,
}

/// How many ids stand by themselves: as many as one number holds at most.
pub const FIRST: usize = MOST;

/// The ids of a word.
#[derive(Clone, Copy)]
pub struct Ids<'a> {
    /// All of them.
    pub all: &'a [u32],
    /// The first of them, and behind the last zeros: there is no branch on how many they are.
    pub first: [u32; FIRST],
}

impl<'a> Ids<'a> {
    /// These ids.
    pub fn of(all: &'a [u32]) -> Self {
        let mut first = [0; FIRST];
        first.iter_mut().zip(all).for_each(|(place, &id)| *place = id);
        Self { all, first }
    }
}
