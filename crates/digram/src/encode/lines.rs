//! Lines that were met before, with all their ids.
//!
//! What is encoded again mostly comes back line by line: the beginnings of prompts, what was said so far in a
//! chat, headers, templates. To look up a line takes a tenth of what its words take. But to remember one takes time
//! and memory, and most text is new. So of one line in eight, told by its hash, some bits are kept; only
//! while most of these are there when they are looked for, lines are looked up and remembered.
//!
//! A line ends where a word begins for certain and the words before do not depend on what follows (see
//! [`places`](crate::pretokenize)); so its ids are the same wherever it stands.

use std::mem::take;

use super::Tokenizer;
use super::long::{Long, LongWords, MAX_WORD};
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use super::spare::Spare;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::pretokenize::Line;

/// A line has so many bytes at least; shorter ones go together.
const LEAST: usize = 256;
/// Where more bytes than so many are met and no line ends, they are not looked at again.
const NOT_ENDED: usize = 2 * LEAST;
/// In a text with fewer bytes nothing is looked for.
const SHORT: usize = 1 << 10;
/// So many bytes are dealt with before it is asked whether to stop.
const AT_ONCE: usize = 16 << 10;
/// So many of the lines that are not known are encoded together at most.
const TOGETHER: usize = 32;

/// Places for what is kept of lines.
const PLACES: usize = 1 << 15;
/// One line of two to the power of so many is looked for.
const ONE_OF_BITS: u32 = 3;
/// After so many it is told anew whether lines come back.
const ASKED: u32 = 32;
/// So many of them came back, if most did.
const MOST: u32 = 28;
/// How many bytes of lines there may be at first.
const FIRST: usize = 256 << 10;
/// How many there may be at most, if no table of words needs them first.
const MOST_BYTES: usize = 4 << 20;
/// How often it is not told anew, where there was no memory.
const RESTS: u32 = 512;
/// So many bytes of lines are not remembered, where more bytes were missed than found since some were forgotten.
const LEFT_OUT: usize = 8 * MOST_BYTES;

/// What is known of the lines before.
#[derive(Default)]
pub struct Lines {
    /// Some bits of the hashes of lines, by others; empty before there are any.
    met: Vec<u16>,
    /// How many lines were looked for, and how many of them were there.
    asked: u32,
    back: u32,
    /// Whether most came back.
    expected: bool,
    /// How often it is not told anew.
    rests: u32,
    known: Option<Known>,
    /// Where the line begins of which not all was met.
    next: usize,
    /// How many lines that are not known are encoded together.
    together: usize,
    ids: Vec<u32>,
}

/// The lines that are remembered.
struct Known {
    lines: LongWords,
    /// How many bytes of lines were found and not found since some were forgotten, or left out.
    found: usize,
    missed: usize,
    /// How many bytes are not remembered, and whether that was so before.
    left_out: usize,
    stayed: bool,
}

impl Known {
    /// No lines, if there is memory for some.
    fn new(spare: &mut Spare) -> Option<Self> {
        let lines = spare.take(FIRST).then(|| LongWords::growing([FIRST, MOST_BYTES]))?;
        Some(Self { lines, found: 0, missed: 0, left_out: 0, stayed: false })
    }

    /// Remembers a line that was not known. What comes back in turn, and is more than there is room for, would drive
    /// out all of it before it comes: then what is there stays for long.
    fn remember(&mut self, line: Long, ids: &[u32], spare: &mut Spare) {
        self.missed += line.len();
        if self.left_out > 0 {
            self.left_out = self.left_out.saturating_sub(line.len());
            return;
        }
        if self.lines.knows(line) || self.lines.put(line, ids, false, spare) {
            return;
        }
        self.stayed = !self.stayed && self.found < self.missed;
        if self.stayed {
            self.left_out = LEFT_OUT;
        } else {
            self.lines.put(line, ids, true, spare);
        }
        (self.found, self.missed) = (0, 0);
    }
}

impl Lines {
    /// Whether lines are looked up.
    pub fn are_expected(&self) -> bool {
        self.expected
    }

    /// Notes that a line was met, by its hash.
    #[inline]
    fn note(&mut self, hash: u64, spare: &mut Spare) {
        if hash >> (u64::BITS - ONE_OF_BITS) == 0 {
            self.note_one(hash, spare);
        }
    }

    fn note_one(&mut self, hash: u64, spare: &mut Spare) {
        let bits = (hash >> 40) as u16 | 1;
        self.met.resize(PLACES, 0);
        let place = &mut self.met[hash as usize % PLACES];
        self.back += u32::from(std::mem::replace(place, bits) == bits);
        self.asked += 1;
        if self.asked == ASKED {
            self.tell(spare);
        }
    }

    /// Tells whether lines come back.
    #[cold]
    fn tell(&mut self, spare: &mut Spare) {
        let most = self.back >= MOST;
        (self.asked, self.back) = (0, 0);
        self.rests = self.rests.saturating_sub(1);
        if most && self.known.is_none() && self.rests == 0 {
            self.known = Known::new(spare);
            self.rests = if self.known.is_none() { RESTS } else { 0 };
        }
        self.expected = most && self.known.is_some() && self.rests == 0;
    }

    /// Appends the ids of a line, and tells whether they are known; notes that it was met if they are.
    fn find(&mut self, line: Long, spare: &mut Spare) -> bool {
        let Some(known) = &mut self.known else { return false };
        if !known.lines.find(line, spare, &mut self.ids) {
            return false;
        }
        known.found += line.len();
        self.note(line.hash(), spare);
        true
    }

