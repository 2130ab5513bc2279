//! Lists of ids, filled from ready-made ints, and read.
//!
//! Making a Python int takes some 15 ns, and taking a reference to one that is there some 3 ns.
//! So an engine that has given some thousand ids keeps an int for each id that it gives.

#![expect(unsafe_code, reason = "the slots of a list that nobody else can touch meanwhile")]

use std::sync::Mutex;

use pyo3::ffi;
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
        filled(py, ids, &mut pool)
    }
}

/// A list of `ids`, its slots set one by one: 2.8 ns for each that is near, where `PyList::new`
/// takes 6 ns with the same ints and 18 ns with fresh ones. (A prefetch ahead gains nothing.)
fn filled<'py>(py: Python<'py>, ids: &[u32], pool: &mut Pool) -> PyResult<Bound<'py, PyList>> {
    let length = ids.len().cast_signed();
    // SAFETY: a new list, or an error.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(length)) }?;
    for (place, &id) in (0..length).zip(ids) {
        // SAFETY: the slot is one of the new list's, still empty, and takes the reference over.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), place, pool.int(py, id).into_ptr()) };
    }
    Ok(list.cast_into()?)
}

/// The ids in a list, where all are plain ints that an id can be.
pub fn read(list: &Bound<'_, PyList>) -> Option<Vec<u32>> {
    if cfg!(Py_GIL_DISABLED) {
        return list.iter().map(|id| id.extract().ok()).collect();
    }
    let mut ids = Vec::with_capacity(list.len());
    for place in 0..list.len() {
        let mut overflow = 0;
        // SAFETY: the place is in the list, which cannot change: no code of Python's runs here, as
        // plain ints have no `__index__`.
        let (is_int, value) = unsafe {
            let id = ffi::PyList_GET_ITEM(list.as_ptr(), place.cast_signed());
            let is_int = ffi::PyLong_CheckExact(id) != 0;
            (is_int, if is_int { ffi::PyLong_AsLongAndOverflow(id, &raw mut overflow) } else { 0 })
        };
        if !is_int || overflow != 0 {
            return None;
        }
        ids.push(u32::try_from(value).ok()?);
    }
    Some(ids)
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
