//! How much a token is of a text: how many characters begin in it, and how wide they are.

use super::is_inner;
use crate::arch::utf8;

/// How many characters begin in a token, and above that how wide the widest is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Width(u16);

/// What a text may be bound by, the narrowest first.
const BOUNDS: [u32; 4] = [0x7F, 0xFF, 0xFFFF, 0x10_FFFF];
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
        let largest = bytes.iter().copied().max().unwrap_or(0);
        let class =
            BOUNDS.iter().position(|&bound| bound == utf8::bound(largest)).unwrap_or(0) as u16;
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
        BOUNDS[usize::from(self.0 >> BITS)]
    }
}

/// How many characters begin in these bytes.
pub(crate) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| !is_inner(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_as_wide_as_its_bound_says() {
        for character in ['\0', 'a', '\u{7F}', '\u{80}', '\u{FF}', '\u{100}', '\u{7FF}', '\u{800}']
            .into_iter()
            .chain(['\u{FFFF}', '\u{10000}', '\u{10FFFF}'])
        {
            let bound = BOUNDS.into_iter().find(|&bound| u32::from(character) <= bound);
            for count in [1, 3, 8190, 8191, 8192] {
                let width = Width::of(character.to_string().repeat(count).as_bytes());
                assert_eq!(Some(width.bound()), bound, "{character:?}");
                assert_eq!(width.characters(), Some(count).filter(|&count| count < 8191));
            }
        }
        assert_eq!(Width::of(b"\x80\xBF").characters(), Some(0));
        assert_eq!(Width::GAP.characters(), None);
    }
}
