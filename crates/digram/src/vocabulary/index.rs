//! From the bytes of a token to its id.
//!
//! Most tokens are short. One of up to 12 bytes is a number of 16: its bytes, how many they are,
//! whether they end a word, and above all that its id. So a token is found, or is not, with one
//! look at a flat table, and without looking at anything elsewhere. The others are in a hash table
//! by id. Of most texts that are no tokens, a [`Filter`] tells it, which is smaller than both.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::hint::select_unpredictable;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::filter::Filter;
use crate::arch::keys::PADDING;
use crate::arch::pages::Zeroed;
use crate::arch::prefetch::prefetch;

/// The longest token that is a number.
const SHORT: usize = 12;
/// Where in the number the token's id is; below it are its key and a bit that is always set.
const ID_SHIFT: u32 = 102;

/// The ids of tokens, by their bytes and whether they end a word.
#[derive(Clone)]
pub(crate) struct Index {
    /// Short tokens, by open addressing with linear probing, at most half full; 0 is none.
    slots: Zeroed,
    /// Drawn anew for each index, so that no file can be made whose tokens all share a place.
    seeds: [u64; 2],
    long: HashTable<u32>,
    filter: Filter,
    size: usize,
}

impl Index {
    /// An index with room for so many tokens.
    pub fn with_capacity(tokens: usize) -> Self {
        let slots = (2 * tokens + 1).next_power_of_two();
        let random = RandomState::new();
        Self {
            slots: Zeroed::new(slots),
            seeds: [random.hash_one(0), random.hash_one(1)],
            long: HashTable::new(),
            filter: Filter::with_capacity(tokens),
            size: 0,
        }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.size
    }

    /// The id of a token; `bytes_of` tells the bytes of an id, and whether it ends a word.
    #[inline]
    pub fn find<'a>(
        &self,
        token: (&[u8], bool),
        bytes_of: impl Fn(u32) -> (&'a [u8], bool),
    ) -> Option<u32> {
        let (bytes, ends_word) = token;
        if bytes.len() <= SHORT {
            let slot = self.slots[self.place(key(bytes, ends_word))];
            return (slot != 0).then_some((slot >> ID_SHIFT) as u32);
        }
        self.find_long(token, bytes_of)
    }

    fn find_long<'a>(
        &self,
        token: (&[u8], bool),
        bytes_of: impl Fn(u32) -> (&'a [u8], bool),
    ) -> Option<u32> {
        if !self.filter.may_hold(hash_of_long(token.0)) {
            return None;
        }
        self.long.find(hash(self.seeds[0], token), |&id| bytes_of(id) == token).copied()
    }

    /// The same for a token that ends no word, of which `padded` are the first bytes, and behind it `0xFF`.
    ///
    /// Whether a word is a token is as good as random, and so is its length: no branch depends on them where
    /// it is short and would stand in the first place or the second.
    #[inline]
    pub fn find_padded<'a>(
        &self,
        bytes: &[u8],
        padded: u128,
        bytes_of: impl Fn(u32) -> (&'a [u8], bool),
    ) -> Option<u32> {
        if bytes.len() > SHORT {
            return self.find_long((bytes, false), bytes_of);
        }
        let key = key_of_padded(bytes.len(), padded);
        let first = self.first_place(self.hash(key));
        let slots = &self.slots[..];
        let next = (first + 1) & (slots.len() - 1);
        let [here, there] = [slots[first], slots[next]];
        // 0 where a token of that key stands, and where none stands
        let differs = |slot: u128| {
            let differing = (slot ^ key) << (128 - ID_SHIFT);
            differing as u64 | (differing >> 64) as u64
        };
        let fills = |slot: u128| (slot >> 64) as u64;
        let least = |slot: u128| differs(slot).min(fills(slot));
        // one branch, which is seldom taken: of `&` the compiler makes one for each
        if least(here).min(least(there)) != 0 {
            let slot = slots[self.place_from(next, key)];
            return (slot != 0).then_some((slot >> ID_SHIFT) as u32);
        }
        let id = |slot: u128| (slot >> ID_SHIFT) as u32;
        let (first_is, next_is) = (differs(here) == 0, differs(there) == 0);
        let found = select_unpredictable(first_is, id(here), id(there));
        let is_token = u8::from(first_is) | u8::from(here != 0) & u8::from(next_is);
        (is_token != 0).then_some(found)
    }

