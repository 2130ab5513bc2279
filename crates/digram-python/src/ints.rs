//! Lists of ids, filled from ready-made ints.
//!
//! Making a Python int takes some 15 ns, and taking a reference to one that is there some 3 ns.
//! So an engine that has given some thousand ids keeps an int for each id that it gives.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// Ids given as fresh ints before ready-made ones are kept: short use never pays for them.
const FRESH: usize = 4096;
/// Larger ids are fresh ints always: 8 bytes for each smaller one would be too many.
const MAX_ID: usize = 1 << 20;

/// An int for each id that was given.
#[derive(Default)]
pub struct Ints(Mutex<Pool>);

#[derive(Default)]
struct Pool {
    ints: Vec<Option<Py<PyInt>>>,
    given: usize,
}

impl Ints {
    /// A list of `ids`, which are below `end`.
    pub fn list<'py>(
        &self,
        py: Python<'py>,
        ids: &[u32],
        end: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        // Whoever holds it goes on below in this very thread: a list that is made may run the
        // garbage collector, and that any code. Without the global lock, threads would also wait
        // for each other to count references to the same ints.
        let Some(mut pool) = self.0.try_lock().ok().filter(|_| cfg!(not(Py_GIL_DISABLED))) else {
            return PyList::new(py, ids);
        };
        if !pool.is_ready(ids.len(), end) {
            drop(pool);
            return PyList::new(py, ids);
        }
        PyList::new(py, ids.iter().map(|&id| pool.int(py, id)))
    }
}

impl Pool {
    fn is_ready(&mut self, count: usize, end: usize) -> bool {
        if self.ints.is_empty() {
            self.given += count;
            if self.given < FRESH {
                return false;
            }
            self.ints.resize_with(end.min(MAX_ID), || None);
        }
        true
    }

    #[inline]
    fn int<'py>(&mut self, py: Python<'py>, id: u32) -> Bound<'py, PyInt> {
        match self.ints.get_mut(id as usize) {
            Some(Some(int)) => int.bind(py).clone(),
            Some(none) => none.insert(PyInt::new(py, id).unbind()).bind(py).clone(),
            None => PyInt::new(py, id),
        }
    }
}
