//! Where learning goes on from, and who keeps what it has done so far.
//!
//! What learning chooses next depends on the words, the options and the merges so far, on nothing
//! else. So the merges are all that must be kept: merging by rank spells each word as learning
//! left it, which takes less time than learning took. The other numbers are for the report.

use crate::error::{Error, Result};
use crate::merge;
use crate::merge::pairs::Pairs;
use crate::model::Merge;
use crate::monitor::Monitor;

use super::corpus::{Corpus, Speller};
use super::options::LearnOptions;
use super::tokens::Tokens;
use super::words::WordCounts;

/// What learning has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The merges, in the order learned.
    pub merges: Vec<Merge>,
    /// How often each token occurred when it was made, by id.
    pub frequencies: Vec<u64>,
    /// How many symbols occur at all: at the start, then after each merge.
    pub live_symbols: Vec<u32>,
    /// In how many places of the distinct words each pair was merged.
    pub places: Vec<u64>,
    /// How many pairs were as frequent as each when it was chosen, itself included.
    pub tied: Vec<u32>,
}

/// Keeps what learning has done, while it is under way and when it ends, whatever ends it.
pub trait Keeper {
    /// Whether it is time to keep something again; asked after each merge.
    fn is_due(&self) -> bool;

    /// Keeps what was done. An error ends learning.
    fn keep(&self, done: &Done) -> Result<()>;
}

/// Where learning begins, and who is told what it did.
#[derive(Default)]
pub struct Course<'a> {
    /// What was done before, of the same words under the same options.
    pub done: Done,
    /// Who keeps what is done.
    pub keeper: Option<&'a dyn Keeper>,
}

impl Done {
    /// This, done to the words that it was learned from, or nothing but the words as they are.
    pub(super) fn on(self, corpus: &Corpus) -> Result<Self> {
        if !self.merges.is_empty() {
            self.check_words(corpus)?;
            return Ok(self);
        }
        Ok(Self::nothing(corpus))
    }

    fn nothing(corpus: &Corpus) -> Self {
        Self {
            frequencies: corpus.frequencies.clone(),
            live_symbols: vec![corpus.live_symbols],
            ..Self::default()
        }
    }

    /// Adds a merge that was made.
    pub(super) fn push(
        &mut self,
        merge: Merge,
        frequency: u64,
        (live, places, tied): (u32, u64, u32),
    ) {
        self.merges.push(merge);
        self.frequencies.push(frequency);
        self.live_symbols.push(live);
        self.places.push(places);
        self.tied.push(tied);
    }

    /// How many symbols all words together had before the first merge.
    pub(super) fn symbols_at_start(&self) -> u64 {
        let base = self.frequencies.len() - self.merges.len();
        self.frequencies[..base].iter().fold(0, |sum, &n| sum.wrapping_add(n))
    }

    /// Refuses what was not learned from so many tokens, or has more merges than are wanted now.
    pub(super) fn check(&self, tokens: &Tokens, options: &LearnOptions) -> Result<()> {
        let (ids, merges) = (tokens.len(), self.merges.len() as u64);
        let first = self.merges.first().map_or(ids, |merge| merge.merged as usize);
        if first != ids || self.frequencies.len() != ids + self.merges.len() {
            return Err(other_words());
        }
        let by_size = options.vocab_size.map(|size| ("vocab_size", size, tokens.count() + merges));
        let by_merges = options.num_merges.map(|number| ("num_merges", number, merges));
        for (name, value, least) in by_size.into_iter().chain(by_merges) {
            if value < least {
                return Err(Error::Value(format!(
                    "{name} is {value}, but {merges} merges are learned already; give {least} or \
                     more, or begin anew without them"
                )));
            }
        }
        Ok(())
    }

    /// Refuses words that are not those that this was learned from.
    fn check_words(&self, corpus: &Corpus) -> Result<()> {
        if self.live_symbols.last() == Some(&corpus.live_symbols) {
            return Ok(());
        }
        Err(other_words())
    }

