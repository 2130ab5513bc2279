//! Lines of a text, or of a long word of it, encoded whole where they come back.
//!
//! Where a text is split, a line ends where a word begins for certain; where nothing splits it, at a place that no
//! merge crosses ([`cut`](crate::merge::cut)): behind a newline, or before a space where none is near.

use std::mem::take;
use std::ops::RangeInclusive;

use super::Tokenizer;
use super::lines::Lines;
use super::long::{Long, MAX_WORD};
use super::pieces::Pieces;
use super::pipeline::Scratch;
use super::sink::Sink;
use crate::error::Result;
use crate::merge::cut::Cuts;
use crate::monitor::Monitor;
use crate::pretokenize::{Bounds, Line, STOP, VISIBLE_SPACE, line_of};

/// How many bytes a line has at least, by where it begins: shorter ones go together.
const LEAST: RangeInclusive<usize> = 256..=1 << 10;
/// Where more bytes than so many are met and no line ends, they are not looked at again.
const NOT_ENDED: usize = MAX_WORD;
/// In a text with fewer bytes nothing is looked for.
const SHORT: usize = 1 << 10;
/// So many bytes are dealt with before it is asked whether to stop.
const AT_ONCE: usize = 16 << 10;
/// So many of the lines that are not known are encoded together at most.
const TOGETHER: usize = 32;

/// How many bytes the line that begins there has. What is long is looked up sooner, but comes back as a whole alone, short
/// texts have no room for it, and where the beginning has changed, lines take longer to end where they did before.
fn bounds(from: usize) -> Bounds {
    let least = (from / 16).clamp(*LEAST.start(), *LEAST.end());
    Bounds { least, near: (2 * least).max(1 << 10), most: MAX_WORD }
}

/// Where lines end, and how those that are not known are encoded.
trait Lined {
    /// The line that begins at `from`, where one does, if it ends before `limit`.
    fn line(&self, text: &str, from: usize, limit: usize) -> Option<Line>;

    /// Gives the ids from one place up to the end of a line to `ids`.
    fn encode(
        &self,
        text: &str,
        from: usize,
        last: &Line,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()>;
}

/// Lines of words.
struct ByWords<'a>(&'a Tokenizer);

impl Lined for ByWords<'_> {
    fn line(&self, text: &str, from: usize, limit: usize) -> Option<Line> {
        self.0.splitter.line(text, from, &bounds(from), limit)
    }

    fn encode(
        &self,
        text: &str,
        from: usize,
        last: &Line,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let (seen, mut at) = (&text[..last.seen], from);
        while at < last.end {
            let (_, mut batch) = self.0.fill(seen, at, scratch)?;
            at = batch.keep_before(last.end);
            self.0.encode_pieces(seen, Pieces::of(&batch), scratch, ids, monitor)?;
            scratch.batch = batch;
        }
        Ok(())
    }
}

/// Lines of parts of a long word.
struct ByCuts<'a>(&'a Tokenizer, &'a Cuts);

impl Lined for ByCuts<'_> {
    fn line(&self, word: &str, from: usize, limit: usize) -> Option<Line> {
        let cut_at = |end: usize| {
            // of the two characters there alone: a part may go on for long
            let seen = &word[..word.ceil_char_boundary(end + 1)];
            let before = word.floor_char_boundary(end - 1);
            let is_cut = end < word.len() && self.1.end_of_part(seen, before) == end;
            is_cut.then_some(Line { end, seen: end })
        };
        let behind = |newline| cut_at(newline + 1);
        let signs = ([&VISIBLE_SPACE, &STOP], cut_at);
        line_of(word, (from, limit), &bounds(from), behind, signs)
    }

    fn encode(
        &self,
        word: &str,
        from: usize,
        last: &Line,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let (word, mut at) = (&word[..last.end], from);
        let mut parts = take(&mut scratch.parts);
        while at < last.end {
            parts.clear();
            at = parts.add_cut(word, 0, at, self.1);
            self.0.look_up(word, parts.pieces(), scratch, ids, monitor)?;
        }
        scratch.parts = parts;
        Ok(())
    }
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
        let (mut end, mut batch) = self.fill(text, position, scratch)?;
        if let Some(line) = self.note_lines(text, (position, end), scratch) {
            end = batch.keep_before(line);
        }
        let words = Pieces::of(&batch);
        if self.encodes_many() {
            self.encode_pieces(text, words, scratch, sink, monitor)?;
        } else {
            self.encode_one_by_one(text, words, scratch, sink, monitor)?;
        }
        scratch.batch = batch;
        Ok(end)
    }

    /// Encodes lines from `position` on and up to `limit`, if they come back; returns where to go on.
    pub(super) fn advance_by_lines(
        &self,
        text: &str,
        span: (usize, usize),
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        if !self.has_lines(text) {
            return Ok(span.0);
        }
        encode_lines(&ByWords(self), text, span, scratch, sink, monitor)
    }

    /// The same of a long word: it ends at a cut.
    pub(super) fn advance_by_lines_of_parts(
        &self,
        word: &str,
        position: usize,
        cuts: &Cuts,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
        monitor: &Monitor,
    ) -> Result<usize> {
        if !self.has_lines_of_parts(word, scratch) {
            return Ok(position);
        }
        encode_lines(&ByCuts(self, cuts), word, (position, word.len()), scratch, sink, monitor)
    }

    /// Whether lines of a text may be looked up.
    fn has_lines(&self, text: &str) -> bool {
        text.len() >= SHORT && self.encodes_many() && self.splitter.ends_lines()
    }

    /// Whether lines of a long word may be: it is all of the text then, and lies behind no others.
    pub(super) fn has_lines_of_parts(&self, word: &str, scratch: &Scratch) -> bool {
        let is_alone = scratch.words.rows.left() == 0;
        is_alone && word.len() >= SHORT && self.splitter.splits_nothing()
    }

    /// Notes the lines of a text that end between two places; tells where the last does, if lines are to be looked up
    /// from there on.
    pub(super) fn note_lines(
        &self,
        text: &str,
        span: (usize, usize),
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !self.has_lines(text) {
            return None;
        }
        note_lines(&ByWords(self), text, span, scratch)
    }

    /// The same of a long word.
    pub(super) fn note_lines_of_parts(
        &self,
        word: &str,
        span: (usize, usize),
        cuts: &Cuts,
        scratch: &mut Scratch,
    ) -> Option<usize> {
        if !self.has_lines_of_parts(word, scratch) {
            return None;
        }
        note_lines(&ByCuts(self, cuts), word, span, scratch)
    }
}

