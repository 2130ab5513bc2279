//! The bytes of sixteen code points at once, of which those that do not count are left out.

#![expect(unsafe_code, reason = "loads and stores of vectors")]

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256, _mm256_storeu_si256,
    _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmpge_epu32_mask, _mm512_cvtepi16_epi8,
    _mm512_cvtepi32_epi8, _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_loadu_si512,
    _mm512_mask_mov_epi32, _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32,
    _mm512_srli_epi32, _mm512_storeu_si512, _mm512_test_epi8_mask, _mm512_test_epi16_mask,
    _mm512_test_epi32_mask,
};

use super::{SLACK, Unit};

/// Code points in a register.
const LANES: usize = 16;
/// Code points that are looked at together, whether they are ASCII.
const QUAD: usize = 4 * LANES;

pub trait Load: Sized {
    /// Sixteen units, each in 32 bits.
    ///
    /// # Safety
    /// The machine has AVX-512F.
    unsafe fn widen(units: &[Self; LANES]) -> __m512i;

    /// Writes sixty-four units as a byte each; false where one has no room in seven bits, and
    /// then anything is written.
    ///
    /// # Safety
    /// The machine has AVX-512F and AVX-512BW.
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool;
}

impl Load for u8 {
    #[target_feature(enable = "avx512f")]
    unsafe fn widen(units: &[Self; LANES]) -> __m512i {
        // SAFETY: the array is 16 bytes.
        _mm512_cvtepu8_epi32(unsafe { _mm_loadu_si128(units.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        *bytes = *units;
        // SAFETY: the array is 64 bytes.
        _mm512_movepi8_mask(unsafe { _mm512_loadu_si512(units.as_ptr().cast()) }) == 0
    }
}

impl Load for u16 {
    #[target_feature(enable = "avx512f")]
    unsafe fn widen(units: &[Self; LANES]) -> __m512i {
        // SAFETY: the array is 32 bytes.
        _mm512_cvtepu16_epi32(unsafe { _mm256_loadu_si256(units.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        let (units, _) = units.as_chunks::<{ 2 * LANES }>();
        // SAFETY: each array is 64 bytes.
        let [a, b] = [0, 1].map(|at| unsafe { _mm512_loadu_si512(units[at].as_ptr().cast()) });
        let (halves, _) = bytes.as_chunks_mut::<{ 2 * LANES }>();
        for (half, units) in halves.iter_mut().zip([a, b]) {
            // SAFETY: the array is 32 bytes.
            unsafe {
                _mm256_storeu_si256(half.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(units));
            }
        }
        _mm512_test_epi16_mask(_mm512_or_si512(a, b), _mm512_set1_epi16(!0x7F)) == 0
    }
}

impl Load for u32 {
    #[target_feature(enable = "avx512f")]
    unsafe fn widen(units: &[Self; LANES]) -> __m512i {
        // SAFETY: the array is 64 bytes.
        unsafe { _mm512_loadu_si512(units.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool {
        let (units, _) = units.as_chunks::<LANES>();
        let (quarters, _) = bytes.as_chunks_mut::<LANES>();
        let mut all = _mm512_setzero_si512();
        for (quarter, units) in quarters.iter_mut().zip(units) {
            // SAFETY: the features of this function are those of the load.
            let units = unsafe { Self::widen(units) };
            // SAFETY: the array is 16 bytes.
            unsafe {
                _mm_storeu_si128(quarter.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(units));
            }
            all = _mm512_or_si512(all, units);
        }
        _mm512_test_epi32_mask(all, _mm512_set1_epi32(!0x7F)) == 0
    }
}

/// Writes the UTF-8 of a chunk, as [`portable`](super::portable) does.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
pub(super) fn chunk<U: Unit>(units: &[U], room: &mut [u8]) -> Option<usize> {
    let (mut written, mut fails) = (0, false);
    let (quads, rest) = units.as_chunks::<QUAD>();
    for quad in quads {
        let bytes = room[written..].first_chunk_mut().expect("four bytes a unit are there");
        // SAFETY: the features of this function are those that it asks for.
        if unsafe { <U as Load>::narrow(quad, bytes) } {
            written += QUAD;
            continue;
        }
        for units in quad.as_chunks::<LANES>().0 {
            written += lanes(units, LANES, &mut room[written..], &mut fails);
        }
    }
    for units in rest.chunks(LANES) {
        let mut padded = [units[0]; LANES];
        padded[..units.len()].copy_from_slice(units);
        written += lanes(&padded, units.len(), &mut room[written..], &mut fails);
    }
    if fails { None } else { Some(written) }
}

/// Writes the first `count` of sixteen code points; `room` has [`SLACK`] at least.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
fn lanes<U: Unit>(units: &[U; LANES], count: usize, room: &mut [u8], fails: &mut bool) -> usize {
    let all = _mm512_set1_epi32;
    let or = |a, b| _mm512_or_si512(a, b);
    // SAFETY: the features of this function are those of the load.
    let c = unsafe { <U as Load>::widen(units) };
    let surrogates = _mm512_cmpeq_epi32_mask(_mm512_and_si512(c, all(!0x7FF)), all(0xD800));
    *fails |= surrogates | _mm512_cmpge_epu32_mask(c, all(0x11_0000)) != 0;

    let tail = |bits| or(_mm512_and_si512(bits, all(0x3F)), all(0x80));
    let (t0, t6) = (tail(c), tail(_mm512_srli_epi32::<6>(c)));
    let two = or(or(_mm512_srli_epi32::<6>(c), all(0xC0)), _mm512_slli_epi32::<8>(t0));
    let lead = or(_mm512_srli_epi32::<12>(c), all(0xE0));
    let three = or(or(lead, _mm512_slli_epi32::<8>(t6)), _mm512_slli_epi32::<16>(t0));
    let lead = or(_mm512_srli_epi32::<18>(c), all(0xF0));
    let t12 = tail(_mm512_srli_epi32::<12>(c));
    let four = or(lead, _mm512_slli_epi32::<8>(t12));
    let four = or(four, or(_mm512_slli_epi32::<16>(t6), _mm512_slli_epi32::<24>(t0)));

    let (mut bytes, mut counted) = (c, all(0xFF));
    for (least, spelled, mask) in
        [(0x80, two, 0xFFFF), (0x800, three, 0xFF_FFFF), (0x1_0000, four, -1)]
    {
        let longer = _mm512_cmpge_epu32_mask(c, all(least));
        bytes = _mm512_mask_mov_epi32(bytes, longer, spelled);
        counted = _mm512_mask_mov_epi32(counted, longer, all(mask));
    }
    let live = u64::MAX >> (4 * (LANES - count));
    let counted = _mm512_test_epi8_mask(counted, counted) & live;
    let room: &mut [u8; SLACK] = (&mut room[..SLACK]).try_into().expect("so many are sliced");
    // SAFETY: the array is 64 bytes.
    unsafe {
        _mm512_storeu_si512(room.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(counted, bytes));
    }
    counted.count_ones() as usize
}
