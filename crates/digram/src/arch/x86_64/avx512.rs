//! Vectors of 64 bytes: one permutation looks up a block's classes, one compression its bits.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    __m512i, _mm_extract_epi8, _mm512_add_epi32, _mm512_and_si512, _mm512_castsi512_si128,
    _mm512_cmpeq_epi8_mask, _mm512_cmpge_epu8_mask, _mm512_cmpgt_epu8_mask, _mm512_cmple_epu8_mask,
    _mm512_cmplt_epu8_mask, _mm512_cvtepu8_epi32, _mm512_extracti32x4_epi32, _mm512_loadu_si512,
    _mm512_mask_mov_epi8, _mm512_maskz_compress_epi8, _mm512_maskz_mov_epi8,
    _mm512_maskz_permutexvar_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi8,
    _mm512_set1_epi8, _mm512_set1_epi32, _mm512_slli_epi16, _mm512_storeu_si512, _mm512_sub_epi8,
    _mm512_test_epi8_mask,
};

use super::super::generic::{self, Spread};
use super::MOST_STRETCHES;
use crate::arch::{BLOCK, Classes, Masks, Work, class};

/// Does some work, with these instructions for what is inlined.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn compiled<W: Work>(work: W) -> W::Done {
    work.work()
}

/// Adds the masks of each block of `bytes`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let (low, high) = classes.ascii.split_at(BLOCK);
    let (low, high) = (load(chunk(low)), load(chunk(high)));
    let previous: [u8; BLOCK] = std::array::from_fn(|at| (at as u8).wrapping_sub(1) & 63);
    let previous = load(&previous);
    let mut before = before.cast_signed();
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = &bytes[block * BLOCK..];
        let own = load(chunk(bytes));
        let mut of_bytes = _mm512_permutex2var_epi8(low, own, high);
        let multibyte = _mm512_movepi8_mask(own);
        let mut inner = 0;
        if multibyte != 0 {
            inner = multibyte & !test(own, 0x40);
            let wide = wide(classes, generic::chunk(bytes), own, multibyte & !inner);
            // a character's class goes from its first byte to the others
            let begun = _mm512_mask_mov_epi8(wide, carried(inner), _mm512_set1_epi8(before));
            let second = _mm512_maskz_permutexvar_epi8(inner & !carried(inner), previous, begun);
            let two = _mm512_or_si512(begun, second);
            let rest = inner & !carried(inner);
            let third = _mm512_maskz_permutexvar_epi8(rest, previous, two);
            let fourth = _mm512_maskz_permutexvar_epi8(rest, previous, third);
            let all = _mm512_or_si512(_mm512_or_si512(two, third), fourth);
            before = _mm_extract_epi8::<15>(_mm512_extracti32x4_epi32::<3>(all)) as i8;
            of_bytes = _mm512_mask_mov_epi8(of_bytes, multibyte, all);
        }
        *masks = Masks {
            letter: test(of_bytes, class::LETTER),
            number: test(of_bytes, class::NUMBER),
            blank: test(of_bytes, class::BLANK),
            newline: test(of_bytes, class::NEWLINE),
            space: test(of_bytes, class::SPACE),
            quote: test(of_bytes, class::QUOTE),
            upper: test(of_bytes, class::UPPER),
            caseless: test(of_bytes, class::CASELESS),
            inner,
        };
    }
}

/// The bytes that go on with a character from before the block.
#[inline]
fn carried(inner: u64) -> u64 {
    inner & !inner.wrapping_add(1)
}

