//! When decoders wait with nothing that the next token would be shown by.

use std::borrow::Cow;

use super::{Bound, Chain, Part, REPLACEMENT, State, Waiting, blanks};
use crate::components::Decoder;
use crate::error::Result;

impl Chain {
    /// What is waited with behind a text, where its last token decides nothing of the next.
    pub fn steady(&self) -> Waiting {
        let state = |(part, is_fused): (&Part, bool)| State {
            place: usize::from(counts(&part.decoder)),
            stripped: (!is_fused).then_some(0),
            ..State::default()
        };
        Waiting { states: self.fused().map(state).collect(), ..Waiting::default() }
    }

    /// Whether nothing else is waited with.
    pub fn is_steady(&self, waiting: &Waiting) -> bool {
        self.is_steady_but(waiting, None)
    }

    /// Whether nothing else is waited with, but for what a part has of bytes.
    fn is_steady_but(&self, waiting: &Waiting, exempt: Option<usize>) -> bool {
        let is_steady = |(nth, (state, (part, is_fused))): (usize, (&State, (&Part, bool)))| {
            let State { place, token, before, bytes, stripped, trailing, received: _ } = state;
            let strips = matches!(part.decoder, Decoder::Strip { .. });
            (*place > 0 || !counts(&part.decoder))
                && token.is_empty()
                && before.is_none()
                && (bytes.is_empty() || exempt == Some(nth))
                && (!strips || (stripped.is_none() == is_fused && *trailing == 0))
        };
        let mut states = waiting.states.iter().zip(self.fused()).enumerate();
        waiting.states.len() == self.parts.len() && states.all(is_steady)
    }

    /// The byte that is waited with, if there is nothing else, and what it is with others is not changed any more.
    pub fn byte(&self, waiting: &Waiting) -> Option<u8> {
        let is_fallback = |part: &Part| matches!(part.decoder, Decoder::ByteFallback);
        let at = self.parts.iter().position(is_fallback)?;
        let is_kept = |(part, is_fused): (&Part, bool)| match part.decoder {
            Decoder::Fuse | Decoder::Metaspace(_) => true,
            Decoder::Strip { stop, .. } => is_fused && stop == 0,
            _ => false,
        };
        match waiting.states.get(at)?.bytes[..] {
            [byte] if self.is_steady_but(waiting, Some(at)) => {
                self.fused().skip(at + 1).all(is_kept).then_some(byte)
            }
            _ => None,
        }
    }

    /// Appends what a run of bytes becomes, as text or each by itself, where [`byte`](Self::byte) told of them.
    pub fn push_run(&self, run: &[u8], bytes: &mut Vec<u8>) {
        let mut text = match std::str::from_utf8(run) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(REPLACEMENT.repeat(run.len())),
        };
        let is_fallback = |part: &&Part| matches!(part.decoder, Decoder::ByteFallback);
        for part in self.parts.iter().skip_while(|part| !is_fallback(part)) {
            if let Decoder::Metaspace(metaspace) = &part.decoder {
                text = Cow::Owned(blanks(1, &text, metaspace));
            }
        }
        bytes.extend_from_slice(text.as_bytes());
    }

    /// The parts, and whether tokens have become one before each.
    fn fused(&self) -> impl Iterator<Item = (&Part, bool)> {
        self.parts.iter().scan(false, |is_fused, part| {
            let before = *is_fused;
            *is_fused |= matches!(part.decoder, Decoder::Fuse | Decoder::ByteLevel(_));
            Some((part, before))
        })
    }

    /// Counts what was made of tokens of a length, which this need not have been asked for. Fails where a text
    /// grows beyond measure.
    pub fn passed(&self, length: usize, made: usize, waiting: &mut Waiting) -> Result<()> {
        waiting.length += length;
        let bound = Bound { length: waiting.length, expansion: self.expansion };
        bound.count(&mut waiting.made, made)
    }
}

/// Whether a decoder counts the tokens that have ended.
fn counts(decoder: &Decoder) -> bool {
    !matches!(decoder, Decoder::Fuse | Decoder::Strip { .. })
}
