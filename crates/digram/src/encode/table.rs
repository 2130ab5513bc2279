//! Short words seen before and their ids.
//!
//! A word of up to 15 bytes is one number of 16: its bytes, and behind them `0xFF`, which no text
//! in UTF-8 holds. So the padding tells the length, two words are equal exactly if their numbers
//! are, and an answer is right or absent, whatever the hash says. A slot is that key and the
//! word's ids, up to three, six or seven (see [`Packing`](crate::arch::append::Packing)): half a line of
//! the cache.
//!
//! There are two tables. The *near* one is at first small enough for the second-level cache; a word has
//! one place in it. The *far* one holds more, four places for each word side by side. A word is put
//! into the far table when it is first met (one that is a token and so soon found again, one time in
//! four), and into the near one when it is met again (or where that place is free): a stream of words
//! that never come back does not drive out those that do.
//!
//! Both tables begin small, and the far one grows up to a limit as it fills: memory that a short text
//! never needs is not cleared for it, and one in many languages gets what it needs. Where the small ones
//! are full, larger ones take their place; large enough, they lie in huge pages, of which the first is
//! cleared at once: that may take milliseconds where the machine below has to find it. Where words drive
//! each other out of the near table, it becomes twice as large, and twice again: each time about what that
//! costs, the text before has lost. So the last step of the far table, too, is made once words have driven
//! each other out of it for long.

use super::pieces::Pieces;
use super::spare::Spare;
use crate::arch::append::Packed;
use crate::arch::keys::Spans;
pub(crate) use crate::arch::keys::{Key, MAX_WORD, PADDING, Slot, TOO_LONG, key, load, of_part};
use crate::arch::pages::Zeroed;
use crate::arch::prefetch::prefetch;
use crate::arch::{self, Kernel};

/// Slots of the near table at first, then, and at most: 64 KiB, 1 MiB, and by doubling 4 MiB.
pub const NEAR: [usize; 3] = [1 << 11, 1 << 15, 1 << 17];
/// Slots of the far table at first, in any case, and at most: 64 KiB, 2 MiB, 8 MiB.
pub const FAR: [usize; 3] = [1 << 11, 1 << 16, 1 << 18];

/// How many times as large the far table is that takes the place of a small one.
const AT_ONCE: usize = 4;

/// Slots of a far table from which on to grow costs so much (new memory, milliseconds) that words must have been
/// driven out first: one for every second slot.
const AMPLE: usize = FAR[2] / 2;

/// The near table is too small once one word was driven out of it for so many slots: while it is small,
/// then, and where it is larger, as to double it costs more the larger it is.
const CROWDED: [usize; 3] = [8, 16, 8];

/// Places of a word in the far table: two lines of the cache.
const WAYS: usize = 4;

/// Whether a word has characters beyond ASCII, and no letters of ASCII between them, by its key and length.
#[inline]
pub(super) fn is_without_ascii(key: Key, length: u32) -> bool {
    const HIGH: Key = Key::from_ne_bytes([0x80; 16]);
    // of ASCII, letters and a few signs have the second bit of a byte
    let (high, letters) = (key & !PADDING[length as usize] & HIGH, key << 1 & !key & HIGH);
    high != 0 && letters == 0
}

/// Whether a table of buckets of slots is to have twice as many, once five eighths are taken.
pub(super) fn is_to_grow(taken: usize, slots: usize, most: usize) -> bool {
    taken > slots / 8 * 5 && 2 * slots <= most
}

/// Moves the slots of a table that has become twice as long, whose second half is free: those for
/// which `moves` go as far behind it as they were behind the first. In each bucket, the first stay
/// the first.
pub(super) fn part<S: Copy + Default, const WAYS: usize>(
    slots: &mut [[S; WAYS]],
    is_taken: impl Fn(&S) -> bool,
    moves: impl Fn(&S) -> bool,
) {
    let (first, second) = slots.split_at_mut(slots.len() / 2);
    for (bucket, other) in first.iter_mut().zip(second) {
        let all = std::mem::replace(bucket, [S::default(); WAYS]);
        let [mut here, mut there] = [0; 2];
        for slot in all.iter().filter(|slot| is_taken(slot)) {
            let (bucket, count) =
                if moves(slot) { (&mut *other, &mut there) } else { (&mut *bucket, &mut here) };
            bucket[*count] = *slot;
            *count += 1;
        }
    }
}

