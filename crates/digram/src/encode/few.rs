//! A few words that are not in the near table, one after the other.
//!
//! In a short call one word or two are missing there. To go through a loop for each look-up, with lists of
//! those that the last one left, takes more instructions than it saves waiting for memory.

use std::iter::once;

use super::maker::Maker;
use super::pieces::Pieces;
use super::words::{Far, Words};
use crate::error::Result;

/// So many missing words are looked for one by one at most.
pub(super) const FEW: usize = 3;

impl Words {
    /// Finds or makes the first missing words; returns how many are left to be looked for together: long
    /// ones, and those that have more ids than a value holds.
    #[inline(never)]
    pub(super) fn find_few(
        &mut self,
        missing: usize,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
    ) -> Result<usize> {
        for &index in &self.missing[..missing] {
            self.table.prefetch_far(self.keys[index as usize]);
            maker.announce(self.word(text, pieces, index));
        }
        let mut left = 0;
        for nth in 0..missing {
            let index = self.missing[nth];
            let is_found = self.find_one(index, text, pieces, maker)?;
            self.missing[left] = index;
            left += usize::from(!is_found);
        }
        if !self.apart.is_empty() {
            self.make_by_parts(text, pieces, maker)?;
        }
        Ok(left)
    }

    /// Finds a word, or makes it; `false` if it is not for this.
    #[inline]
    fn find_one(
        &mut self,
        index: u32,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
    ) -> Result<bool> {
        match self.find_far(index) {
            Far::Found => return Ok(true),
            Far::Wider => return Ok(false),
            Far::Unknown => {}
        }
        let (at, key) = (index as usize, self.keys[index as usize]);
        let word = self.word(text, pieces, index);
        if !pieces.is_part(at)
            && maker.may_be_token(word)
            && let Some(token) = maker.token(word)
        {
            self.found_token(text, pieces, at, token);
        } else if !self.take_apart(text, pieces, at, maker) {
            maker.merge_some(once(word), |_, ids| self.made(text, pieces, (at, key), ids))?;
        }
        Ok(true)
    }
}
