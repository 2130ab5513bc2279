//! Pairs, how often each occurs, and where.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Two adjacent symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Pair(u64);

impl Pair {
    pub fn new(left: u32, right: u32) -> Self {
        Self(u64::from(left) << 32 | u64::from(right))
    }

    pub fn left(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub fn right(self) -> u32 {
        self.0 as u32
    }

    /// Which of the [`TABLES`] it is in: the top bits of a product with 2^64 / the golden ratio.
    fn table(self) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize % TABLES
    }
}

/// How often a pair occurs, and the list of places where it was when the list was made.
///
/// A pair gets all its occurrences at once: when the younger of its symbols is made. From then
/// on they only go away, so nothing is deleted from a list; a place is checked when visited.
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

type Table = HashMap<Pair, Occurrences, FixedState>;

/// The pairs that may still be merged.
pub(super) struct Pairs {
    tables: Vec<Table>,
    places: Vec<u32>,
    least: u64,
}

impl Pairs {
    /// No pairs yet; those that occur less than `least` times will not be kept.
    pub fn new(least: u64) -> Self {
        let table = Table::with_hasher(FixedState::with_seed(0));
        Self { tables: vec![table; TABLES], places: Vec::new(), least }
    }

    /// The table that a pair is in.
    fn table(&mut self, pair: Pair) -> &mut Table {
        &mut self.tables[pair.table()]
    }

    pub fn get(&self, pair: Pair) -> Option<&Occurrences> {
        self.tables[pair.table()].get(&pair)
    }

    pub fn get_mut(&mut self, pair: Pair) -> Option<&mut Occurrences> {
        self.table(pair).get_mut(&pair)
    }

    pub fn remove(&mut self, pair: Pair) {
        self.table(pair).remove(&pair);
    }

    pub fn iter(&self) -> impl Iterator<Item = (Pair, &Occurrences)> {
        self.tables.iter().flatten().map(|(&pair, occurrences)| (pair, occurrences))
    }

    /// The places of all pairs.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Counts one occurrence in a word that occurs `count` times, before the places are known.
    pub fn count(&mut self, pair: Pair, count: u64) {
        let occurrences = self.table(pair).entry(pair).or_default();
        occurrences.count += count;
        occurrences.end += 1;
    }

    /// Keeps the frequent pairs that `may_merge`, and reserves their places.
    pub fn reserve(&mut self, may_merge: impl Fn(Pair) -> bool) {
        let least = self.least;
        for table in &mut self.tables {
            table.retain(|&pair, found| found.count >= least && may_merge(pair));
        }
        let mut start = 0;
        for found in self.tables.iter_mut().flat_map(Table::values_mut) {
            let places = std::mem::replace(&mut found.end, start);
            found.start = start;
            start += places;
        }
        self.places = vec![0; start];
    }

    /// Notes one more place of a pair, if it is kept.
    pub fn note(&mut self, pair: Pair, place: u32) {
        if let Some(found) = self.tables[pair.table()].get_mut(&pair) {
            self.places[found.end] = place;
            found.end += 1;
        }
    }

    /// Takes occurrences away; a pair that has become too rare is forgotten.
    pub fn lower(&mut self, pair: Pair, by: u64) {
        let least = self.least;
        let table = self.table(pair);
        if let Some(found) = table.get_mut(&pair) {
            found.count -= by;
            if found.count < least {
                table.remove(&pair);
            }
        }
    }

    /// Whether a new pair of this count would be kept.
    pub fn keeps(&self, count: u64) -> bool {
        count >= self.least
    }

    /// Adds a new pair with room for its places, and tells where they begin.
    pub fn insert(&mut self, pair: Pair, count: u64, places: usize) -> usize {
        let start = self.places.len();
        self.places.resize(start + places, 0);
        self.table(pair).insert(pair, Occurrences { count, start, end: start + places });
        start
    }

    /// The places, to be filled in.
    pub fn places_mut(&mut self) -> &mut [u32] {
        &mut self.places
    }
}
