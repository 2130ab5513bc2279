//! Ids of twenty bits, as numbers of 32.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_set1_epi32, _mm256_setr_epi32, _mm256_shuffle_epi8, _mm256_srlv_epi32,
    _mm256_storeu_si256,
};

use crate::arch::append::{MOST, Packed, count};

/// Where the four bytes are that hold each id; each half of a vector has all bytes. (What
/// the last two take does not count.)
const BYTES: [u8; 32] = {
    let (mut bytes, firsts) = ([0; 32], [0, 2, 5, 7, 10, 12, 0, 0]);
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = firsts[at / 4] + at as u8 % 4;
        at += 1;
    }
    bytes
};

/// Appends the ids of each word to a list.
#[target_feature(enable = "avx2")]
pub(super) fn sixes(ids: &mut Vec<u32>, words: &[Packed]) {
    // SAFETY: the array has 32 bytes.
    let bytes = unsafe { _mm256_loadu_si256(BYTES.as_ptr().cast()) };
    // every other id begins in the middle of a byte
    let by = _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 0);
    let own = _mm256_set1_epi32(0xF_FFFF);
    ids.reserve(MOST * words.len());
    let mut length = ids.len();
    let room = ids.as_mut_ptr();
    let mut add = |word: &Packed| {
        // SAFETY: a number has sixteen bytes.
        let packed = unsafe { _mm_loadu_si128(std::ptr::from_ref(word).cast()) };
        let spread = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(packed), bytes);
        let lanes = _mm256_and_si256(_mm256_srlv_epi32(spread, by), own);
        // SAFETY: there is room for so many more of each word, and no word counts for more.
        unsafe { _mm256_storeu_si256(room.add(length).cast(), lanes) };
        length = length.wrapping_add(count(*word));
    };
    let (fours, rest) = words.as_chunks::<4>();
    for four in fours {
        four.iter().for_each(&mut add);
    }
    rest.iter().for_each(add);
    // SAFETY: all before has been written, and there is room for it.
    unsafe { ids.set_len(length) };
}
