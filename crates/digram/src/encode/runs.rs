//! Many texts on all cores, in runs of texts that follow each other.
//!
//! While other threads encode, the one that made the call may do something with what is finished:
//! objects of Python are made by one thread at a time.

use std::slice::from_ref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::flat::Source;
use super::pipeline::Scratch;
use super::{Special, Tokenizer};
use crate::error::{Error, Result};
use crate::memory;
use crate::monitor::Monitor;
use crate::threads::{self, Shares};

/// Text for which a further thread is worth its start, and which one takes at a time.
const BYTES_PER_THREAD: usize = 64 << 10;

/// Texts that follow each other, encoded by one thread: the first of them, and where the ids of each
/// end.
pub struct Run {
    /// The number of the first text.
    pub first: usize,
    ends: Vec<usize>,
    pub(super) ids: Vec<u32>,
}

impl Run {
    /// The ids of each text.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.ids[std::mem::replace(&mut start, end)..end])
    }
}

/// Runs that are finished, and that nobody has taken.
#[derive(Default)]
pub struct Finished {
    runs: Mutex<Vec<Run>>,
    ids: AtomicUsize,
}

impl Finished {
    /// How many ids they have.
    pub fn ids(&self) -> usize {
        self.ids.load(Ordering::Relaxed)
    }

    /// Takes them, in any order.
    pub fn take(&self) -> Vec<Run> {
        let mut runs = self.runs();
        self.ids.store(0, Ordering::Relaxed);
        std::mem::take(&mut runs)
    }

    fn add(&self, run: Run) {
        let mut runs = self.runs();
        self.ids.fetch_add(run.ids.len(), Ordering::Relaxed);
        runs.push(run);
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Texts that several threads encode.
pub(super) struct Batch<'a, S> {
    texts: &'a [S],
    bytes: usize,
    special: &'a Special,
    /// Where runs begin, and where the last ends.
    starts: Vec<usize>,
    shares: Shares,
    /// How many threads there are; some may work on one text.
    there: usize,
    /// How many of them work on runs.
    pub workers: usize,
    finished: Finished,
}

impl<'a, S: Source> Batch<'a, S> {
    pub fn new(texts: &'a [S], special: &'a Special, asked: Option<usize>) -> Self {
        let bytes: usize = texts.iter().map(Source::size).sum();
        let useful = (1 + bytes / BYTES_PER_THREAD).min(texts.len());
        let there = if bytes < BYTES_PER_THREAD { 1 } else { threads::available(asked) };
        let workers = there.min(useful);
        let starts = if workers > 1 { starts(texts) } else { vec![0, texts.len()] };
        let shares = Shares::new(starts.len() - 1, workers);
        let finished = Finished::default();
        Self { texts, bytes, special, starts, shares, there, workers, finished }
    }

    /// The next run for a thread, and the number of its first text; `None` when nothing is left.
    pub fn next(&self, worker: usize) -> Option<(usize, &'a [S])> {
        let index = self.shares.next(worker)?;
        let first = self.starts[index];
        Some((first, &self.texts[first..self.starts[index + 1]]))
    }
}

impl Tokenizer {
    /// The ids of each text, as they come one behind the other.
    pub fn encode_runs<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Run>> {
        self.encode_runs_and(texts, special, asked, monitor, |_| Ok(()))
    }

    /// The same. Where several threads work, this one does `between` after each run of its own; it may
    /// take runs that are finished, which are not returned then.
    pub fn encode_runs_and<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
        mut between: impl FnMut(&Finished) -> Result<()>,
    ) -> Result<Vec<Run>> {
        let batch = Batch::new(texts, special, asked);
        memory::expect(size_of::<u32>() * self.density_of_many.room(batch.bytes))?;
        let own = || match batch.workers {
            ..2 => self.encode_share(&batch, 0, monitor, || Ok(())),
            2.. => self.encode_share(&batch, 0, monitor, || between(&batch.finished)),
        };
        let others = |worker| self.encode_share(&batch, worker, monitor, || Ok(()));
        threads::run_beside(batch.workers, monitor, others, own)?;
        let mut runs = batch.finished.take();
        runs.sort_unstable_by_key(|run| run.first);
        Ok(runs)
    }

    /// Encodes runs until nobody has any left.
    fn encode_share<S: Source>(
        &self,
        batch: &Batch<S>,
        worker: usize,
        monitor: &Monitor,
        mut between: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let mut scratch = self.scratch(1)?;
        let mut work = |scratch: &mut Scratch| {
            while let Some((first, texts)) = batch.next(worker) {
                let bytes = texts.iter().map(Source::size).sum();
                scratch.workers = share(batch.there, bytes, batch.bytes);
                let encoded = self.encode_some(texts, batch.special, scratch, monitor);
                let (ids, ends) = encoded
                    .map_err(|error| self.named(error, (first, texts), batch.special, monitor))?;
                batch.finished.add(Run { first, ends, ids });
                self.exchange(scratch, false);
                between()?;
            }
            Ok(())
        };
        let done = match batch.workers {
            ..2 => work(&mut scratch),
            2.. => self.among_many(&mut scratch, work),
        };
        // what a call that failed leaves in it is not for the next
        done?;
        self.give_back(scratch);
        Ok(())
    }
}

