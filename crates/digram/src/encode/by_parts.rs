//! New words that are made of the ids of their parts.
//!
//! Where no merge crosses a border, the parts of a word merge as they do alone. Parts are met more
//! often than words, and mostly known. (Those of words with letters of ASCII between others, as most
//! Latin scripts have, are so short that to merge the word takes less.) As with words, memory is asked
//! for first for all of them, and the parts that are not known are merged together.

use super::maker::Maker;
use super::pieces::Pieces;
use super::table::{Key, MANY, MAX_WORD, TOO_LONG, fold, is_without_ascii, key, of_part};
use super::twins::Twins;
use super::words::{TOGETHER, Words};
use crate::arch::append::{NOTHING, Packed, append, count};
use crate::error::Result;
use crate::merge::word::{Ids, Word};

/// Words of a batch that have several parts, and these.
#[derive(Default)]
pub struct Apart {
    /// The place of each word, and where its parts end.
    words: Vec<(usize, usize)>,
    parts: Vec<Part>,
    /// The ids of each part; [`NOTHING`] as long as they are not known, and where they are more than a value holds.
    values: Vec<Packed>,
    twins: Twins,
}

impl Apart {
    /// Whether there are no such words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A part of a word, and where it is in the text.
struct Part {
    key: Key,
    start: u32,
    end: u32,
}

impl Part {
    fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

impl Words {
    /// Takes a word in if it has several parts, and asks for what is known of them.
    #[inline]
    pub(super) fn take_apart(
        &mut self,
        text: &str,
        pieces: Pieces,
        index: usize,
        maker: &impl Maker,
    ) -> bool {
        let (key, length) = (self.keys[index], pieces.ends[index] - pieces.starts[index]);
        let is_short = key != TOO_LONG && !pieces.is_part(index);
        is_short && is_without_ascii(key, length) && self.has_parts(text, pieces, index, maker)
    }

    #[inline(never)]
    fn has_parts(&mut self, text: &str, pieces: Pieces, index: usize, maker: &impl Maker) -> bool {
        let mut ends = [0; MAX_WORD];
        let count = maker.cut(pieces.text(text, index), &mut ends);
        if count < 2 {
            return false;
        }
        let word = pieces.starts[index];
        let mut start = word;
        for end in ends[..count].iter().map(|end| word + end) {
            let key = of_part(key(text.as_bytes(), start, end), true);
            self.table.prefetch(key);
            self.apart.parts.push(Part { key, start, end });
            start = end;
        }
        self.apart.words.push((index, self.apart.parts.len()));
        true
    }

    /// Makes the words that were taken in.
    pub(super) fn make_by_parts(
        &mut self,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
    ) -> Result<()> {
        let (mut words, mut parts) =
            (std::mem::take(&mut self.apart.words), std::mem::take(&mut self.apart.parts));
        let mut values = std::mem::take(&mut self.apart.values);
        values.resize(parts.len(), NOTHING);
        self.find_parts(text, &parts, &mut values, maker)?;
        let mut ids = std::mem::take(&mut self.ids);
        ids.clear();
        append(self.packing, &mut ids, &values);
        let [mut part, mut id] = [0; 2];
        for (index, end) in words.drain(..) {
            let [first, begun] = [part, id];
            id += values[first..end].iter().map(|&value| count(value)).sum::<usize>();
            part = end;
            let word = (index, self.keys[index]);
            if values[first..end].contains(&NOTHING) {
                let all = merge_parts(text, &parts[first..end], maker)?;
                self.made(text, pieces, word, Ids::of(&all));
            } else {
                self.made(text, pieces, word, Ids::of(&ids[begun..id]));
            }
        }
        parts.clear();
        values.clear();
        self.ids = ids;
        (self.apart.words, self.apart.parts, self.apart.values) = (words, parts, values);
        Ok(())
    }

    /// Finds the ids of parts; merges those that are in no table, and puts them there.
    fn find_parts(
        &mut self,
        text: &str,
        parts: &[Part],
        values: &mut [Packed],
        maker: &mut impl Maker,
    ) -> Result<()> {
        let (packing, mut texts, mut chosen) = (self.packing, Vec::new(), Vec::new());
        for index in 0..parts.len() {
            let part = &parts[index];
            let is_same = |before: u32| parts[before as usize].key == part.key;
            if let Some(value) = self.known(part.key) {
                values[index] = value;
            } else if self.apart.twins.is_first(fold(part.key), index as u32, is_same) {
                texts.push(Word { text: part.text(text), bytes: part.key });
                chosen.push(index);
            }
            if chosen.len() == TOGETHER || index + 1 == parts.len() {
                maker.merge_some(texts.iter().copied(), |at, ids| {
                    if let Some(value) = packing.pack_first(&ids.first, ids.all.len()) {
                        values[chosen[at]] = value;
                        self.insert(parts[chosen[at]].key, value);
                    }
                })?;
                for (index, before) in self.apart.twins.again.drain(..) {
                    values[index as usize] = values[before as usize];
                }
                texts.clear();
                chosen.clear();
            }
        }
        Ok(())
    }

    /// The ids of a part, if a table holds them.
    fn known(&mut self, key: Key) -> Option<Packed> {
        let near = self.table.slots()[self.table.home(key)];
        let known = if near[0] == key { Some(near[1]) } else { None };
        known.or_else(|| self.table.find_far(key)).filter(|&value| value != MANY)
    }
}

/// The ids of a word's parts, one of which has more than a value holds.
#[cold]
fn merge_parts(text: &str, parts: &[Part], maker: &mut impl Maker) -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    for part in parts {
        maker.merge(part.text(text), &mut ids)?;
    }
    Ok(ids)
}
