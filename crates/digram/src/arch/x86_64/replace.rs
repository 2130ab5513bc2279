//! Three bytes instead of one of ASCII: what makes spaces visible.
//!
//! Eight bytes of text and the three that stand instead lie in one vector, and the bits of the eight tell
//! how they are moved. No branch tells where a word ends; one tells of more than four spaces among eight
//! bytes.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    _mm_loadu_si128, _mm_set_epi64x, _mm_shuffle_epi8, _mm_storeu_si128, _mm256_cmpeq_epi8,
    _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_storeu_si256,
};

use crate::arch::BLOCK;

/// How many bytes are moved together.
const EIGHT: usize = 8;
/// How many bytes one vector has.
const VECTOR: usize = 16;

/// From where in the vector each byte comes, by which of eight bytes are replaced.
static MOVES: [[u8; 2 * VECTOR]; 256] = {
    let (mut all, mut bits) = ([[0; 2 * VECTOR]; 256], 0);
    while bits < all.len() {
        let (mut at, mut place) = (0, 0);
        while place < EIGHT {
            if bits >> place & 1 == 0 {
                all[bits][at] = place as u8;
                at += 1;
            } else {
                let mut nth = 0;
                while nth < 3 {
                    all[bits][at] = (EIGHT + nth) as u8;
                    at += 1;
                    nth += 1;
                }
            }
            place += 1;
        }
        bits += 1;
    }
    all
};

/// Writes blocks with the content instead of each character, and maybe up to sixteen bytes behind them;
/// returns where they end.
///
/// # Panics
///
/// Where there is not as much room as they and those bytes may take.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn threes(
    blocks: &[[u8; BLOCK]],
    character: u8,
    [a, b, c]: [u8; 3],
    to: &mut [u8],
) -> usize {
    assert!(to.len() >= blocks.len() * 3 * BLOCK + VECTOR, "there is room");
    let content = i64::from(u32::from_le_bytes([a, b, c, 0]));
    let wanted = _mm256_set1_epi8(character.cast_signed());
    let mut at = 0;
    for block in blocks {
        let (halves, _) = block.as_chunks::<{ BLOCK / 2 }>();
        // SAFETY: each half has 32 bytes.
        let halves = [0, 1].map(|half| unsafe { _mm256_loadu_si256(halves[half].as_ptr().cast()) });
        let [low, high] = halves.map(|half| {
            let found = _mm256_movemask_epi8(_mm256_cmpeq_epi8(half, wanted));
            u64::from(found.cast_unsigned())
        });
        let found = low | high << 32;
        if found == 0 {
            for (nth, half) in halves.into_iter().enumerate() {
                // SAFETY: no block before has become more than three times as long, and there is room for as many.
                unsafe { _mm256_storeu_si256(to.as_mut_ptr().add(at + 32 * nth).cast(), half) };
            }
            at += BLOCK;
            continue;
        }
        let (eights, _) = block.as_chunks::<EIGHT>();
        for (eight, bits) in eights.iter().zip(found.to_le_bytes()) {
            let own = _mm_set_epi64x(content, i64::from_le_bytes(*eight));
            let moves = &MOVES[usize::from(bits)];
            let length = EIGHT + 2 * bits.count_ones() as usize;
            let mut put = |from: usize| {
                // SAFETY: there are 32 bytes.
                let moves = unsafe { _mm_loadu_si128(moves.as_ptr().add(from).cast()) };
                let all = _mm_shuffle_epi8(own, moves);
                // SAFETY: what was before is at most three times as long as its text, and behind all is room for a vector.
                unsafe { _mm_storeu_si128(to.as_mut_ptr().add(at + from).cast(), all) };
            };
            put(0);
            if length > VECTOR {
                put(VECTOR);
            }
            at += length;
        }
    }
    at
}
