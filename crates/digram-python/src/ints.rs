//! Lists of ids, filled from ready-made ints.
//!
//! Making a Python int takes some 15 ns. So a process that has given some thousand ids keeps an int
//! for each id that it gives, for all tokenizers. To count a new reference to an int, it must be
//! found in memory: for a vocabulary of 100,000 tokens, in 3 MB. So their references are not counted:
//! these ints live as long as the process, as the small ones of Python itself do.
//!
//! A list of ints is part of no cycle. Many lists let Python begin a collection, which looks through
//! all of them, each int twice: half the time for a batch of many texts, and again whenever all
//! objects are looked through. So the collector is not told of these lists, as Python itself
//! does with tuples and dicts of ints. What is lost: a cycle that leads through such a list, because
//! somebody puts other objects into it, is not found.

#![expect(unsafe_code, reason = "the slots of a list, and references that are not counted")]

use std::sync::Mutex;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};

use crate::call::Turn;

mod read;

pub use read::read;

/// Ids given as fresh ints before ready-made ones are kept: short use never pays for them.
const FRESH: usize = 4096;
/// Larger ids are fresh ints always: what is kept, 40 bytes for an id, is never given back.
const MAX_ID: usize = 1 << 20;

/// The ints of a process.
static KEPT: Mutex<Kept> = Mutex::new(Kept { ints: Vec::new(), given: 0 });

struct Kept {
    /// The int of each id that was given, or null.
    ints: Vec<*mut ffi::PyObject>,
    given: usize,
}

// SAFETY: threads touch the ints only while they hold the interpreter's lock, as all that takes a
// `Python` does. Interpreters that share this module, before 3.12, share that lock and their ints.
unsafe impl Send for Kept {}

/// A list of `ids`, which the garbage collector does not look through.
pub fn list<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let list = made(py, ids)?;
    untrack(&list);
    Ok(list)
}

/// A list of pairs, through none of which the garbage collector looks. Where one begins with what the one
/// before ends with, they have that int together.
pub fn pairs<'py>(turn: &mut Turn<'py>, pairs: &[[u32; 2]]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(turn.py);
    untrack(&list);
    let (mut before, mut end) = (0, PyInt::new(turn.py, 0));
    for &[first, second] in pairs {
        let start = if first == before { end } else { PyInt::new(turn.py, first) };
        (before, end) = (second, PyInt::new(turn.py, second));
        let pair = PyTuple::new(turn.py, [&start, &end])?;
        untrack(&pair);
        list.append(pair)?;
        turn.made(1)?;
    }
    Ok(list)
}

/// The same list of ints, or of pairs of ints, of which the garbage collector does not know.
#[pyfunction]
pub fn untracked<'py>(ints: &Bound<'py, PyList>) -> Bound<'py, PyList> {
    untrack(ints);
    ints.clone()
}

/// Lets the garbage collector not know of a list or a tuple of ints.
fn untrack(object: &Bound<'_, PyAny>) {
    #[cfg(not(any(Py_GIL_DISABLED, PyPy, GraalPy)))]
    // SAFETY: it is an object that may be tracked, and the lock is held.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.as_ptr().cast());
    }
    #[cfg(any(Py_GIL_DISABLED, PyPy, GraalPy))]
    let _ = object;
}

fn made<'py>(py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyList>> {
    // Nobody waits: a list that is made may run the garbage collector, and that any code, which may
    // come here again, or fork a child in which this stays locked. They get fresh ints.
    if cfg!(not(any(Py_GIL_DISABLED, PyPy, GraalPy, target_pointer_width = "32")))
        && let Ok(mut kept) = KEPT.try_lock()
        && kept.is_ready(ids.len())
    {
        return filled(py, ids, &mut kept);
    }
    PyList::new(py, ids)
}

/// A list of `ids`, its slots set one by one.
fn filled<'py>(py: Python<'py>, ids: &[u32], kept: &mut Kept) -> PyResult<Bound<'py, PyList>> {
    let length = ids.len().cast_signed();
    // SAFETY: a new list, or an error.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(length)) }?;
    let ints = &mut kept.ints[..];
    for (place, &id) in (0..length).zip(ids) {
        let int = match ints.get_mut(id as usize) {
            Some(int) if !int.is_null() => *int,
            slot => first(py, id, slot),
        };
        // SAFETY: the slot is one of the new list's, still empty, and takes the reference over.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), place, int) };
    }
    Ok(list.cast_into()?)
}

/// A new int, kept in its slot if it has one.
#[cold]
#[inline(never)]
fn first(py: Python<'_>, id: u32, slot: Option<&mut *mut ffi::PyObject>) -> *mut ffi::PyObject {
    let int = PyInt::new(py, id).into_ptr();
    if let Some(slot) = slot {
        // SAFETY: it is an int, and the lock is held.
        let is_kept = unsafe { keep(int) };
        *slot = if is_kept { int } else { *slot };
    }
    int
}

/// Lets an object live as long as the process, however often references to it are given back; or
/// says that it cannot.
///
/// From Python 3.12 on, objects with this count are never counted (PEP 683); before, it takes
/// centuries to count so far down.
///
/// # Safety
///
/// It is an object, and the caller holds the interpreter's lock.
#[cfg(not(any(Py_GIL_DISABLED, PyPy, GraalPy, target_pointer_width = "32")))]
unsafe fn keep(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's; all fields of the count are numbers.
    unsafe {
        #[cfg(Py_3_12)]
        {
            // the lower half: what is above it may be flags
            let never = if cfg!(Py_3_14) { 3 << 30 } else { isize::MAX >> 31 };
            let count = &mut (*object).ob_refcnt.ob_refcnt;
            *count = *count & !(isize::MAX >> 31) | never;
        }
        #[cfg(not(Py_3_12))]
        {
            (*object).ob_refcnt = isize::MAX / 2;
        }
    }
    true
}

#[cfg(any(Py_GIL_DISABLED, PyPy, GraalPy, target_pointer_width = "32"))]
unsafe fn keep(_: *mut ffi::PyObject) -> bool {
    false
}

impl Kept {
    fn is_ready(&mut self, count: usize) -> bool {
        if self.ints.is_empty() {
            self.given += count;
            if self.given < FRESH {
                return false;
            }
            self.ints = vec![std::ptr::null_mut(); MAX_ID]; // no memory until it is touched
        }
        true
    }
}
