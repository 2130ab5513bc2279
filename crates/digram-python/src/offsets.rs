//! Where tokens stand in their texts, as arrays and as lists of pairs.

use std::slice::from_ref;

use digram::encode::{Offsets, Source};
use digram::monitor::Monitor;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::arguments::{OneStr, Policy};
use crate::arrays::{IdArray, array, import_numpy};
use crate::call::{Turn, sized};
use crate::ints;
use crate::text::{self, Text};
use crate::tokenizer::{Engine, expect_objects};

/// Objects that are made for each id: a pair, and of its numbers one that the pair before has not.
const EACH: usize = 2;

/// Ids, and the pairs of start and end of each.
type Pairs<'py> = (Bound<'py, PyList>, Bound<'py, PyList>);

#[pymethods]
impl Engine {
    /// The ids of a text, and the start and end of each in code points.
    fn encode_with_offsets<'py>(
        &self,
        py: Python<'py>,
        text: OneStr<'py>,
        special: Policy,
    ) -> PyResult<(IdArray<'py>, Bound<'py, PyArray2<u32>>)> {
        import_numpy(py)?;
        let (mut ids, offsets) = self.offsets(&text.0, &special)?;
        let rows = [ids.len(), 2];
        Ok((array(py, &mut ids), offsets.into_pyarray(py).reshape(rows)?))
    }

    /// The same as lists.
    fn encode_with_pairs<'py>(&self, text: OneStr<'py>, special: Policy) -> PyResult<Pairs<'py>> {
        let (ids, offsets) = self.offsets(&text.0, &special)?;
        listed(&mut Turn::begin(text.0.py()), &ids, &offsets)
    }

    /// The same of each text.
    fn encode_batch_with_pairs<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        special: Policy,
    ) -> PyResult<Vec<Pairs<'py>>> {
        let all = Self::with_texts(py, &texts, |texts, monitor| {
            self.tokenizer.encode_batch_with_offsets(texts, &special.0, None, monitor)
        })?;
        let mut turn = Turn::begin(py);
        all.iter().map(|(ids, offsets)| listed(&mut turn, ids, offsets)).collect()
    }
}

impl Engine {
    fn offsets(&self, text: &Bound<'_, PyString>, special: &Policy) -> PyResult<Offsets> {
        let (units, special, tokenizer) = (Text::of(text)?, &special.0, &self.tokenizer);
        let encode = |monitor: &Monitor| units.with_offsets(tokenizer, special, monitor);
        let made = sized(text.py(), units.len(), encode);
        made.map_err(|error| text::explained(error, from_ref(text)))
    }
}

fn listed<'py>(turn: &mut Turn<'py>, ids: &[u32], offsets: &[u32]) -> PyResult<Pairs<'py>> {
    expect_objects(turn.py, EACH * ids.len())?;
    turn.made(ids.len())?;
    Ok((ints::list(turn.py, ids)?, ints::pairs(turn, offsets.as_chunks().0)?))
}
