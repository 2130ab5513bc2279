//! Memory for large tables, which begin as zeros.
//!
//! A table that is looked up at random costs, for each look, a place in the cache and one in the
//! processor's table of pages; and each page costs a visit to the system when it is first touched,
//! some microseconds for 4 KiB. With pages of 2 MiB both are rare. So a large table begins at the
//! border of such a page, and the system is told that it may use them.

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

/// What the system calls a huge page.
const HUGE: usize = 2 << 20;
/// Smaller tables would waste most of one. To clear it takes as long as some 110 pages of 4 KiB.
const WORTHWHILE: usize = HUGE / 2;
/// A line of the cache.
const LINE: usize = 64;
/// An entry's bytes.
const ENTRY: usize = size_of::<u128>();

/// A table of zeros that lies at the border of a cache line, or of a huge page if it is large.
pub(crate) struct Zeroed {
    memory: Vec<u128>,
    skipped: usize,
    length: usize,
}

impl Zeroed {
    /// A table of so many entries.
    pub fn new(length: usize) -> Self {
        let is_large = length >= WORTHWHILE / ENTRY;
        let border = if is_large { HUGE } else { LINE } / ENTRY;
        let whole = length.next_multiple_of(border);
        let memory = vec![0; whole + border];
        let skipped = memory.as_ptr().align_offset(border * ENTRY).min(border);
        if is_large {
            advise(&raw const memory[skipped..skipped + whole]);
        }
        Self { memory, skipped, length }
    }
}

impl Deref for Zeroed {
    type Target = [u128];

    #[inline]
    fn deref(&self) -> &[u128] {
        &self.memory[self.skipped..][..self.length]
    }
}

impl DerefMut for Zeroed {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u128] {
        &mut self.memory[self.skipped..][..self.length]
    }
}

impl Clone for Zeroed {
    fn clone(&self) -> Self {
        let mut other = Self::new(self.length);
        other.copy_from_slice(self);
        other
    }
}

/// Has a list that is about to grow large lie in huge pages, as far as it has room already.
pub(crate) fn advise_room<T>(list: &mut Vec<T>) {
    let room: &[MaybeUninit<T>] = list.spare_capacity_mut();
    let bytes = size_of_val(room);
    let skipped = room.as_ptr().cast::<u8>().align_offset(HUGE);
    if bytes >= 2 * HUGE && skipped < HUGE {
        let start = room.as_ptr().cast::<u8>().wrapping_add(skipped);
        advise(std::ptr::slice_from_raw_parts(start, bytes - skipped));
    }
}

/// Gives memory that nobody holds any more back to the system, which may take milliseconds:
/// without it the allocator keeps what was freed between other things, or on other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the call is")]
pub(crate) fn give_back() {
    // SAFETY: it changes nothing in memory that anybody holds.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

/// Tells the system that memory may lie in huge pages. It may also not listen.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the system call is")]
fn advise<T>(memory: *const [T]) {
    let start = memory.cast::<T>().cast_mut().cast();
    // SAFETY: this advice changes nothing in the memory, whosever it is.
    unsafe {
        libc::madvise(start, memory.len() * size_of::<T>(), libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: *const [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_all_sizes_hold_what_is_put_in() {
        for length in [0, 1, 1000, 3 << 20] {
            let mut list: Vec<u64> = Vec::with_capacity(length);
            advise_room(&mut list);
            list.extend(0..length as u64);
            assert!(list.iter().zip(0..).all(|(&entry, number)| entry == number));
        }
    }

    #[test]
    fn tables_of_all_sizes_are_zeros_at_borders() {
        for (length, border) in
            [(0, LINE), (1, LINE), (1 << 15, LINE), (1 << 18, HUGE), (300_000, HUGE)]
        {
            let mut table = Zeroed::new(length);
            assert_eq!(table.len(), length);
            assert!(table.iter().all(|&entry| entry == 0));
            assert_eq!(table.as_ptr().addr() % border, 0, "{length} entries");
            table.iter_mut().zip(1..).for_each(|(entry, number)| *entry = number);
            let other = table.clone();
            assert!(other.iter().zip(1..).all(|(&entry, number)| entry == number));
            assert_eq!(other.len(), length);
        }
    }
}
