//! A text that is not UTF-8 yet, made and encoded window by window.
//!
//! Python holds a text that is not ASCII in one, two or four bytes a character. Made UTF-8 whole, it
//! is a second copy in memory, all of it touched for the first time. So a long text is made a few
//! ten thousand characters at a time, and encoded up to a place where it may as well end: where
//! its words are those of the two sides. Where there is no such place, the window grows.
//!
//! Not so where several threads share the text, or where all of it is looked at first: for added
//! tokens, by a normalizer, by a pre-tokenizer that changes text.

use super::pipeline::Scratch;
use super::policy::Matchers;
use super::sink::{self, Sink};
use super::{Special, Tokenizer, stretches};
use crate::arch::transcode::{self, Unit};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// What is said of a text that is none.
pub const LONE_SURROGATE: &str = "a text holds a lone surrogate";
/// So many characters are made at a time.
const WINDOW: usize = 32 << 10;
/// Room that is kept for the next text.
const KEPT: usize = 1 << 20;

impl Tokenizer {
    /// The ids of a text that is given as code points, as [`encode`](Self::encode) gives them.
    ///
    /// Fails with [`Error::Value`] where one is a lone surrogate, and as `encode`.
    pub fn encode_units<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        let mut ids = sink::list_for(about_how_many_bytes(units));
        self.units_into(units, WINDOW, special, &mut ids, monitor)?;
        Ok(ids)
    }

    /// How many ids such a text has.
    pub fn count_units<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<usize> {
        let mut count = 0;
        self.units_into(units, WINDOW, special, &mut count, monitor)?;
        Ok(count)
    }

    /// Gives the ids of a text to `sink`; a window has so many characters, if it need not grow.
    pub(super) fn units_into<U: Unit>(
        &self,
        units: &[U],
        window: usize,
        special: &Special,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let workers = stretches::workers(units.len(), None);
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.scratch(workers);
        let mut text = std::mem::take(&mut scratch.text);
        text.clear();
        let is_long = units.len() > 2 * window && workers == 1;
        if is_long && self.takes_windows(&matchers, special) {
            self.check("", special)?;
            self.by_windows(units.chunks(window), &mut text, &mut scratch, sink, monitor)?;
        } else {
            append(units, &mut text)?;
            self.check(&text, special)?;
            self.encode_with(&text, &matchers, &mut scratch, sink, monitor)?;
        }
        if text.capacity() <= KEPT {
            scratch.text = text;
        }
        self.pool.give_back(scratch);
        Ok(())
    }

    /// Whether nothing is looked for in the whole text, and nothing changed in it.
    fn takes_windows(&self, matchers: &Matchers, special: &Special) -> bool {
        let looks = matchers.raw.is_some() || matchers.normalized.is_some();
        let changes = self.model.normalizer.is_some() || self.splitter.rewrites();
        !looks && !changes && *special != Special::Error
    }

    fn by_windows<'a, U: Unit + 'a>(
        &self,
        mut units: impl ExactSizeIterator<Item = &'a [U]>,
        text: &mut String,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut is_first = true;
        while let Some(some) = units.next() {
            append(some, text)?;
            let is_last = units.len() == 0;
            let end = if is_last { Some(text.len()) } else { self.splitter.place_of_end(text) };
            if let Some(end) = end {
                self.encode_words((&text[..end], is_first), scratch, sink, monitor)?;
                is_first = false;
                text.drain(..end);
            }
        }
        Ok(())
    }
}

/// As if all of the text were as its beginning is.
fn about_how_many_bytes<U: Unit>(units: &[U]) -> usize {
    let beginning = &units[..units.len().min(WINDOW / 8)];
    let bytes = beginning.iter().map(|&unit| transcode::bytes(unit.into())).sum::<usize>();
    bytes * units.len().div_ceil(beginning.len().max(1))
}

fn append<U: Unit>(units: &[U], text: &mut String) -> Result<()> {
    if transcode::append(units, text) {
        return Ok(());
    }
    Err(Error::Value(LONE_SURROGATE.into()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CL100K, Random, model};
    use super::*;
    use crate::monitor::Nobody;
    use crate::pretokenize::GPT2;

    const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

    #[test]
    fn windows_of_any_size_cannot_be_told_from_the_ids() {
        let (mut random, monitor) = (Random(11), Monitor::new(&Nobody));
        let patterns = [Some(CL100K), Some(GPT2), Some(O200K), Some(r"\p{L}+|\s"), None];
        for pattern in patterns {
            let model = model(&mut random, false, pattern);
            let tokenizer = Tokenizer::new(model).expect("the model is sound");
            let cuts = tokenizer.splitter.place_of_end("one word\n and another");
            assert_eq!(cuts.is_some(), pattern.is_some(), "{pattern:?}");
            for _ in 0..120 {
                let pieces = random.below(300);
                let text = random.text(pieces);
                let units: Vec<u32> = text.chars().map(u32::from).collect();
                let whole = tokenizer.encode(&text, &Special::Text, &monitor).expect("encodes");
                for window in [1, 7, 40, 300] {
                    let (mut ids, mut count) = (Vec::new(), 0_usize);
                    for _ in 0..2 {
                        ids.clear();
                        tokenizer
                            .units_into(&units, window, &Special::Text, &mut ids, &monitor)
                            .expect("encodes");
                    }
                    assert_eq!(ids, whole, "{pattern:?}, {window}: {text:?}");
                    tokenizer
                        .units_into(&units, window, &Special::Text, &mut count, &monitor)
                        .expect("encodes");
                    assert_eq!(count, whole.len());
                }
            }
        }
    }

    #[test]
    fn a_lone_surrogate_is_an_error_wherever_it_stands() {
        let (mut random, monitor) = (Random(12), Monitor::new(&Nobody));
        let tokenizer = Tokenizer::new(model(&mut random, true, Some(CL100K)));
        let tokenizer = tokenizer.expect("the model is sound");
        for at in [0, 3, 500, 99_999] {
            let mut units: Vec<u16> = "two words ".repeat(10_000).encode_utf16().collect();
            units[at] = 0xDC00;
            let failed = tokenizer.encode_units(&units, &Special::Text, &monitor);
            assert!(matches!(failed, Err(Error::Value(_))), "{failed:?}");
        }
    }
}
