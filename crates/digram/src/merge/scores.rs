//! Merging by scores: any two neighbours whose joined text is a piece.
//!
//! That is all the rule, and it can be followed as it stands: join the texts of two symbols, look
//! up the piece. So a vocabulary is ready as soon as it is read. A table of the pairs that merge
//! answers ten times as fast, but takes longer to make than the vocabulary to read: it is made
//! when enough has been merged without it.
//!
//! Parts need not be pieces: a character that is none takes part in merges by its text. It has a
//! symbol beyond the vocabulary, and what is left of it after merging is unknown. An unused piece
//! that is left is given back: its two parts stand there instead, as they would without it.

mod by_text;
mod halves;

use super::alphabet::{Alphabet, Symbols};
use super::apart::Apart;
use super::fallback;
use super::later::Later;
use super::pairs::{NONE, Pairs};
use crate::error::Result;
use crate::model::{Kind, Model, Piece, Rule, Scores};
use by_text::ByText;
use halves::Halves;

/// Bytes of the longest character in UTF-8.
const LONGEST_CHARACTER: usize = 4;

/// What is merged without the table, in symbols, for each piece: about as much work as making it.
const SYMBOLS_PER_PIECE: usize = 1;

/// Which symbols merge, and what becomes of those that merging leaves.
pub struct Pieces {
    /// How many ids there are; symbols from here on are characters that are no pieces.
    ids: u32,
    /// Those characters, in the order of their symbols.
    bare: Vec<char>,
    unknown: u32,
    /// Whether neighbouring unknown ids become one; there are none where bytes stand for them.
    fuses: bool,
    /// What stands for unused pieces, and for characters that are no pieces.
    apart: Apart,
    table: Later<Pairs>,
}

/// A vocabulary by scores, ready to merge.
pub struct Ready {
    pub alphabet: Alphabet,
    pub pieces: Pieces,
}

impl Ready {
    /// Makes a model ready. O(n) in the length of its pieces, or O(n log n) where some are unused.
    pub fn of(model: &Model, scores: &Scores) -> Result<Self> {
        let bytes = model.byte_fallback.then(|| fallback::bytes_of(model, scores));
        let unknown = model.unknown.as_ref().map_or(NONE, |unknown| unknown.id);
        let (symbols, bare) = symbols(model, scores);
        let alphabet = Alphabet::of_pieces(symbols, unknown, bytes);
        let mut pieces = Pieces::of(model, bare);
        pieces.take_apart(model, scores, &alphabet)?;
        // the table has the last of pieces with one text, the vocabulary finds the first
        if !model.vocabulary.is_distinct() {
            pieces.table(model, &alphabet)?;
        }
        Ok(Self { alphabet, pieces })
    }

    /// The table of the pairs that merge.
    pub fn into_pairs(self, model: &Model) -> Result<Pairs> {
        self.pieces.make_table(model, &self.alphabet)
    }

    /// The two parts of each piece, by id; [`NONE`] where a piece is a character, or not what its
    /// own text merges to. O(n log n) in the length of the pieces.
    pub fn parts(&self, model: &Model, scores: &Scores) -> Result<Vec<(u32, u32)>> {
        Ok(Halves::of(model, scores, &self.alphabet, self.pieces.bare.len())?.parts)
    }
}

/// The symbols of characters, and those of them that are no pieces, in the order of their symbols.
fn symbols(model: &Model, scores: &Scores) -> (Symbols, Vec<char>) {
    let (mut symbols, mut bare) = (Symbols::none(), Vec::new());
    let vocabulary = &model.vocabulary;
    let merged = scores.pieces.iter().filter(|piece| piece.kind.merges());
    let is_short = |piece: &&Piece| vocabulary.bytes(piece.id).len() <= LONGEST_CHARACTER;
    for piece in merged.clone().filter(is_short) {
        let mut characters = characters(vocabulary.bytes(piece.id));
        if let (Some(only), None) = (characters.next(), characters.next()) {
            symbols.set(only, piece.id);
        }
    }
    // a bit for each character that was met: to look for its symbol takes longer
    let mut met = vec![0_u64; (char::MAX as usize + 1) / 64];
    for piece in merged {
        for character in characters(vocabulary.bytes(piece.id)) {
            let (word, bit) = (&mut met[character as usize / 64], 1 << (character as u32 % 64));
            if *word & bit != 0 {
                continue;
            }
            *word |= bit;
            if symbols.of_char(character) == NONE {
                symbols.set(character, (vocabulary.ids() + bare.len()) as u32);
                bare.push(character);
            }
        }
    }
    (symbols, bare)
}

