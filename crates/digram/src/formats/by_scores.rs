//! Merging by scores and merging by a list: when the two agree, and the one as the other.
//!
//! What follows rests on what [`crate::merge::scores`] and [`super::ranks`] say: whatever chooses
//! the next merge, if it is the same for a stretch of text alone and within a text, a token is
//! made of the same two parts wherever it is made. So two models agree if merging the text of each
//! token alone makes it of the same parts, and those merges stand in the same order.

mod runs;

use crate::components::normalizer::{SentencePiece, Table};
use crate::components::{AddedToken, Decoder, Normalizer, Pattern, pieces};
use crate::error::Result;
use crate::merge::pairs::{NONE, Pairs};
use crate::merge::{self, fallback, heap, scan};
use crate::model::{Kind, Merge, Model, Piece, Rule, Scores, Units};
use crate::monitor::{Monitor, Nobody};
use crate::vocabulary::{Token, Vocabulary};

const SPACE: &str = "\u{2581}";

/// A model by scores as one by a list, as Hugging Face has it; or why that would give other ids.
pub(super) fn listed(model: &Model, rule: &Scores) -> Result<std::result::Result<Model, String>> {
    if let Some(reason) = needs_scores(model, rule) {
        return Ok(Err(reason));
    }
    let Some(merges) = merge::by_score(model, rule)? else {
        return Ok(Err("pieces hold characters that are no pieces".into()));
    };
    let merges = match runs::untied(model, &merges) {
        Ok(merges) => merges,
        Err(reason) => return Ok(Err(reason)),
    };
    let Some(Normalizer::SentencePiece(normalizer)) = &model.normalizer else {
        return Ok(Err("its normalizer is not SentencePiece's".into()));
    };
    Ok(Ok(Model {
        normalizer: Some(blanks(normalizer.add_dummy_prefix)),
        decoder: Some(joiner(normalizer.add_dummy_prefix)),
        ..plain(model, merges)?
    }))
}

/// A model over characters whose tokens are all alike, with a list of merges.
pub(super) fn plain(model: &Model, merges: Vec<Merge>) -> Result<Model> {
    let vocabulary = &model.vocabulary;
    let tokens = vocabulary.iter().map(|(id, bytes)| Token {
        added_only: vocabulary.added_only(id),
        ..Token::new(id, bytes)
    });
    let vocabulary = Vocabulary::new(tokens.collect())?;
    Ok(Model { vocabulary, rule: Rule::Merges(merges), ..model.clone() })
}

/// What Hugging Face has no part for.
fn needs_scores(model: &Model, rule: &Scores) -> Option<String> {
    let is_usual = |spec: &SentencePiece| {
        spec.precompiled_charsmap.is_empty()
            && !spec.remove_extra_whitespaces
            && spec.escape_whitespaces
            && !spec.treat_whitespace_as_suffix
    };
    match &model.normalizer {
        Some(Normalizer::SentencePiece(spec)) if is_usual(spec) => {}
        _ => return Some("its normalizer is more than a space before".into()),
    }
    if model.pre_tokenizer.is_some() || !model.unknown.as_ref().is_some_and(|u| u.fuse) {
        return Some("it has a pre-tokenizer, or unknown pieces stay apart".into());
    }
    let is_unit = |id| String::from_utf8_lossy(model.vocabulary.bytes(id)).chars().nth(1).is_none();
    let odd = rule.pieces.iter().find(|piece| match piece.kind {
        Kind::Normal => false,
        Kind::UserDefined | Kind::Unused => true,
        Kind::Unknown | Kind::Control | Kind::Byte => is_unit(piece.id),
    })?;
    let spelling = model.spelling(odd.id);
    Some(format!("its piece {spelling:?} is {}", odd.kind.as_str()))
}

/// The normalizer of Hugging Face that puts a space before and makes spaces visible.
fn blanks(add_dummy_prefix: bool) -> Normalizer {
    let visible =
        Normalizer::Replace { pattern: Pattern::String(" ".into()), content: SPACE.into() };
    if !add_dummy_prefix {
        return visible;
    }
    Normalizer::Sequence {
        normalizers: vec![Normalizer::Prepend { prepend: SPACE.into() }, visible],
    }
}

