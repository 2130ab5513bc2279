//! Vectors of 32 bytes: two words in each, and two of them together.
//!
//! There is no product of 64 bits. The lower half of one is made of three products of 32, of which two count
//! in its upper half alone.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm_castsi128_ps, _mm_cmpeq_epi32, _mm_cvtsi32_si128,
    _mm_loadu_si128, _mm_min_epu32, _mm_movemask_epi8, _mm_movemask_ps, _mm_or_si128,
    _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32, _mm_storeu_si128, _mm_sub_epi32,
    _mm_xor_si128, _mm256_add_epi32, _mm256_add_epi64, _mm256_castsi128_si256,
    _mm256_castsi256_si128, _mm256_inserti128_si256, _mm256_loadu_si256, _mm256_mul_epu32,
    _mm256_mullo_epi32, _mm256_permutevar8x32_epi32, _mm256_setr_epi32, _mm256_shuffle_epi32,
    _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_storeu_si256,
    _mm256_unpacklo_epi64,
};

use super::FOUR;
use crate::arch::append::Packed;
use crate::arch::keys::{Key, MAX_WORD, MIXED, PADDING, Slot, Spans, WHOLE};

/// The sixteen bytes of a word.
const WIDTH: usize = 16;

/// Makes keys and places of the first words, as many as are a multiple of four, up to one that has
/// no sixteen bytes in the text; returns how many.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(in super::super) fn keys(
    spans: Spans,
    bits: u32,
    keys: &mut [Key],
    places: &mut [u32],
) -> usize {
    if spans.parts.is_empty() {
        keys_of::<false>(spans, bits, keys, places)
    } else {
        keys_of::<true>(spans, bits, keys, places)
    }
}

/// The same where there are parts of words, or none.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn keys_of<const PARTS: bool>(
    spans: Spans,
    bits: u32,
    keys: &mut [Key],
    places: &mut [u32],
) -> usize {
    let Spans { text, starts, ends, parts } = spans;
    let Some(last) = text.len().checked_sub(WIDTH) else { return 0 };
    let last = _mm_set1_epi32(u32::try_from(last).unwrap_or(u32::MAX).cast_signed());
    let longest = _mm_set1_epi32((MAX_WORD as u32 + 1).cast_signed());
    let mix = [MIXED, MIXED];
    // SAFETY: the array has 32 bytes.
    let mix = unsafe { _mm256_loadu_si256(mix.as_ptr().cast()) };
    let down = _mm_cvtsi32_si128((64 - bits).cast_signed());
    let in_order = _mm256_setr_epi32(0, 4, 2, 6, 0, 0, 0, 0);
    let (starts, _) = starts.as_chunks::<FOUR>();
    let (ends, _) = ends.as_chunks::<FOUR>();
    let (keys, _) = keys.as_chunks_mut::<FOUR>();
    let (places, _) = places.as_chunks_mut::<FOUR>();
    let (parts, _) = parts.as_chunks::<FOUR>();
    for index in 0..starts.len() {
        let (from, to) = (four(&starts[index]), four(&ends[index]));
        if _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_min_epu32(from, last), from)) != 0xFFFF {
            return FOUR * index;
        }
        let mut lengths = [0_u32; FOUR];
        // SAFETY: there is room for four numbers.
        unsafe {
            let lengths_of = _mm_min_epu32(_mm_sub_epi32(to, from), longest);
            _mm_storeu_si128(lengths.as_mut_ptr().cast(), lengths_of);
        }
        let parts = parts.get(index).copied().unwrap_or_default();
        let own: [__m128i; FOUR] = std::array::from_fn(|at| {
            // SAFETY: each begins so far before the text's end that sixteen bytes are there.
            let bytes =
                unsafe { _mm_loadu_si128(text.as_ptr().add(starts[index][at] as usize).cast()) };
            let key = _mm_or_si128(bytes, number(&PADDING[lengths[at] as usize]));
            if !PARTS {
                return key;
            }
            // not where it is too long or empty
            let is_word = (lengths[at].wrapping_sub(1) as usize) < MAX_WORD;
            _mm_xor_si128(key, number(&[0, WHOLE][usize::from(parts[at] & is_word)]))
        });
        let pairs = [two(own[0], own[1]), two(own[2], own[3])];
        let (halves, _) = keys[index].as_chunks_mut::<2>();
        for (room, pair) in halves.iter_mut().zip(pairs) {
            // SAFETY: there is room for two keys.
            unsafe { _mm256_storeu_si256(room.as_mut_ptr().cast(), pair) };
        }
        let [low, high] = pairs.map(|pair| _mm256_srl_epi64(mixed(pair, mix), down));
        let all = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(low, high), in_order);
        // SAFETY: there is room for four places.
        unsafe {
            let room = places[index].as_mut_ptr();
            _mm_storeu_si128(room.cast(), _mm256_castsi256_si128(all));
        }
    }
    FOUR * starts.len()
}

