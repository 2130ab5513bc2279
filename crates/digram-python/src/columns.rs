//! Texts that Python holds as bytes: documents, and the buffers of Arrow's columns.

use std::ops::Range;

use digram::train::{BadRow, Column, Memory};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyMemoryView, PySlice, PyString};

/// A text, as what Python holds it.
pub enum Document {
    Text(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl<'py> FromPyObject<'_, 'py> for Document {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return object.extract().map(Self::Text);
        }
        Ok(Self::Bytes(object.extract()?))
    }
}

impl Document {
    /// The text, or where it has a byte that is no UTF-8, and which.
    pub fn text(&self) -> Result<&str, (usize, u8)> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Bytes(bytes) => digram::train::utf8(bytes),
        }
    }
}

/// A buffer, which others may write: Python copies from it, with its lock held.
pub struct Buffer {
    view: Py<PyMemoryView>,
    size: usize,
}

impl Memory for Buffer {
    fn size(&self) -> usize {
        self.size
    }

    fn copy(&self, range: Range<usize>, room: &mut Vec<u8>) -> digram::Result<()> {
        let start = room.len();
        room.resize(start + range.len(), 0);
        let copied = Python::attach(|py| {
            let slice = PySlice::new(py, range.start.cast_signed(), range.end.cast_signed(), 1);
            let part = self.view.bind(py).get_item(slice)?;
            PyBuffer::<u8>::get(&part)?.copy_to_slice(py, &mut room[start..])
        });
        copied.map_err(|error| digram::Error::Value(format!("a column cannot be read: {error}")))
    }
}

/// Validity, offsets, data, whether offsets have 8 bytes, rows before the first, rows.
pub type Buffers<'py> = (
    Option<Bound<'py, PyMemoryView>>,
    Option<Bound<'py, PyMemoryView>>,
    Option<Bound<'py, PyMemoryView>>,
    bool,
    usize,
    usize,
);

/// The column that buffers hold.
pub fn column(buffers: &Buffers) -> PyResult<Column<Buffer>> {
    let (validity, offsets, data, is_large, skipped, rows) = buffers;
    let (is_large, skipped, rows) = (*is_large, *skipped, *rows);
    let [validity, offsets, data] = [validity, offsets, data].map(|view| {
        let buffer = |view: &Bound<'_, PyMemoryView>| {
            Ok::<_, PyErr>(Buffer { view: view.clone().unbind(), size: view.len()? })
        };
        view.as_ref().map(buffer).transpose()
    });
    Ok(Column { validity: validity?, offsets: offsets?, data: data?, is_large, skipped, rows })
}

/// A row without a text as Python takes it: its column, it, and its byte that is no UTF-8.
pub type Bad = (usize, usize, Option<(usize, u8)>);

/// Rows without a text, as Python takes them.
pub fn told(bad: Vec<BadRow>) -> Vec<Bad> {
    bad.into_iter().map(|bad| (bad.column, bad.row, bad.byte)).collect()
}
