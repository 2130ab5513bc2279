//! Short texts of a batch, and short stretches between added tokens, looked up together.
//!
//! Some lines of text have no more words than wait for each other. So short texts are laid one behind
//! the other, each split by itself, as what stands before a text changes nothing where patterns look
//! ahead only; their words are looked up as those of one text are, and where a text ends, the ids so far
//! are counted, or the added token that follows it has its place.
//!
//! Not so where something is done to each word, and texts of a batch not where all of one is looked at first.

use std::mem::{replace, take};
use std::ops::Range;

use super::flat::{EACH, Encoder, HEARD_EVERY};
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::policy::Matchers;
use super::sink::Sink;
use super::{Piece, Special, Tokenizer};
use crate::arch::transcode::{self, Unit};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Longer texts have enough words of their own.
const SHORT: usize = 512;
/// The same of stretches between added tokens.
const SHORT_STRETCH: usize = 2048;

/// Texts that lie one behind the other.
#[derive(Default)]
pub(super) struct Together {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
    /// The added tokens that follow them, if they are stretches between such.
    added: Vec<Option<u32>>,
}

/// Where texts end in one that words are looked up in, and how many ids were there then.
#[derive(Default)]
pub struct Rows {
    /// Where the texts end that have not.
    ends: Vec<u32>,
    /// The added tokens that follow them.
    added: Vec<Option<u32>>,
    /// How many of them have.
    done: usize,
    /// How many ids there were at the end of each.
    pub counts: Vec<usize>,
}

impl Rows {
    /// No rows yet of texts that lie one behind the other.
    fn begin(&mut self, together: &Together) {
        self.ends.clear();
        self.ends.extend_from_slice(&together.ends);
        self.added.clear();
        self.added.extend_from_slice(&together.added);
        self.done = 0;
        self.counts.clear();
    }

    /// How many of the pieces from `first` on, which begin at `starts`, are in the same row, if it ends
    /// before another.
    #[inline]
    pub fn end(&self, starts: &[u32], first: usize) -> Option<usize> {
        let end = *self.ends.get(self.done)?;
        starts[first..].iter().position(|&start| start >= end).map(|more| first + more)
    }

    /// Ends a row, whose ids went into `sink`.
    pub fn close(&mut self, sink: &mut impl Sink) {
        if let Some(Some(id)) = self.added.get(self.done) {
            sink.ids(&[*id]);
        }
        self.counts.push(sink.so_far());
        self.done += 1;
    }

    /// Ends all others.
    fn close_all(&mut self, sink: &mut impl Sink) {
        while self.done < self.ends.len() {
            self.close(sink);
        }
    }
}

impl Together {
    fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.ends.iter().map(move |&end| replace(&mut start, end as usize)..end as usize)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.spans().map(|span| &self.text[span])
    }

    /// Lays a stretch between added tokens behind the others.
    fn add_stretch(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.added.push(None);
    }

    /// Puts an added token behind the last stretch.
    fn add_token(&mut self, id: u32) {
        if let Some(none @ None) = self.added.last_mut() {
            *none = Some(id);
            return;
        }
        self.ends.push(self.text.len() as u32);
        self.added.push(Some(id));
    }

    /// What they count for towards [`HEARD_EVERY`].
    fn size(&self) -> usize {
        self.text.len() + EACH * self.ends.len()
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.added.clear();
    }
}

impl Tokenizer {
    /// Whether short texts can be looked up together.
    pub(super) fn takes_together(&self, matchers: &Matchers, special: &Special) -> bool {
        let is_plain = self.takes_windows(matchers, special) && self.encodes_many();
        is_plain && self.splitter.splits_alike_behind_others()
    }

    /// Encodes a text that is cut at added tokens, short stretches between them together.
    pub(super) fn encode_stretches(
        &self,
        text: &str,
        matchers: &Matchers,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut together = take(&mut scratch.together);
        together.clear();
        self.pieces(text, matchers, monitor, |piece| {
            match piece {
                Piece::Added(id) => together.add_token(id),
                Piece::Text(text, _) if text.len() <= SHORT_STRETCH => together.add_stretch(text),
                Piece::Text(text, is_first) => {
                    self.encode_rows(&mut together, scratch, sink, monitor)?;
                    return self.encode_words((text, is_first), scratch, sink, monitor);
                }
            }
            if together.size() < HEARD_EVERY {
                return Ok(());
            }
            self.encode_rows(&mut together, scratch, sink, monitor)
        })?;
        self.encode_rows(&mut together, scratch, sink, monitor)?;
        scratch.together = together;
        Ok(())
    }

    /// Whether stretches between added tokens can be looked up together, and there are such tokens.
    pub(super) fn takes_stretches(&self, matchers: &Matchers) -> bool {
        let looks = matchers.raw.is_some() || matchers.normalized.is_some();
        looks
            && self.encodes_many()
            && !self.splitter.rewrites()
            && self.splitter.splits_alike_behind_others()
    }

    /// Encodes the texts that lie one behind the other, which then do so no longer.
    fn encode_rows(
        &self,
        together: &mut Together,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        monitor.check()?;
        scratch.words.rows.begin(together);
        self.encode_spans(&together.text, together.spans(), scratch, sink, monitor)?;
        scratch.words.rows.close_all(sink);
        together.clear();
        Ok(())
    }

