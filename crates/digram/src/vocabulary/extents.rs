//! How far tokens reach in a text, in bytes and in characters.
//!
//! A vocabulary has few extents for its many tokens: most have a few characters of one kind. So a byte for each
//! id tells which of the most frequent ones a token has, and those of all ids have room in a cache.

use hashbrown::HashMap;
use std::cmp::Reverse;

use super::is_inner;
use super::widths::characters;

/// Stands for all extents but the most frequent ones.
const OTHER: u8 = u8::MAX;

/// How far a token reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Extent {
    /// How many bytes it has.
    bytes: u64,
    /// How many characters begin in it, in both halves.
    characters: u64,
    /// What its offset is beyond twice where it begins: the same in the upper half, and one less where it
    /// begins within a character, as that belongs to it, too.
    offset: u64,
}

impl Extent {
    /// Stands for another, which makes a text longer than any.
    const OTHER: Self = Self { bytes: 1 << 40, characters: 0, offset: 0 };

    /// That of a token which is so much of a text.
    pub fn of(bytes: &[u8]) -> Self {
        let inside = bytes.first().is_some_and(|&byte| is_inner(byte));
        let upper = (characters(bytes) as u64) << 32;
        Self {
            bytes: bytes.len() as u64,
            characters: upper | upper >> 32,
            offset: upper.wrapping_sub(inside.into()),
        }
    }
}

/// Where the last of some tokens ends that follow each other.
#[derive(Clone, Copy, Default)]
pub(crate) struct End {
    pub bytes: u64,
    /// In both halves.
    characters: u64,
}

impl End {
    /// Where a text begins that begins with a character.
    pub fn at(character: u32) -> Self {
        let characters = u64::from(character) << 32 | u64::from(character);
        Self { bytes: 0, characters }
    }

    /// Passes one more token; where that begins and ends, in characters.
    #[inline]
    fn pass(&mut self, token: Extent) -> [u32; 2] {
        let offset = self.characters.wrapping_add(token.offset);
        self.characters = self.characters.wrapping_add(token.characters);
        self.bytes = self.bytes.wrapping_add(token.bytes);
        [offset as u32, (offset >> 32) as u32]
    }
}

/// The extents of some tokens, by id: which of the most frequent ones each has, these, and the others.
pub(crate) struct Extents {
    kinds: Vec<u8>,
    frequent: Box<[Extent; 256]>,
    others: HashMap<u32, Extent>,
}

impl Extents {
    /// Those that tokens have, by id.
    pub fn of(tokens: impl Iterator<Item = Extent>) -> Self {
        let all: Vec<Extent> = tokens.collect();
        let mut counts: HashMap<Extent, usize> = HashMap::new();
        for extent in &all {
            *counts.entry(*extent).or_default() += 1;
        }
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_unstable_by_key(|&(extent, count)| (Reverse(count), extent));
        sorted.truncate(usize::from(OTHER));
        let mut frequent = Box::new([Extent::OTHER; 256]);
        for (known, (extent, _)) in frequent.iter_mut().zip(&sorted) {
            *known = *extent;
        }
        let places: HashMap<Extent, u8> =
            sorted.iter().zip(0..).map(|(&(extent, _), kind)| (extent, kind)).collect();
        let kind = |extent: &Extent| places.get(extent).copied().unwrap_or(OTHER);
        let kinds: Vec<u8> = all.iter().map(kind).collect();
        let is_other = |id: u32| kinds[id as usize] == OTHER;
        let others = (0..).zip(all).filter(|&(id, _)| is_other(id)).collect();
        Self { kinds, frequent, others }
    }

    /// Passes the tokens of `ids` from an end to the next; puts where each begins and ends behind `offsets`.
    pub fn pass(&self, ids: &[u32], end: End, offsets: &mut Vec<[u32; 2]>) -> End {
        let Self { kinds, frequent, others } = self;
        let first = offsets.len();
        offsets.resize(first + ids.len(), [0; 2]);
        let extent = |id: u32| frequent[usize::from(kinds[id as usize])];
        let rare = |id: u32| others.get(&id).copied().unwrap_or_else(|| extent(id));
        let own = &mut offsets[first..];
        let passed = pass(ids, end, own, extent);
        if passed.bytes < Extent::OTHER.bytes { passed } else { pass(ids, end, own, rare) }
    }
}

/// Passes tokens, and tells where each begins and ends. (Where they end is kept in registers so.)
#[inline]
fn pass(
    ids: &[u32],
    mut end: End,
    offsets: &mut [[u32; 2]],
    extent: impl Fn(u32) -> Extent,
) -> End {
    for (offset, &id) in offsets.iter_mut().zip(ids) {
        *offset = end.pass(extent(id));
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_all_lengths_reach_as_far_as_their_bytes() {
        let parts: [&[u8]; 5] = [b"a", "é".as_bytes(), b"\x80", "漢".as_bytes(), b"\x9F\xF0"];
        let lengths = (0..100).chain(0..50).chain(0..2);
        let tokens = lengths.flat_map(|length| parts.map(|part| part.repeat(length)));
        let tokens: Vec<_> = std::iter::once(b"a".to_vec()).chain(tokens).collect();
        let extents = Extents::of(tokens.iter().map(|token| Extent::of(token)));
        let (mut end, mut offsets, mut expected) = (End::default(), Vec::new(), Vec::new());
        let ids: Vec<u32> = (0..tokens.len() as u32).collect();
        for some in ids.chunks(7) {
            end = extents.pass(some, end, &mut offsets);
        }
        let mut position = 0;
        for token in &tokens {
            let begun = token.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32;
            let inside = token.first().is_some_and(|byte| byte & 0xC0 == 0x80);
            expected.push([position - u32::from(inside), position + begun]);
            position += begun;
        }
        assert_eq!(offsets, expected);
        assert_eq!(end.bytes, tokens.concat().len() as u64);
        assert_eq!(extents.others.len(), 1 + 5 * 99 - 255, "the most frequent ones are known");
    }
}
