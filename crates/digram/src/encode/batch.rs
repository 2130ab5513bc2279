//! Many texts on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Special, Tokenizer, stretches};
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
        let workers = threads::available(asked);
        let mut ids = vec![Vec::new(); texts.len()];
        // a long text is worth all threads; short ones are shared out among them
        let is_long = |text: &str| workers > 1 && stretches::useful(text.len(), workers) == workers;
        for (ids, text) in ids.iter_mut().zip(texts).filter(|(_, text)| is_long(text)) {
            *ids = self.encode_by(text, special, workers, monitor)?;
        }
        let short: Vec<usize> = (0..texts.len()).filter(|&index| !is_long(texts[index])).collect();
        let useful = (1 + bytes / BYTES_PER_THREAD).min(short.len());
        let next = AtomicUsize::new(0);
        let parts = threads::run(workers.min(useful), monitor, |_| {
            self.encode_some(texts, &short, &next, special, monitor)
        })?;
        for (index, encoded) in parts.into_iter().flatten() {
            ids[index] = encoded;
        }
        Ok(ids)
    }

    /// Encodes texts, one after the other as they are free, until none is left.
    fn encode_some(
        &self,
        texts: &[&str],
        chosen: &[usize],
        next: &AtomicUsize,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Vec<(usize, Vec<u32>)>> {
        let matchers = self.policies.matchers(special)?;
        let mut scratch = self.scratch(1);
        let mut done = Vec::new();
        loop {
            let Some(&index) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let text = texts[index];
            let mut ids = Vec::with_capacity(text.len() / 4);
            self.check(text, special)?;
            self.encode_with(text, &matchers, &mut scratch, &mut ids, monitor)?;
            done.push((index, ids));
        }
        self.pool.give_back(scratch);
        Ok(done)
    }
}
