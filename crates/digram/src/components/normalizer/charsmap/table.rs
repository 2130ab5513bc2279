//! The table of a charsmap as components hold it.
//!
//! In JSON it is base64, in a `.model` it is bytes, and it may be long: so it is kept as bytes, which
//! copies share, and spelled when it is written.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{UNIT, damaged};
use crate::error::Result;

/// The bytes of a precompiled charsmap; none where nothing is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table(Held);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Held {
    Bytes(Arc<[u8]>),
    /// A text that is no base64, for the error that tells so.
    Damaged(String),
}

impl Default for Table {
    fn default() -> Self {
        Self::of(&[])
    }
}

impl Table {
    /// A table of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Held::Bytes(bytes.into()))
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Held::Bytes(bytes) if bytes.is_empty())
    }

    /// Its bytes. Fails where they were not spelled as base64.
    pub fn bytes(&self) -> Result<&[u8]> {
        match &self.0 {
            Held::Bytes(bytes) => Ok(bytes),
            Held::Damaged(text) => {
                let error = STANDARD.decode(text).err();
                Err(damaged(&error.map_or_else(String::new, |error| error.to_string())))
            }
        }
    }

    /// Its bytes by the four, without those that are left over.
    #[inline]
    pub(super) fn units(&self) -> &[[u8; UNIT]] {
        match &self.0 {
            Held::Bytes(bytes) => bytes.as_chunks().0,
            Held::Damaged(_) => &[],
        }
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match &self.0 {
            Held::Bytes(bytes) => serializer.serialize_str(&STANDARD.encode(bytes)),
            Held::Damaged(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(match STANDARD.decode(&text) {
            Ok(bytes) => Held::Bytes(bytes.into()),
            Err(_) => Held::Damaged(text),
        }))
    }
}
