//! Which of some new words are the same, so that each is made once.
//!
//! New words come in company: half as many again stand in a batch of a program's text as there are
//! different ones. No table knows the first when the second is looked for.

use super::table::TOO_LONG;
use super::words::{ELSEWHERE, Words};

/// By a hash of a word, where one was that may be the same.
pub struct Twins {
    places: [u16; PLACES],
    /// Words that are the same as others before them, and which.
    pub again: Vec<(u32, u32)>,
}

const PLACES: usize = 1 << 10;

impl Default for Twins {
    fn default() -> Self {
        Self { places: [0; PLACES], again: Vec::new() }
    }
}

impl Twins {
    /// Whether such a word is the first; notes where, or else which one was before it, by `is_same`. Of
    /// words with the same hash the last is known. What was noted of others before does no harm: they stand
    /// before `index` and are the same, or are not taken.
    #[inline]
    pub fn is_first(&mut self, hash: u64, index: u32, is_same: impl FnOnce(u32) -> bool) -> bool {
        let place = &mut self.places[hash as usize % PLACES];
        let before = u32::from(*place);
        let is_first = before >= index || !is_same(before);
        if is_first {
            *place = index as u16;
        } else {
            self.again.push((index, before));
        }
        is_first
    }
}

impl Words {
    /// Takes what was made of the first of the same words for the further ones.
    #[inline]
    pub(super) fn take_again(&mut self) {
        let mut again = std::mem::take(&mut self.twins.again);
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
        self.twins.again = again;
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
            for (index, word) in (0..).zip(&words) {
                let same = |before: u32| words[before as usize] == *word;
                let is_first = twins.is_first(u64::from(word % 3000), index, same);
                assert_eq!(is_first, index < step);
            }
            assert_eq!(twins.again.len(), 900 - step.min(900) as usize);
            for (index, before) in twins.again.drain(..) {
                assert!(before < index && words[before as usize] == words[index as usize]);
            }
        }
    }
}
