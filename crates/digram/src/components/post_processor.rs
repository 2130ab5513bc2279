//! Post-processors at work: begin and end ids around a text, or two.

use super::{Piece, PostProcessor, SequenceId};

impl PostProcessor {
    /// The ids of one text or two with the template's ids around, each with its type id.
    pub fn process(&self, first: &[u32], second: Option<&[u32]>) -> Vec<(u32, u32)> {
        let typed = |ids: &[u32], kind| ids.iter().map(|&id| (id, kind)).collect::<Vec<_>>();
        let one = |id| vec![(id, 0)];
        match self {
            Self::ByteLevel(_) => plain(first, second),
            Self::RobertaProcessing { sep, cls, .. } => {
                let mut parts = vec![one(cls.1), typed(first, 0), one(sep.1)];
                if let Some(second) = second {
                    parts.extend([one(sep.1), typed(second, 0), one(sep.1)]);
                }
                parts.concat()
            }
            Self::BertProcessing { sep, cls } => {
                let mut parts = vec![one(cls.1), typed(first, 0), one(sep.1)];
                if let Some(second) = second {
                    parts.extend([typed(second, 1), vec![(sep.1, 1)]]);
                }
                parts.concat()
            }
            Self::TemplateProcessing { single, pair, special_tokens } => {
                let template = if second.is_some() { pair } else { single };
                let pieces = template.iter().map(|piece| match piece {
                    Piece::Sequence { id: SequenceId::A, type_id } => typed(first, *type_id),
                    Piece::Sequence { id: SequenceId::B, type_id } => {
                        typed(second.unwrap_or_default(), *type_id)
                    }
                    Piece::SpecialToken { id, type_id } => {
                        special_tokens.get(id).map_or_else(Vec::new, |s| typed(&s.ids, *type_id))
                    }
                });
                pieces.collect::<Vec<_>>().concat()
            }
            Self::Sequence { processors } => {
                let template = processors.iter().find(|p| !matches!(p, Self::ByteLevel(_)));
                template.map_or_else(|| plain(first, second), |t| t.process(first, second))
            }
        }
    }
}

/// Two texts one after the other, the second with type id 1.
pub fn plain(first: &[u32], second: Option<&[u32]>) -> Vec<(u32, u32)> {
    let second = second.unwrap_or_default().iter().map(|&id| (id, 1));
    first.iter().map(|&id| (id, 0)).chain(second).collect()
}
