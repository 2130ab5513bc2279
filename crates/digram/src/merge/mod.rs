//! A word to ids: the rule of the model, applied.
//!
//! Words of ordinary length take turns (`group`), longer ones have their ranks in blocks (`blocks`), very long ones
//! are merged by stretches (`overlaps`). Where that cannot be, short ones are merged in place, long ones go through a
//! heap, very long ones rank by rank. All merge the lowest rank first and the leftmost first within a rank, and
//! give the same ids.

pub mod alphabet;
pub(crate) mod apart;
mod blocks;
mod buckets;
mod bytes;
pub mod cut;
#[cfg(test)]
mod drawn;
pub(crate) mod fallback;
pub mod greedy;
pub mod group;
mod halves;
pub mod heap;
pub(crate) mod later;
mod listed;
mod made;
mod origins;
mod overlaps;
pub mod pairs;
pub mod ranks;
pub mod scan;
pub(crate) mod scores;
mod scripts;
pub mod short;
pub(crate) mod spans;
mod steps;
mod there;
mod together;
mod waves;
pub mod word;

use crate::arch::{Kernel, compiled};
use crate::error::{Error, Result};
use crate::memory;
use crate::model::{Model, Rule};
use crate::monitor::Monitor;
use alphabet::Alphabet;
use apart::Apart;
use blocks::Blocks;
use bytes::Bytes;
use greedy::Longest;
use listed::Found;
use made::Made;
pub use origins::{by_score, origins};
use pairs::{Pairs, Product, Products};
use scores::{Pieces, Ready};
use spans::Placed;
use together::Together;
use word::{Ids, Word};

/// One merge as it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Position of the left symbol.
    pub at: usize,
    /// The left symbol.
    pub left: u32,
    /// The right symbol.
    pub right: u32,
    /// What they become.
    pub product: Product,
}

/// Is told each merge.
pub trait Observer {
    /// Called before a merge is carried out.
    fn merged(&mut self, step: Step);
}

impl Observer for () {
    #[inline]
    fn merged(&mut self, _: Step) {}
}

impl Observer for Vec<Step> {
    fn merged(&mut self, step: Step) {
        self.push(step);
    }
}

/// For a byte of a word, so many of its symbols at most, and of what they become.
const BYTES: usize = 3 * size_of::<u32>();

/// Room to work in; one per thread.
#[derive(Default)]
pub struct Room {
    symbols: Vec<u32>,
    group: group::Group,
    blocks: Blocks,
    ids: Vec<u32>,
}

/// Merges symbols until no pair merges: lowest rank first, leftmost first within a rank.
/// O(n log n).
pub(crate) fn by_rank(
    symbols: &mut Vec<u32>,
    pairs: &impl Products,
    monitor: &Monitor,
) -> Result<()> {
    let count = symbols.len();
    if count > heap::MOST {
        return waves::merge(symbols, pairs, monitor);
    }
    if count > short::MOST {
        return heap::merge(symbols, pairs, monitor);
    }
    short::merge(symbols, pairs);
    Ok(())
}

/// A model's rule, ready to run on words.
pub struct Merger {
    alphabet: Alphabet,
    pairs: Pairs,
    /// What words begin as, where that is quickly told.
    bytes: Option<Bytes>,
    /// Tokens that are known to be what merging makes of their text.
    made: Made,
    /// Whether the rank of a listed merge is the id of its product, not its place.
    by_id: bool,
    /// What becomes of symbols that are no tokens, where the rule is by scores.
    pieces: Option<Pieces>,
    /// What stands for unused tokens, where merges are listed.
    apart: Apart,
    /// What is looked for where nothing is merged.
    longest: Option<Longest>,
}

