//! UTF-8 to code points, in as few bytes as Python holds them in: one, two or four.
//!
//! The portable kernel checks the bytes first and then puts characters together one by one, but for
//! ASCII. That for AVX-512 does both at once, for sixteen characters.

#[cfg(target_arch = "x86_64")]
mod avx512;

use std::mem::MaybeUninit;

use super::Kernel;

/// Bytes of ASCII that become code points together.
const ASCII: usize = 32;

/// A code point in one, two or four bytes.
pub trait Unit: Copy + Default + From<u8> + kernel::Store {
    /// As much of a code point as there is room for.
    fn of(code_point: u32) -> Self;
}

impl Unit for u8 {
    #[inline]
    fn of(code_point: u32) -> Self {
        code_point as Self
    }
}

impl Unit for u16 {
    #[inline]
    fn of(code_point: u32) -> Self {
        code_point as Self
    }
}

impl Unit for u32 {
    #[inline]
    fn of(code_point: u32) -> Self {
        code_point
    }
}

/// What a text needs: how many characters it has, and an upper bound of each that tells how many
/// bytes they are held in. Right where the bytes are UTF-8.
pub fn measure(bytes: &[u8]) -> (usize, u32) {
    let (mut characters, mut largest) = (0, 0);
    // in runs so short that a byte counts them: vectors of bytes do, if no sum is checked
    for run in bytes.chunks(192) {
        let count = |count: u8, &byte: &u8| count.wrapping_add(u8::from(byte & 0xC0 != 0x80));
        characters += usize::from(run.iter().fold(0, count));
        largest = run.iter().fold(largest, |largest: u8, &byte| largest.max(byte));
    }
    (characters, bound(largest))
}

/// The last character that goes into as many bytes as those of a text do whose largest byte of UTF-8 is
/// this one: one byte (or it is ASCII), two, or four.
#[inline]
pub fn bound(largest: u8) -> u32 {
    match largest {
        0..0x80 => 0x7F,
        0x80..0xC4 => 0xFF,
        0xC4..0xF0 => 0xFFFF,
        0xF0.. => 0x10_FFFF,
    }
}

/// Writes the code points of `bytes`, as many as [`measure`] says; false where they are no UTF-8.
/// Where it is true, all of `units` are written.
pub fn decode<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> bool {
    decode_some(bytes, units) == Some(units.len())
}

/// Writes the code points of `bytes` to the first of `units`; how many, or `None` where they are no
/// UTF-8, or are more.
pub fn decode_some<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    decode_by(Kernel::chosen(), bytes, units)
}

/// The same by a kernel that this machine runs.
fn decode_by<U: Unit>(kernel: Kernel, bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => kernel::decode(bytes, units),
        _ => portable(bytes, units),
    }
}

/// Writes code points one by one, and ASCII together.
fn portable<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    simdutf8::basic::from_utf8(bytes).ok()?;
    let (mut read, mut written) = (0, 0);
    while let Some(&first) = bytes.get(read) {
        if first < 0x80 {
            let begun = ascii(&bytes[read..], &mut units[written..])?;
            (read, written) = (read + begun, written + begun);
            continue;
        }
        let (character, length) = character(&bytes[read..]);
        *units.get_mut(written)? = MaybeUninit::new(U::of(character));
        (read, written) = (read + length, written + 1);
    }
    Some(written)
}

/// Writes some of the ASCII that bytes begin with, and returns how much; `None` where there is no room.
#[inline]
fn ascii<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    const HIGH: u128 = u128::from_ne_bytes([0x80; ASCII / 2]);
    let of = |byte: u8| MaybeUninit::new(byte.into());
    let is_one = bytes.get(1).is_none_or(|&byte| byte >= 0x80);
    if let (false, Some(block), Some(units)) =
        (is_one, bytes.first_chunk::<ASCII>(), units.first_chunk_mut::<ASCII>())
    {
        *units = block.map(of);
        let (first, second) = block.split_at(ASCII / 2);
        let [first, second] = [first, second]
            .map(|half| u128::from_le_bytes(half.try_into().expect("it is a half")) & HIGH);
        if first | second == 0 {
            return Some(ASCII);
        }
        // what is behind the ASCII is written over
        let behind = if first == 0 { ASCII / 2 } else { 0 };
        let half = if first == 0 { second } else { first };
        return Some(behind + half.trailing_zeros() as usize / 8);
    }
    *units.first_mut()? = of(bytes[0]);
    Some(1)
}

/// The code point that UTF-8 begins with, which is no ASCII, and how many bytes it has.
#[inline]
fn character(bytes: &[u8]) -> (u32, usize) {
    let at = |index: usize| u32::from(bytes[index]);
    let tail = |index: usize| at(index) & 0x3F;
    match bytes[0] {
        0..0xE0 => ((at(0) & 0x1F) << 6 | tail(1), 2),
        0xE0..0xF0 => ((at(0) & 0xF) << 12 | tail(1) << 6 | tail(2), 3),
        0xF0.. => ((at(0) & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod kernel {
    pub trait Store {}
    impl Store for u8 {}
    impl Store for u16 {}
    impl Store for u32 {}
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    use super::{MaybeUninit, Unit, avx512};
    pub use avx512::Store;

    /// See [`decode_some`](super::decode_some); only where this machine runs that kernel.
    #[expect(unsafe_code, reason = "what a machine has is known when it runs")]
    pub fn decode<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
        // SAFETY: the kernel is chosen or listed only where the machine has what it asks for.
        unsafe { avx512::decode(bytes, units) }
    }
}

#[cfg(test)]
pub(crate) mod tests;
