//! The characters that begin in a block, sixteen at once: put together, and checked by their lengths,
//! which are the distances between the places where they begin. Where none of them has four bytes, thirty-two.

#![expect(unsafe_code, reason = "loads and stores of vectors")]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, __mmask16, __mmask32, _mm_storeu_si128, _mm256_storeu_si256,
    _mm512_add_epi8, _mm512_add_epi32, _mm512_and_si512, _mm512_castsi512_si128,
    _mm512_castsi512_si256, _mm512_cmpeq_epi16_mask, _mm512_cmpeq_epi32_mask,
    _mm512_cmpge_epi8_mask, _mm512_cmpge_epu16_mask, _mm512_cmpge_epu32_mask,
    _mm512_cmplt_epu32_mask, _mm512_cmpneq_epi16_mask, _mm512_cmpneq_epi32_mask,
    _mm512_cvtepi16_epi8, _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi16,
    _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
    _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_maskz_compress_epi8, _mm512_movepi8_mask,
    _mm512_mullo_epi32, _mm512_or_si512, _mm512_permutexvar_epi8, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_slli_epi16, _mm512_slli_epi32, _mm512_srli_epi16,
    _mm512_srli_epi32, _mm512_storeu_si512, _mm512_sub_epi8, _pdep_u64,
};

use super::{MaybeUninit, Unit, measure};

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Characters that are put together at once.
const LANES: usize = 16;
/// The same where none has four bytes.
const WORDS: usize = 32;
/// Places, 0 to 64.
const PLACES: [u8; BLOCK + 1] = {
    let mut places = [0; BLOCK + 1];
    let mut place = 0;
    while place < places.len() {
        places[place] = place as u8;
        place += 1;
    }
    places
};

pub trait Store: Sized {
    /// Writes sixteen code points.
    ///
    /// # Safety
    /// The machine has AVX-512F.
    unsafe fn store(lanes: __m512i, units: &mut [MaybeUninit<Self>; LANES]);

    /// Writes thirty-two code points of two bytes.
    ///
    /// # Safety
    /// The machine has AVX-512BW.
    unsafe fn store_words(words: __m512i, units: &mut [MaybeUninit<Self>; WORDS]);
}

impl Store for u8 {
    #[target_feature(enable = "avx512f")]
    unsafe fn store(lanes: __m512i, units: &mut [MaybeUninit<Self>; LANES]) {
        // SAFETY: the array is 16 bytes.
        unsafe { _mm_storeu_si128(units.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(lanes)) };
    }

    #[target_feature(enable = "avx512bw")]
    unsafe fn store_words(words: __m512i, units: &mut [MaybeUninit<Self>; WORDS]) {
        // SAFETY: the array is 32 bytes.
        unsafe { _mm256_storeu_si256(units.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(words)) };
    }
}

impl Store for u16 {
    #[target_feature(enable = "avx512f")]
    unsafe fn store(lanes: __m512i, units: &mut [MaybeUninit<Self>; LANES]) {
        // SAFETY: the array is 32 bytes.
        unsafe { _mm256_storeu_si256(units.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(lanes)) };
    }

    #[target_feature(enable = "avx512bw")]
    unsafe fn store_words(words: __m512i, units: &mut [MaybeUninit<Self>; WORDS]) {
        // SAFETY: the array is 64 bytes.
        unsafe { _mm512_storeu_si512(units.as_mut_ptr().cast(), words) };
    }
}

impl Store for u32 {
    #[target_feature(enable = "avx512f")]
    unsafe fn store(lanes: __m512i, units: &mut [MaybeUninit<Self>; LANES]) {
        // SAFETY: the array is 64 bytes.
        unsafe { _mm512_storeu_si512(units.as_mut_ptr().cast(), lanes) };
    }

    #[target_feature(enable = "avx512bw")]
    unsafe fn store_words(words: __m512i, units: &mut [MaybeUninit<Self>; WORDS]) {
        let halves = [_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64::<1>(words)];
        for (half, units) in halves.into_iter().zip(units.as_chunks_mut::<LANES>().0) {
            // SAFETY: the array is 64 bytes.
            unsafe {
                _mm512_storeu_si512(units.as_mut_ptr().cast(), _mm512_cvtepu16_epi32(half));
            }
        }
    }
}