impl Merger {
    /// The merger of a model.
    pub fn of(model: &Model) -> Result<Self> {
        if let Rule::Scores(scores) = &model.rule {
            let Ready { alphabet, pieces } = Ready::of(model, scores)?;
            return Ok(Self {
                alphabet,
                pairs: Pairs::with_capacity(0),
                bytes: None,
                made: Made::default(),
                by_id: false,
                pieces: Some(pieces),
                apart: Apart::default(),
                longest: None,
            });
        }
        let longest = match model.rule {
            Rule::Greedy(order) => Some(Longest::of(model, order)?),
            _ => None,
        };
        let alphabet = Alphabet::of(model);
        let Found { pairs, made, by_id } = match &model.rule {
            Rule::Merges(merges) => listed::find(model, merges, alphabet.first()),
            _ => Found::of(Pairs::of(model, alphabet.first())?),
        };
        let bytes = if longest.is_some() { None } else { Bytes::of(&alphabet, &pairs) };
        Ok(Self {
            alphabet,
            pairs,
            bytes,
            made,
            by_id,
            pieces: None,
            apart: Apart::of(model)?,
            longest,
        })
    }

    /// The tokens of bytes, which characters become that are unknown, if they do.
    pub fn fallback(&self) -> Option<&[u32; 256]> {
        self.alphabet.fallback()
    }

    /// Whether a character at the end of a word may be a token that is another text elsewhere.
    pub fn has_twins(&self) -> bool {
        self.alphabet.has_twins()
    }

    /// Whether [`fuse`](Self::fuse) may change anything.
    pub fn fuses(&self) -> bool {
        self.pieces.as_ref().is_some_and(Pieces::fuses)
    }

    /// Makes one id of neighbouring unknown ones, from `start` on, where the rule is by scores:
    /// of whatever parts they come.
    pub fn fuse(&self, ids: &mut Vec<u32>, start: usize) {
        if let Some(pieces) = &self.pieces {
            pieces.fuse(ids, start);
        }
    }

    /// The token that a word is known to become, as it is taken whole or merging makes it.
    #[inline]
    pub fn token(&self, word: Word, model: &Model) -> Option<u32> {
        if model.ignore_merges && model.end_of_word.is_some() {
            return whole(word.text, model);
        }
        if !model.ignore_merges && self.made.is_empty() {
            return None;
        }
        let token = model.vocabulary.id_of_word(word.text, word.bytes);
        token.filter(|&id| model.ignore_merges || self.made.has(id))
    }

    /// Whether [`token`](Self::token) may find one; begins to load what it looks at.
    #[inline]
    pub fn may_be_token(&self, word: Word, model: &Model) -> bool {
        if model.ignore_merges && model.end_of_word.is_some() {
            return true;
        }
        (model.ignore_merges || !self.made.is_empty())
            && model.vocabulary.may_hold(word.text, word.bytes)
    }

    /// Begins to load what [`may_be_token`](Self::may_be_token) looks at.
    #[inline]
    pub fn announce(&self, word: Word, model: &Model) {
        if model.ignore_merges || !self.made.is_empty() {
            model.vocabulary.announce(word.text, word.bytes);
        }
    }

    /// Appends the ids of `word` to `ids`. O(n log n) in the word's length.
    pub fn encode(
        &self,
        word: &str,
        model: &Model,
        room: &mut Room,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        if let Some(id) = whole(word, model) {
            ids.push(id);
            return Ok(());
        }
        self.merge(word, model, room, ids, monitor)
    }

    /// [`encode`](Self::encode), but for the word that is taken whole.
    pub fn merge(
        &self,
        word: &str,
        model: &Model,
        room: &mut Room,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        if let Some(longest) = &self.longest {
            let placed = Self::greedy(longest, word, model, monitor)?;
            ids.extend(placed.into_iter().map(|(id, _)| id));
            return Ok(());
        }
        memory::expect(BYTES * word.len())?;
        self.alphabet.write(word, &mut room.symbols)?;
        let Some(pieces) = &self.pieces else {
            by_rank(&mut room.symbols, &self.pairs, monitor)?;
            self.apart.write(&room.symbols, ids);
            return Ok(());
        };
        match pieces.pairs(model, &self.alphabet, room.symbols.len())? {
            Some(pairs) => by_rank(&mut room.symbols, pairs, monitor)?,
            None => by_rank(&mut room.symbols, &pieces.by_text(model), monitor)?,
        }
        pieces.apart().write(&room.symbols, ids);
        Ok(())
    }

