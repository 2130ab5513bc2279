//! A stretch of text to ids: split into words, long words cut, all of them looked up or merged.

use std::mem::take;
use std::ops::Range;

use super::cutting::{Parts, next_long};
use super::lines::Lines;
use super::maker::Maker;
use super::pieces::Pieces;
use super::rows::Together;
use super::sink::Sink;
use super::words::Words;
use super::{Tokenizer, stretches};
use crate::error::{Error, Result};
use crate::merge::cut::Cuts;
use crate::merge::word::{Ids, Word};
use crate::merge::{self, Room};
use crate::monitor::Monitor;
use crate::pretokenize::{Batch, Spelled, SplitCache};

/// Where words are cut takes as long to find, for so many tokens, as a byte takes to be merged.
const TOKENS_PER_BYTE: usize = 8;

/// What one thread needs while it encodes.
pub(crate) struct Scratch {
    pub(super) split: SplitCache,
    pub(super) batch: Batch,
    pub(super) parts: Parts,
    pub(super) lines: Lines,
    pub(super) words: Words,
    room: Room,
    ids: Vec<u32>,
    /// A text that was not UTF-8, or a window of it.
    pub(super) text: String,
    /// Words of which the bytes are spelled.
    pub(super) spelled: Spelled,
    /// Stretches between added tokens.
    pub(super) together: Together,
    /// How many threads may work on one text.
    pub(super) workers: usize,
}

impl Scratch {
    /// Room to work in with a vocabulary of so many ids, where tables of words take so many bytes at
    /// most.
    pub(super) fn within(bytes: usize, ids: usize) -> Box<Self> {
        Box::new(Self {
            split: SplitCache::default(),
            batch: Batch::default(),
            parts: Parts::default(),
            lines: Lines::default(),
            words: Words::within(bytes, ids),
            room: Room::default(),
            ids: Vec::new(),
            text: String::new(),
            spelled: Spelled::default(),
            together: Together::default(),
            workers: 1,
        })
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
        if !self.splitter.rewrites() {
            merge::check_length(text)?;
            return self.encode_part(text, scratch, sink, monitor);
        }
        if self.splitter.spells() && self.encodes_many() {
            return self.encode_spelled(text, scratch, sink, monitor);
        }
        let text = self.splitter.prepare(text, is_first, &mut scratch.split)?;
        merge::check_length(&text.text)?;
        if text.parts.len() > 1 && self.encodes_many() && self.splitter.splits_alike_behind_others()
        {
            let spans = text.parts.iter().map(|part| part.start..part.end);
            let text = (&*text.text, spans);
            return self.encode_spans(text, &self.splitter, scratch, sink, monitor);
        }
        for part in &text.parts {
            self.encode_part(&text.text[part.start..part.end], scratch, sink, monitor)?;
        }
        Ok(())
    }

    /// The same for a part of it that is split by itself.
    fn encode_part(
        &self,
        part: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let workers = stretches::useful(part.len(), scratch.workers);
        if workers > 1 && self.encodes_many() && self.splitter.words_are_apart() {
            return self.encode_at_once(part, workers, scratch, sink, monitor);
        }
        let mut position = 0;
        while position < part.len() {
            monitor.check()?;
            position = self.advance(part, position, scratch, sink, monitor)?;
        }
        Ok(())
    }

    /// The words from `position` on, and where to go on; the batch is to be given back.
    pub(super) fn fill(
        &self,
        text: &str,
        position: usize,
        scratch: &mut Scratch,
    ) -> Result<(usize, Batch)> {
        let mut batch = take(&mut scratch.batch);
        let position = self.splitter.fill(text, position, &mut scratch.split, &mut batch)?;
        Ok((position, batch))
    }

    /// Whether words are encoded many at a time: not where something is done to each.
    pub(super) fn encodes_many(&self) -> bool {
        self.user_defined.is_none() && self.glossaries.is_none() && !self.merger.fuses()
    }

    /// Encodes words that are cut at user-defined pieces or by glossaries, or whose unknown ids
    /// fuse.
    pub(super) fn encode_one_by_one(
        &self,
        text: &str,
        words: Pieces,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut ids = take(&mut scratch.ids);
        for (&start, &end) in words.starts.iter().zip(words.ends) {
            let word = &text[start as usize..end as usize];
            if self.glossaries.is_none() && !self.merger.fuses() {
                self.encode_between(word, scratch, sink, monitor)?;
                continue;
            }
            ids.clear();
            if let Some(glossaries) = &self.glossaries {
                self.encode_segments(word, glossaries, scratch, &mut ids, monitor)?;
            } else {
                self.encode_between(word, scratch, &mut ids, monitor)?;
                self.merger.fuse(&mut ids, 0);
            }
            sink.reserve(ids.len())?;
            sink.ids(&ids);
        }
        scratch.ids = ids;
        Ok(())
    }

