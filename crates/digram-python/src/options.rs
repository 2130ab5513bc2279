//! What learning is asked for, checked before anything is read.

use digram::model::{EndOfWord, Model, Units};
use digram::train::{self, Alphabet, Apart, Ties};
use pyo3::prelude::*;

use crate::call::quick;
use crate::tokenizer::Engine;

/// The keywords of `digram.train` that say what is learned, each a plain value.
#[pyclass(frozen, module = "digram._core")]
pub struct LearnOptions {
    pub options: train::LearnOptions,
    pub fuse_unk: bool,
    extend: Option<Py<Engine>>,
}

impl LearnOptions {
    /// The model that is extended, if one is.
    pub fn old(&self) -> Option<&Model> {
        self.extend.as_ref().map(|engine| engine.get().tokenizer.model())
    }
}

#[pymethods]
impl LearnOptions {
    #[new]
    #[pyo3(signature = (*, vocab_size, num_merges, units, special_tokens, min_frequency, ties, end_of_word,
        attached, unk_token, fuse_unk, byte_fallback, max_token_length, forbidden, forbidden_patterns, required,
        apart, max_digits, initial_alphabet, limit_alphabet, character_coverage, extend = None))]
    #[expect(clippy::too_many_arguments, reason = "they are digram.train's")]
    fn new(
        py: Python<'_>,
        vocab_size: Option<u64>,
        num_merges: Option<u64>,
        units: &str,
        special_tokens: Vec<String>,
        min_frequency: u64,
        ties: &str,
        end_of_word: Option<String>,
        attached: bool,
        unk_token: Option<String>,
        fuse_unk: bool,
        byte_fallback: bool,
        max_token_length: Option<usize>,
        forbidden: Vec<Vec<u8>>,
        forbidden_patterns: Vec<String>,
        required: Vec<String>,
        apart: Vec<String>,
        max_digits: Option<usize>,
        initial_alphabet: Option<Vec<Vec<u8>>>,
        limit_alphabet: Option<u64>,
        character_coverage: Option<f32>,
        extend: Option<Py<Engine>>,
    ) -> PyResult<Self> {
        let options = train::LearnOptions {
            vocab_size,
            num_merges,
            units: if units == "chars" { Units::Chars } else { Units::Bytes },
            special_tokens,
            min_frequency,
            ties: quick(py, || Ties::from_name(ties))?,
            end_of_word: end_of_word.map(|marker| EndOfWord { marker, attached }),
            max_token_length,
            forbidden,
            forbidden_patterns,
            required,
            apart: quick(py, || apart.iter().map(|name| Apart::from_name(name)).collect())?,
            max_digits,
            initial_alphabet: match initial_alphabet {
                None => Alphabet::Default,
                Some(given) if given.is_empty() => Alphabet::Seen,
                Some(given) => Alphabet::Given(given),
            },
            byte_fallback,
            limit_alphabet,
            character_coverage,
            unk_token,
        };
        let checked = Self { options, fuse_unk, extend };
        quick(py, || match checked.old() {
            Some(old) => checked.options.check_for(old),
            None => checked.options.check(),
        })?;
        Ok(checked)
    }
}
