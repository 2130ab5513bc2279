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
        let ended = match symbols {
            [.., stem, marker] if Some(*marker) == self.marker => self.ended.get(stem),
            _ => None,
        };
        let alone = symbols.len() - if ended.is_some() { 2 } else { 0 };
        for (at, &symbol) in symbols[..alone].iter().enumerate() {
            ids.clear();
            self.push(symbol, &mut ids);
            tell(at..at + 1, &ids);
        }
        if let Some(&whole) = ended {
            ids.clear();
            self.push(whole, &mut ids);
            tell(alone..symbols.len(), &ids);
        }
    }

    /// Appends the ids of what merging has left.
    ///
    /// A token and the marker behind it are one to the filter, though no merge joined them.
    pub fn write(&self, symbols: &[u32], ids: &mut Vec<u32>) {
        if self.ranges.is_empty() {
            return ids.extend_from_slice(symbols);
        }
        let (inner, last) = match symbols {
            [inner @ .., stem, marker] if Some(*marker) == self.marker => {
                (inner, Some((*stem, *marker)))
            }
            _ => (symbols, None),
        };
        for &symbol in inner {
            self.push(symbol, ids);
        }
        let Some((stem, marker)) = last else { return };
        match self.ended.get(&stem) {
            Some(&whole) => self.push(whole, ids),
            None => ids.extend([stem, marker]),
        }
    }
}