    /// All of it in bytes: how many merges and tokens, the pairs, and the other lists; numbers are
    /// little endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let short = |bytes: &mut Vec<u8>, number: u32| bytes.extend(number.to_le_bytes());
        short(&mut bytes, self.merges.len() as u32);
        short(&mut bytes, self.frequencies.len() as u32);
        for merge in &self.merges {
            short(&mut bytes, merge.left);
            short(&mut bytes, merge.right);
        }
        self.live_symbols.iter().chain(&self.tied).for_each(|&n| short(&mut bytes, n));
        for number in self.frequencies.iter().chain(&self.places) {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// Fails where the bytes are too few or too many, or a merge names a later token.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut rest = Rest(bytes);
        let [merges, tokens] = [rest.short()?, rest.short()?];
        let size = 8 + 24 * u64::from(merges) + 4 + 8 * u64::from(tokens);
        if merges > tokens || size != bytes.len() as u64 {
            return Err(broken());
        }
        let merge = |merged: u32| {
            let [left, right] = [rest.short()?, rest.short()?];
            let is_known = left < merged && right < merged;
            is_known.then_some(Merge { left, right, merged }).ok_or_else(broken)
        };
        Ok(Self {
            merges: (tokens - merges..tokens).map(merge).collect::<Result<_>>()?,
            live_symbols: (0..=merges).map(|_| rest.short()).collect::<Result<_>>()?,
            tied: (0..merges).map(|_| rest.short()).collect::<Result<_>>()?,
            frequencies: (0..tokens).map(|_| rest.long()).collect::<Result<_>>()?,
            places: (0..merges).map(|_| rest.long()).collect::<Result<_>>()?,
        })
    }
}

/// Bytes not read yet.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(broken)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn short(&mut self) -> Result<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn long(&mut self) -> Result<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

fn broken() -> Error {
    Error::Format("the merges are cut off or changed".into())
}

fn other_words() -> Error {
    let reason = "the merges were not learned from these words under these options; begin anew \
                  without them";
    Error::Value(reason.into())
}

/// Spells words as learning left them.
pub(super) struct Replay<'a> {
    speller: &'a dyn Speller,
    pairs: Pairs,
}

impl<'a> Replay<'a> {
    /// By merges of symbols that `speller` spells words in.
    pub fn new(speller: &'a dyn Speller, merges: &[Merge]) -> Self {
        Self { speller, pairs: Pairs::listed(merges, 0) }
    }
}

impl Speller for Replay<'_> {
    fn spell(
        &self,
        word: &[u8],
        is_whole: bool,
        symbols: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        self.speller.spell(word, is_whole, symbols, monitor)?;
        merge::by_rank(symbols, &self.pairs, monitor)
    }
}

/// The basis and the prime of the hash FNV-1a in 128 bits.
const BASIS: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;

/// A number that tells words and their counts from others, on any machine; their order too, if it
/// is asked for.
///
/// ```
/// use digram::train::{WordCounts, fingerprint};
///
/// let one = WordCounts::from_pairs([("low", 5), ("new", 2)])?;
/// let other = WordCounts::from_pairs([("new", 2), ("low", 5)])?;
/// assert_eq!(fingerprint(&one, false), fingerprint(&other, false));
/// assert_ne!(fingerprint(&one, true), fingerprint(&other, true));
/// # Ok::<(), digram::Error>(())
/// ```
pub fn fingerprint(counts: &WordCounts, ordered: bool) -> u128 {
    let hash = |(place, (word, count)): (u64, (&[u8], u64))| {
        let place = if ordered { place } else { 0 };
        let numbers = [place, count].map(u64::to_le_bytes);
        let bytes = numbers.iter().flatten().chain(word);
        bytes.fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
    };
    (0..).zip(counts.iter()).map(hash).fold(0, u128::wrapping_add)
}

#[cfg(test)]
#[path = "course_tests.rs"]
mod tests;