impl Tokenizer {
    /// An error of a run that begins with the text of a number, named after the first that fails alone:
    /// short ones are encoded together.
    fn named<S: Source>(
        &self,
        error: Error,
        (first, texts): (usize, &[S]),
        special: &Special,
        monitor: &Monitor,
    ) -> Error {
        if !error.is_of_text() || self.policies.matchers(special).is_err() {
            return error;
        }
        if texts.len() == 1 {
            return error.of_text(format_args!("texts[{first}]"));
        }
        // the threads of the one that failed have been stopped
        let monitor = &monitor.again();
        for (number, text) in (first..).zip(texts) {
            let alone = self.scratch(1).and_then(|mut scratch| {
                self.encode_some(from_ref(text), special, &mut scratch, monitor)
            });
            if let Err(error) = alone {
                return error.of_text(format_args!("texts[{number}]"));
            }
        }
        error
    }
}

/// How many of the threads work on so many bytes of all: as many as their share, rather one too many
/// than one without work while a long text is left.
fn share(threads: usize, bytes: usize, all: usize) -> usize {
    let quarters = 4 * threads as u128 * bytes as u128 / all.max(1) as u128;
    quarters.div_ceil(4).max(1) as usize
}

/// Where runs of texts begin that are worth a turn of a thread, and where the last ends.
fn starts<S: Source>(texts: &[S]) -> Vec<usize> {
    let (mut starts, mut bytes) = (vec![0], 0);
    for (index, text) in texts.iter().enumerate() {
        bytes += text.size();
        if bytes >= BYTES_PER_THREAD && index + 1 < texts.len() {
            starts.push(index + 1);
            bytes = 0;
        }
    }
    starts.push(texts.len());
    starts
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CL100K, Random, model};
    use super::*;
    use crate::monitor::Nobody;

    #[test]
    fn threads_are_shared_by_bytes() {
        let shares = |threads, all: &[usize]| {
            let sum = all.iter().sum();
            all.iter().map(|&bytes| share(threads, bytes, sum)).collect::<Vec<_>>()
        };
        assert_eq!(shares(8, &[5_000_000]), [8]);
        assert_eq!(shares(2, &[5_000_000, 70_000, 70_000]), [2, 1, 1]);
        assert_eq!(shares(8, &[100, 100, 100]), [3, 3, 3]);
        assert_eq!(shares(2, &[6, 4]), [1, 1]);
        assert_eq!(shares(2, &[7, 3]), [2, 1]);
        assert_eq!(shares(2, &[100; 50]), [1; 50]);
        assert_eq!(shares(64, &[0, usize::MAX / 2, usize::MAX / 2]), [1, 32, 32]);
    }

    /// A tokenizer, and texts enough for several threads.
    fn batch(seed: u64, texts: usize) -> (Tokenizer, Vec<String>) {
        let mut random = Random(seed);
        let tokenizer = Tokenizer::new(model(&mut random, true, Some(CL100K)));
        let texts = (0..texts).map(|_| random.text(900)).collect();
        (tokenizer.expect("the model is sound"), texts)
    }

    /// Whether it happens in one of many tries: the other threads may be done with all runs before
    /// the one that made the call has its first.
    fn happens(try_once: impl FnMut() -> bool) -> bool {
        std::iter::repeat_with(try_once).take(1_000).any(|happened| happened)
    }

    #[test]
    fn what_is_taken_between_and_what_is_returned_are_all_runs() {
        let monitor = Monitor::new(&Nobody);
        let (tokenizer, texts) = batch(41, 300);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let alone = tokenizer.encode_runs(&texts, &Special::Text, Some(1), &monitor);
        let alone = alone.expect("encodes");
        let some_are_taken = |threads, least| {
            let (mut all, mut taken) = (Vec::new(), 0);
            let between = |finished: &Finished| {
                if finished.ids() >= least {
                    let some = finished.take();
                    taken += some.len();
                    all.extend(some);
                }
                Ok(())
            };
            let (special, asked) = (&Special::Text, Some(threads));
            let rest = tokenizer.encode_runs_and(&texts, special, asked, &monitor, between);
            all.extend(rest.expect("encodes"));
            all.sort_unstable_by_key(|run| run.first);
            assert!(all.iter().flat_map(Run::rows).eq(alone.iter().flat_map(Run::rows)));
            taken > 0
        };
        for (threads, least) in [(2, 0), (3, 1), (7, 30_000)] {
            assert!(happens(|| some_are_taken(threads, least)), "{threads} threads, {least}");
        }
        assert!(!some_are_taken(1, 0), "one thread does nothing between");
        assert!(!some_are_taken(2, usize::MAX), "there are never so many ids");
    }

    #[test]
    fn an_error_between_ends_the_call() {
        let monitor = Monitor::new(&Nobody);
        let (tokenizer, texts) = batch(43, 100);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(happens(|| {
            let mut asked = false;
            let stop = |_: &Finished| {
                asked = true;
                Err(Error::Interrupted)
            };
            let done = tokenizer.encode_runs_and(&texts, &Special::Text, Some(2), &monitor, stop);
            assert_eq!(asked, matches!(done, Err(Error::Interrupted)));
            asked
        }));
    }
}
