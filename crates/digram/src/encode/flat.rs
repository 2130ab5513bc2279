//! Many texts on all cores, their ids one behind the other.

use super::heard::Heard;
use super::offsets::Offsets;
use super::pipeline::Scratch;
use super::policy::Held;
use super::rows::Together;
use super::runs::Run;
use super::{Special, Tokenizer, windows};
use crate::arch::pages::advise_room;
use crate::arch::transcode::Unit;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;

/// A text, or what becomes one on the thread that encodes it.
pub trait Source: Sync {
    /// About how many bytes it has.
    fn size(&self) -> usize;

    /// Gives the text, as it lies in memory, to the encoder.
    fn give_to(&self, encoder: &mut Encoder) -> Result<()>;

    /// The ids of the text alone, and where each stands in it.
    fn with_offsets(
        &self,
        tokenizer: &Tokenizer,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets>;
}

impl Source for &str {
    fn size(&self) -> usize {
        self.len()
    }

    fn give_to(&self, encoder: &mut Encoder) -> Result<()> {
        encoder.text(self)
    }

    fn with_offsets(
        &self,
        tokenizer: &Tokenizer,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        tokenizer.encode_with_offsets(self, special, monitor)
    }
}

/// Code points, none of which may be a lone surrogate.
impl<U: Unit> Source for &[U] {
    fn size(&self) -> usize {
        self.len()
    }

    fn give_to(&self, encoder: &mut Encoder) -> Result<()> {
        encoder.units(self)
    }

    fn with_offsets(
        &self,
        tokenizer: &Tokenizer,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        tokenizer.encode_units_with_offsets(self, special, monitor)
    }
}

/// What encodes the texts of a run on its thread, their ids one behind the other.
pub struct Encoder<'a> {
    pub(super) tokenizer: &'a Tokenizer,
    matchers: Held<'a>,
    pub(super) special: &'a Special,
    pub(super) scratch: &'a mut Scratch,
    pub(super) ids: Vec<u32>,
    /// How many ids there were at the end of each text.
    pub(super) ends: Vec<usize>,
    pub(super) heard: Heard<'a>,
    /// Whether short texts are looked up together, and those that lie ready.
    pub(super) is_plain: bool,
    pub(super) together: Together,
}

impl Encoder<'_> {
    /// Adds the ids of a text.
    pub fn text(&mut self, text: &str) -> Result<()> {
        if self.add_text(text)? {
            return Ok(());
        }
        self.encode_together()?;
        let Self { tokenizer, matchers, special, scratch, ids, heard, .. } = self;
        let monitor = heard.after(text.len());
        tokenizer.check(text, special, monitor)?;
        tokenizer.encode_with(text, matchers, scratch, ids, monitor)?;
        self.ends.push(self.ids.len());
        Ok(())
    }

    /// Adds the ids of a text that is given as code points. A long one is not made UTF-8 whole, and
    /// is shared by the threads that the batch has for each text.
    pub fn units<U: Unit>(&mut self, units: &[U]) -> Result<()> {
        if self.add_units(units)? {
            return Ok(());
        }
        self.encode_together()?;
        let Self { tokenizer, matchers, special, scratch, ids, heard, .. } = self;
        let monitor = heard.after(size_of_val(units));
        let way = windows::way(units, scratch.workers);
        tokenizer.units_to(units, way, (matchers, special), scratch, ids, monitor)?;
        self.ends.push(self.ids.len());
        Ok(())
    }
}

impl Tokenizer {
    /// The ids of some texts, encoded by this thread, and how many there are at the end of each.
    pub(super) fn encode_some<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        scratch: &mut Scratch,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<usize>)> {
        let matchers = self.policies.matchers(special)?;
        let is_plain = self.takes_together(&matchers, special);
        let size = texts.iter().map(Source::size).sum();
        let mut encoder = Encoder {
            tokenizer: self,
            matchers,
            special,
            scratch,
            ids: memory::list(self.density_of_many.room(size))?,
            ends: memory::list(texts.len())?,
            heard: Heard::of(monitor),
            is_plain,
            together: Together::default(),
        };
        for text in texts {
            text.give_to(&mut encoder)?;
        }
        encoder.encode_together()?;
        self.density_of_many.note(size, encoder.ids.len());
        Ok((encoder.ids, encoder.ends))
    }
}

