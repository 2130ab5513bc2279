//! The metadata of a GGUF file: keys and values of many types, of which a few concern us.
//!
//! Every length is checked against what is left of the file before anything is allocated.

use crate::error::{Error, Result};
use crate::limits::Limits;

/// How a file begins.
pub(super) const MAGIC: &[u8] = b"GGUF";
/// Versions with lengths of 64 bits.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;

/// The number of a type of values.
const U32: u32 = 4;
const I32: u32 = 5;
const STRING: u32 = 8;
const LIST: u32 = 9;

/// What a file says about its tokenizer.
#[derive(Default)]
pub(super) struct Metadata<'a> {
    pub model: Option<&'a str>,
    pub pre: Option<&'a str>,
    pub tokens: Option<Vec<&'a str>>,
    pub merges: Option<Vec<&'a str>>,
    pub types: Option<Vec<u32>>,
}

impl<'a> Metadata<'a> {
    /// Reads the metadata at the beginning of a file.
    pub fn read(bytes: &'a [u8], limits: &'a Limits) -> Result<Self> {
        let mut rest = Rest { bytes, at: 0, limits };
        if rest.take(MAGIC.len() as u64)? != MAGIC {
            return Err(Error::Format("the file does not begin with \"GGUF\"".into()));
        }
        check_version(rest.number()?)?;
        let _tensors = rest.length()?;
        let mut metadata = Self::default();
        for _ in 0..rest.length()? {
            let key = rest.string()?;
            let kind = rest.number()?;
            metadata.value(key, kind, &mut rest).map_err(|error| error.at(shown(key)))?;
        }
        Ok(metadata)
    }

    fn value(&mut self, key: &str, kind: u32, rest: &mut Rest<'a>) -> Result<()> {
        match key.strip_prefix("tokenizer.ggml.") {
            Some("model") => self.model = Some(rest.of(kind, STRING, Rest::string)?),
            Some("pre") => self.pre = Some(rest.of(kind, STRING, Rest::string)?),
            Some("tokens") => self.tokens = Some(rest.of(kind, LIST, Rest::strings)?),
            Some("merges") => self.merges = Some(rest.of(kind, LIST, Rest::strings)?),
            Some("token_type") => self.types = Some(rest.of(kind, LIST, Rest::numbers)?),
            _ => rest.skip(kind, 1)?,
        }
        Ok(())
    }
}

fn check_version(version: u32) -> Result<()> {
    if VERSIONS.contains(&version) {
        return Ok(());
    }
    let what = if VERSIONS.contains(&version.swap_bytes()) {
        "its numbers are big-endian".to_owned()
    } else {
        format!("its version is {version}")
    };
    Err(Error::Format(format!(
        "{what}, which is not supported; little-endian files of version 2 or 3 are"
    )))
}

fn shown(key: &str) -> std::borrow::Cow<'_, str> {
    crate::formats::lines::shortened(key)
}

/// What is left of a file.
struct Rest<'a> {
    bytes: &'a [u8],
    at: usize,
    limits: &'a Limits,
}

impl<'a> Rest<'a> {
    fn take(&mut self, count: u64) -> Result<&'a [u8]> {
        let left = &self.bytes[self.at..];
        let Some(taken) = usize::try_from(count).ok().and_then(|count| left.get(..count)) else {
            return Err(Error::Format(format!(
                "byte {}: {count} bytes should follow, but the file has {} more",
                self.at,
                left.len()
            )));
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes were taken")))
    }

    fn length(&mut self) -> Result<u64> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
    }

    fn string(&mut self) -> Result<&'a str> {
        let length = self.length()?;
        let at = self.at;
        std::str::from_utf8(self.take(length)?).map_err(|error| {
            Error::Format(format!("byte {} is not valid UTF-8", at + error.valid_up_to()))
        })
    }

    /// Reads a value whose type must be the `wanted` one.
    fn of<T>(&mut self, kind: u32, wanted: u32, read: fn(&mut Self) -> Result<T>) -> Result<T> {
        if kind == wanted {
            return read(self);
        }
        Err(Error::Format(format!("its type is {kind}, but it should be {wanted}")))
    }

    fn strings(&mut self) -> Result<Vec<&'a str>> {
        self.list(&[STRING], Self::string)
    }

    /// Whole numbers of 32 bits; negative ones become large.
    fn numbers(&mut self) -> Result<Vec<u32>> {
        self.list(&[U32, I32], Self::number)
    }

    fn list<T>(&mut self, kinds: &[u32], read: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let kind = self.number()?;
        if !kinds.contains(&kind) {
            return Err(Error::Format(format!(
                "the type of its items is {kind}, but it should be {}",
                kinds[kinds.len() - 1]
            )));
        }
        // no capacity in advance: the count may be anything
        (0..self.length()?).map(|_| read(self)).collect()
    }

    fn skip(&mut self, kind: u32, depth: u64) -> Result<()> {
        match kind {
            STRING => {
                let length = self.length()?;
                self.take(length).map(drop)
            }
            LIST => self.skip_list(depth),
            _ => self.take(size(kind)?).map(drop),
        }
    }

    fn skip_list(&mut self, depth: u64) -> Result<()> {
        let (kind, count) = (self.number()?, self.length()?);
        if matches!(kind, STRING | LIST) {
            self.limits.check_depth(depth)?;
            return (0..count).try_for_each(|_| self.skip(kind, depth + 1));
        }
        self.take(size(kind)?.saturating_mul(count)).map(drop)
    }
}

/// The bytes that a value of a type has.
fn size(kind: u32) -> Result<u64> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(Error::Format(format!("{kind} is no type of a value"))),
    }
}
