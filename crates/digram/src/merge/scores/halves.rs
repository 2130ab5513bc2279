//! The table of pairs by scores: the one pair that makes each piece.
//!
//! While two adjacent symbols stand for the text of a piece, nothing has crossed their borders, so
//! that text has merged as it does alone. Alone it is in the state of two symbols only once. So a
//! piece is made of the same two parts wherever it is made: merging each piece alone, the short
//! ones first, finds the one pair that makes it. Ties of scores do not matter to this, as the
//! leftmost of a stretch of text is the leftmost of it alone.

use std::cmp::Ordering;

use super::super::alphabet::Alphabet;
use super::super::group::Group;
use super::super::pairs::{NONE, Pairs, Product};
use super::super::{heap, short};
use crate::error::Result;
use crate::model::{Model, Scores};
use crate::monitor::{Monitor, Nobody};

/// How many pieces are merged together.
const TOGETHER: usize = 64;

/// The two parts of each piece, as they are found.
pub struct Halves {
    pub pairs: Pairs,
    /// By id; `NONE` where a piece is a character, or not what its own text merges to.
    pub parts: Vec<(u32, u32)>,
    /// Pieces of more than one character, the short ones first, each with its rank.
    pub order: Vec<(u32, u32)>,
}

impl Halves {
    /// Finds them all, where so many characters are no pieces.
    pub fn of(model: &Model, scores: &Scores, alphabet: &Alphabet, bare: usize) -> Result<Self> {
        let mut halves = Self::none(model, scores, bare);
        halves.find(model, alphabet)?;
        Ok(halves)
    }

    fn none(model: &Model, scores: &Scores, bare: usize) -> Self {
        let ranks = ranks(scores);
        let length = |id: u32| model.vocabulary.bytes(id).len();
        let merged = scores.pieces.iter().zip(ranks).filter(|(piece, _)| piece.kind.merges());
        let mut order: Vec<_> = merged.map(|(piece, rank)| (piece.id, rank)).collect();
        order.sort_by_key(|&(id, _)| length(id));
        let products = order.iter().map(|&(id, rank)| Product { rank, merged: id });
        Self {
            pairs: Pairs::of_products(products)
                .unwrap_or_else(|| Pairs::with_capacity(order.len())),
            parts: vec![(NONE, NONE); model.vocabulary.ids() + bare],
            order,
        }
    }

    fn find(&mut self, model: &Model, alphabet: &Alphabet) -> Result<()> {
        let mut found = Vec::new();
        let mut work = (Group::default(), Vec::new());
        let text = |&(id, _): &(u32, u32)| model.vocabulary.bytes(id);
        let order = std::mem::take(&mut self.order);
        // pieces of one length are no parts of each other
        for alike in order.chunk_by(|one, other| text(one).len() == text(other).len()) {
            for some in alike.chunks(TOGETHER) {
                self.merge(some, &mut work, (model, alphabet), &mut found)?;
            }
            for ((id, rank), left, right) in found.drain(..) {
                self.parts[id as usize] = (left, right);
                self.pairs.add(left, right, Product { rank, merged: id });
            }
        }
        self.order = order;
        Ok(())
    }

    /// Merges a few pieces, and adds those to `found` of which two symbols are left.
    fn merge(
        &self,
        pieces: &[(u32, u32)],
        (group, symbols): &mut (Group, Vec<u32>),
        (model, alphabet): (&Model, &Alphabet),
        found: &mut Vec<((u32, u32), u32, u32)>,
    ) -> Result<()> {
        let mut keep = |place: usize, symbols: &[u32]| {
            if let &[left, right] = symbols {
                found.push((pieces[place], left, right));
            }
        };
        for (place, &(id, _)) in pieces.iter().enumerate() {
            let text = std::str::from_utf8(model.vocabulary.bytes(id)).unwrap_or_default();
            alphabet.write(text, symbols)?;
            match symbols.len() {
                0..=2 => keep(place, symbols),
                _ if group.take(place, symbols, &self.pairs) => {}
                3..=short::MOST => {
                    short::merge(symbols, &self.pairs);
                    keep(place, symbols);
                }
                _ => {
                    heap::merge(symbols, &self.pairs, &Monitor::new(&Nobody))?;
                    keep(place, symbols);
                }
            }
        }
        group.merge(&self.pairs, keep);
        Ok(())
    }
}

/// A rank for each piece: the best score is 0, and equal scores have one rank.
fn ranks(scores: &Scores) -> Vec<u32> {
    let mut order: Vec<usize> = (0..scores.pieces.len()).collect();
    let score = |at: usize| scores.pieces[at].score;
    order.sort_by(|&a, &b| score(b).partial_cmp(&score(a)).unwrap_or(Ordering::Equal));
    let mut ranks = vec![0; order.len()];
    let (mut rank, mut before) = (0, None);
    for at in order {
        if !scores.pieces[at].kind.merges() {
            continue;
        }
        if before.is_some_and(|before: f32| before.partial_cmp(&score(at)) != Some(Ordering::Equal))
        {
            rank += 1;
        }
        before = Some(score(at));
        ranks[at] = rank;
    }
    ranks
}
