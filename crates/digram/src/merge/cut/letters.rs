//! Letters of two bytes that all count as joined, as those of Cyrillic where a vocabulary has many tokens of it.
//!
//! Four pages, 256 characters whose first bytes differ in the last two bits alone, are taken together.

use super::character::{Character, length};
use crate::merge::scripts::Scripts;

/// Which they are: a bit for each four pages.
#[derive(Default)]
pub(super) struct Letters(u8);

impl Letters {
    pub fn of(scripts: &Scripts) -> Self {
        Self(scripts.joined())
    }

    /// Whether a character of two bytes that begins so is such a letter.
    #[inline]
    pub fn has(&self, first: u8) -> bool {
        self.0 >> (first >> 2 & 7) & 1 != 0
    }
}

/// Whether two characters of two bytes are of the same pages, told by their first bytes.
#[inline]
fn are_alike(left: u8, right: u8) -> bool {
    (left ^ right) & 0xFC == 0
}

/// Whether a character has as many bytes as one before, and is of the same pages if these are two.
#[inline]
pub(super) fn goes_on<const LENGTH: usize>(before: u8, first: u8) -> bool {
    if LENGTH == 2 { are_alike(before, first) } else { length(first) == LENGTH }
}

/// Where the letters end of the same pages as that at `place`, and the last of them.
#[inline(never)]
pub(super) fn pass(text: &[u8], mut place: usize) -> (usize, Character) {
    const ANY: u64 = 0xC0FC_C0FC_C0FC_C0FC;
    let first = text[place];
    let like = (u64::from(first & 0xFC) | 0x8000).wrapping_mul(0x0001_0001_0001_0001);
    while let Some(four) = text.get(place..).and_then(<[u8]>::first_chunk::<8>) {
        let others = u64::from_le_bytes(*four) & ANY ^ like;
        if others != 0 {
            place += others.trailing_zeros() as usize / 16 * 2;
            return (place, Character::of(&text[place - 2..place]));
        }
        place += 8;
    }
    while text.get(place).is_some_and(|&next| are_alike(first, next)) {
        place += 2;
    }
    (place, Character::of(&text[place - 2..place]))
}
