//! What stands instead of symbols that merging leaves: several ids where a token is taken apart
//! again, or where a character is no token.

use hashbrown::HashMap;
use std::ops::Range;

use crate::error::Result;
use crate::model::Model;

/// The ids of those symbols that do not stand for themselves.
#[derive(Default)]
pub struct Apart {
    /// Where a symbol's ids are in `spelled`; nothing for those that stand for themselves.
    ranges: Vec<(u32, u32)>,
    spelled: Vec<u32>,
    /// The marker of a word's end where it is a token of its own, and has to do with the unused.
    marker: Option<u32>,
    /// By symbol, the unused token that it would be with the marker.
    ended: HashMap<u32, u32>,
}

impl Apart {
    /// Whether each symbol stands for itself.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// So many symbols, each of which stands for itself.
    pub fn of_symbols(count: usize) -> Self {
        Self { ranges: vec![(0, 0); count], ..Self::default() }
    }

    /// The unused tokens of a model with listed merges. O(n log n) in their lengths.
    pub fn of(model: &Model) -> Result<Self> {
        let tokens = model.taken_apart()?;
        if tokens.is_empty() {
            return Ok(Self::default());
        }
        let mut apart = Self::of_symbols(model.vocabulary.ids());
        let vocabulary = &model.vocabulary;
        let is_separate = model.end_of_word.as_ref().is_some_and(|end| !end.attached);
        apart.marker = vocabulary.id_of(b"", true).filter(|_| is_separate);
        for (id, parts) in tokens {
            apart.give_back(id, parts);
            let stem = vocabulary.id_of(vocabulary.bytes(id), false);
            if let (Some(stem), true, true) = (stem, is_separate, vocabulary.ends_word(id)) {
                apart.ended.insert(stem, id);
            }
        }
        Ok(apart)
    }

    /// Lets what `write` appends stand for a symbol.
    pub fn spell(&mut self, symbol: u32, write: impl FnOnce(&mut Vec<u32>)) {
        let start = self.spelled.len() as u32;
        write(&mut self.spelled);
        self.ranges[symbol as usize] = (start, self.spelled.len() as u32);
    }

    /// Lets the two parts of a symbol stand for it, or what stands for those.
    pub fn give_back(&mut self, symbol: u32, (left, right): (u32, u32)) {
        let mut ids = Vec::new();
        self.push(left, &mut ids);
        self.push(right, &mut ids);
        self.spell(symbol, |spelled| spelled.extend(ids));
    }

    fn push(&self, symbol: u32, ids: &mut Vec<u32>) {
        match self.ranges.get(symbol as usize) {
            Some(&(start, end)) if start < end => {
                ids.extend_from_slice(&self.spelled[start as usize..end as usize]);
            }
            _ => ids.push(symbol),
        }
    }

    /// Tells the ids of what merging has left: those of each symbol, or of two at the end that are one, with
    /// the range of symbols that they stand for.
    pub fn each(&self, symbols: &[u32], mut tell: impl FnMut(Range<usize>, &[u32])) {
        let mut ids = Vec::new();
        let (inner, last) = self.with_last(symbols);
        for (at, &symbol) in inner.iter().enumerate() {
            ids.clear();
            self.push(symbol, &mut ids);
            tell(at..at + 1, &ids);
        }
        let Some([stem, marker]) = last else { return };
        if let Some(&whole) = self.ended.get(stem) {
            ids.clear();
            self.push(whole, &mut ids);
            tell(inner.len()..symbols.len(), &ids);
        } else {
            tell(inner.len()..inner.len() + 1, &[*stem]);
            tell(inner.len() + 1..symbols.len(), &[*marker]);
        }
    }

    /// What merging has left, and the two at the end, a token and the marker, that are one to the filter,
    /// though no merge joined them.
    fn with_last<'a>(&self, symbols: &'a [u32]) -> (&'a [u32], Option<&'a [u32; 2]>) {
        match symbols.split_last_chunk() {
            Some((inner, last)) if Some(last[1]) == self.marker => (inner, Some(last)),
            _ => (symbols, None),
        }
    }

    /// Appends the ids of what merging has left.
    pub fn write(&self, symbols: &[u32], ids: &mut Vec<u32>) {
        if self.ranges.is_empty() {
            return ids.extend_from_slice(symbols);
        }
        let (inner, last) = self.with_last(symbols);
        for &symbol in inner {
            self.push(symbol, ids);
        }
        let Some(last) = last else { return };
        match self.ended.get(&last[0]) {
            Some(&whole) => self.push(whole, ids),
            None => ids.extend_from_slice(last),
        }
    }
}
