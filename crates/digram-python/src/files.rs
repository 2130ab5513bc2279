//! Files of other tools, as bytes, for Python.

use digram::Limits;
use digram::components::{Behavior, Pattern, PreTokenizer};
use digram::formats::{self, Files, Known};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::call::call;
use crate::tokenizer::Engine;

/// What splits a text: a regular expression, and whether what it matches is dropped; or a component, as JSON.
#[derive(FromPyObject)]
enum Given {
    Regex((String, bool)),
    Json(String),
}

impl Given {
    fn pre_tokenizer(self) -> digram::Result<PreTokenizer> {
        match self {
            Self::Json(json) => digram::components::from_json(&json),
            Self::Regex((regex, is_dropped)) => Ok(PreTokenizer::Split {
                pattern: Pattern::Regex(regex),
                behavior: if is_dropped { Behavior::Removed } else { Behavior::Isolated },
                invert: false,
            }),
        }
    }
}

#[pymethods]
impl Engine {
    /// Reads one file, or the two of a pair; `place` names them in errors. Returns the training
    /// record too, as JSON.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "what a format cannot hold, each a plain value")]
    fn load(
        py: Python<'_>,
        files: Vec<PyBackedBytes>,
        place: &str,
        format: Option<&str>,
        pattern: Option<Given>,
        special_tokens: Vec<(String, Option<u32>)>,
        unk_token: Option<String>,
        initial_alphabet: Vec<char>,
        vocabulary: Option<Vec<String>>,
        glossaries: Vec<String>,
        limits: &str,
    ) -> PyResult<(Self, Option<String>)> {
        let files = match files.as_slice() {
            [one] => Files::One(one),
            [vocab, merges] => Files::Two { vocab, merges },
            _ => return Err(PyValueError::new_err("a model is one file, or two")),
        };
        call(py, None, |_| {
            let pattern = pattern.map(Given::pre_tokenizer).transpose()?;
            let limits = Limits::from_json(limits)?;
            let known = Known {
                pattern,
                special_tokens,
                unk_token,
                initial_alphabet,
                vocabulary,
                glossaries,
                limits,
            };
            let (tokenizer, training) =
                formats::open(&files, format, &known).map_err(|error| error.at(place))?;
            Ok((Self::new(tokenizer), training.map(|record| record.get().to_owned())))
        })
    }

    /// The files of a format: names and contents.
    fn files<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        training: Option<&str>,
    ) -> PyResult<Vec<(&'static str, Bound<'py, PyBytes>)>> {
        let files = call(py, None, |_| {
            let training = training.map(digram::components::from_json).transpose()?;
            formats::write(self.tokenizer.model(), format, training.as_ref())
        })?;
        Ok(files.into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect())
    }
}
