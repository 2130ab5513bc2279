//! Tokens joined: their bytes copied from the vocabulary's arena, one behind the other.
//!
//! Most tokens are short, so that a copy of fixed length, too long where it does no harm, costs
//! less than a call that copies just as many bytes as there are. What is too much is written over
//! by the next token; the arena and the room for the text go on that far.

use crate::error::Result;
use crate::vocabulary::{PADDING, Vocabulary};

/// Ids whose places are looked up before their bytes are copied: 8 kB of places.
const BLOCK: usize = 512;

/// The bytes of `ids`, joined. Fails on the first id that is not in the vocabulary.
pub(super) fn join(vocabulary: &Vocabulary, ids: &[u32]) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(5 * ids.len() + PADDING);
    let mut places = [(0_usize, 0_usize); BLOCK];
    let mut written = 0;
    for block in ids.chunks(BLOCK) {
        let length = find(vocabulary, block, &mut places)?;
        bytes.resize(written + length + PADDING, 0);
        copy(vocabulary.arena(), &places[..block.len()], &mut bytes[written..]);
        written += length;
    }
    bytes.truncate(written);
    Ok(bytes)
}

/// Where the bytes of each id begin and how many they are; in all, they are so many.
fn find(
    vocabulary: &Vocabulary,
    ids: &[u32],
    places: &mut [(usize, usize); BLOCK],
) -> Result<usize> {
    let mut sum = 0;
    for (&id, place) in ids.iter().zip(places) {
        let Some((start, length)) = vocabulary.place(id) else {
            return Err(vocabulary.unknown(id));
        };
        *place = (start, length);
        sum += length;
    }
    Ok(sum)
}

fn copy(arena: &[u8], places: &[(usize, usize)], bytes: &mut [u8]) {
    let mut written = 0;
    for &(start, length) in places {
        let from = arena[start..].first_chunk::<PADDING>();
        match (from, bytes[written..].first_chunk_mut::<PADDING>()) {
            (Some(from), Some(to)) if length <= PADDING => *to = *from,
            _ => bytes[written..][..length].copy_from_slice(&arena[start..][..length]),
        }
        written += length;
    }
}
