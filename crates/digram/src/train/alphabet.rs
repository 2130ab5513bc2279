//! Base symbols: what words are first split into, and the ids of these.

use std::cmp::Reverse;

use crate::aliases::{ALIASES, bytes_in_alias_order};
use crate::error::{Error, Result};
use crate::model::Units;
use crate::monitor::Monitor;

use super::options::{Alphabet, LearnOptions};
use super::words::{WordCounts, quoted};

/// How many words are read between two looks at the monitor: some 50 µs of short words.
pub(super) const WORDS_PER_CHECK: usize = 1024;
/// How many symbols of one word are read between two looks at the monitor: below a millisecond.
pub(super) const SYMBOLS_PER_CHECK: u64 = 1 << 16;

/// The unit occurs, or is wanted, as it is.
const PLAIN: u8 = 1;
/// The unit occurs, or is wanted, with the marker attached.
const ENDING: u8 = 2;

/// The units of a word, as numbers: bytes or code points.
#[derive(Clone)]
pub(super) enum UnitsOf<'a> {
    Bytes(std::slice::Iter<'a, u8>),
    Chars(std::str::Chars<'a>),
}

impl<'a> UnitsOf<'a> {
    pub fn new(word: &'a [u8], units: Units) -> Result<Self> {
        match units {
            Units::Bytes => Ok(Self::Bytes(word.iter())),
            Units::Chars => match std::str::from_utf8(word) {
                Ok(text) => Ok(Self::Chars(text.chars())),
                Err(error) => Err(Error::Value(format!(
                    "{} is not UTF-8 at byte {}; characters are learned from text, bytes from \
                     anything",
                    quoted(word),
                    error.valid_up_to()
                ))),
            },
        }
    }
}

impl Iterator for UnitsOf<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Bytes(bytes) => bytes.next().map(|&byte| u32::from(byte)),
            Self::Chars(chars) => chars.next().map(u32::from),
        }
    }
}

/// What one look at all words tells.
pub(super) struct Survey {
    /// [`PLAIN`] and [`ENDING`], by unit.
    wanted: Vec<u8>,
    /// How often each unit occurs, where that decides which are base symbols.
    frequencies: Vec<u64>,
    /// How often each byte occurs in characters that are left out.
    pub bytes: [u64; 256],
    /// Occurrences of all symbols together.
    pub symbols: u64,
    /// Symbols of the distinct words together.
    pub distinct_symbols: u64,
}

impl Survey {
    /// Looks at all words once.
    ///
    /// Fails where there are none, where one is not text though units are characters, and where
    /// the symbols are too many to be counted in 63 bits.
    pub fn new(counts: &WordCounts, options: &LearnOptions, monitor: &Monitor) -> Result<Self> {
        if counts.is_empty() {
            let reason = "there are no words to learn from; give at least one word and its count";
            return Err(Error::Value(reason.into()));
        }
        let units = if options.units == Units::Bytes { 256 } else { char::MAX as usize + 1 };
        let frequencies = vec![0; if options.limits_alphabet() { units } else { 0 }];
        let mut survey = Self {
            wanted: vec![0; units],
            frequencies,
            bytes: [0; 256],
            symbols: 0,
            distinct_symbols: 0,
        };
        for (index, (word, count)) in counts.iter().enumerate() {
            if index % WORDS_PER_CHECK == 0 {
                monitor.report("words", index as u64, counts.len() as u64)?;
            }
            survey.add((word, count), options, monitor)?;
        }
        if options.limits_alphabet() {
            survey.leave_out(options)?;
        }
        let mut wanted = std::mem::take(&mut survey.wanted);
        want(&mut wanted, options)?;
        Ok(Self { wanted, ..survey })
    }

