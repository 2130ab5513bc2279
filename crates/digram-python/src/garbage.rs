//! No garbage is collected while many objects are made.
//!
//! Before Python 3.12 each 700 new lists begin a collection that looks through them, in vain, while
//! more are made: a third of the time for a batch of short texts. Later ones collect between the
//! instructions of Python alone.

#![expect(unsafe_code, reason = "the calls are")]

use pyo3::ffi;
use pyo3::prelude::*;

/// For as long as it lives no garbage is collected, while the interpreter's lock is held.
pub struct Uncollected<'py> {
    _held: Python<'py>,
    was_collected: bool,
}

impl<'py> Uncollected<'py> {
    /// From now on.
    pub fn begin(py: Python<'py>) -> Self {
        // SAFETY: the lock is held.
        let was_collected = cfg!(not(Py_3_12)) && unsafe { ffi::PyGC_Disable() } != 0;
        Self { _held: py, was_collected }
    }
}

impl Drop for Uncollected<'_> {
    fn drop(&mut self) {
        if self.was_collected {
            // SAFETY: the lock is held.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}
