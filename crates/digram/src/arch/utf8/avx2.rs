//! The characters that begin in a block, sixteen at once, of what was found to be UTF-8.

#![expect(unsafe_code, reason = "loads and stores of vectors")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadl_epi64, _mm_loadu_si128, _mm_storeu_si128, _mm256_and_si256,
    _mm256_blendv_epi8, _mm256_castsi256_si128, _mm256_cmpgt_epi8, _mm256_cmpgt_epi32,
    _mm256_cvtepu8_epi16, _mm256_cvtepu8_epi32, _mm256_loadu_si256, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64,
    _mm256_set1_epi8, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_slli_epi32, _mm256_srli_epi32,
    _mm256_storeu_si256,
};

use super::{MaybeUninit, Unit, measure};

/// Bytes that are looked at together.
const BLOCK: usize = 64;
/// Characters that are put together at once: a block has so many.
const LANES: usize = 16;
/// Those of a register.
const HALF: usize = LANES / 2;

pub trait Store: Sized {
    /// Writes sixteen code points.
    ///
    /// # Safety
    /// The machine has AVX2.
    unsafe fn store(halves: [__m256i; 2], units: &mut [MaybeUninit<Self>; LANES]);

    /// Writes the bytes of a block as code points.
    ///
    /// # Safety
    /// The machine has AVX2.
    unsafe fn widen(block: &[u8; BLOCK], units: &mut [MaybeUninit<Self>; BLOCK]);
}

impl Store for u8 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store([low, high]: [__m256i; 2], units: &mut [MaybeUninit<Self>; LANES]) {
        let sixteen = in_order(_mm256_packus_epi32(low, high));
        let bytes = in_order(_mm256_packus_epi16(sixteen, sixteen));
        // SAFETY: the array is 16 bytes.
        unsafe { _mm_storeu_si128(units.as_mut_ptr().cast(), _mm256_castsi256_si128(bytes)) };
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(block: &[u8; BLOCK], units: &mut [MaybeUninit<Self>; BLOCK]) {
        *units = block.map(MaybeUninit::new);
    }
}

impl Store for u16 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store([low, high]: [__m256i; 2], units: &mut [MaybeUninit<Self>; LANES]) {
        let sixteen = in_order(_mm256_packus_epi32(low, high));
        // SAFETY: the array is 32 bytes.
        unsafe { _mm256_storeu_si256(units.as_mut_ptr().cast(), sixteen) };
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(block: &[u8; BLOCK], units: &mut [MaybeUninit<Self>; BLOCK]) {
        let (sixteens, _) = units.as_chunks_mut::<LANES>();
        for (units, bytes) in sixteens.iter_mut().zip(block.as_chunks::<LANES>().0) {
            // SAFETY: the arrays are 16 and 32 bytes.
            unsafe {
                let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
                _mm256_storeu_si256(units.as_mut_ptr().cast(), _mm256_cvtepu8_epi16(bytes));
            }
        }
    }
}

