//! Texts that lie one behind the other, each split by itself: their words are looked up as those of one text
//! are, and where a text ends, the ids so far are counted, or the token that follows it has its place.

use std::mem::{replace, take};
use std::ops::Range;

use super::Tokenizer;
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::Splitter;

/// Texts that lie one behind the other.
#[derive(Default)]
pub(super) struct Together {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// The token that follows each, if they are what lies between such.
    added: Vec<Option<u32>>,
}

impl Together {
    /// All of them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where a text is written that [`end_text`](Self::end_text) then ends.
    pub fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    /// Ends a text.
    pub fn end_text(&mut self) {
        self.ends.push(self.text.len() as u32);
    }

    /// Lays a text, of those between tokens, behind the others.
    pub fn add_stretch(&mut self, text: &str) {
        self.text.push_str(text);
        self.end_text();
        self.added.push(None);
    }

    /// Puts a token behind the last stretch.
    pub fn add_token(&mut self, id: u32) {
        if let Some(none @ None) = self.added.last_mut() {
            *none = Some(id);
            return;
        }
        self.end_text();
        self.added.push(Some(id));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where they lie.
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| replace(&mut start, end as usize)..end as usize)
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.added.clear();
    }
}

/// Where texts end in one that words are looked up in, and how many ids were there then.
#[derive(Default)]
pub struct Rows {
    /// Where the texts end that have not.
    ends: Vec<u32>,
    /// The tokens that follow them.
    added: Vec<Option<u32>>,
    /// How many of them have.
    done: usize,
    /// How many ids there were at the end of each.
    pub counts: Vec<usize>,
}

impl Rows {
    /// No rows yet of texts that lie one behind the other.
    pub(super) fn begin(&mut self, together: &Together) {
        self.ends.clear();
        self.ends.extend_from_slice(&together.ends);
        self.added.clear();
        self.added.extend_from_slice(&together.added);
        self.done = 0;
        self.counts.clear();
    }

    /// No rows yet of parts of a text that end there.
    pub(super) fn begin_at(&mut self, ends: impl Iterator<Item = u32>) {
        self.ends.clear();
        self.ends.extend(ends);
        self.added.clear();
        self.done = 0;
        self.counts.clear();
    }

    /// How many of the pieces from `first` on, which begin at `starts`, are in the same row, if it ends
    /// before another.
    #[inline]
    pub fn end(&self, starts: &[u32], first: usize) -> Option<usize> {
        let end = *self.ends.get(self.done)?;
        let more = starts[first..].partition_point(|&start| start < end);
        (first + more < starts.len()).then_some(first + more)
    }

    /// Ends a row, whose ids went into `sink`.
    pub fn close(&mut self, sink: &mut impl Sink) {
        if let Some(Some(id)) = self.added.get(self.done) {
            sink.ids(&[*id]);
        }
        self.counts.push(sink.so_far());
        self.done += 1;
    }

    /// How many have not ended.
    #[inline]
    pub fn left(&self) -> usize {
        self.ends.len().saturating_sub(self.done)
    }

    /// Ends all others.
    pub(super) fn close_all(&mut self, sink: &mut impl Sink) {
        while self.done < self.ends.len() {
            self.close(sink);
        }
    }
}

impl Tokenizer {
    /// Encodes texts that lie one behind the other.
    pub(super) fn encode_rows(
        &self,
        together: &Together,
        splitter: &Splitter,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        monitor.check()?;
        scratch.words.rows.begin(together);
        let text = (together.text(), together.spans());
        self.encode_spans(text, splitter, scratch, sink, monitor)?;
        sink.reserve(scratch.words.rows.left())?;
        scratch.words.rows.close_all(sink);
        Ok(())
    }

    /// Encodes spans of a text, each of which is split by itself.
    pub(super) fn encode_spans(
        &self,
        (text, spans): (&str, impl Iterator<Item = Range<usize>>),
        splitter: &Splitter,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut batch = take(&mut scratch.batch);
        batch.begin(0);
        for Range { start, end } in spans {
            let mut position = start;
            while position < end {
                if !(batch.has_room() && batch.goes_on_at(position)) {
                    monitor.check()?;
                    self.encode_pieces(text, Pieces::of(&batch), scratch, sink, monitor)?;
                    batch.begin(position);
                }
                let text = &text[..end];
                position = splitter.fill_on(text, position, &mut scratch.split, &mut batch)?;
            }
        }
        self.encode_pieces(text, Pieces::of(&batch), scratch, sink, monitor)?;
        scratch.batch = batch;
        Ok(())
    }
}
