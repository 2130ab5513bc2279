//! The symbols found on one side of a merge's occurrences.

use super::pairs::{Pair, Pairs};

/// What was found of one neighbouring symbol.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// Occurrences, each as often as its word occurs.
    pub count: u64,
    /// Places, each counted once.
    pub places: u32,
    /// The first of them.
    pub first: u32,
}

/// Marks a symbol whose places are not kept.
const NOT_KEPT: usize = usize::MAX;

/// The symbols found on one side, each with its count and its places.
///
/// A table over all symbols makes each find cost an addition; hashing happens once per distinct
/// neighbour.
#[derive(Default)]
pub(super) struct Neighbours {
    table: Vec<Found>,
    /// Where the next place of each symbol is to be written.
    next: Vec<usize>,
    symbols: Vec<u32>,
    places: Vec<(u32, u32)>,
}

impl Neighbours {
    /// Makes room for `symbols` symbols.
    pub fn resize(&mut self, symbols: usize) {
        self.table.resize(symbols, Found::default());
        self.next.resize(symbols, NOT_KEPT);
    }

    /// Notes one find: the neighbour, the place of the new pair, and the word's count.
    pub fn push(&mut self, symbol: u32, place: u32, count: u64) {
        let found = &mut self.table[symbol as usize];
        if found.places == 0 {
            self.symbols.push(symbol);
            found.first = place;
        }
        found.count += count;
        found.places += 1;
        self.places.push((symbol, place));
    }

    /// How often a symbol was found.
    pub fn count(&self, symbol: u32) -> u64 {
        self.table[symbol as usize].count
    }

    /// Begins to load the pairs, named by `of`, of all these symbols.
    pub fn announce(&self, pairs: &Pairs, of: impl Fn(u32) -> Pair) {
        self.symbols.iter().for_each(|&symbol| pairs.announce(of(symbol)));
    }

    /// Lowers the counts of the pairs, named by `of`, of all these symbols but one.
    pub fn lower_pairs(&self, pairs: &mut Pairs, of: impl Fn(u32) -> Pair, but: Option<u32>) {
        for &symbol in self.symbols.iter().filter(|&&symbol| Some(symbol) != but) {
            pairs.lower(of(symbol), self.count(symbol));
        }
    }

    /// Offers each symbol to `add`, which tells where its places go if they are kept; writes them
    /// there, and forgets all that was found.
    pub fn make_pairs(
        &mut self,
        pairs: &mut Pairs,
        mut add: impl FnMut(&mut Pairs, u32, Found) -> Option<usize>,
    ) {
        for &symbol in &self.symbols {
            let found = std::mem::take(&mut self.table[symbol as usize]);
            self.next[symbol as usize] = add(pairs, symbol, found).unwrap_or(NOT_KEPT);
        }
        self.symbols.clear();
        let places = pairs.places_mut();
        for (symbol, place) in self.places.drain(..) {
            let next = &mut self.next[symbol as usize];
            if *next != NOT_KEPT {
                places[*next] = place;
                *next += 1;
            }
        }
    }
}
