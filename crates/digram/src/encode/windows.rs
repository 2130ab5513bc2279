//! A text that is not UTF-8 yet, made and encoded window by window.
//!
//! Python holds a text that is not ASCII in one, two or four bytes a character. Made UTF-8 whole, it
//! is a second copy in memory, all of it touched for the first time. So a long text is made a few
//! ten thousand characters at a time, and encoded up to a place where it may as well end: where
//! its words are those of the two sides. Where there is no such place, the window grows.
//!
//! Where several threads are worth it, the text is cut at such places into a share for each, and
//! each goes through its own: nothing is guessed, and ids are put together in order.
//!
//! Not so where all of the text is looked at first: for added tokens, by a normalizer, by a
//! pre-tokenizer that changes text.

use super::pipeline::Scratch;
use super::policy::Matchers;
use super::sink::Sink;
use super::{Special, Tokenizer, stretches};
use crate::arch::transcode::{self, Unit};
use crate::error::{Error, Result};
use crate::memory;
use crate::monitor::Monitor;
use crate::pretokenize::Spelled;

/// What is said of a text that is none.
pub const LONE_SURROGATE: &str = "a text holds a lone surrogate";
/// So many characters are made at a time.
const WINDOW: usize = 32 << 10;
/// Room that is kept for the next text.
const KEPT: usize = 1 << 20;
/// So many characters, or one more, tell how many bytes a text has.
const SAMPLED: usize = 16;
/// So many characters are made to look for a place to cut: it is found near their end or nowhere.
const SEARCHED: usize = 1 << 10;
/// How often, before it is left to others: this long is no word but one that nothing splits.
const SEARCHES: usize = 16;

/// How a text goes through: by windows of so many characters, if they need not grow, and by so many
/// threads.
pub(super) type Way = (usize, usize);

