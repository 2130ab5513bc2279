//! Where in a word each of its ids stands.

use super::{Merger, Observer, Step, heap, whole};
use crate::error::Result;
use crate::memory;
use crate::model::Model;
use crate::monitor::Monitor;

/// A stretch of a word, in bytes: its start and its end.
pub(crate) type Span = [usize; 2];

/// An id, and where it stands.
pub(crate) type Placed = (u32, Span);

/// What finding them takes at most, in bytes for each byte of a word.
const BYTES: usize = 96;

/// The left symbols of merges, in order, by their places among those at first.
#[derive(Default)]
struct Joined(Vec<u32>);

impl Observer for Joined {
    fn merged(&mut self, step: Step) {
        self.0.push(step.at as u32);
    }
}

impl Merger {
    /// The ids of a word, as [`encode`](Self::encode) has them, and where each stands. O(n log n).
    pub(crate) fn place(
        &self,
        word: &str,
        model: &Model,
        monitor: &Monitor,
    ) -> Result<Vec<Placed>> {
        match whole(word, model) {
            Some(id) => Ok(vec![(id, [0, word.len()])]),
            None => self.place_merged(word, model, monitor),
        }
    }

    /// The same, but for the word that is taken whole.
    fn place_merged(&self, word: &str, model: &Model, monitor: &Monitor) -> Result<Vec<Placed>> {
        if let Some(longest) = &self.longest {
            return Self::greedy(longest, word, model, monitor);
        }
        memory::expect(BYTES * word.len())?;
        let (mut symbols, mut joined) = (memory::list(word.len())?, Joined::default());
        self.alphabet.write(word, &mut symbols)?;
        let begun = symbols.len();
        if begun > 1 {
            self.observe(&mut symbols, model, monitor, &mut joined)?;
        }
        let mut spans = self.alphabet.spans(word);
        debug_assert_eq!(spans.len(), begun, "each symbol stands somewhere");
        join(&mut spans, &joined);
        let apart = self.pieces.as_ref().map_or(&self.apart, |pieces| pieces.apart());
        let mut placed = memory::list(symbols.len())?;
        apart.each(&symbols, |range, ids| {
            let span = [spans[range.start][0], spans[range.end - 1][1]];
            share(ids, span, (word, model), &mut placed);
        });
        Ok(placed)
    }

    fn observe(
        &self,
        symbols: &mut Vec<u32>,
        model: &Model,
        monitor: &Monitor,
        joined: &mut Joined,
    ) -> Result<()> {
        let Some(pieces) = &self.pieces else {
            return heap::merge_observed(symbols, &self.pairs, monitor, joined);
        };
        match pieces.pairs(model, &self.alphabet, symbols.len())? {
            Some(pairs) => heap::merge_observed(symbols, pairs, monitor, joined),
            None => heap::merge_observed(symbols, &pieces.by_text(model), monitor, joined),
        }
    }

    /// Makes one id of neighbouring unknown ones, as [`fuse`](Self::fuse) does.
    pub(crate) fn fuse_placed(&self, placed: &mut Vec<Placed>, model: &Model) {
        let Some(unknown) = model.unknown.as_ref().filter(|_| self.fuses()) else { return };
        placed.dedup_by(|(id, span), (before, all)| {
            let is_one = *id == unknown.id && *before == unknown.id;
            if is_one {
                all[1] = span[1];
            }
            is_one
        });
    }
}

/// Joins the spans of symbols that were merged.
fn join(spans: &mut Vec<Span>, joined: &Joined) {
    let mut next: Vec<usize> = (1..=spans.len()).collect();
    for &left in &joined.0 {
        let (left, right) = (left as usize, next[left as usize]);
        spans[left][1] = spans[right][1];
        next[left] = next[right];
    }
    let mut kept = Vec::with_capacity(spans.len() - joined.0.len());
    let mut at = 0;
    while let Some(&span) = spans.get(at) {
        kept.push(span);
        at = next[at];
    }
    *spans = kept;
}

/// Shares a span of a word among the ids that stand for one symbol, or for two: by their lengths, if those are
/// of text. What is unknown is one character.
fn share(ids: &[u32], span: Span, (word, model): (&str, &Model), placed: &mut Vec<Placed>) {
    let [start, end] = span;
    let unknown = model.unknown.as_ref().map(|unknown| unknown.id);
    let length = |id, at| match word.get(at..end).and_then(|left| left.chars().next()) {
        Some(character) if Some(id) == unknown => character.len_utf8(),
        _ => model.continued_or_first(id, start == 0),
    };
    let ends = ids.iter().scan(start, |at, &id| {
        *at += length(id, *at);
        Some(*at)
    });
    if ids.len() > 1 && ends.clone().last() == Some(end) {
        let mut start = start;
        for (&id, end) in ids.iter().zip(ends) {
            placed.push((id, [start, end]));
            start = end;
        }
    } else if ids.len() > 1 && ids.len() == end - start {
        placed.extend(ids.iter().zip(start..).map(|(&id, at)| (id, [at, at + 1])));
    } else {
        placed.extend(ids.iter().map(|&id| (id, span)));
    }
}
