//! Lists of ids, filled from ready-made ints.
//!
//! Making a Python int takes some 15 ns, and taking a reference to one that is there some 3 ns.
//! So an engine that gives long lists keeps an int for each of its ids.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyList};

/// Fewer ids are filled in as fresh ints, so that short calls never pay for the pool.
const MIN_IDS: usize = 4096;
/// A vocabulary with larger ids gets no pool: 32 bytes for each id would be too many.
const MAX_ID: u32 = 1 << 20;

/// An int for each id, made when first needed.
#[derive(Default)]
pub struct Ints(PyOnceLock<Vec<Py<PyInt>>>);

impl Ints {
    /// A list for each of `all`, whose ids are below `end`.
    pub fn lists<'py>(
        &self,
        py: Python<'py>,
        all: &[Vec<u32>],
        end: u32,
    ) -> PyResult<Vec<Bound<'py, PyList>>> {
        let count: usize = all.iter().map(Vec::len).sum();
        if count < MIN_IDS || end > MAX_ID {
            return all.iter().map(|ids| PyList::new(py, ids)).collect();
        }
        let make = || (0..end).map(|id| PyInt::new(py, id).unbind()).collect();
        let pool: &Vec<_> = self.0.get_or_init(py, make);
        let pooled =
            |ids: &Vec<u32>| PyList::new(py, ids.iter().map(|&id| pool[id as usize].bind(py)));
        all.iter().map(pooled).collect()
    }
}
