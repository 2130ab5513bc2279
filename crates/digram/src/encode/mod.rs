//! Text to ids: added tokens cut out, normalized, split into words, each word looked up or merged.

mod between;
mod by_parts;
mod chosen;
mod cutting;
mod explain;
mod few;
mod flat;
mod glossaries;
mod heard;
mod lined;
mod lines;
mod long;
mod maker;
mod new_words;
mod news;
mod offsets;
mod pieces;
mod pipeline;
mod placed;
mod policy;
mod pool;
mod rows;
mod runs;
mod sink;
mod spare;
mod spelled;
mod stretches;
pub(crate) mod table;
#[cfg(test)]
pub(crate) mod tests;
mod tiles;
#[cfg(test)]
mod tiles_tests;
mod together;
mod trim;
mod twins;
mod wide;
mod wider;
mod widths;
mod windows;
mod words;

pub use explain::{Explained, Reason, Word};
pub use flat::{Encoder, Flat, Source};
pub(crate) use glossaries::text_of;
pub use offsets::Offsets;
pub use policy::Special;
pub use runs::{Finished, Run};
pub use windows::LONE_SURROGATE;
pub use words::TABLE_BYTES;

use hashbrown::HashMap;
use std::borrow::Cow;

use crate::components::added::{Matcher, Section};
use crate::components::decoder::Joiner;
use crate::components::{AddedToken, Rewriter};
use crate::decode::Steady;
use crate::error::{Error, Result};
use crate::limits;
use crate::memory;
use crate::merge::Merger;
use crate::merge::cut::Cuts;
use crate::merge::later::Later;
use crate::model::{Model, Rule};
use crate::monitor::Monitor;
use crate::pretokenize::{SplitCache, Splitter};
use crate::vocabulary::Extents;
use glossaries::Glossaries;
use news::Board;
use pipeline::Scratch;
use policy::{Matchers, Policies};
use pool::Pool;
use sink::{Density, Sink};
use trim::Trim;

/// So many words are told before it is asked whether there is memory for as many.
const SOME: usize = 1 << 14;
/// For so many bytes of them.
const SOME_BYTES: usize = 2 << 20;

/// A model, ready to encode and decode. It never changes, and any number of threads may use it.
pub struct Tokenizer {
    pub(crate) model: Model,
    merger: Merger,
    cuts: Later<Option<Cuts>>,
    /// User-defined pieces, which stand between words.
    user_defined: Option<Matcher>,
    glossaries: Option<Glossaries>,
    splitter: Splitter,
    /// Has each text one word.
    unsplit: Splitter,
    pub(crate) joiner: Joiner,
    /// How far tokens reach, where they may tile what is merged.
    extents: Later<Option<Extents>>,
    /// What is left out of offsets.
    trim: Later<Option<Trim>>,
    /// What tokens become behind others.
    pub(crate) steady: Later<Steady>,
    policies: Policies,
    /// The ids of special tokens, ascending.
    pub(crate) special_ids: Vec<u32>,
    /// The contents of added tokens that normalization changes, where they are matched so.
    pub(crate) normalized: HashMap<u32, String>,
    pool: Pool<Box<Scratch>>,
    /// What threads that share work tell each other.
    board: Board,
    /// How many ids a text has for each byte.
    density: Density,
    /// The same of the texts of a batch, whose characters are counted where they are given as those.
    density_of_many: Density,
    expansion: u64,
    /// Bytes that the tables of each thread may take.
    table_bytes: usize,
}

impl Tokenizer {
    /// A tokenizer for `model`. Fails where the model contradicts itself or a pattern does not
    /// compile.
    pub fn new(model: Model) -> Result<Self> {
        Self::growing(model, limits::EXPANSION)
    }

    /// A tokenizer by which a text may become so many times longer: see [`Limits::expansion`].
    ///
    /// [`Limits::expansion`]: crate::Limits::expansion
    pub fn growing(model: Model, expansion: u64) -> Result<Self> {
        Self::of_checked(model.checked()?, expansion)
    }