/// The decoder of Hugging Face that goes with it.
fn joiner(add_dummy_prefix: bool) -> Decoder {
    let mut decoders = vec![
        Decoder::Replace { pattern: Pattern::String(SPACE.into()), content: " ".into() },
        Decoder::ByteFallback,
        Decoder::Fuse,
    ];
    if add_dummy_prefix {
        decoders.push(Decoder::Strip { content: ' ', start: 1, stop: 0 });
    }
    Decoder::Sequence { decoders }
}

/// A model by a list as one by scores; where that is not possible, all reasons are added.
pub(super) fn scored(model: &Model, reasons: &mut Vec<String>) -> Result<Option<Model>> {
    let Rule::Merges(merges) = &model.rule else {
        reasons.push("it merges neither by scores nor by a list".into());
        return Ok(None);
    };
    if model.units != Units::Chars || model.spelled {
        reasons.push("its units are bytes, not characters".into());
        return Ok(None);
    }
    let prefix = [true, false].into_iter().find(|&prefix| {
        model.normalizer == Some(blanks(prefix)) && model.decoder == Some(joiner(prefix))
    });
    let has_parts = model.continuing_prefix.is_some() || model.end_of_word.is_some();
    let missing = fallback::bytes(&model.vocabulary).contains(&NONE);
    let checks = [
        (prefix.is_none(), "its normalizer and decoder are not those of visible spaces (▁)"),
        (model.pre_tokenizer.is_some(), "it has a pre-tokenizer"),
        (has_parts, "its tokens have a prefix or a marker"),
        (model.ignore_merges, "it looks whole words up before merging (ignore_merges)"),
        (model.byte_fallback && missing, "it falls back to bytes, and not all are tokens"),
        (
            model.byte_fallback && fallback::merge(&model.vocabulary, merges),
            "it merges the tokens of bytes",
        ),
        (!model.unknown.as_ref().is_some_and(|u| u.fuse), "it does not fuse unknown characters"),
    ];
    reasons.extend(checks.iter().filter(|(is_so, _)| *is_so).map(|(_, reason)| (*reason).into()));
    reasons.extend(odd_added(model));
    let pieces = scored_pieces(model, reasons)?;
    if !reasons.is_empty() {
        return Ok(None);
    }
    Ok(Some(by_scores(model, pieces, prefix.unwrap_or(true))?))
}

/// An added token that is no control piece: those are found nowhere in text.
fn odd_added(model: &Model) -> Option<String> {
    let has_wishes =
        |token: &AddedToken| token.single_word || token.lstrip || token.rstrip || token.normalized;
    let is_its_text =
        |token: &AddedToken| model.vocabulary.bytes(token.id) == token.content.as_bytes();
    let is_odd = |token: &&AddedToken| {
        let is_character = token.content.chars().nth(1).is_none();
        !token.special || has_wishes(token) || !is_its_text(token) || is_character
    };
    let odd = model.added_tokens.iter().find(is_odd)?;
    let reason = match odd {
        token if !token.special => "is not special",
        token if has_wishes(token) => {
            "is matched in a way of its own (single_word, lstrip, rstrip, normalized)"
        }
        token if !is_its_text(token) => "has an id of another text",
        _ => "is a single character, which a text may hold",
    };
    Some(format!("the added token {:?} {reason}", odd.content))
}

/// Each token with the score by which it is made as the list makes it.
fn scored_pieces(model: &Model, reasons: &mut Vec<String>) -> Result<Vec<Piece>> {
    let pairs = Pairs::of(model, 0)?;
    let unknown = model.unknown.as_ref().map(|unknown| unknown.id);
    let controls = super::spell::unmet(model);
    let bytes = fallback::bytes(&model.vocabulary);
    let mut pieces = Vec::with_capacity(model.vocabulary.len());
    let lowest = match &model.rule {
        Rule::Merges(merges) => merges.len(),
        _ => 0,
    };
    if lowest > MOST_SCORES {
        reasons.push(format!("it lists {lowest} merges; scores tell at most {MOST_SCORES} apart"));
        return Ok(pieces);
    }
    let lowest = score_of(lowest as u32);
    for (id, text) in model.vocabulary.iter() {
        let kind = match id {
            _ if Some(id) == unknown => Kind::Unknown,
            _ if model.byte_fallback && bytes.contains(&id) => Kind::Byte,
            _ if !model.vocabulary.merges(id) || controls.contains(&id) => Kind::Control,
            _ => Kind::Normal,
        };
        let mut score = 0.0;
        if kind == Kind::Normal {
            match made(model, &pairs, id, text)? {
                Made::By(rank) => score = score_of(rank),
                Made::Never => score = lowest,
                Made::Otherwise(reason) => reasons.push(reason),
            }
        }
        pieces.push(Piece { id, score, kind });
        if reasons.len() > MOST_REASONS {
            break;
        }
    }
    Ok(pieces)
}

