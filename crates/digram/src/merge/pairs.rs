//! Which pairs merge: a flat table from (left, right) to (rank, merged).

use crate::error::{Error, Result};
use crate::model::{Merge, Model, Rule};
use crate::vocabulary::Vocabulary;

/// What no pair of ids looks like: ids stay far below it.
const EMPTY: u64 = u64::MAX;
/// The rank of a pair that does not merge.
pub const NONE: u32 = u32::MAX;

/// What a pair becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The merge's position; lower goes first. [`NONE`] where the pair does not merge.
    pub rank: u32,
    /// The id of the merged symbol.
    pub merged: u32,
}

const NOTHING: Product = Product { rank: NONE, merged: NONE };

/// Pairs and their products, by open addressing with linear probing, at most half full.
///
/// Most pairs that are asked for do not merge. A bit for each pair that does tells so at once: the
/// bits stay in the cache where the table does not.
pub struct Pairs {
    slots: Vec<(u64, Product)>,
    shift: u32,
    bits: Vec<u64>,
}

/// Bits for each slot, as a power of two: of the pairs that do not merge, one in 16 is looked for.
const BITS_PER_SLOT: u32 = 3;

impl Pairs {
    /// The table of a model: its listed merges, or for [`Rule::Ranks`] every pair of tokens whose
    /// joined bytes are a token.
    pub fn of(model: &Model) -> Result<Self> {
        match &model.rule {
            Rule::Merges(merges) => Ok(Self::listed(merges)),
            Rule::Ranks => Self::by_rank(&model.vocabulary),
            // these are found by merging each piece alone: see [`super::scores`]
            Rule::Greedy(_) | Rule::Scores(_) => Ok(Self::with_capacity(0)),
        }
    }

    fn listed(merges: &[Merge]) -> Self {
        let mut pairs = Self::with_capacity(merges.len());
        for (rank, merge) in merges.iter().enumerate() {
            let product = Product { rank: rank as u32, merged: merge.merged };
            pairs.insert(key(merge.left, merge.right), product);
        }
        pairs
    }

    fn by_rank(vocabulary: &Vocabulary) -> Result<Self> {
        let mut found = Vec::with_capacity(3 * vocabulary.len());
        splits(vocabulary, |left, right, merged| found.push((key(left, right), merged)))?;
        let mut pairs = Self::with_capacity(found.len());
        for (key, merged) in found {
            pairs.insert(key, Product { rank: merged, merged });
        }
        Ok(pairs)
    }

    /// A table with room for so many pairs.
    pub(crate) fn with_capacity(pairs: usize) -> Self {
        let slots = (2 * pairs + 1).next_power_of_two();
        Self {
            slots: vec![(EMPTY, NOTHING); slots],
            shift: 64 - slots.trailing_zeros(),
            bits: vec![0; ((slots << BITS_PER_SLOT) / 64).max(1)],
        }
    }

    /// Adds a pair, for which there must be room.
    pub(crate) fn add(&mut self, left: u32, right: u32, product: Product) {
        self.insert(key(left, right), product);
    }

    fn insert(&mut self, key: u64, product: Product) {
        let slot = self.slot(key);
        self.slots[slot] = (key, product);
        let bit = self.bit(key);
        self.bits[bit / 64] |= 1 << (bit % 64);
    }

    /// The bit of `key`: more of the bits that choose its slot.
    fn bit(&self, key: u64) -> usize {
        hash(key).checked_shr(self.shift - BITS_PER_SLOT).unwrap_or(0) as usize
    }

    /// Where `key` is, or would be.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(key).checked_shr(self.shift).unwrap_or(0) as usize;
        while self.slots[slot].0 != key && self.slots[slot].0 != EMPTY {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// What the pair becomes; its rank is [`NONE`] where it does not merge.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Product {
        let key = key(left, right);
        let bit = self.bit(key);
        if self.bits[bit / 64] >> (bit % 64) & 1 == 0 {
            return NOTHING;
        }
        self.slots[self.slot(key)].1
    }
}

/// The multiplier is the golden ratio's fraction, which spreads neighbouring ids.
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Calls `split` with left, right and whole for every way to split a token into two that merging
/// may meet, token by token.
///
/// Fails where that takes far more than any vocabulary for text does: long tokens that are made of
/// each other split in as many ways as they have bytes.
pub fn splits(vocabulary: &Vocabulary, mut split: impl FnMut(u32, u32, u32)) -> Result<()> {
    let mut left = Effort::for_vocabulary(vocabulary);
    let has = lengths(vocabulary);
    let lengths: Vec<usize> = (1..has.len()).filter(|&length| has[length]).collect();
    for (merged, bytes) in vocabulary.iter().filter(|(id, _)| vocabulary.merges(*id)) {
        let ends_word = vocabulary.ends_word(merged);
        // Where the same bytes have a lower id, that is the one that merging finds.
        if vocabulary.id_of(bytes, ends_word) != Some(merged) {
            continue;
        }
        // A marker of its own is a right part without bytes.
        let longest = bytes.len() + usize::from(ends_word);
        for &middle in lengths.iter().take_while(|&&middle| middle < longest) {
            if !has[bytes.len() - middle] {
                continue;
            }
            left.spend(bytes.len() as u64)?;
            if let Some(first) = vocabulary.id_of(&bytes[..middle], false)
                && let Some(second) = vocabulary.id_of(&bytes[middle..], ends_word)
            {
                left.found()?;
                split(first, second, merged);
            }
        }
    }
    Ok(())
}

/// Which lengths tokens have.
fn lengths(vocabulary: &Vocabulary) -> Vec<bool> {
    let longest = vocabulary.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
    let mut has = vec![false; longest + 1];
    for (_, bytes) in vocabulary.iter() {
        has[bytes.len()] = true;
    }
    has
}

/// How much may still be spent on splitting tokens.
struct Effort {
    bytes: u64,
    splits: u64,
}

impl Effort {
    /// The largest vocabularies in use spend a twentieth of either.
    fn for_vocabulary(vocabulary: &Vocabulary) -> Self {
        let tokens = vocabulary.len() as u64;
        Self { bytes: (2 << 30) + 256 * tokens, splits: (1 << 19) + 32 * tokens }
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(too_many)?;
        Ok(())
    }

    fn found(&mut self) -> Result<()> {
        self.splits = self.splits.checked_sub(1).ok_or_else(too_many)?;
        Ok(())
    }
}

fn too_many() -> Error {
    Error::Limit(
        "the tokens are made of each other in too many ways to merge by rank; list the merges \
         instead"
            .into(),
    )
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
