//! Places in a list that were given back, to be given out again.
//!
//! When a pair is merged its list is used up, and the lists of the pairs that the merge makes are
//! hardly longer together. They go where it was: the list of all places stays about as long as it
//! was at the beginning, and what is written lies close together.

use std::collections::BinaryHeap;

/// A shorter hole is not worth keeping.
const LEAST: usize = 16;

/// A hole: how long, and where it begins.
type Hole = (usize, usize);

/// The holes of a list.
#[derive(Default)]
pub(super) struct Holes {
    /// What is given out next, from its beginning on.
    next: Hole,
    /// All others, the longest on top.
    others: BinaryHeap<Hole>,
}

impl Holes {
    /// Takes a stretch back.
    pub fn give_back(&mut self, start: usize, length: usize) {
        let before = std::mem::replace(&mut self.next, (length, start));
        self.keep(before);
    }

    /// Gives a stretch out, if any hole is long enough: where it begins.
    pub fn take(&mut self, length: usize) -> Option<usize> {
        if self.next.0 < length {
            let longest = self.others.pop()?;
            let before = std::mem::replace(&mut self.next, longest);
            self.keep(before);
        }
        let (left, start) = self.next;
        self.next = (left.checked_sub(length)?, start + length);
        Some(start)
    }

    fn keep(&mut self, hole: Hole) {
        if hole.0 >= LEAST {
            self.others.push(hole);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_given_out_twice_and_what_was_given_back_is_given_out_again() {
        const MOST: usize = 10_000;
        let mut holes = Holes::default();
        let (mut end, mut owner) = (MOST, vec![0_usize; 2 * MOST]);
        let mut held = vec![(MOST, 0)];
        for number in 1..2_000_usize {
            let longest = held.iter().copied().enumerate().max_by_key(|&(_, hole)| hole);
            let (at, (mut length, start)) = longest.expect("some list is held");
            held.swap_remove(at);
            owner[start..start + length].fill(0);
            holes.give_back(start, length);
            while length > 0 {
                let wanted = length.min(1 + number % 7 + length / 2);
                length -= wanted;
                let start = holes.take(wanted).unwrap_or_else(|| {
                    end += wanted;
                    end - wanted
                });
                assert!(owner[start..start + wanted].iter().all(|&owner| owner == 0));
                owner[start..start + wanted].fill(number);
                held.push((wanted, start));
            }
        }
        assert!(end < MOST + MOST / 10, "{end}");
    }
}
