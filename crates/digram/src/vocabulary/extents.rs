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

    fn of(bytes: &[u8]) -> Self {
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
    /// Passes one more token; where that begins and ends, in characters.
    #[inline]
    fn pass(&mut self, token: Extent) -> [u32; 2] {
        let offset = self.characters.wrapping_add(token.offset);
        self.characters = self.characters.wrapping_add(token.characters);
        self.bytes = self.bytes.wrapping_add(token.bytes);
        [offset as u32, (offset >> 32) as u32]
    }
}

/// Which of the most frequent extents each token has, and these.
#[derive(Clone)]
pub(super) struct Kinds {
    of_ids: Vec<u8>,
    extents: Box<[Extent; 256]>,
}

impl Kinds {
    /// Those of tokens that lie one behind the other, and of which each begins and the last ends so.
    pub fn of(arena: &[u8], starts: &[u32]) -> Self {
        let tokens = || starts.windows(2).map(|two| &arena[two[0] as usize..two[1] as usize]);
        let mut counts: HashMap<Extent, usize> = HashMap::new();
        for token in tokens() {
            *counts.entry(Extent::of(token)).or_default() += 1;
        }
        let mut frequent: Vec<_> = counts.into_iter().collect();
        frequent.sort_unstable_by_key(|&(extent, count)| (Reverse(count), extent));
        frequent.truncate(usize::from(OTHER));
        let mut extents = Box::new([Extent::OTHER; 256]);
        for (known, (extent, _)) in extents.iter_mut().zip(&frequent) {
            *known = *extent;
        }
        let kinds: HashMap<Extent, u8> =
            frequent.iter().zip(0..).map(|(&(extent, _), kind)| (extent, kind)).collect();
        let kind = |token| kinds.get(&Extent::of(token)).copied().unwrap_or(OTHER);
        Self { of_ids: tokens().map(kind).collect(), extents }
    }
}

/// Extents by id.
#[derive(Clone, Copy)]
pub(crate) struct Extents<'a> {
    kinds: &'a [u8],
    known: &'a [Extent; 256],
    /// The tokens, one behind the other.
    arena: &'a [u8],
    /// Where each begins there, and where the last one ends.
    starts: &'a [u32],
}

impl<'a> Extents<'a> {
    pub(super) fn new(kinds: &'a Kinds, arena: &'a [u8], starts: &'a [u32]) -> Self {
        Self { kinds: &kinds.of_ids, known: &kinds.extents, arena, starts }
    }

    /// Passes the tokens of `ids` from an end to the next; puts where each begins and ends behind `offsets`.
    pub fn pass(&self, ids: &[u32], mut end: End, offsets: &mut Vec<[u32; 2]>) -> End {
        let Self { kinds, known, .. } = *self;
        let (before, first) = (end, offsets.len());
        let extent = |&id: &u32| known[usize::from(kinds[id as usize])];
        offsets.extend(ids.iter().map(|id| end.pass(extent(id))));
        if end.bytes >= Extent::OTHER.bytes {
            end = before;
            offsets.truncate(first);
            offsets.extend(ids.iter().map(|&id| end.pass(self.of(id))));
        }
        end
    }

    /// How far a token reaches, whichever extent it has.
    fn of(&self, id: u32) -> Extent {
        let id = id as usize;
        Extent::of(&self.arena[self.starts[id] as usize..self.starts[id + 1] as usize])
    }
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
        let (arena, mut starts) = (tokens.concat(), vec![0]);
        starts.extend(tokens.iter().scan(0, |end, token| {
            *end += token.len() as u32;
            Some(*end)
        }));
        let kinds = Kinds::of(&arena, &starts);
        let extents = Extents::new(&kinds, &arena, &starts);
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
        assert_eq!(end.bytes, arena.len() as u64);
        let others: Vec<_> = kinds.of_ids.iter().filter(|&&kind| kind == OTHER).collect();
        assert_eq!(others.len(), 1 + 5 * 99 - 255, "the most frequent ones are known");
    }
}
