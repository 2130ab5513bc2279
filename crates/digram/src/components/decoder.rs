//! Decoders: what they are, and the same at work, ids back to bytes.

use serde::{Deserialize, Serialize};

use super::chain::{Chain, Waiting};
use super::pieces::{self, Pieces};
use super::{ByteLevel, Metaspace, Pattern};
use crate::aliases;
use crate::error::Result;
use crate::model::{Model, Units};

/// Turns tokens back into text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Decoder {
    /// Bytes joined.
    ByteLevel(ByteLevel),
    /// Tokens joined; the end-of-word marker becomes a space, except at the end.
    BPEDecoder {
        /// The marker.
        suffix: String,
    },
    /// Tokens joined.
    Fuse,
    /// Tokens with a space between, unless they continue a word.
    WordPiece {
        /// How a token begins that continues a word.
        prefix: String,
        /// Remove the space before punctuation and English endings.
        cleanup: bool,
    },
    /// Repeated tokens once, those of silence not at all.
    CTC {
        /// The token of silence.
        pad_token: String,
        /// The token between words.
        word_delimiter_token: String,
        /// As in `WordPiece`, and a space for the token between words.
        cleanup: bool,
    },
    /// Tokens like `<0xE2>` become bytes; those that are no UTF-8 become U+FFFD, each.
    ByteFallback,
    /// Replace in each token what is found.
    Replace {
        /// What is searched for.
        pattern: Pattern,
        /// What stands there instead.
        content: String,
    },
    /// Remove a character at the ends of each token.
    Strip {
        /// The character.
        content: char,
        /// How many at the beginning, at most.
        #[serde(deserialize_with = "super::count")]
        start: usize,
        /// How many at the end, at most.
        #[serde(deserialize_with = "super::count")]
        stop: usize,
    },
    /// The visible blank becomes a space, or nothing where it was put before the text.
    Metaspace(Metaspace),
    /// All that a `SentencePiece` model does to pieces.
    SentencePiece(pieces::SentencePiece),
    /// One after the other.
    Sequence {
        /// The parts, in order.
        decoders: Vec<Decoder>,
    },
}

impl Decoder {
    /// Whether it asks what each token is, as only a vocabulary by scores tells.
    pub fn needs_scores(&self) -> bool {
        match self {
            Self::SentencePiece(_) => true,
            Self::Sequence { decoders } => decoders.iter().any(Self::needs_scores),
            _ => false,
        }
    }
}

/// A decoder, ready to run.
pub(crate) enum Joiner {
    /// Tokens joined as they are, but for markers.
    Plain(Style),
    /// Pieces of a vocabulary by scores.
    Pieces(Box<Pieces>),
    /// Tokens changed as texts, one decoder after the other.
    Chain(Chain),
}

/// What stands between two tokens, and what the marker becomes.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// A space between tokens: what a file without decoder asks for.
    spaces: bool,
    /// The marker becomes a space, except at the end.
    marker_is_space: bool,
    tokens: Tokens,
    /// The tokens that end words though their bytes hold the marker as text, in order, where it becomes a space.
    twins: Vec<u32>,
}

/// What is written of a token.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Tokens {
    /// Its bytes.
    #[default]
    Bytes,
    /// The bytes that its bytes spell in GPT-2's alphabet.
    Spelled,
    /// How its bytes are spelled in that alphabet.
    Spellings,
}

/// What a joiner waits with, between two ids of a stream.
#[derive(Clone, Default)]
pub(crate) struct Pending {
    /// Whether an id came before.
    follows: bool,
    /// Whether the id before ends a word.
    ended_word: bool,
    chain: Waiting,
    text: String,
    pieces: pieces::Text,
}

impl Pending {
    /// With `replaces`, bytes that are no UTF-8 may be replaced as the decoder has it; without,
    /// they stay where it has them as bytes.
    pub fn new(replaces: bool) -> Self {
        Self { pieces: pieces::Text::new(replaces), ..Self::default() }
    }
}

