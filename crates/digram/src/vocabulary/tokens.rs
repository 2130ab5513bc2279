//! Tokens as a vocabulary is made of them, their bytes one behind the other.
//!
//! Most files list tokens by id. Then what was written here becomes the vocabulary as it lies, and no
//! token has memory of its own meanwhile.

use super::{ADDED_ONLY, GAP, LITERAL, PADDING, Token, Vocabulary, check_room};
use crate::error::{Error, Result};

/// What a token is besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traits(u8);

impl Traits {
    /// An ordinary token.
    pub const ORDINARY: Self = Self(0);
    /// An added token that is no part of the vocabulary proper.
    pub const ADDED_ONLY: Self = Self(ADDED_ONLY);
    /// Listed as plain text that merging never makes.
    pub const LITERAL: Self = Self(LITERAL);
    /// The end-of-word marker follows its bytes.
    pub const ENDS_WORD: Self = Self(super::ENDS_WORD);

    /// These, if it is so.
    #[must_use]
    pub fn only_if(self, is_so: bool) -> Self {
        if is_so { self } else { Self::ORDINARY }
    }
}

/// Tokens, in any order.
#[derive(Default)]
pub struct Tokens {
    arena: Vec<u8>,
    /// Where the bytes of each begin. (What does not fit is refused in the end.)
    starts: Vec<u32>,
    /// Where those of the last one end.
    end: usize,
    flags: Vec<u8>,
    /// Their ids; none while they are their places.
    ids: Vec<u32>,
}