/// The characters of a piece, which is UTF-8: that was checked, and takes as long again as this.
fn characters(piece: &[u8]) -> impl Iterator<Item = char> {
    let mut rest = piece;
    std::iter::from_fn(move || {
        let (&lead, behind) = rest.split_first()?;
        let more = match lead {
            0..0xC0 => 0,
            0xC0..0xE0 => 1,
            0xE0..0xF0 => 2,
            0xF0.. => 3,
        };
        let (bits, behind) = behind.split_at_checked(more)?;
        rest = behind;
        let high = u32::from(lead) & if more == 0 { 0x7F } else { 0x3F >> more };
        char::from_u32(bits.iter().fold(high, |all, &byte| all << 6 | u32::from(byte & 0x3F)))
    })
}

impl Pieces {
    fn of(model: &Model, bare: Vec<char>) -> Self {
        Self {
            ids: model.vocabulary.ids() as u32,
            bare,
            unknown: model.unknown.as_ref().map_or(NONE, |unknown| unknown.id),
            fuses: !model.byte_fallback && model.unknown.as_ref().is_some_and(|one| one.fuse),
            apart: Apart::default(),
            table: Later::default(),
        }
    }

    /// Notes what stands for unused pieces, which takes the table, and for bare characters.
    fn take_apart(&mut self, model: &Model, scores: &Scores, alphabet: &Alphabet) -> Result<()> {
        let unused: Vec<u32> = scores.of_kind(Kind::Unused).collect();
        if unused.is_empty() && self.bare.is_empty() {
            return Ok(());
        }
        self.apart = Apart::of_symbols(self.ids as usize + self.bare.len());
        for (symbol, &character) in (self.ids..).zip(&self.bare) {
            self.apart.spell(symbol, |spelled| alphabet.write_unknown(character, spelled));
        }
        if unused.is_empty() {
            return Ok(());
        }
        let halves = Halves::of(model, scores, alphabet, self.bare.len())?;
        // the short ones first, as they are parts of the others
        let by_length = halves.order.iter().map(|product| product.merged);
        for id in by_length.filter(|id| unused.binary_search(id).is_ok()) {
            self.give_back(id, halves.parts[id as usize], model, alphabet);
        }
        self.table = Later::from(halves.pairs);
        Ok(())
    }

    /// The table, where it is made by now, or worth making: `symbols` more are to be merged.
    pub fn pairs(
        &self,
        model: &Model,
        alphabet: &Alphabet,
        symbols: usize,
    ) -> Result<Option<&Pairs>> {
        let enough = SYMBOLS_PER_PIECE * self.ids as usize;
        self.table.when(symbols, enough, || self.make_table(model, alphabet))
    }

    /// The table, which is made where it is not yet.
    pub fn table(&self, model: &Model, alphabet: &Alphabet) -> Result<&Pairs> {
        self.table.now(|| self.make_table(model, alphabet))
    }

    fn make_table(&self, model: &Model, alphabet: &Alphabet) -> Result<Pairs> {
        let Rule::Scores(scores) = &model.rule else { return Ok(Pairs::with_capacity(0)) };
        Ok(Halves::of(model, scores, alphabet, self.bare.len())?.pairs)
    }

    /// Which pairs merge, without the table.
    pub fn by_text<'a>(&'a self, model: &'a Model) -> ByText<'a> {
        ByText::of(model, &self.bare)
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
        !self.bare.is_empty()
    }