    /// Encodes spans of a text, each of which is split by itself.
    pub(super) fn encode_spans(
        &self,
        text: &str,
        spans: impl Iterator<Item = Range<usize>>,
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
                position = self.splitter.fill_on(text, position, &mut scratch.split, &mut batch)?;
            }
        }
        self.encode_pieces(text, Pieces::of(&batch), scratch, sink, monitor)?;
        scratch.batch = batch;
        Ok(())
    }
}

impl Encoder<'_> {
    /// Lays a text behind others if it is short, and all are plain: returns whether it did.
    pub(super) fn add_text(&mut self, text: &str) -> Result<bool> {
        let is_short = self.is_plain && text.len() <= SHORT;
        if is_short {
            self.together.text.push_str(text);
            self.end_text()?;
        }
        Ok(is_short)
    }

    /// The same of code points.
    pub(super) fn add_units<U: Unit>(&mut self, units: &[U]) -> Result<bool> {
        // a lone surrogate is told by who takes such a text alone, once those before it are encoded
        let is_short = self.is_plain
            && units.len() <= SHORT
            && transcode::append(units, &mut self.together.text);
        if is_short {
            self.end_text()?;
        }
        Ok(is_short)
    }

    fn end_text(&mut self) -> Result<()> {
        self.together.ends.push(self.together.text.len() as u32);
        if self.together.text.len() >= HEARD_EVERY || self.together.ends.len() >= HEARD_EVERY {
            self.encode_together()?;
        }
        Ok(())
    }

    /// Encodes the texts that lie ready.
    pub(super) fn encode_together(&mut self) -> Result<()> {
        if self.together.ends.is_empty() {
            return Ok(());
        }
        let is_heard =
            self.is_heard(self.together.text.len() + EACH * (self.together.ends.len() - 1));
        let Self { tokenizer, special, scratch, ids, monitor, silent, together, .. } = self;
        let monitor = if is_heard { monitor } else { &*silent };
        monitor.check()?;
        tokenizer.check("", special)?;
        let done = tokenizer.encode_rows(together, scratch, ids, monitor);
        if matches!(done, Err(Error::UnknownToken(_))) {
            // of words that are made together another than the first may have been told
            together
                .texts()
                .try_for_each(|text| tokenizer.encode(text, special, monitor).map(drop))?;
        }
        done?;
        self.ends.append(&mut scratch.words.rows.counts);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::super::flat::Source;
    use super::super::tests::{CL100K, Random, model};
    use super::*;
    use crate::model::Model;
    use crate::monitor::Nobody;

    /// The second looks behind.
    const PATTERNS: [Option<&str>; 5] =
        [Some(CL100K), Some(r"(?<=a)b|(?<=\s)\S+"), Some(r"\s+"), Some(r"'?\p{L}+ ?"), None];

    /// The ids of each of some texts, encoded as a batch.
    fn rows<S: Source>(tokenizer: &Tokenizer, texts: &[S]) -> Result<Vec<Vec<u32>>> {
        let monitor = Monitor::new(&Nobody);
        let runs = tokenizer.encode_runs(texts, &Special::Text, Some(1), &monitor)?;
        Ok(runs.iter().flat_map(Run::rows).map(<[u32]>::to_vec).collect())
    }

    #[test]
    fn texts_of_few_words_have_the_ids_that_each_has_alone() {
        let (mut random, monitor) = (Random(51), Monitor::new(&Nobody));
        for (pattern, most) in
            PATTERNS.into_iter().flat_map(|one| [(one, 3), (one, 40), (one, 300)])
        {
            let tokenizer = Tokenizer::new(model(&mut random, true, pattern)).expect("it is sound");
            let matchers = tokenizer.policies.matchers(&Special::Text).expect("there are none");
            let is_plain = tokenizer.takes_together(&matchers, &Special::Text);
            assert_eq!(is_plain, pattern.is_none_or(|pattern| !pattern.starts_with("(?<=")));
            for _ in 0..3 {
                let lengths: Vec<usize> = (0..600).map(|_| random.below(most)).collect();
                let texts: Vec<String> = lengths.iter().map(|&one| random.text(one)).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let alone = |text: &&str| tokenizer.encode(text, &Special::Text, &monitor);
                let alone = texts.iter().map(alone).collect::<Result<Vec<_>>>().expect("encodes");
                assert_eq!(
                    rows(&tokenizer, &texts).expect("encodes"),
                    alone,
                    "{pattern:?}, {most}"
                );
                let units = texts.iter().map(|text| text.chars().map(u32::from).collect());
                let units: Vec<Vec<u32>> = units.collect();
                let units: Vec<&[u32]> = units.iter().map(Vec::as_slice).collect();
                assert_eq!(
                    rows(&tokenizer, &units).expect("encodes"),
                    alone,
                    "{pattern:?}, {most}"
                );
            }
        }
    }

    #[test]
    fn lone_surrogates_and_dropout_are_refused_and_no_texts_are_not() {
        let model = model(&mut Random(52), true, Some(CL100K));
        let dropping = Model { dropout: Some(0.5), ..model.clone() };
        let tokenizer = Tokenizer::new(model).expect("it is sound");
        let units: [&[u32]; 2] = [&[98], &[97, 0xD800]];
        assert!(matches!(rows(&tokenizer, &units), Err(Error::Value(_))));
        let tokenizer = Tokenizer::new(dropping).expect("it is sound");
        assert!(matches!(rows(&tokenizer, &["a"]), Err(Error::Format(_))));
        assert_eq!(rows::<&str>(&tokenizer, &[]).expect("there is nothing"), [[0_u32; 0]; 0]);
    }
}
