//! Arguments as Python gives them.

use digram::encode::Special;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors::to_python;
use crate::ints;

/// The `special=` argument: a policy by name, or the names of special tokens.
pub struct Policy(pub Special);

impl Policy {
    /// What is meant where nothing is said.
    pub const TEXT: Self = Self(Special::Text);
}

impl<'py> FromPyObject<'_, 'py> for Policy {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(name) = argument.cast::<PyString>() {
            return match name.to_str()? {
                "text" => Ok(Self(Special::Text)),
                "token" => Ok(Self(Special::Token)),
                "error" => Ok(Self(Special::Error)),
                other => Err(PyValueError::new_err(format!(
                    "special is {other:?}; it is \"text\", \"token\", \"error\" or a set of special tokens"
                ))),
            };
        }
        let names = argument.try_iter().and_then(|names| {
            names.map(|name| name?.extract::<String>()).collect::<PyResult<Vec<_>>>()
        });
        names.map(|names| Self(Special::Only(names))).map_err(|_| {
            PyTypeError::new_err(
                "special must be \"text\", \"token\", \"error\" or a set of special tokens",
            )
        })
    }
}

/// Ids as Python gives them: an array of `uint32`, taken as it is, or any sequence of ints.
pub enum Ids<'py> {
    Array(PyReadonlyArray1<'py, u32>),
    List(Vec<u32>),
    Outside(String),
}

impl Ids<'_> {
    /// The ids. Fails where one is no number that an id can be.
    pub fn as_slice(&self, py: Python<'_>) -> PyResult<&[u32]> {
        match self {
            Self::Array(array) => Ok(array.as_slice()?),
            Self::List(ids) => Ok(ids),
            Self::Outside(id) => {
                let message = format!("id {id} is not in the vocabulary; ids are 0 and above");
                Err(to_python(py, digram::Error::UnknownToken(message)))
            }
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Ids<'py> {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(ids) = argument.cast::<PyList>() {
            return match ints::read(&ids, room(argument.py(), ids.len())?) {
                Some(ids) => Ok(Self::List(ids)),
                None => sequence(argument),
            };
        }
        match argument.extract::<PyReadonlyArray1<'py, u32>>() {
            Ok(array) if array.as_slice().is_ok() => Ok(Self::Array(array)),
            _ => sequence(argument),
        }
    }
}

/// Room for so many ids.
fn room(py: Python<'_>, ids: usize) -> PyResult<Vec<u32>> {
    let mut room: Vec<u32> = Vec::new();
    let none = |_| to_python(py, digram::Error::Memory(ids.saturating_mul(size_of::<u32>())));
    room.try_reserve_exact(ids).map_err(none)?;
    Ok(room)
}

fn sequence<'py>(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Ids<'py>> {
    // it is made without asking
    drop(room(argument.py(), argument.len().unwrap_or(0))?);
    match argument.extract::<Vec<u32>>() {
        Ok(ids) => Ok(Ids::List(ids)),
        Err(error) if error.is_instance_of::<PyOverflowError>(argument.py()) => {
            for id in argument.try_iter()? {
                let id = id?;
                if id.extract::<u32>().is_err() {
                    return Ok(Ids::Outside(id.str()?.to_string()));
                }
            }
            Err(error)
        }
        Err(_) if argument.is_instance_of::<PyString>() => {
            Err(PyTypeError::new_err("ids must be a sequence of ints, not str"))
        }
        Err(error) => Err(error),
    }
}
