//! Which tokens each token is merged of: what goes with a token that is taken away.

use super::pairs::NONE;
use super::ranks;
use super::scores::Ready;
use crate::error::{Error, Result};
use crate::model::{Merge, Model, Rule};

/// The merges that make tokens, in their order: those that are listed; by rank and by scores those that
/// merging may meet. None where tokens are looked for.
///
/// Fails where pieces are made of characters that are no pieces.
///
/// ```
/// use digram::merge::origins;
/// use digram::model::{Model, Rule, Units};
/// use digram::vocabulary::{Token, Vocabulary};
///
/// let bytes = (0..=255_u8).map(|byte| Token::new(u32::from(byte), [byte]));
/// let tokens = bytes.chain([Token::new(256, "lo"), Token::new(257, "low")]);
/// let model = Model::new(Vocabulary::new(tokens.collect())?, Units::Bytes, Rule::Ranks);
/// let merge = origins(&model)?[1];
/// assert_eq!((merge.left, merge.right, merge.merged), (256, u32::from(b'w'), 257));
/// # Ok::<(), digram::Error>(())
/// ```
pub fn origins(model: &Model) -> Result<Vec<Merge>> {
    match &model.rule {
        Rule::Merges(merges) => Ok(merges.clone()),
        Rule::Ranks => ranks::origins(model),
        Rule::Greedy(_) => Ok(Vec::new()),
        Rule::Scores(scores) => {
            let ready = Ready::of(model, scores)?;
            if ready.pieces.has_own_characters() {
                let reason = "pieces are made of characters that are no pieces";
                return Err(Error::Value(reason.into()));
            }
            let parts = ready.parts(model, scores)?;
            let mut pieces: Vec<_> = scores.pieces.iter().collect();
            pieces.sort_by(|a, b| b.score.total_cmp(&a.score));
            let merge = |id: u32| {
                let (left, right) = parts[id as usize];
                (left != NONE).then_some(Merge { left, right, merged: id })
            };
            Ok(pieces.iter().filter_map(|piece| merge(piece.id)).collect())
        }
    }
}
