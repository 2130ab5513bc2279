//! Texts to word counts, on all cores.
//!
//! Small texts are shared out as they are. A large one is cut where a word begins for certain; if
//! there are no such places, it is scanned from several guessed ones at once (see `scan`). The
//! counts are those of one scan from the beginning, whatever the threads.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::scan::{Room, Scan};
use super::tally::Tally;
use super::words::WordCounts;
use crate::components::added::Matcher;
use crate::components::{AddedToken, Normalizer, PreTokenizer, Rewriter, Unicode};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::{SplitCache, Splitter};
use crate::threads;

/// A text larger than two of these is cut; a part takes some 5 ms.
const PART: usize = 1 << 20;
/// A guessed part is so many times as large, as its counts are added up on their own.
const GUESSED: usize = 4;

/// Counts the words of texts.
pub struct Counter {
    splitter: Splitter,
    rewriter: Rewriter,
    specials: Option<Matcher>,
    threads: usize,
    part: usize,
    /// What each thread counted, and its room.
    workers: Vec<Mutex<(Tally, Room)>>,
    /// Bytes seen so far: where the next text begins.
    seen: u64,
    /// Bytes to come in all, as far as known; for progress only.
    expected: u64,
}

/// A stretch of text between special tokens, normalized.
struct Section<'a> {
    text: Cow<'a, str>,
    place: u64,
}

/// A part of a section; a word begins where it does, and where the next does.
struct Share<'a> {
    section: &'a Section<'a>,
    from: usize,
    to: usize,
}

impl Counter {
    /// A counter. Special tokens are cut out of the texts and not counted.
    pub fn new(
        pre_tokenizer: Option<&PreTokenizer>,
        normalizer: Option<&Normalizer>,
        special_tokens: &[String],
        asked: Option<usize>,
    ) -> Result<Self> {
        let specials = special_tokens.iter().map(|content| AddedToken {
            id: 0,
            content: content.clone(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: true,
        });
        let threads = threads::available(asked);
        Ok(Self {
            splitter: Splitter::for_training(pre_tokenizer)?,
            rewriter: Rewriter::new(normalizer, Unicode::default())?,
            specials: Matcher::new(specials.collect())?,
            threads,
            part: PART,
            workers: (0..threads).map(|_| Mutex::default()).collect(),
            seen: 0,
            expected: 0,
        })
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

    /// Counts the words of `texts`.
    pub fn add(&mut self, texts: &[&str], monitor: &Monitor) -> Result<()> {
        let mut sections = Vec::new();
        for text in texts {
            self.cut_out(text, &mut sections)?;
            self.seen += text.len() as u64;
        }
        let mut shares = Vec::new();
        for section in &sections {
            if !self.cut(section, &mut shares) {
                self.add_shares(&std::mem::take(&mut shares), monitor)?;
                self.add_guessed(section, monitor)?;
            }
        }
        self.add_shares(&shares, monitor)
    }

    /// The counts, words in the order in which they were first seen.
    pub fn finish(self) -> Result<WordCounts> {
        let mut total = Tally::default();
        for worker in self.workers {
            let (tally, _) = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
            total.merge(tally);
        }
        total.into_counts()
    }

    fn cut_out<'a>(&self, text: &'a str, sections: &mut Vec<Section<'a>>) -> Result<()> {
        let mut cache = SplitCache::default();
        let mut keep = |start: usize, end: usize| -> Result<()> {
            let part = self.rewriter.normalize(&text[start..end])?;
            let prepared = self.splitter.prepare(part, start == 0, &mut cache)?;
            for (inside, text) in prepared.into_texts() {
                sections.push(Section { text, place: self.seen + (start + inside) as u64 });
            }
            Ok(())
        };
        match &self.specials {
            None => keep(0, text.len())?,
            Some(matcher) => matcher.sections(text, |section| {
                if section.id.is_none() {
                    keep(section.start, section.end)?;
                }
                Ok(())
            })?,
        }
        Ok(())
    }

    /// Adds a section's parts to `shares`, unless it has too few places to be cut.
    fn cut<'a>(&self, section: &'a Section, shares: &mut Vec<Share<'a>>) -> bool {
        let length = section.text.len();
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
        let done = AtomicU64::new(shares.first().map_or(0, |share| share.section.place));
        threads::run(self.threads.min(runs.len()), monitor, |worker| {
            let mut worker = self.workers[worker].lock().unwrap_or_else(PoisonError::into_inner);
            let (tally, room) = &mut *worker;
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                for share in *run {
                    self.scan(share.section, monitor).run(share.from, share.to, tally, room)?;
                    let done = done.fetch_add(share.len() as u64, Ordering::Relaxed);
                    monitor.report("count", done, self.expected)?;
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Counts one large section, in rounds of one part a thread.
    fn add_guessed(&mut self, section: &Section, monitor: &Monitor) -> Result<()> {
        let (length, size) = (section.text.len(), GUESSED * self.part);
        let worker = std::mem::take(&mut self.workers[0]);
        let (mut tally, room) = worker.into_inner().unwrap_or_else(PoisonError::into_inner);
        let scan = self.scan(section, monitor);
        let mut position = 0;
        while position < length {
            let cut = |part: usize| section.text.ceil_char_boundary(position + part * size);
            let cuts: Vec<usize> = (0..=self.threads).map(cut).collect();
            let parts = threads::run(self.threads, monitor, |part| {
                scan.guess(cuts[part], cuts[part + 1], part == 0)
            })?;
            for (part, &to) in parts.into_iter().zip(&cuts[1..]) {
                position = scan.join(position, to, part, &mut tally)?;
            }
            monitor.report("count", section.place + position as u64, self.expected)?;
        }
        self.workers[0] = Mutex::new((tally, room));
        Ok(())
    }

    fn scan<'a>(&'a self, section: &'a Section, monitor: &'a Monitor) -> Scan<'a> {
        Scan { splitter: &self.splitter, text: &section.text, place: section.place, monitor }
    }
}

impl Share<'_> {
    fn len(&self) -> usize {
        self.to - self.from
    }
}

/// Shares in runs of some `bytes` each.
fn runs<'a, 'b>(shares: &'b [Share<'a>], bytes: usize) -> Vec<&'b [Share<'a>]> {
    let mut room = bytes;
    let chunk = |_: &Share, next: &Share| {
        let fits = room > next.len();
        room = if fits { room - next.len() } else { bytes };
        fits
    };
    shares.chunk_by(chunk).collect()
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
