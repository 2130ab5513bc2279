//! Many lists of ids on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::encode::Tokenizer;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
use crate::threads;

/// Ids for which a further thread is worth its start: some 100 µs of copying.
const IDS_PER_THREAD: usize = 32 << 10;
/// An id has about so many.
const BYTES: usize = 4;

impl Tokenizer {
    /// What [`decode`](Self::decode) says of each list, in order, or
    /// [`decode_text`](Self::decode_text) if `text`. Fails where the first of them fails.
    pub fn decode_batch(
        &self,
        batch: &[&[u32]],
        skip_special_tokens: bool,
        text: bool,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Vec<u8>>> {
        let how = (skip_special_tokens, text);
        let ids: usize = batch.iter().map(|ids| ids.len()).sum();
        memory::expect(BYTES * ids + size_of::<Vec<u8>>() * batch.len())?;
        let useful = (1 + ids / IDS_PER_THREAD).min(batch.len());
        // to tell how many cores there are takes as long as to decode thousands of ids
        let threads = if useful < 2 { 1 } else { threads::available(asked).min(useful) };
        let next = AtomicUsize::new(0);
        let parts = threads::run(threads, monitor, |_| {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(ids) = batch.get(index) else { return Ok(done) };
                monitor.check()?;
                let decoded = self.decode_as(ids, how, monitor);
                done.push((index, decoded.map_err(|e| e.of_text(format_args!("batch[{index}]")))));
            }
        })?;
        let mut decoded: Vec<Result<Vec<u8>>> = batch.iter().map(|_| Ok(Vec::new())).collect();
        for (index, bytes) in parts.into_iter().flatten() {
            decoded[index] = bytes;
        }
        decoded.into_iter().collect()
    }
}