/// Writes the code points of bytes: see [`decode_some`](super::decode_some).
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
pub(super) fn decode<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    let (mut read, mut written) = (0, 0);
    while read < bytes.len() {
        // behind the text characters begin, so that its last one ends where it does
        let mut padded = [0; BLOCK];
        let rest = &bytes[read..];
        let block = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let begun = ascii(block).min(rest.len());
        if begun >= WORDS
            && let Some(units) = units[written..].first_chunk_mut::<BLOCK>()
        {
            // what is behind the ASCII is written over
            for (unit, &byte) in units.iter_mut().zip(block) {
                *unit = MaybeUninit::new(byte.into());
            }
            read += begun;
            written += begun;
            continue;
        }
        if rest.len() >= BLOCK
            && let Some(units) = units[written..].first_chunk_mut()
            && let Some((count, length)) = thirty_two(block, units)
        {
            read += length;
            written += count;
            continue;
        }
        // so are lanes too many; near the end they have a place of their own
        let mut lanes = [MaybeUninit::uninit(); LANES];
        let found = match units[written..].first_chunk_mut() {
            Some(units) => sixteen(block, units),
            None => sixteen(block, &mut lanes),
        };
        let (mut count, length) = found?;
        if length > rest.len() {
            count = measure(rest).0;
        }
        if units.len() - written < LANES {
            units[written..].get_mut(..count)?.copy_from_slice(&lanes[..count]);
        }
        read += length;
        written += count;
    }
    Some(written)
}

/// How many bytes of ASCII a block begins with.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn ascii(block: &[u8; BLOCK]) -> usize {
    // SAFETY: the block is 64 bytes.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    _mm512_movepi8_mask(bytes).trailing_zeros() as usize
}

/// The first characters of a block.
struct Begun {
    bytes: __m512i,
    /// Where each begins, and how many bytes it has.
    starts: __m512i,
    lengths: __m512i,
    /// How many there are, and how many bytes they have.
    count: usize,
    length: usize,
}

/// Where the first characters of a block begin, so many at most; `None` where it begins with none.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
fn begun(block: &[u8; BLOCK], most: usize) -> Option<Begun> {
    // SAFETY: the block is 64 bytes.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    // continuations are the least as signed numbers
    let begins = _mm512_cmpge_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8.cast_signed()));
    // the last that begins may go on behind the block
    let count = (begins.count_ones() as usize).checked_sub(1)?.min(most);
    if begins & 1 == 0 || count == 0 {
        return None;
    }
    let length = _pdep_u64(1 << count, begins).trailing_zeros() as usize;
    // SAFETY: the places are 65 bytes, and so 64 from the first and from the second.
    let (places, later) = unsafe {
        (
            _mm512_loadu_si512(PLACES.as_ptr().cast()),
            _mm512_loadu_si512(PLACES[1..].as_ptr().cast()),
        )
    };
    let starts = _mm512_maskz_compress_epi8(begins, places);
    let lengths = _mm512_sub_epi8(_mm512_permutexvar_epi8(later, starts), starts);
    Some(Begun { bytes, starts, lengths, count, length })
}

/// Puts the first characters of a block together, sixteen at most: how many, and how many
/// bytes they have; `None` where they are no UTF-8.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
fn sixteen<U: Unit>(
    block: &[u8; BLOCK],
    units: &mut [MaybeUninit<U>; LANES],
) -> Option<(usize, usize)> {
    let Begun { bytes, starts, lengths, count, length } = begun(block, LANES)?;
    let [starts, lengths] = [starts, lengths].map(|all| _mm512_castsi512_si128(all));
    let characters = together(bytes, starts, lengths, u16::MAX >> (LANES - count))?;
    // SAFETY: the features of this function are those of the store.
    unsafe { <U as Store>::store(characters, units) };
    Some((count, length))
}

/// The same of thirty-two at most; also `None` where one has four bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2")]
fn thirty_two<U: Unit>(
    block: &[u8; BLOCK],
    units: &mut [MaybeUninit<U>; WORDS],
) -> Option<(usize, usize)> {
    let Begun { bytes, starts, lengths, count, length } = begun(block, WORDS)?;
    let [starts, lengths] = [starts, lengths].map(|all| _mm512_castsi512_si256(all));
    let words = words(bytes, starts, lengths, u32::MAX >> (WORDS - count))?;
    // SAFETY: the features of this function are those of the store.
    unsafe { <U as Store>::store_words(words, units) };
    Some((count, length))
}

