//! The crate's errors as Python's.

use digram::Error;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Longer messages, which hold something of a file or a text, are cut within: in front stands the place, and
/// behind the remedy.
const LONGEST: usize = 4 << 10;

/// The Python exception for an error of the crate.
pub fn to_python(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Format(message) => own(py, "FormatError", message),
        Error::SpecialToken(message) => own(py, "SpecialTokenError", message),
        Error::UnknownToken(message) => own(py, "UnknownTokenError", message),
        Error::Limit(message) => own(py, "LimitError", message),
        Error::Value(message) => PyValueError::new_err(cut(message)),
        Error::Memory(_) => PyMemoryError::new_err(error.to_string()),
        Error::Io { path, source } => match source.raw_os_error() {
            Some(code) => PyOSError::new_err((code, source.to_string(), path)),
            None => PyOSError::new_err(format!("{}: {source}", path.display())),
        },
        Error::Spill { ref folder, ref source } => {
            let message = error.to_string();
            match source.raw_os_error() {
                Some(code) => {
                    // the folder is told beside it
                    let place = format!("{}: ", folder.display());
                    let words = message.strip_prefix(&place).unwrap_or(&message).to_owned();
                    PyOSError::new_err((code, words, folder.clone()))
                }
                None => std::io::Error::new(source.kind(), message).into(),
            }
        }
        other => PyRuntimeError::new_err(other.to_string()),
    }
}

/// The error for a panic: a bug, told as an exception that a server survives.
pub fn from_panic(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!("internal error, please report it: {message}"))
}

fn own(py: Python<'_>, name: &'static str, message: String) -> PyErr {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let class = ERRORS
        .get_or_try_init(py, || py.import("digram.errors").map(Bound::unbind))
        .and_then(|module| module.bind(py).getattr(name))
        .and_then(|class| Ok(class.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, cut(message)),
        Err(error) => error,
    }
}

/// A message, or its beginning and its end.
fn cut(message: String) -> String {
    if message.len() <= LONGEST {
        return message;
    }
    let front = message.floor_char_boundary(LONGEST / 2);
    let back = message.ceil_char_boundary(message.len() - LONGEST / 2);
    format!("{} … {}", &message[..front], &message[back..])
}
