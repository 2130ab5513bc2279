//! Tokens that merging makes and that are taken apart again, as subword-nmt's vocabulary filter
//! has them: into the parts of the first merge that makes them, and those parts in turn.

use hashbrown::HashMap;

use super::{Merge, Model, Rule};
use crate::error::{Error, Result};

impl Model {
    /// The unused tokens with their two parts, the short ones first: those are parts of others.
    pub(crate) fn taken_apart(&self) -> Result<Vec<(u32, (u32, u32))>> {
        if self.unused.is_empty() {
            return Ok(Vec::new());
        }
        let Rule::Merges(merges) = &self.rule else {
            return Err(Error::Format("unused tokens go with listed merges only".into()));
        };
        if self.ignore_merges || self.continuing_prefix.is_some() {
            return Err(Error::Format(
                "unused tokens go with neither ignore_merges nor a continuing prefix".into(),
            ));
        }
        let mut made_of = HashMap::with_capacity(merges.len());
        for Merge { left, right, merged } in merges {
            made_of.entry(*merged).or_insert((*left, *right));
        }
        let part = |&id: &u32| match made_of.get(&id) {
            Some(&(left, right)) if self.units_of(left) > 0 && self.units_of(right) > 0 => {
                Ok((id, (left, right)))
            }
            Some(_) => Err(Error::Format(format!(
                "unused token {id} is made of itself and an empty token"
            ))),
            None => Err(Error::Format(format!(
                "unused token {id} is made by no merge, so that it cannot be taken apart"
            ))),
        };
        let mut apart: Vec<_> = self.unused.iter().map(part).collect::<Result<_>>()?;
        apart.sort_by_key(|(id, _)| self.units_of(*id));
        Ok(apart)
    }

    /// A token's length, the marker counting as one: that of a product is that of its parts.
    fn units_of(&self, id: u32) -> usize {
        self.vocabulary.bytes(id).len() + usize::from(self.vocabulary.ends_word(id))
    }
}
