//! Ids to bytes.

mod batch;
mod join;
mod steady;
mod text;

use std::borrow::Cow;

use crate::components::decoder::Pending;
use crate::components::post_processor;
use crate::encode::Tokenizer;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
pub use batch::Rounds;
pub(crate) use steady::Steady;
pub use text::Size;

/// Ids as they come: what is not certain yet waits here. One stream goes with one tokenizer.
#[derive(Clone)]
pub struct Stream(Pending);

impl Stream {
    /// With `replaces`, what is no UTF-8 is replaced as the decoder has it, if it has a way of its own.
    pub fn new(replaces: bool) -> Self {
        Self(Pending::new(replaces))
    }
}

/// So many ids are decoded within some milliseconds, and nobody is asked whether to stop. What a stream
/// waits with may be long, and is not copied for fewer.
const FEW: usize = 1 << 12;

impl Tokenizer {
    /// The bytes that `ids` mean; special tokens are left out if `skip_special_tokens`.
    ///
    /// Fails on the first id that is not in the vocabulary.
    pub fn decode(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        monitor: &Monitor,
    ) -> Result<Vec<u8>> {
        self.decode_as(ids, (skip_special_tokens, false), monitor)
    }

    /// The same as text: what is no UTF-8 is replaced as the decoder has it, if it has a way of
    /// its own.
    pub fn decode_text(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        monitor: &Monitor,
    ) -> Result<Vec<u8>> {
        self.decode_as(ids, (skip_special_tokens, true), monitor)
    }

    fn decode_as(&self, ids: &[u32], how: (bool, bool), monitor: &Monitor) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let end = self.decode_to(ids, how, (&mut bytes, 0), monitor)?;
        bytes.truncate(end);
        Ok(bytes)
    }

    /// Writes what `ids` mean from a place in `bytes` on, which becomes longer than it needs; returns where
    /// that ends.
    fn decode_to(
        &self,
        ids: &[u32],
        (skip_special_tokens, text): (bool, bool),
        (bytes, from): (&mut Vec<u8>, usize),
        monitor: &Monitor,
    ) -> Result<usize> {
        let is_skipped = |id: &u32| self.is_skipped(*id);
        let kept = if skip_special_tokens && ids.iter().any(is_skipped) {
            ids.iter().try_for_each(|&id| self.known(id))?;
            ids.iter().copied().filter(|id| !is_skipped(id)).collect::<Cow<[u32]>>()
        } else {
            Cow::Borrowed(ids)
        };
        if self.joiner.only_joins(&self.model) && self.normalized.is_empty() {
            return join::join(&self.model.vocabulary, &kept, (bytes, from), monitor);
        }
        kept.iter().try_for_each(|&id| self.known(id))?;
        let passed = self.pass(&kept, text, monitor)?;
        bytes.truncate(from);
        memory::reserve(bytes, passed.len())?;
        bytes.extend_from_slice(&passed);
        Ok(bytes.len())
    }

    /// The bytes that are certain with `ids`, behind those that `stream` has seen: joined, and
    /// with what [`finish`](Self::finish) says, they are what [`decode_text`](Self::decode_text) says of all, or
    /// [`decode`](Self::decode) where the stream does not replace.
    ///
    /// Fails on the first id that is not in the vocabulary; nothing is taken in then, nor of many
    /// ids where it is stopped.
    pub fn feed(&self, stream: &mut Stream, ids: &[u32], monitor: &Monitor) -> Result<Vec<u8>> {
        ids.iter().try_for_each(|&id| self.known(id))?;
        if ids.len() <= FEW {
            return self.pushed(&mut stream.0, ids);
        }
        let mut pending = stream.0.clone();
        let mut bytes = memory::list(ids.len().saturating_mul(5))?;
        for some in ids.chunks(FEW) {
            monitor.check()?;
            bytes.extend(self.pushed(&mut pending, some)?);
        }
        stream.0 = pending;
        Ok(bytes)
    }

    fn pushed(&self, pending: &mut Pending, ids: &[u32]) -> Result<Vec<u8>> {
        let mut bytes = memory::list(ids.len().saturating_mul(5))?;
        for &id in ids {
            self.joiner.push(&self.model, id, self.shown(id), pending, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// The bytes that are left when no id follows.
    pub fn finish(&self, stream: &mut Stream) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.joiner.finish(&mut stream.0, &mut bytes)?;
        Ok(bytes)
    }

    /// What is shown for an added token that is matched in normalized text: its normalized
    /// content, as Hugging Face shows it.
    fn shown(&self, id: u32) -> Option<&str> {
        if self.normalized.is_empty() { None } else { self.normalized.get(&id).map(String::as_str) }
    }

    /// Whether `id` is left out with the special tokens. Hugging Face asks for what is shown, and
    /// so leaves in a special token whose content normalization changes.
    fn is_skipped(&self, id: u32) -> bool {
        match self.shown(id) {
            None => self.is_special(id),
            Some(shown) => {
                self.model.added_tokens.iter().any(|token| token.special && token.content == shown)
            }
        }
    }

    /// Fails where `id` is not in the vocabulary.
    pub fn known(&self, id: u32) -> Result<()> {
        if self.model.vocabulary.contains(id) {
            return Ok(());
        }
        Err(self.model.vocabulary.unknown(id))
    }

    /// A token as `tokenizer.json` spells it; without the marker if `marker` is false.
    pub fn spell(&self, id: u32, marker: bool) -> Result<String> {
        self.known(id)?;
        let mut spelling = self.model.spelling(id);
        if !marker && self.model.vocabulary.ends_word(id) {
            let end = self.model.end_of_word.as_ref().map_or("", |end| &end.marker);
            spelling.truncate(spelling.len() - end.len());
        }
        Ok(spelling)
    }

    /// The ids of one text or two with the template's ids around, each with its type id.
    ///
    /// Fails where a sequence of post-processors cannot go on.
    pub fn process(&self, first: &[u32], second: Option<&[u32]>) -> Result<Vec<(u32, u32)>> {
        match &self.model.post_processor {
            Some(post_processor) => post_processor.process(first, second),
            None => Ok(post_processor::plain(first, second)),
        }
    }

    /// Whether `id` is a special token.
    pub fn is_special(&self, id: u32) -> bool {
        // most vocabularies have them all in one place
        let (Some(&first), Some(&last)) = (self.special_ids.first(), self.special_ids.last())
        else {
            return false;
        };
        first <= id && id <= last && self.special_ids.binary_search(&id).is_ok()
    }
}
