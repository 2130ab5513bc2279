//! The characters of a text, and the fragments of them that tokens begin and end with, as numbers.

/// A character, or a fragment of one: its bytes as a number, the first byte the highest.
#[derive(Clone, Copy)]
pub(super) struct Character {
    pub packed: u32,
    /// How many bytes.
    pub length: usize,
}

impl Character {
    pub fn of(bytes: &[u8]) -> Self {
        let packed = bytes.iter().fold(0, |all, &byte| all << 8 | u32::from(byte));
        Self { packed, length: bytes.len() }
    }

    /// The character of a text at `place`.
    #[inline]
    pub fn at(text: &[u8], place: usize) -> Self {
        let length = length(text[place]);
        match text.get(place..place + 4) {
            Some(four) => {
                let four = u32::from_be_bytes(four.try_into().expect("it is 4 bytes long"));
                Self { packed: four >> (32 - 8 * length), length }
            }
            None => Self::of(&text[place..place + length]),
        }
    }

    /// The character and the fragments that it ends with.
    pub fn ends(self) -> impl Iterator<Item = u32> {
        (1..=self.length).map(move |kept| self.packed & (u32::MAX >> (32 - 8 * kept)))
    }

    /// The character and the fragments that it begins with.
    pub fn beginnings(self) -> impl Iterator<Item = u32> {
        (0..self.length).map(move |left_out| self.packed >> (8 * left_out))
    }
}

/// How many bytes of ASCII begin at `place`, where there is one: up to eight.
#[inline]
pub(super) fn ascii_run(text: &[u8], place: usize) -> usize {
    let Some(eight) = text.get(place..place + 8) else { return 1 };
    let eight = u64::from_le_bytes(eight.try_into().expect("they are 8 bytes"));
    ((eight & 0x8080_8080_8080_8080).trailing_zeros() / 8) as usize
}

pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// How many bytes the character has that begins with `lead`.
pub(super) fn length(lead: u8) -> usize {
    match lead {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}
