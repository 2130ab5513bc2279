//! From a word to the symbols that merging begins with.

mod spans;

use super::fallback;
use super::pairs::NONE;
use crate::error::{Error, Result};
use crate::memory;
use crate::model::{Model, Units};

/// The base symbols of a model: bytes or characters, in the middle of a word and at its end.
pub struct Alphabet {
    units: Units,
    middle: Symbols,
    /// The symbols that stand at the end of a word, where the marker is attached.
    end: Option<Symbols>,
    /// The marker's own symbol, where it is separate.
    marker: Option<u32>,
    unknown: Option<u32>,
    fuse_unknown: bool,
    drops_unknown: bool,
    one_by_one: Option<Box<OneByOne>>,
    has_twins: bool,
    /// How unknown characters are written, where the rule is by scores.
    unknown_pieces: Option<UnknownPieces>,
}

/// Unknown characters by scores: each its bytes, or the unknown piece.
struct UnknownPieces {
    unknown: u32,
    bytes: Option<Box<[u32; 256]>>,
}

/// What makes symbols depend on where they stand, or on bytes: each character is then looked at
/// by itself.
struct OneByOne {
    /// The symbols that begin a word, and those that begin and end one.
    first: [Symbols; 2],
    /// The tokens of bytes, where the model falls back to them.
    bytes: Option<Box<[u32; 256]>>,
    /// What stands before a character that continues a word.
    prefix: String,
    /// What stands behind the last.
    suffix: String,
}

/// Unit → id, by pages of 256. Those of the first serve bytes, or characters below U+0100.
pub(super) struct Symbols {
    /// Which page a character's is.
    pages: Box<[u16; PAGES]>,
    /// Pages one behind the other: the first, one without symbols, and others.
    symbols: Vec<u32>,
}

const PAGE: usize = 256;
const PAGES: usize = (char::MAX as usize + 1) / PAGE;

impl Symbols {
    /// No symbols yet.
    pub fn none() -> Self {
        let mut pages = Box::new([1; PAGES]);
        pages[0] = 0;
        Self { pages, symbols: vec![NONE; 2 * PAGE] }
    }

    /// The first page.
    fn low(&self) -> &[u32; PAGE] {
        self.symbols.first_chunk().expect("it is always there")
    }

    /// Gives a character a symbol.
    pub fn set(&mut self, character: char, symbol: u32) {
        let (page, place) = (character as usize / PAGE, character as usize % PAGE);
        if self.pages[page] == 1 {
            self.pages[page] = (self.symbols.len() / PAGE) as u16;
            self.symbols.resize(self.symbols.len() + PAGE, NONE);
        }
        self.symbols[usize::from(self.pages[page]) * PAGE + place] = symbol;
    }

    /// The symbols whose tokens begin with `prefix`, which is no part of the character.
    fn of(model: &Model, prefix: &str, ends_word: bool) -> Self {
        let mut symbols = Self::none();
        let vocabulary = &model.vocabulary;
        // no character has more bytes: looking up longer tokens would only take time
        let longest = prefix.len() + if model.units == Units::Bytes { 1 } else { 4 };
        for (id, bytes) in vocabulary.iter().filter(|(_, bytes)| bytes.len() <= longest) {
            if let Some(unit) = bytes.strip_prefix(prefix.as_bytes())
                && vocabulary.id_of(bytes, ends_word) == Some(id)
            {
                symbols.add(model.units, unit, id);
            }
        }
        symbols.add_spelled_alike(model, prefix, ends_word);
        symbols
    }

    /// Adds the tokens that are spelled as a unit with the marker is, or as one that the marker's text is, where there
    /// is no such token.
    fn add_spelled_alike(&mut self, model: &Model, prefix: &str, ends_word: bool) {
        let Some(end) = model.end_of_word.as_ref().filter(|end| end.attached) else { return };
        let (marker, of) = (model.marker_as_text(), &model.vocabulary);
        if !ends_word {
            if let Some(id) = of.id_of(prefix.as_bytes(), true).filter(|_| !prefix.is_empty()) {
                self.add(model.units, end.marker.as_bytes(), id);
            }
            return;
        }
        for id in model.twins() {
            let stem = of.bytes(id).strip_suffix(&*marker).unwrap_or_default();
            if let Some(unit) = stem.strip_prefix(prefix.as_bytes()) {
                self.add(model.units, unit, id);
            }
        }
    }

    fn add(&mut self, units: Units, bytes: &[u8], id: u32) {
        match (units, bytes) {
            (Units::Bytes, &[byte]) => self.symbols[usize::from(byte)] = id,
            (Units::Bytes, _) => {}
            (Units::Chars, _) => {
                let mut characters = std::str::from_utf8(bytes).unwrap_or_default().chars();
                if let (Some(only), None) = (characters.next(), characters.next()) {
                    self.set(only, id);
                }
            }
        }
    }

    fn of_byte(&self, byte: u8) -> u32 {
        self.symbols[usize::from(byte)]
    }

