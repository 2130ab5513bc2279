//! A stretch of text to ids: split into words, long words cut, all of them looked up or merged.

use super::words::{MOST, Pieces, Sink, Words};
use super::{Piece, Tokenizer};
use crate::error::Result;
use crate::merge::cut::Cuts;
use crate::merge::{self, Room};
use crate::monitor::Monitor;
use crate::pretokenize::{Batch, SplitCache};

/// What one thread needs while it encodes.
#[derive(Default)]
pub(crate) struct Scratch {
    split: SplitCache,
    batch: Batch,
    parts: Parts,
    words: Words,
    room: Room,
    ids: Vec<u32>,
}

/// Words, and the parts of those that are cut.
#[derive(Default)]
struct Parts {
    starts: Vec<u32>,
    ends: Vec<u32>,
    are_parts: Vec<bool>,
}

impl Parts {
    fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.are_parts.clear();
    }

    fn push(&mut self, start: usize, end: usize, is_part: bool) {
        self.starts.push(start as u32);
        self.ends.push(end as u32);
        self.are_parts.push(is_part);
    }

    fn pieces(&self) -> Pieces<'_> {
        Pieces { starts: &self.starts, ends: &self.ends, parts: &self.are_parts }
    }
}

impl Tokenizer {
    /// Gives the ids of a text without added tokens to `sink`.
    pub(super) fn encode_words(
        &self,
        (text, is_first): (&str, bool),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let text = self.splitter.prepare(text, is_first, &mut scratch.split)?;
        merge::check_length(&text.text)?;
        for &part in &text.parts {
            let part = &text.text[part.start..part.end];
            let mut position = 0;
            while position < part.len() {
                monitor.check()?;
                let Scratch { split, batch, .. } = scratch;
                position = self.splitter.fill(part, position, split, batch)?;
                self.encode_batch_of_words(part, scratch, sink, monitor)?;
            }
        }
        Ok(())
    }

    fn encode_batch_of_words(
        &self,
        text: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let batch = std::mem::take(&mut scratch.batch);
        let words = Pieces::of(&batch);
        let done = if self.user_defined.is_some() || self.merger.fuses() {
            self.encode_one_by_one(text, words, scratch, sink, monitor)
        } else {
            self.encode_pieces(text, words, scratch, sink, monitor)
        };
        scratch.batch = batch;
        done
    }

    /// Encodes words that are cut at user-defined pieces, or whose unknown ids fuse.
    fn encode_one_by_one(
        &self,
        text: &str,
        words: Pieces,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut ids = std::mem::take(&mut scratch.ids);
        for (&start, &end) in words.starts.iter().zip(words.ends) {
            ids.clear();
            self.between(&text[start as usize..end as usize], |piece| match piece {
                Piece::Added(id) => {
                    ids.push(id);
                    Ok(())
                }
                Piece::Text(word, _) => {
                    let whole = Pieces { starts: &[0], ends: &[word.len() as u32], parts: &[] };
                    self.encode_pieces(word, whole, scratch, &mut ids, monitor)
                }
            })?;
            self.merger.fuse(&mut ids, 0);
            sink.ids(&ids);
        }
        scratch.ids = ids;
        Ok(())
    }

    /// Encodes words, of which long ones are cut where that changes nothing.
    fn encode_pieces(
        &self,
        text: &str,
        words: Pieces,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let Scratch { parts, words: known, room, .. } = scratch;
        let mut encode = |word: &str, is_part: bool, ids: &mut Vec<u32>| {
            if is_part {
                self.merger.merge(word, &self.model, room, ids, monitor)
            } else {
                self.merger.encode(word, &self.model, room, ids, monitor)
            }
        };
        let Some(cuts) = self.cuts.as_ref().filter(|_| has_long(words)) else {
            return known.encode(text, words, sink, &mut encode);
        };
        parts.clear();
        for (&start, &end) in words.starts.iter().zip(words.ends) {
            let mut position = start as usize;
            let word = &text[position..end as usize];
            if !self.is_cut(cuts, word) {
                parts.push(position, end as usize, false);
                continue;
            }
            while position < end as usize {
                let begun = position;
                position = start as usize + cuts.end_of_part(word, begun - start as usize);
                parts.push(begun, position, true);
                if parts.starts.len() == MOST {
                    monitor.check()?;
                    known.encode(text, parts.pieces(), sink, &mut encode)?;
                    parts.clear();
                }
            }
        }
        known.encode(text, parts.pieces(), sink, &mut encode)
    }

    /// Whether a word is cut: not one that is taken whole.
    fn is_cut(&self, cuts: &Cuts, word: &str) -> bool {
        cuts.apply_to(word) && merge::whole(word, &self.model).is_none()
    }
}

/// Whether any of the words is long enough to be cut.
fn has_long(words: Pieces) -> bool {
    let lengths = words.starts.iter().zip(words.ends).map(|(start, end)| end - start);
    lengths.max().is_some_and(|longest| longest as usize >= merge::cut::MIN_CUT)
}