/// The ids of many texts.
pub struct Flat {
    /// The ids, one text behind the other.
    pub ids: Vec<u32>,
    /// Where the ids of each text begin; the last is where all end.
    pub offsets: Vec<usize>,
}

impl Tokenizer {
    /// The ids of each text, in order. The result does not depend on the number of threads.
    pub fn encode_flat<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Flat> {
        joined(self.encode_runs(texts, special, asked, monitor)?, monitor)
    }
}

/// The ids of all runs; those of a single one are not copied.
fn joined(runs: Vec<Run>, monitor: &Monitor) -> Result<Flat> {
    let mut offsets = vec![0];
    let mut end = 0;
    for ids in runs.iter().flat_map(Run::rows) {
        end += ids.len();
        offsets.push(end);
    }
    let ids = match <[Run; 1]>::try_from(runs) {
        Ok([only]) => only.ids,
        Err(runs) => {
            let mut ids = memory::list(end)?;
            advise_room(&mut ids);
            for run in runs {
                monitor.check()?;
                ids.extend(run.ids);
            }
            ids
        }
    };
    Ok(Flat { ids, offsets })
}

#[cfg(test)]
mod tests {
    use super::super::LONE_SURROGATE;
    use super::super::tests::{CL100K, Random, model, with_added};
    use super::*;
    use crate::components::special;
    use crate::error::Error;
    use crate::monitor::Nobody;

    const THREADS: [usize; 4] = [1, 2, 3, 7];

    /// A text as it may come from Python.
    enum Given {
        Utf8(String),
        Units(Vec<u32>),
    }

    impl Source for Given {
        fn size(&self) -> usize {
            match self {
                Self::Utf8(text) => text.len(),
                Self::Units(units) => units.len(),
            }
        }

        fn give_to(&self, encoder: &mut Encoder) -> Result<()> {
            match self {
                Self::Utf8(text) => encoder.text(text),
                Self::Units(units) => encoder.units(units),
            }
        }

        fn with_offsets(
            &self,
            tokenizer: &Tokenizer,
            special: &Special,
            monitor: &Monitor,
        ) -> Result<Offsets> {
            match self {
                Self::Utf8(text) => tokenizer.encode_with_offsets(text, special, monitor),
                Self::Units(units) => tokenizer.encode_units_with_offsets(units, special, monitor),
            }
        }
    }