/// Numbers of four bytes tell so many apart.
const MOST_SCORES: usize = 1 << 24;

/// The score of a place in a list.
#[expect(clippy::cast_precision_loss, reason = "it is at most MOST_SCORES")]
fn score_of(rank: u32) -> f32 {
    -(rank as f32)
}

/// More reasons of one kind are no use to anyone.
const MOST_REASONS: usize = 12;

/// How a token is made of its own text.
enum Made {
    By(u32),
    Never,
    Otherwise(String),
}

fn made(model: &Model, pairs: &Pairs, id: u32, text: &[u8]) -> Result<Made> {
    let spelling = || model.spelling(id);
    let text = std::str::from_utf8(text).unwrap_or_default();
    let symbol = |c: char| model.vocabulary.id_of(c.encode_utf8(&mut [0; 4]).as_bytes(), false);
    let Some(mut symbols) = text.chars().map(symbol).collect::<Option<Vec<u32>>>() else {
        return Ok(Made::Otherwise(format!("{:?} holds a character that is no token", spelling())));
    };
    if symbols.len() < 2 {
        return Ok(Made::Never);
    }
    let mut last = Last::default();
    match symbols.len() {
        ..=crate::merge::short::MOST => {
            scan::merge(&mut symbols, pairs, &mut Vec::new(), &mut last);
        }
        _ => heap::merge_observed(&mut symbols, pairs, &Monitor::new(&Nobody), &mut last)?,
    }
    Ok(match symbols[..] {
        [only] if only == id => Made::By(last.0),
        [left, right] => {
            let [left, right] = [left, right].map(|part| model.spelling(part));
            let reason =
                format!("{left:?} + {right:?} join to {:?}, which is not listed", spelling());
            Made::Otherwise(reason)
        }
        _ => Made::Never,
    })
}

/// The rank of the last merge.
#[derive(Default)]
struct Last(u32);

impl crate::merge::Observer for Last {
    fn merged(&mut self, step: crate::merge::Step) {
        self.0 = step.product.rank;
    }
}

fn by_scores(model: &Model, pieces: Vec<Piece>, add_dummy_prefix: bool) -> Result<Model> {
    let control = |name: &str| {
        let is_it = |piece: &&Piece| {
            piece.kind == Kind::Control && model.vocabulary.bytes(piece.id) == name.as_bytes()
        };
        pieces.iter().find(is_it).map(|piece| piece.id)
    };
    let (bos, eos, pad) = (control("<s>"), control("</s>"), control("<pad>"));
    let tokens = pieces.iter().map(|piece| Token {
        literal: !piece.kind.merges(),
        ..Token::new(piece.id, model.vocabulary.bytes(piece.id))
    });
    let normalizer = SentencePiece {
        precompiled_charsmap: Table::default(),
        add_dummy_prefix,
        remove_extra_whitespaces: false,
        escape_whitespaces: true,
        treat_whitespace_as_suffix: false,
        untouched: Vec::new(),
    };
    let decoder = pieces::SentencePiece {
        unk_surface: pieces::unk_surface(),
        add_dummy_prefix,
        remove_extra_whitespaces: false,
        denormalizer: None,
    };
    Ok(Model {
        vocabulary: Vocabulary::new(tokens.collect())?,
        normalizer: Some(Normalizer::SentencePiece(normalizer)),
        decoder: Some(Decoder::SentencePiece(decoder)),
        drops_unknown: false,
        rule: Rule::Scores(Scores { pieces, bos, eos, pad, self_test: Vec::new() }),
        ..model.clone()
    })
}
