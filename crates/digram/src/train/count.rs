//! Texts to word counts, on all cores.
//!
//! Small texts are shared out as they are. A large one is cut where a word begins for certain; if
//! there are no such places, it is scanned from several guessed ones at once (see `scan`). The
//! counts are those of one scan from the beginning, whatever the threads.

use std::borrow::Cow;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::distinct::Distinct;
use super::gather::gather;
use super::scan::{Room, Scan, run_short};
use super::shares::{Section, Share, runs, together};
use super::spill::{Budget, Spilled, gather_spilled};
use super::tally::Tally;
use super::windows::Cuts;
use super::words::WordCounts;
use crate::components::added::Matcher;
use crate::components::{Normalizer, PreTokenizer, Rewriter, Unicode, special};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::{SplitCache, Splitter};
use crate::threads;

/// A text larger than two of these is cut; a part takes some 1 ms.
const PART: usize = 1 << 18;
/// A guessed part is so many times as large, as its counts are added up on their own.
const GUESSED: usize = 16;

/// After so many bytes all threads are waited for, to tell what they have. Two take some 100 ms.
const STRETCH: usize = 1 << 26;
/// How often the distinct words are told at most. Looking through a thread's hot table takes 30 µs.
const TELLING: Duration = Duration::from_millis(100);

/// Text by whose words one can tell whether the pattern splits it.
const ENOUGH: u64 = 1 << 20;
/// Words so long on average are hardly split: those of Chinese, by a pattern for blanks, have some
/// 30 bytes, those of other languages five.
const LONG: u64 = 100;

/// Counts the words of texts.
pub struct Counter {
    splitter: Arc<Splitter>,
    rewriter: Rewriter,
    specials: Option<Matcher>,
    /// Where a text may be cut.
    cuts: Arc<Cuts>,
    threads: usize,
    part: usize,
    /// What each thread counted.
    workers: Vec<Mutex<Worker>>,
    /// How much memory that may take.
    budget: Option<Budget>,
    /// Bytes of text seen so far.
    seen: u64,
    /// The same, normalized: where the next section begins.
    place: u64,
    /// Bytes to come in all, as far as known; for progress only.
    expected: u64,
    /// The distinct words that were told, and when.
    distinct: Distinct,
    told: Option<Instant>,
    has_warned: bool,
}

/// What a thread counted.
#[derive(Default)]
struct Worker {
    tally: Tally,
    room: Room,
    /// What there was no room for, and how many words that was.
    spilled: Option<Spilled>,
    words: u64,
    distinct: Distinct,
}

impl Counter {
    /// A counter. Special tokens are cut out of the texts and not counted.
    pub fn new(
        pre_tokenizer: Option<&PreTokenizer>,
        normalizer: Option<&Normalizer>,
        special_tokens: &[String],
        asked: Option<usize>,
    ) -> Result<Self> {
        let specials = special_tokens.iter().map(|content| special(0, content));
        let threads = threads::available(asked);
        let splitter = Arc::new(Splitter::for_training(pre_tokenizer)?);
        Ok(Self {
            cuts: Arc::new(Cuts::new(&splitter, normalizer.is_none(), special_tokens)),
            splitter,
            rewriter: Rewriter::new(normalizer, Unicode::default())?,
            specials: Matcher::new(specials.collect())?,
            threads,
            part: PART,
            workers: (0..threads).map(|_| Mutex::default()).collect(),
            budget: None,
            seen: 0,
            place: 0,
            expected: 0,
            distinct: Distinct::default(),
            told: None,
            has_warned: false,
        })
    }

    /// The same counter, holding at most so many bytes of words and tables; the rest goes to the
    /// folder of temporary files and comes back at the end. Nobody can observe it otherwise.
    ///
    /// Fails where that is too little to work with, or the folder takes no file.
    pub fn with_memory(mut self, bytes: u64) -> Result<Self> {
        let budget = Budget::new(bytes, self.threads)?;
        for worker in each(&mut self.workers) {
            worker.spilled = Some(budget.file()?);
        }
        self.budget = Some(budget);
        Ok(self)
    }

    /// How many bytes went to temporary files so far.
    pub fn spilled(&mut self) -> u64 {
        each(&mut self.workers)
            .filter_map(|worker| worker.spilled.as_ref())
            .map(Spilled::bytes)
            .sum()
    }

    /// The same counter, cutting large texts into parts of `bytes`; nobody can observe it.
    #[must_use]
    pub fn with_part(mut self, bytes: usize) -> Self {
        self.part = bytes.max(1);
        self
    }

