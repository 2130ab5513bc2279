//! Truncation and padding, as `tokenizer.json` has them: kept for those who apply them.

use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};

/// A side of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Direction {
    /// The beginning.
    Left,
    /// The end.
    #[default]
    Right,
}

/// Which of two texts is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TruncationStrategy {
    /// The longer one, id by id.
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// How long texts are cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// From which side.
    #[serde(default)]
    pub direction: Direction,
    /// The most ids.
    #[serde(deserialize_with = "super::count")]
    pub max_length: usize,
    /// Which of two texts.
    pub strategy: TruncationStrategy,
    /// How many ids the parts of a text share.
    #[serde(deserialize_with = "super::count")]
    pub stride: usize,
}

impl Truncation {
    /// Refuses parts that share all they have: there would be no end of them.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { max_length, stride, .. } = self;
        if *stride > 0 && stride >= max_length {
            return Err(Error::Format(format!(
                "truncation: stride is {stride}, which must be less than max_length, {max_length}"
            )));
        }
        Ok(())
    }
}

/// To which length texts are filled up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PaddingStrategy {
    /// That of the longest.
    BatchLongest,
    /// A given one.
    Fixed(usize),
}

/// How short texts are filled up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Padding {
    /// To which length.
    pub strategy: PaddingStrategy,
    /// On which side.
    pub direction: Direction,
    /// And on, to a multiple of this; in a file 0 is none.
    #[serde(default, deserialize_with = "positive")]
    pub pad_to_multiple_of: Option<usize>,
    /// With this id.
    pub pad_id: u32,
    /// Of this type.
    pub pad_type_id: u32,
    /// Which is this token.
    pub pad_token: String,
}

fn positive<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<usize>, D::Error> {
    let number = Option::deserialize(deserializer)?;
    Ok(number.filter(|&number| number > 0))
}

impl Padding {
    /// Refuses multiples of nothing.
    pub(crate) fn check(&self) -> Result<()> {
        if self.pad_to_multiple_of == Some(0) {
            return Err(Error::Format(
                "padding: pad_to_multiple_of is 0; leave it out, or give 1 or more".into(),
            ));
        }
        Ok(())
    }
}
