//! Texts that Python holds as bytes: documents, and the buffers of Arrow's columns.

use std::ops::Range;

use digram::train::{BadRow, Column, Memory};
use pyo3::buffer::{PyBuffer, ReadOnlyCell};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;

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

/// A buffer, which others may write: it is read with Python's lock held.
pub struct Buffer(PyBuffer<u8>);

impl Memory for Buffer {
    fn size(&self) -> usize {
        self.0.item_count()
    }

    fn copy(&self, range: Range<usize>, room: &mut Vec<u8>) {
        Python::attach(|py| {
            let bytes = self.0.as_slice(py).unwrap_or_default();
            room.extend(bytes[range].iter().map(ReadOnlyCell::get));
        });
    }
}

/// Validity, offsets, data, whether offsets have 8 bytes, rows before the first, rows.
pub type Buffers<'py> = (
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    bool,
    usize,
    usize,
);

/// The column that buffers hold.
pub fn column(buffers: &Buffers) -> PyResult<Column<Buffer>> {
    let (validity, offsets, data, is_large, skipped, rows) = buffers;
    let (is_large, skipped, rows) = (*is_large, *skipped, *rows);
    let [validity, offsets, data] = [validity, offsets, data].map(buffer);
    Ok(Column { validity: validity?, offsets: offsets?, data: data?, is_large, skipped, rows })
}

fn buffer(object: &Option<Bound<'_, PyAny>>) -> PyResult<Option<Buffer>> {
    let Some(object) = object else { return Ok(None) };
    let buffer = PyBuffer::get(object)?;
    if buffer.is_c_contiguous() {
        return Ok(Some(Buffer(buffer)));
    }
    Err(pyo3::exceptions::PyBufferError::new_err("a buffer of a column is not contiguous"))
}

/// A row without a text as Python takes it: its column, it, and its byte that is no UTF-8.
pub type Bad = (usize, usize, Option<(usize, u8)>);

/// Rows without a text, as Python takes them.
pub fn told(bad: Vec<BadRow>) -> Vec<Bad> {
    bad.into_iter().map(|bad| (bad.column, bad.row, bad.byte)).collect()
}
