//! The kernels for any machine.

use super::{BEHIND, BLOCK, Classes, Masks, Rare, Runs};

/// The classes of 64 bytes and of those that its last character goes on for.
pub(super) type Spread = [u8; BLOCK + BEHIND];

/// Adds the masks of each block of `bytes`.
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let (mut before, mut spread) = (before, [0; BLOCK + BEHIND]);
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = chunk(&bytes[block * BLOCK..]);
        let own = words(bytes);
        let mut of_bytes = std::array::from_fn(|at| of_ascii(classes, own[at]));
        let mut inner = 0;
        if own.iter().fold(0, |all, word| all | word) & TOP_BITS != 0 {
            let [.., second, multibyte] = transposed(own);
            inner = multibyte & !second;
            write_classes(classes, bytes, multibyte & second, before, &mut spread);
            before = spread[BLOCK - 1];
            for ((class, wide), own) in of_bytes.iter_mut().zip(words(&spread)).zip(own) {
                // all bits of each byte whose top bit is set
                *class |= wide & (((own & TOP_BITS) >> 7) * 0xFF);
            }
        }
        *masks = of_classes(of_bytes, inner);
    }
}

/// The top bit of each byte of a word.
const TOP_BITS: u64 = 0x8080_8080_8080_8080;

/// The classes of eight bytes.
#[inline]
fn of_ascii(classes: &Classes, eight: u64) -> u64 {
    let class =
        |at: usize| u64::from(classes.ascii[(eight >> (8 * at)) as usize & 0xFF]) << (8 * at);
    let pair = |at: usize| class(at) | class(at + 1);
    (pair(0) | pair(2)) | (pair(4) | pair(6))
}

/// A block, and the bytes behind it.
pub(super) fn chunk(bytes: &[u8]) -> &Spread {
    bytes.first_chunk().expect("the caller gives whole blocks, and some bytes")
}

/// Writes the classes of the bytes of multi-byte characters; the others hold anything.
///
/// Each character's class is written to four bytes, and the next character's over what was too
/// much: no branch depends on its length.
#[inline]
pub(super) fn write_classes(
    classes: &Classes,
    bytes: &Spread,
    leads: u64,
    before: u8,
    spread: &mut Spread,
) {
    spread[..4].fill(before);
    let mut left = leads;
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        spread[at..at + 4].copy_from_slice(&[class_of(classes, four(bytes, at)); 4]);
    }
}

/// Small letters, bytes beyond ASCII and visible spaces.
pub(super) fn runs(block: &[u8; BLOCK]) -> Runs {
    let (mut runs, [mut first, mut second, mut third]) = (Runs::default(), [0; 3]);
    for (nth, eight) in words(block).into_iter().enumerate() {
        // the top bit of a byte: is it `a` or more, is it more than `z`
        let low = eight & !TOP_BITS;
        let small = (low + all(0x80 - b'a')) & !(low + all(0x7F - b'z')) & !eight;
        runs.small |= top_bits(small) << (8 * nth);
        runs.high |= top_bits(eight) << (8 * nth);
        first |= places(eight, 0xE2) << (8 * nth);
        second |= places(eight, 0x96) << (8 * nth);
        third |= places(eight, 0x81) << (8 * nth);
    }
    Runs { spaces: first & second >> 1 & third >> 2, ..runs }
}

/// A bit for each of eight bytes that is this one.
#[inline]
pub(super) fn places(eight: u64, byte: u8) -> u64 {
    let differs = eight ^ all(byte);
    // the top bit of a byte: is it zero
    top_bits(!(((differs & !TOP_BITS) + !TOP_BITS) | differs))
}

