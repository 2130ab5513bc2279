//! Text to ids: added tokens cut out, normalized, split into words, each word looked up or merged.

mod batch;
mod explain;
mod policy;
mod pool;
mod table;

use std::borrow::Cow;

pub use explain::{Explained, Reason, Word};
pub use policy::Special;

use crate::error::Result;
use crate::merge::cut::Cuts;
use crate::merge::{self, Merger, Room};
use crate::model::Model;
use crate::monitor::Monitor;
use crate::pretokenize::{SplitCache, Splitter};
use policy::{Matchers, Policies, normalize};
use pool::Pool;
use table::WordTable;

/// Words between two looks at the monitor: some 100 µs of work.
const WORDS_PER_CHECK: usize = 1024;

/// A model, ready to encode and decode. It never changes, and any number of threads may use it.
pub struct Tokenizer {
    pub(crate) model: Model,
    merger: Merger,
    cuts: Option<Cuts>,
    splitter: Splitter,
    policies: Policies,
    /// The ids of special tokens, ascending.
    pub(crate) special_ids: Vec<u32>,
    pool: Pool<Scratch>,
}

/// What one thread needs while it encodes.
#[derive(Default)]
pub(crate) struct Scratch {
    split: SplitCache,
    words: WordTable,
    /// Parts of words, which merge as they do in a word: none is taken whole as a word may be.
    parts: WordTable,
    room: Room,
}

impl Tokenizer {
    /// A tokenizer for `model`. Fails where the model contradicts itself or a pattern does not
    /// compile.
    pub fn new(model: Model) -> Result<Self> {
        let model = model.checked()?;
        let specials = model.added_tokens.iter().filter(|token| token.special);
        let mut special_ids: Vec<u32> = specials.map(|token| token.id).collect();
        special_ids.sort_unstable();
        Ok(Self {
            special_ids,
            merger: Merger::of(&model),
            cuts: Cuts::of(&model),
            splitter: Splitter::new(model.pre_tokenizer.as_ref())?,
            policies: Policies::new(&model.added_tokens, model.normalizer.as_ref())?,
            pool: Pool::default(),
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The ids of a text. O(n log n).
    pub fn encode(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(text.len() / 4);
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.pool.take();
        self.policies.check(text, special)?;
        self.encode_with(text, &matchers, &mut scratch, &mut ids, monitor)?;
        self.pool.give_back(scratch);
        Ok(ids)
    }

    /// How many ids a text has.
    pub fn count(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<usize> {
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.pool.take();
        self.policies.check(text, special)?;
        let (mut ids, mut count) = (Vec::new(), 0);
        self.pieces(text, &matchers, monitor, |piece| {
            ids.clear();
            match piece {
                Piece::Added(_) => count += 1,
                Piece::Text(text) => {
                    self.encode_words(text, &mut scratch, &mut ids, monitor)?;
                    count += ids.len();
                }
            }
            Ok(())
        })?;
        self.pool.give_back(scratch);
        Ok(count)
    }

    fn encode_with(
        &self,
        text: &str,
        matchers: &Matchers,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        self.pieces(text, matchers, monitor, |piece| match piece {
            Piece::Added(id) => {
                ids.push(id);
                Ok(())
            }
            Piece::Text(text) => self.encode_words(text, scratch, ids, monitor),
        })
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
            return self.normalized_pieces(text, matchers, monitor, &mut each);
        };
        matcher.sections(text, |section| {
            if let Some(id) = section.id {
                return each(Piece::Added(id));
            }
            let between = &text[section.start..section.end];
            self.normalized_pieces(between, matchers, monitor, &mut each)
        })
    }

    fn normalized_pieces(
        &self,
        text: &str,
        matchers: &Matchers,
        monitor: &Monitor,
        each: &mut dyn FnMut(Piece) -> Result<()>,
    ) -> Result<()> {
        monitor.check()?;
        let text = normalize(text, self.model.normalizer.as_ref());
        let Some(matcher) = &matchers.normalized else { return each(Piece::Text(&text)) };
        matcher.sections(&text, |section| match section.id {
            Some(id) => each(Piece::Added(id)),
            None => each(Piece::Text(&text[section.start..section.end])),
        })
    }

    fn encode_words(
        &self,
        text: &str,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let text = self.with_prefix(text);
        merge::check_length(&text)?;
        let Scratch { split, words, parts, room } = scratch;
        let mut seen = 0_usize;
        self.splitter.words(&text, split, |start, end| {
            seen += 1;
            if seen.is_multiple_of(WORDS_PER_CHECK) {
                monitor.check()?;
            }
            let word = &text[start..end];
            match &self.cuts {
                Some(cuts) if cuts.apply_to(word) => {
                    self.encode_parts(word, cuts, parts, room, ids, monitor)
                }
                _ => words.look_up(word, ids, |ids| {
                    self.merger.encode(word, &self.model, room, ids, monitor)
                }),
            }
        })
    }

    /// Encodes a long word in the parts that merge apart.
    fn encode_parts(
        &self,
        word: &str,
        cuts: &Cuts,
        parts: &mut WordTable,
        room: &mut Room,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        if let Some(id) = merge::whole(word, &self.model) {
            ids.push(id);
            return Ok(());
        }
        let mut seen = 0_usize;
        cuts.parts(word, |part| {
            seen += 1;
            if seen.is_multiple_of(WORDS_PER_CHECK) {
                monitor.check()?;
            }
            parts.look_up(part, ids, |ids| self.merger.merge(part, &self.model, room, ids, monitor))
        })
    }

    /// A space before the text, where the pre-tokenizer wants one.
    fn with_prefix<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.splitter.prefixes_space() && !text.is_empty() && !text.starts_with(' ') {
            Cow::Owned(format!(" {text}"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The words of a text, each with its start and end in code points.
    ///
    /// Where a normalizer changes the text, the positions are those in the normalized text.
    pub fn words(&self, text: &str, monitor: &Monitor) -> Result<Vec<(String, usize, usize)>> {
        let mut words = Vec::new();
        let mut cache = SplitCache::default();
        let mut passed = 0;
        let normalized = normalize(text, self.model.normalizer.as_ref());
        let prefixed = self.with_prefix(&normalized);
        let prefix = prefixed.len() - normalized.len();
        let mut position = prefix;
        self.splitter.words(&prefixed, &mut cache, |start, end| {
            monitor.check()?;
            let first = start.max(prefix);
            passed += prefixed[position..first].chars().count();
            let begin = passed;
            passed += prefixed[first..end].chars().count();
            position = end;
            words.push((prefixed[start..end].to_owned(), begin, passed));
            Ok(())
        })?;
        Ok(words)
    }
}

/// What a text is cut into before it is split.
enum Piece<'a> {
    Added(u32),
    Text(&'a str),
}
