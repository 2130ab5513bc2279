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

    /// Takes in one more piece, or what is shown for it, and appends the bytes that are certain:
    /// none where there is a denormalizer, which sees the whole text.
    pub fn push(
        &self,
        model: &Model,
        id: u32,
        shown: Option<&str>,
        text: &mut Text,
        bytes: &mut Vec<u8>,
    ) {
        self.add(model, id, shown, text);
        if self.denormalizer.is_none() {
            bytes.append(&mut text.bytes);
        }
    }

    /// Appends the bytes that are left. Each byte that is no UTF-8 becomes U+FFFD if the text is to
    /// be one, as it does where there is a denormalizer.
    pub fn finish(&self, text: &mut Text, bytes: &mut Vec<u8>) -> Result<()> {
        self.end_run(text);
        match (&self.denormalizer, std::str::from_utf8(&text.bytes)) {
            (Some(rewriter), Ok(text)) => bytes.extend(rewriter.normalize(text)?.bytes()),
            _ => bytes.append(&mut text.bytes),
        }
        Ok(())
    }

    /// Whether what a piece becomes depends on itself alone: behind a text, and no run of bytes.
    pub fn is_steady(&self, text: &Text) -> bool {
        self.denormalizer.is_none() && text.is_behind && text.run.is_empty()
    }

    /// The byte that is waited with behind a text, if it is one.
    pub fn byte(&self, text: &Text) -> Option<u8> {
        match text.run[..] {
            [byte] if self.denormalizer.is_none() && text.is_behind => Some(byte),
            _ => None,
        }
    }

    /// Appends what a run of byte pieces becomes behind a text.
    pub fn push_run(&self, run: &[u8], text: &mut Text, bytes: &mut Vec<u8>) {
        text.run.extend_from_slice(run);
        self.end_run(text);
        bytes.append(&mut text.bytes);
    }

    fn add(&self, model: &Model, id: u32, shown: Option<&str>, text: &mut Text) {
        let becomes = if shown.is_some() { Becomes::Text } else { self.becomes[id as usize] };
        if let Becomes::Byte(byte) = becomes {
            text.run.push(byte);
            return self.settle(text);
        }
        self.end_run(text);
        if text.began_with_space || text.has_begun {
            text.is_behind = true;
        }
        text.began_with_space = false;
        match becomes {
            Becomes::Unknown => text.add(self.described.unk_surface.as_bytes()),
            Becomes::Text => {
                let piece = shown.map_or_else(|| model.vocabulary.bytes(id), str::as_bytes);
                self.add_text(piece, text);
            }
            Becomes::Nothing | Becomes::Byte(_) => {}
        }
    }

    /// Adds what is certain of a run of byte pieces that goes on: all but what stands behind its last character.
    fn settle(&self, text: &mut Text) {
        let run = std::mem::take(&mut text.run);
        let last = run.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
        let (certain, rest) = run.split_at(run.len() - last);
        self.add_bytes(certain, text);
        text.run = rest.to_vec();
    }

    /// A run of byte pieces ends.
    fn end_run(&self, text: &mut Text) {
        let run = std::mem::take(&mut text.run);
        self.add_bytes(&run, text);
    }

    fn add_bytes(&self, bytes: &[u8], text: &mut Text) {
        if !text.replaces && self.denormalizer.is_none() {
            return text.add(bytes);
        }
        for chunk in bytes.utf8_chunks() {
            text.add(chunk.valid().as_bytes());
            for _ in chunk.invalid() {
                text.add(REPLACEMENT.as_bytes());
            }
        }
    }

    fn add_text(&self, mut piece: &[u8], text: &mut Text) {
        let SentencePiece { add_dummy_prefix, remove_extra_whitespaces, .. } = self.described;
        if !text.is_behind
            && (add_dummy_prefix || remove_extra_whitespaces)
            && let Some(rest) = piece.strip_prefix(VISIBLE_SPACE.as_bytes())
        {
            piece = rest;
            // where all blanks at the beginning go, the next piece may lose one too
            text.began_with_space = !remove_extra_whitespaces;
        }
        while let Some(at) = memchr::memmem::find(piece, VISIBLE_SPACE.as_bytes()) {
            text.add(&piece[..at]);
            text.add(b" ");
            piece = &piece[at + VISIBLE_SPACE.len()..];
        }
        text.add(piece);
    }
}

/// A text as it grows.
#[expect(clippy::struct_excessive_bools, reason = "facts about a text that go together in no way")]
#[derive(Clone, Default)]
pub(crate) struct Text {
    /// Bytes that nobody has taken yet.
    bytes: Vec<u8>,
    /// The bytes of byte pieces that may be the beginning of a character.
    run: Vec<u8>,
    /// Bytes that are no UTF-8 are replaced.
    replaces: bool,
    /// There is text already.
    has_begun: bool,
    /// No space can have been put before what follows.
    is_behind: bool,
    /// The piece before began with the space that was put before the text.
    began_with_space: bool,
}

impl Text {
    /// A text, or the bytes that pieces stand for.
    pub fn new(replaces: bool) -> Self {
        Self { replaces, ..Self::default() }
    }

    /// A text that has begun.
    pub fn behind() -> Self {
        Self { has_begun: true, is_behind: true, ..Self::default() }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.has_begun |= !bytes.is_empty();
        self.bytes.extend_from_slice(bytes);
    }
}