/// The classes of multi-byte characters, at the bytes that they begin with; 0 elsewhere.
///
/// Han and Hangul are a class each. The others come in stretches of 128 code points, which have
/// all bytes but the last in common, and one bit: what stands in one is looked up together, and
/// a text has few of them. Four-byte characters, and what is left then, are looked up one by one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn wide(classes: &Classes, bytes: &Spread, own: __m512i, leads: u64) -> __m512i {
    let (second, third) = (load(chunk(&bytes[1..])), load(chunk(&bytes[2..])));
    let letters = leads & ideographs_and_syllables(own, second);
    let caseless = _mm512_set1_epi8((class::LETTER | class::CASELESS).cast_signed());
    let mut found = _mm512_maskz_mov_epi8(letters, caseless);
    let four = _mm512_cmpge_epu8_mask(own, byte(0xF0));
    let mut left = leads & !letters & !four;
    for _ in 0..MOST_STRETCHES {
        if left == 0 {
            break;
        }
        let at = left.trailing_zeros() as usize;
        let (first, next) = (bytes[at], bytes[at + 1]);
        let (same, places) = if first < 0xE0 {
            let same = _mm512_cmpeq_epi8_mask(even(own), byte(first & 0xFE));
            (same, within(own, second))
        } else {
            let same = _mm512_cmpeq_epi8_mask(own, byte(first))
                & _mm512_cmpeq_epi8_mask(even(second), byte(next & 0xFE));
            (same, within(second, third))
        };
        let page = generic::first_page(first, next);
        let leaf = |page: usize| load(&classes.leaves[usize::from(classes.pages[page])]);
        let classes = _mm512_permutex2var_epi8(leaf(page), places, leaf(page + 1));
        found = _mm512_mask_mov_epi8(found, same & left, classes);
        left &= !same;
    }
    left |= leads & four;
    if left != 0 {
        found = _mm512_or_si512(found, load(&generic::classes_of(classes, bytes, left)));
    }
    found
}

/// Where characters begin that are letters without case, one like the other: U+4000 to U+9FFF
/// without the hexagrams, and U+AC00 to U+D77F.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn ideographs_and_syllables(own: __m512i, second: __m512i) -> u64 {
    let range = _mm512_cmple_epu8_mask(_mm512_sub_epi8(own, byte(0xE4)), byte(0xED - 0xE4));
    let is = |first: u8| _mm512_cmpeq_epi8_mask(own, byte(first));
    let hexagrams = is(0xE4) & _mm512_cmpeq_epi8_mask(second, byte(0xB7));
    let before = is(0xEA) & _mm512_cmplt_epu8_mask(second, byte(0xB0));
    let behind = is(0xED) & _mm512_cmpgt_epu8_mask(second, byte(0x9D));
    range & !(hexagrams | before | behind)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn byte(value: u8) -> __m512i {
    _mm512_set1_epi8(value.cast_signed())
}

/// The bytes without their lowest bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn even(bytes: __m512i) -> __m512i {
    _mm512_and_si512(bytes, byte(0xFE))
}

/// Places in a stretch: the lowest bit of the last byte but one, and six of the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn within(bytes: __m512i, last: __m512i) -> __m512i {
    let high = _mm512_and_si512(_mm512_slli_epi16::<6>(bytes), byte(0x40));
    _mm512_or_si512(high, _mm512_and_si512(last, byte(0x3F)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn test(of_bytes: __m512i, bit: u8) -> u64 {
    _mm512_test_epi8_mask(of_bytes, _mm512_set1_epi8(bit.cast_signed()))
}

/// Writes the positions of the bits that are set.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn flatten(bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    let numbers: [u8; BLOCK] = std::array::from_fn(|at| at as u8);
    let numbers = load(&numbers);
    let (mut count, mut base) = (0, base);
    for &block in bits {
        let room = positions[count..].first_chunk_mut().expect("there is room for every bit");
        let own = block.count_ones() as usize;
        let within = _mm512_maskz_compress_epi8(block, numbers);
        let from = _mm512_set1_epi32(base.cast_signed());
        store::<0>(room, within, from);
        if own > 16 {
            store::<1>(room, within, from);
        }
        if own > 32 {
            store::<2>(room, within, from);
            store::<3>(room, within, from);
        }
        count += own;
        base += BLOCK as u32;
    }
    count
}

/// Widens the sixteen bytes of one quarter, adds `from` and stores them.
#[inline]
#[target_feature(enable = "avx512f")]
fn store<const QUARTER: i32>(room: &mut [u32; BLOCK], bytes: __m512i, from: __m512i) {
    let quarter = if QUARTER == 0 {
        _mm512_castsi512_si128(bytes)
    } else {
        _mm512_extracti32x4_epi32::<QUARTER>(bytes)
    };
    let wide = _mm512_add_epi32(_mm512_cvtepu8_epi32(quarter), from);
    let quarter = &mut room[16 * QUARTER.unsigned_abs() as usize..][..16];
    // SAFETY: the slice has sixteen numbers of four bytes, which is what is stored.
    unsafe { _mm512_storeu_si512(quarter.as_mut_ptr().cast(), wide) }
}

/// The first block of some bytes.
fn chunk(bytes: &[u8]) -> &[u8; BLOCK] {
    bytes.first_chunk().expect("the caller gives whole blocks")
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; BLOCK]) -> __m512i {
    // SAFETY: the array has 64 bytes, which is what is loaded.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
