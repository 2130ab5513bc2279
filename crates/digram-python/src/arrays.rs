//! Arrays of NumPy, which is imported where the first is made or asked for.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Ids as an array.
pub type IdArray<'py> = Bound<'py, PyArray1<u32>>;

/// Handing memory over costs 185 ns, copying so few ids 145 ns with all.
const FEW: usize = 256;

/// The ids as an array, not copied, and in no more than twice the memory that they need: a text in
/// a script that merges well leaves most of what was reserved for it. Few are copied, and the list left.
pub fn array<'py>(py: Python<'py>, ids: &mut Vec<u32>) -> IdArray<'py> {
    if ids.len() <= FEW {
        return PyArray1::from_slice(py, ids);
    }
    let mut ids = std::mem::take(ids);
    if ids.capacity() > 2 * ids.len() {
        ids.shrink_to_fit();
    }
    ids.into_pyarray(py)
}

/// Imports NumPy, and makes a first array. Else the first call would that has ids to give: there, all that stops
/// it is a panic, and Ctrl-C may, as some of it is Python's code.
#[inline]
pub fn import_numpy(py: Python<'_>) -> PyResult<()> {
    static IMPORTED: PyOnceLock<()> = PyOnceLock::new();
    let first = || {
        py.import("numpy")?;
        py.check_signals()?;
        drop(PyArray1::<u32>::from_slice(py, &[]));
        Ok(())
    };
    IMPORTED.get_or_try_init(py, first).copied()
}