    fn add(
        &mut self,
        (word, count): (&[u8], u64),
        options: &LearnOptions,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut length = u64::from(options.is_separate());
        let mut last = 0;
        for unit in UnitsOf::new(word, options.units)? {
            self.wanted[unit as usize] |= PLAIN;
            if let Some(frequency) = self.frequencies.get_mut(unit as usize) {
                *frequency = frequency.saturating_add(count);
            }
            length += 1;
            last = unit;
            if length.is_multiple_of(SYMBOLS_PER_CHECK) {
                monitor.check()?;
            }
        }
        if options.is_attached() {
            self.wanted[last as usize] |= ENDING;
        }
        self.distinct_symbols += length;
        let symbols = count.checked_mul(length).and_then(|more| self.symbols.checked_add(more));
        self.symbols = symbols.filter(|&symbols| i64::try_from(symbols).is_ok()).ok_or_else(|| {
            Error::Limit(format!(
                "with {count} times {} there are more than 2^63 - 1 symbols; divide all counts by \
                 a common factor",
                quoted(word)
            ))
        })?;
        Ok(())
    }

    /// Leaves out the characters that are too rare, the least frequent first, and of equals those behind.
    ///
    /// Those that are wanted in any case count as the first of all. The part of the text is rounded as
    /// `SentencePiece` rounds it.
    #[expect(
        clippy::cast_precision_loss,
        reason = "it is SentencePiece's number, rounding included"
    )]
    fn leave_out(&mut self, options: &LearnOptions) -> Result<()> {
        let mut fixed = vec![0; self.wanted.len()];
        want(&mut fixed, options)?;
        let is_fixed = |unit: u32| fixed[unit as usize] != 0;
        let all: u64 = self.frequencies.iter().sum();
        let most = options.limit_alphabet.unwrap_or(u64::MAX);
        let coverage = options.character_coverage.unwrap_or(f32::MAX);
        let mut order: Vec<u32> = (0..self.wanted.len() as u32)
            .filter(|&unit| self.wanted[unit as usize] != 0 && !is_fixed(unit))
            .collect();
        order.sort_by_key(|&unit| Reverse(self.frequencies[unit as usize]));
        let known = (0..self.wanted.len() as u32).filter(|&unit| is_fixed(unit));
        let mut kept = known.clone().count() as u64;
        let mut covered: u64 = known.map(|unit| self.frequencies[unit as usize]).sum();
        for unit in order {
            if kept >= most || (covered as f64 / all as f64) as f32 >= coverage {
                self.wanted[unit as usize] = 0;
                self.count_bytes(unit);
                continue;
            }
            kept += 1;
            covered += self.frequencies[unit as usize];
        }
        self.check_bytes(options)
    }

    /// Refuses more symbols than can be counted, where each byte of what is left out is one.
    fn check_bytes(&self, options: &LearnOptions) -> Result<()> {
        let add = |sum: u64, &count: &u64| sum.checked_add(count);
        let all = self.bytes.iter().try_fold(self.symbols, add);
        if options.byte_fallback && all.is_none_or(|all| i64::try_from(all).is_err()) {
            let reason = "with rare characters spelled in bytes there are more than 2^63 - 1 symbols; divide \
                          all counts by a common factor";
            return Err(Error::Limit(reason.into()));
        }
        Ok(())
    }

    fn count_bytes(&mut self, unit: u32) {
        for &byte in character(unit).encode_utf8(&mut [0; 4]).as_bytes() {
            let count = &mut self.bytes[usize::from(byte)];
            *count = count.saturating_add(self.frequencies[unit as usize]);
        }
    }

    /// The units in the order of their spellings.
    fn in_order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        if self.wanted.len() == 256 {
            return Box::new(bytes_in_alias_order().into_iter().map(u32::from));
        }
        Box::new(0..self.wanted.len() as u32)
    }

    fn wants(&self, unit: u32, form: u8) -> bool {
        self.wanted[unit as usize] & form != 0
    }
}

