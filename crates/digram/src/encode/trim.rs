//! Blanks that tokens begin or end with, left out of offsets where the file says so (`trim_offsets`).
//!
//! As Hugging Face has it: blanks are counted in the spelling of the token, or in what an added token has
//! matched, and a single one before a text is left as it is where one is put there, even if this one was not.

use hashbrown::HashMap;

use crate::components::aligned::Place;
use crate::components::{ByteLevel, PostProcessor};
use crate::model::{Model, Units};

/// GPT-2's spelling of a space.
const SPELLED: char = 'Ġ';

/// How many blanks something begins and ends with.
pub(super) type Blanks = [u32; 2];

/// Leaves blanks out of offsets.
pub(super) struct Trim<'a> {
    model: &'a Model,
    /// Whether a space is put before a text, as each of those says that leave blanks out.
    adds_space: Vec<bool>,
    /// The blanks of added tokens.
    added: HashMap<u32, Blanks>,
    /// Those of tokens that were met, by id, if they are kept: the few that there mostly are.
    met: Vec<[u8; 2]>,
}

/// Stands for blanks that are not known, or too many to be kept.
const UNKNOWN: [u8; 2] = [u8::MAX; 2];
/// So many tokens are worth keeping their blanks.
const MANY: usize = 1 << 10;

impl<'a> Trim<'a> {
    /// What a model says, if it says so; for a text of so many tokens, or less.
    pub fn of(model: &'a Model, tokens: usize) -> Option<Self> {
        let mut adds_space = Vec::new();
        add(model.post_processor.as_ref()?, &mut adds_space);
        let added = model.added_tokens.iter().map(|one| (one.id, blanks_in(&one.content)));
        let kept = if tokens < MANY { 0 } else { model.vocabulary.ids() };
        let met = vec![UNKNOWN; kept];
        (!adds_space.is_empty()).then(|| Self { model, adds_space, added: added.collect(), met })
    }

    /// An offset of the so manyth token, without the blanks that it has.
    pub fn apply(&self, place: usize, blanks: Blanks, offset: Place) -> Place {
        let [mut start, mut end] = offset;
        for adds_space in &self.adds_space {
            let [leading, trailing] = blanks;
            if !(*adds_space && leading == 1 && (place == 0 || start == 0)) {
                start = end.min(start + leading);
            }
            if end >= trailing {
                end = start.max(end - trailing);
            }
        }
        [start, end]
    }

    /// The blanks of a token.
    #[inline]
    pub fn blanks_of(&mut self, id: u32) -> Blanks {
        match self.met.get(id as usize) {
            Some(&known) if known != UNKNOWN => known.map(u32::from),
            _ => self.meet(id),
        }
    }

    #[inline(never)]
    fn meet(&mut self, id: u32) -> Blanks {
        let blanks = self.look_at(id);
        if let (Some(met), [Ok(leading), Ok(trailing)]) =
            (self.met.get_mut(id as usize), blanks.map(u8::try_from))
        {
            *met = [leading, trailing];
        }
        blanks
    }

    fn look_at(&self, id: u32) -> Blanks {
        if let Some(blanks) = self.added.get(&id) {
            return *blanks;
        }
        if self.model.units == Units::Chars || self.model.vocabulary.ends_word(id) {
            return blanks_in(&self.model.spelling(id));
        }
        let bytes = self.model.vocabulary.bytes(id);
        let leading = bytes.iter().take_while(|byte| **byte == b' ').count();
        [leading as u32, bytes.iter().rev().take_while(|byte| **byte == b' ').count() as u32]
    }
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