/// The line that begins at `from`, and what it is looked up by.
fn line_at<'a>(
    by: &impl Lined,
    text: &'a str,
    from: usize,
    limit: usize,
) -> Option<(Line, Long<'a>)> {
    let line = by.line(text, from, limit)?;
    let long = Long::new(&text.as_bytes()[from..line.end], false);
    Some((line, long))
}

/// Notes the lines that end between `position` and `end`; tells where the last does, if lines are to be looked up from
/// there on: one that began elsewhere would not be one that was met.
fn note_lines(
    by: &impl Lined,
    text: &str,
    (position, end): (usize, usize),
    scratch: &mut Scratch,
) -> Option<usize> {
    let Scratch { lines, words, .. } = scratch;
    if !lines.may_be_known(&words.spare) {
        return None;
    }
    // a line that began before
    let began = if position == 0 { 0 } else { lines.next.min(position) };
    let mut start = if position - began < NOT_ENDED { began } else { position };
    while let Some((line, long)) = line_at(by, text, start, end) {
        lines.note(long.hash(), &mut words.spare);
        start = line.end;
    }
    lines.next = start;
    (lines.are_expected() && start > position).then_some(start)
}

/// Encodes lines from one place on and up to another, if they come back; returns where the last ends.
fn encode_lines(
    by: &impl Lined,
    text: &str,
    span: (usize, usize),
    scratch: &mut Scratch,
    sink: &mut impl Sink,
    monitor: &Monitor,
) -> Result<usize> {
    let Scratch { lines, words, .. } = scratch;
    if span.0 == 0 && lines.may_be_known(&words.spare) {
        lines.begin(|| line_at(by, text, 0, span.1).map(|(_, line)| line));
    }
    if !lines.are_expected() {
        return Ok(span.0);
    }
    let mut lines = take(lines);
    let end = encode_some(by, text, span, &mut lines, scratch, monitor)?;
    sink.reserve(lines.ids.len())?;
    sink.ids(&lines.ids);
    if end > span.0 {
        lines.next = end;
    }
    scratch.lines = lines;
    Ok(end)
}

/// The ids of lines that are known, or of some that are not; returns where the last ends.
fn encode_some(
    by: &impl Lined,
    text: &str,
    (position, limit): (usize, usize),
    lines: &mut Lines,
    scratch: &mut Scratch,
    monitor: &Monitor,
) -> Result<usize> {
    lines.ids.clear();
    let (mut end, mut next) = (position, line_at(by, text, position, limit));
    while let Some((line, long)) = &next
        && end < position + AT_ONCE
    {
        if !lines.find(*long, &mut scratch.words.spare) {
            if !lines.may_come_back(*long) {
                lines.stop();
                return Ok(end);
            }
            break;
        }
        end = line.end;
        next = line_at(by, text, end, limit);
    }
    let Some((line, long)) = next.filter(|_| end == position) else {
        lines.together = 1;
        return Ok(end);
    };
    lines.together = (2 * lines.together).clamp(1, TOGETHER);
    end = line.end;
    let mut unknown = (vec![line], vec![long]);
    while unknown.0.len() < lines.together
        && end < position + AT_ONCE
        && let Some((line, long)) = line_at(by, text, end, limit)
        && !lines.knows(long)
        && lines.may_come_back(long)
    {
        end = line.end;
        unknown.0.push(line);
        unknown.1.push(long);
    }
    encode_new(by, (text, position), (&unknown.0, &unknown.1), lines, scratch, monitor)?;
    Ok(end)
}

/// The ids of lines that are not known, the first of which begins at a place; remembers them.
fn encode_new(
    by: &impl Lined,
    (text, from): (&str, usize),
    (unknown, longs): (&[Line], &[Long]),
    lines: &mut Lines,
    scratch: &mut Scratch,
    monitor: &Monitor,
) -> Result<()> {
    let Some(last) = unknown.last() else { return Ok(()) };
    scratch.words.rows.begin_at(unknown.iter().map(|line| line.end as u32));
    by.encode(text, from, last, scratch, &mut lines.ids, monitor)?;
    scratch.words.rows.close_all(&mut lines.ids);
    let words = &mut scratch.words;
    lines.remember(longs, &words.rows.counts, &mut words.spare);
    words.rows.counts.clear();
    Ok(())
}
