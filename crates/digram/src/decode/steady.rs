//! Tokens that are shown alike wherever they stand.
//!
//! Many decoders change tokens as texts, one decoder after the other, and wait with what the next
//! token decides. For most tokens there is nothing to wait with: behind a text that has begun, a piece
//! with a visible space becomes a word with a space before it, whatever follows. So what a token becomes there is
//! found once, by passing it through all decoders; if they wait with no more than before, a text of such tokens
//! is made by copying.
//!
//! A token that stands for a byte is not so: bytes that follow each other are text together, or each
//! is none. But they are complete once a token follows that stands for none, and is shown alike wherever it stands.

#[cfg(test)]
mod tests;

use super::join::{append, room};
use crate::components::decoder::Pending;
use crate::encode::Tokenizer;
use crate::error::Result;
use crate::limits;
use crate::monitor::Monitor;
use crate::vocabulary::{Short, Texts};

/// For so many ids at once, all tokens are passed through the decoders: as takes no longer than those.
const SHARE: usize = 4;
/// What a token may become to be kept: more than twice as long, and this, is seldom met.
const LONGER: usize = 16;
/// So many tokens are dealt with before it is asked whether to stop: a millisecond, if each passes the decoders.
const FEW: u32 = 1 << 12;

/// What tokens become behind a text that has begun.
pub(crate) struct Steady {
    shorts: Vec<Short>,
    arena: Vec<u8>,
    starts: Vec<u32>,
}

impl Steady {
    /// Passes each token of a vocabulary through its decoders.
    fn of(tokenizer: &Tokenizer, monitor: &Monitor) -> Result<Self> {
        let vocabulary = &tokenizer.model.vocabulary;
        let ids = vocabulary.ids();
        let mut all =
            Self { shorts: vec![Short::NONE; ids], arena: Vec::new(), starts: vec![0; ids + 1] };
        let mut pending = tokenizer.joiner.steady();
        // all together become no more than a text of them may
        let most = limits::most(vocabulary.total(), tokenizer.expansion());
        let mut left = most.min(u32::MAX as usize);
        for id in 0..ids as u32 {
            if id.is_multiple_of(FEW) {
                monitor.check()?;
            }
            let begun = all.arena.len();
            let Ok(short) = tokenizer.short(id, &mut pending, &mut all.arena) else { break };
            left = left.saturating_sub(all.arena.len() - begun);
            if left == 0 {
                break;
            }
            if !short.is_text() {
                all.arena.truncate(begun);
                pending = tokenizer.joiner.steady();
            }
            all.shorts[id as usize] = short;
            all.starts[id as usize + 1] = all.arena.len() as u32;
        }
        Ok(all)
    }

    fn texts(&self) -> Texts<'_> {
        Texts { shorts: &self.shorts, arena: &self.arena, starts: &self.starts }
    }
}

impl Tokenizer {
    /// Appends what a token becomes behind a text that has begun, whatever follows, if that is known.
    fn short(&self, id: u32, pending: &mut Pending, bytes: &mut Vec<u8>) -> Result<Short> {
        if !self.model.vocabulary.contains(id) {
            return Ok(Short::NONE);
        }
        let begun = bytes.len();
        self.joiner.push(&self.model, id, self.shown(id), pending, bytes)?;
        let text = &bytes[begun..];
        let most = 2 * self.model.vocabulary.bytes(id).len() + LONGER;
        Ok(match self.joiner.byte(pending) {
            Some(byte) if text.is_empty() => Short::of_byte(byte),
            None if self.joiner.is_steady(pending) && text.len() <= most => {
                Short::of(text, text.len())
            }
            _ => Short::NONE,
        })
    }

    /// The bytes of `ids`, which all are in the vocabulary, as the decoders have it: as text, or each byte
    /// where it is one.
    pub(super) fn pass(&self, ids: &[u32], text: bool, monitor: &Monitor) -> Result<Vec<u8>> {
        let enough = self.model.vocabulary.ids() / SHARE;
        let steady = self.steady.when(ids.len(), enough, || Steady::of(self, monitor))?;
        let (mut bytes, mut pending) = (room(ids.len())?, Pending::new(text));
        for some in ids.chunks(FEW as usize) {
            monitor.check()?;
            let mut rest = some;
            while let Some((&id, others)) = rest.split_first() {
                if let Some(steady) = steady.filter(|_| self.joiner.is_steady(&pending)) {
                    let taken = self.copy(steady, rest, &mut pending, &mut bytes)?;
                    if taken > 0 {
                        rest = &rest[taken..];
                        continue;
                    }
                }
                self.joiner.push(&self.model, id, self.shown(id), &mut pending, &mut bytes)?;
                rest = others;
            }
        }
        self.joiner.finish(&mut pending, &mut bytes)?;
        Ok(bytes)
    }

    /// Appends what the first ids become that are shown alike wherever they stand, or what bytes become that
    /// follow each other; returns how many they are.
    fn copy(
        &self,
        steady: &Steady,
        ids: &[u32],
        pending: &mut Pending,
        bytes: &mut Vec<u8>,
    ) -> Result<usize> {
        let (begun, shorts) = (bytes.len(), &steady.shorts);
        let mut run = Vec::new();
        let run_of_bytes = |ids: &[u32], made: &mut Vec<u8>| {
            run.clear();
            run.extend(ids.iter().map_while(|&id| shorts[id as usize].byte()));
            let is_complete = ids.get(run.len()).is_some_and(|&id| shorts[id as usize].is_text());
            if !is_complete || run.is_empty() {
                return 0;
            }
            self.joiner.push_run(&run, pending, made);
            run.len()
        };
        let (taken, end) = append(steady.texts(), ids, (bytes, begun), run_of_bytes);
        bytes.truncate(end);
        self.joiner.passed(&self.model, &ids[..taken], end - begun, pending)?;
        Ok(taken)
    }
}
