//! Protocol buffers as they stand in a file: numbered fields, one after the other.

use super::field;
use crate::error::{Error, Result};

/// The value of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// A number of variable length.
    Number(u64),
    /// Four bytes.
    Four(u32),
    /// Eight bytes, which no field of ours has.
    Eight,
    /// Bytes: a text, or fields again.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// The bytes, if it is bytes.
    pub fn bytes(self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The fields of a message, if it is bytes.
    pub fn message(self) -> Option<Fields<'a>> {
        self.bytes().map(Fields::of)
    }
}

/// The fields of a message, in order. A damaged one is the last.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields in `bytes`.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn field(&mut self) -> Option<(u32, Value<'a>)> {
        let tag = self.number()?;
        let number = u32::try_from(tag >> 3).ok().filter(|&number| number > 0)?;
        let value = match tag & 7 {
            0 => Value::Number(self.number()?),
            1 => self.take(8).map(|_| Value::Eight)?,
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Four(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((number, value))
    }

    /// The next piece, if it is spelled as most are: a short text, then a score, then nothing.
    /// Nothing is taken otherwise.
    #[inline]
    pub fn usual_piece(&mut self) -> Option<(&'a [u8], f32)> {
        const PIECE: u8 = (field::PIECES as u8) << 3 | 2;
        const TEXT: u8 = (field::piece::TEXT as u8) << 3 | 2;
        const SCORE: u8 = (field::piece::SCORE as u8) << 3 | 5;
        let &[PIECE, length, TEXT, text @ 1..=0x70, ref rest @ ..] = self.rest else {
            return None;
        };
        if length != text + 7 {
            return None; // it has more fields, or fewer
        }
        let (text, rest) = rest.split_at_checked(usize::from(text))?;
        let &[SCORE, a, b, c, d, ref rest @ ..] = rest else { return None };
        self.rest = rest;
        Some((text, f32::from_le_bytes([a, b, c, d])))
    }

    /// A number: seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<u64> {
        if let [byte @ ..0x80, rest @ ..] = self.rest {
            self.rest = rest;
            return Some(u64::from(*byte)); // most are small
        }
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let left = self.rest.len();
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or_else(|| {
            Error::Format(format!("a damaged field, {left} bytes before the end of its message"))
        }))
    }
}

/// Fields as they are written.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Adds a number.
    pub fn number(&mut self, field: u32, value: u64) -> &mut Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    /// Adds a flag.
    pub fn flag(&mut self, field: u32, value: bool) -> &mut Self {
        self.number(field, u64::from(value))
    }

    /// Adds an id, or -1 for none.
    pub fn id(&mut self, field: u32, id: Option<u32>) -> &mut Self {
        self.number(field, id.map_or(u64::MAX, u64::from))
    }

    /// Adds a number of four bytes.
    pub fn float(&mut self, field: u32, value: f32) -> &mut Self {
        self.varint(u64::from(field) << 3 | 5);
        self.bytes.extend(value.to_le_bytes());
        self
    }

    /// Adds bytes.
    pub fn bytes(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    /// Adds a message.
    pub fn message(&mut self, field: u32, value: &Self) -> &mut Self {
        self.bytes(field, &value.bytes)
    }

    /// What was added.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}