    /// Where long words are cut, if they are, and it pays to know it for so many bytes and those before.
    pub(super) fn cuts_for(&self, bytes: usize) -> Option<&Cuts> {
        let enough = self.model.vocabulary.len() / TOKENS_PER_BYTE;
        let cuts = self.cuts.when(bytes, enough, || Ok(Cuts::of(&self.model)));
        cuts.ok()??.as_ref()
    }

    /// Encodes words, of which long ones are cut where that changes nothing.
    pub(super) fn encode_pieces(
        &self,
        text: &str,
        words: Pieces,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let bytes = words.ends.last().unwrap_or(&0) - words.starts.first().unwrap_or(&0);
        let Some(cuts) = self.cuts_for(bytes as usize) else {
            let done = self.look_up(text, words, scratch, sink, monitor);
            if matches!(done, Err(Error::UnknownToken(_))) && self.cuts.get().is_none() {
                // the error quotes a part of a word, as it does once the cuts are made
                self.cuts.now(|| Ok(Cuts::of(&self.model)))?;
                *scratch = *Scratch::within(0, self.model.vocabulary.ids());
                return self.encode_pieces(text, words, scratch, sink, monitor);
            }
            return done;
        };
        let is_cut = |word: Range<usize>| cuts.apply_to(&text[word]);
        let mut next = next_long(words, 0, is_cut);
        if next.is_none() {
            return self.look_up(text, words, scratch, sink, monitor);
        }
        let mut parts = take(&mut scratch.parts);
        parts.clear();
        // words before this one are dealt with, or among the parts
        let mut passed = 0;
        while let Some(index) = next {
            parts.extend(words.slice(passed..index));
            passed = index + 1;
            let span = words.starts[index] as usize..words.ends[index] as usize;
            self.cut_word((text, span), cuts, &mut parts, scratch, sink, monitor)?;
            next = next_long(words, passed, is_cut);
        }
        let mut rest = words.slice(passed..words.len());
        if !parts.starts.is_empty() {
            parts.extend(rest);
            rest = parts.pieces();
        }
        self.look_up(text, rest, scratch, sink, monitor)?;
        scratch.parts = parts;
        Ok(())
    }

    /// Gives the ids of words, or of parts of words that stand alone, to `sink`.
    pub(super) fn look_up(
        &self,
        text: &str,
        pieces: Pieces,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let Scratch { words, room, .. } = scratch;
        let maker = &mut Merging { tokenizer: self, room, monitor };
        pieces.each_some(monitor, |some| words.encode(text, some, sink, maker))
    }
}

/// Makes ids by the model's rule.
struct Merging<'a> {
    tokenizer: &'a Tokenizer,
    room: &'a mut Room,
    monitor: &'a Monitor<'a>,
}

impl Maker for Merging<'_> {
    #[inline]
    fn token(&self, word: Word) -> Option<u32> {
        self.tokenizer.merger.token(word, &self.tokenizer.model)
    }

    fn merge(&mut self, word: &str, ids: &mut Vec<u32>) -> Result<()> {
        let Tokenizer { merger, model, .. } = self.tokenizer;
        merger.merge(word, model, self.room, ids, self.monitor)
    }

    fn merge_some<'a>(
        &mut self,
        words: impl Iterator<Item = Word<'a>> + Clone,
        take: impl FnMut(usize, Ids),
    ) -> Result<()> {
        let Tokenizer { merger, model, .. } = self.tokenizer;
        merger.merge_some(words, model, self.room, self.monitor, take)
    }

    #[inline]
    fn cut(&self, word: &str, ends: &mut [u32]) -> usize {
        match self.tokenizer.cuts.get() {
            Some(Some(cuts)) => cuts.ends_of_parts(word, 0, 0, ends),
            _ => 0,
        }
    }

    #[inline]
    fn announce(&self, word: Word) {
        self.tokenizer.merger.announce(word, &self.tokenizer.model);
    }

    #[inline]
    fn may_be_token(&self, word: Word) -> bool {
        self.tokenizer.merger.may_be_token(word, &self.tokenizer.model)
    }
}
