//! The table of pairs by scores: the one pair that makes each piece, see
//! [`halves`](super::super::halves). Ties of scores do not matter to it.

use super::super::alphabet::Alphabet;
use super::super::halves::{self, Texts};
use super::super::pairs::{NONE, Pairs, Product};
use crate::error::Result;
use crate::model::{Model, Scores};

/// The two parts of each piece, as they are found.
pub struct Halves {
    pub pairs: Pairs,
    /// By id; `NONE` where a piece is a character, or not what its own text merges to.
    pub parts: Vec<(u32, u32)>,
    /// Pieces that merging may make, the short ones first: the rank of each and its id.
    pub order: Vec<Product>,
}

impl Halves {
    /// Finds them all, where so many characters are no pieces.
    pub fn of(model: &Model, scores: &Scores, alphabet: &Alphabet, bare: usize) -> Result<Self> {
        let length = |id: u32| model.vocabulary.bytes(id).len();
        let merged =
            scores.pieces.iter().zip(ranks(scores)).filter(|(piece, _)| piece.kind.merges());
        let mut order: Vec<_> =
            merged.map(|(piece, rank)| Product { rank, merged: piece.id }).collect();
        order.sort_by_key(|product| length(product.merged));
        let mut pairs = Pairs::of_products(order.iter().copied(), alphabet.first());
        let mut parts = vec![(NONE, NONE); model.vocabulary.ids() + bare];
        // by one thread: it is made in a call, which may have as many as it was allowed
        let tokens = OfText { model, alphabet };
        halves::find(&order, &tokens, &mut pairs, 1, |id, [left, right]| {
            parts[id as usize] = (left, right);
        })?;
        Ok(Self { pairs, parts, order })
    }
}

/// Pieces that begin as characters.
struct OfText<'a> {
    model: &'a Model,
    alphabet: &'a Alphabet,
}

impl Texts for OfText<'_> {
    #[inline]
    fn length(&self, piece: u32) -> usize {
        self.model.vocabulary.bytes(piece).len()
    }

    #[inline]
    fn write(&self, piece: u32, symbols: &mut Vec<u32>) -> Result<()> {
        let text = std::str::from_utf8(self.model.vocabulary.bytes(piece)).unwrap_or_default();
        self.alphabet.write(text, symbols)
    }
}

/// A rank for each piece: the best score is 0, and equal scores have one rank. Zero is better than less
/// than nothing, -0.0, as trainers write it for the first merge: so SentencePiece has it since 0.2.3.
fn ranks(scores: &Scores) -> Vec<u32> {
    let mut order: Vec<usize> = (0..scores.pieces.len()).collect();
    let score = |at: usize| scores.pieces[at].score;
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut ranks = vec![0; order.len()];
    let (mut rank, mut before) = (0, None);
    for at in order {
        if !scores.pieces[at].kind.merges() {
            continue;
        }
        if before.is_some_and(|before: f32| before.total_cmp(&score(at)).is_ne()) {
            rank += 1;
        }
        before = Some(score(at));
        ranks[at] = rank;
    }
    ranks
}
