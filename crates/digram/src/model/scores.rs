//! Vocabularies by scores: pieces, and what each of them is.

use serde::{Deserialize, Serialize};

use super::{Model, Rule, Units};
use crate::error::{Error, Result};
use crate::vocabulary::Vocabulary;

/// What a piece of a vocabulary by scores is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Made by merging.
    Normal,
    /// Stands for what no piece is.
    Unknown,
    /// Never made from text, and no text when it is decoded.
    Control,
    /// Matched whole before merging, the longest first, and never merged.
    UserDefined,
    /// Made by merging, then given back: the parts that it was made of stand there instead.
    Unused,
    /// A byte of what no piece is.
    Byte,
}

impl Kind {
    /// Whether merging makes such pieces.
    pub fn merges(self) -> bool {
        matches!(self, Self::Normal | Self::Unused)
    }

    /// The kind of this name. Fails where there is none.
    pub fn named(name: &str) -> Result<Self> {
        let all = [
            Self::Normal,
            Self::Unknown,
            Self::Control,
            Self::UserDefined,
            Self::Unused,
            Self::Byte,
        ];
        all.into_iter().find(|kind| kind.as_str() == name).ok_or_else(|| {
            let known = all.map(Self::as_str).join(", ");
            Error::Value(format!("the kind of a piece is {name:?}; it is one of {known}"))
        })
    }

    /// The kind in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Unknown => "unknown",
            Self::Control => "control",
            Self::UserDefined => "user-defined",
            Self::Unused => "unused",
            Self::Byte => "byte",
        }
    }
}

/// What the rule by scores knows of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The token.
    pub id: u32,
    /// The higher goes first.
    pub score: f32,
    /// What it is.
    pub kind: Kind,
}

// a score is a number: checked before anything relies on it
impl Eq for Piece {}

impl Piece {
    fn check_in(self, model: &Model) -> Result<()> {
        let Self { id, score, kind } = self;
        if !model.vocabulary.contains(id) {
            return Err(Error::Format(format!("piece {id} is not in the vocabulary")));
        }
        if !score.is_finite() {
            return Err(Error::Format(format!(
                "the score of piece {id} is {score}, not a finite number"
            )));
        }
        if model.vocabulary.bytes(id).is_empty() {
            return Err(Error::Format(format!("piece {id} is empty")));
        }
        if kind.merges() != model.vocabulary.merges(id) {
            return Err(Error::Format(format!(
                "piece {id} is {}, and so is no plain text",
                kind.as_str()
            )));
        }
        Ok(())
    }
}

/// A vocabulary by scores, as `SentencePiece` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// Its pieces, by id.
    pub pieces: Vec<Piece>,
    /// The control piece that begins a text, if any; no text becomes it.
    pub bos: Option<u32>,
    /// The control piece that ends a text.
    pub eos: Option<u32>,
    /// The control piece that fills up.
    pub pad: Option<u32>,
    /// Texts, and the pieces that the trainer made of each, with spaces between; kept, not run.
    pub self_test: Vec<(String, String)>,
}

