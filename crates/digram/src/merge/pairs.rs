//! Which pairs merge: a flat table from (left, right) to (rank, merged).

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::arch::prefetch::prefetch;
use crate::error::{Error, Result};
use crate::model::{Merge, Model, Rule};
use crate::vocabulary::Vocabulary;

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

/// What a pair becomes that does not merge.
pub const NOTHING: Product = Product { rank: NONE, merged: NONE };

/// Tells which pairs merge.
pub trait Products {
    /// What the pair becomes; its rank is [`NONE`] where it does not merge.
    fn product(&self, left: u32, right: u32) -> Product;
}

impl Products for Pairs {
    #[inline]
    fn product(&self, left: u32, right: u32) -> Product {
        self.get(left, right)
    }
}

/// Pairs and their products, by open addressing with linear probing, at most two thirds full.
///
/// A slot is one number of eight bytes: both ids, and which product is theirs. So eight slots
/// share a line of the cache, and a pair that is not there mostly costs one line. Words begin as
/// bytes, or as characters, whose ids are mostly low: the pairs of low ids have a table of their
/// own, with a place for each.
pub struct Pairs {
    slots: Vec<u64>,
    /// By left and right id: the product's number, and [`NO_PRODUCT`] where there is none. Empty
    /// where few pairs are of low ids.
    low: Vec<u32>,
    /// How far a hash is shifted to give a slot.
    shift: u32,
    numbers: Numbers,
    /// The pairs whose numbers are too large for a slot.
    large: HashMap<u64, Product, FixedState>,
}

/// What the numbers in slots stand for.
enum Numbers {
    /// They are the merged ids, and the ranks as well.
    Ids,
    /// They are places in this list.
    Listed(Vec<Product>),
}

/// How many bits of a slot an id takes, on the left and on the right.
const ID_BITS: u32 = 20;
/// How many bits of a slot say which product is the pair's.
const PRODUCT_BITS: u32 = 24;
/// Ids below this are low.
const LOW: u32 = 256;
/// What stands for a pair of low ids that does not merge.
const NO_PRODUCT: u32 = NONE;
/// A slot without a pair: no pair's ids have all bits set.
const EMPTY: u64 = u64::MAX;

impl Pairs {
    /// The table of a model: its listed merges, or for [`Rule::Ranks`] every pair of tokens whose
    /// joined bytes are a token.
    pub fn of(model: &Model) -> Result<Self> {
        match &model.rule {
            Rule::Merges(merges) => Ok(Self::listed(merges)),
            Rule::Ranks => Self::by_rank(&model.vocabulary),
            // these are found by the texts of pieces: see [`super::scores`]
            Rule::Greedy(_) | Rule::Scores(_) => Ok(Self::with_capacity(0)),
        }
    }

    fn listed(merges: &[Merge]) -> Self {
        let mut pairs = Self::with_capacity(merges.len());
        for (rank, merge) in merges.iter().enumerate() {
            let product = Product { rank: rank as u32, merged: merge.merged };
            pairs.add(merge.left, merge.right, product);
        }
        pairs
    }

    fn by_rank(vocabulary: &Vocabulary) -> Result<Self> {
        let mut found = Vec::with_capacity(3 * vocabulary.len());
        splits(vocabulary, |left, right, merged| found.push((left, right, merged)))?;
        let mut pairs = Self { numbers: Numbers::Ids, ..Self::with_capacity(found.len()) };
        for (left, right, merged) in found {
            pairs.add(left, right, Product { rank: merged, merged });
        }
        Ok(pairs)
    }

    /// A table with room for so many pairs.
    pub(crate) fn with_capacity(pairs: usize) -> Self {
        let slots = (pairs + pairs / 2 + 2).next_power_of_two();
        let low = if pairs > LOW as usize { LOW * LOW } else { 0 };
        Self {
            slots: vec![EMPTY; slots],
            low: vec![NO_PRODUCT; low as usize],
            shift: 64 - slots.trailing_zeros(),
            numbers: Numbers::Listed(Vec::with_capacity(pairs)),
            large: HashMap::with_hasher(FixedState::with_seed(0)),
        }
    }

