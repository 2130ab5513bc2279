//! The kernels for 64-bit x86: which of them a machine runs, and the way there.
//!
//! The functions of the modules behind are safe where their instructions exist. Detection is
//! done here and nowhere else.

#![expect(unsafe_code, reason = "what a machine has is known when it runs, not when it compiles")]

mod append;
mod avx2;
mod avx512;
pub(super) mod bits;
mod keys;
mod replace;

use super::append::Packed;
use super::generic::Spread;
use super::keys::{Key, Slot, Spans};
use super::{BLOCK, Classes, Kernel, Masks, Rare, Runs, Work};
use std::arch::is_x86_feature_detected as has;

/// How many stretches of code points are looked up together in a block: more would take longer
/// than its characters one by one.
const MOST_STRETCHES: usize = 8;

/// The best kernel that this machine runs.
pub(super) fn best() -> Kernel {
    let bits = has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt");
    if !(bits && has!("avx2")) {
        return Kernel::Portable;
    }
    let bytes = has!("avx512bw") && has!("avx512vbmi") && has!("avx512vbmi2");
    let numbers = has!("avx512dq");
    if bytes && numbers && has!("avx512f") && has!("avx512vl") {
        Kernel::Avx512
    } else {
        Kernel::Avx2
    }
}

/// See [`classify`](super::classify); `kernel` is one that this machine runs.
pub(super) fn classify(
    kernel: Kernel,
    classes: &Classes,
    bytes: &[u8],
    before: u8,
    masks: &mut [Masks],
) {
    debug_assert!(kernel <= best());
    if kernel == Kernel::Avx512 {
        // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions.
        unsafe { avx512::classify(classes, bytes, before, masks) }
    } else {
        // SAFETY: as above.
        unsafe { avx2::classify(classes, bytes, before, masks) }
    }
}

/// See [`find_rare`](super::find_rare); `kernel` is one that this machine runs.
pub(super) fn find_rare(kernel: Kernel, rare: &Rare, bytes: &Spread) -> u64 {
    debug_assert!(Kernel::Avx2 <= kernel && kernel <= best());
    // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions, and those of
    // all before it.
    unsafe { avx2::find_rare(rare, bytes) }
}

/// See [`runs`](super::runs); `kernel` is one that this machine runs.
#[inline]
pub(super) fn runs(kernel: Kernel, block: &[u8; BLOCK]) -> Runs {
    debug_assert!(Kernel::Avx2 <= kernel && kernel <= best());
    // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions, and those of
    // all before it.
    unsafe { avx2::runs(block) }
}

/// See [`flatten`](super::flatten); `kernel` is one that this machine runs.
pub(super) fn flatten(kernel: Kernel, bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    debug_assert!(kernel <= best());
    if kernel == Kernel::Avx512 {
        // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions.
        unsafe { avx512::flatten(bits, base, positions) }
    } else {
        // SAFETY: as above.
        unsafe { avx2::flatten(bits, base, positions) }
    }
}

/// See [`keys`](super::keys::keys); `kernel` is one that this machine runs. Returns of how many words
/// the keys are made.
pub(super) fn keys(
    kernel: Kernel,
    spans: Spans,
    bits: u32,
    keys: &mut [Key],
    places: &mut [u32],
) -> usize {
    debug_assert!(kernel <= best());
    if kernel == Kernel::Avx512 {
        // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions.
        unsafe { keys::avx512::keys(spans, bits, keys, places) }
    } else {
        // SAFETY: as above.
        unsafe { keys::avx2::keys(spans, bits, keys, places) }
    }
}

/// See [`compare`](super::keys::compare); `kernel` is one that this machine runs. Returns how many keys
/// are compared, and how many of them are missing.
pub(super) fn compare(
    kernel: Kernel,
    slots: &[Slot],
    (keys, places): (&[Key], &[u32]),
    values: &mut [Packed],
    missing: &mut [u32],
) -> (usize, usize) {
    debug_assert!(kernel <= best());
    if kernel == Kernel::Avx512 {
        // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions.
        unsafe { keys::avx512::compare(slots, keys, places, values, missing) }
    } else {
        // SAFETY: as above.
        unsafe { keys::avx2::compare(slots, keys, places, values, missing) }
    }
}

/// See [`append`](super::append::append), of words of up to six ids; only where this machine runs
/// [`Kernel::Avx2`].
#[inline]
pub(super) fn append_sixes(ids: &mut Vec<u32>, words: &[Packed]) {
    debug_assert!(best() >= Kernel::Avx2);
    // SAFETY: that kernel is chosen or listed only where `best` has detected its instructions.
    unsafe { append::sixes(ids, words) }
}

/// Blocks with three bytes instead of each character, see [`append_replaced`](super::replace::append_replaced);
/// only where this machine runs [`Kernel::Avx2`].
#[inline]
pub(super) fn replace(
    blocks: &[[u8; BLOCK]],
    character: u8,
    content: [u8; 3],
    to: &mut [u8],
) -> usize {
    debug_assert!(best() >= Kernel::Avx2);
    // SAFETY: that kernel is chosen or listed only where `best` has detected its instructions.
    unsafe { replace::threes(blocks, character, content, to) }
}

/// See [`compiled`](super::compiled); `kernel` is one that this machine runs.
#[inline]
pub(super) fn compiled<W: Work>(kernel: Kernel, work: W) -> W::Done {
    debug_assert!(kernel <= best());
    if kernel == Kernel::Avx512 {
        // SAFETY: a kernel is chosen or listed only where `best` has detected its instructions.
        unsafe { avx512::compiled(work) }
    } else {
        // SAFETY: as above.
        unsafe { avx2::compiled(work) }
    }
}
