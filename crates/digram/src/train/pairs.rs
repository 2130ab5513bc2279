//! Pairs, how often each occurs, and where.

use crate::arch::pages::advise_room;
use crate::arch::prefetch::prefetch;
use crate::error::Result;
use crate::monitor::Monitor;

use super::holes::Holes;

/// Two adjacent symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Pair(u64);

impl Pair {
    /// No pair: no symbol has this id.
    const NONE: Self = Self(u64::MAX);

    pub fn new(left: u32, right: u32) -> Self {
        Self(u64::from(left) << 32 | u64::from(right))
    }

    pub fn left(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn right(self) -> u32 {
        self.0 as u32
    }

    /// The halves of a product with 2^64 / the golden ratio: each bit depends on all of the pair.
    fn hash(self) -> u64 {
        let product = u128::from(self.0 ^ 0xD1B5_4A32_D192_ED03) * 0x9E37_79B9_7F4A_7C15;
        (product >> 64) as u64 ^ product as u64
    }
}

/// How often a pair occurs, and the list of places where it was when the list was made.
///
/// A pair gets all its occurrences at once: when the younger of its symbols is made, or when all
/// pairs are counted. From then on they only go away, so nothing is deleted from a list; a place is checked when visited.
#[derive(Clone, Copy, Default)]
pub(super) struct Occurrences {
    /// Overlapping ones too, each as often as its word occurs.
    pub count: u64,
    /// Where the places begin in [`Pairs::places`]; it moves on past those that are gone.
    pub start: usize,
    /// Behind the last place.
    pub end: usize,
}

/// How many tables the pairs are spread over: a table that is full moves to twice the room, and
/// one table of millions of pairs would take a third of a second, and twice the memory, at once.
const TABLES: usize = 64;
/// Slots of the smallest table.
const LEAST: usize = 16;
/// Pairs looked at between two looks at the monitor.
const CHECK: usize = 1 << 12;
/// Places cleared between two such looks: 4 MB, some milliseconds where memory is to be found.
const CLEARED: usize = 1 << 20;

/// A pair and its occurrences: half a line of the cache. The count 0 stands for a pair that is
/// forgotten; it keeps its slot until the table moves.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Slot {
    pair: Pair,
    found: Occurrences,
}

const FREE: Slot = Slot { pair: Pair::NONE, found: Occurrences { count: 0, start: 0, end: 0 } };

/// Open addressing: a pair is at its place or behind it. One look at memory finds most, and it
/// can be asked for ahead.
#[derive(Clone, Default)]
struct Table {
    slots: Vec<Slot>,
    /// Slots that are not free.
    used: usize,
}

impl Table {
    /// Where a pair is, or where it would be put.
    fn place(&self, pair: Pair, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash as usize & mask;
        while self.slots[place].pair != pair && self.slots[place].pair != Pair::NONE {
            place = (place + 1) & mask;
        }
        place
    }

    fn get(&self, pair: Pair, hash: u64) -> Option<&Occurrences> {
        if self.slots.is_empty() {
            return None;
        }
        Some(&self.slots[self.place(pair, hash)].found).filter(|found| found.count > 0)
    }

    fn get_mut(&mut self, pair: Pair, hash: u64) -> Option<&mut Occurrences> {
        if self.slots.is_empty() {
            return None;
        }
        let place = self.place(pair, hash);
        Some(&mut self.slots[place].found).filter(|found| found.count > 0)
    }

    /// The occurrences of a pair, which is added where it is not there.
    fn entry(&mut self, pair: Pair, hash: u64) -> &mut Occurrences {
        if 4 * self.used >= 3 * self.slots.len() {
            self.grow();
        }
        let place = self.place(pair, hash);
        let slot = &mut self.slots[place];
        if slot.pair == Pair::NONE {
            slot.pair = pair;
            self.used += 1;
        }
        &mut slot.found
    }

    /// Moves to more room, or to as much where half of it was taken by forgotten pairs.
    fn grow(&mut self) {
        let live = self.live().count();
        let size = (4 * live).next_power_of_two().max(LEAST);
        let size = if 4 * live >= 3 * size / 2 { 2 * size } else { size };
        let old = std::mem::replace(self, Self { slots: vec![FREE; size], used: live });
        for slot in old.live() {
            let place = self.place(slot.pair, slot.pair.hash());
            self.slots[place] = *slot;
        }
    }

    fn live(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.found.count > 0)
    }
}

/// The pairs that may still be merged.
pub(super) struct Pairs {
    tables: Vec<Table>,
    places: Vec<u32>,
    /// Of the places those of no pair any more.
    holes: Holes,
    /// The least count of a pair that is kept.
    pub least: u64,
    /// The count that is watched, and how many pairs have it.
    watched: (u64, u32),
}

impl Pairs {
    /// No pairs yet; those that occur less than `least` times will not be kept.
    pub fn new(least: u64) -> Self {
        Self {
            tables: vec![Table::default(); TABLES],
            places: Vec::new(),
            holes: Holes::default(),
            least: least.max(1),
            watched: (0, 0),
        }
    }

