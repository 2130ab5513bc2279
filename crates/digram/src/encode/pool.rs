//! Things that threads borrow and give back.
//!
//! Nobody waits: a thread goes from shelf to shelf until one is free, and where none is, a fresh
//! thing is made. So a child forked while another thread held a lock goes on, though that thread
//! does not exist in it. A thread begins at a shelf of its own, where it finds what it gave back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Shelves of reusable things.
pub struct Pool<T> {
    shelves: [Mutex<Vec<T>>; SHELVES],
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { shelves: std::array::from_fn(|_| Mutex::new(Vec::new())) }
    }
}

/// As many threads find a shelf of their own.
const SHELVES: usize = 8;
/// More than this many are not kept on a shelf: each holds tables of words.
const MAX_KEPT: usize = 2;

/// The next thread's shelf.
static NEXT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed);
}

impl<T> Pool<T> {
    /// A used thing, or a fresh one, if there is one.
    pub fn take<E>(&self, fresh: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.free().find_map(|mut shelf| shelf.pop()).map_or_else(fresh, Ok)
    }

    /// Puts a thing back for the next.
    pub fn give_back(&self, thing: T) {
        if let Some(mut shelf) = self.free().find(|shelf| shelf.len() < MAX_KEPT) {
            shelf.push(thing);
        }
    }

    /// The shelves that nobody is at, the thread's own first.
    fn free(&self) -> impl Iterator<Item = MutexGuard<'_, Vec<T>>> {
        let own = OWN.try_with(|own| *own).unwrap_or(0);
        (own..own + SHELVES).filter_map(|at| self.shelves[at % SHELVES].try_lock().ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_finds_what_it_gave_back_and_others_too() {
        let pool: Pool<Vec<u32>> = Pool::default();
        let take = || pool.take(|| Ok::<_, ()>(Vec::new())).expect("one is made");
        assert!(take().is_empty());
        pool.give_back(vec![1]);
        assert_eq!(take(), [1]);
        pool.give_back(vec![2]);
        let found = std::thread::scope(|scope| {
            let other = scope.spawn(take);
            other.join().expect("it does not panic")
        });
        assert_eq!(found, [2]);
        (0..100).for_each(|number| pool.give_back(vec![number]));
        let kept = (0..100).filter(|_| !take().is_empty()).count();
        assert_eq!(kept, SHELVES * MAX_KEPT);
    }
}
