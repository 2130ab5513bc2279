//! Decoders at work: ids back to bytes.

use super::Decoder;
use crate::model::Model;

/// What stands between two tokens, and what the marker becomes.
struct Style {
    /// A space between tokens: what a file without decoder asks for.
    spaces: bool,
    /// The marker becomes a space, except at the end.
    marker_is_space: bool,
}

/// Whether ids can be decoded one after the other: a token's text depends on nothing around it.
pub fn is_concatenation(model: &Model) -> bool {
    let style = style(model.decoder.as_ref());
    !style.spaces && !style.marker_is_space
}

/// Appends the bytes of `ids`, all of which must be in the vocabulary.
pub fn decode(model: &Model, ids: impl Iterator<Item = u32>, bytes: &mut Vec<u8>) {
    let style = style(model.decoder.as_ref());
    let mut ids = ids.peekable();
    while let Some(id) = ids.next() {
        bytes.extend_from_slice(model.vocabulary.bytes(id));
        if let (Some(end), true) = (&model.end_of_word, model.vocabulary.ends_word(id)) {
            if !style.marker_is_space {
                bytes.extend_from_slice(end.marker.as_bytes());
            } else if ids.peek().is_some() {
                bytes.push(b' ');
            }
        }
        if style.spaces && ids.peek().is_some() {
            bytes.push(b' ');
        }
    }
}

fn style(decoder: Option<&Decoder>) -> Style {
    match decoder {
        None => Style { spaces: true, marker_is_space: false },
        Some(Decoder::ByteLevel(_) | Decoder::Fuse) => {
            Style { spaces: false, marker_is_space: false }
        }
        Some(Decoder::BPEDecoder { .. }) => Style { spaces: false, marker_is_space: true },
        Some(Decoder::Sequence { decoders }) => {
            let styles = decoders.iter().map(|decoder| style(Some(decoder)));
            styles.fold(Style { spaces: false, marker_is_space: false }, |all, one| Style {
                spaces: false,
                marker_is_space: all.marker_is_space || one.marker_is_space,
            })
        }
    }
}