    /// Adds a pair, for which there must be room. One that is there already gets this product.
    pub(crate) fn add(&mut self, left: u32, right: u32, product: Product) {
        let number = match &self.numbers {
            Numbers::Ids => product.merged as usize,
            Numbers::Listed(list) => list.len(),
        };
        match key(left, right).filter(|_| number >> PRODUCT_BITS == 0) {
            None => {
                self.large.insert(u64::from(left) << 32 | u64::from(right), product);
            }
            Some(key) => {
                let slot = self.slot(key);
                self.slots[slot] = key | number as u64;
                if let Some(place) = self.low.get_mut(low(left, right)) {
                    *place = number as u32;
                }
                if let Numbers::Listed(list) = &mut self.numbers {
                    list.push(product);
                }
            }
        }
    }

    /// Where `key` is, or would be.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (hash(key) >> self.shift) as usize;
        loop {
            let slot = self.slots[place];
            if slot ^ key < 1 << PRODUCT_BITS || slot == EMPTY {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// What the pair becomes; its rank is [`NONE`] where it does not merge.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Product {
        if let Some(&number) = self.low.get(low(left, right)) {
            return if number == NO_PRODUCT { self.rare(left, right) } else { self.number(number) };
        }
        let Some(key) = key(left, right) else { return self.get_large(left, right) };
        let slot = self.slots[self.slot(key)];
        if slot == EMPTY {
            return self.rare(left, right);
        }
        self.number(slot as u32 & ((1 << PRODUCT_BITS) - 1))
    }

    /// Begins to load what [`get`](Self::get) will look at.
    #[inline]
    pub fn prefetch(&self, left: u32, right: u32) {
        if self.low.get(low(left, right)).is_none()
            && let Some(key) = key(left, right)
        {
            prefetch(&self.slots[(hash(key) >> self.shift) as usize]);
        }
    }

    #[inline]
    fn number(&self, number: u32) -> Product {
        match &self.numbers {
            Numbers::Ids => Product { rank: number, merged: number },
            Numbers::Listed(list) => list[number as usize],
        }
    }

    /// What a pair becomes that has no slot.
    #[inline]
    fn rare(&self, left: u32, right: u32) -> Product {
        if self.large.is_empty() { NOTHING } else { self.get_large(left, right) }
    }

    #[cold]
    fn get_large(&self, left: u32, right: u32) -> Product {
        let key = u64::from(left) << 32 | u64::from(right);
        self.large.get(&key).copied().unwrap_or(NOTHING)
    }
}

/// The place of a pair of low ids; beyond all of them where one is not low.
#[inline]
fn low(left: u32, right: u32) -> usize {
    if left < LOW && right < LOW { (left * LOW + right) as usize } else { usize::MAX }
}

/// The two ids as a slot holds them, above the bits of the product; `None` where they are too large.
#[inline]
fn key(left: u32, right: u32) -> Option<u64> {
    let largest = (1 << ID_BITS) - 1;
    let key = u64::from(left) << (ID_BITS + PRODUCT_BITS) | u64::from(right) << PRODUCT_BITS;
    (left < largest && right < largest).then_some(key)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_all_sizes_are_found_again() {
        let ids = [0, 1, 255, 256, 50_000, (1 << 20) - 2, (1 << 20) - 1, 1 << 20, NONE - 1];
        let numbered = || ids.iter().flat_map(|&left| ids.iter().map(move |&right| (left, right)));
        for by_rank in [false, true] {
            let mut pairs = Pairs::with_capacity(ids.len() * ids.len());
            if by_rank {
                pairs.numbers = Numbers::Ids;
            }
            let product = |at: usize| {
                let rank = at as u32 + if at % 7 == 3 { 1 << PRODUCT_BITS } else { 0 };
                Product { rank, merged: if by_rank { rank } else { rank + 9 } }
            };
            for (at, (left, right)) in numbered().enumerate().filter(|(at, _)| at % 5 != 0) {
                pairs.add(left, right, product(at));
            }
            for (at, (left, right)) in numbered().enumerate() {
                let told = if at % 5 == 0 { NOTHING } else { product(at) };
                assert_eq!(pairs.get(left, right), told, "{left} {right}");
            }
        }
    }

    #[test]
    fn the_last_product_of_a_pair_counts() {
        for large in [0, 1 << 20] {
            let mut pairs = Pairs::with_capacity(2);
            for rank in 0..2 {
                pairs.add(3, large, Product { rank, merged: 7 });
            }
            assert_eq!(pairs.get(3, large).rank, 1);
        }
    }
}
