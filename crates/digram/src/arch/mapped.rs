//! Memory from the system itself, which begins as zeros.
//!
//! An allocator may hand out what was used before, and clear all of it at once; here memory is found
//! and cleared by the system page by page, as it is touched. To find a huge page takes milliseconds
//! where the machine below has given it away. So of what is given back, a part that the owner named
//! (see `Mapped::spare`) is cleared and kept for the next one who asks for as much, two of them in a
//! process. It is what allocators do, for that part alone.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "memory that is mapped, emptied and given back")
)]

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Mapped;
#[cfg(target_os = "linux")]
pub(super) use linux::Mapped;

#[cfg(target_os = "linux")]
mod linux {
    use std::ops::{Deref, DerefMut, Range};
    use std::ptr::{NonNull, null_mut, slice_from_raw_parts_mut};
    use std::sync::Mutex;

    /// Parts kept in a process, mostly of 2 MiB: for the tables of two threads.
    const SPARES: usize = 2;

    /// What waits for an owner, all of it zeros. Nobody waits for the lock: not a child either, forked while it is held.
    static WAITING: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());

    /// So many numbers.
    pub struct Mapped {
        memory: NonNull<[u128]>,
        spare: Range<usize>,
    }

    // SAFETY: the memory is this value's alone, and numbers may go from thread to thread.
    unsafe impl Send for Mapped {}
    // SAFETY: shared, it is only read.
    unsafe impl Sync for Mapped {}

    impl Mapped {
        /// So many zeros, of which none has memory yet, or a spare part; `None` where there are not so
        /// many addresses.
        pub fn new(length: usize) -> Option<Self> {
            Self::waiting(length).or_else(|| Self::of_system(length))
        }

        /// Names the part that is kept for another owner in the end.
        pub fn spare(&mut self, part: Range<usize>) {
            self.spare = part;
        }

        fn waiting(length: usize) -> Option<Self> {
            let mut waiting = WAITING.try_lock().ok()?;
            let at = waiting.iter().position(|mapped| mapped.len() == length)?;
            let mut found = waiting.swap_remove(at);
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
            Some(Self { memory, spare: 0..0 })
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

        /// Waits for another owner, where there is a part to keep and a place to wait.
        fn wait(&mut self) -> bool {
            let (Range { start, end }, length) = (self.spare.clone(), self.len());
            let Ok(mut waiting) = WAITING.try_lock() else { return false };
            if start == end || waiting.len() == SPARES {
                return false;
            }
            let is_empty = self.empty(0..start) && self.empty(end..length);
            if is_empty {
                self[start..end].fill(0);
                waiting.push(Self { memory: self.memory, spare: start..end });
            }
            is_empty
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