/// Both halves take part in every bit. Which words share a place is no secret: it costs time,
/// never an id.
#[inline]
pub(crate) fn fold(key: Key) -> u64 {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product =
        u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD1B5_4A32_D192_ED03);
    (product >> 64) as u64 ^ product as u64
}

/// The first of a word's places that is so, without a branch for each: for words that are in none of them,
/// mostly. Those that are stand mostly in the first, and then the second line is not waited for.
#[inline]
fn first_of(ways: &[Slot; WAYS], is_so: impl Fn(&Slot) -> bool) -> Option<usize> {
    let bit = |at: usize| u32::from(is_so(&ways[at])) << at;
    let all = (0..WAYS).fold(0, |all, at| all | bit(at));
    (all != 0).then(|| all.trailing_zeros() as usize)
}

/// Stands in the far table for none, and for more ids than a slot holds.
pub const MANY: Packed = Packed::MAX;

/// The two tables.
pub struct Table {
    /// The near one at first, and behind it the far one, so that both begin in the same page.
    slots: Zeroed,
    /// Where the far one begins there.
    behind: usize,
    /// The near one, once it is larger than there.
    wide: Option<Zeroed>,
    kernel: Kernel,
    /// The near table has two to the power of so many slots.
    near_bits: u32,
    far_mask: usize,
    /// How many slots of the far table are taken.
    taken: usize,
    /// How many words were driven out of the near table.
    driven_out: usize,
    /// How many words were driven out of the far table since it grew.
    displaced: usize,
    /// How many slots the near table has once it is not small, and at most.
    most_near: [usize; 2],
    /// How many slots the far table may have in any case, and at most.
    most_far: [usize; 2],
}

impl Table {
    /// Empty tables, the near one and the far one with so many slots at first, the near one then, and both at
    /// most: powers of two, if not none. Each has room for a word at least.
    pub fn with_slots(near: [usize; 3], far: [usize; 3]) -> Self {
        let (near, [far, own, most]) = (near.map(|near| near.max(1)), far.map(|far| far.max(WAYS)));
        let room = if near[0] < near[1] { [far; 2] } else { [far, most] };
        let slots = Zeroed::growing(room.map(|far| 2 * (near[0] + far))).kept_for_another();
        Self::of(slots, near[0], far, [near[1], near[2]], [own, most])
    }

    /// Empty tables in zeros, of which the far one has room to grow where it is.
    fn of(
        slots: Zeroed,
        near: usize,
        far: usize,
        most_near: [usize; 2],
        most_far: [usize; 2],
    ) -> Self {
        // there may be fewer addresses than that
        let most = if near < most_near[0] { most_far[1] } else { slots.most() / 2 - near };
        let most_far = most_far.map(|far| far.min(most));
        let kernel = Kernel::chosen();
        let (near_bits, far_mask) = (near.ilog2(), far - 1);
        let [taken, driven_out, displaced] = [0; 3];
        Self {
            slots,
            behind: near,
            wide: None,
            kernel,
            near_bits,
            far_mask,
            taken,
            driven_out,
            displaced,
            most_near,
            most_far,
        }
    }

    /// How many slots the near table has.
    #[inline]
    fn near(&self) -> usize {
        1 << self.near_bits
    }

    /// The near table.
    #[inline]
    pub fn slots(&self) -> &[Slot] {
        match &self.wide {
            Some(wide) => wide.as_chunks().0,
            None => &self.slots.as_chunks().0[..self.behind],
        }
    }