impl Joiner {
    /// The joiner of a model, by which a text may become so many times longer. Fails where a
    /// pattern does not compile.
    pub fn of(model: &Model, expansion: u64) -> Result<Self> {
        if let Some(Decoder::SentencePiece(described)) = &model.decoder {
            return Ok(Self::Pieces(Box::new(Pieces::of(model, described)?)));
        }
        Ok(match (&model.decoder, style(model)) {
            (Some(decoder), None) => Self::Chain(Chain::new(decoder, expansion)?),
            (_, style) => Self::Plain(style.unwrap_or_default()),
        })
    }

    /// Whether nothing is done to tokens but to join their bytes: no marker is written either.
    pub fn only_joins(&self, model: &Model) -> bool {
        let is_plain = matches!(self, Self::Plain(style) if *style == Style::default());
        is_plain && model.end_of_word.is_none()
    }

    /// Appends the bytes that are certain with one more token: one of the vocabulary, or what is
    /// shown for it.
    pub fn push(
        &self,
        model: &Model,
        id: u32,
        shown: Option<&str>,
        pending: &mut Pending,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        match self {
            Self::Pieces(pieces) => pieces.push(model, id, shown, &mut pending.pieces, bytes),
            Self::Plain(style) => style.push(model, id, shown, pending, bytes),
            Self::Chain(chain) => {
                let Pending { chain: waiting, text, .. } = pending;
                match shown {
                    Some(shown) => chain.push(shown, waiting, text)?,
                    None => chain.push(&model.spelling(id), waiting, text)?,
                }
                bytes.extend(text.drain(..).as_str().as_bytes());
            }
        }
        Ok(())
    }

    /// What is waited with behind a text, where its last token decides nothing of the next.
    pub fn steady(&self) -> Pending {
        let mut pending = Pending { follows: true, ..Pending::new(true) };
        match self {
            Self::Plain(_) => {}
            Self::Pieces(_) => pending.pieces = pieces::Text::behind(),
            Self::Chain(chain) => pending.chain = chain.steady(),
        }
        pending
    }

    /// Whether nothing else is waited with.
    pub fn is_steady(&self, pending: &Pending) -> bool {
        match self {
            Self::Plain(style) => pending.follows && !(style.marker_is_space && pending.ended_word),
            Self::Pieces(pieces) => pieces.is_steady(&pending.pieces),
            Self::Chain(chain) => chain.is_steady(&pending.chain),
        }
    }

    /// The byte that is waited with, if there is nothing else, and with those that follow it is complete where a
    /// token follows that is none.
    pub fn byte(&self, pending: &Pending) -> Option<u8> {
        match self {
            Self::Plain(_) => None,
            Self::Pieces(pieces) => pieces.byte(&pending.pieces),
            Self::Chain(chain) => chain.byte(&pending.chain),
        }
    }

    /// Appends what bytes become that follow each other, behind a text and before a token that is none.
    pub fn push_run(&self, run: &[u8], pending: &mut Pending, bytes: &mut Vec<u8>) {
        match self {
            Self::Pieces(pieces) => pieces.push_run(run, &mut pending.pieces, bytes),
            Self::Chain(chain) => chain.push_run(run, bytes),
            Self::Plain(_) => bytes.extend_from_slice(run), // never asked: it waits with no bytes
        }
    }

    /// Counts tokens that became so many bytes, behind which what is waited with is steady again. Fails
    /// where a text grows beyond measure.
    pub fn passed(
        &self,
        model: &Model,
        ids: &[u32],
        made: usize,
        pending: &mut Pending,
    ) -> Result<()> {
        let Self::Chain(chain) = self else { return Ok(()) };
        let length = ids.iter().map(|&id| model.vocabulary.bytes(id).len()).sum();
        chain.passed(length, made, &mut pending.chain)
    }

    /// Appends the bytes that are left.
    pub fn finish(&self, pending: &mut Pending, bytes: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Plain(_) => {}
            Self::Pieces(pieces) => pieces.finish(&mut pending.pieces, bytes)?,
            Self::Chain(chain) => {
                chain.finish(&mut pending.chain, &mut pending.text)?;
                bytes.extend(pending.text.drain(..).as_str().as_bytes());
            }
        }
        Ok(())
    }
}

