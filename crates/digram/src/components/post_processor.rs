//! Post-processors at work: begin and end ids around a text, or two.
//!
//! Texts pass through as parts, each id with its type id. One text is one part, two are two; a
//! template leaves as many as it has pieces, which is what the next of a sequence finds.

use std::collections::BTreeMap;

use super::{Piece, PostProcessor, SequenceId, SpecialToken};
use crate::error::{Error, Result};

/// Ids with their type ids.
type Typed = Vec<(u32, u32)>;

impl PostProcessor {
    /// The ids of one text or two with the template's ids around, each with its type id.
    ///
    /// Fails where a template is to be filled with more than two parts.
    pub fn process(&self, first: &[u32], second: Option<&[u32]>) -> Result<Typed> {
        Ok(self.around(texts(first, second))?.concat())
    }

    fn around(&self, parts: Vec<Typed>) -> Result<Vec<Typed>> {
        Ok(match self {
            Self::ByteLevel(_) => parts,
            Self::RobertaProcessing { sep, cls, .. } => between(parts, |place, part| {
                let before = if place == 0 { cls.1 } else { sep.1 };
                let ids = part.into_iter().map(|(id, _)| (id, 0));
                [vec![(before, 0)], ids.collect(), vec![(sep.1, 0)]].concat()
            }),
            Self::BertProcessing { sep, cls } => between(parts, |place, part| match place {
                0 => [vec![(cls.1, 0)], part, vec![(sep.1, 0)]].concat(),
                _ => [part, vec![(sep.1, 1)]].concat(),
            }),
            Self::TemplateProcessing { single, pair, special_tokens } => match parts.as_slice() {
                [_] => filled(single, special_tokens, &parts),
                [_, _] => filled(pair, special_tokens, &parts),
                _ => return Err(too_many(parts.len())),
            },
            Self::Sequence { processors } => {
                processors.iter().try_fold(parts, |parts, processor| processor.around(parts))?
            }
        })
    }
}

fn between(parts: Vec<Typed>, put: impl Fn(usize, Typed) -> Typed) -> Vec<Typed> {
    parts.into_iter().enumerate().map(|(place, part)| put(place, part)).collect()
}

/// The pieces of a template, with the texts where they go.
fn filled(
    template: &[Piece],
    special_tokens: &BTreeMap<String, SpecialToken>,
    texts: &[Typed],
) -> Vec<Typed> {
    let typed = |ids: &mut dyn Iterator<Item = u32>, kind| ids.map(|id| (id, kind)).collect();
    let piece = |piece: &Piece| match piece {
        Piece::Sequence { id, type_id } => {
            let place = usize::from(*id == SequenceId::B);
            let text = texts.get(place).into_iter().flatten();
            typed(&mut text.map(|(id, _)| *id), *type_id)
        }
        Piece::SpecialToken { id, type_id } => {
            let ids = special_tokens.get(id).into_iter().flat_map(|special| &special.ids);
            typed(&mut ids.copied(), *type_id)
        }
    };
    template.iter().map(piece).collect()
}

/// Two texts one after the other, the second with type id 1.
pub fn plain(first: &[u32], second: Option<&[u32]>) -> Typed {
    texts(first, second).concat()
}

fn texts(first: &[u32], second: Option<&[u32]>) -> Vec<Typed> {
    let typed = |(kind, ids): (u32, &[u32])| ids.iter().map(|&id| (id, kind)).collect();
    (0..).zip([first].into_iter().chain(second)).map(typed).collect()
}

fn too_many(parts: usize) -> Error {
    Error::Value(format!(
        "post_processor: a template is for one text or two, and the one before it leaves {parts} \
         parts; make one template of both"
    ))
}