    #[inline]
    fn slots_mut(&mut self) -> &mut [Slot] {
        match &mut self.wide {
            Some(wide) => wide.as_chunks_mut().0,
            None => &mut self.slots.as_chunks_mut().0[..self.behind],
        }
    }

    fn far(&self) -> &[Slot] {
        &self.slots.as_chunks().0[self.behind..]
    }

    fn far_mut(&mut self) -> &mut [Slot] {
        &mut self.slots.as_chunks_mut().0[self.behind..]
    }

    /// A word's place in the near table.
    #[inline]
    pub fn home(&self, key: Key) -> usize {
        arch::keys::place(key, self.near_bits)
    }

    /// The key of each of `pieces`, and its place in the near table.
    pub fn find_homes(&self, text: &[u8], pieces: Pieces, keys: &mut [Key], places: &mut [u32]) {
        let Pieces { starts, ends, parts } = pieces;
        let spans = Spans { text, starts, ends, parts };
        arch::keys::keys(self.kernel, spans, self.near_bits, keys, places);
    }

    /// Takes the values at the places of some words; returns how many stand elsewhere, if at all,
    /// and leaves their numbers in `missing`.
    pub fn look_near(
        &self,
        keys: &[Key],
        places: &[u32],
        values: &mut [Packed],
        missing: &mut [u32],
    ) -> usize {
        arch::keys::compare(self.kernel, self.slots(), (keys, places), values, missing)
    }

    /// Puts a word into its place in the near table.
    pub fn promote(&mut self, key: Key, value: Packed) {
        let there = self.slots()[self.home(key)][0];
        self.driven_out += usize::from(there != 0 && there != key);
        if self.near() < self.most_near[0] {
            if self.driven_out > self.near() / CROWDED[0] {
                self.enlarge();
            }
        } else if self.is_to_widen() {
            self.widen();
        }
        let home = self.home(key);
        self.slots_mut()[home] = [key, value];
    }

    /// Whether a word's place in the near table is free.
    pub fn is_free(&self, key: Key) -> bool {
        self.slots()[self.home(key)][0] == 0
    }

    /// The first of the places of a word in the far table.
    fn bucket(&self, key: Key) -> usize {
        (fold(key) >> 32) as usize & self.far_mask & !(WAYS - 1)
    }

    fn ways(&mut self, key: Key) -> &mut [Slot; WAYS] {
        let bucket = self.bucket(key);
        let (buckets, _) = self.far_mut().as_chunks_mut();
        &mut buckets[bucket / WAYS]
    }

    /// Begins to load what [`find_far`](Self::find_far) will look at.
    #[inline]
    pub fn prefetch_far(&self, key: Key) {
        let (far, bucket) = (self.far(), self.bucket(key));
        prefetch(&far[bucket]);
        prefetch(&far[bucket + WAYS / 2]);
    }