impl Style {
    fn push(
        &self,
        model: &Model,
        id: u32,
        shown: Option<&str>,
        pending: &mut Pending,
        bytes: &mut Vec<u8>,
    ) {
        if pending.follows && (self.spaces || (self.marker_is_space && pending.ended_word)) {
            bytes.push(b' ');
        }
        if self.tokens == Tokens::Spellings {
            bytes.extend(shown.map_or_else(|| model.spelling(id), str::to_owned).as_bytes());
            pending.follows = true;
            return;
        }
        let is_twin = shown.is_none() && self.twins.binary_search(&id).is_ok();
        let whole = shown.map_or_else(|| model.vocabulary.bytes(id), str::as_bytes);
        let stem = if is_twin { whole.strip_suffix(&*model.marker_as_text()) } else { None };
        let token = stem.unwrap_or(whole);
        let text = std::str::from_utf8(token).ok().filter(|_| self.tokens == Tokens::Spelled);
        match text.and_then(aliases::unspell) {
            Some(unspelled) => bytes.extend(unspelled),
            None => bytes.extend_from_slice(token),
        }
        pending.follows = true;
        pending.ended_word = is_twin || (shown.is_none() && model.vocabulary.ends_word(id));
        if let (Some(end), true, false) =
            (&model.end_of_word, pending.ended_word, self.marker_is_space)
        {
            bytes.extend_from_slice(end.marker.as_bytes());
        }
    }
}

/// How tokens are joined, where that is all that the decoder does.
///
/// A `BPEDecoder` of Hugging Face looks for its suffix wherever it stands in a spelled token. If it is the
/// model's own marker, words that end are known without looking: there the same letters in a text are
/// text, and bytes are bytes. A token that is both, a word's end and text, is its end, as there.
fn style(model: &Model) -> Option<Style> {
    let plain = Style::default();
    let (spelled, spellings) = match model.units {
        Units::Bytes => (Tokens::Bytes, Tokens::Spellings),
        Units::Chars => (Tokens::Spelled, Tokens::Bytes),
    };
    let Some(decoder) = &model.decoder else {
        return Some(Style { spaces: true, tokens: spellings, ..plain });
    };
    let parts = parts(decoder);
    let (first, others) = parts.split_first().map_or((&Decoder::Fuse, &[][..]), |(f, o)| (*f, o));
    if others.iter().any(|part| !matches!(part, Decoder::Fuse)) {
        return None;
    }
    match first {
        Decoder::Fuse => Some(Style { tokens: spellings, ..plain }),
        // a token that does not spell bytes throughout is shown as it is, and a marker may spell others
        Decoder::ByteLevel(_) if !marker_is_spelled(model) => None,
        Decoder::ByteLevel(_) => Some(Style { tokens: spelled, ..plain }),
        Decoder::BPEDecoder { suffix } => {
            let is_told = model.end_of_word.as_ref().is_some_and(|end| end.marker == *suffix);
            is_told.then(|| Style { marker_is_space: true, twins: model.with_twins(), ..plain })
        }
        _ => None,
    }
}

/// Whether markers become spaces and tokens their bytes: Hugging Face's decoder of markers leaves bytes in
/// GPT-2's alphabet, in which its tokens are spelled.
pub(crate) fn gives_bytes_behind_markers(model: &Model) -> bool {
    model.units == Units::Bytes && style(model).is_some_and(|style| style.marker_is_space)
}

/// Whether the marker, if there is one, is spelled in GPT-2's alphabet as its own bytes are.
fn marker_is_spelled(model: &Model) -> bool {
    model.end_of_word.as_ref().is_none_or(|end| {
        aliases::unspell(&end.marker).is_some_and(|bytes| bytes == end.marker.as_bytes())
    })
}

/// The parts of a decoder, sequences flattened.
pub(super) fn parts(decoder: &Decoder) -> Vec<&Decoder> {
    match decoder {
        Decoder::Sequence { decoders } => decoders.iter().flat_map(parts).collect(),
        part => vec![part],
    }
}
