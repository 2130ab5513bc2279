//! A call into the crate: lock released if it is long, signals heard, panics caught.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use digram::monitor::{Caller, Monitor};
use digram::{Error, Result};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::errors::{from_panic, to_python};

/// Work on fewer bytes than this is done within some 10 µs, and asks nobody.
const SHORT: usize = 2048;
/// Shorter work, a millisecond at most of usual text, is done with the lock held, which is offered
/// to others only when signals are asked for. Who gives it away gets it back when they give it,
/// which may be 5 ms later: `docs/why/encoding.md` tells what it costs a server.
const LONG: usize = 32 << 10;

/// Runs `work` on so many bytes: without the lock, and hearing signals, where that is worth it.
pub fn sized<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce(&Monitor) -> Result<T> + Send,
) -> PyResult<T> {
    match bytes {
        ..SHORT => quick(py, || work(&Monitor::silent())),
        SHORT..LONG => {
            let caller = Interpreter { holds_lock: true, ..Interpreter::new(None) };
            let outcome = heard(&caller, work);
            caller.result(py, outcome)
        }
        LONG.. => call(py, None, work),
    }
}

/// Runs `work` without the lock. A signal (Ctrl-C) stops it, and so does an error in `progress`,
/// which is called with `(stage, done, total)`.
pub fn call<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Monitor) -> Result<T> + Send,
) -> PyResult<T> {
    let caller = Interpreter::new(progress);
    let outcome = py.detach(|| heard(&caller, work));
    caller.result(py, outcome)
}

/// What came of work: a panic, or what it returned.
type Outcome<T> = std::thread::Result<Result<T>>;

fn heard<T>(caller: &Interpreter, work: impl FnOnce(&Monitor) -> Result<T>) -> Outcome<T> {
    let monitor = Monitor::new(caller);
    catch_unwind(AssertUnwindSafe(|| work(&monitor)))
}

/// Runs short `work` with the lock held.
pub fn quick<T>(
    py: Python<'_>,
    work: impl FnOnce() -> std::result::Result<T, Error>,
) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| to_python(py, error)),
        Err(panic) => Err(from_panic(&*panic)),
    }
}

/// How long other threads wait for the lock at most, as the interpreter has it by itself.
const TURN: Duration = Duration::from_millis(5);

/// So many ids or bytes become objects before the time is asked for: some 0.2 ms.
const STEP: usize = 1 << 14;

/// Long work with the lock held, in steps: making many objects.
pub struct Turn<'py> {
    pub py: Python<'py>,
    begun: Instant,
    made: usize,
}

impl<'py> Turn<'py> {
    /// Begins such work.
    pub fn begin(py: Python<'py>) -> Self {
        Self { py, begun: Instant::now(), made: 0 }
    }

    /// Notes a step of so many ids or bytes. Now and then it hears signals, and lets another thread
    /// have the lock if this one had it for long.
    #[inline]
    pub fn made(&mut self, count: usize) -> PyResult<()> {
        self.made += 1 + count;
        if self.made >= STEP { self.pass() } else { Ok(()) }
    }

    #[cold]
    fn pass(&mut self) -> PyResult<()> {
        self.made = 0;
        if self.begun.elapsed() >= TURN {
            self.py.detach(std::thread::yield_now);
            self.begun = Instant::now();
        }
        self.py.check_signals()
    }
}

/// Python as the caller of a long call: signals are checked, progress is told.
struct Interpreter<'a> {
    /// Whether the call keeps the lock while it works, so that others wait for it.
    holds_lock: bool,
    progress: Option<&'a Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
}

impl<'a> Interpreter<'a> {
    fn new(progress: Option<&'a Py<PyAny>>) -> Self {
        Self { holds_lock: false, progress, raised: Mutex::new(None) }
    }

    /// What came of work, as Python has it.
    fn result<T>(self, py: Python<'_>, outcome: Outcome<T>) -> PyResult<T> {
        match (outcome, self.raised.into_inner().unwrap_or(None)) {
            (_, Some(raised)) => Err(raised),
            (Ok(result), None) => result.map_err(|error| to_python(py, error)),
            (Err(panic), None) => Err(from_panic(&*panic)),
        }
    }

    fn note(&self, outcome: PyResult<()>) {
        if let (Err(error), Ok(mut raised)) = (outcome, self.raised.lock()) {
            raised.get_or_insert(error);
        }
    }
}

impl Caller for Interpreter<'_> {
    fn should_stop(&self) -> bool {
        self.note(Python::attach(|py| {
            if self.holds_lock {
                py.detach(std::thread::yield_now);
            }
            py.check_signals()
        }));
        self.raised.lock().is_ok_and(|raised| raised.is_some())
    }

    fn progress(&self, stage: &'static str, done: u64, total: u64) {
        if let Some(progress) = self.progress {
            self.note(Python::attach(|py| progress.call1(py, (stage, done, total)).map(drop)));
        }
    }

    fn warn(&self, message: &str) {
        // a text that came from texts may hold a zero, which C's strings do not
        let message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
        self.note(Python::attach(|py| {
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
        }));
    }
}
