//! Code points to UTF-8: text as Python holds it, in units of one, two or four bytes.
//!
//! A code point becomes one to four bytes, so that where a character is written depends on all
//! before it. The portable kernel writes four bytes for each and goes on by as many as count. The
//! kernel for AVX-512 makes the bytes of sixteen at once and leaves out those that do not count:
//! some 8 GB/s for Russian and Chinese, where the portable one makes 0.9 and 1.6.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and UTF-8 that is so by construction"
)]

/// Units between two copies to the text: their bytes stay in the nearest cache.
const CHUNK: usize = 1024;
/// A kernel may write so many bytes behind those that count.
const SLACK: usize = 64;

/// The bytes of a chunk.
type Room = [u8; 4 * CHUNK + SLACK];

/// A code point in one, two or four bytes.
pub trait Unit: Copy + Sync + Into<u32> + kernel::Load {}

impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}

/// Appends code points to `text`; false, and nothing appended, where one is no character: a lone
/// surrogate.
pub fn append<U: Unit>(units: &[U], text: &mut String) -> bool {
    let before = text.len();
    let mut room = [0; 4 * CHUNK + SLACK];
    for chunk in units.chunks(CHUNK) {
        let Some(length) = kernel::chunk(chunk, &mut room) else {
            text.truncate(before);
            return false;
        };
        if text.capacity() - text.len() < length {
            make_room(text, length, chunk.len(), units.len());
        }
        // SAFETY: a kernel that does not fail has written the UTF-8 of characters.
        text.push_str(unsafe { str::from_utf8_unchecked(&room[..length]) });
    }
    true
}

/// Makes room for `length` bytes, and for so many units more as if they were as long as those, and
/// an eighth: so that a long text is seldom moved.
#[cold]
fn make_room(text: &mut String, length: usize, chunk: usize, units: usize) {
    text.reserve(length + (units / chunk).saturating_mul(length + length / 8));
}

/// The same, character by character.
pub fn append_plainly<U: Unit>(units: &[U], text: &mut String) -> bool {
    let before = text.len();
    for &unit in units {
        let Some(character) = char::from_u32(unit.into()) else {
            text.truncate(before);
            return false;
        };
        text.push(character);
    }
    true
}

/// The UTF-8 of a code point as a little-endian number, and how many bytes it has.
#[inline]
fn spell(c: u32) -> (u32, usize) {
    let tail = |shift: u32| 0x80 | ((c >> shift) & 0x3F);
    let two = 0xC0 | (c >> 6) | tail(0) << 8;
    let three = 0xE0 | (c >> 12) | tail(6) << 8 | tail(0) << 16;
    let four = 0xF0 | (c >> 18) | tail(12) << 8 | tail(6) << 16 | tail(0) << 24;
    let spelled = match c {
        0..0x80 => c,
        0x80..0x800 => two,
        0x800..0x1_0000 => three,
        _ => four,
    };
    (spelled, bytes(c))
}

/// How many bytes a code point has as UTF-8.
#[inline]
pub fn bytes(c: u32) -> usize {
    1 + usize::from(c >= 0x80) + usize::from(c >= 0x800) + usize::from(c >= 0x1_0000)
}

/// Whether a code point is no character.
#[inline]
fn is_none(c: u32) -> bool {
    c & 0xFFFF_F800 == 0xD800 || c > 0x10_FFFF
}

/// Writes the UTF-8 of a chunk and returns how many bytes it has, or `None` where a unit is no
/// character.
fn portable<U: Unit>(units: &[U], room: &mut Room) -> Option<usize> {
    let (mut written, mut fails) = (0, false);
    let (eights, rest) = units.as_chunks::<8>();
    for eight in eights {
        let eight = eight.map(Into::into);
        if eight.iter().fold(0, |all, &unit| all | unit) < 0x80 {
            room[written..][..8].copy_from_slice(&eight.map(|unit| unit as u8));
            written += 8;
        } else {
            written = each(&eight, room, written, &mut fails);
        }
    }
    for &unit in rest {
        written = each(&[unit.into()], room, written, &mut fails);
    }
    if fails { None } else { Some(written) }
}

#[inline]
fn each(units: &[u32], room: &mut Room, mut written: usize, fails: &mut bool) -> usize {
    for &unit in units {
        *fails |= is_none(unit);
        let (spelled, length) = spell(unit);
        room[written..][..4].copy_from_slice(&spelled.to_le_bytes());
        written += length;
    }
    written
}

#[cfg(not(target_arch = "x86_64"))]
mod kernel {
    use super::{Room, Unit, portable};

    pub trait Load {}
    impl Load for u8 {}
    impl Load for u16 {}
    impl Load for u32 {}

    pub fn chunk<U: Unit>(units: &[U], room: &mut Room) -> Option<usize> {
        portable(units, room)
    }
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    use std::arch::x86_64::{
        __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm256_loadu_si256, _mm256_storeu_si256,
        _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_cmpge_epu32_mask, _mm512_cvtepi16_epi8,
        _mm512_cvtepi32_epi8, _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_loadu_si512,
        _mm512_mask_mov_epi32, _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512,
        _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi32,
        _mm512_srli_epi32, _mm512_storeu_si512, _mm512_test_epi8_mask, _mm512_test_epi16_mask,
        _mm512_test_epi32_mask,
    };

    use super::super::Kernel;
    use super::{Room, SLACK, Unit, portable};

