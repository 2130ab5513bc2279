//! Where the symbols that a word begins as stand in it.

use super::{Alphabet, NONE, OneByOne, Units};
use crate::merge::spans::Span;

impl Alphabet {
    /// Where each of the symbols stands that [`write`](Alphabet::write) writes for a word.
    pub fn spans(&self, word: &str) -> Vec<Span> {
        let mut spans = match (&self.one_by_one, self.units) {
            (Some(one_by_one), Units::Chars) => self.spans_one_by_one(one_by_one, word),
            (_, units) => self.spans_in_order(units, word),
        };
        spans.extend(self.marker.map(|_| [word.len(); 2]));
        spans
    }

    fn spans_in_order(&self, units: Units, word: &str) -> Vec<Span> {
        let symbols = |at: usize, length: usize| match &self.end {
            Some(end) if at + length == word.len() => end,
            _ => &self.middle,
        };
        let mut spans = Vec::with_capacity(word.len());
        match units {
            Units::Bytes => {
                let known = |at: usize, byte| symbols(at, 1).of_byte(byte) != NONE;
                let all =
                    word.bytes().enumerate().map(|(at, byte)| (known(at, byte), [at, at + 1]));
                self.add(all, &mut spans);
            }
            Units::Chars => {
                let all = word.char_indices().map(|(at, one)| {
                    let length = one.len_utf8();
                    (symbols(at, length).of_char(one) != NONE, [at, at + length])
                });
                self.add(all, &mut spans);
            }
        }
        spans
    }

    /// Adds the spans of units, of which it is told whether they are known.
    fn add(&self, all: impl Iterator<Item = (bool, Span)>, spans: &mut Vec<Span>) {
        let mut is_behind_unknown = false;
        for (is_known, span) in all {
            match (&self.unknown_pieces, spans.last_mut()) {
                _ if is_known => spans.push(span),
                (Some(pieces), _) if pieces.bytes.is_some() => spans.extend(each_byte(span)),
                (Some(_), _) => spans.push(span),
                (None, Some(last)) if self.fuse_unknown && is_behind_unknown => last[1] = span[1],
                (None, _) => spans.extend(self.unknown.map(|_| span)),
            }
            is_behind_unknown = !is_known;
        }
    }

    /// Unknown characters come where the next known one does: see
    /// [`write_one_by_one`](Alphabet::write_one_by_one).
    fn spans_one_by_one(&self, one_by_one: &OneByOne, word: &str) -> Vec<Span> {
        let (mut spans, mut unknown, mut bytes) = (Vec::new(), None::<Span>, Vec::new());
        for (start, character) in word.char_indices() {
            let span = [start, start + character.len_utf8()];
            let is_last = span[1] == word.len();
            if self.one_of(one_by_one, character, start, is_last) != NONE {
                spans.extend(unknown.take());
                spans.push(span);
            } else if one_by_one.write_bytes(
                character,
                start > 0,
                is_last && self.end.is_some(),
                &mut bytes,
            ) {
                let before = if start > 0 { one_by_one.prefix.len() } else { 0 };
                let behind = bytes.len() - before - character.len_utf8();
                spans.extend(std::iter::repeat_n([start; 2], before));
                spans.extend(each_byte(span));
                spans.extend(std::iter::repeat_n([span[1]; 2], behind));
                bytes.clear();
            } else {
                let before = unknown.take();
                unknown = match before.filter(|_| self.fuse_unknown) {
                    Some(begun) => Some([begun[0], span[1]]),
                    None => self.unknown.map(|_| span),
                };
                spans.extend(before.filter(|_| !self.fuse_unknown));
            }
        }
        spans.extend(unknown);
        spans
    }
}

fn each_byte([start, end]: Span) -> impl Iterator<Item = Span> {
    (start..end).map(|at| [at, at + 1])
}
