//! Tokens joined: their bytes copied from the vocabulary's arena, one behind the other.
//!
//! Most tokens are short, so that a copy of fixed length, too long where it does no harm, costs
//! less than a call that copies just as many bytes as there are. What is too much is written over
//! by the next token; the arena and the room for the text go on that far.

use crate::error::Result;
use crate::vocabulary::{PADDING, Vocabulary};

/// Ids whose places are looked up before their bytes are copied: 4 kB of places.
pub(super) const BLOCK: usize = 512;

/// Where the bytes of each id begin, and how many they are.
pub(super) struct Places([(u32, u32); BLOCK]);

impl Default for Places {
    fn default() -> Self {
        Self([(0, 0); BLOCK])
    }
}

impl Places {
    /// Those of a block.
    pub fn of(&self, ids: &[u32]) -> &[(u32, u32)] {
        &self.0[..ids.len()]
    }
}

/// The bytes of `ids`, joined. Fails on the first id that is not in the vocabulary.
pub(super) fn join(vocabulary: &Vocabulary, ids: &[u32]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(5 * ids.len() + PADDING);
    let mut places = Places::default();
    let mut written = 0;
    for block in ids.chunks(BLOCK) {
        let length = find(vocabulary, block, &mut places)?;
        bytes.resize(written + length + PADDING, 0);
        copy(vocabulary.arena(), places.of(block), &mut bytes[written..]);
        written += length;
    }
    bytes.truncate(written);
    Ok(bytes)
}

/// Finds the places of a block of ids; in all, they have so many bytes.
pub(super) fn find(vocabulary: &Vocabulary, ids: &[u32], places: &mut Places) -> Result<usize> {
    let mut sum = 0;
    for (&id, place) in ids.iter().zip(&mut places.0) {
        let Some((start, length)) = vocabulary.place(id) else {
            return Err(vocabulary.unknown(id));
        };
        *place = (start, length);
        sum += length as usize;
    }
    Ok(sum)
}

/// Copies what lies in these places, one behind the other; [`PADDING`] more bytes are written over.
pub(super) fn copy(arena: &[u8], places: &[(u32, u32)], bytes: &mut [u8]) {
    let mut written = 0;
    for &(start, length) in places {
        let (start, length) = (start as usize, length as usize);
        let from = arena[start..].first_chunk::<PADDING>();
        match (from, bytes[written..].first_chunk_mut::<PADDING>()) {
            (Some(from), Some(to)) if length <= PADDING => *to = *from,
            _ => copy_long(&arena[start..][..length], &mut bytes[written..]),
        }
        written += length;
    }
}

/// (Not inlined: the compiler made one call of this copy and the short one, which is then as slow.)
#[cold]
#[inline(never)]
fn copy_long(token: &[u8], bytes: &mut [u8]) {
    bytes[..token.len()].copy_from_slice(token);
}