    /// A character's symbol, or [`NONE`].
    #[inline]
    pub fn of_char(&self, character: char) -> u32 {
        let (page, place) = (character as usize / PAGE, character as usize % PAGE);
        self.symbols[usize::from(self.pages[page]) * PAGE + place]
    }
}

impl Alphabet {
    /// The alphabet of a model.
    pub fn of(model: &Model) -> Self {
        let attached = model.end_of_word.as_ref().is_some_and(|end| end.attached);
        let prefix = model.continuing_prefix.as_deref().unwrap_or_default();
        Self {
            units: model.units,
            middle: Symbols::of(model, prefix, false),
            end: attached.then(|| Symbols::of(model, prefix, true)),
            marker: match &model.end_of_word {
                Some(end) if !end.attached => model.vocabulary.id_of(b"", true),
                _ => None,
            },
            unknown: model.unknown.as_ref().map(|unknown| unknown.id),
            fuse_unknown: model.unknown.as_ref().is_some_and(|unknown| unknown.fuse),
            drops_unknown: model.drops_unknown,
            one_by_one: OneByOne::of(model),
            has_twins: !model.twins().is_empty(),
            unknown_pieces: None,
        }
    }

    /// The alphabet of a model by scores.
    pub(super) fn of_pieces(
        symbols: Symbols,
        unknown: u32,
        bytes: Option<Box<[u32; 256]>>,
    ) -> Self {
        Self {
            units: Units::Chars,
            middle: symbols,
            end: None,
            marker: None,
            unknown: Some(unknown),
            fuse_unknown: false,
            drops_unknown: false,
            one_by_one: None,
            has_twins: false,
            unknown_pieces: Some(UnknownPieces { unknown, bytes }),
        }
    }

    /// The symbols of bytes, where a word is those of its bytes and nothing more.
    pub fn bytes(&self) -> Option<&[u32; 256]> {
        let is_plain = self.units == Units::Bytes && self.end.is_none() && self.marker.is_none();
        is_plain.then_some(self.middle.low())
    }

    /// Whether a character at the end of a word may be a token that is another text elsewhere.
    pub fn has_twins(&self) -> bool {
        self.has_twins
    }

    /// The tokens of bytes, which characters become that have no symbol, if they do.
    pub fn fallback(&self) -> Option<&[u32; 256]> {
        let of_pieces = self.unknown_pieces.as_ref().and_then(|pieces| pieces.bytes.as_deref());
        of_pieces.or_else(|| self.one_by_one.as_ref()?.bytes.as_deref())
    }

    /// The first id of the symbols of bytes, or of the letters of most texts, which stand together mostly.
    pub fn first(&self) -> u32 {
        let letters = ('a'..='z').chain(['\u{2581}']).map(|letter| self.middle.of_char(letter));
        let first = match self.units {
            Units::Bytes => self.middle.low().iter().copied().min(),
            Units::Chars => letters.min(),
        };
        first.filter(|&first| first != NONE).unwrap_or(0)
    }

    /// Writes the symbols of `word`, after clearing what is in `symbols`.
    #[inline]
    pub fn write(&self, word: &str, symbols: &mut Vec<u32>) -> Result<()> {
        memory::empty(symbols, word.len())?;
        match self.units {
            Units::Bytes => self.write_bytes(word, symbols)?,
            Units::Chars => self.write_chars(word, symbols)?,
        }
        symbols.extend(self.marker);
        Ok(())
    }

    #[inline]
    fn write_bytes(&self, word: &str, symbols: &mut Vec<u32>) -> Result<()> {
        symbols.extend(word.bytes().map(|byte| self.middle.of_byte(byte)));
        if let (Some(end), Some(last)) = (&self.end, symbols.last_mut()) {
            *last = end.of_byte(word.as_bytes()[word.len() - 1]);
        }
        if symbols.contains(&NONE) {
            let missing = symbols.iter().position(|&id| id == NONE).unwrap_or(0);
            let byte = word.as_bytes()[missing];
            self.replace_unknown(symbols, &format!("byte 0x{byte:02X}"), word)?;
        }
        Ok(())
    }

    fn write_chars(&self, word: &str, symbols: &mut Vec<u32>) -> Result<()> {
        if let Some(one_by_one) = &self.one_by_one {
            return self.write_one_by_one(one_by_one, word, symbols);
        }
        symbols.reserve(word.len());
        for character in word.chars() {
            symbols.push(self.middle.of_char(character));
        }
        if let (Some(end), Some(last)) = (&self.end, symbols.last_mut()) {
            *last = word.chars().next_back().map_or(NONE, |character| end.of_char(character));
        }
        if let Some(missing) = symbols.iter().position(|&id| id == NONE) {
            if let Some(pieces) = &self.unknown_pieces {
                self.write_known_and_unknown(pieces, word, symbols);
                return Ok(());
            }
            let character = word.chars().nth(missing).unwrap_or('\0');
            let at_end = if self.end.is_some() && missing + 1 == symbols.len() {
                " at the end of a word"
            } else {
                ""
            };
            let what = format!("character {character:?} (U+{:04X}){at_end}", character as u32);
            self.replace_unknown(symbols, &what, word)?;
        }
        Ok(())
    }

