//! What tokens become in a text, by id, as it is copied into one.

use super::PADDING;

/// How many bytes a place has.
const BYTES: usize = PADDING;
/// What stands for the length of a longer text.
const LONG: u8 = BYTES as u8;
/// The same where there is none.
const NONE: u8 = LONG + 1;
/// The same where there is a byte of what is a text with others.
const BYTE: u8 = LONG + 2;

/// A text of up to fifteen bytes, and behind them how many they are; or that it is longer, that there is
/// none, or only a byte. It lies in one line of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(16))]
pub(crate) struct Short([u8; BYTES]);

impl Short {
    /// Where there is no text.
    pub const NONE: Self = Self([NONE; BYTES]);

    /// What begins in these bytes, and is so long.
    pub fn of(bytes: &[u8], length: usize) -> Self {
        let mut short = [0; BYTES];
        let some = length.min(BYTES);
        match bytes.first_chunk() {
            Some(first) => short = *first,
            None => short[..some].copy_from_slice(&bytes[..some]),
        }
        short[BYTES - 1] = length.min(usize::from(LONG)) as u8;
        Self(short)
    }

    /// Where there is a byte.
    pub fn of_byte(byte: u8) -> Self {
        let mut short = [BYTE; BYTES];
        short[0] = byte;
        Self(short)
    }

    /// The byte, where there is one.
    pub fn byte(&self) -> Option<u8> {
        (self.0[BYTES - 1] == BYTE).then_some(self.0[0])
    }

    /// Whether there is a text.
    pub fn is_text(&self) -> bool {
        self.0[BYTES - 1] <= LONG
    }

    /// Its bytes, and others behind them.
    #[inline]
    pub fn padded(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// How many of them count; `None` where it is longer, or there is none.
    #[inline]
    pub fn length(&self) -> Option<usize> {
        let length = self.0[BYTES - 1];
        (length < LONG).then_some(usize::from(length))
    }

    /// How many bytes of each of some count; `None` where one is longer, or there is none: without a branch for each.
    #[inline]
    pub fn lengths<const COUNT: usize>(some: [&Self; COUNT]) -> Option<[usize; COUNT]> {
        let lengths = some.map(|short| short.0[BYTES - 1]);
        let all = lengths.iter().fold(0, |all, length| all | length);
        // what is no length has a bit that no length has; told so that what they add up to is known to be small
        (all < LONG).then_some(lengths.map(|length| usize::from(length % LONG)))
    }
}

/// Texts by id.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    pub shorts: &'a [Short],
    /// The texts, one behind the other.
    pub arena: &'a [u8],
    /// Where each begins there, and where the last one ends.
    pub starts: &'a [u32],
}

impl<'a> Texts<'a> {
    /// The text of an id, if it has one.
    pub fn get(self, id: u32) -> Option<&'a [u8]> {
        let at = id as usize;
        let is_there = self.shorts.get(at)?.is_text();
        is_there.then(|| &self.arena[self.starts[at] as usize..self.starts[at + 1] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_there_and_long_ones_are_not() {
        let arena: Vec<u8> = (1..=200).collect();
        for (start, length) in [(0, 0), (3, 1), (8, 14), (9, 15), (10, 16), (0, 200), (190, 10)] {
            let text = &arena[start..];
            let expected = (length < 16).then_some(&text[..length]);
            for short in [Short::of(text, length), Short::of(&text[..length], length)] {
                assert_eq!(short.length().map(|length| &short.padded()[..length]), expected);
                assert!(short.is_text() && short.byte().is_none());
                let two = Short::lengths([&short, &Short::of(b"ab", 2)]);
                assert_eq!(two, expected.map(|text| [text.len(), 2]));
            }
        }
        let none = [Short::NONE, Short::of_byte(7)];
        assert!(none.iter().all(|short| short.length().is_none() && !short.is_text()));
        assert_eq!(none.map(|short| short.byte()), [None, Some(7)]);
    }

    #[test]
    fn texts_are_found_by_id() {
        let shorts =
            [Short::of(b"a", 1), Short::of_byte(7), Short::NONE, Short::of(&[b'x'; 20], 20)];
        let (arena, starts) = (format!("a{:x<20}", ""), [0, 1, 1, 1, 21]);
        let texts = Texts { shorts: &shorts, arena: arena.as_bytes(), starts: &starts };
        let found = [0, 1, 2, 3, 4].map(|id| texts.get(id));
        assert_eq!(found, [Some(&b"a"[..]), None, None, Some(&[b'x'; 20][..]), None]);
    }
}
