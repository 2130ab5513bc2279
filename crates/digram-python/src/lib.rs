//! The Python binding: types in, lock released, one call, errors out. No rule lives here.

#![expect(clippy::needless_pass_by_value, reason = "what Python passes arrives by value")]

mod arguments;
mod arrays;
mod call;
mod charsmap;
mod columns;
mod errors;
mod files;
mod ints;
mod keeping;
mod learn;
mod lists;
mod model;
mod offsets;
mod one_text;
mod options;
mod text;
mod tokenizer;

use pyo3::prelude::*;

/// The engine of digram. Everything public is in `digram`; this module may change at any time.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python gives it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    /// The Unicode version that patterns follow; normal forms have the tables that files mean.
    #[pymodule_export]
    const UNICODE_VERSION: &str = "16.0.0";

    #[pymodule_export]
    use super::charsmap::{charsmap_named, charsmap_of};
    #[pymodule_export]
    use super::ints::untracked;
    #[pymodule_export]
    use super::keeping::fingerprint;
    #[pymodule_export]
    use super::learn::{Counter, WordCounts, learn};
    #[pymodule_export]
    use super::one_text::OneText;
    #[pymodule_export]
    use super::options::LearnOptions;
    #[pymodule_export]
    use super::tokenizer::{Engine, Stream};
}