impl Store for u32 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(halves: [__m256i; 2], units: &mut [MaybeUninit<Self>; LANES]) {
        for (units, half) in units.as_chunks_mut::<HALF>().0.iter_mut().zip(halves) {
            // SAFETY: the array is 32 bytes.
            unsafe { _mm256_storeu_si256(units.as_mut_ptr().cast(), half) };
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(block: &[u8; BLOCK], units: &mut [MaybeUninit<Self>; BLOCK]) {
        let (eights, _) = units.as_chunks_mut::<HALF>();
        for (units, bytes) in eights.iter_mut().zip(block.as_chunks::<HALF>().0) {
            // SAFETY: the arrays are 8 and 32 bytes.
            unsafe {
                let bytes: __m128i = _mm_loadl_epi64(bytes.as_ptr().cast());
                _mm256_storeu_si256(units.as_mut_ptr().cast(), _mm256_cvtepu8_epi32(bytes));
            }
        }
    }
}

/// What two registers were packed into, in their order.
#[inline]
#[target_feature(enable = "avx2")]
fn in_order(packed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0xD8>(packed)
}

/// Writes the code points of bytes: see [`decode_some`](super::decode_some).
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn decode<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    simdutf8::basic::from_utf8(bytes).ok()?;
    let (mut read, mut written) = (0, 0);
    while read < bytes.len() {
        let mut padded = [0; BLOCK];
        let rest = &bytes[read..];
        let block = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let (ascii, begins) = masks(block);
        let begun = (ascii.trailing_ones() as usize).min(rest.len());
        if begun >= LANES
            && let Some(units) = units[written..].first_chunk_mut::<BLOCK>()
        {
            // what is behind the ASCII is written over
            // SAFETY: the features of this function are those that it asks for.
            unsafe { <U as Store>::widen(block, units) };
            (read, written) = (read + begun, written + begun);
            continue;
        }
        let (halves, length) = sixteen(block, begins);
        if let Some(units) = units[written..].first_chunk_mut()
            && length <= rest.len()
        {
            // SAFETY: the features of this function are those of the store.
            unsafe { <U as Store>::store(halves, units) };
            (read, written) = (read + length, written + LANES);
            continue;
        }
        let count = LANES.min(measure(rest).0);
        let mut lanes = [MaybeUninit::uninit(); LANES];
        // SAFETY: the features of this function are those of the store.
        unsafe { <U as Store>::store(halves, &mut lanes) };
        units[written..].get_mut(..count)?.copy_from_slice(&lanes[..count]);
        (read, written) = (read + length, written + count);
    }
    Some(written)
}

/// Which bytes of a block are ASCII, and at which characters begin.
#[inline]
#[target_feature(enable = "avx2")]
fn masks(block: &[u8; BLOCK]) -> (u64, u64) {
    // continuations are the least as signed numbers
    let continuation = _mm256_set1_epi8(0xBF_u8.cast_signed());
    let (mut ascii, mut begins) = (0, 0);
    for half in block.as_chunks::<{ BLOCK / 2 }>().0.iter().rev() {
        // SAFETY: the array is 32 bytes.
        let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
        let bits = |bytes| u64::from(_mm256_movemask_epi8(bytes).cast_unsigned());
        ascii = ascii << 32 | bits(bytes);
        begins = begins << 32 | bits(_mm256_cmpgt_epi8(bytes, continuation));
    }
    (!ascii, begins)
}

/// The first sixteen characters of a block, and how many bytes they have.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn sixteen(block: &[u8; BLOCK], begins: u64) -> ([__m256i; 2], usize) {
    let mut left = begins;
    let mut eight = || {
        let mut n = [0; HALF];
        for four in &mut n {
            // those before have four bytes at most
            let at = (left.trailing_zeros() as usize).min(BLOCK - 4);
            let bytes = [block[at], block[at + 1], block[at + 2], block[at + 3]];
            *four = u32::from_le_bytes(bytes).cast_signed();
            left &= left.wrapping_sub(1);
        }
        together(_mm256_setr_epi32(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7]))
    };
    let halves = [eight(), eight()];
    (halves, left.trailing_zeros() as usize)
}

/// The characters whose bytes these are, four for each.
#[inline]
#[target_feature(enable = "avx2")]
fn together(fours: __m256i) -> __m256i {
    let all = _mm256_set1_epi32;
    let or = |a, b| _mm256_or_si256(a, b);
    let and = |a, bits| _mm256_and_si256(a, all(bits));
    let first = and(fours, 0xFF);
    let second = and(_mm256_srli_epi32::<8>(fours), 0x3F);
    let third = and(_mm256_srli_epi32::<16>(fours), 0x3F);
    let fourth = and(_mm256_srli_epi32::<24>(fours), 0x3F);
    let two = or(_mm256_slli_epi32::<6>(and(first, 0x1F)), second);
    let three = or(_mm256_slli_epi32::<6>(second), third);
    let four = or(_mm256_slli_epi32::<6>(three), fourth);
    let three = or(_mm256_slli_epi32::<12>(and(first, 0x0F)), three);
    let four = or(_mm256_slli_epi32::<18>(and(first, 0x07)), four);
    let from = |least: i32| _mm256_cmpgt_epi32(first, all(least - 1));
    let two_or_less = _mm256_blendv_epi8(first, two, from(0x80));
    let three_or_less = _mm256_blendv_epi8(two_or_less, three, from(0xE0));
    _mm256_blendv_epi8(three_or_less, four, from(0xF0))
}
