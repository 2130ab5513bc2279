//! A word as units: bytes or characters, and the marker as one more.

use crate::model::{self, Model};

/// Where the units of a word begin.
pub struct Units<'a> {
    word: &'a str,
    /// Where each unit begins, and where the last one ends.
    starts: Vec<usize>,
    marker: bool,
}

impl<'a> Units<'a> {
    /// The units of `word`, as `model` sees them.
    pub fn of(word: &'a str, model: &Model) -> Self {
        let mut starts: Vec<usize> = match model.units {
            model::Units::Bytes => (0..word.len()).collect(),
            model::Units::Chars => word.char_indices().map(|(start, _)| start).collect(),
        };
        starts.push(word.len());
        Self { word, starts, marker: model.end_of_word.is_some() }
    }

    /// How many there are, the marker counting as one.
    #[expect(clippy::len_without_is_empty, reason = "a word is never empty")]
    pub fn len(&self) -> usize {
        self.starts.len() - 1 + usize::from(self.marker)
    }

    /// Where a unit begins in the word, in bytes; the marker and what is behind it at its end.
    pub fn start(&self, unit: usize) -> usize {
        self.starts[unit.min(self.starts.len() - 1)]
    }

    /// The token that the units from `start` to `end` are, if any.
    pub fn token(&self, model: &Model, start: usize, end: usize) -> Option<u32> {
        let units = self.starts.len() - 1;
        let bytes = &self.word.as_bytes()[self.starts[start]..self.starts[end.min(units)]];
        model.vocabulary.id_of(bytes, end > units)
    }

    /// The text of the units from `start` to `end`, without the marker, as far as it is text.
    pub fn text(&self, start: usize, end: usize) -> String {
        let units = self.starts.len() - 1;
        let bytes = &self.word.as_bytes()[self.starts[start]..self.starts[end.min(units)]];
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// How many units the longest token has, the marker counting as one.
pub fn longest_token(model: &Model) -> usize {
    let units = |bytes: &[u8]| match model.units {
        model::Units::Bytes => bytes.len(),
        model::Units::Chars => String::from_utf8_lossy(bytes).chars().count(),
    };
    let vocabulary = &model.vocabulary;
    let proper = vocabulary.iter().filter(|(id, _)| vocabulary.merges(*id));
    proper
        .map(|(id, bytes)| units(bytes) + usize::from(vocabulary.ends_word(id)))
        .max()
        .unwrap_or(0)
}
