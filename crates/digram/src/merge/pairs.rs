//! Which pairs merge: a flat table from (left, right) to (rank, merged).

#![expect(clippy::inline_always, reason = "looking a pair up is compiled for each kernel")]

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::buckets::{Buckets, NO_ID};
pub use super::buckets::{NO_NUMBER, Seek};
use super::ranks;
use crate::error::Result;
use crate::model::{Merge, Model, Rule};

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

/// What stands for several products.
const SEVERAL: Product = Product { rank: 0, merged: NONE };

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

/// Pairs and their products.
///
/// Words begin as bytes, or as characters, whose ids mostly stand together: the pairs of the first 256
/// of them have a table of their own besides, with a place for each.
pub struct Pairs {
    buckets: Buckets,
    /// By left and right id, from `first` on: the product's number, and [`NO_NUMBER`] where there is none.
    /// Empty where there are few pairs.
    low: Vec<u32>,
    /// The first of the low ids.
    first: u32,
    numbers: Numbers,
    /// Whether [`number`](Self::number) tells of every pair: numbers are ranks, and all ids fit.
    numbered: bool,
    /// The pairs whose ids or numbers are too large for a slot, or whose rank is that of other products.
    others: HashMap<u64, Product, FixedState>,
}

/// What the numbers in slots stand for.
enum Numbers {
    /// They are ranks, and the merged ids are so much more, in 32 bits.
    Shifted(u32),
    /// They are ranks, and places in this list; [`SEVERAL`] stands there for products of one rank, which
    /// the pair tells apart.
    Ranked(Vec<Product>),
    /// They are places in this list.
    Listed(Vec<Product>),
}

/// No id in a slot reaches this: it stands for the end of a word where a symbol is asked for.
pub const EDGE: u32 = NO_ID;
/// So many ids are low.
const LOW: u32 = 256;
/// So many pairs before it is added, the place of one is asked for.
const AHEAD: usize = 16;

impl Pairs {
    /// The table of a model: its listed merges, or for [`Rule::Ranks`] the pairs that merging by
    /// rank may meet. What words begin as has ids from `first` on, mostly.
    pub fn of(model: &Model, first: u32) -> Result<Self> {
        match &model.rule {
            Rule::Merges(merges) => Ok(Self::listed(merges, first)),
            Rule::Ranks => ranks::pairs(model, first),
            // these are found by the texts of pieces: see [`super::scores`]
            Rule::Greedy(_) | Rule::Scores(_) => Ok(Self::with_capacity(0)),
        }
    }

    /// The table of these merges, in rank order.
    pub fn listed(merges: &[Merge], first: u32) -> Self {
        let rank_and_id = || (0..).zip(merges.iter().map(|merge| merge.merged));
        let shift = merges.first().map_or(0, |merge| merge.merged);
        let mut pairs = Self { first, ..Self::with_capacity(merges.len()) };
        if rank_and_id().all(|(rank, merged)| merged.wrapping_sub(rank) == shift) {
            pairs.numbers = Numbers::Shifted(shift);
        }
        pairs.add_all(
            rank_and_id().zip(merges).map(|((rank, merged), merge)| {
                ([merge.left, merge.right], Product { rank, merged })
            }),
        );
        pairs
    }

    /// A table for pairs whose ranks are the ids of what they become.
    pub(super) fn by_rank(pairs: usize, first: u32) -> Self {
        Self { numbers: Numbers::Shifted(0), first, ..Self::with_capacity(pairs) }
    }

    /// A table for pairs of these products and no others. Where most share their rank with others, they are
    /// told apart by a list.
    pub(super) fn of_products(products: impl Iterator<Item = Product> + Clone, first: u32) -> Self {
        let ranks = products.clone().map(|product| product.rank as usize + 1).max().unwrap_or(0);
        let mut list = vec![NOTHING; ranks];
        let mut count = 0;
        for product in products {
            let place = &mut list[product.rank as usize];
            *place = if *place == NOTHING { product } else { SEVERAL };
            count += 1;
        }
        let alone = list.iter().filter(|&&product| product != NOTHING && product != SEVERAL);
        if alone.count() < count / 2 {
            return Self { first, ..Self::with_capacity(count) };
        }
        Self { numbers: Numbers::Ranked(list), first, ..Self::with_capacity(count) }
    }

    /// A table with room for so many pairs.
    pub(crate) fn with_capacity(pairs: usize) -> Self {
        let low = if pairs > LOW as usize { LOW * LOW } else { 0 };
        Self {
            buckets: Buckets::with_capacity(pairs),
            low: vec![NO_NUMBER; low as usize],
            first: 0,
            numbers: Numbers::Listed(Vec::new()),
            numbered: true,
            others: HashMap::with_hasher(FixedState::with_seed(0)),
        }
    }

