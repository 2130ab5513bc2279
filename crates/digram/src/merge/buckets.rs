//! Pairs of ids and a number for each, in buckets of four, at most two thirds full.
//!
//! A slot is one number of eight bytes: both ids, and below them the number. A bucket is half a line of
//! the cache, and its slots are compared without a branch: whether a pair is there is as good as random.
//! A pair stands in its own bucket, or where that is full, in the next with room. Whether one does is told
//! by the order of the last two slots of the full one: most full buckets are not looked behind.
//!
//! Whoever looks up many pairs [seeks](Buckets::seek) them first, which asks for their buckets, and
//! reads what was [sought](Buckets::sought) once they are there.

#![expect(clippy::inline_always, reason = "looking a pair up is compiled for each kernel")]

use crate::arch::prefetch::prefetch;

/// How many bits of a slot an id takes, on the left and on the right.
const ID_BITS: u32 = 20;
/// No id in a slot reaches this.
pub const NO_ID: u32 = (1 << ID_BITS) - 1;
/// How many bits of a slot the number takes.
const NUMBER_BITS: u32 = 24;
/// Those bits.
const NUMBER: u64 = (1 << NUMBER_BITS) - 1;
/// What no slot holds as a number, nor any above it.
pub const NO_NUMBER: u32 = 1 << NUMBER_BITS;
/// A slot without a pair: no pair's ids have all bits set.
const EMPTY: u64 = u64::MAX;

/// Pairs of ids below [`NO_ID`], each with a number below [`NO_NUMBER`].
pub struct Buckets {
    all: Vec<Bucket>,
    /// How far a hash is shifted to give a bucket.
    shift: u32,
    /// How many slots hold a pair.
    used: usize,
}

/// Slots, filled from the first on. Of a full one's last two, the first is the greater where a pair was
/// passed on.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Bucket([u64; 4]);

impl Bucket {
    /// Notes of a full one whether a pair was passed on.
    fn note(&mut self, passed_on: bool) {
        let [.., third, last] = &mut self.0;
        if (third > last) != passed_on {
            std::mem::swap(third, last);
        }
    }

    /// What is not zero where a pair was passed on.
    #[inline(always)]
    fn passed_on(&self) -> u64 {
        let [.., third, last] = self.0;
        third.saturating_sub(last)
    }
}

/// A pair that is looked for.
#[derive(Clone, Copy)]
pub struct Seek {
    key: u64,
    /// The bucket where it is looked for first.
    home: usize,
}

impl Seek {
    /// No pair.
    pub const NOTHING: Self = Self { key: 0, home: 0 };
}

impl Buckets {
    /// Buckets with room for so many pairs.
    pub fn with_capacity(pairs: usize) -> Self {
        let slots = (pairs + pairs / 2 + 8).next_power_of_two();
        Self {
            all: vec![Bucket([EMPTY; 4]); slots / 4],
            shift: 64 - (slots / 4).trailing_zeros(),
            used: 0,
        }
    }

    /// Adds a pair, or gives one that is there this number; not if an id or the number is too large.
    pub fn put(&mut self, left: u32, right: u32, number: u32) -> bool {
        let fits = left.max(right) < NO_ID && number < NO_NUMBER;
        if fits {
            self.fill(key(left, right) | u64::from(number));
        }
        fits
    }

    /// Fills the slot of a pair, and doubles them where two thirds are full.
    fn fill(&mut self, filled: u64) {
        let mask = self.all.len() - 1;
        let mut place = self.home(filled & !NUMBER);
        let is_its = |&slot: &u64| slot == EMPTY || (slot ^ filled) <= NUMBER;
        let at = loop {
            if let Some(at) = self.all[place].0.iter().position(is_its) {
                break at;
            }
            self.all[place].note(true);
            place = (place + 1) & mask;
        };
        let slot = &mut self.all[place].0[at];
        self.used += usize::from(*slot == EMPTY);
        let is_full_now = at == 3 && *slot == EMPTY;
        *slot = filled;
        if is_full_now {
            self.all[place].note(false);
        }
        if self.used + self.used / 2 >= 4 * self.all.len() {
            let larger = vec![Bucket([EMPTY; 4]); 2 * self.all.len()];
            let buckets = std::mem::replace(&mut self.all, larger);
            (self.shift, self.used) = (self.shift - 1, 0);
            let slots = buckets.iter().flat_map(|bucket| bucket.0);
            slots.filter(|&slot| slot != EMPTY).for_each(|slot| self.fill(slot));
        }
    }

