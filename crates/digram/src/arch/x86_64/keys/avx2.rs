//! Vectors of 32 bytes: two words in each, and two of them together.
//!
//! There is no product of 64 bits. The lower half of one is made of three products of 32, of which two count
//! in its upper half alone.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi32, _mm_and_si128, _mm_castsi128_ps, _mm_cmpeq_epi32,
    _mm_cvtepu8_epi32, _mm_cvtsi32_si128, _mm_loadl_epi64, _mm_loadu_si128, _mm_min_epu32,
    _mm_movemask_epi8, _mm_movemask_ps, _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32,
    _mm_setzero_si128, _mm_storeu_si128, _mm_sub_epi32, _mm256_add_epi32, _mm256_add_epi64,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_cmpgt_epi8, _mm256_cmpgt_epi32, _mm256_inserti128_si256, _mm256_loadu_si256,
    _mm256_mul_epu32, _mm256_mullo_epi32, _mm256_or_si256, _mm256_permutevar8x32_epi32,
    _mm256_setr_epi32, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_shuffle_epi32,
    _mm256_slli_epi64, _mm256_srl_epi64, _mm256_srli_epi64, _mm256_storeu_si256,
    _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::super::bits::PLACES;
use super::FOUR;
use crate::arch::append::Packed;
use crate::arch::keys::{Key, MAX_WORD, MIXED, Slot, Spans, WHOLE};
use crate::arch::prefetch::prefetch_at;

/// The sixteen bytes of a word.
const WIDTH: usize = 16;

/// Before so many times four keys are compared, the places of the next ones are asked for: by then the
/// third-level cache has answered, too, and the processor knows where in memory they lie.
const AHEAD: usize = 16;

/// The number of each byte in its word, from one on.
const NUMBERS: [u8; WIDTH] = {
    let (mut numbers, mut at) = ([0; WIDTH], 0);
    while at < WIDTH {
        numbers[at] = at as u8 + 1;
        at += 1;
    }
    numbers
};

/// The lowest byte of the first two and of the last two of four numbers, at all bytes of each word.
const LOWEST: [[u8; 2 * WIDTH]; 2] = {
    let (mut lowest, mut at) = ([[0; 2 * WIDTH]; 2], 0);
    while at < 2 * WIDTH {
        lowest[0][at] = (at / WIDTH * 4) as u8;
        lowest[1][at] = lowest[0][at] + 8;
        at += 1;
    }
    lowest
};

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
    let longest = _mm_set1_epi32((MAX_WORD as u32).cast_signed());
    let too_long = _mm_set1_epi32((MAX_WORD as u32 + 1).cast_signed());
    let mix =
        _mm256_broadcastsi128_si256(number(&(u128::from(MIXED[1]) << 64 | u128::from(MIXED[0]))));
    let numbers = _mm256_broadcastsi128_si256(number(&u128::from_le_bytes(NUMBERS)));
    // SAFETY: the arrays have 32 bytes.
    let lowest = LOWEST.map(|some| unsafe { _mm256_loadu_si256(some.as_ptr().cast()) });
    let whole = _mm256_broadcastsi128_si256(number(&WHOLE));
    let down = _mm_cvtsi32_si128((64 - bits).cast_signed());
    let starts = starts.as_chunks::<FOUR>().0;
    // as long as each other, so that no place in them is checked
    let count = starts.len();
    let ends = &ends.as_chunks::<FOUR>().0[..count];
    let keys = &mut keys.as_chunks_mut::<FOUR>().0[..count];
    let places = &mut places.as_chunks_mut::<FOUR>().0[..count];
    let parts = if PARTS { &parts.as_chunks::<FOUR>().0[..count] } else { &[] };
    for index in 0..count {
        let (from, to) = (four(&starts[index]), four(&ends[index]));
        if _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_min_epu32(from, last), from)) != 0xFFFF {
            return FOUR * index;
        }
        // those that are too long have no bytes of their own
        let lengths = _mm_and_si128(_mm_min_epu32(_mm_sub_epi32(to, from), too_long), longest);
        let lengths = _mm256_broadcastsi128_si256(lengths);
        let own: [__m128i; FOUR] = std::array::from_fn(|at| {
            // SAFETY: each begins so far before the text's end that sixteen bytes are there.
            unsafe { _mm_loadu_si128(text.as_ptr().add(starts[index][at] as usize).cast()) }
        });
        let mut found = [two(own[0], own[1]), two(own[2], own[3])];
        for (pair, lowest) in found.iter_mut().zip(lowest) {
            let padding = _mm256_cmpgt_epi8(numbers, _mm256_shuffle_epi8(lengths, lowest));
            *pair = _mm256_or_si256(*pair, padding);
        }
        if PARTS {
            let parts = parts_of_words(parts[index], lengths);
            for (pair, lowest) in found.iter_mut().zip(lowest) {
                let flags = _mm256_and_si256(whole, _mm256_shuffle_epi8(parts, lowest));
                *pair = _mm256_xor_si256(*pair, flags);
            }
        }
        let (halves, _) = keys[index].as_chunks_mut::<2>();
        for (room, pair) in halves.iter_mut().zip(found) {
            // SAFETY: there is room for two keys.
            unsafe { _mm256_storeu_si256(room.as_mut_ptr().cast(), pair) };
        }
        let all = places_of(found, mix, down);
        // SAFETY: there is room for four places.
        unsafe { _mm_storeu_si128(places[index].as_mut_ptr().cast(), all) };
    }
    FOUR * count
}

