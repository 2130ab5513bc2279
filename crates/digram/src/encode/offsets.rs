//! Where tokens stand in their text, in code points.
//!
//! Mostly their lengths tell ([`tiles`]). Other texts are gone through step by step ([`placed`]).
//!
//! [`tiles`]: super::tiles
//! [`placed`]: super::placed

use super::flat::Source;
use super::heard::Heard;
use super::runs::Batch;
use super::trim::Trim;
use super::windows::append;
use super::{Special, Tokenizer};
use crate::arch::transcode::{self, Unit};
use crate::components::added::Matcher;
use crate::components::runs::Place;
use crate::error::{Error, Result};
use crate::memory;
use crate::monitor::Monitor;
use crate::threads;

/// The ids of a text, and for each the start and the end in code points, one behind the other.
pub type Offsets = (Vec<u32>, Vec<u32>);

impl Tokenizer {
    /// The ids of a text, and where each stands.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        check_length(text.len())?;
        match self.encode_tiled(text, special, monitor)? {
            Some(tiled) => Ok(tiled),
            None => self.encode_placed(text, special, monitor),
        }
    }

    /// The same of a text in code points, of which there is no copy as long as it is, mostly.
    pub fn encode_units_with_offsets<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        let bytes = transcode::bytes_of_all(units);
        check_length(bytes)?;
        let splitter = &self.splitter;
        let stays = !splitter.rewrites() && splitter.keeps_all() && self.model.normalizer.is_none();
        if stays && self.extents()?.is_some() {
            let ids = self.encode_units(units, special, monitor)?;
            // not so where an added token has swallowed blanks
            if let Some(offsets) = self.tile_whole(&ids, bytes, monitor)? {
                return Ok((ids, offsets));
            }
        }
        let mut text = String::new();
        append(units, &mut text)?;
        self.encode_with_offsets(&text, special, monitor)
    }

    /// The same of each text, in order, by several threads where that is worth it.
    pub fn encode_batch_with_offsets<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Offsets>> {
        let batch = Batch::new(texts, special, asked);
        let found = threads::run(batch.workers, monitor, |worker| {
            let (mut runs, mut heard) = (Vec::new(), Heard::of(monitor));
            while let Some((first, texts)) = batch.next(worker) {
                runs.push((first, self.offsets_of_each((first, texts), special, &mut heard)?));
            }
            Ok(runs)
        })?;
        let mut runs: Vec<_> = found.into_iter().flatten().collect();
        runs.sort_unstable_by_key(|&(first, _)| first);
        Ok(runs.into_iter().flat_map(|(_, texts)| texts).collect())
    }

    /// The same of texts that follow each other, of which it is known which one is the first.
    fn offsets_of_each<S: Source>(
        &self,
        (first, texts): (usize, &[S]),
        special: &Special,
        heard: &mut Heard,
    ) -> Result<Vec<Offsets>> {
        let mut all = memory::list(texts.len())?;
        for (number, text) in (first..).zip(texts) {
            let found = text.with_offsets(self, special, heard.after(text.size()));
            all.push(found.map_err(|error| {
                let is_of_text = error.is_of_text() && self.policies.matchers(special).is_ok();
                if is_of_text { error.of_text(format_args!("texts[{number}]")) } else { error }
            })?);
        }
        Ok(all)
    }

    /// What is left out of offsets, if anything is.
    pub(super) fn trim(&self) -> Result<Option<&Trim>> {
        self.trim.now(|| Trim::of(&self.model)).map(Option::as_ref)
    }
}

/// Tells the sections that added tokens cut a text into: which token, where it stands, and its text.
pub(super) fn sections<'a>(
    matcher: Option<&Matcher>,
    text: &'a str,
    monitor: &Monitor,
    mut found: impl FnMut(Option<u32>, Place, &'a str) -> Result<()>,
) -> Result<()> {
    let count = |text: &str| text.chars().count() as u32;
    let Some(matcher) = matcher else { return found(None, [0, count(text)], text) };
    let (mut passed, mut characters) = (0, 0_u32);
    matcher.sections(text, monitor, |section| {
        // a token in what another has swallowed begins before that ends
        let between = count(&text[passed.min(section.start)..passed.max(section.start)]);
        let start =
            if section.start < passed { characters - between } else { characters + between };
        let own = &text[section.start..section.end];
        (passed, characters) = (section.end, start + count(own));
        found(section.id, [start, characters], own)
    })
}

/// Fails where a text has more bytes, and so may have more characters, than are counted.
pub(super) fn check_length(bytes: usize) -> Result<()> {
    if u32::try_from(bytes).is_ok() {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "a text of {bytes} bytes is longer than {}, the most that offsets count; cut it",
        u32::MAX
    )))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CL100K, Random, all_models, model, with_added};
    use super::*;
    use crate::components::special;

    #[test]
    fn texts_of_a_batch_have_the_offsets_that_they_have_alone() {
        let (mut random, monitor) = (Random(47), Monitor::silent());
        for tokenizer in all_models(&mut random) {
            for (texts, pieces) in [(0, 0), (1, 9), (5_000, 9), (40, 4_000)] {
                let texts: Vec<String> = (0..texts).map(|_| random.text(pieces)).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let alone = |text: &&str| text.with_offsets(&tokenizer, &Special::Text, &monitor);
                let expected: Result<Vec<Offsets>> = texts.iter().map(alone).collect();
                let expected = expected.expect("all bytes are there");
                for threads in [1, 2, 7] {
                    let special = &Special::Text;
                    let all = tokenizer.encode_batch_with_offsets(
                        &texts,
                        special,
                        Some(threads),
                        &monitor,
                    );
                    assert!(all.expect("as before") == expected, "{threads} threads");
                }
            }
        }
    }

    #[test]
    fn an_error_names_the_text() {
        let model = model(&mut Random(53), true, Some(CL100K));
        let end = special(model.vocabulary.ids() as u32, "<|end|>");
        let tokenizer = Tokenizer::new(with_added(model, &[end])).expect("it is sound");
        let texts: Vec<&str> = (0..100).map(|at| ["a", "a<|end|>"][at / 77]).collect();
        let monitor = Monitor::silent();
        let failed = tokenizer.encode_batch_with_offsets(&texts, &Special::Error, None, &monitor);
        let said = failed.expect_err("it is refused").to_string();
        assert!(said.starts_with("texts[77]: ") && said.contains("<|end|>"), "{said}");
    }
}
