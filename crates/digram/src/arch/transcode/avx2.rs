//! The bytes of eight code points at once, of which those that do not count are shuffled away; of
//! sixteen, where all are of two bytes at most.
//!
//! How long four code points are takes eight bits, and those tell the shuffle; eight short ones, too.

#![expect(unsafe_code, reason = "loads and stores of vectors")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadl_epi64, _mm_loadu_si128, _mm_shuffle_epi8, _mm_storeu_si128,
    _mm256_and_si256, _mm256_blendv_epi8, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cmpeq_epi32, _mm256_cmpgt_epi16, _mm256_cmpgt_epi32, _mm256_cvtepu8_epi16,
    _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_max_epu32, _mm256_movemask_epi8, _mm256_movemask_ps, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_packus_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_setzero_si256, _mm256_slli_epi16, _mm256_slli_epi32, _mm256_srli_epi16,
    _mm256_srli_epi32, _mm256_storeu_si256, _mm256_testz_si256,
};

use super::Unit;
use crate::arch::x86_64::bits::places;

/// Code points in a register.
const LANES: usize = 8;
/// Code points that are looked at together, whether they are ASCII.
const QUAD: usize = 4 * LANES;
/// Short ones in a register.
const SHORT: usize = 2 * LANES;
/// Code points in half a register, and the most bytes that they become.
const HALF: usize = LANES / 2;
const HALF_BYTES: usize = 4 * HALF;

/// Which bytes of four code points count, together, by how many do of each: less one, the lower bits
/// of these numbers and then the upper ones.
const COUNTED: [[u8; HALF_BYTES]; 256] = {
    let (mut all, mut lengths) = ([[0; HALF_BYTES]; 256], 0);
    while lengths < all.len() {
        all[lengths] = places(bytes_of(lengths));
        lengths += 1;
    }
    all
};

/// How many these are.
const COUNTS: [u8; 256] = {
    let (mut counts, mut lengths) = ([0; 256], 0);
    while lengths < counts.len() {
        counts[lengths] = bytes_of(lengths).count_ones() as u8;
        lengths += 1;
    }
    counts
};

/// A bit for each byte that counts.
const fn bytes_of(lengths: usize) -> usize {
    let (mut bytes, mut lane) = (0, 0);
    while lane < HALF {
        let length = 1 + (lengths >> lane & 1) + 2 * (lengths >> (HALF + lane) & 1);
        bytes |= ((1 << length) - 1) << (4 * lane);
        lane += 1;
    }
    bytes
}

/// Which bytes of eight code points of two bytes at most count, by which of them have two.
const COUNTED_OF_TWO: [[u8; HALF_BYTES]; 256] = {
    let (mut all, mut longer) = ([[0; HALF_BYTES]; 256], 0);
    while longer < all.len() {
        let (mut bytes, mut lane) = (0, 0);
        while lane < LANES {
            bytes |= (1 + 2 * (longer >> lane & 1)) << (2 * lane);
            lane += 1;
        }
        all[longer] = places(bytes);
        longer += 1;
    }
    all
};

pub trait Load: Sized {
    /// Eight units, each in 32 bits.
    ///
    /// # Safety
    /// The machine has AVX2.
    unsafe fn widen(units: &[Self; LANES]) -> __m256i;

    /// Sixteen units, each in 16 bits; `None` where one has no room in eleven, and so more than two
    /// bytes.
    ///
    /// # Safety
    /// The machine has AVX2.
    unsafe fn short(units: &[Self; SHORT]) -> Option<__m256i>;

    /// Writes 32 units as a byte each; false where one has no room in seven bits, and then
    /// anything is written.
    ///
    /// # Safety
    /// The machine has AVX2.
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool;
}

