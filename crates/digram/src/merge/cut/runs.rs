//! Places between characters of ASCII, and visible spaces among them: by bits of 64 bytes at a time.
//!
//! Most text in Latin letters is runs of small letters with a visible space before each. Nearly all pairs of
//! small letters join, and most that begin with a visible space: so they count as if all did, and only the
//! other places are looked at.

use super::character::Character;
use crate::arch::{self, BLOCK, Kernel, Runs};

/// What stands for a space where nothing splits.
pub(super) const VISIBLE_SPACE: &[u8] = "\u{2581}".as_bytes();

/// Any byte beyond ASCII: here there are none but those of visible spaces.
const OTHER: u8 = 128;
/// Bits for each left character, and how many there are.
const ROW: usize = 192;
const ROWS: usize = OTHER as usize + 1;

/// Whether a character is one of these: of ASCII, or a visible space.
#[inline]
pub(super) fn takes(character: Character) -> bool {
    character.packed < 0x80 || character.packed == u32::from_be_bytes([0, 0xE2, 0x96, 0x81])
}

/// The character before `place`, which is such a one.
#[inline]
pub(super) fn before(text: &[u8], place: usize) -> Character {
    let length = if text[place - 1].is_ascii() { 1 } else { VISIBLE_SPACE.len() };
    Character::of(&text[place - length..place])
}

/// The pairs of such characters that join.
pub(super) struct RunPairs(Box<[u64; ROWS * ROW / 64]>);

impl RunPairs {
    /// Pairs of small letters, and of a visible space and one.
    pub fn of_letters() -> Self {
        let mut pairs = Self(Box::new([0; ROWS * ROW / 64]));
        let letters = || b'a'..=b'z';
        for right in letters() {
            letters().chain([OTHER]).for_each(|left| pairs.join(left, right));
        }
        pairs
    }

    /// Has two characters join: of ASCII, or visible spaces, given by any byte of theirs.
    pub fn join(&mut self, left: u8, right: u8) {
        let bit = bit(left, right);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline]
    fn joins(&self, left: u8, right: u8) -> bool {
        let bit = bit(left, right);
        self.0[bit / 64] >> (bit % 64) & 1 != 0
    }

    /// Writes the places from `place` on that are cut, up to the first other character, or until there is no
    /// more room; returns that place, and how many are written. Such a character stands before the first.
    #[inline]
    pub fn pass(
        &self,
        text: &[u8],
        mut place: usize,
        moved: u32,
        (ends, mut written): (&mut [u32], usize),
    ) -> (usize, usize) {
        let kernel = Kernel::chosen();
        let mut padded = [0; BLOCK + 1];
        loop {
            let from = &text[place - 1..];
            let (with_left, length) = if let Some(whole) = from.first_chunk() {
                (whole, BLOCK)
            } else {
                padded[..from.len()].copy_from_slice(from);
                (&padded, from.len() - 1)
            };
            let (mut asked, end) = asked(kernel, with_left, length);
            while asked != 0 {
                let at = asked.trailing_zeros() as usize % BLOCK;
                asked &= asked - 1;
                let Some(end) = ends.get_mut(written) else { return (place + at, written) };
                *end = moved + (place + at) as u32;
                written += usize::from(!self.joins(with_left[at], with_left[at + 1]));
            }
            place += end;
            if end < BLOCK {
                return (place, written);
            }
        }
    }
}

/// The places in a block that are to be looked at, and where another character begins, or the text of so many
/// bytes ends. The byte before the block is the first of `with_left`.
#[inline]
fn asked(kernel: Kernel, with_left: &[u8; BLOCK + 1], length: usize) -> (u64, usize) {
    let block = with_left[1..].first_chunk().expect("one byte is left out");
    let Runs { small, high, spaces } = arch::runs(kernel, block);
    let inner = spaces << 1 | spaces << 2;
    let end = length.min((high & !(spaces | inner)).trailing_zeros() as usize);
    let before_end = 1_u64.checked_shl(end as u32).unwrap_or(0).wrapping_sub(1);
    let left = with_left[0];
    let goes_on =
        (small | spaces << 2) << 1 | u64::from(left.is_ascii_lowercase() || left >= OTHER);
    (before_end & !inner & !(small & goes_on), end)
}

/// The bit of two characters.
#[inline]
fn bit(left: u8, right: u8) -> usize {
    usize::from(left.min(OTHER)) * ROW + usize::from(right.min(OTHER))
}