    /// The table that a pair is in, and its place there.
    fn table(&mut self, pair: Pair) -> (&mut Table, u64) {
        let hash = pair.hash();
        (&mut self.tables[(hash >> 32) as usize % TABLES], hash)
    }

    /// Begins to load what is asked for next.
    pub fn announce(&self, pair: Pair) {
        let hash = pair.hash();
        let slots = &self.tables[(hash >> 32) as usize % TABLES].slots;
        if let Some(slot) = slots.get(hash as usize & slots.len().wrapping_sub(1)) {
            prefetch(slot);
        }
    }

    pub fn get(&self, pair: Pair) -> Option<&Occurrences> {
        let hash = pair.hash();
        self.tables[(hash >> 32) as usize % TABLES].get(pair, hash)
    }

    pub fn get_mut(&mut self, pair: Pair) -> Option<&mut Occurrences> {
        let (table, hash) = self.table(pair);
        table.get_mut(pair, hash)
    }

    pub fn remove(&mut self, pair: Pair) {
        self.take(pair, u64::MAX);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Pair, &Occurrences)> {
        self.tables.iter().flat_map(Table::live).map(|slot| (slot.pair, &slot.found))
    }

    /// How many pairs occur `count` times, which is more than none and no more than before, as no
    /// pair occurs more often: `find` finds them where another count was asked for before, and from
    /// then on they are kept count of.
    pub fn tied(&mut self, count: u64, find: impl FnOnce(&Self) -> u32) -> u32 {
        if self.watched.0 != count {
            self.watched = (count, find(self));
        }
        self.watched.1
    }

    /// Has the places of a pair that was removed used for other pairs.
    pub fn give_back(&mut self, start: usize, end: usize) {
        self.holes.give_back(start, end - start);
    }

    /// The places of all pairs.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Counts one occurrence in a word that occurs `count` times, before the places are known.
    pub fn count(&mut self, pair: Pair, count: u64) {
        let (table, hash) = self.table(pair);
        let found = table.entry(pair, hash);
        found.count += count;
        found.end += 1;
    }

    /// Keeps the frequent pairs that `may_merge`, and reserves their places.
    pub fn reserve(&mut self, may_merge: impl Fn(Pair) -> bool, monitor: &Monitor) -> Result<()> {
        let mut start = 0;
        for slots in self.tables.iter_mut().flat_map(|table| table.slots.chunks_mut(CHECK)) {
            monitor.check()?;
            for slot in slots {
                if slot.found.count < self.least || !may_merge(slot.pair) {
                    slot.found.count = 0;
                    continue;
                }
                start += slot.found.end;
                (slot.found.start, slot.found.end) = (start, start);
            }
        }
        self.expect(start);
        while self.places.len() < start {
            monitor.check()?;
            self.places.resize(start.min(self.places.len() + CLEARED), 0);
        }
        Ok(())
    }

    /// Makes room for the places of pairs of base symbols, and for what merging mostly adds.
    pub fn expect(&mut self, places: usize) {
        self.places.reserve(places + places / 2);
        advise_room(&mut self.places);
    }

    /// Notes one more place of a pair, in front of the others, if it is kept.
    pub fn note(&mut self, pair: Pair, place: u32) {
        let hash = pair.hash();
        if let Some(found) = self.tables[(hash >> 32) as usize % TABLES].get_mut(pair, hash) {
            found.start -= 1;
            self.places[found.start] = place;
        }
    }

    /// Takes occurrences away, all there are at most; a pair that has become too rare is forgotten.
    fn take(&mut self, pair: Pair, by: u64) {
        let hash = pair.hash();
        if let Some(found) = self.tables[(hash >> 32) as usize % TABLES].get_mut(pair, hash) {
            self.watched.1 -= u32::from(found.count == self.watched.0);
            found.count = found.count.saturating_sub(by);
            if found.count < self.least {
                found.count = 0;
            }
        }
    }

    /// Takes occurrences away; a pair that has become too rare is forgotten.
    pub fn lower(&mut self, pair: Pair, by: u64) {
        self.take(pair, by);
    }

    /// Forgets the pairs that occur less than `least` times, now and from here on.
    pub fn forget_below(&mut self, least: u64) {
        self.least = least;
        for slot in self.tables.iter_mut().flat_map(|table| &mut table.slots) {
            if slot.found.count < least {
                slot.found.count = 0;
            }
        }
    }

    /// Whether a new pair of this count would be kept.
    pub fn keeps(&self, count: u64) -> bool {
        count >= self.least
    }

    /// Adds a new pair with room for its places, and tells where they begin.
    pub fn insert(&mut self, pair: Pair, count: u64, places: usize) -> usize {
        let start = self.holes.take(places).unwrap_or_else(|| {
            let end = self.places.len();
            self.places.resize(end + places, 0);
            end
        });
        self.watched.1 += u32::from(count == self.watched.0);
        let (table, hash) = self.table(pair);
        *table.entry(pair, hash) = Occurrences { count, start, end: start + places };
        start
    }

    /// The places, to be filled in.
    pub fn places_mut(&mut self) -> &mut [u32] {
        &mut self.places
    }
}
