//! Merging by scores: any two neighbours whose joined text is a piece.
//!
//! While two adjacent symbols stand for the text of a piece, nothing has crossed their borders, so
//! that text has merged as it does alone. Alone it is in the state of two symbols only once. So a
//! piece is made of the same two parts wherever it is made: merging each piece alone, the short
//! ones first, finds the one pair that makes it. Ties of scores do not matter to this, as the
//! leftmost of a stretch of text is the leftmost of it alone.
//!
//! Parts need not be pieces: a character that is none takes part in merges by its text. It has a
//! symbol beyond the vocabulary, and what is left of it after merging is unknown. An unused piece
//! that is left is given back: its two parts stand there instead, as they would without it.

use std::cmp::Ordering;

use super::alphabet::{Alphabet, Symbols};
use super::apart::Apart;
use super::pairs::{NONE, Pairs, Product};
use super::{fallback, heap, short};
use crate::error::Result;
use crate::model::{Kind, Model, Scores};
use crate::monitor::{Monitor, Nobody};

/// Bytes of the longest character in UTF-8.
const LONGEST_CHARACTER: usize = 4;

/// What becomes of the symbols that merging leaves.
pub struct Pieces {
    /// How many ids there are; symbols from here on are characters that are no pieces.
    ids: u32,
    unknown: u32,
    own_characters: bool,
    /// Whether neighbouring unknown ids become one; there are none where bytes stand for them.
    fuses: bool,
    /// What stands for unused pieces, and for characters that are no pieces.
    apart: Apart,
}

/// A vocabulary by scores, ready to merge.
pub struct Ready {
    pub alphabet: Alphabet,
    pub pairs: Pairs,
    pub pieces: Pieces,
    /// The two parts of each piece, by id; `NONE` where a piece is a character, or not what its
    /// own text merges to.
    pub parts: Vec<(u32, u32)>,
}

impl Ready {
    /// Makes a model ready. O(n log n) in the length of its pieces.
    pub fn of(model: &Model, scores: &Scores) -> Result<Self> {
        let bytes = model.byte_fallback.then(|| fallback::bytes_of(model, scores));
        let unknown = model.unknown.as_ref().map_or(NONE, |unknown| unknown.id);
        let (symbols, bare) = symbols(model, scores);
        let alphabet = Alphabet::of_pieces(symbols, unknown, bytes);
        let mut halves = Halves::of(model, scores, bare.len());
        halves.find(model, &alphabet)?;
        let pieces = Pieces::of(model, scores, &alphabet, &bare, &halves);
        Ok(Self { alphabet, pairs: halves.pairs, pieces, parts: halves.parts })
    }
}

/// The symbols of characters, and those of them that are no pieces, in the order of their symbols.
fn symbols(model: &Model, scores: &Scores) -> (Symbols, Vec<char>) {
    let (mut symbols, mut bare) = (Symbols::none(), Vec::new());
    let merged = || scores.pieces.iter().filter(|piece| piece.kind.merges());
    let text = |id| std::str::from_utf8(model.vocabulary.bytes(id)).unwrap_or_default();
    for piece in merged() {
        if model.vocabulary.bytes(piece.id).len() > LONGEST_CHARACTER {
            continue;
        }
        let mut characters = text(piece.id).chars();
        if let (Some(only), None) = (characters.next(), characters.next()) {
            symbols.set(only, piece.id);
        }
    }
    for piece in merged() {
        for character in text(piece.id).chars() {
            if symbols.of_char(character) == NONE {
                symbols.set(character, (model.vocabulary.ids() + bare.len()) as u32);
                bare.push(character);
            }
        }
    }
    (symbols, bare)
}

/// The two parts of each piece, as they are found.
struct Halves {
    pairs: Pairs,
    /// By id; `NONE` where a piece is a character, or not what its own text merges to.
    parts: Vec<(u32, u32)>,
    /// Pieces of more than one character, the short ones first, each with its rank.
    order: Vec<(u32, u32)>,
}

impl Halves {
    fn of(model: &Model, scores: &Scores, bare: usize) -> Self {
        let ranks = ranks(scores);
        let length = |id: u32| model.vocabulary.bytes(id).len();
        let merged = scores.pieces.iter().zip(ranks).filter(|(piece, _)| piece.kind.merges());
        let mut order: Vec<_> = merged.map(|(piece, rank)| (piece.id, rank)).collect();
        order.sort_by_key(|&(id, _)| length(id));
        Self {
            pairs: Pairs::with_capacity(order.len()),
            parts: vec![(NONE, NONE); model.vocabulary.ids() + bare],
            order,
        }
    }

