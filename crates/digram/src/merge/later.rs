//! What is made when it pays: not while a model is loaded, but once enough was done without it.
//!
//! One thread makes it. Others go on without, as long as that is a small part of what making it takes:
//! then they make it, too, for one may wait for a thread that a forked process does not have.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use once_cell::race::OnceBox;

use crate::error::Result;

/// So many times as much as would be enough is done while somebody else makes it.
const PATIENCE: usize = 8;

/// Something that may not be made yet.
pub struct Later<T> {
    made: OnceBox<T>,
    /// Held by the thread that makes it.
    making: Mutex<()>,
    /// How much was done without it.
    done: AtomicUsize,
}

impl<T> Default for Later<T> {
    fn default() -> Self {
        Self { made: OnceBox::new(), making: Mutex::new(()), done: AtomicUsize::new(0) }
    }
}

impl<T> From<T> for Later<T> {
    fn from(made: T) -> Self {
        Self { made: OnceBox::with_value(Box::new(made)), ..Self::default() }
    }
}

impl<T> Later<T> {
    /// It, if it is made by now, or worth making: `more` is to be done, and more than `enough` is
    /// then done without it.
    #[inline]
    pub fn when(
        &self,
        more: usize,
        enough: usize,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Option<&T>> {
        match self.made.get() {
            Some(there) => Ok(Some(there)),
            None => self.weigh(more, enough, make),
        }
    }

    #[cold]
    fn weigh(
        &self,
        more: usize,
        enough: usize,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Option<&T>> {
        let done = self.done.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        if done <= enough {
            return Ok(None);
        }
        match self.making.try_lock() {
            Err(_) if more <= enough && done / PATIENCE <= enough => Ok(None),
            _making => self.now(make).map(Some),
        }
    }

    /// It, if it is made by now.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// It, which is made where it is not yet.
    pub fn now(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(there) = self.made.get() {
            return Ok(there);
        }
        self.made.get_or_try_init(|| make().map(Box::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_when_it_pays() {
        let later = Later::default();
        let when = |more| later.when(more, 10, || Ok(7)).expect("it is made").copied();
        assert_eq!([when(4), when(6)], [None, None]);
        let held = later.making.lock();
        assert_eq!(when(1), None, "whoever does not make it goes on without");
        drop(held);
        assert_eq!([when(0), when(0)], [Some(7), Some(7)]);
        assert_eq!(later.now(|| unreachable!("it is made")).ok(), Some(&7));
    }

    #[test]
    fn whoever_has_much_to_do_does_not_go_on_without() {
        for some in [[11, 0], [10, 11]] {
            let later = Later::default();
            let _held = later.making.lock();
            let made =
                some.map(|more| later.when(more, 10, || Ok(7)).expect("it is made").is_some());
            assert_eq!(made, [some[0] > 10, true]);
        }
        let later = Later::default();
        let _held = later.making.lock();
        let when = || later.when(1, 10, || Ok(7)).expect("it is made").copied();
        let without = (0..1_000).filter(|_| when().is_none()).count();
        assert!((80..100).contains(&without), "{without} times without");
    }
}