impl Tokens {
    /// No tokens yet, and room for so many and so many bytes.
    pub fn with_room(tokens: usize, bytes: usize) -> Self {
        Self {
            arena: Vec::with_capacity(bytes),
            starts: Vec::with_capacity(tokens),
            flags: Vec::with_capacity(tokens),
            ..Self::default()
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// The largest id, and the bytes of that token.
    pub fn largest(&self) -> Option<(u32, &[u8])> {
        let largest = (0..self.len()).max_by_key(|&place| self.id(place))?;
        Some((self.id(largest), self.bytes(largest)))
    }

    fn id(&self, place: usize) -> u32 {
        self.ids.get(place).copied().unwrap_or(place as u32)
    }

    fn bytes(&self, place: usize) -> &[u8] {
        let end = self.starts.get(place + 1).map_or(self.end, |&start| start as usize);
        &self.arena[self.starts[place] as usize..end]
    }

    /// Adds a token.
    #[inline]
    pub fn push(&mut self, id: u32, traits: Traits, bytes: &[u8]) {
        self.begin().extend_from_slice(bytes);
        self.add(id, traits);
    }

    /// Where the bytes of the next token are written, behind what is there. Without
    /// [`add`](Self::add) they are dropped.
    #[inline]
    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.arena.truncate(self.end);
        &mut self.arena
    }

    /// How many bytes of the next token were written.
    #[inline]
    pub fn begun(&self) -> usize {
        self.arena.len() - self.end
    }

    /// Adds the token whose bytes were written.
    #[inline]
    pub fn add(&mut self, id: u32, traits: Traits) {
        if !self.ids.is_empty() || id as usize != self.len() {
            self.ids.extend(self.ids.len() as u32..self.len() as u32);
            self.ids.push(id);
        }
        self.starts.push(u32::try_from(self.end).unwrap_or(u32::MAX));
        self.flags.push(traits.0);
        self.end = self.arena.len();
    }

    /// Adds the tokens of another list behind these.
    pub fn append(&mut self, others: &Self) {
        let (count, end) = (self.len() as u32, self.end);
        let ids = || (0..others.len()).map(|place| others.id(place));
        let are_places = self.ids.is_empty() && ids().eq(count..count + others.len() as u32);
        if !are_places {
            self.ids.extend(self.ids.len() as u32..count);
            self.ids.extend(ids());
        }
        let moved = |&start: &u32| u32::try_from(end + start as usize).unwrap_or(u32::MAX);
        self.starts.extend(others.starts.iter().map(moved));
        self.flags.extend_from_slice(&others.flags);
        self.begin().extend_from_slice(&others.arena[..others.end]);
        self.end = self.arena.len();
    }

    /// By id, their bytes in that order.
    ///
    /// Fails where two have one id, or there are too many bytes.
    fn sorted(self) -> Result<Self> {
        check_room(0, self.end)?;
        if self.ids.is_sorted_by(|one, next| one < next) {
            return Ok(self);
        }
        let mut places: Vec<usize> = (0..self.len()).collect();
        places.sort_by_key(|&place| self.id(place));
        if let Some(pair) = places.windows(2).find(|pair| self.id(pair[0]) == self.id(pair[1])) {
            let [a, b] = [pair[0], pair[1]].map(|at| String::from_utf8_lossy(self.bytes(at)));
            let id = self.id(pair[0]);
            return Err(Error::Format(format!("id {id} is given to {a:?} and {b:?}")));
        }
        let mut sorted = Self::with_room(self.len(), self.end + PADDING);
        for place in places {
            sorted.push(self.id(place), Traits(self.flags[place]), self.bytes(place));
        }
        Ok(sorted)
    }

    /// The vocabulary of these tokens; ids may have gaps.
    ///
    /// Fails where two tokens have one id, or an id is beyond [`MAX_ID`](super::MAX_ID). Two ids may
    /// have the same bytes (files hold such); the lowest id is then the one found by bytes.
    pub fn vocabulary(self) -> Result<Vocabulary> {
        let Self { mut arena, starts, end, flags, ids } = self.sorted()?;
        let count = flags.len();
        let room = ids.last().map_or(count, |&last| last as usize + 1);
        check_room(room, end)?;
        arena.truncate(end);
        arena.resize(end + PADDING, 0);
        arena.shrink_to_fit();
        let (mut starts, flags) =
            if ids.is_empty() { (starts, flags) } else { with_gaps(&ids, room, &starts, &flags) };
        starts.push(end as u32);
        starts.shrink_to_fit();
        Ok(Vocabulary::of_parts(arena, starts, flags, count))
    }
}

/// Where tokens begin and their flags, by id.
fn with_gaps(ids: &[u32], room: usize, starts: &[u32], flags: &[u8]) -> (Vec<u32>, Vec<u8>) {
    let (mut by_id, mut flags_by_id) = (Vec::with_capacity(room + 1), vec![GAP; room]);
    for ((&id, &start), &flags) in ids.iter().zip(starts).zip(flags) {
        by_id.resize(id as usize + 1, start);
        flags_by_id[id as usize] = flags;
    }
    (by_id, flags_by_id)
}

impl From<Vec<Token>> for Tokens {
    fn from(tokens: Vec<Token>) -> Self {
        let bytes: usize = tokens.iter().map(|token| token.bytes.len()).sum();
        let mut all = Self::with_room(tokens.len(), bytes + PADDING);
        for Token { id, bytes, ends_word, added_only, literal } in tokens {
            let traits = Traits::ENDS_WORD.only_if(ends_word).0
                | Traits::ADDED_ONLY.only_if(added_only).0
                | Traits::LITERAL.only_if(literal).0;
            all.push(id, Traits(traits), &bytes);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_behind_each_other_are_one_list() {
        let lists: [&[u32]; 6] = [&[], &[0, 1, 2], &[3, 4], &[7, 5], &[1, 0], &[0]];
        for (first, second) in lists.iter().flat_map(|a| lists.iter().map(move |b| (a, b))) {
            let of = |ids: &[u32]| {
                let mut tokens = Tokens::default();
                for &id in ids {
                    tokens.push(id, Traits::LITERAL.only_if(id == 3), &[b'a'; 9][..id as usize]);
                }
                tokens.begin().extend_from_slice(b"what is dropped");
                tokens
            };
            let (mut both, expected) = (of(first), of(&[*first, *second].concat()));
            both.append(&of(second));
            let all = |tokens: &Tokens| {
                let each = |at| (tokens.id(at), tokens.bytes(at).to_vec(), tokens.flags[at]);
                (0..tokens.len()).map(each).collect::<Vec<_>>()
            };
            assert_eq!(all(&both), all(&expected), "{first:?} {second:?}");
            assert_eq!(both.ids, expected.ids);
        }
    }

    #[test]
    fn tokens_in_any_order_with_gaps_become_those_by_id() {
        for ids in [vec![0, 1, 2, 3], vec![0, 1, 5, 9], vec![4, 0, 2, 7], vec![9, 8, 1, 0], vec![3]]
        {
            let mut tokens = Tokens::default();
            for &id in &ids {
                tokens.begin().extend_from_slice(b"what is dropped");
                tokens.push(id, Traits::LITERAL.only_if(id == 2), format!("token {id}").as_bytes());
            }
            let largest = ids.iter().max().expect("there are some");
            assert_eq!(tokens.largest(), Some((*largest, format!("token {largest}").as_bytes())));
            let vocabulary = tokens.vocabulary().expect("ids are distinct");
            assert_eq!((vocabulary.len(), vocabulary.ids()), (ids.len(), *largest as usize + 1));
            for id in 0..=*largest {
                assert_eq!(vocabulary.contains(id), ids.contains(&id), "{ids:?} {id}");
                assert_eq!(vocabulary.merges(id), ids.contains(&id) && id != 2);
                let text = if ids.contains(&id) { format!("token {id}") } else { String::new() };
                assert_eq!(vocabulary.bytes(id), text.as_bytes());
            }
        }
        let mut twice = Tokens::default();
        for id in [5, 3, 5] {
            twice.push(id, Traits::ORDINARY, &[b'a' + id as u8]);
        }
        let error = twice.vocabulary().err().expect("refused");
        assert_eq!(error.to_string(), "id 5 is given to \"f\" and \"f\"");
        assert_eq!(Tokens::default().vocabulary().expect("none").ids(), 0);
    }
}
