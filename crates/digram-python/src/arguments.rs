//! Arguments as Python gives them.

use digram::encode::Special;
use digram::vocabulary::MAX_ID;
use numpy::{Element, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};
use std::fmt::Display;

use crate::arrays::import_numpy;
use crate::call::{Turn, quick};
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
        let names = argument.try_iter().map_err(|_| no_policy(&kind_of(argument)))?;
        let names = names.map(|name| {
            let name = name?;
            let text = name.extract::<String>();
            text.map_err(|_| no_policy(&format!("of {}", kind_of(name.as_borrowed()))))
        });
        names.collect::<PyResult<_>>().map(|names| Self(Special::Only(names)))
    }
}

fn no_policy(given: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "special must be \"text\", \"token\", \"error\" or a set of special tokens, not {given}"
    ))
}

/// The name of what something is.
fn kind_of(given: Borrowed<'_, '_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string())
}

/// The `skip_special_tokens=` argument.
#[derive(Clone, Copy)]
pub struct Skipping(pub bool);

impl<'py> FromPyObject<'_, 'py> for Skipping {
    type Error = PyErr;

    #[inline]
    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        argument.extract().map(Self).map_err(|_| {
            let kind = kind_of(argument);
            PyTypeError::new_err(format!("skip_special_tokens must be True or False, not {kind}"))
        })
    }
}

/// One text as Python gives it.
pub struct OneStr<'py>(pub Bound<'py, PyString>);

impl<'py> FromPyObject<'_, 'py> for OneStr<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match argument.cast::<PyString>() {
            Ok(text) => Ok(Self(text.to_owned())),
            Err(_) => Err(no_text(argument)),
        }
    }
}

#[cold]
fn no_text(given: Borrowed<'_, '_, PyAny>) -> PyErr {
    let remedy = if given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyByteArray>() {
        "; decode it first: text.decode(\"utf-8\")"
    } else if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        "; encode_batch takes many texts"
    } else {
        ""
    };
    PyTypeError::new_err(format!("text must be a str, not {}{remedy}", kind_of(given)))
}

/// Ids as Python gives them: an array of `uint32`, taken as it is, one of other integers, or any sequence
/// of ints.
pub enum Ids<'py> {
    Array(PyReadonlyArray1<'py, u32>),
    List(Vec<u32>),
    Outside(String),
}

impl Ids<'_> {
    /// The ids. Fails where one is no number that an id can be.
    pub fn as_slice(&self, py: Python<'_>) -> PyResult<&[u32]> {
        quick(py, || self.slice())
    }

    fn slice(&self) -> digram::Result<&[u32]> {
        match self {
            Self::Array(array) => {
                array.as_slice().map_err(|error| digram::Error::Value(error.to_string()))
            }
            Self::List(ids) => Ok(ids),
            Self::Outside(id) => Err(digram::Error::UnknownToken(format!(
                "id {id} is not in the vocabulary; ids are from 0 to {MAX_ID} at most"
            ))),
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
        import_numpy(argument.py())?;
        if !argument.is_instance_of::<PyUntypedArray>()
            && let Ok(array) = argument.call_method0("__array__")
        {
            return in_array(array.as_borrowed()); // of another library: PyTorch, JAX
        }
        in_array(argument)
    }
}

