//! Vectors of 16 bytes for 64-bit ARM, every machine of which has them.
//!
//! The classes of ASCII are looked up in two tables of 64. Then the bits are turned over: four
//! vectors hold every fourth byte of a block each, so that the bits of four neighbours lie in the same
//! lane, and come together as squares of bits do when their halves are swapped.

#![expect(unsafe_code, reason = "vectors are loaded through pointers")]

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vandq_u8, vbslq_u8, vdupq_n_u8, vgetq_lane_u64, vld1q_u8_x4,
    vld4q_u8, vmaxvq_u8, vorrq_u8, vqtbl4q_u8, vreinterpretq_s8_u8, vreinterpretq_u8_s8,
    vreinterpretq_u64_u8, vshlq_n_u8, vshrq_n_s8, vshrq_n_u8, vsubq_u8, vuzp1q_u8, vuzp2q_u8,
};

use super::generic::{self, Spread};
use super::{BEHIND, BLOCK, Classes, Masks};

/// See [`classify`](super::classify).
///
/// It is not inlined, for what follows is algebra on words.
#[inline(never)]
pub(super) fn classify(classes: &Classes, bytes: &[u8], before: u8, masks: &mut [Masks]) {
    let ascii = [table(&classes.ascii, 0), table(&classes.ascii, 64)];
    let (mut before, mut spread) = (before, [0; BLOCK + BEHIND]);
    for (block, masks) in masks.iter_mut().enumerate() {
        let bytes = generic::chunk(&bytes[block * BLOCK..]);
        let own = load(bytes);
        let mut of_bytes = own.map(|some| looked_up(ascii, some));
        let mut inner = 0;
        if !is_ascii(own) {
            let [.., second, multibyte] = transposed(own);
            inner = multibyte & !second;
            generic::write_classes(classes, bytes, multibyte & second, before, &mut spread);
            before = spread[BLOCK - 1];
            for ((class, wide), own) in of_bytes.iter_mut().zip(load(&spread)).zip(own) {
                *class = with_wide(*class, wide, own);
            }
        }
        let [letter, number, blank, newline, space, quote, upper, caseless] = transposed(of_bytes);
        *masks = Masks { letter, number, blank, newline, space, quote, upper, caseless, inner };
    }
}

/// A block, of which each vector has every fourth byte.
fn load(bytes: &Spread) -> [uint8x16_t; 4] {
    // SAFETY: there are 64 bytes, and the machine has these instructions.
    let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(bytes.as_ptr()) };
    [a, b, c, d]
}

/// The classes of 64 characters.
fn table(classes: &[u8; 256], from: usize) -> uint8x16x4_t {
    let some: &[u8; 64] = classes[from..].first_chunk().expect("there are as many");
    // SAFETY: there are 64 bytes, and the machine has these instructions.
    unsafe { vld1q_u8_x4(some.as_ptr()) }
}

/// The classes of ASCII; 0 for other bytes, as for all places that a table does not have.
fn looked_up(ascii: [uint8x16x4_t; 2], bytes: uint8x16_t) -> uint8x16_t {
    // SAFETY: the machine has these instructions.
    unsafe {
        let behind = vsubq_u8(bytes, vdupq_n_u8(64));
        vorrq_u8(vqtbl4q_u8(ascii[0], bytes), vqtbl4q_u8(ascii[1], behind))
    }
}

fn is_ascii([a, b, c, d]: [uint8x16_t; 4]) -> bool {
    // SAFETY: the machine has these instructions.
    unsafe { vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d))) < 0x80 }
}

/// The classes of bytes, and of those whose top bit is set the other ones.
fn with_wide(class: uint8x16_t, wide: uint8x16_t, bytes: uint8x16_t) -> uint8x16_t {
    // SAFETY: the machine has these instructions.
    unsafe {
        let is_wide = vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(bytes)));
        vorrq_u8(class, vandq_u8(wide, is_wide))
    }
}

/// Bit by bit: the lowest of all 64 bytes, and so on.
fn transposed([a, b, c, d]: [uint8x16_t; 4]) -> [u64; 8] {
    let [[a, b], [c, d]] = [swapped::<1, 0x55>(a, b), swapped::<1, 0x55>(c, d)];
    let [[a, c], [b, d]] = [swapped::<2, 0x33>(a, c), swapped::<2, 0x33>(b, d)];
    // Each byte has two bits of four neighbours now, the second of which is the fourth behind the first.
    let [[first, third], [second, fourth]] = [joined(a, b), joined(c, d)];
    let words = [first, second, third, fourth].map(halves);
    std::array::from_fn(|at| words[at / 2][at % 2])
}

/// Swaps the bits of the second that `MASK` names with those of the first that stand `BY` higher.
fn swapped<const BY: i32, const MASK: u8>(one: uint8x16_t, other: uint8x16_t) -> [uint8x16_t; 2] {
    // SAFETY: the machine has these instructions.
    unsafe {
        let mask = vdupq_n_u8(MASK);
        let low = vbslq_u8(mask, one, vshlq_n_u8::<BY>(other));
        [low, vbslq_u8(mask, vshrq_n_u8::<BY>(one), other)]
    }
}

/// The low halves of each two bytes as one, those of the first vector before those of the second; and
/// the high halves.
fn joined(one: uint8x16_t, other: uint8x16_t) -> [uint8x16_t; 2] {
    // SAFETY: the machine has these instructions.
    let [even, odd] = unsafe { [vuzp1q_u8(one, other), vuzp2q_u8(one, other)] };
    swapped::<4, 0x0F>(even, odd)
}

fn halves(bytes: uint8x16_t) -> [u64; 2] {
    // SAFETY: the machine has these instructions.
    unsafe {
        let words = vreinterpretq_u64_u8(bytes);
        [vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words)]
    }
}