/// The way of a text in a batch, of which so many threads may work on each.
pub(super) fn way<U: Unit>(units: &[U], workers: usize) -> Way {
    // so few characters, of three bytes each, are worth one thread: their bytes need not be told,
    // which takes a part of the time of a short text
    if workers <= 1 || units.len() <= 2 * WINDOW {
        return (WINDOW, 1);
    }
    (WINDOW, stretches::useful(about_how_many_bytes(units), workers))
}

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
        self.of_units(units, (WINDOW, None), special, monitor)
    }

    /// Adds the ids of such a text, a short one, to a list; none where it fails.
    pub fn encode_units_onto<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let before = ids.len();
        let done = self.units_onto(units, (WINDOW, 1), special, ids, monitor);
        done.inspect_err(|_| ids.truncate(before))
    }

    /// How many ids such a text has.
    pub fn count_units<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<usize> {
        self.of_units(units, (WINDOW, None), special, monitor)
    }

    /// What becomes of the ids of a text. A window has so many characters, if it need not grow, and
    /// so many threads share the text, or as many as it is worth.
    pub(super) fn of_units<U: Unit, S: Sink>(
        &self,
        units: &[U],
        (window, workers): (usize, Option<usize>),
        special: &Special,
        monitor: &Monitor,
    ) -> Result<S> {
        let bytes = about_how_many_bytes(units);
        let workers =
            workers.unwrap_or_else(|| stretches::useful(bytes, stretches::workers(bytes, None)));
        let mut sink = S::with_room(self.density.room(bytes))?;
        self.units_onto(units, (window, workers), special, &mut sink, monitor)?;
        self.density.note(bytes, sink.so_far());
        Ok(sink)
    }

    /// Gives the ids of a text to `sink`, with what a thread needs for it.
    fn units_onto<U: Unit>(
        &self,
        units: &[U],
        way: Way,
        special: &Special,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.scratch(way.1)?;
        self.units_to(units, way, (&matchers, special), &mut scratch, sink, monitor)?;
        self.give_back(scratch);
        Ok(())
    }

    /// Gives the ids of a text to `sink`: by windows where that can be, or made UTF-8 whole.
    #[inline]
    pub(super) fn units_to<U: Unit>(
        &self,
        units: &[U],
        (window, workers): Way,
        (matchers, special): (&Matchers, &Special),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let is_long = workers > 1 || units.len() > 2 * window;
        if is_long && self.takes_windows(matchers, special) {
            self.check("", special, monitor)?;
            let shares = self.shares(units, workers)?;
            if shares.len() > 1 || workers == 1 {
                return self.shares_to(&shares, window, scratch, sink, monitor);
            }
        }
        let mut text = scratch.empty_text();
        append(units, &mut text)?;
        self.check(&text, special, monitor)?;
        self.encode_with(&text, matchers, scratch, sink, monitor)?;
        scratch.text = text;
        Ok(())
    }

    /// Whether nothing is looked for in the whole text, and nothing changed in it.
    pub(super) fn takes_windows(&self, matchers: &Matchers, special: &Special) -> bool {
        let looks = matchers.raw.is_some() || matchers.normalized.is_some();
        let changes = self.model.normalizer.is_some() || self.splitter.rewrites();
        !looks && !changes && *special != Special::Error
    }

    /// A text cut into so many shares of about equal length, or fewer where it cannot be cut.
    fn shares<'a, U: Unit>(&self, units: &'a [U], workers: usize) -> Result<Vec<&'a [U]>> {
        let (mut shares, mut from) = (Vec::with_capacity(workers), 0);
        for index in 1..workers {
            let near = units.len() / workers * index;
            if let Some(to) = self.place_near(units, near)?.filter(|&to| to > from) {
                shares.push(&units[from..to]);
                from = to;
            }
        }
        shares.push(&units[from..]);
        Ok(shares)
    }

    /// A place, close before `near` or else behind it, at which a text may as well end.
    fn place_near<U: Unit>(&self, units: &[U], near: usize) -> Result<Option<usize>> {
        // a place lies between two characters: the next search begins with the last one of this
        let ends = (near..units.len()).step_by(SEARCHED - 1).take(SEARCHES);
        let mut text = String::new();
        for end in ends {
            text.clear();
            append(&units[end.saturating_sub(SEARCHED)..end], &mut text)?;
            if let Some(place) = self.splitter.place_of_end(&text) {
                return Ok(Some(end - text[place..].chars().count()));
            }
        }
        Ok(None)
    }

    /// Gives the ids of a text, of which each thread has a share, to `sink`.
    fn shares_to<U: Unit, S: Sink>(
        &self,
        shares: &[&[U]],
        window: usize,
        scratch: &mut Scratch,
        sink: &mut S,
        monitor: &Monitor,
    ) -> Result<()> {
        let windows = |index: usize| (shares[index].chunks(window), index == 0);
        // they are about as long, and about as many bytes
        let room = self.density.room(shares.last().map_or(0, |share| about_how_many_bytes(share)));
        self.run_into((shares.len(), room), scratch, sink, monitor, |index, scratch, sink| {
            self.by_windows(windows(index), scratch, sink, monitor)
        })
    }

    /// Gives the ids of a share, of which these are the windows, to `sink`.
    fn by_windows<'a, U: Unit + 'a>(
        &self,
        (mut units, mut is_first): (impl ExactSizeIterator<Item = &'a [U]>, bool),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut text = scratch.empty_text();
        while let Some(some) = units.next() {
            append(some, &mut text)?;
            let is_last = units.len() == 0;
            let end = if is_last { Some(text.len()) } else { self.splitter.place_of_end(&text) };
            if let Some(end) = end {
                self.encode_words((&text[..end], is_first), scratch, sink, monitor)?;
                is_first = false;
                text.drain(..end);
                self.exchange(scratch, false);
            }
        }
        scratch.text = text;
        Ok(())
    }
}

impl Scratch {
    /// Room for a text.
    fn empty_text(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        text
    }

    /// Drops the room if it is much.
    pub(super) fn drop_large_text(&mut self) {
        if self.text.capacity() > KEPT {
            self.text = String::new();
        }
        if self.spelled.capacity() > KEPT {
            self.spelled = Spelled::default();
        }
    }
}

