//! Which tokens each token is merged of, whatever rule chooses the next merge.

use super::pairs::NONE;
use super::ranks;
use super::scores::Ready;
use crate::error::{Error, Result};
use crate::model::{Merge, Model, Piece, Rule, Scores};

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
            let Some(merges) = by_score(model, scores)? else {
                let reason = "pieces are made of characters that are no pieces";
                return Err(Error::Value(reason.into()));
            };
            Ok(merges.into_iter().map(|(_, merge)| merge).collect())
        }
    }
}

/// The merges that make pieces, each with its score, the best first, and of equals that of the lower id; none
/// where pieces are made of characters that are no pieces.
pub fn by_score(model: &Model, scores: &Scores) -> Result<Option<Vec<(f32, Merge)>>> {
    let ready = Ready::of(model, scores)?;
    if ready.pieces.has_own_characters() {
        return Ok(None);
    }
    let parts = ready.parts(model, scores)?;
    let merge = |piece: &Piece| {
        let (left, right) = parts[piece.id as usize];
        (left != NONE).then_some((piece.score, Merge { left, right, merged: piece.id }))
    };
    let mut merges: Vec<_> = scores.pieces.iter().filter_map(merge).collect();
    merges.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(Some(merges))
}
