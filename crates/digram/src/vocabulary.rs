//! The vocabulary: id ↔ token, all tokens' bytes in one arena.

mod extents;
mod filter;
mod index;
mod short;
mod tokens;
mod widths;

use once_cell::race::OnceBox;

use crate::error::{Error, Result};
pub(crate) use extents::{End, Extent, Extents};
pub(crate) use index::Index;
pub(crate) use short::{Short, Texts};
pub(crate) use tokens::{Tokens, Traits};
pub(crate) use widths::{Width, characters};

/// Where an id has no token.
const GAP: u8 = 1;
/// The token ends a word: the marker follows its bytes.
const ENDS_WORD: u8 = 2;
/// The token is an added token only: merging never meets it.
const ADDED_ONLY: u8 = 4;
/// The token is spelled as plain text in the vocabulary: merging never meets it.
const LITERAL: u8 = 8;

/// So many bytes stand behind the last token: a copy of that many may begin at any.
pub(crate) const PADDING: usize = 16;

/// How many tokens are put into the index together: places in it are far from each other.
const TOGETHER: usize = 32;

/// Ids may reach this; a table is as long as the largest id, so a wild id must not decide it.
pub const MAX_ID: u32 = (1 << 26) - 1;

/// Maps ids to tokens and tokens to ids.
///
/// A token is bytes, and whether it ends a word; the marker's own text is not part of the bytes.
#[derive(Clone)]
pub struct Vocabulary {
    arena: Vec<u8>,
    starts: Vec<u32>,
    flags: Vec<u8>,
    index: Index,
    size: usize,
    shorts: OnceBox<Vec<Short>>,
    widths: OnceBox<Vec<Width>>,
    is_text: OnceBox<bool>,
}

/// Whether a byte is no first byte of a character.
pub(crate) fn is_inner(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// A token as a vocabulary is made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The number that users see.
    pub id: u32,
    /// The token's bytes, without the marker.
    pub bytes: Vec<u8>,
    /// Whether the end-of-word marker follows the bytes.
    pub ends_word: bool,
    /// Whether it is an added token that is no part of the vocabulary proper.
    pub added_only: bool,
    /// Whether the vocabulary lists it as plain text that merging never makes: a special token,
    /// or an entry of a byte-level file that is not spelled in the byte alphabet.
    pub literal: bool,
}

impl Token {
    /// An ordinary token.
    pub fn new(id: u32, bytes: impl Into<Vec<u8>>) -> Self {
        Self { id, bytes: bytes.into(), ends_word: false, added_only: false, literal: false }
    }
}

impl Vocabulary {
    /// A vocabulary of `tokens`, in any order; ids may have gaps.
    ///
    /// Fails where two tokens have one id, or an id is beyond [`MAX_ID`]. Two ids may have the
    /// same bytes (files hold such); the lowest id is then the one found by bytes.
    pub fn new(tokens: Vec<Token>) -> Result<Self> {
        Tokens::from(tokens).vocabulary()
    }

    fn of_parts(arena: Vec<u8>, starts: Vec<u32>, flags: Vec<u8>, size: usize) -> Self {
        let vocabulary = Self {
            arena,
            starts,
            flags,
            index: Index::with_capacity(0),
            size,
            shorts: OnceBox::new(),
            widths: OnceBox::new(),
            is_text: OnceBox::new(),
        };
        let mut index = Index::with_capacity(size);
        let merged: Vec<u32> =
            (0..vocabulary.ids() as u32).filter(|&id| vocabulary.merges(id)).collect();
        for some in merged.chunks(TOGETHER) {
            index.insert(some, |id| vocabulary.token(id));
        }
        Self { index, ..vocabulary }
    }

    /// The bytes of a token, and whether the marker follows them.
    #[inline]
    fn token(&self, id: u32) -> (&[u8], bool) {
        (self.bytes(id), self.ends_word(id))
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there is no token at all.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The largest id, plus one: every table indexed by id is this long.
    pub fn ids(&self) -> usize {
        self.flags.len()
    }

    /// Whether `id` has a token.
    pub fn contains(&self, id: u32) -> bool {
        self.flags.get(id as usize).is_some_and(|flags| flags & GAP == 0)
    }

    /// The bytes of a token, without the marker. Panics where `id` is not below [`ids`](Self::ids).
    pub fn bytes(&self, id: u32) -> &[u8] {
        let id = id as usize;
        &self.arena[self.starts[id] as usize..self.starts[id + 1] as usize]
    }

    /// Where in the arena the bytes of a token begin, and how many they are; `None` where there is
    /// no such token.
    #[inline]
    fn place(&self, id: u32) -> Option<(u32, u32)> {
        let id = id as usize;
        let &[start, end] = self.starts.get(id..id + 2)? else { return None };
        if self.size < self.flags.len() && self.flags[id] & GAP != 0 {
            return None;
        }
        Some((start, end - start))
    }

    /// The bytes of each token, as they are copied into a text; made when first asked for.
    pub(crate) fn texts(&self) -> Texts<'_> {
        let short = |id| {
            self.place(id).map_or(Short::NONE, |(start, length)| {
                Short::of(&self.arena[start as usize..], length as usize)
            })
        };
        let make = || Box::new((0..self.ids() as u32).map(short).collect());
        let shorts = self.shorts.get_or_init(make);
        Texts { shorts, arena: &self.arena, starts: &self.starts }
    }

