//! The kernels for any machine.

use super::{BLOCK, Classes, Masks};

/// Adds the masks of each block of `bytes`.
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let mut before = before;
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = &bytes[block * BLOCK..];
        let own: &[u8; BLOCK] = bytes.first_chunk().expect("the caller gives whole blocks");
        let (multibyte, leads) = beyond_ascii(own);
        *masks = if multibyte == 0 {
            of_classes(&of_ascii(classes, own), 0)
        } else {
            of_mixed(classes, bytes, multibyte, leads, &mut before)
        };
    }
}

/// The masks of a block with multi-byte characters; `before` becomes the class of its last one.
pub(super) fn of_mixed(
    classes: &Classes,
    bytes: &[u8],
    multibyte: u64,
    leads: u64,
    before: &mut u8,
) -> Masks {
    let own = bytes.first_chunk().expect("the caller gives whole blocks");
    let spread = spread(classes, bytes, leads, *before);
    *before = spread[BLOCK - 1];
    let mut of_bytes = of_ascii(classes, own);
    for (at, class) in of_bytes.iter_mut().enumerate() {
        *class |= spread[at] & 0_u8.wrapping_sub((multibyte >> at & 1) as u8);
    }
    of_classes(&of_bytes, multibyte & !leads)
}

/// The classes of the bytes that are characters.
fn of_ascii(classes: &Classes, own: &[u8; BLOCK]) -> [u8; BLOCK] {
    own.map(|byte| classes.ascii[usize::from(byte)])
}

/// The bytes of characters beyond ASCII, and those that such a character begins with.
fn beyond_ascii(bytes: &[u8; BLOCK]) -> (u64, u64) {
    let (mut multibyte, mut seconds) = (0, 0);
    for (at, eight) in bytes.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        multibyte |= gathered(eight >> 7) << (8 * at);
        seconds |= gathered(eight >> 6) << (8 * at);
    }
    (multibyte, multibyte & seconds)
}

/// The lowest bits of eight bytes, side by side.
fn gathered(eight: u64) -> u64 {
    // Each bit is moved to the top byte by one power of the factor, and no two meet.
    (eight & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The classes of the bytes of multi-byte characters; the others hold anything.
///
/// Each character's class is written to four bytes, and the next character's over what was too
/// much: no branch depends on its length.
pub(super) fn spread(
    classes: &Classes,
    bytes: &[u8],
    leads: u64,
    before: u8,
) -> [u8; BLOCK + super::BEHIND] {
    let mut spread = [0; BLOCK + super::BEHIND];
    spread[..4].fill(before);
    let mut left = leads;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        spread[at..at + 4].fill(class_at(classes, bytes, at));
    }
    spread
}

/// The class of the multi-byte character at a position, with three bytes behind it, of any text.
pub(crate) fn class_at(classes: &Classes, bytes: &[u8], at: usize) -> u8 {
    let four = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let length = (!four).leading_zeros().clamp(2, 4);
    let first = (four >> 24) & (0x7F >> length);
    let rest = (four >> 4 & 0x3_F000) | (four >> 2 & 0xFC0) | (four & 0x3F);
    let point = (first << 18 | rest) >> (6 * (4 - length));
    let page = classes.pages[(point >> 6) as usize];
    classes.leaves[usize::from(page)][(point & 63) as usize]
}

/// The masks of 64 class bytes.
fn of_classes(of_bytes: &[u8; BLOCK], inner: u64) -> Masks {
    let mut bits = [0_u64; 8];
    for (at, eight) in of_bytes.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().expect("eight bytes"));
        for (class, bits) in bits.iter_mut().enumerate() {
            *bits |= gathered(eight >> class) << (8 * at);
        }
    }
    let [letter, number, blank, newline, space, quote, upper, caseless] = bits;
    Masks { letter, number, blank, newline, space, quote, upper, caseless, inner }
}

/// Writes the positions of the bits that are set.
#[inline]
pub(super) fn flatten(bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    let (mut count, mut base) = (0, base);
    for &block in bits {
        let room: &mut [u32; BLOCK] =
            positions[count..].first_chunk_mut().expect("there is room for every bit");
        let own = block.count_ones() as usize;
        let mut left = block;
        // Most blocks have as many bits as this or fewer: there no branch depends on how many.
        for positions in room.chunks_exact_mut(16).take(own.div_ceil(16)) {
            for position in positions {
                *position = base.wrapping_add(left.trailing_zeros());
                left &= left.wrapping_sub(1);
            }
        }
        count += own;
        base += BLOCK as u32;
    }
    count
}
