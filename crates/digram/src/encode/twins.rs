//! Which of some new words are the same, so that each is made once.
//!
//! New words come in company: half as many again stand in a batch of a program's text as there are
//! different ones. No table knows the first when the second is looked for.

use super::table::{TOO_LONG, fold};
use super::words::{ELSEWHERE, Words};

/// By a hash of a word, where one was that may be the same.
pub struct Twins([u16; PLACES]);

const PLACES: usize = 1 << 10;

impl Default for Twins {
    fn default() -> Self {
        Self([0; PLACES])
    }
}

impl Twins {
    /// The place of such a word among those before `index`, if `is_same` says that it is one; else notes
    /// `index`. Of words with the same hash the last is known. What was noted of others before does no
    /// harm: they stand before `index` and are the same, or are not taken.
    #[inline]
    pub fn first(
        &mut self,
        hash: u64,
        index: u32,
        is_same: impl FnOnce(u32) -> bool,
    ) -> Option<u32> {
        let place = &mut self.0[hash as usize % PLACES];
        let before = u32::from(*place);
        if before < index && is_same(before) {
            return Some(before);
        }
        *place = index as u16;
        None
    }
}

impl Words {
    /// Notes a short word that is in no table.
    #[inline]
    pub(super) fn add_unknown(&mut self, index: u32) {
        let Self { keys, twins, .. } = self;
        let key = keys[index as usize];
        match twins.first(fold(key), index, |before| keys[before as usize] == key) {
            Some(before) => self.again.push((index, before)),
            None => self.unknown.push(index),
        }
    }

    /// The same of a long one, by a hash of it.
    #[inline]
    pub(super) fn add_unknown_wide(
        &mut self,
        hash: u64,
        index: u32,
        is_same: impl FnOnce(u32) -> bool,
    ) {
        match self.twins.first(hash, index, is_same) {
            Some(before) => self.again.push((index, before)),
            None => self.unknown.push(index),
        }
    }

    /// Takes what was made of the first of the same words for the further ones.
    #[inline]
    pub(super) fn take_again(&mut self) {
        let mut again = std::mem::take(&mut self.again);
        for (index, before) in again.drain(..) {
            let value = self.values[before as usize];
            self.values[index as usize] = value;
            if value >= ELSEWHERE {
                let (_, ids) = &self.exceptions[(value - ELSEWHERE) as usize];
                self.exceptions.push((index, ids.clone()));
            } else if self.keys[index as usize] != TOO_LONG {
                self.promote(index);
            }
        }
        self.again = again;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_found_and_no_others() {
        let mut twins = Twins::default();
        for (round, step) in [7_u32, 10, 33, 1000].into_iter().enumerate() {
            // numbers of several rounds are different words
            let words: Vec<u32> =
                (0..900).map(|index| index % step + 5000 * round as u32).collect();
            let mut found = 0;
            for (index, word) in (0..).zip(&words) {
                let same = |before: u32| words[before as usize] == *word;
                if let Some(before) = twins.first(u64::from(word % 3000), index, same) {
                    assert!(before < index && words[before as usize] == *word);
                    found += 1;
                }
            }
            assert_eq!(found, 900 - step.min(900));
        }
    }
}
