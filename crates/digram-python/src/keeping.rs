//! What learning does, kept by Python while it goes on.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use digram::Error;
use digram::train::{self, Course, Done, Keeper};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::call::call;
use crate::learn::WordCounts;

/// Of so many parts of the time, one at most goes into keeping.
const SHARE: u32 = 50;

/// A Python callable that is given what was done, in bytes: every so many milliseconds, and at
/// the end.
pub struct Keeping {
    keep: Option<Py<PyAny>>,
    every: Duration,
    due: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

impl Keeping {
    /// Nothing is kept where there is no callable.
    pub fn new(keep: Option<Py<PyAny>>, every: u32) -> Self {
        let every = Duration::from_millis(every.into());
        let due = Mutex::new(Instant::now() + every);
        Self { keep, every, due, raised: Mutex::new(None) }
    }

    /// Where learning begins: where `done` tells, if it does.
    pub fn course(&self, done: Option<&[u8]>) -> digram::Result<Course<'_>> {
        let done = done.map(Done::from_bytes).transpose()?.unwrap_or_default();
        let keeper = self.keep.as_ref().map(|_| self as &dyn Keeper);
        Ok(Course { done, keeper })
    }

    /// What the callable raised, in place of what learning made of it.
    pub fn raised<T>(self, outcome: PyResult<T>) -> PyResult<T> {
        match self.raised.into_inner() {
            Ok(Some(error)) => Err(error),
            _ => outcome,
        }
    }
}

impl Keeper for Keeping {
    fn is_due(&self) -> bool {
        self.due.lock().is_ok_and(|due| Instant::now() >= *due)
    }

    fn keep(&self, done: &Done) -> digram::Result<()> {
        let Some(keep) = &self.keep else { return Ok(()) };
        let started = Instant::now();
        let bytes = done.to_bytes();
        let merges = done.merges.len();
        let kept = Python::attach(|py| keep.call1(py, (PyBytes::new(py, &bytes), merges)));
        if let Ok(mut due) = self.due.lock() {
            *due = Instant::now() + self.every.max(started.elapsed() * SHARE);
        }
        kept.map(drop).map_err(|error| {
            if let Ok(mut raised) = self.raised.lock() {
                raised.get_or_insert(error);
            }
            Error::Interrupted
        })
    }
}

/// A number that tells word counts from others, in hexadecimal; their order too, if asked for.
#[pyfunction]
pub fn fingerprint(py: Python<'_>, counts: &WordCounts, ordered: bool) -> PyResult<String> {
    let number = call(py, None, |_| Ok(train::fingerprint(&counts.held(), ordered)))?;
    Ok(format!("{number:032x}"))
}