    /// Begins to load all that is looked at for a word.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(&self.slots()[self.home(key)]);
        self.prefetch_far(key);
    }

    /// The value of a word in the far table. It is then the last to be driven out, and those that are never
    /// met again come to stand in the last places.
    pub fn find_far(&mut self, key: Key) -> Option<Packed> {
        let ways = self.ways(key);
        let found = ways.iter().position(|slot| slot[0] == key)?;
        let slot = ways[found];
        if found > 0 {
            ways.copy_within(..found, 1);
            ways[0] = slot;
        }
        Some(slot[1])
    }

    /// Puts a new word into the far table; returns whether it was not there after all.
    pub fn insert_new(&mut self, key: Key, value: Packed, spare: &mut Spare) -> bool {
        let is_new = first_of(self.ways(key), |slot| slot[0] == key).is_none();
        if is_new {
            self.insert_far(key, value, spare);
        }
        is_new
    }

    /// Puts a word into the far table, where it is not yet.
    pub fn insert_far(&mut self, key: Key, value: Packed, spare: &mut Spare) {
        if self.is_far_to_grow(spare) {
            self.grow();
        }
        self.put_far(key, value);
    }

    /// The same where there is room. In a full bucket new words take turns at the second half: what was met again
    /// stays, and two that come again do not drive each other out before they do.
    fn put_far(&mut self, key: Key, value: Packed) {
        let newer = WAYS / 2 + self.displaced % (WAYS / 2);
        let ways = self.ways(key);
        let free = first_of(ways, |slot| slot[0] == 0);
        ways[free.unwrap_or(newer)] = [key, value];
        self.taken += usize::from(free.is_some());
        self.displaced += usize::from(free.is_none());
    }

    /// Whether the far table is to grow before one more word: its last step is not made before words were
    /// driven out, as it costs milliseconds.
    #[inline]
    fn is_far_to_grow(&self, spare: &mut Spare) -> bool {
        let (far, [own, most]) = (self.far_mask + 1, self.most_far);
        is_to_grow(self.taken, far, most)
            && (far < AMPLE || self.displaced > far / 2)
            && (2 * far <= own || spare.take(size_of::<Slot>() * far))
    }

    /// Puts words into the tables that are not there.
    pub fn learn(&mut self, slots: &[Slot], spare: &mut Spare) {
        for &[key, _] in slots {
            self.prefetch(key);
        }
        for &[key, value] in slots {
            self.insert_new(key, value, spare);
            if value != MANY && self.is_free(key) {
                self.promote(key, value);
            }
        }
    }

    /// Has the far table become twice as large, at least.
    #[cold]
    fn grow(&mut self) {
        if self.near() < self.most_near[0] {
            return self.enlarge();
        }
        let before = self.far_mask + 1;
        (self.far_mask, self.displaced) = (2 * before - 1, 0);
        self.slots.grow(2 * (self.behind + 2 * before));
        let (buckets, _) = self.far_mut().as_chunks_mut::<WAYS>();
        let moves = |&[key, _]: &Slot| (fold(key) >> 32) as usize & before != 0;
        part(buckets, |slot| slot[0] != 0, moves);
    }

    /// Moves all words to larger tables: the near one is then no longer small. Where there is no memory for
    /// them, these stay.
    #[cold]
    fn enlarge(&mut self) {
        let (near, most) = (self.most_near, self.most_far);
        let far = (AT_ONCE * (self.far_mask + 1)).min(most[0]);
        let Some(slots) = Zeroed::if_there_is_room([far, most[1]].map(|far| 2 * (near[0] + far)))
        else {
            self.most_near = [self.near(); 2];
            self.most_far = [self.far_mask + 1; 2];
            return;
        };
        let larger = Self::of(slots.kept_for_another(), near[0], far, near, most);
        let before = std::mem::replace(self, larger);
        let (buckets, _) = before.far().as_chunks::<WAYS>();
        for [key, value] in buckets.iter().flatten().filter(|slot| slot[0] != 0) {
            self.put_far(*key, *value);
        }
        for [key, value] in before.slots().iter().filter(|slot| slot[0] != 0) {
            self.promote(*key, *value);
        }
    }

    /// Whether the near table is too small for what it costs to move it.
    #[inline]
    fn is_to_widen(&self) -> bool {
        let near = self.near();
        let crowded = CROWDED[1 + usize::from(near > self.most_near[0])];
        near < self.most_near[1] && self.driven_out > near / crowded
    }

    /// Moves the near table to where it is twice as large, if there is memory for that.
    #[cold]
    fn widen(&mut self) {
        let Some(mut larger) = Zeroed::if_there_is_room([2 * 2 * self.near(); 2]) else {
            self.most_near[1] = self.near();
            return;
        };
        let (places, _) = larger.as_chunks_mut::<2>();
        for &[key, value] in self.slots().iter().filter(|slot| slot[0] != 0) {
            places[arch::keys::place(key, self.near_bits + 1)] = [key, value];
        }
        self.wide = Some(larger.kept_for_another());
        (self.near_bits, self.driven_out) = (self.near_bits + 1, 0);
    }
}

#[cfg(test)]
mod tests;
