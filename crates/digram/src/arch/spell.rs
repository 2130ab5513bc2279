//! Bytes written as the characters that spell them.

/// The character that spells each byte, and what is to be known of it.
pub(crate) struct Letters(Box<[Letter; 256]>);

#[derive(Clone, Copy)]
struct Letter {
    /// In UTF-8, if it has one byte and any behind it.
    utf8: [u8; 2],
    length: u8,
    marks: u16,
}

impl Letters {
    /// Those of an alphabet, each with its marks.
    ///
    /// # Panics
    ///
    /// Where a character has more than two bytes.
    pub fn new(alphabet: &[char; 256], marks: impl Fn(char) -> u16) -> Self {
        Self(Box::new(alphabet.map(|letter| {
            let mut utf8 = [0; 2];
            let length = letter.encode_utf8(&mut utf8).len() as u8;
            Letter { utf8, length, marks: marks(letter) }
        })))
    }

    /// How many bytes the character of a byte has, and its marks.
    #[inline]
    pub fn of(&self, byte: u8) -> (usize, u16) {
        let letter = self.0[usize::from(byte)];
        (usize::from(letter.length), letter.marks)
    }
}

/// What was written.
#[derive(Default)]
pub(crate) struct Spelled {
    /// What stands behind `length` is room.
    room: Vec<u8>,
    length: usize,
}

impl Spelled {
    /// Takes back what was written, and has room for so many bytes to be spelled.
    pub fn clear(&mut self, bytes: usize) {
        self.length = 0;
        if self.room.len() < 2 * bytes {
            self.room.resize((2 * bytes).next_power_of_two(), 0);
        }
    }

    /// Spells some bytes, and returns all marks of their characters.
    ///
    /// # Panics
    ///
    /// Where there is no room.
    pub fn add(&mut self, bytes: &[u8], letters: &Letters) -> u16 {
        let (mut at, mut marks) = (self.length, 0);
        for &byte in bytes {
            let letter = letters.0[usize::from(byte)];
            self.room[at..at + 2].copy_from_slice(&letter.utf8);
            at += usize::from(letter.length);
            marks |= letter.marks;
        }
        self.length = at;
        marks
    }

    /// All that was written.
    #[expect(unsafe_code, reason = "what is made of characters is not checked again")]
    pub fn text(&self) -> &str {
        // SAFETY: up to there whole characters were written, one behind the other, and nothing else is.
        unsafe { str::from_utf8_unchecked(&self.room[..self.length]) }
    }

    /// How many bytes it takes.
    pub fn capacity(&self) -> usize {
        self.room.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aliases::{ALIASES, spell};

    #[test]
    fn bytes_are_spelled_as_one_by_one() {
        let letters = Letters::new(&ALIASES, |letter| u16::from(letter == 'a') << 3 | 1);
        let mut spelled = Spelled::default();
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&all[..], b"an a", "中 é".as_bytes(), b""] {
            spelled.clear(2 * bytes.len() + 1);
            let has_a = if bytes.contains(&b'a') { 8 } else { 0 };
            let any = u16::from(!bytes.is_empty());
            assert_eq!(spelled.add(bytes, &letters), has_a | any);
            spelled.add(bytes, &letters);
            assert_eq!(spelled.text(), spell(&[bytes, bytes].concat()));
            assert!(str::from_utf8(spelled.text().as_bytes()).is_ok());
        }
        assert_eq!(all.iter().map(|&byte| letters.of(byte).0).sum::<usize>(), spell(&all).len());
    }
}