    /// The same, of a model that was checked.
    pub(crate) fn of_checked(model: Model, expansion: u64) -> Result<Self> {
        limits::check_affixes(&model, expansion)?;
        let specials = model.added_tokens.iter().filter(|token| token.special);
        let mut special_ids: Vec<u32> = specials.map(|token| token.id).collect();
        special_ids.sort_unstable();
        let rewriter = Rewriter::new(model.normalizer.as_ref(), model.unicode)?.growing(expansion);
        Ok(Self {
            special_ids,
            normalized: normalized(&model.added_tokens, &rewriter)?,
            merger: Merger::of(&model)?,
            cuts: cuts(&model),
            user_defined: Matcher::of_texts(model.user_defined())?,
            glossaries: Glossaries::of(&model)?,
            splitter: splitter(&model)?.growing(expansion),
            unsplit: Splitter::new(None)?,
            joiner: Joiner::of(&model, expansion)?,
            extents: Later::default(),
            trim: Later::default(),
            steady: Later::default(),
            policies: Policies::new(&model.added_tokens, rewriter)?,
            pool: Pool::default(),
            board: Board::default(),
            density: Density::default(),
            density_of_many: Density::default(),
            expansion,
            table_bytes: TABLE_BYTES,
            model,
        })
    }

    /// The same, where the tables in which each thread remembers words and their ids take so many
    /// bytes at most, [`TABLE_BYTES`] if nothing is said: the ids are the same with any.
    #[must_use]
    pub fn remembering(self, table_bytes: usize) -> Self {
        Self { table_bytes, ..self }
    }