/// One for each word that is a part, but for those that are empty or too long.
#[inline]
#[target_feature(enable = "avx2")]
fn parts_of_words(parts: [bool; FOUR], lengths: __m256i) -> __m256i {
    let parts = i32::from_le_bytes(parts.map(u8::from));
    let parts = _mm256_broadcastsi128_si256(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(parts)));
    _mm256_and_si256(parts, _mm256_cmpgt_epi32(lengths, _mm256_setzero_si256()))
}

/// The places of four keys.
#[inline]
#[target_feature(enable = "avx2")]
fn places_of(keys: [__m256i; 2], mix: __m256i, down: __m128i) -> __m128i {
    let in_order = _mm256_setr_epi32(0, 4, 2, 6, 0, 0, 0, 0);
    let [low, high] = keys.map(|pair| _mm256_srl_epi64(mixed(pair, mix), down));
    let all = _mm256_permutevar8x32_epi32(_mm256_unpacklo_epi64(low, high), in_order);
    _mm256_castsi256_si128(all)
}

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
    // as long as each other, so that no place in them is checked
    let count = keys.len();
    let places = &places.as_chunks::<FOUR>().0[..count];
    let values = &mut values.as_chunks_mut::<FOUR>().0[..count];
    let missing = &mut missing[..FOUR * count];
    let (mut found, mut first) = (0, _mm_setzero_si128());
    for &place in places[..count.min(AHEAD)].as_flattened() {
        prefetch_at(slots.as_ptr().wrapping_add(place as usize));
    }
    for index in 0..count {
        let all = four(&places[index]);
        if _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_min_epu32(all, last), all)) != 0xFFFF {
            return (FOUR * index, found);
        }
        for &place in &places[(index + AHEAD).min(count - 1)] {
            prefetch_at(slots.as_ptr().wrapping_add(place as usize));
        }
        let same: [__m128i; FOUR] = std::array::from_fn(|at| {
            // SAFETY: each place is in the table.
            let slot = unsafe { slots.get_unchecked(places[index][at] as usize) };
            // SAFETY: there is room for a number.
            unsafe {
                let room: *mut Packed = &raw mut values[index][at];
                _mm_storeu_si128(room.cast(), number(&slot[1]));
            }
            _mm_cmpeq_epi32(number(&slot[0]), number(&keys[index][at]))
        });
        let pairs = [_mm_packs_epi32(same[0], same[1]), _mm_packs_epi32(same[2], same[3])];
        // four bytes for each key, all of them set where it is the same
        let same = _mm_cmpeq_epi32(_mm_packs_epi16(pairs[0], pairs[1]), _mm_set1_epi32(-1));
        let others = 0xF ^ (_mm_movemask_ps(_mm_castsi128_ps(same)).cast_unsigned() & 0xF);
        // SAFETY: the array has eight bytes.
        let numbers = unsafe { _mm_loadl_epi64(PLACES[others as usize].as_ptr().cast()) };
        let numbers = _mm_add_epi32(_mm_cvtepu8_epi32(numbers), first);
        debug_assert!(found <= FOUR * index);
        // SAFETY: no more are missing than were compared, and there is room for those and four.
        unsafe { _mm_storeu_si128(missing.as_mut_ptr().add(found).cast(), numbers) };
        found += others.count_ones() as usize;
        first = _mm_add_epi32(first, _mm_set1_epi32((FOUR as u32).cast_signed()));
    }
    (FOUR * count, found)
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
