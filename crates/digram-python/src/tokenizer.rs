//! `Engine`: a tokenizer of the crate, for Python.

use digram::decode;
use digram::encode::{Special, Tokenizer};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyList, PyString};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::call::{call, quick};
use crate::errors::to_python;
use crate::ints::Ints;

/// A tokenizer of the crate.
#[pyclass(frozen, module = "digram._core")]
pub struct Engine {
    pub tokenizer: Tokenizer,
    ints: Ints,
}

impl Engine {
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer, ints: Ints::default() }
    }

    fn lists<'py>(&self, py: Python<'py>, all: &[Vec<u32>]) -> PyResult<Vec<Bound<'py, PyList>>> {
        self.ints.lists(py, all, self.tokenizer.model().vocabulary.ids() as u32)
    }
}

/// Ids that come one after the other.
#[pyclass(frozen, module = "digram._core")]
#[derive(Default)]
pub struct Stream(Mutex<decode::Stream>);

impl Stream {
    fn lock(&self) -> MutexGuard<'_, decode::Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stream {
    #[new]
    fn new() -> Self {
        Self::default()
    }
}

/// What `explain` tells of a word: text, symbols, steps (position, left, right, merged, rank),
/// ids, and why merging stopped.
type ExplainedWord = (String, Vec<u32>, Vec<(usize, u32, u32, u32, u32)>, Vec<u32>, &'static str);

#[pymethods]
impl Engine {
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        special: Policy,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = call(py, None, |monitor| self.tokenizer.encode(text, &special.0, monitor))?;
        Ok(self.lists(py, &[ids])?.remove(0))
    }

    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        special: Policy,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let ids = call(py, None, |monitor| self.tokenizer.encode(text, &special.0, monitor))?;
        Ok(ids.into_pyarray(py))
    }

    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<PyBackedStr>,
        special: Policy,
        threads: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let all = call(py, None, |monitor| {
            let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
            self.tokenizer.encode_batch(&texts, &special.0, threads, monitor)
        })?;
        self.lists(py, &all)
    }

    fn count(&self, py: Python<'_>, text: &str, special: Policy) -> PyResult<usize> {
        call(py, None, |monitor| self.tokenizer.count(text, &special.0, monitor))
    }

    fn words(&self, py: Python<'_>, text: &str) -> PyResult<Vec<(String, usize, usize)>> {
        call(py, None, |monitor| self.tokenizer.words(text, monitor))
    }

    fn explain(&self, py: Python<'_>, text: &str, special: Policy) -> PyResult<Vec<ExplainedWord>> {
        let words = call(py, None, |monitor| self.tokenizer.explain(text, &special.0, monitor))?;
        let words = words.into_iter().map(|word| {
            let steps = word.steps.iter().map(|step| {
                (step.at, step.left, step.right, step.product.merged, step.product.rank)
            });
            (word.text, word.symbols, steps.collect(), word.ids, word.reason.as_str())
        });
        Ok(words.collect())
    }

    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: Ids<'_>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_slice(py)?;
        let bytes = call(py, None, |_| self.tokenizer.decode(ids, skip_special_tokens))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The same as UTF-8, as far as the decoder replaces what is none.
    fn decode_text<'py>(
        &self,
        py: Python<'py>,
        ids: Ids<'_>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_slice(py)?;
        let bytes = call(py, None, |_| self.tokenizer.decode_text(ids, skip_special_tokens))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes that are certain with these ids, behind those that the stream has seen.
    fn feed<'py>(
        &self,
        py: Python<'py>,
        stream: &Stream,
        ids: Ids<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_slice(py)?;
        let bytes = call(py, None, |_| self.tokenizer.feed(&mut stream.lock(), ids))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes that are left when no id follows.
    fn finish<'py>(&self, py: Python<'py>, stream: &Stream) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = call(py, None, |_| self.tokenizer.finish(&mut stream.lock()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The ids with the template's ids around, and their type ids.
    fn process(
        &self,
        py: Python<'_>,
        first: Vec<u32>,
        second: Option<Vec<u32>>,
    ) -> PyResult<Vec<(u32, u32)>> {
        quick(py, || self.tokenizer.process(&first, second.as_deref()))
    }

    /// The id of a token, by its bytes with the marker, if any.
    fn token_id(&self, token: &[u8]) -> Option<u32> {
        self.tokenizer.model().id_of_marked(token)
    }

    /// The bytes of a token, with the marker.
    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyBytes>> {
        quick(py, || self.tokenizer.known(id))?;
        Ok(PyBytes::new(py, &self.tokenizer.model().marked_bytes(id)))
    }

    /// Tokens as `tokenizer.json` spells them, with or without the marker.
    fn spell(&self, py: Python<'_>, ids: Vec<u32>, marker: bool) -> PyResult<Vec<String>> {
        quick(py, || self.tokenizer.spell(&ids, marker))
    }

    /// All ids, ascending.
    fn ids(&self) -> Vec<u32> {
        self.tokenizer.model().vocabulary.iter().map(|(id, _)| id).collect()
    }

    /// How many tokens there are.
    fn __len__(&self) -> usize {
        self.tokenizer.model().vocabulary.len()
    }
}

/// The `special=` argument: a policy by name, or the names of special tokens.
pub struct Policy(Special);

impl<'py> FromPyObject<'_, 'py> for Policy {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = argument.cast::<PyString>() {
            return match name.to_str()? {
                "text" => Ok(Self(Special::Text)),
                "token" => Ok(Self(Special::Token)),
                "error" => Ok(Self(Special::Error)),
                other => Err(PyValueError::new_err(format!(
                    "special is {other:?}; it is \"text\", \"token\", \"error\" or a set of special tokens"
                ))),
            };
        }
        let names = argument.try_iter().and_then(|names| {
            names.map(|name| name?.extract::<String>()).collect::<PyResult<Vec<_>>>()
        });
        names.map(|names| Self(Special::Only(names))).map_err(|_| {
            PyTypeError::new_err(
                "special must be \"text\", \"token\", \"error\" or a set of special tokens",
            )
        })
    }
}

