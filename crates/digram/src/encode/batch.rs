//! Many texts on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Special, Tokenizer};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::threads;

/// Text for which a further thread is worth its start: about 1 ms of encoding.
const BYTES_PER_THREAD: usize = 64 << 10;

impl Tokenizer {
    /// The ids of each text, in order. The result does not depend on the number of threads.
    pub fn encode_batch(
        &self,
        texts: &[&str],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Vec<u32>>> {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let useful = (1 + bytes / BYTES_PER_THREAD).min(texts.len());
        let next = AtomicUsize::new(0);
        let parts = threads::run(threads::available(asked).min(useful), monitor, |_| {
            self.encode_some(texts, &next, special, monitor)
        })?;
        let mut ids = vec![Vec::new(); texts.len()];
        for (index, encoded) in parts.into_iter().flatten() {
            ids[index] = encoded;
        }
        Ok(ids)
    }

    /// Encodes texts, one after the other as they are free, until none is left.
    fn encode_some(
        &self,
        texts: &[&str],
        next: &AtomicUsize,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Vec<(usize, Vec<u32>)>> {
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.pool.take();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(index) else { break };
            let mut ids = Vec::with_capacity(text.len() / 4);
            self.check(text, special)?;
            self.encode_with(text, &matchers, &mut scratch, &mut ids, monitor)?;
            done.push((index, ids));
        }
        self.pool.give_back(scratch);
        Ok(done)
    }
}