    /// What stands for symbols that merging may leave and that are no ids.
    pub fn apart(&self) -> &Apart {
        &self.apart
    }

    /// Makes one of neighbouring unknown ids, from `start` on.
    pub fn fuse(&self, ids: &mut Vec<u32>, start: usize) {
        let unknown = self.unknown;
        let twice = |two: &[u32]| two == [unknown; 2];
        let first = || ids[start..].windows(2).position(twice);
        let Some(first) = self.fuses.then(first).flatten() else { return };
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

#[cfg(test)]
mod tests {
    use super::super::{Merger, by_rank};
    use super::*;
    use crate::model::{Units, Unknown};
    use crate::monitor::{Monitor, Nobody};
    use crate::vocabulary::{Tokens, Traits};

    /// A model of an unknown piece, letters and random pieces, of few scores and so with ties; `d`
    /// is in pieces, and none itself.
    fn model(random: &mut impl FnMut(usize) -> usize) -> Model {
        let mut texts: Vec<String> = ["?", "a", "b", "c", "é"].map(String::from).into();
        for _ in 0..150 {
            let text = (0..2 + random(4)).map(|_| ["a", "b", "c", "d", "é"][random(5)]);
            texts.push(text.collect());
        }
        texts[1..].sort();
        texts.dedup();
        let kind = |id: usize| if id == 0 { Kind::Unknown } else { Kind::Normal };
        let mut tokens = Tokens::default();
        for (id, text) in (0..).zip(&texts) {
            tokens.push(id, Traits::LITERAL.only_if(id == 0), text.as_bytes());
        }
        let vocabulary = tokens.vocabulary().expect("there is room");
        let mut score = || [-2.0, -1.5, -1.0, -0.0, 0.0, 2.0][random(6)];
        let piece = |id| Piece { id: id as u32, score: score(), kind: kind(id) };
        let pieces = (0..texts.len()).map(piece).collect();
        let scores = Scores { pieces, ..Scores::default() };
        Model {
            unknown: Some(Unknown { id: 0, fuse: true }),
            ..Model::new(vocabulary, Units::Chars, Rule::Scores(scores))
        }
    }

    #[test]
    fn the_table_merges_as_the_texts_do() {
        let mut state = 11_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let monitor = Monitor::new(&Nobody);
        let mut joined = 0;
        for _ in 0..200 {
            let model = model(&mut random);
            let merger = Merger::of(&model).expect("ready");
            let pieces = merger.pieces.as_ref().expect("by scores");
            let (mut own, mut symbols) = (Vec::new(), Vec::new());
            for length in [3, 20, 120, 5000] {
                let word: String =
                    (0..length).map(|_| ["a", "b", "c", "d", "é", "z"][random(6)]).collect();
                merger.alphabet.write(&word, &mut own).expect("unknown ones become one");
                joined += own.len();
                by_rank(&mut own, &pieces.by_text(&model), &monitor).expect("nobody stops it");
                symbols.clone_from(&own);
                joined -= symbols.len();
                merger.alphabet.write(&word, &mut own).expect("unknown ones become one");
                let table = pieces.table(&model, &merger.alphabet).expect("it is made");
                by_rank(&mut own, table, &monitor).expect("nobody stops it");
                assert_eq!(own, symbols, "{word}");
            }
        }
        assert!(joined > 5_000, "only {joined} merges: nothing was tested");
    }

    #[test]
    fn characters_are_those_of_the_text() {
        let text = "a\u{7F}\u{80}é\u{7FF}\u{800}▁\u{FFFF}\u{10000}😀\u{10FFFF}z";
        assert!(characters(text.as_bytes()).eq(text.chars()));
    }

    #[test]
    fn the_table_is_made_when_it_pays() {
        let model = model(&mut |below| 7 % below);
        let merger = Merger::of(&model).expect("ready");
        let pieces = merger.pieces.as_ref().expect("by scores");
        let has = |symbols| pieces.pairs(&model, &merger.alphabet, symbols).expect("it is made");
        assert!(has(model.vocabulary.ids()).is_none());
        assert!(has(1).is_some());
    }
}