    /// Adds tokens in turn, each unless there is one of the same bytes.
    ///
    /// Where the short ones go is found for all of them first, so that memory is waited for once.
    pub fn insert<'a>(&mut self, ids: &[u32], bytes_of: impl Fn(u32) -> (&'a [u8], bool)) {
        let mut short = Vec::with_capacity(ids.len());
        for &id in ids {
            let (bytes, ends_word) = bytes_of(id);
            if bytes.len() > SHORT {
                self.insert_long(id, &bytes_of);
                continue;
            }
            let key = key(bytes, ends_word);
            let hash = self.hash(key);
            let place = self.first_place(hash);
            prefetch(&self.slots[place]);
            self.filter.insert(hash);
            short.push((key | u128::from(id) << ID_SHIFT, place));
        }
        for (filled, place) in short {
            let place = self.place_from(place, filled);
            if self.slots[place] == 0 {
                self.slots[place] = filled;
                self.size += 1;
            }
        }
    }

    fn insert_long<'a>(&mut self, id: u32, bytes_of: impl Fn(u32) -> (&'a [u8], bool)) {
        let token = bytes_of(id);
        self.filter.insert(hash_of_long(token.0));
        let same = |&other: &u32| bytes_of(other) == token;
        let seed = self.seeds[0];
        if let hashbrown::hash_table::Entry::Vacant(place) =
            self.long.entry(hash(seed, token), same, |&id| hash(seed, bytes_of(id)))
        {
            place.insert(id);
            self.size += 1;
        }
    }

    /// Begins to load what [`find`](Self::find) will look at first, for a token that ends no word.
    #[inline]
    pub fn prefetch(&self, bytes: &[u8]) {
        if bytes.len() <= SHORT {
            prefetch(&self.slots[self.first_place(self.hash(key(bytes, false)))]);
        } else {
            self.announce(bytes, 0);
        }
    }

    /// Begins to load what [`may_hold`](Self::may_hold) will look at.
    #[inline]
    pub fn announce(&self, bytes: &[u8], padded: u128) {
        self.filter.prefetch(self.hash_of_padded(bytes, padded));
    }

    /// Whether [`find_padded`](Self::find_padded) may find a token; begins to load what it will look at.
    #[inline]
    pub fn may_hold(&self, bytes: &[u8], padded: u128) -> bool {
        let hash = self.hash_of_padded(bytes, padded);
        let may = self.filter.may_hold(hash);
        if may && bytes.len() <= SHORT {
            prefetch(&self.slots[self.first_place(hash)]);
        }
        may
    }

    /// A short token's hash, by its key.
    #[inline]
    fn hash(&self, key: u128) -> u64 {
        let (low, high) = (key as u64 ^ self.seeds[0], (key >> 64) as u64 ^ self.seeds[1]);
        let product = u128::from(low) * u128::from(high);
        (product >> 64) as u64 ^ product as u64
    }

    /// Any token's hash, where it ends no word.
    #[inline]
    fn hash_of_padded(&self, bytes: &[u8], padded: u128) -> u64 {
        if bytes.len() <= SHORT {
            self.hash(key_of_padded(bytes.len(), padded))
        } else {
            hash_of_long(bytes)
        }
    }

    /// Where the token with such a hash is looked for first.
    #[inline]
    fn first_place(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// Where the token with a key is, or would be.
    #[inline]
    fn place(&self, key: u128) -> usize {
        self.place_from(self.first_place(self.hash(key)), key)
    }

    /// The same, where it is looked for first.
    #[inline]
    fn place_from(&self, first: usize, key: u128) -> usize {
        let slots = &self.slots[..];
        let mut place = first;
        while slots[place] != 0 && (slots[place] ^ key) << (128 - ID_SHIFT) != 0 {
            place = (place + 1) & (slots.len() - 1);
        }
        place
    }
}