    /// Tells how many bytes will come in all, for progress.
    pub fn expect(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    /// Where a text may be cut into stretches that are counted one after the other.
    pub(super) fn cuts(&self) -> Arc<Cuts> {
        Arc::clone(&self.cuts)
    }

    /// How many threads count.
    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Counts the words of `texts`.
    pub fn add(&mut self, texts: &[&str], monitor: &Monitor) -> Result<()> {
        let mut sections = Vec::new();
        for text in texts {
            self.cut_out(text, text.len(), &mut sections)?;
        }
        self.add_sections(&sections, monitor)
    }

    /// Counts the words of `text` up to a place that its [`cuts`](Self::cuts) tell.
    pub(super) fn add_before(&mut self, text: &str, to: usize, monitor: &Monitor) -> Result<()> {
        let mut sections = Vec::new();
        self.cut_out(text, to, &mut sections)?;
        self.add_sections(&sections, monitor)
    }

    fn add_sections(&mut self, sections: &[Section], monitor: &Monitor) -> Result<()> {
        let mut shares = Vec::new();
        for section in sections {
            if !self.cut(section, &mut shares) {
                self.add_shares(&std::mem::take(&mut shares), monitor)?;
                self.add_guessed(section, monitor)?;
                self.tell_distinct(monitor)?;
            }
        }
        for some in runs(&shares, STRETCH) {
            self.add_shares(some, monitor)?;
            self.tell_distinct(monitor)?;
        }
        self.warn_of_long_words(monitor)?;
        monitor.finish("count", self.seen, self.expected)
    }

    /// Tells how many distinct words there are so far, unless that was told lately.
    fn tell_distinct(&mut self, monitor: &Monitor) -> Result<()> {
        if self.told.is_some_and(|told| told.elapsed() < TELLING) {
            return Ok(());
        }
        for worker in each(&mut self.workers) {
            self.distinct.take_from(&mut worker.distinct);
            worker.tally.note(&mut self.distinct);
        }
        self.told = Some(Instant::now());
        monitor.finish("distinct", self.distinct.words(), 0)
    }

    /// Warns once of a text that the pattern hardly splits, as soon as there is enough to tell.
    fn warn_of_long_words(&mut self, monitor: &Monitor) -> Result<()> {
        if self.has_warned || self.seen < ENOUGH {
            return Ok(());
        }
        let words: u64 =
            each(&mut self.workers).map(|worker| worker.words + worker.tally.words).sum();
        let length = self.seen / words.max(1);
        if length < LONG {
            return Ok(());
        }
        self.has_warned = true;
        monitor.warn(&format!(
            "words are {length} bytes long on average, so hardly one comes twice: counting them \
             takes much memory, and learning much time; choose a pattern that splits this text \
             into shorter words"
        ))
    }

    /// The counts, words in the order in which they were first seen.
    pub fn finish(self, monitor: &Monitor) -> Result<WordCounts> {
        let counts = self.gathered(monitor)?;
        let words = counts.len() as u64;
        monitor.finish("distinct", words, words)?;
        Ok(counts)
    }

    fn gathered(mut self, monitor: &Monitor) -> Result<WordCounts> {
        let has_spilled = self.spilled() > 0;
        let own =
            |worker: Mutex<Worker>| worker.into_inner().unwrap_or_else(PoisonError::into_inner);
        let workers: Vec<Worker> = self.workers.into_iter().map(own).collect();
        let held = workers.iter().map(|worker| worker.tally.bytes()).sum();
        let has_room = |budget: &Budget| !has_spilled && budget.has_room_to_gather(held);
        let Some(budget) = self.budget.filter(|budget| !has_room(budget)) else {
            let tallies = workers.into_iter().map(|worker| worker.tally).collect();
            return gather(tallies, self.threads, monitor);
        };
        let workers: Vec<_> = workers.into_iter().map(Mutex::new).collect();
        let spilled = threads::run(self.threads, monitor, |worker| {
            let mut worker = workers[worker].lock().unwrap_or_else(PoisonError::into_inner);
            worker.spill(monitor)?;
            Ok(worker.spilled.take())
        })?;
        let spilled = spilled.into_iter().flatten().collect();
        gather_spilled(spilled, &budget, self.threads, monitor)
    }

    /// Adds the sections of `text` that begin before `to`.
    fn cut_out<'a>(
        &mut self,
        text: &'a str,
        to: usize,
        sections: &mut Vec<Section<'a>>,
    ) -> Result<()> {
        let mut cache = SplitCache::default();
        let Self { rewriter, splitter, specials, place, seen, .. } = self;
        let mut keep = |start: usize, end: usize| -> Result<()> {
            if start >= to {
                return Ok(());
            }
            let part = rewriter.normalize(&text[start..end])?;
            let mut keep = |inside: usize, text: Cow<'a, str>| {
                // only a text that is counted as it is is cut
                let to = if to < end { to - start } else { text.len() };
                sections.push(Section {
                    text,
                    place: *place,
                    read: *seen + (start + inside) as u64,
                    to,
                });
                *place += to as u64;
            };
            if splitter.rewrites() {
                let is_first = start == 0
                    && (!splitter.asks_for_first() || rewriter.keeps_beginning(&text[..end])?);
                let prepared = splitter.prepare(part, is_first, &mut cache)?;
                prepared.into_texts().into_iter().for_each(|(inside, text)| keep(inside, text));
            } else if !part.is_empty() {
                keep(0, part);
            }
            Ok(())
        };
        match specials {
            None => keep(0, text.len())?,
            Some(matcher) => matcher.sections(text, &Monitor::silent(), |section| {
                if section.id.is_none() {
                    keep(section.start, section.end)?;
                }
                Ok(())
            })?,
        }
        self.seen += to as u64;
        Ok(())
    }

    /// Adds a section's parts to `shares`, unless it has too few places to be cut.
    fn cut<'a>(&self, section: &'a Section, shares: &mut Vec<Share<'a>>) -> bool {
        let length = section.to;
        let (before, mut from) = (shares.len(), 0);
        while length - from > 2 * self.part {
            let least = from + self.part;
            let Some(to) = self.splitter.certain_place(&section.text, least, least + self.part)
            else {
                shares.truncate(before);
                return false;
            };
            shares.push(Share { section, from, to });
            from = to;
        }
        shares.push(Share { section, from, to: length });
        true
    }

    /// Counts shares, each thread taking some after the other.
    fn add_shares(&mut self, shares: &[Share], monitor: &Monitor) -> Result<()> {
        let bytes: usize = shares.iter().map(Share::len).sum();
        let runs = runs(shares, (bytes / (4 * self.threads)).clamp(1, self.part));
        let next = AtomicUsize::new(0);
        let done = AtomicU64::new(shares.first().map_or(0, Share::read));
        threads::run(self.threads.min(runs.len()), monitor, |worker| {
            let mut worker = self.workers[worker].lock().unwrap_or_else(PoisonError::into_inner);
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                for some in together(run, self.splitter.words_are_apart()) {
                    self.count(some, &mut worker, monitor)?;
                    worker.keep_within(self.budget.as_ref(), monitor)?;
                    let bytes: usize = some.iter().map(Share::len).sum();
                    let done = done.fetch_add(bytes as u64, Ordering::Relaxed);
                    monitor.report("count", done, self.expected)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Counts shares that are one, or several short texts.
    fn count(&self, some: &[Share], worker: &mut Worker, monitor: &Monitor) -> Result<()> {
        let Worker { tally, room, .. } = worker;
        if let [share] = some {
            self.scan(share.section, monitor).run(share.from, share.to, tally, room)?;
            return Ok(());
        }
        let texts = some.iter().map(|share| &*share.section.text);
        run_short(&self.splitter, texts, some[0].section.place, tally, room, monitor)
    }

    /// Counts one large section, in rounds of one part a thread.
    fn add_guessed(&mut self, section: &Section, monitor: &Monitor) -> Result<()> {
        let (length, size) = (section.to, GUESSED * self.part);
        let worker = std::mem::take(&mut self.workers[0]);
        let mut worker = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
        let scan = self.scan(section, monitor);
        let mut position = 0;
        while position < length {
            let cut =
                |part: usize| section.text.ceil_char_boundary(position + part * size).min(length);
            let cuts: Vec<usize> = (0..=self.threads).map(cut).collect();
            let parts = threads::run(self.threads, monitor, |part| {
                scan.guess(cuts[part], cuts[part + 1], part == 0)
            })?;
            for (part, &to) in parts.into_iter().zip(&cuts[1..]) {
                position = scan.join(position, to, part, &mut worker.tally)?;
                worker.keep_within(self.budget.as_ref(), monitor)?;
            }
            monitor.report("count", section.read + position as u64, self.expected)?;
        }
        self.workers[0] = Mutex::new(worker);
        Ok(())
    }

    fn scan<'a>(&'a self, section: &'a Section, monitor: &'a Monitor) -> Scan<'a> {
        Scan { splitter: &self.splitter, text: &section.text, place: section.place, monitor }
    }
}

impl Worker {
    /// Puts what was counted into a file, if it has become too much.
    fn keep_within(&mut self, budget: Option<&Budget>, monitor: &Monitor) -> Result<()> {
        if budget.is_some_and(|budget| budget.is_exceeded_by(&self.tally)) {
            self.spill(monitor)?;
        }
        Ok(())
    }

    fn spill(&mut self, monitor: &Monitor) -> Result<()> {
        self.tally.note(&mut self.distinct);
        let tally = std::mem::take(&mut self.tally);
        self.words += tally.words;
        self.spilled.as_mut().map_or(Ok(()), |spilled| spilled.put(tally, monitor))
    }
}

/// The workers, while none of them works.
fn each(workers: &mut [Mutex<Worker>]) -> impl Iterator<Item = &mut Worker> {
    workers.iter_mut().map(|worker| worker.get_mut().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