/// Ids as Python gives them: an array of `uint32`, taken as it is, or any sequence of ints.
pub enum Ids<'py> {
    Array(PyReadonlyArray1<'py, u32>),
    List(Vec<u32>),
    Outside(String),
}

impl Ids<'_> {
    fn as_slice(&self, py: Python<'_>) -> PyResult<&[u32]> {
        match self {
            Self::Array(array) => Ok(array.as_slice()?),
            Self::List(ids) => Ok(ids),
            Self::Outside(id) => {
                let message = format!("id {id} is not in the vocabulary; ids are 0 and above");
                Err(to_python(py, digram::Error::UnknownToken(message)))
            }
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Ids<'py> {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if argument.is_instance_of::<pyo3::types::PyList>() {
            return list(argument);
        }
        match argument.extract::<PyReadonlyArray1<'py, u32>>() {
            Ok(array) if array.as_slice().is_ok() => Ok(Self::Array(array)),
            _ => list(argument),
        }
    }
}

fn list<'py>(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Ids<'py>> {
    match argument.extract::<Vec<u32>>() {
        Ok(ids) => Ok(Ids::List(ids)),
        Err(error) if error.is_instance_of::<PyOverflowError>(argument.py()) => {
            for id in argument.try_iter()? {
                let id = id?;
                if id.extract::<u32>().is_err() {
                    return Ok(Ids::Outside(id.str()?.to_string()));
                }
            }
            Err(error)
        }
        Err(_) if argument.is_instance_of::<PyString>() => {
            Err(PyTypeError::new_err("ids must be a sequence of ints, not str"))
        }
        Err(error) => Err(error),
    }
}
