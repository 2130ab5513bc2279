//! One long text, encoded in several places at once.
//!
//! A thread that begins in the middle of a text does not know where a word begins there. It
//! guesses that one does, and notes where it finds borders. The thread before it, once it is past
//! that place, goes on to the next border of its own: if the other found that border too, both
//! are of one mind from there on, as words depend on the text and the place alone; what the other
//! found before it is dropped. Scans of real text agree within a few words. Where they do not,
//! the text is encoded on from the border that is sure until they do.

use std::sync::Mutex;

use super::Tokenizer;
use super::cutting::Parts;
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use super::words::TABLE_BYTES;
use crate::error::Result;
use crate::memory;
use crate::merge::cut::Cuts;
use crate::monitor::Monitor;
use crate::threads;

/// The least text that is worth a thread's start: 0.15 ms of ASCII, 0.6 ms of Chinese. With half as
/// much, two threads take somewhat longer for ASCII than one.
pub(super) const BYTES: usize = 128 << 10;
/// Borders that are noted one by one before they are noted once for each batch.
const NOTED: usize = 64;

/// What was found from a guessed border on.
struct Stretch {
    /// Borders, and how many ids lie before each.
    borders: Vec<(usize, usize)>,
    ids: Vec<u32>,
    /// The border at which it ends, behind the next stretch's beginning.
    end: usize,
}

impl Stretch {
    fn ids_from(&self, border: usize) -> Option<&[u32]> {
        let found = self.borders.binary_search_by_key(&border, |&(border, _)| border).ok()?;
        Some(&self.ids[self.borders[found].1..])
    }
}

/// How many threads may work on a text: what the caller asked for, or one per core.
pub(super) fn workers(bytes: usize, asked: Option<usize>) -> usize {
    // asking how many cores there are takes longer than encoding a short text
    if bytes < 2 * BYTES { 1 } else { threads::available(asked) }
}

/// How many threads a text is worth, of those that there are.
pub(super) fn useful(bytes: usize, workers: usize) -> usize {
    (bytes / BYTES).clamp(1, workers.max(1))
}