impl Load for u8 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(units: &[Self; LANES]) -> __m256i {
        // SAFETY: the array is 8 bytes.
        _mm256_cvtepu8_epi32(unsafe { _mm_loadl_epi64(units.as_ptr().cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn short(units: &[Self; SHORT]) -> Option<__m256i> {
        // SAFETY: the array is 16 bytes.
        Some(_mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(units.as_ptr().cast()) }))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        *bytes = *units;
        _mm256_movemask_epi8(load(units)) == 0
    }
}

impl Load for u16 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(units: &[Self; LANES]) -> __m256i {
        // SAFETY: the array is 16 bytes.
        _mm256_cvtepu16_epi32(unsafe { _mm_loadu_si128(units.as_ptr().cast()) })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn short(units: &[Self; SHORT]) -> Option<__m256i> {
        let units = load(units);
        (_mm256_testz_si256(units, _mm256_set1_epi16(!0x7FF)) != 0).then_some(units)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        let (units, _) = units.as_chunks::<{ QUAD / 2 }>();
        let (a, b) = (load(&units[0]), load(&units[1]));
        store(bytes, _mm256_permute4x64_epi64::<0xD8>(_mm256_packus_epi16(a, b)));
        _mm256_testz_si256(_mm256_or_si256(a, b), _mm256_set1_epi16(!0x7F)) != 0
    }
}

impl Load for u32 {
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn widen(units: &[Self; LANES]) -> __m256i {
        load(units)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn short(units: &[Self; SHORT]) -> Option<__m256i> {
        let (units, _) = units.as_chunks::<LANES>();
        let (a, b) = (load(&units[0]), load(&units[1]));
        let any = _mm256_or_si256(a, b);
        let in_order = _mm256_permute4x64_epi64::<0xD8>(_mm256_packus_epi32(a, b));
        (_mm256_testz_si256(any, _mm256_set1_epi32(!0x7FF)) != 0).then_some(in_order)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        let (units, _) = units.as_chunks::<LANES>();
        let (a, b, c, d) = (load(&units[0]), load(&units[1]), load(&units[2]), load(&units[3]));
        let packed = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
        let in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
        store(bytes, _mm256_permutevar8x32_epi32(packed, in_order));
        let any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
        _mm256_testz_si256(any, _mm256_set1_epi32(!0x7F)) != 0
    }
}

/// Units of 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn load<T: Copy, const COUNT: usize>(units: &[T; COUNT]) -> __m256i {
    const { assert!(size_of::<[T; COUNT]>() == size_of::<__m256i>()) };
    // SAFETY: the array is 32 bytes.
    unsafe { _mm256_loadu_si256(units.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(bytes: &mut [u8; QUAD], vector: __m256i) {
    // SAFETY: the array is 32 bytes.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), vector) };
}

/// Writes the UTF-8 of a chunk, as [`portable`](super::portable) does.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) fn chunk<U: Unit>(units: &[U], room: &mut [u8]) -> Option<usize> {
    let (mut written, mut fails) = (0, _mm256_setzero_si256());
    let (quads, rest) = units.as_chunks::<QUAD>();
    for quad in quads {
        let bytes = room[written..].first_chunk_mut().expect("four bytes a unit are there");
        // SAFETY: the features of this function are those that it asks for.
        if unsafe { <U as Load>::narrow(quad, bytes) } {
            written += QUAD;
            continue;
        }
        for some in quad.as_chunks::<SHORT>().0 {
            // SAFETY: as above.
            if let Some(short) = unsafe { <U as Load>::short(some) } {
                written += short_lanes(short, &mut room[written..]);
                continue;
            }
            for units in some.as_chunks::<LANES>().0 {
                written += lanes(units, &mut room[written..], &mut fails);
            }
        }
    }
    let (eights, rest) = rest.as_chunks::<LANES>();
    for units in eights {
        written += lanes(units, &mut room[written..], &mut fails);
    }
    if !rest.is_empty() {
        // zeros, which are a byte each
        let mut padded = [U::default(); LANES];
        padded[..rest.len()].copy_from_slice(rest);
        written += lanes(&padded, &mut room[written..], &mut fails) - (LANES - rest.len());
    }
    let fails = _mm256_testz_si256(fails, fails) == 0;
    (!fails).then_some(written)
}

/// Writes eight code points, and returns how many bytes they are; `room` has 32 at least.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn lanes<U: Unit>(units: &[U; LANES], room: &mut [u8], fails: &mut __m256i) -> usize {
    let all = _mm256_set1_epi32;
    let or = |a, b| _mm256_or_si256(a, b);
    // SAFETY: the features of this function are those of the load.
    let c = unsafe { <U as Load>::widen(units) };
    let tail = |bits| or(_mm256_and_si256(bits, all(0x3F)), all(0x80));
    let (t0, t6) = (tail(c), tail(_mm256_srli_epi32::<6>(c)));
    let two = or(or(_mm256_srli_epi32::<6>(c), all(0xC0)), _mm256_slli_epi32::<8>(t0));
    let longer = _mm256_cmpgt_epi32(c, all(0x7F));
    let mut bytes = _mm256_blendv_epi8(c, two, longer);
    let [mut lower, mut upper] = [bits(longer), 0];
    if size_of::<U>() > 1 {
        let surrogates = _mm256_cmpeq_epi32(_mm256_and_si256(c, all(!0x7FF)), all(0xD800));
        *fails = or(*fails, surrogates);
        let lead = or(_mm256_srli_epi32::<12>(c), all(0xE0));
        let three = or(or(lead, _mm256_slli_epi32::<8>(t6)), _mm256_slli_epi32::<16>(t0));
        let longer = _mm256_cmpgt_epi32(c, all(0x7FF));
        bytes = _mm256_blendv_epi8(bytes, three, longer);
        (lower, upper) = (lower ^ bits(longer), bits(longer));
    }
    if size_of::<U>() > 2 {
        let beyond = all(0x11_0000);
        *fails = or(*fails, _mm256_cmpeq_epi32(_mm256_max_epu32(c, beyond), c));
        let lead = or(_mm256_srli_epi32::<18>(c), all(0xF0));
        let t12 = tail(_mm256_srli_epi32::<12>(c));
        let four = or(lead, _mm256_slli_epi32::<8>(t12));
        let four = or(four, or(_mm256_slli_epi32::<16>(t6), _mm256_slli_epi32::<24>(t0)));
        let longer = _mm256_cmpgt_epi32(c, all(0xFFFF));
        bytes = _mm256_blendv_epi8(bytes, four, longer);
        lower ^= bits(longer);
    }
    let lengths = [lower & 0xF | (upper & 0xF) << HALF, lower >> HALF | upper & 0xF0];
    let halves = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)];
    let mut written = 0;
    for (half, lengths) in halves.into_iter().zip(lengths) {
        write(half, &COUNTED[lengths], &mut room[written..]);
        written += usize::from(COUNTS[lengths]);
    }
    written
}

