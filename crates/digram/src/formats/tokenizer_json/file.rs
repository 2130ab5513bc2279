//! The file as it stands in JSON, read without copying what needs no unescaping.

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

use super::extension::ReadExtension;
use crate::components::{AddedToken, Padding, Truncation};
use crate::formats::lines;

/// The whole file. What may be of any kind is kept as text, until it is known how much it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File<'a> {
    #[serde(default, borrow)]
    pub version: Option<&'a RawValue>,
    #[serde(default)]
    pub truncation: Option<Truncation>,
    #[serde(default)]
    pub padding: Option<Padding>,
    #[serde(default)]
    pub added_tokens: Vec<AddedToken>,
    #[serde(default, borrow)]
    pub normalizer: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub pre_tokenizer: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub post_processor: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub decoder: Option<&'a RawValue>,
    #[serde(borrow)]
    pub model: ModelFields<'a>,
}

/// The model. Fields that are not known are passed over, as Hugging Face passes over them.
#[derive(Deserialize)]
pub(super) struct ModelFields<'a> {
    #[serde(rename = "type", default)]
    pub kind: Option<String>,
    #[serde(default)]
    pub dropout: Option<f64>,
    #[serde(default)]
    pub unk_token: Option<String>,
    #[serde(default)]
    pub continuing_subword_prefix: Option<String>,
    #[serde(default)]
    pub end_of_word_suffix: Option<String>,
    #[serde(default)]
    pub fuse_unk: Option<bool>,
    #[serde(default)]
    pub byte_fallback: Option<bool>,
    #[serde(default)]
    pub ignore_merges: Option<bool>,
    #[serde(borrow)]
    pub vocab: Vocab<'a>,
    #[serde(borrow)]
    pub merges: Merges<'a>,
    #[serde(default)]
    pub digram: Option<ReadExtension>,
}

/// The type of a model whose fields may be any.
#[derive(Deserialize)]
pub(super) struct Kind {
    pub model: Option<KindOfModel>,
}

/// See [`Kind`].
#[derive(Deserialize)]
pub(super) struct KindOfModel {
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// A string, borrowed where it can be.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

/// Tokens and their ids, in the order of the file, repetitions included.
pub(in crate::formats) struct Vocab<'a>(pub Vec<(Cow<'a, str>, u32)>);

impl<'de: 'a, 'a> Deserialize<'de> for Vocab<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VocabVisitor;
        impl<'de> Visitor<'de> for VocabVisitor {
            type Value = Vocab<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of tokens and their ids")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Vocab<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((Text(token), id)) = map.next_entry()? {
                    entries.push((token, id));
                }
                Ok(Vocab(entries))
            }
        }
        deserializer.deserialize_map(VocabVisitor)
    }
}

/// Entries of a vocabulary as a JSON object, in their order.
pub(in crate::formats) struct ById<'a>(pub &'a [(Cow<'a, str>, u32)]);

impl Serialize for ById<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(token, id)| (token, id)))
    }
}

/// The two parts of a merge.
pub(super) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Merges, each as `"left right"` or as `["left", "right"]`.
pub(super) struct Merges<'a>(pub Vec<Pair<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for Merges<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MergesVisitor;
        impl<'de> Visitor<'de> for MergesVisitor {
            type Value = Merges<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a list of merges")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Merges<'de>, A::Error> {
                let mut merges = Vec::new();
                for position in 0.. {
                    match seq.next_element()? {
                        None => break,
                        // a version line that came along from merges.txt; Hugging Face skips it
                        Some(Spelled::Line(line)) if lines::has_version(&line) => {}
                        Some(spelled) => merges.push(spelled.pair(position)?),
                    }
                }
                Ok(Merges(merges))
            }
        }
        deserializer.deserialize_seq(MergesVisitor)
    }
}

/// A merge as it stands in the file.
enum Spelled<'a> {
    Line(Cow<'a, str>),
    Pair(Pair<'a>),
}

impl<'a> Spelled<'a> {
    fn pair<E: de::Error>(self, position: usize) -> Result<Pair<'a>, E> {
        let wrong = |line: &str| {
            let line = lines::shortened(line);
            E::custom(format_args!(
                "merges[{position}] is {line:?}, not two tokens with one space between"
            ))
        };
        match self {
            Self::Pair(pair) => Ok(pair),
            Self::Line(Cow::Borrowed(line)) => {
                let (left, right) = lines::pair(line).ok_or_else(|| wrong(line))?;
                Ok((Cow::Borrowed(left), Cow::Borrowed(right)))
            }
            Self::Line(Cow::Owned(line)) => {
                let (left, right) = lines::pair(&line).ok_or_else(|| wrong(&line))?;
                Ok((Cow::Owned(left.to_owned()), Cow::Owned(right.to_owned())))
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Spelled<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpelledVisitor;
        impl<'de> Visitor<'de> for SpelledVisitor {
            type Value = Spelled<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a merge: two tokens")
            }
            fn visit_borrowed_str<E>(self, line: &'de str) -> Result<Spelled<'de>, E> {
                Ok(Spelled::Line(Cow::Borrowed(line)))
            }
            fn visit_str<E>(self, line: &str) -> Result<Spelled<'de>, E> {
                Ok(Spelled::Line(Cow::Owned(line.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Spelled<'de>, A::Error> {
                let mut part = |count| {
                    let text = seq.next_element::<Text>()?;
                    text.map(|text| text.0).ok_or_else(|| de::Error::invalid_length(count, &self))
                };
                let pair = (part(0)?, part(1)?);
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(Spelled::Pair(pair)),
                    Some(_) => Err(de::Error::invalid_length(3, &self)),
                }
            }
        }
        deserializer.deserialize_any(SpelledVisitor)
    }
}