impl Tokenizer {
    /// Gives the ids of a text without added tokens to `sink`, encoded by several threads.
    pub(super) fn encode_at_once(
        &self,
        text: &str,
        workers: usize,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<()> {
        let border = |index: usize| text.floor_char_boundary(text.len() / workers * index);
        let stretches = self.run(workers, scratch, monitor, |index, scratch| {
            let to = if index + 1 == workers { text.len() } else { border(index + 1) };
            self.stretch(text, (border(index), to), scratch, monitor)
        })?;
        let mut position = 0;
        for stretch in &stretches {
            position = self.take_over(text, position, stretch, scratch, sink, monitor)?;
        }
        Ok(())
    }

    /// Runs `work` on threads. This one goes on with what it has, the others borrow: so it meets
    /// again the words of its last text's beginning, and of short texts between.
    pub(super) fn run<T: Send>(
        &self,
        workers: usize,
        scratch: &mut Scratch,
        monitor: &Monitor,
        work: impl Fn(usize, &mut Scratch) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let before = std::mem::replace(&mut scratch.workers, 1);
        let own = Mutex::new(&mut *scratch);
        let found = threads::run(workers, monitor, |index| {
            if index == 0 {
                let own = &mut own.lock().expect("no other thread has held it");
                return self.among_many(own, |scratch| work(0, scratch));
            }
            let mut scratch = self.scratch(1)?;
            let found = self.among_many(&mut scratch, |scratch| work(index, scratch))?;
            self.give_back(scratch);
            Ok(found)
        });
        scratch.workers = before;
        found
    }

    /// Runs `work`, whose ids follow each other in order, on threads: those of this one go into `sink`, and what
    /// the others find, room for so many ids each, is put behind them.
    pub(super) fn run_into<S: Sink>(
        &self,
        (workers, room): (usize, usize),
        scratch: &mut Scratch,
        sink: &mut S,
        monitor: &Monitor,
        work: impl Fn(usize, &mut Scratch, &mut S) -> Result<()> + Sync,
    ) -> Result<()> {
        if workers == 1 {
            return work(0, scratch, sink);
        }
        let first = Mutex::new(&mut *sink);
        let others = self.run(workers, scratch, monitor, |index, scratch| {
            if index == 0 {
                let sink = &mut **first.lock().expect("no other thread has held it");
                work(0, scratch, sink)?;
                return Ok(None);
            }
            let mut found = S::with_room(room)?;
            work(index, scratch, &mut found)?;
            Ok(Some(found))
        })?;
        others.into_iter().flatten().try_for_each(|found| sink.take_over(found))
    }

    /// Does `work` as one of several threads, which tell each other what they meet first.
    pub(super) fn among_many<T>(
        &self,
        scratch: &mut Scratch,
        work: impl FnOnce(&mut Scratch) -> Result<T>,
    ) -> Result<T> {
        let shares = self.table_bytes >= TABLE_BYTES;
        let before = std::mem::replace(&mut scratch.words.news.shares, shares);
        self.exchange(scratch, false);
        let found = work(scratch);
        self.exchange(scratch, true);
        scratch.words.news.shares = before;
        found
    }

    /// Hears what others have met, and tells what this thread has, where it is one of several.
    pub(super) fn exchange(&self, scratch: &mut Scratch, is_last: bool) {
        if scratch.words.news.shares {
            scratch.words.exchange(&self.board, is_last);
        }
    }

    /// Encodes the words that begin between `from` and `to`, as if a word began at `from`.
    fn stretch(
        &self,
        text: &str,
        (from, to): (usize, usize),
        scratch: &mut Scratch,
        monitor: &Monitor,
    ) -> Result<Stretch> {
        let mut ids = memory::list(self.density.room(to - from))?;
        let (mut position, mut borders) = (from, vec![(from, 0)]);
        scratch.lines.next = from;
        while position < to {
            monitor.check()?;
            // not where another thread may look for borders
            if from == 0 || borders.len() > NOTED {
                let end =
                    self.advance_by_lines(text, (position, to), scratch, &mut ids, monitor)?;
                if end > position {
                    position = end;
                    borders.push((position, ids.len()));
                    self.exchange(scratch, false);
                    continue;
                }
            }
            let (end, mut batch) = self.fill(text, position, scratch)?;
            let span = (position, end.min(to));
            if let Some(line) = self.note_lines(text, span, scratch) {
                batch.keep_before(line);
            }
            let words = Pieces::of(&batch);
            // the first border that is not before `to` is the last
            let used = words.ends.partition_point(|&end| (end as usize) < to);
            let used = words.len().min(used + 1);
            let single = if from > 0 { used.min(NOTED.saturating_sub(borders.len())) } else { 0 };
            for index in 0..single {
                let word = words.slice(index..index + 1);
                self.encode_pieces(text, word, scratch, &mut ids, monitor)?;
                borders.push((words.ends[index] as usize, ids.len()));
            }
            self.encode_pieces(text, words.slice(single..used), scratch, &mut ids, monitor)?;
            position = words.ends[used - 1] as usize;
            borders.push((position, ids.len()));
            scratch.batch = batch;
            self.exchange(scratch, false);
        }
        Ok(Stretch { borders, ids, end: position })
    }

    /// Takes what a stretch found from `position` on, where a word begins; returns where the next
    /// word begins.
    fn take_over(
        &self,
        text: &str,
        position: usize,
        stretch: &Stretch,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        let mut position = position;
        while position < stretch.end {
            if let Some(ids) = stretch.ids_from(position) {
                sink.reserve(ids.len())?;
                sink.ids(ids);
                return Ok(stretch.end);
            }
            monitor.check()?;
            let (_, batch) = self.fill(text, position, scratch)?;
            let words = Pieces::of(&batch);
            let agreed = |&end: &u32| {
                end as usize >= stretch.end || stretch.ids_from(end as usize).is_some()
            };
            let used = words.ends.iter().position(agreed).map_or(words.len(), |last| last + 1);
            self.encode_pieces(text, words.slice(0..used), scratch, sink, monitor)?;
            position = words.ends[used - 1] as usize;
            scratch.batch = batch;
        }
        Ok(position)
    }

    /// Gives the ids of a long word, which is no token, to `sink`: no merge crosses a cut.
    pub(super) fn encode_parts_at_once<S: Sink>(
        &self,
        word: &str,
        workers: usize,
        cuts: &Cuts,
        sink: &mut S,
        monitor: &Monitor,
    ) -> Result<()> {
        let cut = |index: usize| match index {
            0 => 0,
            index if index == workers => word.len(),
            index => {
                let near = word.floor_char_boundary(word.len() / workers * index);
                cuts.end_of_part(word, near)
            }
        };
        let found = threads::run(workers, monitor, |index| {
            let some = &word[cut(index)..cut(index + 1)];
            let room = self.density.room(some.len());
            let (mut scratch, mut found) = (self.scratch(1)?, S::with_room(room)?);
            let mut parts = Parts::default();
            self.among_many(&mut scratch, |scratch| {
                self.encode_parts(some, cuts, &mut parts, scratch, &mut found, monitor)
            })?;
            self.give_back(scratch);
            Ok(found)
        })?;
        found.into_iter().try_for_each(|some| sink.take_over(some))
    }
}