    /// How much of a text each token is, by id; made when first asked for.
    pub(crate) fn widths(&self) -> &[Width] {
        let width = |id| self.place(id).map_or(Width::GAP, |place| Width::at(&self.arena, place));
        self.widths.get_or_init(|| Box::new((0..self.ids() as u32).map(width).collect()))
    }

    /// The error that tells that `id` has no token.
    pub(crate) fn unknown(&self, id: u32) -> Error {
        Error::UnknownToken(format!(
            "id {id} is not in the vocabulary, whose largest id is {}",
            self.ids().saturating_sub(1)
        ))
    }

    /// Whether the marker follows the token's bytes.
    pub fn ends_word(&self, id: u32) -> bool {
        self.flags[id as usize] & ENDS_WORD != 0
    }

    /// Whether the token is an added token that is no part of the vocabulary proper.
    pub fn added_only(&self, id: u32) -> bool {
        self.flags[id as usize] & ADDED_ONLY != 0
    }

    /// Whether the vocabulary lists the token as plain text that merging never makes.
    pub fn literal(&self, id: u32) -> bool {
        self.flags[id as usize] & LITERAL != 0
    }

    /// Whether merging may meet the token: it is in the vocabulary proper and no plain text.
    pub fn merges(&self, id: u32) -> bool {
        self.flags[id as usize] & (GAP | ADDED_ONLY | LITERAL) == 0
    }

    /// The id of a token that merging may meet, by its bytes.
    #[inline]
    pub fn id_of(&self, bytes: &[u8], ends_word: bool) -> Option<u32> {
        self.index.find((bytes, ends_word), |id| self.token(id))
    }

    /// The id of a token that merging never meets, and is in the vocabulary proper, by its bytes.
    /// Looks at all tokens.
    pub(crate) fn literal_of(&self, bytes: &[u8]) -> Option<u32> {
        let is_literal = |id: u32| self.contains(id) && self.literal(id) && !self.added_only(id);
        (0..self.ids() as u32).find(|&id| is_literal(id) && self.bytes(id) == bytes)
    }

    /// The id of a token that merging may meet and that ends no word; `padded` are its first fifteen
    /// bytes, and `0xFF` behind it.
    #[inline]
    pub(crate) fn id_of_word(&self, word: &str, padded: u128) -> Option<u32> {
        self.index.find_padded(word.as_bytes(), padded, |id| self.token(id))
    }

    /// Whether [`id_of_word`](Self::id_of_word) may find a token; begins to load what that will look at.
    #[inline]
    pub(crate) fn may_hold(&self, word: &str, padded: u128) -> bool {
        self.index.may_hold(word.as_bytes(), padded)
    }

    /// Begins to load what [`may_hold`](Self::may_hold) will look at.
    #[inline]
    pub(crate) fn announce(&self, word: &str, padded: u128) {
        self.index.announce(word.as_bytes(), padded);
    }

    /// The first id whose bytes an id before it has, whether merging may meet them or not.
    pub fn repeated(&self) -> Option<u32> {
        let mut apart = hashbrown::HashSet::new();
        let is_repeated = |&id: &u32| {
            let bytes = self.bytes(id);
            !self.merges(id) && (!apart.insert(bytes) || self.id_of(bytes, false).is_some())
        };
        if !self.is_distinct() {
            let first = |&id: &u32| self.id_of(self.bytes(id), self.ends_word(id)) != Some(id);
            return (0..self.ids() as u32).filter(|&id| self.merges(id)).find(first);
        }
        (0..self.ids() as u32).filter(|&id| self.contains(id)).find(is_repeated)
    }

    /// Whether no two tokens that merging may meet have the same bytes.
    pub(crate) fn is_distinct(&self) -> bool {
        let merged = self.flags.iter().filter(|&&flags| flags & (GAP | ADDED_ONLY | LITERAL) == 0);
        self.index.len() == merged.count()
    }

    /// Whether all tokens are UTF-8.
    pub(crate) fn is_text(&self) -> bool {
        // one look at all of them together is quicker than many short ones
        let begins = |text: &str| self.starts.iter().all(|&at| text.is_char_boundary(at as usize));
        *self.is_text.get_or_init(|| Box::new(std::str::from_utf8(&self.arena).is_ok_and(begins)))
    }

    /// Whether a byte occurs in any token.
    pub(crate) fn holds(&self, byte: u8) -> bool {
        memchr::memchr(byte, &self.arena[..self.total()]).is_some()
    }

    /// How many bytes all tokens have.
    pub(crate) fn total(&self) -> usize {
        self.arena.len() - PADDING
    }

    /// How many bytes the longest token has.
    pub(crate) fn longest(&self) -> usize {
        let lengths = self.starts.windows(2).map(|bounds| bounds[1] - bounds[0]);
        lengths.max().unwrap_or(0) as usize
    }

    /// All tokens, by id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        (0..self.ids() as u32).filter(|&id| self.contains(id)).map(|id| (id, self.bytes(id)))
    }
}

/// Refuses ids, or bytes of all tokens together, beyond what the tables hold.
fn check_room(ids: usize, bytes: usize) -> Result<()> {
    if ids > MAX_ID as usize + 1 {
        return Err(Error::Limit(format!(
            "id {} is larger than {MAX_ID}, the largest supported",
            ids - 1
        )));
    }
    if bytes > u32::MAX as usize {
        return Err(Error::Limit("the vocabulary holds more than 4 GiB of tokens".into()));
    }
    Ok(())
}