/// The numbers from 0 to 3 that are not in each set of them, in order.
static OTHERS: [[u32; FOUR]; 16] = {
    let mut others = [[0; FOUR]; 16];
    let mut set = 0;
    while set < others.len() {
        let (mut number, mut count) = (0, 0);
        while number < FOUR {
            if set >> number & 1 == 0 {
                others[set][count] = number as u32;
                count += 1;
            }
            number += 1;
        }
        set += 1;
    }
    others
};

/// Compares the first keys, as many as are a multiple of four, up to one whose place is not in the
/// table; returns how many, and how many of them are missing.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(in super::super) fn compare(
    slots: &[Slot],
    keys: &[Key],
    places: &[u32],
    values: &mut [Packed],
    missing: &mut [u32],
) -> (usize, usize) {
    let Some(last) = slots.len().checked_sub(1) else { return (0, 0) };
    let last = _mm_set1_epi32(u32::try_from(last).unwrap_or(u32::MAX).cast_signed());
    let (keys, _) = keys.as_chunks::<FOUR>();
    let (places, _) = places.as_chunks::<FOUR>();
    let (values, _) = values.as_chunks_mut::<FOUR>();
    let (mut found, mut first) = (0, _mm_set1_epi32(0));
    for index in 0..keys.len() {
        let all = four(&places[index]);
        if _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_min_epu32(all, last), all)) != 0xFFFF {
            return (FOUR * index, found);
        }
        let same: [__m128i; FOUR] = std::array::from_fn(|at| {
            // SAFETY: each place is in the table.
            let slot = unsafe { slots.get_unchecked(places[index][at] as usize) };
            values[index][at] = slot[1];
            _mm_cmpeq_epi32(number(&slot[0]), number(&keys[index][at]))
        });
        let pairs = [_mm_packs_epi32(same[0], same[1]), _mm_packs_epi32(same[2], same[3])];
        // four bytes for each key, all of them set where it is the same
        let same = _mm_cmpeq_epi32(_mm_packs_epi16(pairs[0], pairs[1]), _mm_set1_epi32(-1));
        let same = _mm_movemask_ps(_mm_castsi128_ps(same)) as usize;
        // no more are missing than were compared
        let room: &mut [u32; FOUR] = missing[found..].first_chunk_mut().expect("there is room");
        // SAFETY: there is room for four numbers.
        unsafe {
            let others = _mm_add_epi32(four(&OTHERS[same & 15]), first);
            _mm_storeu_si128(room.as_mut_ptr().cast(), others);
        }
        found += FOUR - same.count_ones() as usize;
        first = _mm_add_epi32(first, _mm_set1_epi32((FOUR as u32).cast_signed()));
    }
    (FOUR * keys.len(), found)
}

/// The sum of the products of both halves of each key, twice.
#[inline]
#[target_feature(enable = "avx2")]
fn mixed(keys: __m256i, mix: __m256i) -> __m256i {
    let across = _mm256_mullo_epi32(keys, _mm256_shuffle_epi32::<0xB1>(mix));
    let across = _mm256_add_epi32(across, _mm256_srli_epi64::<32>(across));
    let products = _mm256_add_epi64(_mm256_mul_epu32(keys, mix), _mm256_slli_epi64::<32>(across));
    _mm256_add_epi64(products, _mm256_shuffle_epi32::<0x4E>(products))
}

#[inline]
#[target_feature(enable = "avx2")]
fn two(first: __m128i, second: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second)
}

#[inline]
#[target_feature(enable = "sse2")]
fn number(number: &u128) -> __m128i {
    // SAFETY: a number has sixteen bytes.
    unsafe { _mm_loadu_si128(std::ptr::from_ref(number).cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn four(numbers: &[u32; FOUR]) -> __m128i {
    // SAFETY: four numbers are sixteen bytes.
    unsafe { _mm_loadu_si128(numbers.as_ptr().cast()) }
}
