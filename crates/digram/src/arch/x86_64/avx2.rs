//! Vectors of 32 bytes: two shuffles look up a half block's classes, by the halves of each byte.
//!
//! A class is a set of rows and columns in the table of ASCII: the digits are row 3, columns 0
//! to 9. A byte has the class if both of its halves do. The letters take two, rows 4 and 6 from
//! column 1 and rows 5 and 7 to column 10; capitals are letters without the bit for 32.

#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_slli_epi16,
    _mm256_srli_epi16,
};

use crate::arch::{BEHIND, BLOCK, Classes, Masks, generic};

/// Classes of ASCII as rows and columns: bits of the high half, then of the low half.
const RECTANGLES: [(u16, u16); 8] = [
    (1 << 4 | 1 << 6, 0xFFFE),   // letters to O
    (1 << 5 | 1 << 7, 0x07FF),   // letters from P
    (1 << 3, 0x03FF),            // numbers
    (1 << 0, 0x3E00),            // blanks but the space
    (1 << 0, 1 << 10 | 1 << 13), // newlines
    (1 << 2, 1 << 0),            // the space
    (1 << 2, 1 << 7),            // the quote
    (1 << 2, 1 << 15),           // the slash
];

/// For each value of a half, the classes that it allows.
const fn halves(high: bool) -> [u8; 16] {
    let mut table = [0; 16];
    let mut class = 0;
    while class < RECTANGLES.len() {
        let set = if high { RECTANGLES[class].0 } else { RECTANGLES[class].1 };
        let mut half = 0;
        while half < table.len() {
            table[half] |= ((set >> half & 1) as u8) << class;
            half += 1;
        }
        class += 1;
    }
    table
}

const HIGH: [u8; 16] = halves(true);
const LOW: [u8; 16] = halves(false);

/// Adds the masks of each block of `bytes`.
///
/// It is not inlined, for what follows is algebra on words, and the compiler would do that on
/// the vectors' lanes.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let (mut before, mut spread) = (before, [0; BLOCK + BEHIND]);
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = generic::chunk(&bytes[block * BLOCK..]);
        let halves = load(bytes);
        *masks = ascii(halves);
        let multibyte = top_bits(halves);
        if multibyte != 0 {
            let leads = multibyte & bit::<1>(halves);
            generic::write_classes(classes, bytes, leads, before, &mut spread);
            before = spread[BLOCK - 1];
            add_wide(masks, load(&spread), multibyte);
            masks.inner = multibyte & !leads;
        }
    }
}

/// Adds what the bytes of multi-byte characters are.
#[inline]
#[target_feature(enable = "avx2")]
fn add_wide(masks: &mut Masks, of_bytes: [__m256i; 2], multibyte: u64) {
    masks.letter |= bit::<7>(of_bytes) & multibyte;
    masks.number |= bit::<6>(of_bytes) & multibyte;
    masks.blank |= bit::<5>(of_bytes) & multibyte;
    masks.upper |= bit::<1>(of_bytes) & multibyte;
    masks.caseless |= top_bits(of_bytes) & multibyte;
}

/// The masks of those of 64 bytes that are characters.
#[inline]
#[target_feature(enable = "avx2")]
fn ascii(halves: [__m256i; 2]) -> Masks {
    let of_bytes = [rectangles(halves[0]), rectangles(halves[1])];
    let letter = bit::<7>(of_bytes) | bit::<6>(of_bytes);
    let space = bit::<2>(of_bytes);
    Masks {
        letter,
        number: bit::<5>(of_bytes),
        blank: bit::<4>(of_bytes) | space,
        newline: bit::<3>(of_bytes),
        space,
        quote: bit::<1>(of_bytes),
        upper: (letter & !bit::<2>(halves)) | top_bits(of_bytes),
        caseless: 0,
        inner: 0,
    }
}

/// Which rectangles each byte is in.
#[inline]
#[target_feature(enable = "avx2")]
fn rectangles(bytes: __m256i) -> __m256i {
    let nibbles = _mm256_set1_epi8(0x0F);
    let low = _mm256_and_si256(bytes, nibbles);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibbles);
    let low = _mm256_shuffle_epi8(table(&LOW), low);
    _mm256_and_si256(low, _mm256_shuffle_epi8(table(&HIGH), high))
}

/// One bit of each byte: the one that moving by `LEFT` brings to the top.
#[inline]
#[target_feature(enable = "avx2")]
fn bit<const LEFT: i32>([low, high]: [__m256i; 2]) -> u64 {
    top_bits([_mm256_slli_epi16::<LEFT>(low), _mm256_slli_epi16::<LEFT>(high)])
}

#[inline]
#[target_feature(enable = "avx2")]
fn top_bits([low, high]: [__m256i; 2]) -> u64 {
    let low = _mm256_movemask_epi8(low).cast_unsigned();
    let high = _mm256_movemask_epi8(high).cast_unsigned();
    u64::from(low) | u64::from(high) << 32
}

#[inline]
#[target_feature(enable = "avx2")]
fn table(table: &[u8; 16]) -> __m256i {
    // SAFETY: the array has 16 bytes, which is what is loaded.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(bytes: &[u8; BLOCK + BEHIND]) -> [__m256i; 2] {
    let (low, high) = bytes.split_at(BLOCK / 2);
    // SAFETY: both parts have 32 bytes or more, which is what is loaded.
    unsafe { [_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())] }
}

/// Writes the positions of the bits that are set.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn flatten(bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    generic::flatten(bits, base, positions)
}
