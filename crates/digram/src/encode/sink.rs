//! Where ids go: into a list, or into a sum.

use super::table::{MAX_IDS, Value};

/// Words whose ids are written before they are copied on.
const WRITTEN: usize = 256;

/// Where ids go.
pub trait Sink {
    /// Takes the ids of words that are in slots.
    fn values(&mut self, values: impl Iterator<Item = Value>);
    /// Takes the ids of one word.
    fn ids(&mut self, ids: &[u32]);
}

impl Sink for Vec<u32> {
    #[inline]
    fn values(&mut self, mut values: impl Iterator<Item = Value>) {
        let mut written = [0; MAX_IDS * WRITTEN];
        loop {
            let mut end = 0;
            let mut left = WRITTEN;
            for value in values.by_ref().take(WRITTEN) {
                written[end..end + MAX_IDS].copy_from_slice(&value.lanes());
                end += value.len();
                left -= 1;
            }
            self.extend_from_slice(&written[..end]);
            if left > 0 {
                return;
            }
        }
    }

    fn ids(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }
}

/// Counts ids.
impl Sink for usize {
    #[inline]
    fn values(&mut self, values: impl Iterator<Item = Value>) {
        *self += values.map(Value::len).sum::<usize>();
    }

    fn ids(&mut self, ids: &[u32]) {
        *self += ids.len();
    }
}
