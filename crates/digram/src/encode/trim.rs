//! Blanks that tokens begin or end with, left out of offsets where the file says so (`trim_offsets`).
//!
//! As Hugging Face has it: blanks are counted in the spelling of the token, or in what an added token has
//! matched, and a single one before a text is left as it is where one is put there, even if this one was not.

use hashbrown::HashMap;

use crate::components::runs::Place;
use crate::components::{ByteLevel, PostProcessor};
use crate::error::Result;
use crate::memory;
use crate::model::{Model, Units};

/// GPT-2's spelling of a space.
const SPELLED: char = 'Ġ';

/// How many blanks something begins and ends with.
pub(super) type Blanks = [u32; 2];

/// Leaves blanks out of offsets.
pub(super) struct Trim {
    /// Whether a space is put before a text, as each of those says that leave blanks out.
    adds_space: Vec<bool>,
    /// Which of the known blanks each token has, by id.
    kinds: Vec<u8>,
    known: Vec<Blanks>,
    /// The blanks of tokens that have others.
    others: HashMap<u32, Blanks>,
}

/// Stands for other blanks than those that are known: a byte for each id has room in a near cache.
const OTHER: u8 = u8::MAX;

impl Trim {
    /// What a model says, if it says so.
    pub fn of(model: &Model) -> Result<Option<Self>> {
        let mut adds_space = Vec::new();
        if let Some(post_processor) = &model.post_processor {
            add(post_processor, &mut adds_space);
        }
        if adds_space.is_empty() {
            return Ok(None);
        }
        let added: HashMap<u32, &str> =
            model.added_tokens.iter().map(|one| (one.id, &*one.content)).collect();
        let ids = model.vocabulary.ids() as u32;
        let mut trim = Self {
            adds_space,
            kinds: memory::list(ids as usize)?,
            known: Vec::new(),
            others: HashMap::new(),
        };
        for id in 0..ids {
            let blanks = match added.get(&id) {
                Some(content) => blanks_in(content),
                None => blanks_of(model, id),
            };
            trim.push(id, blanks);
        }
        Ok(Some(trim))
    }

    /// Adds the blanks of the next token.
    fn push(&mut self, id: u32, blanks: Blanks) {
        let place = self.known.iter().position(|known| *known == blanks);
        let kind = place.unwrap_or(self.known.len()).min(usize::from(OTHER)) as u8;
        if kind == OTHER {
            self.others.insert(id, blanks);
        } else if place.is_none() {
            self.known.push(blanks);
        }
        self.kinds.push(kind);
    }

    /// An offset of the so manyth token, without the blanks that it has.
    pub fn apply(&self, place: usize, blanks: Blanks, mut offset: Place) -> Place {
        for adds_space in &self.adds_space {
            let keeps = *adds_space && blanks[0] == 1 && (place == 0 || offset[0] == 0);
            offset = without(if keeps { [0, blanks[1]] } else { blanks }, offset);
        }
        offset
    }

    /// The same of tokens that follow each other, the first of which is the so manyth.
    pub fn apply_all(&self, first: usize, ids: &[u32], offsets: &mut [Place]) {
        let has_begun = |offset: &Place| offset[0] > 0;
        let begun =
            offsets.iter().position(has_begun).map_or(ids.len(), |at| at.max(1 - first.min(1)));
        for place in 0..begun {
            offsets[place] = self.apply(first + place, self.blanks_of(ids[place]), offsets[place]);
        }
        for _ in &self.adds_space {
            for (&id, offset) in ids[begun..].iter().zip(&mut offsets[begun..]) {
                *offset = without(self.blanks_of(id), *offset);
            }
        }
    }

    /// The blanks of a token.
    #[inline]
    pub fn blanks_of(&self, id: u32) -> Blanks {
        let kind = usize::from(self.kinds[id as usize]);
        match self.known.get(kind) {
            Some(known) => *known,
            None => self.others.get(&id).copied().unwrap_or_default(),
        }
    }
}

/// An offset without blanks.
#[inline]
fn without([leading, trailing]: Blanks, [start, end]: Place) -> Place {
    let start = end.min(start + leading);
    [start, if end >= trailing { start.max(end - trailing) } else { end }]
}

/// The blanks of a token that was not added.
fn blanks_of(model: &Model, id: u32) -> Blanks {
    if !model.vocabulary.contains(id) {
        return [0; 2];
    }
    if model.units == Units::Chars || model.vocabulary.ends_word(id) {
        return blanks_in(&model.spelling(id));
    }
    let is_blank = |byte: &&u8| **byte == b' ';
    let bytes = model.vocabulary.bytes(id).iter();
    [bytes.clone().take_while(is_blank).count(), bytes.rev().take_while(is_blank).count()]
        .map(|count| count as u32)
}

/// The blanks of a text.
pub(super) fn blanks_in(text: &str) -> Blanks {
    let is_blank = |one: &char| *one == SPELLED || one.is_whitespace();
    let leading = text.chars().take_while(is_blank).count();
    [leading as u32, text.chars().rev().take_while(is_blank).count() as u32]
}

fn add(post_processor: &PostProcessor, all: &mut Vec<bool>) {
    match post_processor {
        PostProcessor::ByteLevel(ByteLevel {
            trim_offsets: true, add_prefix_space: adds, ..
        })
        | PostProcessor::RobertaProcessing { trim_offsets: true, add_prefix_space: adds, .. } => {
            all.push(*adds);
        }
        PostProcessor::Sequence { processors } => processors.iter().for_each(|one| add(one, all)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_all_kinds_are_known() {
        let (kinds, known, others) = (Vec::new(), Vec::new(), HashMap::new());
        let mut trim = Trim { adds_space: vec![true], kinds, known, others };
        let blanks = |id: u32| [id % 300, id % 7];
        (0..4_000).for_each(|id| trim.push(id, blanks(id)));
        assert!((0..4_000).all(|id| trim.blanks_of(id) == blanks(id)));
        assert_eq!(trim.known.len(), usize::from(OTHER));
    }
}