/// As if all of the text were as some of its characters are, which lie evenly in it.
fn about_how_many_bytes<U: Unit>(units: &[U]) -> usize {
    let step = units.len() / SAMPLED + 1;
    let some = units.iter().step_by(step).map(|&unit| transcode::bytes(unit.into()));
    some.sum::<usize>() * step
}

/// Appends what they are as UTF-8.
pub(super) fn append<U: Unit>(units: &[U], text: &mut String) -> Result<()> {
    if units.len() > WINDOW {
        memory::expect(about_how_many_bytes(units))?;
    }
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
    fn windows_of_any_size_and_threads_cannot_be_told_from_the_ids() {
        let (mut random, monitor) = (Random(11), Monitor::new(&Nobody));
        let patterns = [Some(CL100K), Some(GPT2), Some(O200K), Some(r"\p{L}+|\s"), None];
        for pattern in patterns {
            let model = model(&mut random, false, pattern);
            let tokenizer = Tokenizer::new(model).expect("the model is sound");
            let cuts = tokenizer.splitter.place_of_end("one word\n and another");
            assert_eq!(cuts.is_some(), pattern.is_some(), "{pattern:?}");
            for _ in 0..40 {
                let pieces = random.below(300);
                let text = random.text(pieces);
                let units: Vec<u32> = text.chars().map(u32::from).collect();
                let whole = tokenizer.encode(&text, &Special::Text, &monitor).expect("encodes");
                let ways =
                    [1, 7, 40, 300].map(|window| [1, 2, 3, 7].map(|some| (window, Some(some))));
                for way in ways.into_iter().flatten() {
                    for _ in 0..2 {
                        let ids = tokenizer.of_units(&units, way, &Special::Text, &monitor);
                        let ids: Vec<u32> = ids.expect("encodes");
                        assert_eq!(ids, whole, "{pattern:?}, {way:?}: {text:?}");
                    }
                    let count = tokenizer.of_units(&units, way, &Special::Text, &monitor);
                    let count: usize = count.expect("encodes");
                    assert_eq!(count, whole.len());
                }
            }
        }
    }

    #[test]
    fn a_text_is_cut_into_a_share_for_each_thread_if_a_place_is_near() {
        let (mut random, unsplit) = (Random(13), "a".repeat(40_000));
        let tokenizer = Tokenizer::new(model(&mut random, true, Some(CL100K)));
        let tokenizer = tokenizer.expect("the model is sound");
        let lengths = |text: &str, workers| {
            let units: Vec<u32> = text.chars().map(u32::from).collect();
            let shares = tokenizer.shares(&units, workers).expect("they are characters");
            assert_eq!(shares.concat(), units);
            shares.iter().map(|share| share.len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&"two words, ".repeat(100), 4), [274, 275, 275, 276]);
        assert_eq!(lengths(&unsplit, 3), [40_000]);
        assert_eq!(lengths("", 7), [0]);
        assert_eq!(lengths(&format!("{unsplit} {unsplit}"), 2), [40_000, 40_001]);
        // the word that lies over the middle ends soon behind it
        let text = format!("{}{}", &unsplit[..10_000], " a".repeat(4_000));
        assert_eq!(lengths(&text, 2), [10_022, 7_978]);
    }

    #[test]
    fn a_lone_surrogate_is_an_error_wherever_it_stands() {
        let mut random = Random(12);
        let tokenizer = Tokenizer::new(model(&mut random, true, Some(CL100K)));
        let tokenizer = tokenizer.expect("the model is sound");
        for at in [0, 3, 500, 99_999] {
            let mut units: Vec<u16> = "two words ".repeat(10_000).encode_utf16().collect();
            units[at] = 0xDC00;
            for workers in [None, Some(1), Some(2), Some(3), Some(7)] {
                let (way, monitor) = ((WINDOW, workers), Monitor::new(&Nobody));
                let failed: Result<usize> =
                    tokenizer.of_units(&units, way, &Special::Text, &monitor);
                assert!(matches!(failed, Err(Error::Value(_))), "{failed:?}");
            }
        }
    }
}
