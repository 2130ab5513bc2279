//! Keys of four words at a time, and four places of a table.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    __m128i, __m512i, _mm_add_epi32, _mm_cmpge_epu32_mask, _mm_cmplt_epu32_mask, _mm_cvtsi32_si128,
    _mm_loadu_si128, _mm_maskz_compress_epi32, _mm_maskz_mov_epi32, _mm_set1_epi32,
    _mm_storeu_si128, _mm_sub_epi32, _mm_test_epi32_mask, _mm512_add_epi64, _mm512_castsi128_si512,
    _mm512_castsi512_si128, _mm512_cmpge_epu8_mask, _mm512_cmpneq_epi64_mask, _mm512_inserti32x4,
    _mm512_loadu_si512, _mm512_mask_set1_epi8, _mm512_mask_xor_epi64, _mm512_mullo_epi64,
    _mm512_permutexvar_epi32, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8,
    _mm512_shuffle_epi32, _mm512_srl_epi64, _mm512_storeu_si512, _pdep_u32, _pext_u32,
};

use super::FOUR;
use crate::arch::append::Packed;
use crate::arch::keys::{Key, MAX_WORD, MIXED, Slot, Spans};

/// The sixteen bytes of a word.
const WIDTH: usize = 16;
/// The number of each byte in its word.
const NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut at = 0;
    while at < 64 {
        numbers[at] = (at % WIDTH) as u8;
        at += 1;
    }
    numbers
};
/// The number of the word that each four bytes belong to.
const OWN: [u32; 16] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
/// The first four bytes of each word.
const FIRSTS: [u32; 16] = [0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Makes keys and places of the first words, as many as are a multiple of four, up to one that has
/// no sixteen bytes in the text; returns how many.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2")]
pub(in super::super) fn keys(
    spans: Spans,
    bits: u32,
    keys: &mut [Key],
    places: &mut [u32],
) -> usize {
    let Spans { text, starts, ends, parts } = spans;
    let Some(last) = text.len().checked_sub(WIDTH) else { return 0 };
    let behind = _mm_set1_epi32(u32::try_from(last + 1).unwrap_or(u32::MAX).cast_signed());
    // the lowest byte of each length, sixteen times
    let (numbers, lowest) = (bytes(&NUMBERS), _mm512_setzero_si512());
    let (own, firsts) = (words(&OWN), words(&FIRSTS));
    let mix = [MIXED, MIXED, MIXED, MIXED];
    // SAFETY: the array has 64 bytes.
    let mix = unsafe { _mm512_loadu_si512(mix.as_ptr().cast()) };
    let down = _mm_cvtsi32_si128((64 - bits).cast_signed());
    let whole = _mm512_set1_epi64(1 << 56);
    let (starts, _) = starts.as_chunks::<FOUR>();
    let (ends, _) = ends.as_chunks::<FOUR>();
    let (keys, _) = keys.as_chunks_mut::<FOUR>();
    let (places, _) = places.as_chunks_mut::<FOUR>();
    let (parts, _) = parts.as_chunks::<FOUR>();
    for index in 0..starts.len() {
        let (from, to) = (four(&starts[index]), four(&ends[index]));
        if _mm_cmpge_epu32_mask(from, behind) != 0 {
            return FOUR * index;
        }
        // those that are too long have no bytes of their own
        let length = _mm_sub_epi32(to, from);
        let is_short =
            _mm_cmplt_epu32_mask(length, _mm_set1_epi32((MAX_WORD as u32 + 1).cast_signed()));
        let own_length = _mm_maskz_mov_epi32(is_short, length);
        let spread = _mm512_permutexvar_epi32(own, _mm512_castsi128_si512(own_length));
        let padding = _mm512_cmpge_epu8_mask(numbers, _mm512_shuffle_epi8(spread, lowest));
        // SAFETY: each begins so far before the text's end that sixteen bytes are there.
        let found = unsafe { gathered(starts[index].map(|at| text.as_ptr().add(at as usize))) };
        let mut found = _mm512_mask_set1_epi8(found, padding, -1);
        if let Some(parts) = parts.get(index) {
            // the upper half of each part that is short
            let parts = u32::from_le_bytes(parts.map(u8::from));
            let is_word = is_short & _mm_test_epi32_mask(length, length);
            let parts = _pext_u32(parts, 0x0101_0101) & u32::from(is_word);
            found = _mm512_mask_xor_epi64(found, _pdep_u32(parts, 0xAA) as u8, found, whole);
        }
        // SAFETY: there is room for four keys.
        unsafe { _mm512_storeu_si512(keys[index].as_mut_ptr().cast(), found) };
        let mixed = _mm512_mullo_epi64(found, mix);
        let sum = _mm512_add_epi64(mixed, _mm512_shuffle_epi32::<0x4E>(mixed));
        let places_of = _mm512_permutexvar_epi32(firsts, _mm512_srl_epi64(sum, down));
        // SAFETY: there is room for four places.
        unsafe {
            let room = places[index].as_mut_ptr();
            _mm_storeu_si128(room.cast(), _mm512_castsi512_si128(places_of));
        }
    }
    FOUR * starts.len()
}

/// Compares the first keys, as many as are a multiple of four, up to one whose place is not in the
/// table; returns how many, and how many of them are missing.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
pub(in super::super) fn compare(
    slots: &[Slot],
    keys: &[Key],
    places: &[u32],
    values: &mut [Packed],
    missing: &mut [u32],
) -> (usize, usize) {
    let behind = _mm_set1_epi32(u32::try_from(slots.len()).unwrap_or(u32::MAX).cast_signed());
    let (keys, _) = keys.as_chunks::<FOUR>();
    let (places, _) = places.as_chunks::<FOUR>();
    let (values, _) = values.as_chunks_mut::<FOUR>();
    let (mut found, mut numbers) = (0, four(&[0, 1, 2, 3]));
    for index in 0..keys.len() {
        if _mm_cmpge_epu32_mask(four(&places[index]), behind) != 0 {
            return (FOUR * index, found);
        }
        // SAFETY: each place is in the table.
        let slots = places[index].map(|place| unsafe { slots.as_ptr().add(place as usize) });
        // SAFETY: a slot begins with the sixteen bytes of a key.
        let there = unsafe { gathered(slots.map(<*const Slot>::cast)) };
        for (value, slot) in values[index].iter_mut().zip(slots) {
            // SAFETY: it is a slot of the table.
            *value = unsafe { (*slot)[1] };
        }
        // SAFETY: four keys are 64 bytes.
        let own = unsafe { _mm512_loadu_si512(keys[index].as_ptr().cast()) };
        let halves = u32::from(_mm512_cmpneq_epi64_mask(there, own));
        let others = _pext_u32(halves | halves >> 1, 0x55) as u8;
        // no more are missing than were compared
        let room: &mut [u32; FOUR] = missing[found..].first_chunk_mut().expect("there is room");
        // SAFETY: there is room for four numbers.
        unsafe {
            _mm_storeu_si128(room.as_mut_ptr().cast(), _mm_maskz_compress_epi32(others, numbers));
        }
        numbers = _mm_add_epi32(numbers, _mm_set1_epi32((FOUR as u32).cast_signed()));
        found += others.count_ones() as usize;
    }
    (FOUR * keys.len(), found)
}

/// Sixteen bytes from each of four places.
///
/// # Safety
/// So many bytes can be read at each.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn gathered(from: [*const u8; FOUR]) -> __m512i {
    // SAFETY: as the caller says.
    let [a, b, c, d] = from.map(|from| unsafe { _mm_loadu_si128(from.cast()) });
    let two = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
    _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(two, c), d)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the array has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn words(words: &[u32; 16]) -> __m512i {
    // SAFETY: the array has 64 bytes.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn four(numbers: &[u32; FOUR]) -> __m128i {
    // SAFETY: four numbers are sixteen bytes.
    unsafe { _mm_loadu_si128(numbers.as_ptr().cast()) }
}
