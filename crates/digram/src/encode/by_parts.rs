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
use crate::arch::append::{Packed, count};
use crate::error::Result;
use crate::merge::word::{Ids, Word};

/// Words of a batch that have several parts, and these.
#[derive(Default)]
pub struct Apart {
    /// The place of each word, and where its parts end.
    words: Vec<(usize, usize)>,
    parts: Vec<Part>,
    twins: Twins,
}

impl Apart {
    /// Whether there are no such words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A part of a word, where it is in the text, and its ids.
struct Part {
    key: Key,
    start: u32,
    end: u32,
    /// [`MANY`] as long as they are not known, and where they are more than a value holds.
    value: Packed,
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
            self.apart.parts.push(Part { key, start, end, value: MANY });
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
        self.find_parts(text, &mut parts, maker)?;
        let mut ids = std::mem::take(&mut self.ids);
        let (packing, mut begun) = (self.packing, 0);
        for (index, end) in words.drain(..) {
            ids.clear();
            for part in &parts[begun..end] {
                match part.value {
                    MANY => maker.merge(part.text(text), &mut ids)?,
                    value => ids.extend_from_slice(&packing.ids(value)[..count(value)]),
                }
            }
            self.made(text, pieces, (index, self.keys[index]), Ids::of(&ids));
            begun = end;
        }
        parts.clear();
        self.ids = ids;
        (self.apart.words, self.apart.parts) = (words, parts);
        Ok(())
    }

    /// Finds the ids of parts; merges those that are in no table, and puts them there.
    fn find_parts(&mut self, text: &str, parts: &mut [Part], maker: &mut impl Maker) -> Result<()> {
        let (packing, mut texts, mut chosen) = (self.packing, Vec::new(), Vec::new());
        for index in 0..parts.len() {
            let part = &parts[index];
            let is_same = |before: u32| parts[before as usize].key == part.key;
            if let Some(value) = self.known(part.key) {
                parts[index].value = value;
            } else if self.apart.twins.is_first(fold(part.key), index as u32, is_same) {
                texts.push(Word { text: part.text(text), bytes: part.key });
                chosen.push(index);
            }
            if chosen.len() == TOGETHER || index + 1 == parts.len() {
                maker.merge_some(texts.iter().copied(), |at, ids| {
                    let part = &mut parts[chosen[at]];
                    part.value = packing.pack_first(&ids.first, ids.all.len()).unwrap_or(MANY);
                    if part.value != MANY {
                        self.insert(part.key, part.value);
                    }
                })?;
                for (index, before) in self.apart.twins.again.drain(..) {
                    parts[index as usize].value = parts[before as usize].value;
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
