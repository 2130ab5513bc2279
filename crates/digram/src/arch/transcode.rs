//! Code points to UTF-8: text as Python holds it, in units of one, two or four bytes.
//!
//! A code point becomes one to four bytes, so that where a character is written depends on all
//! before it. The portable kernel writes four bytes for each and goes on by as many as count. Those for
//! vectors make the bytes of eight or sixteen at once, and leave out those that do not count.

#![expect(
    unsafe_code,
    reason = "loads and stores of vectors, and UTF-8 that is so by construction"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::{Kernel, Work, compiled};

/// Units between two copies to the text: their bytes stay in the nearest cache.
const CHUNK: usize = 1024;
/// The same of a short text, for which room for so many more would take longer to make than it does.
const SHORT: usize = 256;
/// A kernel may write so many bytes behind those that count.
const SLACK: usize = 64;

/// Room for the bytes of so many units.
const fn room(units: usize) -> usize {
    4 * units + SLACK
}

/// A code point in one, two or four bytes.
pub trait Unit: Copy + Default + Sync + Into<u32> + kernel::Load {}

impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}

/// Appends code points to `text`; false, and nothing appended, where one is no character: a lone
/// surrogate.
pub fn append<U: Unit>(units: &[U], text: &mut String) -> bool {
    append_by(Kernel::chosen(), units, text)
}

/// The same by a kernel that this machine runs.
pub(super) fn append_by<U: Unit>(kernel: Kernel, units: &[U], text: &mut String) -> bool {
    if units.len() <= SHORT {
        return append_through(&mut [0; room(SHORT)], kernel, units, text);
    }
    append_through(&mut [0; room(CHUNK)], kernel, units, text)
}

/// The same through room that has been made.
fn append_through<U: Unit>(
    room: &mut [u8],
    kernel: Kernel,
    units: &[U],
    text: &mut String,
) -> bool {
    let before = text.len();
    for chunk in units.chunks((room.len() - SLACK) / 4) {
        let Some(length) = kernel::chunk(kernel, chunk, room) else {
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

/// The same of all these together.
pub fn bytes_of_all<U: Unit>(units: &[U]) -> usize {
    compiled(Kernel::chosen(), Lengths(units))
}

/// How long the UTF-8 of all these is, by vectors: they do not look at each sum for whether it wraps around.
struct Lengths<'a, U>(&'a [U]);

impl<U: Unit> Work for Lengths<'_, U> {
    type Done = usize;

    #[expect(clippy::inline_always, reason = "to be compiled for each kernel")]
    #[inline(always)]
    fn work(self) -> usize {
        let more = |c: u32| {
            let beyond = |bound| u16::from(c >= bound);
            beyond(0x80).wrapping_add(beyond(0x800)).wrapping_add(beyond(0x1_0000))
        };
        let mut sum = self.0.len();
        for some in self.0.chunks(usize::from(u16::MAX) / 3) {
            let add = |sum: u16, &unit: &U| sum.wrapping_add(more(unit.into()));
            sum += usize::from(some.iter().fold(0, add));
        }
        sum
    }
}

/// Whether a code point is no character.
#[inline]
fn is_none(c: u32) -> bool {
    c & 0xFFFF_F800 == 0xD800 || c > 0x10_FFFF
}

/// Writes the UTF-8 of a chunk, for which there is [`room`], and returns how many bytes it has, or
/// `None` where a unit is no character.
fn portable<U: Unit>(units: &[U], room: &mut [u8]) -> Option<usize> {
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
fn each(units: &[u32], room: &mut [u8], mut written: usize, fails: &mut bool) -> usize {
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
    use super::{Kernel, Unit, portable};

    pub trait Load {}
    impl Load for u8 {}
    impl Load for u16 {}
    impl Load for u32 {}

    pub fn chunk<U: Unit>(_: Kernel, units: &[U], room: &mut [u8]) -> Option<usize> {
        portable(units, room)
    }
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    use super::{Kernel, Unit, avx2, avx512, portable};

    pub trait Load: avx2::Load + avx512::Load {}
    impl Load for u8 {}
    impl Load for u16 {}
    impl Load for u32 {}

    /// See [`portable`]; `kernel` is one that this machine runs.
    pub fn chunk<U: Unit>(kernel: Kernel, units: &[U], room: &mut [u8]) -> Option<usize> {
        match kernel {
            // SAFETY: a kernel is chosen or listed only where the machine has what it asks for.
            Kernel::Avx512 => unsafe { avx512::chunk(units, room) },
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::chunk(units, room) },
            Kernel::Portable => portable(units, room),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same<U: Unit + std::fmt::Debug>(units: &[U]) {
        let mut plain = "before".to_owned();
        let expected = append_plainly(units, &mut plain);
        for kernel in Kernel::available() {
            let mut text = "before".to_owned();
            assert_eq!(append_by(kernel, units, &mut text), expected, "{kernel:?}: {units:?}");
            assert_eq!(text, plain, "{kernel:?}");
            if expected {
                assert_eq!("before".len() + compiled(kernel, Lengths(units)), plain.len());
            }
        }
        for chunk in units.chunks(CHUNK) {
            let mut room = [0; room(CHUNK)];
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
                for units in [&units[..], &units[..SHORT], &units[..=place]] {
                    same(units);
                    same(&units.iter().map(|&c| c as u16).collect::<Vec<u16>>());
                }
            }
        }
    }
}
