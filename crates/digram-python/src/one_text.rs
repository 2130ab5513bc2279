//! `OneText`: the calls on one text, which are made most, with no function of Python's between.
//!
//! To enter one function more takes Python a sixth of a call for twenty characters.

#![expect(clippy::doc_link_with_quotes, reason = "the docstrings of Python, with examples")]

use std::cell::Cell;
use std::slice::from_ref;

use digram::encode::{Special, Tokenizer};
use digram::error::Result;
use digram::monitor::Monitor;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString};

use crate::arguments::{Ids, OneStr, Policy, Skipping};
use crate::arrays::{IdArray, array, import_numpy};
use crate::call::{quick, sized};
use crate::ints;
use crate::text::{self, Text};
use crate::tokenizer::{Engine, REPLACE, text_of};

/// What a tokenizer does with one text, or with the ids of one. (Errors name the class as users know it.)
#[pyclass(frozen, subclass, weakref, name = "Tokenizer", module = "digram._core")]
pub struct OneText {
    engine: PyOnceLock<Py<Engine>>,
}

impl OneText {
    fn engine(&self, py: Python<'_>) -> PyResult<&Engine> {
        let none = || PyAttributeError::new_err("this tokenizer was never made: it has no engine");
        self.engine.get(py).map(Py::get).ok_or_else(none)
    }

    /// What `made` makes of the ids of a text, which it may take.
    fn of_ids<T>(
        &self,
        text: &Bound<'_, PyString>,
        special: &Policy,
        made: impl FnOnce(&mut Vec<u32>) -> PyResult<T>,
    ) -> PyResult<T> {
        let (units, special, py) = (Text::of(text)?, &special.0, text.py());
        let tokenizer = &self.engine(py)?.tokenizer;
        let explained = |error| text::explained(error, from_ref(text));
        if units.len() >= SHORT {
            let ids = sized(py, units.len(), |monitor| ids_of(units, tokenizer, special, monitor));
            return made(&mut ids.map_err(explained)?);
        }
        let mut ids = ROOM.try_with(Cell::take).unwrap_or_default();
        quick(py, || add_ids_of(units, tokenizer, special, &mut ids)).map_err(explained)?;
        let made = made(&mut ids);
        if ids.capacity() <= KEPT {
            ids.clear();
            // (a thread that ends, and calls once more, has none)
            let _ = ROOM.try_with(|room| room.set(ids));
        }
        made
    }
}

/// The ids of a text.
fn ids_of(
    text: Text,
    tokenizer: &Tokenizer,
    special: &Special,
    monitor: &Monitor,
) -> Result<Vec<u32>> {
    match text {
        Text::Utf8(text) => tokenizer.encode(text, special, monitor),
        Text::One(units) => tokenizer.encode_units(units, special, monitor),
        Text::Two(units) => tokenizer.encode_units(units, special, monitor),
        Text::Four(units) => tokenizer.encode_units(units, special, monitor),
    }
}

/// Adds the ids of a short text to a list.
fn add_ids_of(
    text: Text,
    tokenizer: &Tokenizer,
    special: &Special,
    ids: &mut Vec<u32>,
) -> Result<()> {
    let monitor = &Monitor::silent();
    match text {
        Text::Utf8(text) => tokenizer.encode_onto(text, special, ids, monitor),
        Text::One(units) => tokenizer.encode_units_onto(units, special, ids, monitor),
        Text::Two(units) => tokenizer.encode_units_onto(units, special, ids, monitor),
        Text::Four(units) => tokenizer.encode_units_onto(units, special, ids, monitor),
    }
}

/// The ids of shorter texts go into a list that their thread keeps: to find memory for one takes as long as
/// some words.
const SHORT: usize = 1024;
/// Room for more ids is not kept: a normalizer may make a short text long.
const KEPT: usize = 8 * SHORT;

