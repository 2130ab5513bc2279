//! Where tokens stand in their text, in code points: a pass of its own over the ids.
//!
//! Where nothing changes the text before it is merged, tokens tile it: each begins where the one
//! before ends, and its bytes are the text's. So the lengths of tokens tell all. A character that
//! several tokens share belongs to each of them.

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
    ///
    /// Fails where tokens do not tile the text: what changes it is named then.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        self.must_tile(text.len())?;
        self.must_stay(text)?;
        let ids = self.encode(text, special, monitor)?;
        let offsets = if self.swallows() {
            self.offsets_with_blanks(text, &ids)
        } else {
            self.offsets(&ids, text.len())
        };
        Ok((ids, offsets?))
    }

    /// The same of a text in code points, of which there is no copy as long as it is, mostly.
    pub fn encode_units_with_offsets<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        if self.model.normalizer.is_some() || self.swallows() {
            let mut text = String::new();
            append(units, &mut text)?;
            return self.encode_with_offsets(&text, special, monitor);
        }
        let bytes = transcode::bytes_of_all(units);
        self.must_tile(bytes)?;
        let ids = self.encode_units(units, special, monitor)?;
        let offsets = self.offsets(&ids, bytes)?;
        Ok((ids, offsets))
    }

    /// Whether there are added tokens that swallow blanks around them.
    fn swallows(&self) -> bool {
        self.model.added_tokens.iter().any(|token| token.lstrip || token.rstrip)
    }

    /// Fails where a text of so many bytes may become another before it is merged, other than by a
    /// normalizer, or is too long to count.
    fn must_tile(&self, bytes: usize) -> Result<()> {
        let model = &self.model;
        if u32::try_from(bytes).is_err() {
            return Err(Error::Limit(format!(
                "a text of {bytes} bytes is longer than {}, the most that offsets count; cut it",
                u32::MAX
            )));
        }
        if model.units != Units::Bytes || model.spelled {
            return Err(no_offsets("its tokens are not the bytes of the text", "use tok.words"));
        }
        if model.pre_tokenizer.as_ref().is_some_and(adds) {
            return Err(no_offsets(
                "its pre-tokenizer puts a blank before the text",
                "put it there first, and encode with a tok.with_(pre_tokenizer=…) that does not",
            ));
        }
        Ok(())
    }

    /// Fails where the normalizer changes this text.
    fn must_stay(&self, text: &str) -> Result<()> {
        if let Some(normalizer) = &self.model.normalizer
            && !(is_normal_form(normalizer) && self.policies.normalize(text)? == text)
        {
            return Err(no_offsets(
                "its normalizer changes this text",
                "normalize the text first, and encode with tok.with_(normalizer=None)",
            ));
        }
        Ok(())
    }

    /// The offsets of ids whose tokens follow each other in a text of so many bytes.
    fn offsets(&self, ids: &[u32], length: usize) -> Result<Vec<u32>> {
        let extents = self.model.vocabulary.extents();
        let mut offsets = memory::list(ids.len())?;
        let mut end = End::default();
        for some in ids.chunks(TOGETHER) {
            end = extents.pass(some, end, &mut offsets);
        }
        if end.bytes == length as u64 { Ok(offsets.into_flattened()) } else { Err(left_out()) }
    }

    /// The offsets where added tokens may have swallowed blanks around them.
    fn offsets_with_blanks(&self, text: &str, ids: &[u32]) -> Result<Vec<u32>> {
        let strips =
            |id| move |token: &&AddedToken| token.id == id && (token.lstrip || token.rstrip);
        let (mut position, mut rest) = (0_u32, text.as_bytes());
        let mut offsets = memory::list(2 * ids.len())?;
        for &id in ids {
            let length = match self.model.added_tokens.iter().find(strips(id)) {
                Some(token) => swallowed(rest, token).ok_or_else(left_out)?,
                None => self.model.vocabulary.bytes(id).len(),
            };
            let (token, behind) = rest.split_at_checked(length).ok_or_else(left_out)?;
            let begins_inside = token.first().is_some_and(|&byte| is_inner(byte));
            offsets.push(position - u32::from(begins_inside));
            position += token.iter().filter(|&&byte| !is_inner(byte)).count() as u32;
            offsets.push(position);
            rest = behind;
        }
        if rest.is_empty() { Ok(offsets) } else { Err(left_out()) }
    }
}

/// How many bytes at the beginning of `text` a token that swallows blanks has matched.
fn swallowed(text: &[u8], token: &AddedToken) -> Option<usize> {
    let text = str::from_utf8(text).ok()?;
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

fn no_offsets(why: &str, remedy: &str) -> Error {
    Error::Value(format!("this tokenizer has no offsets for this text, as {why}; {remedy}"))
}

fn left_out() -> Error {
    no_offsets("some of it is left out", "use tok.words, which tells what is kept")
}
