//! Lists of ids, read.
//!
//! An int of one digit, 30 bits, is read where it lies: behind its head stand a word that says so
//! and the digit, as `longintrepr.h` has it. A call for each would take as long as finding them.

#![expect(unsafe_code, reason = "the items of a list, and the digit of an int")]

use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// An int, as far as it has one digit.
#[repr(C)]
struct Short {
    head: ffi::PyObject,
    kind: usize,
    digit: u32,
}

/// The words of 0 and of a positive int that has one digit, and what they may have besides: that an int
/// is one of the small ones that are never counted.
const ZERO: usize = if cfg!(Py_3_12) { 1 } else { 0 };
const ONE_DIGIT: usize = if cfg!(Py_3_12) { 1 << 3 } else { 1 };
const SMALL: usize = if cfg!(Py_3_12) { 1 << 2 } else { 0 };

/// The ids in a list, where all are plain ints that an id can be, in a list that has room for them.
pub fn read(list: &Bound<'_, PyList>, mut ids: Vec<u32>) -> Option<Vec<u32>> {
    if cfg!(any(Py_GIL_DISABLED, PyPy, GraalPy)) {
        return list.iter().map(|id| id.extract().ok()).collect();
    }
    let are_known = are_short_known(list.py());
    for place in 0..list.len() {
        // SAFETY: the place is in the list, which cannot change: no code of Python's runs here, as
        // plain ints have no `__index__`.
        let id = unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), place.cast_signed()) };
        // SAFETY: the list holds it.
        if unsafe { ffi::PyLong_CheckExact(id) } == 0 {
            return None;
        }
        // SAFETY: it is an int.
        let digit = if are_known { unsafe { short(id) } } else { None };
        ids.push(match digit {
            Some(digit) => digit,
            // SAFETY: it is an int.
            None => unsafe { any(id) }?,
        });
    }
    Some(ids)
}

/// Whether this Python has such ints: it may have been built for digits of 15 bits.
fn are_short_known(py: Python<'_>) -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let is_read = |value: u32| {
        let int = PyInt::new(py, value);
        // SAFETY: it is an int.
        Some(value) == unsafe { short(int.as_ptr()) }
    };
    *KNOWN.get_or_init(|| [0, 1, 300, 1 << 15, 1 << 29, (1 << 30) - 1].into_iter().all(is_read))
}

/// The value of an int, if it is 0, or positive and has one digit.
///
/// # Safety
///
/// It is an int, and the caller holds the interpreter's lock.
#[inline]
unsafe fn short(int: *mut ffi::PyObject) -> Option<u32> {
    let short = int.cast::<Short>();
    // SAFETY: behind the head of any int is a word, and behind that a digit if it says so.
    unsafe {
        match (*short).kind & !SMALL {
            ONE_DIGIT => Some((*short).digit),
            ZERO => Some(0),
            _ => None,
        }
    }
}

/// The value of an int, if an id can have it.
///
/// # Safety
///
/// It is an int, and the caller holds the interpreter's lock.
#[cold]
unsafe fn any(int: *mut ffi::PyObject) -> Option<u32> {
    let mut overflow = 0;
    // SAFETY: the caller's.
    let value = unsafe { ffi::PyLong_AsLongAndOverflow(int, &raw mut overflow) };
    u32::try_from(value).ok().filter(|_| overflow == 0)
}