/// Lists of ids, one behind the other.
#[derive(Default)]
pub struct Lists {
    ids: Vec<u32>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Lists {
    /// Those that Python gives. Each is copied, and not held: of arrays that are parts of one, NumPy's binding
    /// would look through all that are held for each.
    pub fn of(batch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (mut lists, mut turn) = (Self::default(), Turn::begin(batch.py()));
        for (place, list) in batch.try_iter()?.enumerate() {
            let list: Ids = list?.extract()?;
            let ids = list.slice().map_err(|error| error.of_text(format_args!("batch[{place}]")));
            let ids = ids.map_err(|error| to_python(turn.py, error))?;
            lists.add(ids, turn.py)?;
            turn.made(ids.len())?;
        }
        Ok(lists)
    }

    fn add(&mut self, ids: &[u32], py: Python<'_>) -> PyResult<()> {
        let none = |_| to_python(py, digram::Error::Memory(size_of_val(ids)));
        self.ids.try_reserve(ids.len()).map_err(none)?;
        self.ends.try_reserve(1).map_err(none)?;
        self.ids.extend_from_slice(ids);
        self.ends.push(self.ids.len());
        Ok(())
    }

    /// Each of them.
    pub fn all(&self) -> Vec<&[u32]> {
        let starts = [0].iter().chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.ids[start..end]).collect()
    }
}

/// The ids in an array or a sequence.
fn in_array<'py>(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Ids<'py>> {
    match argument.extract::<PyReadonlyArray1<'py, u32>>() {
        Ok(array) if array.as_slice().is_ok() => Ok(Ids::Array(array)),
        _ => match numbers::<i64>(argument).or_else(|| numbers::<u16>(argument)) {
            Some(ids) => ids,
            None => numbers::<i32>(argument).unwrap_or_else(|| sequence(argument)),
        },
    }
}

/// The ids of an array of other numbers, if it is one.
fn numbers<'py, T>(argument: Borrowed<'_, 'py, PyAny>) -> Option<PyResult<Ids<'py>>>
where
    T: Element + Copy + Display,
    u32: TryFrom<T>,
{
    let array = argument.extract::<PyReadonlyArray1<'py, T>>().ok()?;
    let read = |mut ids: Vec<u32>| {
        for &id in array.as_array() {
            match u32::try_from(id) {
                Ok(id) => ids.push(id),
                Err(_) => return Ids::Outside(id.to_string()),
            }
        }
        Ids::List(ids)
    };
    Some(room(argument.py(), array.len()).map(read))
}

/// Room for so many ids.
pub fn room(py: Python<'_>, ids: usize) -> PyResult<Vec<u32>> {
    let mut room: Vec<u32> = Vec::new();
    let none = |_| to_python(py, digram::Error::Memory(ids.saturating_mul(size_of::<u32>())));
    room.try_reserve_exact(ids).map_err(none)?;
    Ok(room)
}

/// The ids in a sequence of ints, or of what Python can make ints of.
fn sequence<'py>(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Ids<'py>> {
    let py = argument.py();
    let items = match argument.try_iter() {
        Ok(items) if !has_no_ids(argument) => items,
        _ => {
            let kind = argument.get_type().name()?;
            let message = format!(
                "ids must be a sequence of ints or an array, not {kind}; one id is a list of it"
            );
            return Err(PyTypeError::new_err(message));
        }
    };
    let mut ids = room(py, argument.len().unwrap_or(0))?;
    let mut turn = Turn::begin(py);
    for item in items {
        let item = item?;
        match item.extract() {
            Ok(id) => ids.push(id),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                return Ok(Ids::Outside(item.str()?.to_string()));
            }
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                let (place, kind) = (ids.len(), item.get_type().name()?);
                let message = format!("ids must be ints, and the one at {place} is of type {kind}");
                return Err(PyTypeError::new_err(message));
            }
            Err(error) => return Err(error),
        }
        turn.made(PER_INT)?;
    }
    Ok(Ids::List(ids))
}

/// Whether it is text, or has its items in no order of theirs.
fn has_no_ids(argument: Borrowed<'_, '_, PyAny>) -> bool {
    argument.is_instance_of::<PyString>()
        || argument.is_instance_of::<PyBytes>()
        || argument.is_instance_of::<PyByteArray>()
        || argument.is_instance_of::<PyDict>()
        || argument.is_instance_of::<PySet>()
        || argument.is_instance_of::<PyFrozenSet>()
}

/// To read an int that may be any object takes as long as to make so many.
const PER_INT: usize = 8;
