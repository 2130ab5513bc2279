//! `Engine`: a tokenizer of the crate, for Python.

use digram::decode::{self, Rounds};
use digram::encode::{Tokenizer, Word};
use digram::merge::Step;
use digram::monitor::Monitor;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyUnicodeDecodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::arguments::{self, Ids, Policy, Skipping, room};
use crate::arrays::{IdArray, array, import_numpy};
use crate::call::{Turn, call, quick, sized};
use crate::lists::Lists;
use crate::text::{self, Text};

/// A tokenizer of the crate.
#[pyclass(frozen, module = "digram._core")]
pub struct Engine {
    pub tokenizer: Tokenizer,
}

impl Engine {
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer }
    }

    /// What `work` makes of texts as they are.
    pub fn with_texts<T: Send>(
        py: Python<'_>,
        texts: &[Bound<'_, PyString>],
        work: impl FnOnce(&[Text], &Monitor) -> digram::Result<T> + Send,
    ) -> PyResult<T> {
        let units = texts.iter().map(Text::of).collect::<PyResult<Vec<_>>>()?;
        let made = call(py, None, |monitor| work(&units, monitor));
        made.map_err(|error| text::explained(error, texts))
    }
}

/// Ids that come one after the other.
#[pyclass(frozen, module = "digram._core")]
pub struct Stream(Mutex<decode::Stream>);

impl Stream {
    fn lock(&self) -> MutexGuard<'_, decode::Stream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stream {
    #[new]
    fn new(replaces: bool) -> Self {
        Self(Mutex::new(decode::Stream::new(replaces)))
    }

    /// One that waits with the same.
    fn copied(&self, py: Python<'_>) -> Self {
        py.detach(|| Self(Mutex::new(self.lock().clone())))
    }
}

