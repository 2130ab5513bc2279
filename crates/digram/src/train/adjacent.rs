//! All pairs of the words: how often each occurs, and where.

use crate::error::Result;
use crate::monitor::Monitor;

use super::corpus::{Corpus, SLOTS_PER_CHECK, is_end};
use super::pairs::{Pair, Pairs};
use super::tokens::Tokens;

/// So many symbols are few.
const FEW: usize = 512;
/// How many pairs before it is counted a pair of many symbols is asked for.
const PAIRS_AHEAD: usize = 16;
/// Marks a pair whose places are not kept.
const NOT_KEPT: usize = usize::MAX;

impl Corpus {
    /// Calls `visit` with each pair of symbols, its place and its word's count, the last pair
    /// first; and with what may be the pair that follows some calls later, to be asked for.
    ///
    /// Only before the first merge, or closed up: then every slot is a symbol, or an end.
    pub fn each_pair(
        &self,
        monitor: &Monitor,
        mut visit: impl FnMut(Pair, u32, u64, Option<Pair>),
    ) -> Result<()> {
        let last = self.slots.len() - 1;
        let (mut right, mut count) = (self.slots[last], 0);
        for start in (0..last).step_by(SLOTS_PER_CHECK).rev() {
            monitor.report("pairs", (last - start) as u64, last as u64)?;
            let end = last.min(start + SLOTS_PER_CHECK);
            for (place, &left) in (start..end).zip(&self.slots[start..end]).rev() {
                if is_end(right) {
                    count = self.count(right);
                } else if !is_end(left) {
                    visit(Pair::new(left, right), place as u32, count, self.ahead(place));
                }
                right = left;
            }
        }
        Ok(())
    }

    fn ahead(&self, place: usize) -> Option<Pair> {
        let place = place.checked_sub(PAIRS_AHEAD)?;
        self.slots.get(place..place + 2).map(|two| Pair::new(two[0], two[1]))
    }

    /// Counts the pairs and notes their places: see [`each_pair`](Self::each_pair).
    pub fn count_pairs(&self, least: u64, tokens: &Tokens, monitor: &Monitor) -> Result<Pairs> {
        let mut pairs = Pairs::new(least);
        if tokens.len() <= FEW {
            self.count_few(&mut pairs, tokens, monitor)?;
            return Ok(pairs);
        }
        self.each_pair(monitor, |pair, _, count, ahead| {
            ahead.inspect(|&pair| pairs.announce(pair));
            // of words that are merged already, most pairs may be too long
            if tokens.fits(pair) {
                pairs.count(pair, count);
            }
        })?;
        pairs.reserve(|pair| tokens.may_merge(pair), monitor)?;
        self.each_pair(monitor, |pair, place, _, ahead| {
            ahead.inspect(|&pair| pairs.announce(pair));
            pairs.note(pair, place);
        })?;
        Ok(pairs)
    }

    /// Does the same where there are few symbols: a table over all pairs needs no hashing.
    fn count_few(&self, pairs: &mut Pairs, tokens: &Tokens, monitor: &Monitor) -> Result<()> {
        let symbols = tokens.len() as u32;
        let index = |pair: Pair| (pair.left() * symbols + pair.right()) as usize;
        let mut counted = vec![(0_u64, 0_usize); (symbols * symbols) as usize];
        self.each_pair(monitor, |pair, _, count, _| {
            let found = &mut counted[index(pair)];
            *found = (found.0 + count, found.1 + 1);
        })?;
        pairs.expect(counted.iter().map(|&(_, places)| places).sum());
        // where the next place of each goes, the last one first
        let mut next = vec![NOT_KEPT; counted.len()];
        for pair in (0..symbols).flat_map(|left| (0..symbols).map(move |r| Pair::new(left, r))) {
            let (count, places) = counted[index(pair)];
            if pairs.keeps(count) && tokens.may_merge(pair) {
                // room for millions of places takes its time where memory is to be found
                monitor.check()?;
                next[index(pair)] = pairs.insert(pair, count, places) + places;
            }
        }
        let places = pairs.places_mut();
        self.each_pair(monitor, |pair, place, _, _| {
            let next = &mut next[index(pair)];
            if *next != NOT_KEPT {
                *next -= 1;
                places[*next] = place;
            }
        })
    }
}
