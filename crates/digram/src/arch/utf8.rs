//! UTF-8 to code points, in as few bytes as Python holds them in: one, two or four.
//!
//! A character begins at each byte that is no continuation. So the places where sixteen characters
//! begin are the places of sixteen bits, and all are put together at once. The kernel for AVX2 has the
//! bytes checked first; that for AVX-512 checks those sixteen itself. There is no portable kernel:
//! Python's own decoder is as fast as one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use std::mem::MaybeUninit;

use super::Kernel;

/// A code point in one, two or four bytes.
pub trait Unit: Copy + Default + From<u8> + kernel::Store {}

impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}

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

/// Whether this machine has a kernel.
pub fn is_fast() -> bool {
    is_fast_by(Kernel::chosen())
}

/// Whether it is one of this machine's kernels.
pub(super) fn is_fast_by(kernel: Kernel) -> bool {
    kernel >= Kernel::Avx2
}

/// Writes the code points of `bytes`, as many as [`measure`] says; false where they are no UTF-8,
/// or this machine has no kernel. Where it is true, all of `units` are written.
pub fn decode<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> bool {
    decode_some(bytes, units) == Some(units.len())
}

/// Writes the code points of `bytes` to the first of `units`; how many, or `None` where they are no
/// UTF-8, are more, or this machine has no kernel.
pub fn decode_some<U: Unit>(bytes: &[u8], units: &mut [MaybeUninit<U>]) -> Option<usize> {
    decode_by(Kernel::chosen(), bytes, units)
}

/// The same by a kernel that this machine runs.
pub(super) fn decode_by<U: Unit>(
    kernel: Kernel,
    bytes: &[u8],
    units: &mut [MaybeUninit<U>],
) -> Option<usize> {
    kernel::decode(kernel, bytes, units)
}

#[cfg(not(target_arch = "x86_64"))]
mod kernel {
    use super::{Kernel, MaybeUninit, Unit};

    pub trait Store {}
    impl Store for u8 {}
    impl Store for u16 {}
    impl Store for u32 {}

    pub fn decode<U: Unit>(_: Kernel, _: &[u8], _: &mut [MaybeUninit<U>]) -> Option<usize> {
        None
    }
}

#[cfg(target_arch = "x86_64")]
mod kernel {
    use super::{Kernel, MaybeUninit, Unit, avx2, avx512};

    pub trait Store: avx2::Store + avx512::Store {}
    impl Store for u8 {}
    impl Store for u16 {}
    impl Store for u32 {}

    /// See [`decode_by`](super::decode_by).
    #[expect(unsafe_code, reason = "what a machine has is known when it runs")]
    pub fn decode<U: Unit>(
        kernel: Kernel,
        bytes: &[u8],
        units: &mut [MaybeUninit<U>],
    ) -> Option<usize> {
        match kernel {
            // SAFETY: a kernel is chosen or listed only where the machine has what it asks for.
            Kernel::Avx512 => unsafe { avx512::decode(bytes, units) },
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::decode(bytes, units) },
            Kernel::Portable => None,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