impl Scores {
    /// The ids of a kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = u32> {
        self.pieces.iter().filter(move |piece| piece.kind == kind).map(|piece| piece.id)
    }

    /// The score of a piece.
    pub fn score(&self, id: u32) -> Option<f32> {
        let is_it = |piece: &&Piece| piece.id == id;
        let usual = self.pieces.get(id as usize).filter(is_it);
        let search = || self.pieces.binary_search_by_key(&id, |piece| piece.id).ok();
        usual.or_else(|| search().map(|place| &self.pieces[place])).map(|piece| piece.score)
    }

    /// Adds pieces that go behind all others, in this order. What a trainer made of texts is not what these
    /// pieces make of them.
    pub(crate) fn append(&mut self, ids: impl Iterator<Item = u32>) {
        self.self_test.clear();
        let mut lowest = self.pieces.iter().map(|piece| piece.score).fold(0.0, f32::min);
        for id in ids {
            lowest = (lowest - 1.0).min(lowest.next_down());
            self.pieces.push(Piece { id, score: lowest, kind: Kind::Normal });
        }
    }

    /// Adds pieces that are never made of text, with ids behind those there are.
    pub(crate) fn add_controls(&mut self, ids: impl Iterator<Item = u32>) {
        self.pieces.extend(ids.map(|id| Piece { id, score: 0.0, kind: Kind::Control }));
    }

    /// Checks that the pieces are tokens of a model that can be merged by scores.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        if model.units != Units::Chars {
            return Err(Error::Format("the rule by scores goes with units \"chars\" only".into()));
        }
        let has_marker = model.end_of_word.is_some() || model.ignore_merges || model.drops_unknown;
        if has_marker {
            return Err(Error::Format(
                "the rule by scores goes without end_of_word, ignore_merges and drops_unknown"
                    .into(),
            ));
        }
        let mut before = None;
        for piece in &self.pieces {
            piece.check_in(model)?;
            if before >= Some(piece.id) {
                return Err(Error::Format(format!("piece {} is listed twice", piece.id)));
            }
            before = Some(piece.id);
        }
        self.check_roles(model)?;
        self.check_bytes(model)
    }

    /// The unknown piece is the only one, and begin, end and padding are control pieces.
    fn check_roles(&self, model: &Model) -> Result<()> {
        let unknown: Vec<u32> = self.of_kind(Kind::Unknown).collect();
        if unknown.len() != 1
            || model.unknown.as_ref().map(|unknown| unknown.id) != Some(unknown[0])
        {
            return Err(Error::Format(format!(
                "{} pieces are unknown; one is, and it is the model's unknown token",
                unknown.len()
            )));
        }
        for (name, id) in [("bos", self.bos), ("eos", self.eos), ("pad", self.pad)] {
            let Some(id) = id else { continue };
            if !self.of_kind(Kind::Control).any(|control| control == id) {
                return Err(Error::Format(format!("{name} is {id}, which is no control piece")));
            }
        }
        Ok(())
    }

    fn check_bytes(&self, model: &Model) -> Result<()> {
        let mut found = [false; 256];
        for id in self.of_kind(Kind::Byte) {
            let spelling = model.vocabulary.bytes(id);
            let Some(byte) = crate::merge::fallback::byte_of(spelling) else {
                let spelling = String::from_utf8_lossy(spelling);
                return Err(Error::Format(format!("{spelling:?} is a byte piece, but no byte")));
            };
            found[usize::from(byte)] = true;
        }
        match found.iter().position(|&found| found != model.byte_fallback) {
            None => Ok(()),
            Some(byte) if model.byte_fallback => Err(Error::Format(format!(
                "byte_fallback is true, but there is no piece for the byte <0x{byte:02X}>"
            ))),
            Some(byte) => Err(Error::Format(format!(
                "byte_fallback is false, but there is a piece for the byte <0x{byte:02X}>"
            ))),
        }
    }
}

impl Model {
    /// The user-defined pieces, and their texts.
    pub(crate) fn user_defined(&self) -> Vec<(u32, String)> {
        let Rule::Scores(scores) = &self.rule else { return Vec::new() };
        let text = |id| String::from_utf8_lossy(self.vocabulary.bytes(id)).into_owned();
        scores.of_kind(Kind::UserDefined).map(|id| (id, text(id))).collect()
    }
}

impl Rule {
    /// The piece of a vocabulary by scores with these bytes, whether text becomes it or not.
    pub(super) fn piece(&self, vocabulary: &Vocabulary, bytes: &[u8]) -> Option<u32> {
        let Self::Scores(scores) = self else { return None };
        scores.pieces.iter().map(|piece| piece.id).find(|&id| vocabulary.bytes(id) == bytes)
    }
}
