//! The lists of many texts' ids, made while other threads encode.
//!
//! Lists are made with the interpreter's lock, by one thread. So the thread that made the call takes
//! the lock now and then, and makes lists of what is finished; between, it encodes as the others do.
//! Where the lock is long in coming, because other threads of Python want it, the rest is made at the end.

use std::time::{Duration, Instant};

use digram::encode::{Finished, Run};
use digram::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::call::Turn;
use crate::ints;

/// So many ids, a millisecond's work, are worth taking the lock.
const MANY: usize = 1 << 16;
/// Who waits longer for the lock than this shares it with others.
const WAIT: Duration = Duration::from_millis(1);

/// Lists that are made so far.
#[derive(Default)]
pub struct Lists {
    /// Those of each run, and the number of its first text.
    made: Vec<(usize, Vec<Py<PyList>>)>,
    is_shared: bool,
    raised: Option<PyErr>,
}

impl Lists {
    /// Makes lists of what is finished if that is worth it; called without the lock.
    pub fn between(&mut self, finished: &Finished) -> Result<()> {
        if self.is_shared || finished.ids() < MANY {
            return Ok(());
        }
        let asked = Instant::now();
        Python::attach(|py| {
            self.is_shared = asked.elapsed() > WAIT;
            self.make(py, &finished.take())
        })
        .map_err(|raised| {
            self.raised = Some(raised);
            Error::Interrupted
        })
    }

    /// All lists in order, those of the rest among them.
    pub fn all(mut self, py: Python<'_>, rest: PyResult<Vec<Run>>) -> PyResult<Vec<Py<PyList>>> {
        if let Some(raised) = self.raised {
            return Err(raised);
        }
        self.make(py, &rest?)?;
        self.made.sort_unstable_by_key(|&(first, _)| first);
        Ok(self.made.into_iter().flat_map(|(_, lists)| lists).collect())
    }

    fn make(&mut self, py: Python<'_>, runs: &[Run]) -> PyResult<()> {
        let mut turn = Turn::begin(py);
        for run in runs {
            let mut lists = Vec::new();
            for ids in run.rows() {
                lists.push(ints::list(py, ids)?.unbind());
                turn.made(ids.len())?;
            }
            self.made.push((run.first, lists));
        }
        Ok(())
    }
}