/// Eight times the same byte.
#[inline]
fn all(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The top bit of each byte, side by side.
#[inline]
fn top_bits(eight: u64) -> u64 {
    ((eight & TOP_BITS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The classes of multi-byte characters at the bytes that they begin with; 0 elsewhere.
#[cfg(target_arch = "x86_64")]
pub(super) fn classes_of(classes: &Classes, bytes: &Spread, leads: u64) -> [u8; BLOCK] {
    let (mut found, mut left) = ([0; BLOCK], leads);
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        found[at] = class_of(classes, four(bytes, at));
    }
    found
}

/// A bit for each byte of a block that begins a rare character.
pub(super) fn find_rare(rare: &Rare, bytes: &Spread) -> u64 {
    let is_lead =
        |byte: u8| byte >= 0xC0 && (byte >> 4 != 0xE || rare.absent[usize::from(byte & 15)] == 0);
    let leads = (0..BLOCK).fold(0, |leads, at| leads | u64::from(is_lead(bytes[at])) << at);
    rare_of(rare, bytes, leads)
}

/// Those of `leads`, where characters begin, that begin rare ones.
pub(super) fn rare_of(rare: &Rare, bytes: &Spread, leads: u64) -> u64 {
    let (mut found, mut left) = (0, leads);
    while left != 0 {
        let at = left.trailing_zeros() as usize;
        left &= left - 1;
        found |= u64::from(class_of(&rare.classes, four(bytes, at)) != 0) << at;
    }
    found
}

/// The first of the two pages that characters of two or three bytes are on which begin so, but
/// for the lowest bit of their last byte but one.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn first_page(first: u8, second: u8) -> usize {
    if first < 0xE0 {
        usize::from(first & 0x1E)
    } else {
        usize::from(first & 0x0F) << 6 | usize::from(second & 0x3E)
    }
}

fn four(bytes: &Spread, at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The class of a multi-byte character, given with the bytes behind it as four, the first on top.
#[inline]
pub(crate) fn class_of(classes: &Classes, four: u32) -> u8 {
    let length = (!four).leading_zeros();
    let first = four >> 24 & 0x7F >> length;
    let rest = four >> 4 & 0x3_F000 | four >> 2 & 0xFC0 | four & 0x3F;
    let point = (first << 18 | rest) >> (24_u32.wrapping_sub(6 * length) & 31);
    let page = classes.pages[(point >> 6) as usize];
    classes.leaves[usize::from(page)][(point & 63) as usize]
}

/// The masks of 64 class bytes.
fn of_classes(of_bytes: [u64; 8], inner: u64) -> Masks {
    let [letter, number, blank, newline, space, quote, upper, caseless] = transposed(of_bytes);
    Masks { letter, number, blank, newline, space, quote, upper, caseless, inner }
}

fn words(bytes: &[u8]) -> [u64; 8] {
    let eight = |at: usize| bytes[8 * at..][..8].try_into().expect("eight bytes");
    std::array::from_fn(|at| u64::from_le_bytes(eight(at)))
}

/// Bit by bit: the lowest of all 64 bytes, and so on.
///
/// Squares of bits in each word are turned over, halves against halves, then the bytes of all
/// words likewise.
#[inline]
fn transposed(words: [u64; 8]) -> [u64; 8] {
    let mut words = words;
    for word in &mut words {
        *word = swapped(*word, 7, 0x00AA_00AA_00AA_00AA);
        *word = swapped(*word, 14, 0x0000_CCCC_0000_CCCC);
        *word = swapped(*word, 28, 0x0000_0000_F0F0_F0F0);
    }
    let steps =
        [(1, 8, 0x00FF_00FF_00FF_00FF), (2, 16, 0x0000_FFFF_0000_FFFF), (4, 32, 0xFFFF_FFFF)];
    for (step, by, mask) in steps {
        for four in 0..4 {
            // the numbers to 8 without the bit of the step
            let low = four + (four & !(step - 1));
            let moved: u64 = (words[low] >> by ^ words[low + step]) & mask;
            words[low + step] ^= moved;
            words[low] ^= moved << by;
        }
    }
    words
}

/// Swaps the bits of `mask` with those that stand `by` higher.
fn swapped(word: u64, by: u32, mask: u64) -> u64 {
    let moved = (word ^ word >> by) & mask;
    word ^ moved ^ moved << by
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
