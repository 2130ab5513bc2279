//! How many distinct words there are, while several threads still count them.
//!
//! Each thread has tables of its own, so nobody knows how many words they have together. But equal
//! words have equal hashes, which spread evenly: if the 4096th lowest of all is at a thousandth of
//! their range, there are some 4095 thousand. The lowest ones of each thread tell which are the
//! lowest of all, so the number depends on the words alone, and on no thread, order or budget.

/// How many hashes are kept. The estimate is off by one in the square root of these, 1.6 %, in one
/// case of three by more.
const MOST: usize = 4096;

/// The lowest hashes of words.
pub(super) struct Distinct {
    /// Sorted and each once up to `sorted`; behind it as they came.
    lowest: Vec<u64>,
    sorted: usize,
    /// What is not below it is none of them.
    bound: u64,
}

impl Default for Distinct {
    fn default() -> Self {
        Self { lowest: Vec::new(), sorted: 0, bound: u64::MAX }
    }
}

impl Distinct {
    /// Takes note of a word, by its hash; of one met before nothing changes.
    #[inline]
    pub fn note(&mut self, hash: u64) {
        if hash < self.bound {
            self.keep(hash);
        }
    }

    #[cold]
    fn keep(&mut self, hash: u64) {
        self.lowest.push(hash);
        // so many new ones that sorting costs each of them little
        if self.lowest.len() >= self.sorted + MOST {
            self.sort();
        }
    }

    fn sort(&mut self) {
        if self.sorted == self.lowest.len() {
            return;
        }
        self.lowest.sort_unstable();
        self.lowest.dedup();
        if self.lowest.len() > MOST {
            self.lowest.truncate(MOST);
            self.bound = self.lowest[MOST - 1];
        }
        self.sorted = self.lowest.len();
    }

    /// Takes over what `other` has noted, which then waits for further words that matter.
    pub fn take_from(&mut self, other: &mut Self) {
        for hash in other.lowest.drain(..) {
            self.note(hash);
        }
        (other.sorted, other.bound) = (0, self.bound);
    }

    /// How many words there are: exactly up to 4096, and an estimate beyond, which never goes down.
    pub fn words(&mut self) -> u64 {
        self.sort();
        if self.bound == u64::MAX {
            return self.lowest.len() as u64;
        }
        let words = ((MOST as u128 - 1) << u64::BITS) / u128::from(self.bound.max(1));
        u64::try_from(words).unwrap_or(u64::MAX).max(MOST as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use foldhash::fast::FixedState;

    use super::*;

    fn hash(number: u64) -> u64 {
        FixedState::with_seed(2).hash_one(number)
    }

    #[test]
    fn few_words_are_told_exactly_and_many_nearly_and_never_fewer_than_before() {
        let (mut distinct, mut before) = (Distinct::default(), 0);
        for number in 0..300_000 {
            distinct.note(hash(number));
            distinct.note(hash(number / 2));
            let (words, told) = (number + 1, distinct.words());
            assert!(told >= before);
            if words <= MOST as u64 {
                assert_eq!(told, words);
            }
            // four times the usual deviation
            assert!(told.abs_diff(words) * 16 <= words, "{told} of {words}");
            before = told;
        }
    }

    #[test]
    fn what_several_have_noted_is_what_one_would_have() {
        let (mut one, mut all) = (Distinct::default(), Distinct::default());
        let mut several: [Distinct; 3] = Default::default();
        for number in 0..60_000_u64 {
            // words that all have, and words that one has
            let word = if number % 2 == 0 { number % 1_000 } else { number };
            one.note(hash(word));
            several[number as usize / 7 % 3].note(hash(word));
            if number % 9_000 == 0 {
                for each in &mut several {
                    all.take_from(each);
                }
            }
        }
        for each in &mut several {
            all.take_from(each);
        }
        assert_eq!(all.words(), one.words());
        assert_eq!(all.lowest, one.lowest);
    }
}
