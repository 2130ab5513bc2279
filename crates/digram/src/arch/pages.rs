//! Memory for large tables, which begin as zeros.
//!
//! A table that is looked up at random costs, for each look, a place in the cache and one in the
//! processor's table of pages; and each page costs a visit to the system when it is first touched,
//! some microseconds for 4 KiB. With pages of 2 MiB both are rare. So a large table begins at the
//! border of such a page, and the system is told that it may use them.

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};

use super::mapped::Mapped;
use super::room::is_room;

/// An entry's bytes.
const ENTRY: usize = size_of::<u128>();
/// What the system calls a huge page, in entries.
const HUGE: usize = (2 << 20) / ENTRY;
/// Smaller tables would waste most of one. To clear it takes as long as some 110 pages of 4 KiB.
const WORTHWHILE: usize = HUGE / 2;
/// Of what a table grows by, so much lies in small pages: to clear a huge one for a step of its growth
/// would take longer than small ones cost, milliseconds where the machine below has to find the memory.
const ONE_BY_ONE: usize = 4 * HUGE;
/// Of a table that begins with one huge page or two, so much is kept for another at most.
const SPARED: usize = 2 * HUGE;
/// A line of the cache, in entries.
const LINE: usize = 64 / ENTRY;

/// A table of zeros that lies at the border of a cache line, or of a huge page if it is large.
///
/// It may grow in place: addresses are kept for the most that it may have, and memory is taken when
/// it is first touched.
pub(crate) struct Zeroed {
    memory: Memory,
    skipped: usize,
    length: usize,
    most: usize,
}

/// Where zeros come from.
enum Memory {
    List(Vec<u128>),
    Mapped(Mapped),
}

impl Zeroed {
    /// A table of so many entries.
    pub fn new(length: usize) -> Self {
        Self::growing([length, length])
    }

    /// A table of so many entries at first and at most: fewer, where there are not so many addresses.
    pub fn growing([length, most]: [usize; 2]) -> Self {
        let list = |length| Self::placed(Memory::List(vec![0; room(length)]), [length; 2]);
        Self::if_there_is_room([length, most]).unwrap_or_else(|| list(length))
    }

    /// The same, of no fewer; `None` where there are not so many addresses, and some left for what is small.
    pub fn if_there_is_room([length, most]: [usize; 2]) -> Option<Self> {
        let memory = if most >= WORTHWHILE {
            Memory::Mapped(Mapped::new(room(most)).filter(|_| is_room(0))?)
        } else {
            Memory::List(vec![0; room(most)])
        };
        Some(Self::placed(memory, [length, most]))
    }

    /// The table in memory that has room for the borders.
    fn placed(memory: Memory, [length, most]: [usize; 2]) -> Self {
        let to_border = |border: usize| memory.as_ptr().align_offset(border * ENTRY).min(border);
        if most < WORTHWHILE {
            return Self { skipped: to_border(LINE), memory, length, most };
        }
        let at_once = at_once([length, most]);
        let grown = most - at_once;
        let one_by_one = if grown < ONE_BY_ONE + WORTHWHILE { grown } else { ONE_BY_ONE };
        // what lies in huge pages begins at a border of one
        let before = if at_once == 0 { one_by_one } else { 0 };
        let border =
            to_border(HUGE) + before.saturating_sub(to_border(HUGE)).next_multiple_of(HUGE);
        let skipped = border - before;
        let behind = skipped + at_once + one_by_one;
        let huge = |from: usize, to: usize| {
            if from < to {
                advise(&raw const memory[from..][..(to - from).next_multiple_of(HUGE)], true);
            }
        };
        huge(skipped, skipped + at_once);
        if let (Memory::Mapped(_), 1..) = (&memory, one_by_one) {
            let small = if at_once == 0 { 0 } else { skipped + at_once };
            advise(&raw const memory[small..behind], false);
        }
        huge(behind, skipped + most);
        Self { memory, skipped, length, most }
    }

    /// Has a part kept for the next such table in the end, if this begins with one huge page or two.
    pub fn kept_for_another(mut self) -> Self {
        let at_once = at_once([self.length, self.most]);
        if let (Memory::Mapped(mapped), HUGE..=SPARED) = (&mut self.memory, at_once) {
            let part = self.most.next_multiple_of(HUGE).min(SPARED);
            mapped.spare(self.skipped..self.skipped + part);
        }
        self
    }

    /// How many entries it may have: fewer than were asked for, where so many addresses were not
    /// to be had.
    pub fn most(&self) -> usize {
        self.most
    }

    /// Adds zeros at the end, up to so many entries in all, and never more than the most.
    pub fn grow(&mut self, length: usize) {
        self.length = length.clamp(self.length, self.most);
    }
}

/// How many entries of a table lie in huge pages from the beginning.
fn at_once([length, most]: [usize; 2]) -> usize {
    if length < WORTHWHILE { 0 } else { length.next_multiple_of(HUGE).min(most) }
}

