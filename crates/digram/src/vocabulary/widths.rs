//! How much a token is of a text: how many characters begin in it, and how wide they are.

use super::is_inner;

/// How many characters begin in a token, and above that how wide the widest is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Width(u16);

/// How many bits tell of characters.
const BITS: u32 = 13;
/// So many characters or more; or there is no such token.
const MANY: u16 = (1 << BITS) - 1;

impl Width {
    /// Of no characters.
    pub const NONE: Self = Self(0);
    /// Where there is no token.
    pub(super) const GAP: Self = Self(MANY);

    pub(super) fn of(bytes: &[u8]) -> Self {
        let many = characters(bytes).min(usize::from(MANY)) as u16;
        let first = |byte: &u8| match byte {
            0..0xC0 => 0,
            0xC0..0xC4 => 1,
            0xC4..0xF0 => 2,
            0xF0.. => 3,
        };
        let class: u16 = bytes.iter().map(first).max().unwrap_or(0);
        Self(class << BITS | many)
    }

    /// How many characters begin in it, if that is told.
    #[inline]
    pub fn characters(self) -> Option<usize> {
        Some(self.0 & MANY).filter(|&many| many != MANY).map(usize::from)
    }

    /// The largest character that the widest of these widths may have, in one, two or four bytes, or
    /// in ASCII.
    pub fn bound(self) -> u32 {
        [0x7F, 0xFF, 0xFFFF, 0x10_FFFF][usize::from(self.0 >> BITS)]
    }
}

/// How many characters begin in these bytes.
pub(crate) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| !is_inner(byte)).count()
}
