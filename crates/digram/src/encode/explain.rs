//! How a text became its ids: words, merges in order, and why each word stopped.

use std::ops::Range;

use super::policy::Matchers;
use super::{Piece, Special, Tokenizer};
use crate::error::Result;
use crate::memory;
use crate::merge::{self, Step};
use crate::model::Rule;
use crate::monitor::Monitor;
use crate::pretokenize::SplitCache;

/// Why merging a word stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is an added token.
    Added,
    /// It is a user-defined piece.
    UserDefined,
    /// A glossary matches it.
    Glossary,
    /// It is in the vocabulary, and taken whole.
    Whole,
    /// One symbol is left.
    OneSymbol,
    /// No adjacent pair merges.
    NoPair,
    /// Longest match: nothing is merged.
    Greedy,
}

impl Reason {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "an added token",
            Self::UserDefined => "a user-defined piece",
            Self::Glossary => "kept whole by a glossary",
            Self::Whole => "the whole word is a token",
            Self::OneSymbol => "one symbol is left",
            Self::NoPair => "no pair merges",
            Self::Greedy => "longest match",
        }
    }
}

/// One word, and how it became its ids.
#[derive(Clone, Debug)]
pub struct Word {
    /// The word.
    pub text: String,
    /// The symbols that it begins as.
    pub symbols: Vec<u32>,
    /// The merges, in order.
    pub steps: Vec<Step>,
    /// What they leave.
    pub ids: Vec<u32>,
    /// Why there are no more.
    pub reason: Reason,
}

/// So many words are told before it is asked whether there is memory for as many.
const SOME: usize = 1 << 13;
/// For so many bytes of each.
const BYTES: usize = 512;

/// How a text became its ids.
pub type Explained = Vec<Word>;

/// Adds a word, now and then looking whether there is memory for more.
pub(super) fn add(words: &mut Explained, word: Word) -> Result<()> {
    memory::reserve(words, 1)?;
    if (words.len() + 1).is_multiple_of(SOME) {
        memory::expect(SOME * BYTES)?;
    }
    words.push(word);
    Ok(())
}

impl Tokenizer {
    /// How `text` becomes its ids, word by word. O(n log n).
    pub fn explain(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<Explained> {
        let matchers = self.policies.matchers(special)?;
        self.check(text, special, monitor)?;
        let mut words = Vec::new();
        let mut cache = SplitCache::default();
        self.pieces(text, &matchers, monitor, |piece| match piece {
            Piece::Added(id) => add(&mut words, self.explain_matched(id, Reason::Added)),
            Piece::Text(text, is_first) => {
                let text = self.splitter.prepare(text, is_first, &mut cache)?;
                self.splitter.words(&text, &mut cache, |start, end| {
                    monitor.check()?;
                    let word = &text.text[start..end];
                    if let Some(glossaries) = &self.glossaries {
                        return self.explain_segments(word, glossaries, &mut words, monitor);
                    }
                    self.between(word, |_, piece| {
                        let word = match piece {
                            Piece::Added(id) => self.explain_matched(id, Reason::UserDefined),
                            Piece::Text(word, _) => self.explain_word(word, monitor)?,
                        };
                        add(&mut words, word)
                    })
                })
            }
        })?;
        Ok(words)
    }

    /// Cuts a text at added tokens, normalizing what lies between: raw ones first, then those
    /// that are matched in normalized text.
    fn pieces<F>(
        &self,
        text: &str,
        matchers: &Matchers,
        monitor: &Monitor,
        mut each: F,
    ) -> Result<()>
    where
        F: FnMut(Piece) -> Result<()>,
    {
        let Some(matcher) = &matchers.raw else {
            return self.normalized_pieces(text, true, matchers, monitor, &mut each);
        };
        matcher.sections(text, monitor, |section| match Piece::of(section, (text, true)) {
            Piece::Text(text, is_first) => {
                self.normalized_pieces(text, is_first, matchers, monitor, &mut each)
            }
            added @ Piece::Added(_) => each(added),
        })
    }

    fn normalized_pieces(
        &self,
        text: &str,
        is_first: bool,
        matchers: &Matchers,
        monitor: &Monitor,
        each: &mut dyn FnMut(Piece) -> Result<()>,
    ) -> Result<()> {
        monitor.check()?;
        let (text, is_first) = self.normalize((text, is_first))?;
        let Some(matcher) = &matchers.normalized else {
            return each(Piece::Text(&text, is_first));
        };
        matcher.sections(&text, monitor, |section| each(Piece::of(section, (&text, is_first))))
    }

    /// A word, cut at user-defined pieces; where each part of it stands, and what it is.
    pub(super) fn between(
        &self,
        word: &str,
        mut each: impl FnMut(Range<usize>, Piece) -> Result<()>,
    ) -> Result<()> {
        let Some(pieces) = &self.user_defined else {
            return each(0..word.len(), Piece::Text(word, false));
        };
        pieces.sections(word, &Monitor::silent(), |section| {
            each(section.start..section.end, Piece::of(section, (word, false)))
        })
    }

    fn explain_matched(&self, id: u32, reason: Reason) -> Word {
        Word {
            text: String::from_utf8_lossy(self.model.vocabulary.bytes(id)).into_owned(),
            symbols: vec![id],
            steps: Vec::new(),
            ids: vec![id],
            reason,
        }
    }

    pub(super) fn explain_word(&self, word: &str, monitor: &Monitor) -> Result<Word> {
        let whole = merge::whole(word, &self.model);
        let text = word.to_owned();
        if let Some(id) = whole {
            return Ok(Word {
                text,
                symbols: vec![id],
                steps: vec![],
                ids: vec![id],
                reason: Reason::Whole,
            });
        }
        if matches!(self.model.rule, Rule::Greedy(_)) {
            let mut ids = Vec::new();
            self.merger.encode(
                word,
                &self.model,
                &mut merge::Room::default(),
                &mut ids,
                monitor,
            )?;
            return Ok(Word {
                text,
                symbols: ids.clone(),
                steps: vec![],
                ids,
                reason: Reason::Greedy,
            });
        }
        let symbols = self.merger.symbols(word)?;
        let (ids, steps) = self.merger.explain(word, &self.model, monitor)?;
        let reason = if ids.len() == 1 { Reason::OneSymbol } else { Reason::NoPair };
        Ok(Word { text, symbols, steps, ids, reason })
    }
}
