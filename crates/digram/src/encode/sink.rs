//! Where ids go: into a list, or into a sum.

use super::table::{MAX_IDS, Value};

/// Words whose ids are written before they are copied on: of a text, and of a few words.
const WRITTEN: usize = 256;
const FEW: usize = 16;

/// Where ids go.
pub trait Sink {
    /// Takes the ids of words that are in slots.
    fn values(&mut self, values: impl Iterator<Item = Value>);
    /// Takes the ids of one word.
    fn ids(&mut self, ids: &[u32]);
}

impl Sink for Vec<u32> {
    #[inline]
    fn values(&mut self, values: impl Iterator<Item = Value>) {
        if values.size_hint().0 < FEW {
            write::<{ MAX_IDS * FEW }>(values, self);
        } else {
            write::<{ MAX_IDS * WRITTEN }>(values, self);
        }
    }

    fn ids(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }
}

/// Adds ids to a list, by way of room for so many.
#[inline]
fn write<const ROOM: usize>(mut values: impl Iterator<Item = Value>, ids: &mut Vec<u32>) {
    let mut written = [0; ROOM];
    loop {
        let mut end = 0;
        let mut left = ROOM / MAX_IDS;
        for value in values.by_ref().take(ROOM / MAX_IDS) {
            written[end..end + MAX_IDS].copy_from_slice(&value.lanes());
            end += value.len();
            left -= 1;
        }
        ids.extend_from_slice(&written[..end]);
        if left > 0 {
            return;
        }
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