thread_local! {
    static ROOM: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

#[pymethods]
impl OneText {
    /// One without an engine, which it is given once.
    #[new]
    #[pyo3(signature = (*_given, **_named))]
    fn new(_given: &Bound<'_, PyAny>, _named: Option<&Bound<'_, PyAny>>) -> Self {
        Self { engine: PyOnceLock::new() }
    }

    #[setter(_engine)]
    fn set_engine(&self, py: Python<'_>, engine: Py<Engine>) -> PyResult<()> {
        let is_there = |_| PyAttributeError::new_err("a tokenizer keeps the engine that it has");
        self.engine.set(py, engine).map_err(is_there)
    }

    #[getter]
    fn _engine(&self, py: Python<'_>) -> PyResult<Py<Engine>> {
        self.engine(py)?;
        Ok(self.engine.get(py).expect("it is there").clone_ref(py))
    }

    /// Return the ids of a text. O(n log n).
    ///
    /// Raises `UnicodeEncodeError` for a lone surrogate, `SpecialTokenError` as `special` says,
    /// `UnknownTokenError` for a character outside a vocabulary that has no unknown token.
    ///
    /// >>> import digram
    /// >>> digram.train(["aaaa"], num_merges=1).encode("aaab")
    /// [256, 64, 65]
    #[pyo3(signature = (text, *, special = Policy::TEXT), text_signature = "($self, text, *, special='text')")]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: OneStr<'py>,
        special: Policy,
    ) -> PyResult<Bound<'py, PyList>> {
        self.of_ids(&text.0, &special, |ids| ints::list(py, ids))
    }

    /// Return the ids of a text as a NumPy array of `uint32`, without a copy. Raises as `encode`.
    ///
    /// >>> import digram
    /// >>> digram.train(["aaaa"], num_merges=1).encode_array("aaab")
    /// array([256,  64,  65], dtype=uint32)
    #[pyo3(signature = (text, *, special = Policy::TEXT), text_signature = "($self, text, *, special='text')")]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: OneStr<'py>,
        special: Policy,
    ) -> PyResult<IdArray<'py>> {
        import_numpy(py)?;
        self.of_ids(&text.0, &special, |ids| Ok(array(py, ids)))
    }

    /// Return how many ids a text has: `len(encode(text))`, cheaper. Raises as `encode`.
    ///
    /// >>> import digram
    /// >>> digram.train(["aaaa"], num_merges=1).count("aaab")
    /// 3
    #[pyo3(signature = (text, *, special = Policy::TEXT), text_signature = "($self, text, *, special='text')")]
    fn count(&self, text: OneStr<'_>, special: Policy) -> PyResult<usize> {
        let text = &text.0;
        let (units, special) = (Text::of(text)?, &special.0);
        let tokenizer = &self.engine(text.py())?.tokenizer;
        let count = sized(text.py(), units.len(), |monitor| match units {
            Text::Utf8(text) => tokenizer.count(text, special, monitor),
            Text::One(units) => tokenizer.count_units(units, special, monitor),
            Text::Two(units) => tokenizer.count_units(units, special, monitor),
            Text::Four(units) => tokenizer.count_units(units, special, monitor),
        });
        count.map_err(|error| text::explained(error, from_ref(text)))
    }

    /// Return the text of ids; `errors` says what becomes of bytes that are no UTF-8.
    ///
    /// Ids are ints in a sequence, or an array of any integers; an array of `uint32` is not copied.
    /// Raises `UnknownTokenError` for an id outside the vocabulary; where bytes are no UTF-8,
    /// `UnicodeDecodeError` with `errors="strict"`, and `LookupError` for a handler that there is not.
    ///
    /// >>> import digram
    /// >>> digram.train(["aaaa"], num_merges=1).decode([256, 64, 65])
    /// 'aaab'
    #[pyo3(
        signature = (ids, *, errors = REPLACE, skip_special_tokens = Skipping(false)),
        text_signature = "($self, ids, *, errors='replace', skip_special_tokens=False)"
    )]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: Ids<'_>,
        errors: &str,
        skip_special_tokens: Skipping,
    ) -> PyResult<Bound<'py, PyString>> {
        let (ids, tokenizer) = (ids.as_slice(py)?, &self.engine(py)?.tokenizer);
        if let Some(text) = text::decoded(py, tokenizer, ids, skip_special_tokens.0)? {
            return Ok(text);
        }
        let bytes = sized(py, 4 * ids.len(), |monitor| {
            if errors == REPLACE {
                tokenizer.decode_text(ids, skip_special_tokens.0, monitor)
            } else {
                tokenizer.decode(ids, skip_special_tokens.0, monitor)
            }
        })?;
        text_of(py, &bytes, errors)
    }
}
