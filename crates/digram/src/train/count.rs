//! Texts to word counts, on all cores.
//!
//! Small texts are shared out as they are; a large one is scanned from several places at once
//! (see `scan`). The counts are those of one scan from the beginning, whatever the threads.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::scan::Scan;
use super::tally::Tally;
use super::words::WordCounts;
use crate::components::added::Matcher;
use crate::components::{AddedToken, Normalizer, PreTokenizer, Rewriter, Unicode};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::{SplitCache, Splitter};
use crate::threads;

/// A text larger than two of these is cut; at 100 MB/s a part takes some 40 ms.
const PART: usize = 4 << 20;

/// Counts the words of texts.
pub struct Counter {
    splitter: Splitter,
    rewriter: Rewriter,
    specials: Option<Matcher>,
    threads: usize,
    part: usize,
    tally: Tally,
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
        Ok(Self {
            splitter: Splitter::for_training(pre_tokenizer)?,
            rewriter: Rewriter::new(normalizer, Unicode::default())?,
            specials: Matcher::new(specials.collect())?,
            threads: threads::available(asked),
            part: PART,
            tally: Tally::default(),
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
        let mut small = Vec::new();
        for section in sections {
            if section.text.len() > 2 * self.part {
                self.add_small(&std::mem::take(&mut small), monitor)?;
                self.add_large(&section, monitor)?;
            } else {
                small.push(section);
            }
        }
        self.add_small(&small, monitor)
    }

    /// How many distinct words there are so far.
    pub fn distinct(&self) -> usize {
        self.tally.len()
    }

    /// The counts, words in the order in which they were first seen.
    pub fn finish(self) -> Result<WordCounts> {
        let mut counts = WordCounts::default();
        for (word, count) in self.tally.in_order() {
            counts.push(word, count)?;
        }
        Ok(counts)
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

    /// Counts sections that are not cut, each thread taking a share after the other.
    fn add_small(&mut self, sections: &[Section], monitor: &Monitor) -> Result<()> {
        let bytes: usize = sections.iter().map(|section| section.text.len()).sum();
        let shares = shares(sections, (bytes / (4 * self.threads)).clamp(1, self.part));
        let next = AtomicUsize::new(0);
        let done = AtomicU64::new(sections.first().map_or(0, |section| section.place));
        let tallies = threads::run(self.threads.min(shares.len()), monitor, |_| {
            let (mut tally, mut cache) = (Tally::default(), SplitCache::default());
            while let Some(share) = shares.get(next.fetch_add(1, Ordering::Relaxed)) {
                for section in *share {
                    let length = section.text.len();
                    self.scan(section, monitor).run(0, length, &mut tally, &mut cache)?;
                    let done = done.fetch_add(length as u64, Ordering::Relaxed);
                    monitor.report("count", done, self.expected)?;
                }
            }
            Ok(tally)
        })?;
        tallies.iter().try_for_each(|tally| self.tally.merge(tally))
    }

    /// Counts one large section, in rounds of one part a thread.
    fn add_large(&mut self, section: &Section, monitor: &Monitor) -> Result<()> {
        let length = section.text.len();
        let mut tally = std::mem::take(&mut self.tally);
        let scan = self.scan(section, monitor);
        let mut position = 0;
        while position < length {
            let cut = |part: usize| section.text.ceil_char_boundary(position + part * self.part);
            let cuts: Vec<usize> = (0..=self.threads).map(cut).collect();
            let parts = threads::run(self.threads, monitor, |part| {
                scan.guess(cuts[part], cuts[part + 1], part == 0)
            })?;
            for (part, &to) in parts.iter().zip(&cuts[1..]) {
                position = scan.join(position, to, part, &mut tally)?;
            }
            monitor.report("count", section.place + position as u64, self.expected)?;
        }
        self.tally = tally;
        Ok(())
    }

    fn scan<'a>(&'a self, section: &'a Section, monitor: &'a Monitor) -> Scan<'a> {
        Scan { splitter: &self.splitter, text: &section.text, place: section.place, monitor }
    }
}

/// Sections in runs of some `bytes` each.
fn shares<'a, 'b>(sections: &'b [Section<'a>], bytes: usize) -> Vec<&'b [Section<'a>]> {
    let mut room = bytes;
    let chunk = |_: &Section, next: &Section| {
        let fits = room > next.text.len();
        room = if fits { room - next.text.len() } else { bytes };
        fits
    };
    sections.chunk_by(chunk).collect()
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