    /// Merges a few words together, as [`merge`](Self::merge) does one, and gives `take` the place
    /// and the ids of each.
    pub fn merge_some<'a>(
        &self,
        words: impl Iterator<Item = Word<'a>> + Clone,
        model: &Model,
        room: &mut Room,
        monitor: &Monitor,
        take: impl FnMut(usize, Ids),
    ) -> Result<()> {
        let symbols = words.clone().map(|word| word.text.len()).sum();
        let pairs = match &self.pieces {
            Some(pieces) => pieces.pairs(model, &self.alphabet, symbols)?,
            None => (!matches!(model.rule, Rule::Greedy(_))).then_some(&self.pairs),
        };
        let together = Together { merger: self, words, model, pairs, room, monitor, take };
        compiled(Kernel::chosen(), together)
    }

    /// The merges of a word, in order, and what they leave; the same ids as [`encode`](Self::encode).
    ///
    /// Nothing is merged where the word is taken whole or the rule is greedy. O(n log n).
    pub fn explain(
        &self,
        word: &str,
        model: &Model,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<Step>)> {
        let (mut symbols, mut ids) = (memory::list(word.len())?, Vec::new());
        self.alphabet.write(word, &mut symbols)?;
        let Some(pieces) = &self.pieces else {
            let mut steps = steps::merge(&mut symbols, &self.pairs, monitor)?;
            if let Rule::Merges(merges) = &model.rule {
                for Step { left, right, product, .. } in &mut steps {
                    product.rank = listed::place(merges, self.by_id, (*left, *right), *product);
                }
            }
            self.apart.write(&symbols, &mut ids);
            return Ok((ids, steps));
        };
        let pairs = pieces.table(model, &self.alphabet)?;
        let mut steps = steps::merge(&mut symbols, pairs, monitor)?;
        for step in &mut steps {
            (step.left, step.right) = (pieces.shown(step.left), pieces.shown(step.right));
        }
        pieces.apart().write(&symbols, &mut ids);
        pieces.fuse(&mut ids, 0);
        Ok((ids, steps))
    }

    /// The symbols that a word begins as.
    pub fn symbols(&self, word: &str) -> Result<Vec<u32>> {
        let mut symbols = memory::list(word.len())?;
        self.alphabet.write(word, &mut symbols)?;
        if let Some(pieces) = &self.pieces {
            for symbol in &mut symbols {
                *symbol = pieces.shown(*symbol);
            }
        }
        Ok(symbols)
    }

    /// The tokens of a word that is not merged, and where each stands.
    fn greedy(
        longest: &Longest,
        word: &str,
        model: &Model,
        monitor: &Monitor,
    ) -> Result<Vec<Placed>> {
        let cut = longest.cut(word, monitor)?.into_iter();
        let placed = cut.map(|(start, end, id)| {
            let span = [start, end].map(|place| place.min(word.len()));
            let known = id.or(model.unknown.as_ref().map(|unknown| unknown.id));
            let text = || String::from_utf8_lossy(&word.as_bytes()[span[0]..span[1]]);
            let missing = || alphabet::no_symbol(&format!("{:?}", text()), word);
            Ok((known.ok_or_else(missing)?, span))
        });
        placed.collect()
    }
}

/// The token that is spelled as a whole word is, if the model takes such words whole. The text of
/// the marker is text here: a word that is written `ab</w>` is spelled as the token is.
pub fn whole(word: &str, model: &Model) -> Option<u32> {
    if !model.ignore_merges {
        return None;
    }
    let end = model.end_of_word.as_ref();
    let stem = end.and_then(|end| word.strip_suffix(&end.marker));
    let marked = stem.and_then(|stem| model.vocabulary.id_of(stem.as_bytes(), true));
    marked.or_else(|| model.vocabulary.id_of(word.as_bytes(), false))
}

/// Refuses words too long for 32-bit positions.
pub(crate) fn check_length(word: &str) -> Result<()> {
    if word.len() < u32::MAX as usize {
        return Ok(());
    }
    Err(Error::Limit(format!("a word of {} bytes is longer than {}", word.len(), u32::MAX - 1)))
}
