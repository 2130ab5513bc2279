//! One call's work on several threads.
//!
//! Threads are made for the call and end with it: a start costs some 20 µs, which work worth
//! sharing earns back at once, and nothing is left behind for a fork to break.

use std::panic::resume_unwind;
use std::thread;

use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// How many threads to use: what the caller asked for, or one per core.
pub(crate) fn available(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Runs `work` on `workers` threads, this one among them, and collects what they return.
///
/// When one fails all stop, and the error is the one that made them stop.
pub(crate) fn run<T: Send>(
    workers: usize,
    monitor: &Monitor,
    work: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let work = |index| work(index).inspect_err(|_| monitor.stop());
    let results: Vec<Result<T>> = thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..workers).map(|index| scope.spawn(move || work(index))).collect();
        let mine = (workers > 0).then(|| work(0));
        let theirs = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
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
