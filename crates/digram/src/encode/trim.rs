//! Blanks that tokens begin or end with, left out of offsets where the file says so (`trim_offsets`).
//!
//! As Hugging Face has it: blanks are counted in the spelling of the token, and the space that was put before
//! a text is left as it is, whether it stands in the text or not.

use hashbrown::HashSet;

use super::Tokenizer;
use crate::components::{ByteLevel, PostProcessor};
use crate::model::Units;

/// GPT-2's spelling of a space.
const SPELLED: char = 'Ġ';

impl Tokenizer {
    /// Leaves blanks out of the offsets of ids, if it is to be done.
    pub(super) fn trim(&self, ids: &[u32], offsets: &mut [u32]) {
        if let Some(post_processor) = &self.model.post_processor {
            self.trim_by(post_processor, ids, offsets);
        }
    }

    fn trim_by(&self, post_processor: &PostProcessor, ids: &[u32], offsets: &mut [u32]) {
        let adds_space = match *post_processor {
            PostProcessor::ByteLevel(ByteLevel {
                trim_offsets: true, add_prefix_space: adds, ..
            })
            | PostProcessor::RobertaProcessing {
                trim_offsets: true, add_prefix_space: adds, ..
            } => adds,
            PostProcessor::Sequence { ref processors } => {
                return processors.iter().for_each(|one| self.trim_by(one, ids, offsets));
            }
            _ => return,
        };
        let added: HashSet<u32> = self.model.added_tokens.iter().map(|added| added.id).collect();
        for (place, (&id, offset)) in ids.iter().zip(offsets.chunks_exact_mut(2)).enumerate() {
            let [mut leading, trailing] = self.blanks_of(id, added.contains(&id));
            if adds_space && (place == 0 || offset[0] == 0) {
                leading = 0;
            }
            offset[0] = offset[1].min(offset[0] + leading);
            if offset[1] >= trailing {
                offset[1] = offset[0].max(offset[1] - trailing);
            }
        }
    }

    /// How many blanks a token begins and ends with.
    fn blanks_of(&self, id: u32, is_added: bool) -> [u32; 2] {
        let bytes = self.model.vocabulary.bytes(id);
        if (is_added || self.model.units == Units::Chars)
            && let Ok(text) = std::str::from_utf8(bytes) {
            let is_blank = |one: &char| *one == SPELLED || one.is_whitespace();
            let leading = text.chars().take_while(is_blank).count();
            return [leading, text.chars().rev().take_while(is_blank).count()].map(|n| n as u32);
        }
        let leading = bytes.iter().take_while(|byte| **byte == b' ').count();
        [leading, bytes.iter().rev().take_while(|byte| **byte == b' ').count()].map(|n| n as u32)
    }
}
