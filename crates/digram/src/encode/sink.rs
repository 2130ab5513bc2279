//! Where ids go: into a list, or into a sum.

use super::table::Value;
use super::words;
use crate::arch::append::{MOST, append};

/// A list for the ids of so many bytes: mostly a quarter of them, and room for what is written
/// before it is counted.
pub fn list_for(bytes: usize) -> Vec<u32> {
    Vec::with_capacity(MOST.saturating_mul(bytes).min(bytes / 4 + MOST * words::MOST))
}

/// Where ids go.
pub trait Sink {
    /// Takes the ids of words that have one to four each.
    fn values(&mut self, values: &[Value]);
    /// Takes the ids of one word.
    fn ids(&mut self, ids: &[u32]);
}

impl Sink for Vec<u32> {
    #[inline]
    fn values(&mut self, values: &[Value]) {
        append(self, values.iter().map(|value| value.four()));
    }

    fn ids(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }
}

/// Counts ids.
impl Sink for usize {
    #[inline]
    fn values(&mut self, values: &[Value]) {
        *self += values.iter().map(|value| value.len()).sum::<usize>();
    }

    fn ids(&mut self, ids: &[u32]) {
        *self += ids.len();
    }
}