    /// Code points in a register.
    const LANES: usize = 16;
    /// Code points that are looked at together, whether they are ASCII.
    const QUAD: usize = 4 * LANES;

    pub trait Load: Sized {
        /// Sixteen units, each in 32 bits.
        ///
        /// # Safety
        /// The machine has AVX-512F.
        unsafe fn load(units: &[Self; LANES]) -> __m512i;

        /// Writes sixty-four units as a byte each; false where one has no room in seven bits, and
        /// then anything is written.
        ///
        /// # Safety
        /// The machine has AVX-512F and AVX-512BW.
        unsafe fn narrow(units: &[Self; QUAD], bytes: &mut [u8; QUAD]) -> bool;
    }

    impl Load for u8 {
        #[target_feature(enable = "avx512f")]
        unsafe fn load(units: &[Self; LANES]) -> __m512i {
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
        unsafe fn load(units: &[Self; LANES]) -> __m512i {
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
        unsafe fn load(units: &[Self; LANES]) -> __m512i {
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
                let units = unsafe { Self::load(units) };
                // SAFETY: the array is 16 bytes.
                unsafe {
                    _mm_storeu_si128(quarter.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(units));
                }
                all = _mm512_or_si512(all, units);
            }
            _mm512_test_epi32_mask(all, _mm512_set1_epi32(!0x7F)) == 0
        }
    }

    pub fn chunk<U: Unit>(units: &[U], room: &mut Room) -> Option<usize> {
        if Kernel::chosen() == Kernel::Avx512 {
            // SAFETY: the machine has what that kernel asks for.
            return unsafe { wide(units, room) };
        }
        portable(units, room)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    pub fn wide<U: Unit>(units: &[U], room: &mut Room) -> Option<usize> {
        let (mut written, mut fails) = (0, false);
        let (quads, rest) = units.as_chunks::<QUAD>();
        for quad in quads {
            let bytes = room[written..].first_chunk_mut().expect("four bytes a unit are there");
            // SAFETY: the features of this function are those that it asks for.
            if unsafe { U::narrow(quad, bytes) } {
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
    fn lanes<U: Unit>(
        units: &[U; LANES],
        count: usize,
        room: &mut [u8],
        fails: &mut bool,
    ) -> usize {
        let all = _mm512_set1_epi32;
        let or = |a, b| _mm512_or_si512(a, b);
        // SAFETY: the features of this function are those of the load.
        let c = unsafe { U::load(units) };
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
            _mm512_storeu_si512(
                room.as_mut_ptr().cast(),
                _mm512_maskz_compress_epi8(counted, bytes),
            );
        }
        counted.count_ones() as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same<U: Unit + std::fmt::Debug>(units: &[U]) {
        let (mut text, mut plain) = ("before".to_owned(), "before".to_owned());
        let expected = append_plainly(units, &mut plain);
        assert_eq!(append(units, &mut text), expected, "{units:?}");
        assert_eq!(text, plain);
        for chunk in units.chunks(CHUNK) {
            let mut room = [0; 4 * CHUNK + SLACK];
            let mut plain = String::new();
            let expected = append_plainly(chunk, &mut plain).then_some(plain.len());
            assert_eq!(portable(chunk, &mut room), expected);
            assert!(expected.is_none_or(|length| room[..length] == *plain.as_bytes()));
        }
    }

    /// Numbers as a small generator makes them; each run the same.
    fn numbers(seed: u64) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(seed), |x| Some(x.wrapping_mul(0x5851_F42D_4C95_7F2D) + 1))
            .map(|x| (x >> 33) as u32)
    }

    #[test]
    fn every_code_point_is_spelled_as_a_char_is() {
        let all: Vec<u32> = (0..0x11_0000).filter(|c| char::from_u32(*c).is_some()).collect();
        same(&all);
        same(&(0..=u8::MAX).collect::<Vec<u8>>());
        same(&(0..0xD800).chain(0xE000..=0xFFFF).collect::<Vec<u16>>());
    }

    #[test]
    fn mixed_texts_of_every_length_are_spelled_as_chars_are() {
        let ends = [0x7F, 0x80, 0xFF, 0x7FF, 0x800, 0xD7FF, 0xFFFF, 0x1_0000, 0x10_FFFF, 0];
        for length in (0..200).chain([1023, 1024, 1025, 5000]) {
            for end in ends {
                let below = |x: u32| if x.is_multiple_of(3) { x % 0x80 } else { x % (end + 1) };
                let units = numbers(length + u64::from(end)).map(below);
                let units = units.filter(|&c| char::from_u32(c).is_some());
                let units: Vec<u32> = units.take(length as usize).collect();
                same(&units);
                same(&units.iter().map(|&c| c.min(0xD7FF) as u16).collect::<Vec<u16>>());
                same(&units.iter().map(|&c| c as u8).collect::<Vec<u8>>());
            }
        }
    }

    #[test]
    fn what_is_no_character_is_found_wherever_it_stands() {
        for no_character in [0xD800, 0xDABC, 0xDFFF, 0x11_0000, u32::MAX] {
            for place in (0..150).chain([1023, 1024, 1999]) {
                let mut units = vec![0x61; 2000];
                units[place] = no_character;
                same(&units);
                same(&units.iter().map(|&c| c as u16).collect::<Vec<u16>>());
            }
        }
    }
}