/// So many entries, and what lies before a border.
fn room(entries: usize) -> usize {
    entries + if entries >= WORTHWHILE { 3 * HUGE } else { LINE }
}

impl Deref for Memory {
    type Target = [u128];

    #[inline]
    fn deref(&self) -> &[u128] {
        match self {
            Self::List(list) => list,
            Self::Mapped(mapped) => mapped,
        }
    }
}

impl DerefMut for Memory {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u128] {
        match self {
            Self::List(list) => list,
            Self::Mapped(mapped) => mapped,
        }
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
        let mut other = Self::growing([self.length, self.most]);
        other.copy_from_slice(self);
        other
    }
}

/// Has a list that is about to grow large lie in huge pages, as far as it has room already.
pub(crate) fn advise_room<T>(list: &mut Vec<T>) {
    advise_unwritten(list.spare_capacity_mut());
}

/// The same of what is about to be written.
pub(crate) fn advise_unwritten<T>(room: &mut [MaybeUninit<T>]) {
    let bytes = size_of_val(room);
    let huge = HUGE * ENTRY;
    let skipped = room.as_ptr().cast::<u8>().align_offset(huge);
    if bytes >= 2 * huge && skipped < huge {
        let start = room.as_ptr().cast::<u8>().wrapping_add(skipped);
        advise(std::ptr::slice_from_raw_parts(start, bytes - skipped), true);
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

/// Tells the system that memory may lie in huge pages, or may not. It may also not listen.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the system call is")]
fn advise<T>(memory: *const [T], huge: bool) {
    let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
    let start = memory.cast::<T>().cast_mut().cast();
    // SAFETY: this advice changes nothing in the memory, whosever it is.
    unsafe {
        libc::madvise(start, memory.len() * size_of::<T>(), advice);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_: *const [T], _: bool) {}

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
            assert_eq!(table.as_ptr().addr() % (border * ENTRY), 0, "{length} entries");
            table.iter_mut().zip(1..).for_each(|(entry, number)| *entry = number);
            let other = table.clone();
            assert!(other.iter().zip(1..).all(|(&entry, number)| entry == number));
            assert_eq!(other.len(), length);
        }
    }

    #[test]
    fn tables_grow_in_place_up_to_their_most() {
        let small = [[0, 0], [3, 5], [1, 1 << 15], [1 << 14, 1 << 18], [4, 300_000]];
        let large = [
            [1 << 14, 1 << 20],
            [1 << 16, 1 << 19],
            [100_000, 1 << 20],
            [1 << 17; 2],
            [1 << 14, (1 << 20) + 1024],
        ];
        let sizes = [&small[..], &large[..]].concat();
        for [length, most] in sizes {
            let mut table = Zeroed::growing([length, most]);
            assert_eq!((table.len(), table.most()), (length, most));
            table.iter_mut().zip(1..).for_each(|(entry, number)| *entry = number);
            let start = table.as_ptr();
            for longer in [length / 2, length + (most - length) / 2, most + 1] {
                let before = table.len();
                table.grow(longer);
                assert_eq!(table.len(), longer.clamp(before, most));
            }
            assert_eq!(table.as_ptr(), start);
            if most >= WORTHWHILE {
                let small = if most > ONE_BY_ONE + WORTHWHILE { ONE_BY_ONE } else { most };
                let border = start.wrapping_add(small).addr();
                assert_eq!(border % (HUGE * ENTRY), 0, "what is not small begins with a huge page");
            }
            let expected = |at: usize| if at < length { at as u128 + 1 } else { 0 };
            assert!(table.iter().enumerate().all(|(at, &entry)| entry == expected(at)));
        }
        let mut none = Zeroed::growing([1, usize::MAX >> 8]);
        none.grow(2);
        assert_eq!(none.len(), none.most(), "so many addresses there are not");
    }

    #[test]
    fn tables_that_come_after_others_begin_as_zeros() {
        let sizes = [[1 << 16, 1 << 19], [100_000, 1 << 19], [1 << 17, 1 << 20], [1 << 17; 2]];
        for [length, most] in sizes.into_iter().cycle().take(20) {
            let new = |()| Zeroed::growing([length, most]).kept_for_another();
            let mut tables = [(); 4].map(new);
            for table in &mut tables {
                table.grow(most);
                assert!(table.iter().all(|&entry| entry == 0));
                table.fill(!0);
            }
        }
        let threads = [(); 4].map(|()| {
            std::thread::spawn(|| {
                for _ in 0..20 {
                    let mut table = Zeroed::growing([1 << 16, 1 << 19]).kept_for_another();
                    assert!(table.iter().all(|&entry| entry == 0));
                    table.fill(!0);
                }
            })
        });
        for thread in threads {
            thread.join().expect("zeros in all of them");
        }
    }
}
