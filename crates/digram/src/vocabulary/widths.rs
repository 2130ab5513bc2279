//! How much a token is of a text: how many characters begin in it, and how wide they are.

use super::is_inner;
use crate::arch::utf8;

/// How many characters begin in a token, and above that a bit for each bound that one of them is beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Width(u16);

/// What a text may be bound by, the narrowest first.
const BOUNDS: [u32; 4] = [0x7F, 0xFF, 0xFFFF, 0x10_FFFF];
/// How many bits tell of characters.
const BITS: u32 = 12;
/// No more characters are told.
const MOST: u16 = (1 << BITS) - 1;
/// Set where there are more, or no such token.
const UNTOLD: u16 = 1 << (BITS + BOUNDS.len() as u32 - 1);

impl Width {
    /// Of no characters.
    pub const NONE: Self = Self(0);
    /// Where there is no token.
    pub const GAP: Self = Self(UNTOLD);

    /// Of the token that lies in an arena at a place.
    #[inline]
    pub(super) fn at(arena: &[u8], (start, length): (u32, u32)) -> Self {
        let (bytes, length) = (&arena[start as usize..], length as usize);
        match bytes.first_chunk() {
            Some(first) if length <= size_of::<u128>() => {
                Self::of_few(u128::from_le_bytes(*first), length)
            }
            _ => Self::of(&bytes[..length]),
        }
    }

    /// Of the first of sixteen bytes, without a branch on what they are: it is asked for all tokens.
    #[inline]
    fn of_few(bytes: u128, length: usize) -> Self {
        const HIGH: u128 = u128::from_ne_bytes([0x80; size_of::<u128>()]);
        let others = 8 * (size_of::<u128>() - length) as u32;
        let bytes = bytes & u128::MAX.checked_shr(others).unwrap_or(0);
        // the highest bit of each byte, and whether those below it are set
        let (high, bit) = (bytes & HIGH, |down: u32| bytes << down);
        let first = high & bit(1);
        let beyond_one_byte = first & (bit(2) | bit(3) | bit(4) | bit(5));
        let beyond_two_bytes = first & bit(2) & bit(3);
        let beyond = [high, beyond_one_byte, beyond_two_bytes].map(|some| u16::from(some != 0));
        let many = length as u16 - (high & !first).count_ones() as u16;
        Self((beyond[0] | beyond[1] << 1 | beyond[2] << 2) << BITS | many)
    }

    fn of(bytes: &[u8]) -> Self {
        let many = Some(characters(bytes)).filter(|&many| many <= usize::from(MOST));
        let largest = bytes.iter().copied().max().unwrap_or(0);
        let beyond = BOUNDS.iter().position(|&bound| bound == utf8::bound(largest)).unwrap_or(0);
        Self(((1 << beyond) - 1) << BITS | many.map_or(UNTOLD, |many| many as u16))
    }

    /// How many characters begin in some tokens, if that is told of all, and what those are beyond: without a branch
    /// for each.
    #[inline]
    pub fn sum(all: impl Iterator<Item = Self>) -> Option<(usize, Self)> {
        let (mut characters, mut every) = (0, 0);
        for Self(width) in all {
            characters += usize::from(width & MOST);
            every |= width;
        }
        (every & UNTOLD == 0).then_some((characters, Self(every & !MOST)))
    }

    /// What characters of the one or the other are beyond.
    pub fn or(self, other: Self) -> Self {
        Self((self.0 | other.0) & !MOST & !UNTOLD)
    }

    /// The largest character that there may be, in one, two or four bytes, or in ASCII.
    pub fn bound(self) -> u32 {
        BOUNDS[(self.0 >> BITS & 7).count_ones() as usize]
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
            for count in [1, 3, 4094, 4095, 4096, 8192] {
                let width = Width::of(character.to_string().repeat(count).as_bytes());
                assert_eq!(Some(width.bound()), bound, "{character:?}");
                let told = (count < 4096).then_some(count);
                let sum = |all: &[Width]| Width::sum(all.iter().copied()).map(|(sum, _)| sum);
                assert_eq!(sum(&[width]), told);
                assert_eq!(sum(&[Width::of(b"ab"), width, Width::NONE]), told.map(|many| many + 2));
                let both = [width.or(Width::of(b"ab")), Width::of(b"ab").or(width)];
                assert_eq!(both.map(|one| Some(one.bound())), [bound; 2]);
            }
        }
        let all = [Width::of(b"\x80\xBF"), Width::of("né".as_bytes()), Width::of("中".as_bytes())];
        let (sum, width) = Width::sum(all.into_iter()).expect("all are told");
        assert_eq!((sum, width.bound()), (3, 0xFFFF));
        assert_eq!(Width::sum([Width::NONE, Width::GAP].into_iter()), None);
    }

    #[test]
    fn a_short_token_is_as_wide_as_its_bytes() {
        let edges = [0, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC3, 0xC4, 0xDF, 0xE0, 0xEF, 0xF0, 0xFF];
        let (mut arena, mut number) = (vec![0xF0; 3], 7_usize);
        for _ in 0..5_000 {
            let start = arena.len();
            number = number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let length = (number >> 40) % 40;
            arena.extend((0..length).map(|at| edges[(number >> 8 >> (at % 20)) % edges.len()]));
            let place = (start as u32, length as u32);
            assert_eq!(Width::at(&arena, place), Width::of(&arena[start..]), "at the end");
            arena.push(0xF5);
            assert_eq!(Width::at(&arena, place), Width::of(&arena[start..][..length]));
            arena.extend([0xF5; 16]);
            assert_eq!(Width::at(&arena, place), Width::of(&arena[start..][..length]));
            arena.drain(..start);
        }
    }
}
