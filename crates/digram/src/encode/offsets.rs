//! Where tokens stand in their text, in code points: a pass of its own over the ids.
//!
//! Where nothing changes the text before it is merged, tokens tile it: each begins where the one
//! before ends, and its bytes are the text's. So the lengths of tokens tell all. A character that
//! several tokens share belongs to each of them. Other texts are gone through step by step ([`placed`]).
//!
//! [`placed`]: super::placed

use hashbrown::HashMap;

use super::trim::{Trim, blanks_in};
use super::windows::append;
use super::{Special, Tokenizer};
use crate::arch::transcode::{self, Unit};
use crate::components::{AddedToken, Normalizer, PreTokenizer};
use crate::error::{Error, Result};
use crate::memory;
use crate::model::Units;
use crate::monitor::Monitor;
use crate::vocabulary::{End, is_inner};

/// So many ids are passed together, and one by one where one of them has a rare extent.
const TOGETHER: usize = 128;

impl Tokenizer {
    /// The ids of a text, and for each the start and the end in code points, one behind the other.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        check_length(text.len())?;
        if self.tiles() && self.stays(text)? {
            let ids = self.encode(text, special, monitor)?;
            let offsets = if self.swallows(&ids) {
                self.offsets_with_blanks(text, &ids)
            } else {
                self.offsets(&ids, text.len())?
            };
            if let Some(offsets) = offsets {
                return Ok((ids, offsets));
            }
        }
        self.encode_placed(text, special, monitor)
    }

    /// The same of a text in code points, of which there is no copy as long as it is, mostly.
    pub fn encode_units_with_offsets<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        let bytes = transcode::bytes_of_all(units);
        check_length(bytes)?;
        if self.tiles() && self.model.normalizer.is_none() {
            let ids = self.encode_units(units, special, monitor)?;
            if !self.swallows(&ids)
                && let Some(offsets) = self.offsets(&ids, bytes)?
            {
                return Ok((ids, offsets));
            }
        }
        let mut text = String::new();
        append(units, &mut text)?;
        self.encode_with_offsets(&text, special, monitor)
    }

    /// Whether there are added tokens among some that swallow blanks around them.
    fn swallows(&self, ids: &[u32]) -> bool {
        let swallowers = self.swallowers();
        match (swallowers.keys().min(), swallowers.keys().max()) {
            (Some(first), Some(last)) => {
                ids.iter().any(|id| (first..=last).contains(&id) && swallowers.contains_key(id))
            }
            _ => false,
        }
    }

    /// The added tokens that swallow blanks around them.
    fn swallowers(&self) -> HashMap<u32, &AddedToken> {
        let swallows = |added: &&AddedToken| added.lstrip || added.rstrip;
        let added = self.model.added_tokens.iter().filter(swallows);
        added.map(|added| (added.id, added)).collect()
    }

    /// Whether tokens tile a text that no normalizer changes, as they are its bytes and no others.
    fn tiles(&self) -> bool {
        let model = &self.model;
        let is_token = |byte| model.vocabulary.id_of(&[byte], false).is_some();
        model.units == Units::Bytes
            && !model.pre_tokenizer.as_ref().is_some_and(adds)
            && (0..=255).all(is_token)
    }

    /// Whether the normalizer leaves a text as it is, with all where it is.
    fn stays(&self, text: &str) -> Result<bool> {
        match &self.model.normalizer {
            None => Ok(true),
            Some(normalizer) => {
                Ok(is_normal_form(normalizer) && self.policies.normalize(text)? == text)
            }
        }
    }

    /// The offsets of ids whose tokens follow each other in a text of so many bytes; `None` where some of it is
    /// left out.
    fn offsets(&self, ids: &[u32], length: usize) -> Result<Option<Vec<u32>>> {
        let extents = self.model.vocabulary.extents();
        let mut offsets = memory::list(ids.len())?;
        let mut end = End::default();
        for some in ids.chunks(TOGETHER) {
            end = extents.pass(some, end, &mut offsets);
        }
        if let Some(mut trim) = Trim::of(&self.model, ids.len()) {
            for (place, (&id, offset)) in ids.iter().zip(&mut offsets).enumerate() {
                let blanks = trim.blanks_of(id);
                *offset = trim.apply(place, blanks, *offset);
            }
        }
        Ok((end.bytes == length as u64).then(|| offsets.into_flattened()))
    }

    /// The offsets where added tokens may have swallowed blanks around them.
    fn offsets_with_blanks(&self, text: &str, ids: &[u32]) -> Option<Vec<u32>> {
        let swallowers = self.swallowers();
        let mut trim = Trim::of(&self.model, ids.len());
        let (mut position, mut passed) = (0_u32, 0);
        let mut offsets = memory::list(2 * ids.len()).ok()?;
        for (place, &id) in ids.iter().enumerate() {
            let swallower = swallowers.get(&id);
            let length = match swallower {
                Some(added) => swallowed(text.get(passed..)?, added)?,
                None => self.model.vocabulary.bytes(id).len(),
            };
            let token = text.as_bytes().get(passed..passed + length)?;
            let begins_inside = token.first().is_some_and(|&byte| is_inner(byte));
            let start = position - u32::from(begins_inside);
            position += token.iter().filter(|&&byte| !is_inner(byte)).count() as u32;
            let offset = [start, position];
            let blanks = match (&mut trim, swallower) {
                (None, _) => [0; 2],
                (Some(trim), None) => trim.blanks_of(id),
                (Some(_), Some(_)) => blanks_in(str::from_utf8(token).ok()?),
            };
            offsets.extend(trim.as_ref().map_or(offset, |trim| trim.apply(place, blanks, offset)));
            passed += length;
        }
        (passed == text.len()).then_some(offsets)
    }
}

/// How many bytes at the beginning of `text` a token that swallows blanks has matched.
fn swallowed(text: &str, token: &AddedToken) -> Option<usize> {
    let found = if token.lstrip { text.trim_start() } else { text };
    let behind = found.strip_prefix(token.content.as_str())?;
    let left = if token.rstrip { behind.trim_start() } else { behind };
    Some(text.len() - left.len())
}

fn is_normal_form(normalizer: &Normalizer) -> bool {
    match normalizer {
        Normalizer::NFC | Normalizer::NFD | Normalizer::NFKC | Normalizer::NFKD => true,
        Normalizer::Sequence { normalizers } => normalizers.iter().all(is_normal_form),
        _ => false,
    }
}

/// Whether a pre-tokenizer may put something into the text.
fn adds(pre_tokenizer: &PreTokenizer) -> bool {
    match pre_tokenizer {
        PreTokenizer::ByteLevel(byte_level) => byte_level.add_prefix_space,
        PreTokenizer::Metaspace(_) => true,
        PreTokenizer::Sequence { pretokenizers } => pretokenizers.iter().any(adds),
        _ => false,
    }
}

fn check_length(bytes: usize) -> Result<()> {
    if u32::try_from(bytes).is_ok() {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "a text of {bytes} bytes is longer than {}, the most that offsets count; cut it",
        u32::MAX
    )))
}