/// The characters of so many bytes that begin at these places; `None` where one of those that are live is none, or
/// has four bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
fn words(bytes: __m512i, starts: __m256i, lengths: __m256i, live: __mmask32) -> Option<__m512i> {
    let all = |word: u16| _mm512_set1_epi16(word.cast_signed());
    let and = |a, bits| _mm512_and_si512(a, all(bits));
    let starts = _mm512_cvtepu8_epi16(starts);
    // the first two bytes of each, and the third
    let twice = _mm512_or_si512(starts, _mm512_slli_epi16::<8>(starts));
    let two = _mm512_permutexvar_epi8(_mm512_add_epi8(twice, all(0x0100)), bytes);
    let third = and(_mm512_permutexvar_epi8(_mm512_add_epi8(twice, all(2)), bytes), 0x3F);
    let (first, second) = (and(two, 0xFF), and(_mm512_srli_epi16::<8>(two), 0x3F));

    let length = _mm512_cvtepu8_epi16(lengths);
    let inner = _mm512_or_si512(_mm512_slli_epi16::<6>(second), third);
    // a shift drops what tells of three bytes
    let of_three = _mm512_or_si512(_mm512_slli_epi16::<12>(first), inner);
    let of_two = _mm512_or_si512(_mm512_slli_epi16::<6>(and(first, 0x1F)), second);
    let is = |bytes| _mm512_cmpeq_epi16_mask(length, all(bytes));
    let [one, two, three] = [is(1), is(2), is(3)];
    let value = _mm512_mask_mov_epi16(first, two, of_two);
    let value = _mm512_mask_mov_epi16(value, three, of_three);
    let lead = |within, has| _mm512_cmpeq_epi16_mask(and(first, within), all(has));
    let least = |least| _mm512_cmpge_epu16_mask(value, all(least));
    let right = one & lead(0x80, 0)
        | two & lead(0xE0, 0xC0) & least(0x80)
        | three
            & lead(0xF0, 0xE0)
            & least(0x800)
            & _mm512_cmpneq_epi16_mask(and(value, 0xF800), all(0xD800));
    if !right & live == 0 { Some(value) } else { None }
}

/// The characters of so many bytes that begin at these places; `None` where one of those that
/// are live is none.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
fn together(bytes: __m512i, starts: __m128i, lengths: __m128i, live: __mmask16) -> Option<__m512i> {
    let all = _mm512_set1_epi32;
    let and = |a, bits| _mm512_and_si512(a, all(bits));
    let places = _mm512_mullo_epi32(_mm512_cvtepu8_epi32(starts), all(0x0101_0101));
    let places = _mm512_add_epi32(places, all(0x0302_0100));
    let four = _mm512_permutexvar_epi8(places, bytes);
    let (first, second) = (and(four, 0xFF), and(_mm512_srli_epi32::<8>(four), 0x3F));
    let (third, fourth) =
        (and(_mm512_srli_epi32::<16>(four), 0x3F), and(_mm512_srli_epi32::<24>(four), 0x3F));

    let length = _mm512_cvtepu8_epi32(lengths);
    let two = _mm512_or_si512(_mm512_slli_epi32::<6>(and(first, 0x1F)), second);
    let three = _mm512_or_si512(
        _mm512_slli_epi32::<12>(and(first, 0x0F)),
        _mm512_or_si512(_mm512_slli_epi32::<6>(second), third),
    );
    let longest = _mm512_or_si512(
        _mm512_or_si512(_mm512_slli_epi32::<18>(and(first, 0x07)), _mm512_slli_epi32::<12>(second)),
        _mm512_or_si512(_mm512_slli_epi32::<6>(third), fourth),
    );
    // as one byte unless it has more: its value, the least of that length, what its first byte
    // has and where
    let (mut value, mut least) = (first, all(0));
    let (mut lead, mut mask) = (all(0), all(0x80));
    for (bytes, spelled, from, has, within) in [
        (2, two, 0x80, 0xC0, 0xE0),
        (3, three, 0x800, 0xE0, 0xF0),
        (4, longest, 0x1_0000, 0xF0, 0xF8),
    ] {
        let so_long = _mm512_cmpeq_epi32_mask(length, all(bytes));
        value = _mm512_mask_mov_epi32(value, so_long, spelled);
        least = _mm512_mask_mov_epi32(least, so_long, all(from));
        lead = _mm512_mask_mov_epi32(lead, so_long, all(has));
        mask = _mm512_mask_mov_epi32(mask, so_long, all(within));
    }
    let wrong = _mm512_cmpge_epu32_mask(length, all(5))
        | _mm512_cmpneq_epi32_mask(_mm512_and_si512(first, mask), lead)
        | _mm512_cmplt_epu32_mask(value, least)
        | _mm512_cmpge_epu32_mask(value, all(0x11_0000))
        | _mm512_cmpeq_epi32_mask(and(value, !0x7FF), all(0xD800));
    if wrong & live == 0 { Some(value) } else { None }
}