    fn find(&mut self, model: &Model, alphabet: &Alphabet) -> Result<()> {
        let mut symbols = Vec::new();
        let monitor = Monitor::new(&Nobody);
        for &(id, rank) in &self.order {
            let text = std::str::from_utf8(model.vocabulary.bytes(id)).unwrap_or_default();
            alphabet.write(text, &mut symbols)?;
            match symbols.len() {
                0..=2 => {}
                3..=short::MOST => short::merge(&mut symbols, &self.pairs),
                _ => heap::merge(&mut symbols, &self.pairs, &monitor)?,
            }
            if let [left, right] = symbols[..] {
                self.parts[id as usize] = (left, right);
                self.pairs.add(left, right, Product { rank, merged: id });
            }
        }
        Ok(())
    }
}

/// A rank for each piece: the best score is 0, and equal scores have one rank.
fn ranks(scores: &Scores) -> Vec<u32> {
    let mut order: Vec<usize> = (0..scores.pieces.len()).collect();
    let score = |at: usize| scores.pieces[at].score;
    order.sort_by(|&a, &b| score(b).partial_cmp(&score(a)).unwrap_or(Ordering::Equal));
    let mut ranks = vec![0; order.len()];
    let (mut rank, mut before) = (0, None);
    for at in order {
        if !scores.pieces[at].kind.merges() {
            continue;
        }
        if before.is_some_and(|before: f32| before.partial_cmp(&score(at)) != Some(Ordering::Equal))
        {
            rank += 1;
        }
        before = Some(score(at));
        ranks[at] = rank;
    }
    ranks
}

impl Pieces {
    fn of(
        model: &Model,
        scores: &Scores,
        alphabet: &Alphabet,
        bare: &[char],
        halves: &Halves,
    ) -> Self {
        let ids = model.vocabulary.ids() as u32;
        let mut pieces = Self {
            ids,
            unknown: model.unknown.as_ref().map_or(NONE, |unknown| unknown.id),
            own_characters: !bare.is_empty(),
            fuses: model.unknown.as_ref().is_some_and(|unknown| unknown.fuse),
            apart: Apart::default(),
        };
        let unused: Vec<u32> = scores.of_kind(Kind::Unused).collect();
        if unused.is_empty() && bare.is_empty() {
            return pieces;
        }
        pieces.apart = Apart::of_symbols(halves.parts.len());
        for (symbol, &character) in (ids..).zip(bare) {
            pieces.apart.spell(symbol, |spelled| alphabet.write_unknown(character, spelled));
        }
        // the short ones first, as they are parts of the others
        let by_length = halves.order.iter().map(|&(id, _)| id);
        for id in by_length.filter(|id| unused.binary_search(id).is_ok()) {
            pieces.give_back(id, halves.parts[id as usize], model, alphabet);
        }
        pieces
    }

    /// What stands for an unused piece: its parts, or what an unknown character becomes.
    fn give_back(&mut self, id: u32, parts: (u32, u32), model: &Model, alphabet: &Alphabet) {
        let text = std::str::from_utf8(model.vocabulary.bytes(id)).unwrap_or_default();
        match (parts, text.chars().next()) {
            ((NONE, NONE), Some(character)) => {
                self.apart.spell(id, |spelled| alphabet.write_unknown(character, spelled));
            }
            _ => self.apart.give_back(id, parts),
        }
    }

    /// Whether neighbouring unknown ids become one.
    pub fn fuses(&self) -> bool {
        self.fuses
    }

    /// Whether pieces hold characters that are no pieces.
    pub fn has_own_characters(&self) -> bool {
        self.own_characters
    }

    /// Appends the ids of what merging has left.
    pub fn write(&self, symbols: &[u32], ids: &mut Vec<u32>) {
        self.apart.write(symbols, ids);
    }

    /// Makes one of neighbouring unknown ids, from `start` on.
    pub fn fuse(&self, ids: &mut Vec<u32>, start: usize) {
        let unknown = self.unknown;
        let twice = |two: &[u32]| two == [unknown; 2];
        let first = ids[start..].windows(2).position(twice).filter(|_| self.fuses);
        let Some(first) = first else { return };
        let second = start + first + 1;
        let mut kept = second;
        for at in second..ids.len() {
            if ids[at] != unknown || ids[kept - 1] != unknown {
                ids[kept] = ids[at];
                kept += 1;
            }
        }
        ids.truncate(kept);
    }

    /// A symbol as people may see it: a character that is no piece is unknown.
    pub fn shown(&self, symbol: u32) -> u32 {
        if symbol < self.ids { symbol } else { self.unknown }
    }
}