/// Writes sixteen code points of two bytes at most, and returns how many bytes they are; `room` has 32 at
/// least.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn short_lanes(c: __m256i, room: &mut [u8]) -> usize {
    let all = _mm256_set1_epi16;
    let lead = _mm256_or_si256(_mm256_srli_epi16::<6>(c), all(0xC0));
    let tail = _mm256_or_si256(_mm256_and_si256(c, all(0x3F)), all(0x80));
    let two = _mm256_or_si256(lead, _mm256_slli_epi16::<8>(tail));
    let longer = _mm256_cmpgt_epi16(c, all(0x7F));
    let bytes = _mm256_blendv_epi8(c, two, longer);
    // a byte for each: those of the lower half, and sixteen bytes behind them those of the upper
    let longer = _mm256_movemask_epi8(_mm256_packs_epi16(longer, longer)).cast_unsigned();
    let halves = [_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes)];
    let mut written = 0;
    for (half, longer) in halves.into_iter().zip([longer & 0xFF, longer >> 16 & 0xFF]) {
        write(half, &COUNTED_OF_TWO[longer as usize], &mut room[written..]);
        written += LANES + longer.count_ones() as usize;
    }
    written
}

/// Writes the bytes that count, and behind them anything; `room` has sixteen at least.
#[inline]
#[target_feature(enable = "avx2")]
fn write(bytes: __m128i, counted: &[u8; HALF_BYTES], room: &mut [u8]) {
    let room: &mut [u8; HALF_BYTES] = room.first_chunk_mut().expect("there is room for all");
    // SAFETY: both arrays are 16 bytes.
    unsafe {
        let counted = _mm_loadu_si128(counted.as_ptr().cast());
        _mm_storeu_si128(room.as_mut_ptr().cast(), _mm_shuffle_epi8(bytes, counted));
    }
}

/// A bit for each lane that is all ones.
#[inline]
#[target_feature(enable = "avx2")]
fn bits(lanes: __m256i) -> usize {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)).cast_unsigned() as usize
}
