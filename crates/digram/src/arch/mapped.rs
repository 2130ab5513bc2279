//! Memory from the system itself, which begins as zeros.
//!
//! An allocator may hand out what was used before, and clear all of it at once; here memory is found
//! and cleared by the system page by page, as it is touched. To find a huge page takes milliseconds
//! where the machine below has given it away, and small ones microseconds each. So of what is given
//! back, a part that the owner named (see `Mapped::spare`) is cleared and kept for the next one who asks for as
//! much, the last few of them in a process. It is what allocators do, for that part alone.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "memory that is mapped, emptied and given back")
)]

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{Mapped, release};
#[cfg(target_os = "linux")]
pub(super) use linux::{Mapped, release};

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::take;
    use std::ops::{Deref, DerefMut, Range};
    use std::ptr::{NonNull, null_mut, slice_from_raw_parts_mut};
    use std::sync::Mutex;

    /// Parts kept in a process: for the tables of two threads, or of one whose near table grew.
    const SPARES: usize = 4;
    /// So much memory they may have together: 12 MiB, in pages.
    const KEPT: usize = (12 << 20) / SMALLEST;
    /// What has no memory in the first 2 MiB, with which its owner begins, is not worth to be kept.
    const FIRST: usize = (2 << 20) / SMALLEST;

    /// Longer memory does not wait, as it keeps all its addresses: 32 MiB, in numbers.
    const MOST: usize = (32 << 20) / size_of::<u128>();

    /// No page is smaller, in bytes.
    const SMALLEST: usize = 4 << 10;

    /// What waits for an owner, all of it zeros, the last to come at the end. It is only ever tried: a
    /// child forked while it was held could wait for ever.
    static WAITING: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());

    /// So many numbers.
    pub struct Mapped {
        memory: NonNull<[u128]>,
        spare: Range<usize>,
        /// How many pages it has while it waits.
        kept: usize,
    }

    // SAFETY: the memory is this value's alone, and numbers may go from thread to thread.
    unsafe impl Send for Mapped {}
    // SAFETY: shared, it is only read.
    unsafe impl Sync for Mapped {}

    impl Mapped {
        /// So many zeros, of which none has memory yet, or a spare part; `None` where there are not so
        /// many addresses.
        pub fn new(length: usize) -> Option<Self> {
            let found = Self::waiting(length).or_else(|| Self::of_system(length));
            found.or_else(|| release().then(|| Self::of_system(length))?)
        }

        /// Names the part that is kept for another owner in the end.
        pub fn spare(&mut self, part: Range<usize>) {
            self.spare = part;
        }

        fn waiting(length: usize) -> Option<Self> {
            let mut waiting = WAITING.try_lock().ok()?;
            let at = waiting.iter().rposition(|mapped| mapped.len() == length)?;
            let mut found = waiting.remove(at);
            found.spare = 0..0;
            Some(found)
        }

        fn of_system(length: usize) -> Option<Self> {
            let bytes = length.checked_mul(size_of::<u128>())?;
            let (access, kind) = (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            );
            // SAFETY: new memory, wherever the system likes.
            let start = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
            let start = if start == libc::MAP_FAILED { null_mut() } else { start };
            let memory = NonNull::new(slice_from_raw_parts_mut(start.cast(), length))?;
            Some(Self { memory, spare: 0..0, kept: 0 })
        }

        /// Gives the memory of a part back; it is zeros from then on. Whether it was.
        fn empty(&mut self, part: Range<usize>) -> bool {
            let part = &mut self[part];
            // SAFETY: whole pages of private memory, which this value alone may touch.
            part.is_empty()
                || unsafe {
                    libc::madvise(part.as_mut_ptr().cast(), size_of_val(part), libc::MADV_DONTNEED)
                        == 0
                }
        }

        /// Which pages of a part are in memory, in order: others were never touched, or lie in swap.
        fn pages(&mut self, part: Range<usize>) -> Option<Vec<u8>> {
            let part = &mut self[part];
            let mut pages = vec![0; size_of_val(part).div_ceil(SMALLEST)];
            // SAFETY: whole pages of this value's memory, with a byte for each.
            let is_told = 0
                == unsafe {
                    libc::mincore(part.as_mut_ptr().cast(), size_of_val(part), pages.as_mut_ptr())
                };
            is_told.then_some(pages)
        }

        /// Makes a part zeros, and tells how many of its pages are in memory; `None` where it is not worth to
        /// be kept.
        fn clear(&mut self, part: Range<usize>) -> Option<usize> {
            let pages = self.pages(part.clone())?;
            let is_worth = pages.iter().take(FIRST).all(|&page| is_there(page));
            is_worth.then(|| self.clear_told(part, &pages))?
        }

        /// The same, where it is told which pages are in memory. Those are cleared; the others are given back,
        /// as to clear what was never touched would take memory, and what lies in swap is not zeros.
        fn clear_told(&mut self, part: Range<usize>, pages: &[u8]) -> Option<usize> {
            let (numbers, mut at, mut kept) = (SMALLEST / size_of::<u128>(), part.start, 0);
            for run in pages.chunk_by(|&one, &other| is_there(one) == is_there(other)) {
                let these = at..part.end.min(at + numbers * run.len());
                at = these.end;
                if is_there(run[0]) {
                    self[these].chunks_mut(numbers).for_each(clear_page);
                    kept += run.len();
                } else if !self.empty(these) {
                    return None;
                }
            }
            Some(kept)
        }

        /// Waits for another owner, where there is a part to keep.
        fn wait(&mut self) -> bool {
            let (Range { start, end }, length) = (self.spare.clone(), self.len());
            if start == end || length > MOST {
                return false;
            }
            let Some(kept) = self.clear(start..end) else { return false };
            let is_empty = self.empty(0..start) && self.empty(end..length);
            let Some(mut waiting) = WAITING.try_lock().ok().filter(|_| is_empty) else {
                return false;
            };
            waiting.push(Self { memory: self.memory, spare: start..end, kept });
            let all = |waiting: &[Self]| waiting.iter().map(|mapped| mapped.kept).sum::<usize>();
            let mut oldest = Vec::new();
            while waiting.len() > SPARES || all(&waiting) > KEPT {
                oldest.push(waiting.remove(0));
            }
            drop(waiting);
            unmap(oldest);
            true
        }
    }

    /// Gives all that waits back to the system. Whether there was any.
    pub fn release() -> bool {
        let waiting = WAITING.try_lock().map_or_else(|_| Vec::new(), |mut all| take(&mut *all));
        let any = !waiting.is_empty();
        unmap(waiting);
        any
    }

    /// Gives back what is not to wait again.
    fn unmap(mut all: Vec<Mapped>) {
        for mapped in &mut all {
            mapped.spare = 0..0;
        }
    }

    fn is_there(page: u8) -> bool {
        page & 1 == 1
    }

    /// Makes a page zeros. (One that was only read is the system's page of zeros, and stays it.)
    fn clear_page(page: &mut [u128]) {
        if page.iter().any(|&number| number != 0) {
            page.fill(0);
        }
    }

    impl Deref for Mapped {
        type Target = [u128];

        #[inline]
        fn deref(&self) -> &[u128] {
            // SAFETY: it is mapped, zeros are numbers, and pages begin at all borders of numbers.
            unsafe { self.memory.as_ref() }
        }
    }

    impl DerefMut for Mapped {
        #[inline]
        fn deref_mut(&mut self) -> &mut [u128] {
            // SAFETY: the same, and it is borrowed by nobody else.
            unsafe { self.memory.as_mut() }
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            if !self.wait() {
                // SAFETY: it was mapped with this length, and nobody borrows it any more.
                unsafe { libc::munmap(self.memory.as_ptr().cast(), size_of_val(&**self)) };
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const LENGTH: usize = (6 << 20) / size_of::<u128>();
        const PART: Range<usize> = LENGTH / 3..LENGTH / 2;

        /// Memory that is written all over, of which a part is kept.
        fn written(length: usize) -> Mapped {
            let mut mapped = Mapped::new(length).expect("so many addresses there are");
            assert!(mapped.iter().all(|&number| number == 0));
            mapped.fill(!0);
            mapped.spare(PART);
            mapped
        }

        #[test]
        fn what_was_kept_comes_back_as_zeros() {
            let is_same = |_| {
                let before = written(LENGTH).as_ptr();
                written(LENGTH).as_ptr() == before
            };
            assert!((0..50).any(is_same), "unless all others drop tables at the same time");
        }

        #[test]
        fn what_is_said_to_be_elsewhere_becomes_zeros_too() {
            let (mut mapped, page) = (written(LENGTH), SMALLEST / size_of::<u128>());
            let mut pages = vec![1; PART.len() / page];
            for (at, page) in pages.iter_mut().enumerate().skip(3) {
                *page = u8::from(at % 7 == 0);
            }
            let told = pages.iter().map(|&page| usize::from(page)).sum();
            assert_eq!(mapped.clear_told(PART, &pages), Some(told));
            assert!(mapped[PART].iter().all(|&number| number == 0));
            assert!(mapped[PART.end..].iter().all(|&number| number == !0));
        }

        #[test]
        fn the_last_few_are_kept_and_nothing_else() {
            drop([(); 9].map(|()| written(LENGTH)));
            drop([1, 2, 3, 4].map(|more| written(LENGTH + more * 4096)));
            // (no test has others of this length; where all pages are huge, one of them is all of the part)
            let mut untouched = Mapped::new(LENGTH + 8192).expect("so many addresses there are");
            untouched.spare(PART);
            drop(untouched);
            drop(written(2 * MOST));
            let waiting = WAITING.lock().expect("nobody panics");
            assert!(waiting.len() <= SPARES);
            assert!(waiting.iter().all(|mapped| mapped.len() <= MOST));
            assert!(waiting.iter().all(|mapped| mapped.len() != LENGTH + 8192));
        }

        #[test]
        fn what_waits_is_given_back_when_asked_for() {
            let is_released = |_| {
                drop(written(LENGTH));
                release()
            };
            assert!((0..50).any(is_released), "unless all others take tables at the same time");
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::ops::{Deref, DerefMut, Range};

    /// So many zeros.
    pub struct Mapped(Vec<u128>);

    impl Mapped {
        pub fn new(length: usize) -> Option<Self> {
            Some(Self(vec![0; length]))
        }

        pub fn spare(&mut self, _: Range<usize>) {}
    }

    /// Nothing waits here.
    pub fn release() -> bool {
        false
    }

    impl Deref for Mapped {
        type Target = [u128];

        fn deref(&self) -> &[u128] {
            &self.0
        }
    }

    impl DerefMut for Mapped {
        fn deref_mut(&mut self) -> &mut [u128] {
            &mut self.0
        }
    }
}
