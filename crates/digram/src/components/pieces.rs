//! The decoder of `SentencePiece`: pieces back to text.

use serde::{Deserialize, Serialize};

use super::normalizer::{self, VISIBLE_SPACE};
use super::{Normalizer, Rewriter, Unicode, yes};
use crate::error::Result;
use crate::merge::fallback;
use crate::model::{Kind, Model, Rule};

/// What stands for a byte that is no UTF-8.
const REPLACEMENT: &str = "\u{FFFD}";

/// Pieces become text: control pieces nothing, the unknown piece its surface, byte pieces their
/// bytes; visible spaces become spaces, but for the one that was put before the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SentencePiece {
    /// What the unknown piece becomes.
    #[serde(default = "unk_surface")]
    pub unk_surface: String,
    /// The text began with a space that was put before it.
    #[serde(default = "yes")]
    pub add_dummy_prefix: bool,
    /// The text began with no space of its own.
    #[serde(default = "yes")]
    pub remove_extra_whitespaces: bool,
    /// What is done to the text at last.
    #[serde(default)]
    pub denormalizer: Option<normalizer::SentencePiece>,
}

/// The usual surface: a double question mark between spaces.
pub fn unk_surface() -> String {
    " \u{2047} ".into()
}

/// What a piece becomes.
#[derive(Clone, Copy)]
enum Becomes {
    Text,
    Nothing,
    Unknown,
    Byte(u8),
}

/// The decoder, ready to run.
pub(crate) struct Pieces {
    described: SentencePiece,
    denormalizer: Option<Rewriter>,
    /// By id.
    becomes: Vec<Becomes>,
}

impl Pieces {
    /// Fails where the table of the denormalizer is damaged.
    pub fn of(model: &Model, described: &SentencePiece) -> Result<Self> {
        let denormalizer = described.denormalizer.clone().map(Normalizer::SentencePiece);
        let ready = |normalizer| Rewriter::new(Some(&normalizer), Unicode::default());
        let mut becomes = vec![Becomes::Text; model.vocabulary.ids()];
        if let Rule::Scores(scores) = &model.rule {
            for piece in scores.pieces.iter().filter(|piece| piece.kind != Kind::Normal) {
                let byte = || fallback::byte_of(model.vocabulary.bytes(piece.id));
                becomes[piece.id as usize] = match piece.kind {
                    Kind::Control => Becomes::Nothing,
                    Kind::Unknown => Becomes::Unknown,
                    Kind::Byte => byte().map_or(Becomes::Text, Becomes::Byte),
                    Kind::Normal | Kind::Unused | Kind::UserDefined => Becomes::Text,
                };
            }
        }
        let denormalizer = denormalizer.map(ready).transpose()?;
        Ok(Self { described: described.clone(), denormalizer, becomes })
    }

    /// Appends the bytes of `ids`. With `replaces`, each byte that is no UTF-8 becomes U+FFFD, as
    /// it does where there is a denormalizer.
    pub fn join(
        &self,
        model: &Model,
        ids: impl Iterator<Item = u32>,
        replaces: bool,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let mut text = Text {
            bytes: Vec::new(),
            run: Vec::new(),
            replaces: replaces || self.denormalizer.is_some(),
            at_beginning: true,
            began_with_space: false,
        };
        for id in ids {
            self.add(model, id, &mut text);
        }
        text.end_run();
        match (&self.denormalizer, std::str::from_utf8(&text.bytes)) {
            (Some(rewriter), Ok(text)) => bytes.extend(rewriter.normalize(text)?.bytes()),
            _ => bytes.extend(text.bytes),
        }
        Ok(())
    }

    fn add(&self, model: &Model, id: u32, text: &mut Text) {
        if let Becomes::Byte(byte) = self.becomes[id as usize] {
            return text.run.push(byte);
        }
        text.end_run();
        if text.began_with_space || !text.bytes.is_empty() {
            text.at_beginning = false;
        }
        text.began_with_space = false;
        match self.becomes[id as usize] {
            Becomes::Unknown => text.bytes.extend(self.described.unk_surface.bytes()),
            Becomes::Text => self.add_text(model.vocabulary.bytes(id), text),
            Becomes::Nothing | Becomes::Byte(_) => {}
        }
    }

    fn add_text(&self, mut piece: &[u8], text: &mut Text) {
        let SentencePiece { add_dummy_prefix, remove_extra_whitespaces, .. } = self.described;
        if text.at_beginning
            && (add_dummy_prefix || remove_extra_whitespaces)
            && let Some(rest) = piece.strip_prefix(VISIBLE_SPACE.as_bytes())
        {
            piece = rest;
            // where all blanks at the beginning go, the next piece may lose one too
            text.began_with_space = !remove_extra_whitespaces;
        }
        while let Some(at) = memchr::memmem::find(piece, VISIBLE_SPACE.as_bytes()) {
            text.bytes.extend_from_slice(&piece[..at]);
            text.bytes.push(b' ');
            piece = &piece[at + VISIBLE_SPACE.len()..];
        }
        text.bytes.extend_from_slice(piece);
    }
}

/// A text as it grows.
struct Text {
    bytes: Vec<u8>,
    /// The bytes of byte pieces that follow each other.
    run: Vec<u8>,
    replaces: bool,
    at_beginning: bool,
    /// The piece before began with the space that was put before the text.
    began_with_space: bool,
}

impl Text {
    fn end_run(&mut self) {
        if !self.replaces {
            self.bytes.append(&mut self.run);
            return;
        }
        for chunk in self.run.utf8_chunks() {
            self.bytes.extend_from_slice(chunk.valid().as_bytes());
            for _ in chunk.invalid() {
                self.bytes.extend_from_slice(REPLACEMENT.as_bytes());
            }
        }
        self.run.clear();
    }
}