    /// The bucket where a pair is looked for first.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        // the multiplier is the golden ratio's fraction, which spreads neighbouring ids
        key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_shr(self.shift) as usize
    }

    /// Begins to look for a pair of ids up to [`NO_ID`], of which one at most is that.
    #[inline(always)]
    pub fn seek(&self, left: u32, right: u32) -> Seek {
        let seek = self.seeking(left, right);
        prefetch(&self.all[seek.home]);
        seek
    }

    #[inline(always)]
    fn seeking(&self, left: u32, right: u32) -> Seek {
        let key = key(left, right);
        Seek { key, home: self.home(key) }
    }

    /// The number of a pair that was sought. [`NO_NUMBER`] or more where it is not there, without a
    /// branch, as that is as good as random: of the lesser of two numbers the compiler had made one.
    #[inline(always)]
    pub fn sought(&self, seek: Seek) -> u32 {
        let found = self.find(seek);
        found as u32 | u32::from(found > NUMBER) << NUMBER_BITS
    }

    /// The same at once.
    #[inline(always)]
    pub fn number(&self, left: u32, right: u32) -> u32 {
        self.sought(self.seeking(left, right))
    }

    /// The number of a pair, or more than [`NUMBER`] where it is not there.
    #[inline(always)]
    fn find(&self, Seek { key, home }: Seek) -> u64 {
        let bucket = &self.all[home];
        let nearest = nearest(&bucket.0, key);
        // one branch, which is seldom taken, on whether both differ from nothing: each by itself is often
        // wrongly foreseen, and of `&` the compiler makes two branches again
        if bucket.passed_on().min(nearest >> NUMBER_BITS) != 0 {
            return self.find_further(key, home);
        }
        nearest
    }

    /// The same, where the pair's own bucket does not hold it and has passed one on.
    #[cold]
    fn find_further(&self, key: u64, mut place: usize) -> u64 {
        loop {
            place = (place + 1) & (self.all.len() - 1);
            let bucket = &self.all[place];
            let nearest = nearest(&bucket.0, key);
            if nearest <= NUMBER || bucket.passed_on() == 0 {
                return nearest;
            }
        }
    }
}

/// How the slot that is most like a key differs from it: by no more than [`NUMBER`] in its own.
#[inline(always)]
fn nearest(slots: &[u64; 4], key: u64) -> u64 {
    let [a, b, c, d] = slots.map(|slot| slot ^ key);
    a.min(b).min(c.min(d))
}

/// Two ids up to [`NO_ID`] as a slot holds them, above the bits of the number.
#[inline(always)]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << (ID_BITS + NUMBER_BITS) | u64::from(right) << NUMBER_BITS
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::encode::tests::Random;

    #[test]
    fn pairs_are_found_wherever_they_stand_and_no_others() {
        let mut random = Random(17);
        let mut random = |below: u32| random.below(below as usize) as u32;
        let (mut alone, mut passing) = (0, 0);
        for round in 0..200 {
            let ids = 2 + random(60);
            let share = 1 + random(4);
            // some grow
            let mut buckets = Buckets::with_capacity((ids * ids) as usize * (round % 3) / 4);
            let mut known = HashMap::new();
            for number in 0..ids * ids / share {
                // some are put twice
                let pair = (random(ids), random(ids));
                assert!(buckets.put(pair.0, pair.1, number));
                known.insert(pair, number);
            }
            for pair in (0..ids).flat_map(|left| (0..ids).map(move |right| (left, right))) {
                let number = buckets.number(pair.0, pair.1);
                let found = (number < NO_NUMBER).then_some(number);
                assert_eq!(found, known.get(&pair).copied(), "{pair:?}");
            }
            let full = buckets.all.iter().filter(|bucket| bucket.0[3] != EMPTY);
            for bucket in full {
                *if bucket.passed_on() == 0 { &mut alone } else { &mut passing } += 1;
            }
        }
        assert!(
            alone > 1000 && passing > 500,
            "{alone} full buckets, {passing} that passed pairs on"
        );
    }
}
