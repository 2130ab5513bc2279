//! Where ids go: into a list, or into a sum.
//!
//! Threads that share a text have a sink each, and what went into them is put together in order: so
//! a sum needs no list.

use std::sync::atomic::{AtomicU32, Ordering};

use super::words;
use crate::arch::append::{MOST, Packed, Packing, append, count};
use crate::error::Result;
use crate::memory;

/// Shorter texts say little of the next one, and their lists are small.
const LONG: usize = 64 << 10;
/// For so many bytes the ids are counted: in most texts they have half as many at most.
const BYTES: usize = 1024;

/// How many ids the last long text had, from which room for those of the next one is told.
///
/// A list that is too short moves; one that is much too long is cut off, and then its memory is not at
/// hand for the next call, but found again by the system page by page.
pub struct Density(AtomicU32);

impl Default for Density {
    fn default() -> Self {
        Self(AtomicU32::new(BYTES as u32 / 2))
    }
}

impl Density {
    /// Room for the ids of so many bytes, and for what is written before it is counted: two values at most
    /// for each of the words that go together. What is not written is mostly no memory.
    pub fn room(&self, bytes: usize) -> usize {
        let ids = match bytes {
            ..LONG => bytes / 2,
            long => (long / BYTES).saturating_mul(self.0.load(Ordering::Relaxed) as usize),
        };
        MOST.saturating_mul(bytes).min(ids.saturating_add(2 * MOST * words::MOST))
    }

    /// Notes how many ids so many bytes have: the next ones may have an eighth more.
    pub fn note(&self, bytes: usize, ids: usize) {
        if bytes >= LONG {
            let each = (ids / (bytes / BYTES)).min(MOST * BYTES);
            self.0.store((each + each / 8 + 1) as u32, Ordering::Relaxed);
        }
    }
}

/// Where ids go.
pub trait Sink: Send + Sized {
    /// An empty one, with room for so many ids.
    fn with_room(ids: usize) -> Result<Self>;
    /// Room for so many more: what is put into it without is little.
    fn reserve(&mut self, ids: usize) -> Result<()>;
    /// Takes over what went into another.
    fn take_over(&mut self, other: Self) -> Result<()>;
    /// Takes the ids of words that have a few each.
    fn values(&mut self, values: &[Packed], packing: Packing);
    /// Takes the ids of one word.
    fn ids(&mut self, ids: &[u32]);
    /// How many ids went into it.
    fn so_far(&self) -> usize;
}

impl Sink for Vec<u32> {
    fn with_room(ids: usize) -> Result<Self> {
        memory::list(ids)
    }

    #[inline]
    fn reserve(&mut self, ids: usize) -> Result<()> {
        memory::reserve(self, ids)
    }

    fn take_over(&mut self, other: Self) -> Result<()> {
        memory::reserve(self, other.len())?;
        self.extend(other);
        Ok(())
    }

    #[inline]
    fn values(&mut self, values: &[Packed], packing: Packing) {
        append(packing, self, values);
    }

    fn ids(&mut self, ids: &[u32]) {
        self.extend_from_slice(ids);
    }

    fn so_far(&self) -> usize {
        self.len()
    }
}

/// Counts ids.
impl Sink for usize {
    fn with_room(_: usize) -> Result<Self> {
        Ok(0)
    }

    #[inline]
    fn reserve(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn take_over(&mut self, other: Self) -> Result<()> {
        *self += other;
        Ok(())
    }

    #[inline]
    fn values(&mut self, values: &[Packed], _: Packing) {
        *self += values.iter().map(|&packed| count(packed)).sum::<usize>();
    }

    fn ids(&mut self, ids: &[u32]) {
        *self += ids.len();
    }

    fn so_far(&self) -> usize {
        *self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MORE: usize = 2 * MOST * words::MOST;

    #[test]
    fn room_is_for_half_as_many_ids_and_then_for_some_more_than_the_last_long_text_had() {
        let density = Density::default();
        assert_eq!([0, 5, 9000].map(|bytes| density.room(bytes)), [0, 40, 4500 + MORE]);
        assert_eq!(density.room(4 << 20), (2 << 20) + MORE);
        density.note(LONG - 1, LONG);
        assert_eq!(density.room(4 << 20), (2 << 20) + MORE, "a short one says nothing");
        density.note(2 << 20, 1 << 19);
        let room = density.room(4 << 20) - MORE;
        assert!(((1 << 20) * 9 / 8..(1 << 20) * 6 / 5).contains(&room), "{room}");
        assert_eq!(density.room(9000), 4500 + MORE);
    }

    #[test]
    fn room_is_bounded_whatever_was_noted() {
        let density = Density::default();
        density.note(LONG, usize::MAX);
        assert!(density.room(LONG) <= MOST * LONG);
        assert_eq!(density.room(usize::MAX), usize::MAX);
        density.note(usize::MAX, 0);
        assert!(density.room(1 << 30) > MORE);
    }
}
