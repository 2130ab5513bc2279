//! One call's work on several threads.
//!
//! Threads are made for the call and end with it: a start costs some 20 µs, which work worth
//! sharing earns back at once, and nothing is left behind for a fork to break. Where the system has no
//! more of them, as in a container that may have few, the thread that made the call does their work as well.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use crate::cores::Home;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// No call has more threads, whatever is asked for: each has tables of its own.
const MOST: usize = 1024;

/// How many threads to use: what the caller asked for, or one per core.
pub(crate) fn available(asked: Option<usize>) -> usize {
    asked.map_or_else(
        || thread::available_parallelism().map_or(1, usize::from),
        |asked| asked.clamp(1, MOST),
    )
}

/// Runs `work` on `workers` threads, this one among them, and collects what they return.
///
/// When one fails all stop, and the error is the one that made them stop.
pub(crate) fn run<T: Send>(
    workers: usize,
    monitor: &Monitor,
    work: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    run_beside(workers, monitor, &work, || work(0))
}

/// The same, where this thread, if it is one of them, does something of its own.
pub(crate) fn run_beside<T: Send>(
    workers: usize,
    monitor: &Monitor,
    work: impl Fn(usize) -> Result<T> + Sync,
    own: impl FnOnce() -> Result<T>,
) -> Result<Vec<T>> {
    let work = |index| work(index).inspect_err(|_| monitor.stop());
    let results: Vec<Result<T>> = thread::scope(|scope| {
        let work = &work;
        let start = |index| begun(scope, move || work(index)).ok_or(index);
        let others: Vec<_> = (1..workers).map(start).collect();
        for _ in &others {
            thread::yield_now();
        }
        let mine = (workers > 0).then(|| own().inspect_err(|_| monitor.stop()));
        let theirs = others.into_iter().map(|other| other.map_or_else(work, joined));
        mine.into_iter().chain(theirs).collect()
    });
    let stopped = |result: &Result<T>| matches!(result, Err(Error::Interrupted));
    let cause = results.iter().position(|result| result.is_err() && !stopped(result));
    match cause {
        Some(cause) => {
            Err(results.into_iter().nth(cause).and_then(Result::err).expect("found above"))
        }
        None => results.into_iter().collect(),
    }
}

/// Runs `own` on this thread, and `other` on another meanwhile, or behind it where there is none.
pub(crate) fn beside<A: Send, B>(
    mut other: impl FnMut() -> A + Send,
    own: impl FnOnce() -> B,
) -> (A, B) {
    let (theirs, mine) = thread::scope(|scope| {
        let there = begun(scope, &mut other);
        thread::yield_now();
        let mine = own();
        (there.map(joined), mine)
    });
    (theirs.unwrap_or_else(other), mine)
}

/// A thread that does this, on another core than this one's if there is one; `None` where the system has none left.
fn begun<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    let home = Home::here();
    let work = move || {
        home.leave();
        work()
    };
    Builder::new().spawn_scoped(scope, work).ok()
}

/// What a thread returned.
fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Pieces of work for some threads: each begins with a share of its own, piece by piece, and then helps
/// the others from the ends of theirs.
///
/// So a thread goes on with what lies behind what it has just done, and where the same work comes
/// again, most of it comes to where it was done before.
pub(crate) struct Shares(Vec<Mutex<Range<usize>>>);

impl Shares {
    /// Shares of `pieces` for as many threads.
    pub fn new(pieces: usize, workers: usize) -> Self {
        let border = |index: usize| pieces / workers * index + index.min(pieces % workers);
        let share = |index| Mutex::new(border(index)..border(index + 1));
        Self((0..workers).map(share).collect())
    }

    /// The next piece for a thread; `None` when nothing is left.
    pub fn next(&self, worker: usize) -> Option<usize> {
        let share = |worker: usize| self.0[worker].lock().unwrap_or_else(PoisonError::into_inner);
        let (before, from) = (0..worker, worker + 1..self.0.len());
        let own = share(worker).next();
        own.or_else(|| from.chain(before).find_map(|other| share(other).next_back()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_done_once_its_own_first() {
        for (pieces, workers) in [(0, 1), (0, 3), (2, 3), (7, 3), (9, 3), (100, 1), (100, 7)] {
            let shares = Shares::new(pieces, workers);
            let first: Vec<_> = (0..workers).filter_map(|worker| shares.next(worker)).collect();
            assert_eq!(first.len(), pieces.min(workers));
            assert!(first.is_sorted() && first.first().is_none_or(|&piece| piece == 0));
            let mut rest: Vec<_> = std::iter::from_fn(|| shares.next(workers / 2)).collect();
            assert!((0..workers).all(|worker| shares.next(worker).is_none()));
            rest.extend(first);
            rest.sort_unstable();
            assert!(rest.into_iter().eq(0..pieces), "{pieces} pieces, {workers} workers");
        }
    }

    #[test]
    fn who_is_done_helps_from_the_ends() {
        let shares = Shares::new(10, 2);
        let of = |worker| shares.next(worker).expect("there is work");
        assert_eq!([of(0), of(1), of(0)], [0, 5, 1]);
        assert_eq!([of(1), of(1), of(1), of(1)], [6, 7, 8, 9]);
        assert_eq!([of(1), of(0), of(1)], [4, 2, 3]);
        assert_eq!((shares.next(0), shares.next(1)), (None, None));
    }
}
