//! Vectors of 64 bytes: one permutation looks up a block's classes, one compression its bits.

#![expect(unsafe_code, reason = "vectors are loaded and stored through pointers")]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_castsi512_si128, _mm512_cvtepu8_epi32,
    _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_mask_blend_epi8,
    _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use crate::arch::{BLOCK, Classes, Masks, class, generic};

/// Adds the masks of each block of `bytes`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let (low, high) = classes.ascii.split_at(BLOCK);
    let (low, high) = (load(chunk(low)), load(chunk(high)));
    let mut before = before;
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = &bytes[block * BLOCK..];
        let own = load(chunk(bytes));
        let mut of_bytes = _mm512_permutex2var_epi8(low, own, high);
        let multibyte = _mm512_movepi8_mask(own);
        let mut inner = 0;
        if multibyte != 0 {
            let leads = multibyte & test(own, 0x40);
            inner = multibyte & !leads;
            let spread = generic::spread(classes, bytes, leads, before);
            before = spread[BLOCK - 1];
            of_bytes = _mm512_mask_blend_epi8(multibyte, of_bytes, load(chunk(&spread)));
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
