//! Short texts of a batch, looked up together.
//!
//! Some lines of text have no more words than wait for each other. So short texts are laid one behind
//! the other, each split by itself, as what stands before a text changes nothing where patterns look
//! ahead only; their words are looked up as those of one text are, and where a text ends, the ids so far
//! are counted.
//!
//! Not so where something is done to each word, and not where all of a text is looked at first.

use super::flat::Encoder;
use super::heard::{EACH, HEARD_EVERY};
use super::policy::Matchers;
use super::{Special, Tokenizer};
use crate::arch::transcode::{self, Unit};
use crate::error::{Error, Result};

/// Longer texts have enough words of their own.
const SHORT: usize = 512;

impl Tokenizer {
    /// Whether short texts can be looked up together.
    pub(super) fn takes_together(&self, matchers: &Matchers, special: &Special) -> bool {
        let is_plain = self.takes_windows(matchers, special) && self.encodes_many();
        is_plain && self.splitter.splits_alike_behind_others()
    }
}

impl Encoder<'_> {
    /// Lays a text behind others if it is short, and all are plain: returns whether it did.
    pub(super) fn add_text(&mut self, text: &str) -> Result<bool> {
        let is_short = self.is_plain && text.len() <= SHORT;
        if is_short {
            self.together.text_mut().push_str(text);
            self.end_text()?;
        }
        Ok(is_short)
    }

    /// The same of code points.
    pub(super) fn add_units<U: Unit>(&mut self, units: &[U]) -> Result<bool> {
        // a lone surrogate is told by who takes such a text alone, once those before it are encoded
        let is_short = self.is_plain
            && units.len() <= SHORT
            && transcode::append(units, self.together.text_mut());
        if is_short {
            self.end_text()?;
        }
        Ok(is_short)
    }

    fn end_text(&mut self) -> Result<()> {
        self.together.end_text();
        if self.together.text().len() >= HEARD_EVERY || self.together.len() >= HEARD_EVERY {
            self.encode_together()?;
        }
        Ok(())
    }

    /// Encodes the texts that lie ready.
    pub(super) fn encode_together(&mut self) -> Result<()> {
        if self.together.len() == 0 {
            return Ok(());
        }
        let Self { tokenizer, special, scratch, ids, heard, together, .. } = self;
        let monitor = heard.after(together.text().len() + EACH * (together.len() - 1));
        monitor.check()?;
        tokenizer.check("", special, monitor)?;
        let splitter = &tokenizer.splitter;
        let done = tokenizer.encode_rows(together, splitter, scratch, ids, monitor);
        if matches!(done, Err(Error::UnknownToken(_))) {
            // of words that are made together another than the first may have been told
            together.spans().try_for_each(|span| {
                tokenizer.encode(&together.text()[span], special, monitor).map(drop)
            })?;
        }
        done?;
        together.clear();
        self.ends.append(&mut scratch.words.rows.counts);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::super::flat::Source;
    use super::super::tests::{CL100K, Random, model};
    use super::*;
    use crate::model::Model;
    use crate::monitor::{Monitor, Nobody};

    /// The second looks behind.
    const PATTERNS: [Option<&str>; 5] =
        [Some(CL100K), Some(r"(?<=a)b|(?<=\s)\S+"), Some(r"\s+"), Some(r"'?\p{L}+ ?"), None];

    /// The ids of each of some texts, encoded as a batch.
    fn rows<S: Source>(tokenizer: &Tokenizer, texts: &[S]) -> Result<Vec<Vec<u32>>> {
        let monitor = Monitor::new(&Nobody);
        let runs = tokenizer.encode_runs(texts, &Special::Text, Some(1), &monitor)?;
        Ok(runs.iter().flat_map(Run::rows).map(<[u32]>::to_vec).collect())
    }

    #[test]
    fn texts_of_few_words_have_the_ids_that_each_has_alone() {
        let (mut random, monitor) = (Random(51), Monitor::new(&Nobody));
        for (pattern, most) in
            PATTERNS.into_iter().flat_map(|one| [(one, 3), (one, 40), (one, 300)])
        {
            let tokenizer = Tokenizer::new(model(&mut random, true, pattern)).expect("it is sound");
            let matchers = tokenizer.policies.matchers(&Special::Text).expect("there are none");
            let is_plain = tokenizer.takes_together(&matchers, &Special::Text);
            assert_eq!(is_plain, pattern.is_none_or(|pattern| !pattern.starts_with("(?<=")));
            for _ in 0..3 {
                let lengths: Vec<usize> = (0..600).map(|_| random.below(most)).collect();
                let texts: Vec<String> = lengths.iter().map(|&one| random.text(one)).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                let alone = |text: &&str| tokenizer.encode(text, &Special::Text, &monitor);
                let alone = texts.iter().map(alone).collect::<Result<Vec<_>>>().expect("encodes");
                assert_eq!(
                    rows(&tokenizer, &texts).expect("encodes"),
                    alone,
                    "{pattern:?}, {most}"
                );
                let units = texts.iter().map(|text| text.chars().map(u32::from).collect());
                let units: Vec<Vec<u32>> = units.collect();
                let units: Vec<&[u32]> = units.iter().map(Vec::as_slice).collect();
                assert_eq!(
                    rows(&tokenizer, &units).expect("encodes"),
                    alone,
                    "{pattern:?}, {most}"
                );
            }
        }
    }

    #[test]
    fn lone_surrogates_and_dropout_are_refused_and_no_texts_are_not() {
        let model = model(&mut Random(52), true, Some(CL100K));
        let dropping = Model { dropout: Some(0.5), ..model.clone() };
        let tokenizer = Tokenizer::new(model).expect("it is sound");
        let units: [&[u32]; 2] = [&[98], &[97, 0xD800]];
        assert!(matches!(rows(&tokenizer, &units), Err(Error::Value(_))));
        let tokenizer = Tokenizer::new(dropping).expect("it is sound");
        assert!(matches!(rows(&tokenizer, &["a"]), Err(Error::Format(_))));
        assert_eq!(rows::<&str>(&tokenizer, &[]).expect("there is nothing"), [[0_u32; 0]; 0]);
    }
}