/// Adds the units that are wanted whether they are seen or not.
fn want(wanted: &mut [u8], options: &LearnOptions) -> Result<()> {
    let forms = if options.is_attached() { PLAIN | ENDING } else { PLAIN };
    for (word, is_whole) in options.required_words() {
        let mut last = 0;
        for unit in UnitsOf::new(word.as_bytes(), options.units)? {
            wanted[unit as usize] |= PLAIN;
            last = unit;
        }
        if is_whole && options.is_attached() {
            wanted[last as usize] |= ENDING;
        }
    }
    match &options.initial_alphabet {
        Alphabet::Default if options.units == Units::Bytes => wanted.fill(forms),
        Alphabet::Default | Alphabet::Seen => {}
        Alphabet::Given(texts) => {
            for text in texts {
                for unit in UnitsOf::new(text, options.units)? {
                    wanted[unit as usize] |= forms;
                }
            }
        }
    }
    Ok(())
}

/// The base symbols' ids.
pub(super) struct Base {
    units: Units,
    attached: bool,
    plain: Vec<u32>,
    ending: Vec<u32>,
    marker: Option<u32>,
}

impl Base {
    /// Gives ids to the base symbols: `add` adds one to the tokens, by its text with the marker,
    /// its bytes without, and whether it ends words; or it tells which token it is.
    ///
    /// One token stands for those that are left out. They sort as they are spelled, a separate
    /// marker among them; those with an attached marker come after all the others.
    pub fn new(
        survey: &Survey,
        options: &LearnOptions,
        mut add: impl FnMut(&[u8], &[u8], bool) -> u32,
    ) -> Self {
        let size = survey.wanted.len();
        let left_out = options.left_out().unwrap_or(0); // no other is asked for
        let mut base = Self {
            units: options.units,
            attached: options.is_attached(),
            plain: vec![left_out; size],
            ending: vec![left_out; if options.is_attached() { size } else { 0 }],
            marker: None,
        };
        let marker = options.marker();
        for unit in survey.in_order().filter(|&unit| survey.wants(unit, PLAIN)) {
            if options.is_separate() && base.marker.is_none() && *marker < *base.spelling(unit) {
                base.marker = Some(add(marker.as_bytes(), b"", true));
            }
            let bytes = base.bytes(unit);
            base.plain[unit as usize] = add(&bytes, &bytes, false);
        }
        if options.is_separate() && base.marker.is_none() {
            base.marker = Some(add(marker.as_bytes(), b"", true));
        }
        for unit in survey.in_order().filter(|&unit| survey.wants(unit, ENDING)) {
            let bytes = base.bytes(unit);
            let text = [&bytes[..], marker.as_bytes()].concat();
            base.ending[unit as usize] = add(&text, &bytes, true);
        }
        base
    }

    fn bytes(&self, unit: u32) -> Vec<u8> {
        match self.units {
            Units::Bytes => vec![unit as u8],
            Units::Chars => character(unit).to_string().into(),
        }
    }

    /// A unit as `tokenizer.json` spells it.
    fn spelling(&self, unit: u32) -> String {
        match self.units {
            Units::Bytes => ALIASES[unit as usize].to_string(),
            Units::Chars => character(unit).to_string(),
        }
    }

    /// The symbols of a word, or of what is no whole word and has no marker.
    pub fn symbols<'a>(
        &'a self,
        word: &'a [u8],
        is_whole: bool,
    ) -> Result<impl Iterator<Item = u32> + 'a> {
        let mut units = UnitsOf::new(word, self.units)?.peekable();
        let symbols = std::iter::from_fn(move || {
            let unit = units.next()? as usize;
            let ends_word = self.attached && is_whole && units.peek().is_none();
            Some(if ends_word { self.ending[unit] } else { self.plain[unit] })
        });
        Ok(symbols.chain(self.marker.filter(|_| is_whole)))
    }
}

fn character(unit: u32) -> char {
    char::from_u32(unit).expect("units of characters come from characters")
}
