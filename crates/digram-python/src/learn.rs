//! Counting and learning, for Python.

use std::sync::{Arc, Mutex, PoisonError};

use digram::components::{Decoder, Normalizer, PreTokenizer};
use digram::encode::Tokenizer;
use digram::train::{self, Around, TrainingReport};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::call::{Turn, call, quick};
use crate::columns::{Bad, Buffers, Document, column, told};
use crate::keeping::Keeping;
use crate::options::LearnOptions;
use crate::tokenizer::Engine;

/// Counts the words of texts.
#[pyclass(frozen, module = "digram._core")]
pub struct Counter {
    counter: Mutex<Option<train::Counter>>,
}

#[pymethods]
impl Counter {
    #[new]
    #[pyo3(signature = (
        pre_tokenizer, normalizer, special_tokens, threads, part = None, max_memory = None
    ))]
    fn new(
        py: Python<'_>,
        pre_tokenizer: Option<&str>,
        normalizer: Option<&str>,
        special_tokens: Vec<String>,
        threads: Option<usize>,
        part: Option<usize>,
        max_memory: Option<u64>,
    ) -> PyResult<Self> {
        let counter = quick(py, || {
            let pre_tokenizer = component::<PreTokenizer>(pre_tokenizer)?;
            let normalizer = component::<Normalizer>(normalizer)?;
            let counter = train::Counter::new(
                pre_tokenizer.as_ref(),
                normalizer.as_ref(),
                &special_tokens,
                threads,
            )?;
            let counter = match max_memory {
                Some(bytes) => counter.with_memory(bytes)?,
                None => counter,
            };
            Ok(match part {
                Some(bytes) => counter.with_part(bytes),
                None => counter,
            })
        });
        Ok(Self { counter: Mutex::new(Some(counter?)) })
    }

    /// Counts texts, as `str` or as `bytes`; tells which of them are not UTF-8. `expected` is how
    /// many bytes will come in all, or 0; for progress.
    fn add(
        &self,
        py: Python<'_>,
        texts: Vec<Document>,
        expected: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bad>> {
        let mut bad = Vec::new();
        self.feed(py, expected, progress.as_ref(), |counter, monitor| {
            let mut good = Vec::with_capacity(texts.len());
            for (row, text) in texts.iter().enumerate() {
                match text.text() {
                    Ok(text) => good.push(text),
                    Err(byte) => bad.push((0, row, Some(byte))),
                }
            }
            counter.add(&good, monitor)
        })?;
        Ok(bad)
    }

    /// Counts the texts of columns: of a sample alone, if its bound and seed are given, and no more
    /// bytes than are `left`. Tells which rows have no text, and how many bytes are left then.
    #[pyo3(signature = (columns, progress, sample = None, left = None))]
    fn add_columns(
        &self,
        py: Python<'_>,
        columns: Vec<Buffers<'_>>,
        progress: Option<Py<PyAny>>,
        sample: Option<(u128, u64)>,
        left: Option<u64>,
    ) -> PyResult<(Vec<Bad>, Option<u64>)> {
        let columns: Vec<_> = columns.iter().map(column).collect::<PyResult<_>>()?;
        let mut part = train::Part::new(sample, left);
        let bad = self.feed(py, 0, progress.as_ref(), |counter, monitor| {
            counter.add_columns(&columns, &mut part, monitor).map(told)
        })?;
        Ok((bad, part.left()))
    }

    /// Counts a file, whole or line by line.
    fn add_file(
        &self,
        py: Python<'_>,
        path: std::path::PathBuf,
        lines: bool,
        expected: u64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.feed(py, expected, progress.as_ref(), |counter, monitor| {
            train::read_file(&path, lines, counter, monitor)
        })
    }

    /// How many bytes went to temporary files so far.
    fn spilled(&self) -> PyResult<u64> {
        let mut counter = self.counter.lock().map_err(|_| used_up())?;
        Ok(counter.as_mut().ok_or_else(used_up)?.spilled())
    }

    /// The counts; the counter is then used up.
    #[pyo3(signature = (progress = None))]
    fn finish(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<WordCounts> {
        let counter = self.counter.lock().map_err(|_| used_up())?.take().ok_or_else(used_up)?;
        Ok(WordCounts::of(call(py, progress.as_ref(), |monitor| counter.finish(monitor))?))
    }
}

impl Counter {
    fn feed<T: Send>(
        &self,
        py: Python<'_>,
        expected: u64,
        progress: Option<&Py<PyAny>>,
        work: impl FnOnce(&mut train::Counter, &digram::monitor::Monitor) -> digram::Result<T> + Send,
    ) -> PyResult<T> {
        // Taken out while it works: a second thread is told, and never waits with the lock held.
        let mut counter = self.counter.lock().map_err(|_| used_up())?.take().ok_or_else(used_up)?;
        counter.expect(expected);
        let outcome = call(py, progress, |monitor| work(&mut counter, monitor));
        *self.counter.lock().map_err(|_| used_up())? = Some(counter);
        outcome
    }
}

fn used_up() -> PyErr {
    PyRuntimeError::new_err("the counter is finished, or another thread is using it")
}

/// Word counts of the crate.
#[pyclass(frozen, module = "digram._core")]
pub struct WordCounts {
    counts: Mutex<Arc<train::WordCounts>>,
}

impl WordCounts {
    fn of(counts: train::WordCounts) -> Self {
        Self { counts: Mutex::new(Arc::new(counts)) }
    }

    /// The counts, which are also kept.
    pub fn held(&self) -> Arc<train::WordCounts> {
        Arc::clone(&self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The counts; nothing is kept of them.
    fn given(&self) -> Arc<train::WordCounts> {
        std::mem::take(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl WordCounts {
    #[new]
    fn new(py: Python<'_>, words: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (mut counts, mut turn) = (train::WordCounts::new(), Turn::begin(py));
        for item in words.try_iter()? {
            let (word, count): (Bound<'_, PyAny>, u64) = item?.extract()?;
            turn.made(1)?;
            let pushed = if let Ok(text) = word.cast::<PyString>() {
                let text = text.to_str()?;
                quick(py, || counts.push(text.as_bytes(), count))
            } else if let Ok(bytes) = word.cast::<PyBytes>() {
                quick(py, || counts.push(bytes.as_bytes(), count))
            } else {
                let kind = word.get_type().name()?;
                Err(PyTypeError::new_err(format!("a word must be str or bytes, not {kind}")))
            };
            pushed?;
        }
        Ok(Self::of(counts))
    }

    /// Words and counts, in first-seen order.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (list, mut turn) = (PyList::empty(py), Turn::begin(py));
        for (word, count) in self.held().iter() {
            list.append((PyBytes::new(py, word), count))?;
            turn.made(1)?;
        }
        Ok(list)
    }

    fn __len__(&self) -> usize {
        self.held().len()
    }

    fn total(&self) -> u64 {
        self.held().total()
    }

    fn text_bytes(&self, py: Python<'_>) -> u128 {
        py.detach(|| self.held().text_bytes())
    }
}

/// Token spellings by id, merges, frequencies and live frequencies by id, live symbols, places and
/// ties by merge, stop reason, distinct words, words in all.
type Report = (
    Vec<String>,
    Vec<(u32, u32, u32)>,
    Vec<u64>,
    Vec<u64>,
    Vec<u32>,
    Vec<u64>,
    Vec<u32>,
    &'static str,
    u64,
    u64,
);

/// Learns merges from word counts, and makes the tokenizer: a new one, or one that extends another
/// and is else like it. `done` is where it goes on from, `keep` is called with what is done. Counts that
/// nobody needs again are `given`: nothing is left of them, and their memory is used for learning.
#[pyfunction]
#[pyo3(signature = (counts, options, *, normalizer, pre_tokenizer, decoder, progress, done = None, keep = None,
    every = 1000, given = false))]
#[expect(
    clippy::too_many_arguments,
    reason = "what is learned from, what is asked for, and who is told"
)]
pub fn learn(
    py: Python<'_>,
    counts: &WordCounts,
    options: &LearnOptions,
    normalizer: Option<&str>,
    pre_tokenizer: Option<&str>,
    decoder: Option<&str>,
    progress: Option<Py<PyAny>>,
    done: Option<Vec<u8>>,
    keep: Option<Py<PyAny>>,
    every: u32,
    given: bool,
) -> PyResult<(Engine, Report)> {
    let (old, fuse_unk, options) = (options.old(), options.fuse_unk, &options.options);
    let around = quick(py, || {
        Ok(Around {
            normalizer: component::<Normalizer>(normalizer)?,
            pre_tokenizer: component::<PreTokenizer>(pre_tokenizer)?,
            decoder: component::<Decoder>(decoder)?,
            fuse_unk,
        })
    })?;
    let keeping = Keeping::new(keep, every);
    let counts = if given { counts.given() } else { counts.held() };
    let outcome = call(py, progress.as_ref(), |monitor| {
        let course = keeping.course(done.as_deref())?;
        let (model, report) = if let Some(old) = old {
            train::extend_on(counts, options, old, course, monitor)?
        } else {
            let (learned, report) = train::learn_on(counts, options, course, monitor)?;
            (train::build(learned, options, around)?, report)
        };
        Ok((Tokenizer::new(model)?, report))
    });
    let (tokenizer, report) = keeping.raised(outcome)?;
    let told = quick(py, || told_of(&tokenizer, report))?;
    Ok((Engine::new(tokenizer), told))
}

/// A report as Python takes it.
fn told_of(tokenizer: &Tokenizer, report: TrainingReport) -> digram::Result<Report> {
    Ok((
        spellings(tokenizer)?,
        report.merges.iter().map(|merge| (merge.left, merge.right, merge.merged)).collect(),
        report.frequencies,
        report.live_frequencies,
        report.live_symbols,
        report.places,
        report.tied,
        report.stopped.as_str(),
        report.words,
        report.occurrences,
    ))
}

/// How all tokens are spelled, by id; an id without a token has the empty text.
fn spellings(tokenizer: &Tokenizer) -> digram::Result<Vec<String>> {
    let vocabulary = &tokenizer.model().vocabulary;
    let mut spellings = vec![String::new(); vocabulary.ids()];
    for (id, _) in vocabulary.iter() {
        spellings[id as usize] = tokenizer.spell(id, true)?;
    }
    Ok(spellings)
}

fn component<T: serde::de::DeserializeOwned>(json: Option<&str>) -> digram::Result<Option<T>> {
    json.map(digram::components::from_json).transpose()
}