    fn units(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    /// A tokenizer that looks for a special token where it is told to.
    fn tokenizer(random: &mut Random, pattern: Option<&str>) -> Tokenizer {
        let mut model = model(random, true, pattern);
        let end = special(model.vocabulary.ids() as u32, "<|end|>");
        model = with_added(model, &[end]);
        Tokenizer::new(model).expect("the model is sound")
    }

    /// Texts shorter than a window, of some windows, and worth several threads; specials in some.
    fn texts(random: &mut Random) -> Vec<String> {
        let mut text = |pieces| random.text(pieces);
        let [long, longer] = [text(30_000), text(120_000)];
        let special = |text: &str| format!("{text}<|end|> {text}<|end|>");
        let unsplit = "中".repeat(100_000);
        let mut texts = vec![longer, String::new(), text(3), special(&long), text(500)];
        texts.extend([special("é"), long, format!("a {unsplit}"), text(9_000), text(1)]);
        texts
    }

    #[test]
    fn a_batch_of_texts_however_short_hears_that_it_is_to_stop() {
        let tokenizer = tokenizer(&mut Random(7), Some(CL100K));
        let monitor = Monitor::new(&Nobody);
        monitor.stop();
        let found = tokenizer.encode_flat(&[""; 200], &Special::Text, Some(1), &monitor);
        assert!(matches!(found, Err(Error::Interrupted)));
    }

    #[test]
    fn texts_of_all_kinds_and_lengths_have_the_ids_that_each_has_alone() {
        let (mut random, monitor) = (Random(41), Monitor::new(&Nobody));
        let only = Special::Only(vec!["<|end|>".into()]);
        for pattern in [Some(CL100K), None] {
            let tokenizer = tokenizer(&mut random, pattern);
            let texts = texts(&mut random);
            let kinds = (0..).zip(&texts).map(|(place, text)| match place % 4 {
                2 => Given::Utf8(text.clone()),
                _ => Given::Units(units(text)),
            });
            let given: Vec<Given> = kinds.collect();
            for special in [&Special::Text, &Special::Token, &only] {
                let alone = |text: &String| tokenizer.encode(text, special, &monitor);
                let alone = texts.iter().map(alone).collect::<Result<Vec<_>>>();
                let alone = alone.expect("encodes");
                // of one long text, of a few, and of more than there are threads
                for some in [0..1, 3..4, 6..7, 7..8, 0..4, 2..7, 0..texts.len()] {
                    for threads in THREADS {
                        let batch = &given[some.clone()];
                        let runs = tokenizer.encode_runs(batch, special, Some(threads), &monitor);
                        let runs = runs.expect("encodes");
                        let rows: Vec<&[u32]> = runs.iter().flat_map(Run::rows).collect();
                        assert_eq!(rows, alone[some.clone()], "{some:?}, {special:?}, {threads}");
                        let flat = tokenizer.encode_flat(batch, special, Some(threads), &monitor);
                        assert_eq!(flat.expect("encodes").ids, rows.concat());
                    }
                }
            }
        }
    }

    #[test]
    fn a_special_token_in_a_long_text_is_refused_where_it_is_to_be() {
        let (mut random, monitor) = (Random(42), Monitor::new(&Nobody));
        let tokenizer = tokenizer(&mut random, Some(CL100K));
        let texts = texts(&mut random);
        let units: Vec<Vec<u32>> = texts.iter().map(|text| units(text)).collect();
        let units: Vec<&[u32]> = units.iter().map(Vec::as_slice).collect();
        for threads in THREADS {
            let flat = |some: &[&[u32]]| {
                tokenizer.encode_flat(some, &Special::Error, Some(threads), &monitor)
            };
            let alone = tokenizer.encode(&texts[0], &Special::Error, &monitor);
            assert_eq!(flat(&units[..1]).expect("has none").ids, alone.expect("has none"));
            let monitor = Monitor::new(&Nobody);
            let failed = tokenizer.encode_flat(&units, &Special::Error, Some(threads), &monitor);
            assert!(matches!(failed, Err(Error::SpecialToken(_))), "{threads} threads");
        }
    }

    #[test]
    fn a_lone_surrogate_in_one_of_several_texts_is_the_error() {
        let mut random = Random(43);
        let tokenizer = tokenizer(&mut random, Some(CL100K));
        let texts = texts(&mut random);
        for place in 0..texts.len() {
            let mut units: Vec<Vec<u32>> = texts.iter().map(|text| units(text)).collect();
            let at = units[place].len() / 3 * 2;
            units[place].insert(at, 0xDC00);
            let all: Vec<&[u32]> = units.iter().map(Vec::as_slice).collect();
            for (batch, threads) in [&all[..], &all[place..=place]]
                .into_iter()
                .flat_map(|batch| THREADS.map(|threads| (batch, threads)))
            {
                let monitor = Monitor::new(&Nobody);
                let failed =
                    tokenizer.encode_runs(batch, &Special::Text, Some(threads), &monitor).err();
                let said = matches!(&failed, Some(Error::Value(said)) if said == LONE_SURROGATE);
                assert!(said, "text {place}, {threads} threads: {failed:?}");
            }
        }
    }
}