/// A short token as a number without its id; never 0.
#[inline]
fn key(bytes: &[u8], ends_word: bool) -> u128 {
    let length = bytes.len();
    let filled = match length {
        8.. => {
            let last = word::<8>(&bytes[length - 8..]);
            u128::from(word::<8>(bytes)) | u128::from(last) << (8 * (length - 8))
        }
        4.. => {
            let last = word::<4>(&bytes[length - 4..]);
            u128::from(word::<4>(bytes) | last << (8 * (length - 4)))
        }
        _ => bytes.iter().rev().fold(0, |all, &byte| all << 8 | u128::from(byte)),
    };
    filled | above(length, ends_word)
}

/// The same of one that ends no word, whose bytes are the first of some.
#[inline]
fn key_of_padded(length: usize, padded: u128) -> u128 {
    padded & !PADDING[length] | above(length, false)
}

/// What stands above a token's bytes.
#[inline]
fn above(length: usize, ends_word: bool) -> u128 {
    (1 + 2 * u128::from(ends_word) + 4 * length as u128) << 96
}

/// The first bytes as a number, the first the lowest.
#[inline]
fn word<const SIZE: usize>(bytes: &[u8]) -> u64 {
    bytes[..SIZE].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// What the filter tells a long token by: its first and last bytes, and its length.
#[inline]
fn hash_of_long(bytes: &[u8]) -> u64 {
    let ends = word::<8>(bytes) ^ word::<8>(&bytes[bytes.len() - 8..]).rotate_left(32);
    (ends ^ (bytes.len() as u64) << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash(seed: u64, token: (&[u8], bool)) -> u64 {
    FixedState::with_seed(seed).hash_one(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_all_lengths_are_found_and_nothing_else_is() {
        let mut tokens: Vec<(Vec<u8>, bool)> = Vec::new();
        for length in 0..40_usize {
            for byte in [0, b'a', 0x7F, 0xFE, 0xFF] {
                for place in [0, length / 2, length.saturating_sub(1)] {
                    let mut token = vec![b'a'; length];
                    token.iter_mut().skip(place).take(1).for_each(|other| *other = byte);
                    tokens.extend([(token.clone(), false), (token, true)]);
                }
            }
        }
        let kept: Vec<_> = tokens.iter().step_by(3).cloned().collect();
        let bytes_of = |id: u32| (&kept[id as usize].0[..], kept[id as usize].1);
        let mut index = Index::with_capacity(kept.len());
        let ids: Vec<u32> = (0..kept.len() as u32).collect();
        ids.chunks(7).for_each(|some| index.insert(some, bytes_of));
        for (bytes, ends_word) in &tokens {
            let first = kept.iter().position(|token| token == &(bytes.clone(), *ends_word));
            let found = index.find((bytes, *ends_word), bytes_of);
            assert_eq!(found, first.map(|id| id as u32), "{bytes:?} {ends_word}");
            if !ends_word {
                let mut padded = [0xFF; 16];
                padded.iter_mut().zip(bytes).take(15).for_each(|(to, &byte)| *to = byte);
                let padded = u128::from_le_bytes(padded);
                index.announce(bytes, padded);
                assert!(found.is_none() || index.may_hold(bytes, padded));
                assert_eq!(index.find_padded(bytes, padded, bytes_of), found, "{bytes:?}");
            }
        }
        let distinct: std::collections::HashSet<_> = kept.iter().collect();
        assert_eq!(index.len(), distinct.len());
    }
}