    /// How many bytes the tables of each thread may take.
    pub fn table_bytes(&self) -> usize {
        self.table_bytes
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// How many times longer a text may become: see [`Limits::expansion`].
    ///
    /// [`Limits::expansion`]: crate::Limits::expansion
    pub fn expansion(&self) -> u64 {
        self.expansion
    }

    /// The ids of a text. O(n log n).
    pub fn encode(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<Vec<u32>> {
        self.encode_by(text, special, stretches::workers(text.len(), None), monitor)
    }

    /// The same, by so many threads if the text is worth them.
    fn encode_by(
        &self,
        text: &str,
        special: &Special,
        workers: usize,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        let mut ids = memory::list(self.density.room(text.len()))?;
        self.encode_to(text, special, workers, &mut ids, monitor)?;
        self.density.note(text.len(), ids.len());
        Ok(ids)
    }

    /// The ids of a text that is normalized and holds no added token; with it is told whether the text begins with it.
    fn encode_normalized(&self, text: (&str, bool), monitor: &Monitor) -> Result<Vec<u32>> {
        let bytes = text.0.len();
        let mut ids = memory::list(self.density.room(bytes))?;
        let mut scratch = self.scratch(stretches::workers(bytes, None))?;
        self.encode_words(text, &mut scratch, &mut ids, monitor)?;
        self.give_back(scratch);
        self.density.note(bytes, ids.len());
        Ok(ids)
    }

    /// Adds the ids of a short text to a list, which is not made for it then; none where it fails.
    pub fn encode_onto(
        &self,
        text: &str,
        special: &Special,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let before = ids.len();
        self.encode_to(text, special, 1, ids, monitor).inspect_err(|_| ids.truncate(before))
    }

    /// How many ids a text has.
    pub fn count(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<usize> {
        let (mut count, workers) = (0, stretches::workers(text.len(), None));
        self.encode_to(text, special, workers, &mut count, monitor)?;
        Ok(count)
    }

    /// Gives the ids of a text to `sink`.
    fn encode_to(
        &self,
        text: &str,
        special: &Special,
        workers: usize,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.scratch(workers)?;
        self.check(text, special, monitor)?;
        self.encode_with(text, &matchers, &mut scratch, sink, monitor)?;
        self.give_back(scratch);
        Ok(())
    }

    /// What a thread needs while it encodes, where so many may work on one text.
    fn scratch(&self, workers: usize) -> Result<Box<Scratch>> {
        let mut scratch = self.pool.take(|| {
            memory::expect_some()?;
            Ok(Scratch::within(self.table_bytes, self.model.vocabulary.ids()))
        })?;
        scratch.workers = workers;
        Ok(scratch)
    }

    /// Gives it back for the next call, without what would only take memory until then.
    fn give_back(&self, mut scratch: Box<Scratch>) {
        scratch.drop_large_text();
        self.pool.give_back(scratch);
    }

    /// Fails where the text holds special tokens that are refused, or the model leaves merges out.
    fn check(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<()> {
        match self.model.dropout.filter(|&dropout| dropout > 0.0) {
            None => self.policies.check(text, special, monitor),
            Some(dropout) => Err(Error::Format(format!(
                "the model has a dropout of {dropout}, which would give other ids each time; \
                 encode with tok.with_(dropout=None)"
            ))),
        }
    }

    fn encode_with(
        &self,
        text: &str,
        matchers: &Matchers,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        if matchers.raw.is_some() || matchers.normalized.is_some() {
            return self.encode_cut_text(text, matchers, scratch, sink, monitor);
        }
        monitor.check()?;
        let (text, is_first) = self.normalize((text, true))?;
        self.encode_words((&text, is_first), scratch, sink, monitor)
    }

    /// A text, normalized, and whether the whole text begins with it, of which that is told before.
    #[inline]
    fn normalize<'a>(&self, (text, is_first): (&'a str, bool)) -> Result<(Cow<'a, str>, bool)> {
        if self.model.normalizer.is_none() {
            return Ok((Cow::Borrowed(text), is_first));
        }
        memory::expect(2 * text.len())?;
        Ok((self.policies.normalize(text)?, is_first && self.keeps_beginning(text)?))
    }

    /// Whether what normalization makes of a text begins where the text does, if it makes a difference.
    fn keeps_beginning(&self, text: &str) -> Result<bool> {
        Ok(!self.splitter.asks_for_first() || self.policies.keeps_beginning(text)?)
    }

    /// The words of a text, each with its start and end in code points.
    ///
    /// Where a normalizer or the pre-tokenizer changes the text, the positions are those in the
    /// changed text, without what is put before words.
    pub fn words(&self, text: &str, monitor: &Monitor) -> Result<Vec<(String, usize, usize)>> {
        let mut words = Vec::new();
        let mut cache = SplitCache::default();
        let (text, is_first) = self.normalize((text, true))?;
        let text = self.splitter.prepare(text, is_first, &mut cache)?;
        let (mut position, mut passed) = (0, 0);
        for &part in &text.parts {
            let own = part.start + part.put_before;
            passed += text.text[position..part.start].chars().count();
            position = own;
            self.splitter.words_of(&text, part, &mut cache, |start, end| {
                monitor.check()?;
                let first = start.max(own);
                passed += text.text[position..first].chars().count();
                let begin = passed;
                position = end.max(first);
                passed += text.text[first..position].chars().count();
                memory::reserve(&mut words, 1)?;
                if (words.len() + 1).is_multiple_of(SOME) {
                    memory::expect(SOME_BYTES)?;
                }
                words.push((text.text[start..end].to_owned(), begin, passed));
                Ok(())
            })?;
        }
        Ok(words)
    }
}

/// The splitter of a model.
fn splitter(model: &Model) -> Result<Splitter> {
    let pre_tokenizer = model.splits();
    if model.spelled { Splitter::spelling(pre_tokenizer) } else { Splitter::new(pre_tokenizer) }
}

/// Where long words are cut. In a model by scores every text is one long word, and what is known of
/// it is made once there is some text; other models know it when they are loaded.
fn cuts(model: &Model) -> Later<Option<Cuts>> {
    match model.rule {
        Rule::Scores(_) => Later::default(),
        _ => Later::from(Cuts::of(model)),
    }
}

/// The contents of the added tokens that are matched in normalized text, where it changes them.
fn normalized(added: &[AddedToken], rewriter: &Rewriter) -> Result<HashMap<u32, String>> {
    let mut changed = HashMap::new();
    for token in added.iter().filter(|token| token.normalized) {
        let content = rewriter.normalize(&token.content)?;
        if content != token.content {
            changed.insert(token.id, content.into_owned());
        }
    }
    Ok(changed)
}

/// What a text is cut into before it is split.
#[derive(Clone, Copy)]
enum Piece<'a> {
    Added(u32),
    /// Text, and whether the whole text begins with it.
    Text(&'a str, bool),
}

impl<'a> Piece<'a> {
    /// A section of a text, of which it is told whether the whole text begins with it.
    fn of(section: Section, (text, is_first): (&'a str, bool)) -> Self {
        match section.id {
            Some(id) => Self::Added(id),
            None => Self::Text(&text[section.start..section.end], is_first && section.start == 0),
        }
    }
}
