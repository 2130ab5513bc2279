//! Many texts on all cores, their ids one behind the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::pipeline::Scratch;
use super::sink::list_for;
use super::{Special, Tokenizer};
use crate::arch::pages::advise_room;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::threads;

/// Text for which a further thread is worth its start, and which one takes at a time.
const BYTES_PER_THREAD: usize = 64 << 10;

/// A text, or what becomes one on the thread that encodes it.
pub trait Source: Sync {
    /// About how many bytes it has.
    fn size(&self) -> usize;

    /// The text, in `room` where it has to be made.
    fn text<'r>(&'r self, room: &'r mut String) -> Result<&'r str>;
}

impl Source for &str {
    fn size(&self) -> usize {
        self.len()
    }

    fn text<'r>(&'r self, _: &'r mut String) -> Result<&'r str> {
        Ok(self)
    }
}

/// The ids of many texts.
pub struct Flat {
    /// The ids, one text behind the other.
    pub ids: Vec<u32>,
    /// Where the ids of each text begin; the last is where all end.
    pub offsets: Vec<usize>,
}

/// Texts that follow each other, encoded by one thread: the first of them, and how many ids each
/// has.
pub struct Run {
    first: usize,
    counts: Vec<usize>,
    ids: Vec<u32>,
}

impl Run {
    /// The ids of each text.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        let mut rest = &self.ids[..];
        self.counts.iter().map(move |&count| {
            let (row, behind) = rest.split_at(count);
            rest = behind;
            row
        })
    }
}

impl Tokenizer {
    /// The ids of each text, in order. The result does not depend on the number of threads.
    pub fn encode_flat<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Flat> {
        joined(self.encode_runs(texts, special, asked, monitor)?, monitor)
    }

    /// The same, where the ids of all need not lie one behind the other.
    pub fn encode_runs<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Run>> {
        let bytes: usize = texts.iter().map(Source::size).sum();
        let useful = (1 + bytes / BYTES_PER_THREAD).min(texts.len());
        let there = if bytes < BYTES_PER_THREAD { 1 } else { threads::available(asked) };
        let workers = there.min(useful);
        let next = AtomicUsize::new(0);
        let starts = if workers > 1 { starts(texts) } else { vec![0, texts.len()] };
        // where there are more threads than runs, several work on one text
        let each = there / (starts.len() - 1).max(1);
        let runs = threads::run(workers, monitor, |_| {
            let mut scratch = self.scratch(each);
            let work = |scratch: &mut Scratch| {
                let (mut done, mut room) = (Vec::new(), String::new());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&[first, end]) = starts.get(index..index + 2) else { return Ok(done) };
                    let some = &texts[first..end];
                    let (ids, counts) =
                        self.encode_run(some, special, (&mut room, scratch), monitor)?;
                    done.push(Run { first, counts, ids });
                }
            };
            let done =
                if workers > 1 { self.among_many(&mut scratch, work) } else { work(&mut scratch) };
            // what a call that failed leaves in it is not for the next
            let done = done?;
            self.pool.give_back(scratch);
            Ok(done)
        })?;
        let mut runs: Vec<Run> = runs.into_iter().flatten().collect();
        runs.sort_unstable_by_key(|run| run.first);
        Ok(runs)
    }

    /// The ids of some texts, and how many each has.
    fn encode_run<S: Source>(
        &self,
        texts: &[S],
        special: &Special,
        (room, scratch): (&mut String, &mut Scratch),
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<usize>)> {
        let matchers = self.policies.matchers(special)?;
        let bytes: usize = texts.iter().map(Source::size).sum();
        let (mut ids, mut counts) = (list_for(bytes), Vec::new());
        for text in texts {
            let before = ids.len();
            let text = text.text(room)?;
            self.check(text, special)?;
            self.encode_with(text, &matchers, scratch, &mut ids, monitor)?;
            counts.push(ids.len() - before);
        }
        self.exchange(scratch, false);
        Ok((ids, counts))
    }
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

/// The ids of all runs; those of a single one are not copied.
fn joined(runs: Vec<Run>, monitor: &Monitor) -> Result<Flat> {
    let mut offsets = vec![0];
    let mut end = 0;
    for count in runs.iter().flat_map(|run| &run.counts) {
        end += count;
        offsets.push(end);
    }
    let ids = match <[Run; 1]>::try_from(runs) {
        Ok([only]) => only.ids,
        Err(runs) => {
            let mut ids = Vec::with_capacity(end);
            advise_room(&mut ids);
            for run in runs {
                monitor.check()?;
                ids.extend(run.ids);
            }
            ids
        }
    };
    Ok(Flat { ids, offsets })
}
