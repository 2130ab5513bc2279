//! Which pairs merge by scores, without a table: the text of both is looked up.

use std::cell::RefCell;

use super::super::pairs::{NOTHING, Product, Products};
use crate::model::{Model, Rule, Scores};

/// The pairs of a model by scores.
pub struct ByText<'a> {
    model: &'a Model,
    scores: Option<&'a Scores>,
    bare: &'a [char],
    joined: RefCell<Vec<u8>>,
}

impl<'a> ByText<'a> {
    /// Those of a model in which these characters are no pieces.
    pub fn of(model: &'a Model, bare: &'a [char]) -> Self {
        let scores = if let Rule::Scores(scores) = &model.rule { Some(scores) } else { None };
        Self { model, scores, bare, joined: RefCell::default() }
    }

    /// Appends the text of a symbol; tells whether it merges at all.
    fn push(&self, symbol: u32, joined: &mut Vec<u8>) -> bool {
        let vocabulary = &self.model.vocabulary;
        let Some(place) = (symbol as usize).checked_sub(vocabulary.ids()) else {
            joined.extend_from_slice(vocabulary.bytes(symbol));
            return vocabulary.merges(symbol);
        };
        let Some(character) = self.bare.get(place) else { return false };
        joined.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        true
    }
}

impl Products for ByText<'_> {
    fn product(&self, left: u32, right: u32) -> Product {
        let mut joined = self.joined.borrow_mut();
        joined.clear();
        if !self.push(left, &mut joined) || !self.push(right, &mut joined) {
            return NOTHING;
        }
        let merged = self.model.vocabulary.id_of(&joined, false);
        let score = |id| Some((id, self.scores?.score(id)?));
        let Some((merged, score)) = merged.and_then(score) else { return NOTHING };
        Product { rank: rank(score), merged }
    }
}

/// A rank: the higher the score, the lower.
///
/// Finite numbers are ordered as their bits are: the positive ones as they stand, behind them the
/// negative ones, backwards. No rank of one is [`NONE`](super::super::pairs::NONE).
fn rank(score: f32) -> u32 {
    let bits = score.to_bits();
    if score.is_sign_positive() { !(bits | 1 << 31) } else { bits }
}

#[cfg(test)]
mod tests {
    use super::super::super::pairs::NONE;
    use super::rank;

    #[test]
    fn ranks_are_ordered_as_scores_are() {
        let falling = [f32::MAX, 7.5, 1.0, f32::MIN_POSITIVE, 0.0, -1e-40, -1.0, -9.5, f32::MIN];
        assert!(falling.is_sorted_by(|&a, &b| rank(a) < rank(b)));
        assert!(rank(0.0) < rank(-0.0), "as in SentencePiece since 0.2.3");
        assert!(falling.iter().all(|&score| rank(score) != NONE));
    }
}