    /// Adds pairs, whose places are far from each other: each is asked for before its turn.
    pub(super) fn add_all(&mut self, all: impl Iterator<Item = ([u32; 2], Product)> + Clone) {
        let mut ahead = all.clone().skip(AHEAD);
        for ([left, right], product) in all {
            if let Some(([left, right], _)) = ahead.next() {
                self.seek(left, right);
            }
            self.add(left, right, product);
        }
    }

    /// Adds a pair. One that is there already gets this product.
    pub(crate) fn add(&mut self, left: u32, right: u32, product: Product) {
        let number = match &self.numbers {
            Numbers::Shifted(_) | Numbers::Ranked(_) => product.rank,
            Numbers::Listed(list) => list.len() as u32,
        };
        self.numbered &= number == product.rank && product.merged < EDGE;
        if !self.buckets.put(left, right, number) {
            self.numbered = false;
            self.others.insert(both(left, right), product);
            return;
        }
        if matches!(&self.numbers, Numbers::Ranked(list) if list[number as usize] == SEVERAL) {
            self.others.insert(both(left, right), product);
        }
        let low = self.low(left, right);
        if let Some(place) = self.low.get_mut(low) {
            *place = number;
        }
        if let Numbers::Listed(list) = &mut self.numbers {
            list.push(product);
        }
    }

    /// What the pair becomes; its rank is [`NONE`] where it does not merge.
    #[inline]
    pub fn get(&self, left: u32, right: u32) -> Product {
        let number = match self.low.get(self.low(left, right)) {
            Some(&number) => number,
            None if left.max(right) < EDGE => self.number(left, right),
            None => NO_NUMBER,
        };
        if number >= NO_NUMBER {
            return self.rare(left, right);
        }
        self.product_of(number, || (left, right))
    }

    /// Whether [`number`](Self::number) tells of every pair of ids below [`EDGE`].
    pub fn numbered(&self) -> bool {
        self.numbered
    }

    /// The number of the product of two ids, of which one at most is [`EDGE`]: its rank, where
    /// [`numbered`](Self::numbered). [`NO_NUMBER`] or more where they do not merge.
    #[inline(always)]
    pub fn number(&self, left: u32, right: u32) -> u32 {
        self.buckets.number(left, right)
    }

    /// Whether there are so many pairs that low ids have a table of their own.
    pub fn has_low(&self) -> bool {
        !self.low.is_empty()
    }

    /// The same, quicker for what words begin as.
    #[inline]
    pub fn first_number(&self, left: u32, right: u32) -> u32 {
        match self.low.get(self.low(left, right)) {
            Some(&number) => number,
            None => self.number(left, right),
        }
    }

    /// The place of a pair of low ids; beyond all of them where one is not low.
    #[inline(always)]
    fn low(&self, left: u32, right: u32) -> usize {
        let (left, right) = (left.wrapping_sub(self.first), right.wrapping_sub(self.first));
        if left < LOW && right < LOW { (left * LOW + right) as usize } else { usize::MAX }
    }

    /// Begins to look for what [`number`](Self::number) tells.
    #[inline(always)]
    pub fn seek(&self, left: u32, right: u32) -> Seek {
        self.buckets.seek(left, right)
    }

    /// What [`number`](Self::number) tells of a pair that was sought.
    #[inline(always)]
    pub fn sought(&self, seek: Seek) -> u32 {
        self.buckets.sought(seek)
    }

    /// What a number stands for, which is that of `pair`.
    #[inline(always)]
    pub fn product_of(&self, number: u32, pair: impl FnOnce() -> (u32, u32)) -> Product {
        let product = match &self.numbers {
            Numbers::Shifted(shift) => {
                return Product { rank: number, merged: number.wrapping_add(*shift) };
            }
            Numbers::Ranked(list) | Numbers::Listed(list) => list[number as usize],
        };
        if product == SEVERAL {
            let (left, right) = pair();
            return self.other(left, right);
        }
        product
    }

    /// What a pair becomes that has no slot.
    #[inline]
    fn rare(&self, left: u32, right: u32) -> Product {
        if self.others.is_empty() { NOTHING } else { self.other(left, right) }
    }

    #[cold]
    fn other(&self, left: u32, right: u32) -> Product {
        self.others.get(&both(left, right)).copied().unwrap_or(NOTHING)
    }
}

/// Any two ids.
fn both(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_all_sizes_are_found_again() {
        let ids = [0, 1, 255, 256, 50_000, (1 << 20) - 2, (1 << 20) - 1, 1 << 20, NONE - 1];
        let numbered = || ids.iter().flat_map(|&left| ids.iter().map(move |&right| (left, right)));
        for by_rank in [false, true] {
            // so few that it grows
            let mut pairs =
                if by_rank { Pairs::by_rank(3, 50_000) } else { Pairs::with_capacity(3) };
            let product = |at: usize| {
                let rank = at as u32 + if at % 7 == 3 { NO_NUMBER } else { 0 };
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