#[pymethods]
impl Engine {
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        special: Policy,
        threads: Option<usize>,
    ) -> PyResult<Vec<Py<PyList>>> {
        let mut lists = Lists::default();
        let outcome = Self::with_texts(py, &texts, |texts, monitor| {
            let tokenizer = &self.tokenizer;
            tokenizer.encode_runs_and(texts, &special.0, threads, monitor, |finished| {
                lists.between(finished)
            })
        });
        lists.all(py, outcome)
    }

    /// The ids of all texts, one behind the other, and where those of each begin and end.
    fn encode_flat<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<Bound<'py, PyString>>,
        special: Policy,
        threads: Option<usize>,
    ) -> PyResult<(IdArray<'py>, Bound<'py, PyArray1<i64>>)> {
        import_numpy(py)?;
        let mut flat = Self::with_texts(py, &texts, |texts, monitor| {
            self.tokenizer.encode_flat(texts, &special.0, threads, monitor)
        })?;
        let offsets: Vec<i64> = flat.offsets.iter().map(|end| end.cast_signed() as i64).collect();
        Ok((array(py, &mut flat.ids), offsets.into_pyarray(py)))
    }

    fn words<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let words = call(py, None, |monitor| self.tokenizer.words(text, monitor))?;
        expect_objects(py, words.len())?;
        listed(&mut Turn::begin(py), words)
    }

    /// Of each word: text, symbols, steps (position, left, right, merged, rank), ids, and why merging
    /// stopped.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        special: Policy,
    ) -> PyResult<Bound<'py, PyList>> {
        let words = call(py, None, |monitor| self.tokenizer.explain(text, &special.0, monitor))?;
        let objects = |word: &Word| 1 + word.symbols.len() + 2 * word.steps.len() + word.ids.len();
        expect_objects(py, words.iter().map(objects).sum())?;
        let (list, mut turn) = (PyList::empty(py), Turn::begin(py));
        for Word { text, symbols, steps, ids, reason } in words {
            let step =
                |Step { at, left, right, product }| (at, left, right, product.merged, product.rank);
            let [symbols, ids] = [symbols, ids].map(|ids| listed(&mut turn, ids));
            let steps = listed(&mut turn, steps.into_iter().map(step))?;
            list.append((text, symbols?, steps, ids?, reason.as_str()))?;
        }
        Ok(list)
    }

    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: Ids<'_>,
        skip_special_tokens: Skipping,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_slice(py)?;
        let decode = |monitor: &Monitor| self.tokenizer.decode(ids, skip_special_tokens.0, monitor);
        let bytes = sized(py, 4 * ids.len(), decode)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn decode_batch<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyAny>,
        errors: &str,
        skip_special_tokens: Skipping,
        threads: Option<usize>,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        let lists = arguments::Lists::of(batch)?;
        let batch = lists.all();
        expect_objects(py, batch.len())?;
        let how = (skip_special_tokens.0, errors == REPLACE);
        let mut rounds = quick(py, || Rounds::new(&batch, threads))?;
        let (mut texts, mut turn) = (Vec::with_capacity(batch.len()), Turn::begin(py));
        while let Some(ids) = rounds.next_ids() {
            sized(py, 4 * ids, |monitor| rounds.decode(&self.tokenizer, how, monitor))?;
            for bytes in rounds.decoded() {
                turn.made(bytes.len())?;
                texts.push(text_of(py, bytes, errors)?);
            }
        }
        Ok(texts)
    }

    /// The bytes that are certain with these ids, behind those that the stream has seen.
    fn feed<'py>(
        &self,
        py: Python<'py>,
        stream: &Stream,
        ids: Ids<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ids = ids.as_slice(py)?;
        // without the interpreter's lock even for one: another thread may feed the same stream
        let feed = |monitor: &Monitor| self.tokenizer.feed(&mut stream.lock(), ids, monitor);
        let bytes = call(py, None, feed)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The bytes that are left when no id follows.
    fn finish<'py>(&self, py: Python<'py>, stream: &Stream) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = call(py, None, |_| self.tokenizer.finish(&mut stream.lock()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The ids with the template's ids around, and their type ids.
    fn process(
        &self,
        py: Python<'_>,
        first: Vec<u32>,
        second: Option<Vec<u32>>,
    ) -> PyResult<Vec<(u32, u32)>> {
        quick(py, || self.tokenizer.process(&first, second.as_deref()))
    }

    /// The id of a token, by its bytes with the marker, if any.
    fn token_id(&self, token: &[u8]) -> Option<u32> {
        self.tokenizer.model().id_of_marked(token)
    }

    /// The bytes of a token, with the marker.
    fn token_bytes<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyBytes>> {
        quick(py, || self.tokenizer.known(id))?;
        Ok(PyBytes::new(py, &self.tokenizer.model().marked_bytes(id)))
    }

    /// Tokens as `tokenizer.json` spells them, with or without the marker.
    fn spell<'py>(
        &self,
        py: Python<'py>,
        ids: Ids<'_>,
        marker: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = ids.as_slice(py)?;
        let mut spelled: HashMap<u32, Bound<'py, PyString>> = HashMap::new();
        let (list, mut turn) = (PyList::empty(py), Turn::begin(py));
        for &id in ids {
            let token = match spelled.entry(id) {
                Entry::Occupied(token) => token.into_mut(),
                Entry::Vacant(place) => {
                    let token = quick(py, || self.tokenizer.spell(id, marker))?;
                    place.insert(PyString::from_bytes(py, token.as_bytes())?)
                }
            };
            list.append(&*token)?;
            turn.made(1)?;
        }
        Ok(list)
    }

    /// All ids, ascending.
    fn ids(&self) -> Vec<u32> {
        self.tokenizer.model().vocabulary.iter().map(|(id, _)| id).collect()
    }

    /// How many tokens there are.
    fn __len__(&self) -> usize {
        self.tokenizer.model().vocabulary.len()
    }
}

/// A list of such rows.
fn listed<'py, T: IntoPyObject<'py>>(
    turn: &mut Turn<'py>,
    rows: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(turn.py);
    for row in rows {
        list.append(row)?;
        turn.made(1)?;
    }
    Ok(list)
}

/// Fails where there is no memory for so many objects, which are made without asking.
pub fn expect_objects(py: Python<'_>, objects: usize) -> PyResult<()> {
    const BYTES: usize = 128;
    room(py, objects.saturating_mul(BYTES / size_of::<u32>())).map(drop)
}

/// The `errors=` for which a decoder's own replacements are asked.
pub const REPLACE: &str = "replace";

/// A `str` of bytes; `errors` says what becomes of those that are no UTF-8.
pub fn text_of<'py>(py: Python<'py>, bytes: &[u8], errors: &str) -> PyResult<Bound<'py, PyString>> {
    if let Some(text) = text::made(py, bytes)? {
        return Ok(text);
    }
    match PyString::from_bytes(py, bytes) {
        Err(error) if errors != "strict" && error.is_instance_of::<PyUnicodeDecodeError>(py) => {
            let text = PyBytes::new(py, bytes).call_method1("decode", ("utf-8", errors))?;
            Ok(text.cast_into()?)
        }
        text => text,
    }
}
