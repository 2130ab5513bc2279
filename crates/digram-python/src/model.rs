//! A model in parts, for Python.
//!
//! What is no table travels as JSON, components as `tokenizer.json` spells them, so that each has
//! one description.

use digram::encode::Tokenizer;
use digram::model::Kind;
use digram::parts::{Parts, Settings};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use crate::call::{call, quick};
use crate::tokenizer::Engine;

/// Ids and tokens, ids that end a word, ids that are only added, ids of plain text, merges,
/// pieces (id, score and kind), settings as JSON.
type PythonParts<'py> = (
    Vec<(u32, Bound<'py, PyBytes>)>,
    Vec<u32>,
    Vec<u32>,
    Vec<u32>,
    Vec<(u32, u32, u32)>,
    Vec<(u32, f32, &'static str)>,
    String,
);

#[pymethods]
impl Engine {
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the tables of a model, each a plain list")]
    fn from_parts(
        py: Python<'_>,
        tokens: Vec<(u32, Vec<u8>)>,
        word_ends: Vec<u32>,
        added_only: Vec<u32>,
        literal: Vec<u32>,
        merges: Vec<(u32, u32, u32)>,
        pieces: Vec<(u32, f32, PyBackedStr)>,
        settings: &str,
        bounds: Option<(u64, usize)>,
    ) -> PyResult<Self> {
        let settings = quick(py, || Settings::from_json(settings))?;
        let piece =
            |(id, score, kind): &(u32, f32, PyBackedStr)| Ok((*id, *score, Kind::named(kind)?));
        let pieces = quick(py, || pieces.iter().map(piece).collect())?;
        let parts = Parts { tokens, word_ends, added_only, literal, merges, pieces, settings };
        let tokenizer = call(py, None, |_| {
            let model = parts.into_model()?;
            match bounds {
                None => Tokenizer::new(model),
                Some((times, bytes)) => Ok(Tokenizer::growing(model, times)?.remembering(bytes)),
            }
        })?;
        Ok(Self::new(tokenizer))
    }

    fn parts<'py>(&self, py: Python<'py>) -> PythonParts<'py> {
        let parts = Parts::of(self.tokenizer.model());
        let tokens = parts.tokens.iter().map(|(id, bytes)| (*id, PyBytes::new(py, bytes)));
        let tokens = tokens.collect();
        let Parts { word_ends, added_only, literal, merges, pieces, settings, .. } = parts;
        let pieces = pieces.iter().map(|(id, score, kind)| (*id, *score, kind.as_str())).collect();
        (tokens, word_ends, added_only, literal, merges, pieces, settings.to_json())
    }

    /// How many times longer a text may become, and how many bytes each thread's tables may take.
    fn bounds(&self) -> (u64, usize) {
        (self.tokenizer.expansion(), self.tokenizer.table_bytes())
    }

    /// The settings of the model alone, as JSON.
    fn settings(&self) -> String {
        digram::parts::settings_of(self.tokenizer.model()).to_json()
    }

    /// The merges that make tokens, (left id, right id, merged id), in their order; by rank and by scores those
    /// that merging may meet.
    fn merges(&self, py: Python<'_>) -> PyResult<Vec<(u32, u32, u32)>> {
        let merges = call(py, None, |_| digram::merge::origins(self.tokenizer.model()))?;
        Ok(merges.iter().map(|merge| (merge.left, merge.right, merge.merged)).collect())
    }
}