    fn knows(&self, line: Long) -> bool {
        self.known.as_ref().is_some_and(|known| known.lines.knows(line))
    }

    /// Notes that lines were met that were not known, and remembers them: the first begins at `start`, and the ids
    /// of each end where `counts` say.
    fn remember(
        &mut self,
        text: &str,
        mut start: usize,
        lines: &[Line],
        counts: &[usize],
        spare: &mut Spare,
    ) {
        let mut first = 0;
        for (line, &end) in lines.iter().zip(counts) {
            let long = long(text, start, line);
            self.note(long.hash(), spare);
            if let Some(known) = &mut self.known {
                known.remember(long, &self.ids[first..end], spare);
            }
            (start, first) = (line.end, end);
        }
    }
}

fn long<'a>(text: &'a str, start: usize, line: &Line) -> Long<'a> {
    Long::new(&text.as_bytes()[start..line.end], line.before_blanks)
}

impl Tokenizer {
    /// Encodes the next words of a text, from `position` on, or lines if they come back; returns where to go on.
    pub(super) fn advance(
        &self,
        text: &str,
        position: usize,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        let end = self.advance_by_lines(text, (position, text.len()), scratch, sink, monitor)?;
        if end > position {
            return Ok(end);
        }
        let (end, batch) = self.fill(text, position, scratch)?;
        let words = Pieces::of(&batch);
        if self.encodes_many() {
            self.encode_pieces(text, words, scratch, sink, monitor)?;
        } else {
            self.encode_one_by_one(text, words, scratch, sink, monitor)?;
        }
        scratch.batch = batch;
        self.note_lines(text, (position, end), scratch);
        Ok(end)
    }

    /// Encodes lines from `position` on and up to `limit`, if they come back; returns where to go on.
    pub(super) fn advance_by_lines(
        &self,
        text: &str,
        (position, limit): (usize, usize),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        if !(scratch.lines.are_expected() && self.has_lines(text)) {
            return Ok(position);
        }
        let mut lines = take(&mut scratch.lines);
        let end = self.encode_lines(text, (position, limit), &mut lines, scratch, sink, monitor)?;
        scratch.lines = lines;
        if end > position {
            scratch.lines.next = end;
        }
        Ok(end)
    }

    /// Whether lines of a text may be looked up.
    fn has_lines(&self, text: &str) -> bool {
        text.len() >= SHORT && self.encodes_many() && self.splitter.ends_lines()
    }

    /// Notes the lines of a text that end between `position` and `end`.
    pub(super) fn note_lines(
        &self,
        text: &str,
        (position, end): (usize, usize),
        scratch: &mut Scratch,
    ) {
        if !self.has_lines(text) {
            return;
        }
        let Scratch { lines, words, .. } = scratch;
        // a line that began before
        let began = if position == 0 { 0 } else { lines.next.min(position) };
        let mut start = if position - began < NOT_ENDED { began } else { position };
        while let Some(line) = self.splitter.line(text, start, [LEAST, MAX_WORD], end) {
            lines.note(long(text, start, &line).hash(), &mut words.spare);
            start = line.end;
        }
        lines.next = start;
    }

    /// Encodes lines that are known, or some that are not; returns where the last ends.
    fn encode_lines(
        &self,
        text: &str,
        (position, limit): (usize, usize),
        lines: &mut Lines,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        lines.ids.clear();
        let line_at = |start| self.splitter.line(text, start, [LEAST, MAX_WORD], limit);
        let (mut end, mut next) = (position, line_at(position));
        while let Some(line) = &next
            && end < position + AT_ONCE
            && lines.find(long(text, end, line), &mut scratch.words.spare)
        {
            end = line.end;
            next = line_at(end);
        }
        let Some(line) = next.filter(|_| end == position) else {
            lines.together = 1;
            sink.reserve(lines.ids.len())?;
            sink.ids(&lines.ids);
            return Ok(end);
        };
        lines.together = (2 * lines.together).clamp(1, TOGETHER);
        end = line.end;
        let mut unknown = vec![line];
        while unknown.len() < lines.together
            && end < position + AT_ONCE
            && let Some(line) = line_at(end)
            && !lines.knows(long(text, end, &line))
        {
            end = line.end;
            unknown.push(line);
        }
        self.encode_new_lines(text, position, &unknown, lines, scratch, monitor)?;
        sink.reserve(lines.ids.len())?;
        sink.ids(&lines.ids);
        Ok(end)
    }

    /// Encodes lines that are not known, the first of which begins at `position`, and remembers them.
    fn encode_new_lines(
        &self,
        text: &str,
        position: usize,
        unknown: &[Line],
        lines: &mut Lines,
        scratch: &mut Scratch,
        monitor: &Monitor,
    ) -> Result<()> {
        let Some(last) = unknown.last() else { return Ok(()) };
        scratch.words.rows.begin_at(unknown.iter().map(|line| line.end as u32));
        let (seen, mut at) = (&text[..last.seen], position);
        while at < last.end {
            let (_, mut batch) = self.fill(seen, at, scratch)?;
            at = batch.keep_before(last.end);
            self.encode_pieces(seen, Pieces::of(&batch), scratch, &mut lines.ids, monitor)?;
            scratch.batch = batch;
        }
        scratch.words.rows.close_all(&mut lines.ids);
        let counts = take(&mut scratch.words.rows.counts);
        lines.remember(text, position, unknown, &counts, &mut scratch.words.spare);
        scratch.words.rows.counts = counts;
        scratch.words.rows.counts.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