    fn write_known_and_unknown(&self, pieces: &UnknownPieces, word: &str, symbols: &mut Vec<u32>) {
        symbols.clear();
        for character in word.chars() {
            match self.middle.of_char(character) {
                NONE => pieces.write(character, symbols),
                id => symbols.push(id),
            }
        }
    }

    /// Writes what an unknown character becomes, where the rule is by scores.
    pub(super) fn write_unknown(&self, character: char, ids: &mut Vec<u32>) {
        if let Some(pieces) = &self.unknown_pieces {
            pieces.write(character, ids);
        }
    }

    /// Unknown characters are written where the next known one stands, so that bytes between them
    /// come first: as Hugging Face has it.
    fn write_one_by_one(
        &self,
        one_by_one: &OneByOne,
        word: &str,
        symbols: &mut Vec<u32>,
    ) -> Result<()> {
        let mut unknown = None;
        for (start, character) in word.char_indices() {
            let is_last = start + character.len_utf8() == word.len();
            let is_end = is_last && self.end.is_some();
            let id = self.one_of(one_by_one, character, start, is_last);
            if id != NONE {
                symbols.extend(unknown.take());
                symbols.push(id);
            } else if !one_by_one.write_bytes(character, start > 0, is_end, symbols) {
                let what = format!("character {character:?} (U+{:04X})", character as u32);
                let before = unknown;
                unknown = self.unknown;
                if unknown.is_none() && !self.drops_unknown {
                    return Err(no_symbol(&what, word));
                }
                symbols.extend(before.filter(|_| !self.fuse_unknown));
            }
        }
        symbols.extend(unknown);
        Ok(())
    }

    /// The symbol of a character, which depends on where it stands.
    fn one_of(&self, one_by_one: &OneByOne, character: char, start: usize, is_last: bool) -> u32 {
        let known = match (&self.end, start) {
            (end, 0) => &one_by_one.first[usize::from(is_last && end.is_some())],
            (Some(end), _) if is_last => end,
            _ => &self.middle,
        };
        known.of_char(character)
    }

    fn replace_unknown(&self, symbols: &mut Vec<u32>, what: &str, word: &str) -> Result<()> {
        let Some(unknown) = self.unknown else {
            symbols.retain(|&symbol| symbol != NONE);
            return if self.drops_unknown { Ok(()) } else { Err(no_symbol(what, word)) };
        };
        if self.fuse_unknown {
            symbols.dedup_by(|a, b| *a == NONE && *b == NONE);
        }
        for symbol in symbols.iter_mut().filter(|symbol| **symbol == NONE) {
            *symbol = unknown;
        }
        Ok(())
    }
}

impl UnknownPieces {
    fn write(&self, character: char, ids: &mut Vec<u32>) {
        match &self.bytes {
            None => ids.push(self.unknown),
            Some(bytes) => {
                let mut room = [0; 4];
                let text = character.encode_utf8(&mut room);
                ids.extend(text.bytes().map(|byte| bytes[usize::from(byte)]));
            }
        }
    }
}

impl OneByOne {
    /// `None` where characters need not be looked at one by one.
    fn of(model: &Model) -> Option<Box<Self>> {
        if !model.byte_fallback && model.continuing_prefix.is_none() {
            return None;
        }
        let suffix = model.end_of_word.as_ref().filter(|end| end.attached);
        Some(Box::new(Self {
            first: [false, true].map(|ends_word| Symbols::of(model, "", ends_word)),
            bytes: model.byte_fallback.then(|| fallback::bytes(&model.vocabulary)),
            prefix: model.continuing_prefix.clone().unwrap_or_default(),
            suffix: suffix.map(|end| end.marker.clone()).unwrap_or_default(),
        }))
    }

    /// Writes a character as bytes, with what stands around it; nothing where one has no token.
    fn write_bytes(
        &self,
        character: char,
        continues: bool,
        ends: bool,
        symbols: &mut Vec<u32>,
    ) -> bool {
        let Some(ids) = &self.bytes else { return false };
        let before = if continues { self.prefix.as_str() } else { "" };
        let after = if ends { self.suffix.as_str() } else { "" };
        let length = symbols.len();
        let spelled = format!("{before}{character}{after}");
        symbols.extend(spelled.bytes().map(|byte| ids[usize::from(byte)]));
        let is_known = !symbols[length..].contains(&NONE);
        if !is_known {
            symbols.truncate(length);
        }
        is_known
    }
}

/// The error for text that a vocabulary without unknown token cannot spell.
pub(crate) fn no_symbol(what: &str, word: &str) -> Error {
    let shown: String = word.chars().take(40).collect();
    Error::UnknownToken(format!(
        "{what}, in {shown:?}, is not in the vocabulary, and there is no unknown token; \
         train, or load codes, with unk_token= or a larger initial_alphabet=, or train with \
         units=\"bytes\""
    ))
}
