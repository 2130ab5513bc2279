//! Who makes the ids of words that no table holds.

use crate::error::Result;
use crate::merge::word::{Ids, Word};

/// Makes the ids of words that were never met.
pub trait Maker {
    /// The token that a word is known to become: as such words are taken whole, or merging makes it.
    fn token(&self, word: Word) -> Option<u32>;
    /// Appends the ids that merging makes of a word, or of a part of one.
    fn merge(&mut self, word: &str, ids: &mut Vec<u32>) -> Result<()>;
    /// Does the same for a few words, and gives the place and the ids of each to `take`.
    fn merge_some<'a>(
        &mut self,
        words: impl Iterator<Item = Word<'a>> + Clone,
        take: impl FnMut(usize, Ids),
    ) -> Result<()>;
    /// Writes where the parts of a word end that merge apart; returns how many there are.
    fn cut(&self, word: &str, ends: &mut [u32]) -> usize;
    /// Is told of a word that [`may_be_token`](Self::may_be_token) is asked for next.
    fn announce(&self, word: Word);
    /// Whether [`token`](Self::token), which is asked for next, may tell of one.
    fn may_be_token(&self, word: Word) -> bool;
}
