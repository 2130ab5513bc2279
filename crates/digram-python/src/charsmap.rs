//! Tables of replacements, as `SentencePiece` has them.

use digram::components::normalizer::{Rules, named_rules, table_of};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::call;

/// The table of the rules of a name.
#[pyfunction]
pub fn charsmap_named(py: Python<'_>, name: String) -> PyResult<Bound<'_, PyBytes>> {
    bytes_of(py, || named_rules(&name))
}

/// The table of rules: what is looked for, and what stands there instead.
#[pyfunction]
pub fn charsmap_of(py: Python<'_>, rules: Rules) -> PyResult<Bound<'_, PyBytes>> {
    bytes_of(py, || Ok(rules))
}

fn bytes_of<F>(py: Python<'_>, rules: F) -> PyResult<Bound<'_, PyBytes>>
where
    F: FnOnce() -> digram::Result<Rules> + Send,
{
    let table =
        call(py, None, |monitor| table_of(&rules()?, monitor)?.bytes().map(<[u8]>::to_vec))?;
    Ok(PyBytes::new(py, &table))
}
