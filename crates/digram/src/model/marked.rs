//! Tokens and the marker at the end of words: how both are told from text that is spelled so.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Model, Rule, Units};

impl Model {
    /// A token's bytes as users see them: with the marker's text where it ends a word.
    ///
    /// Panics where `id` has no token.
    pub fn marked_bytes(&self, id: u32) -> Vec<u8> {
        let mut bytes = self.vocabulary.bytes(id).to_vec();
        if let (Some(end), true) = (&self.end_of_word, self.vocabulary.ends_word(id)) {
            bytes.extend_from_slice(end.marker.as_bytes());
        }
        bytes
    }

    /// The id of a token by the bytes that users see, the marker included.
    pub fn id_of_marked(&self, token: &[u8]) -> Option<u32> {
        let marker = self.end_of_word.as_ref().map(|end| end.marker.as_bytes());
        let unmarked = marker.and_then(|marker| token.strip_suffix(marker));
        let ends = unmarked.and_then(|bytes| self.vocabulary.id_of(bytes, true));
        let added = || self.added_tokens.iter().find(|t| t.content.as_bytes() == token);
        ends.or_else(|| self.vocabulary.id_of(token, false))
            .or_else(|| added().map(|t| t.id))
            .or_else(|| self.rule.piece(&self.vocabulary, token))
            .or_else(|| self.vocabulary.literal_of(token))
    }

    /// The text that is spelled as an attached marker is, as the vocabulary holds it.
    pub(crate) fn marker_as_text(&self) -> Cow<'_, [u8]> {
        let marker = self.end_of_word.as_ref().map_or("", |end| &end.marker);
        let bytes = match self.units {
            Units::Bytes => crate::aliases::unspell(marker),
            Units::Chars => None,
        };
        bytes.map_or(Cow::Borrowed(marker.as_bytes()), Cow::Owned)
    }

    /// The tokens that merges make of the marker's text, and that are one unit at the end of a word besides: they
    /// are spelled so, and no other token is that unit.
    pub(crate) fn twins(&self) -> Vec<u32> {
        if !self.end_of_word.as_ref().is_some_and(|end| end.attached) {
            return Vec::new();
        }
        let vocabulary = &self.vocabulary;
        let prefix = self.continuing_prefix.as_deref().unwrap_or_default().as_bytes();
        let marker = self.marker_as_text();
        let is_twin = |&(id, bytes): &(u32, &[u8])| {
            bytes.strip_suffix(&*marker).is_some_and(|stem| {
                self.is_unit(stem.strip_prefix(prefix).unwrap_or(stem))
                    && vocabulary.merges(id)
                    && !vocabulary.ends_word(id)
                    && vocabulary.id_of(stem, true).is_none()
            })
        };
        vocabulary.iter().filter(is_twin).map(|(id, _)| id).collect()
    }

    /// The twins, and the tokens that merges make of one behind another token, in order: each ends a word though its
    /// bytes hold the marker as text, or is text that is spelled so.
    pub(crate) fn with_twins(&self) -> Vec<u32> {
        let mut found: BTreeSet<u32> = self.twins().into_iter().collect();
        let mut before = 0;
        while found.len() > before {
            before = found.len();
            let behind = |&(right, _): &(u32, u32)| found.contains(&right);
            let made: Vec<u32> = self.rights().filter(behind).map(|(_, merged)| merged).collect();
            found.extend(made);
        }
        found.into_iter().collect()
    }

    /// The right part of each merge, and what it makes; by rank, of all that may be.
    fn rights(&self) -> Box<dyn Iterator<Item = (u32, u32)> + '_> {
        if let Rule::Merges(merges) = &self.rule {
            return Box::new(merges.iter().map(|merge| (merge.right, merge.merged)));
        }
        let vocabulary = &self.vocabulary;
        let merged = vocabulary.iter().filter(move |&(id, _)| vocabulary.merges(id));
        Box::new(merged.flat_map(move |(id, bytes)| {
            let ends_word = vocabulary.ends_word(id);
            let right = move |start| vocabulary.id_of(&bytes[start..], ends_word);
            (1..bytes.len()).filter_map(right).map(move |right| (right, id))
        }))
    }

    /// Whether bytes are one unit.
    pub(crate) fn is_unit(&self, bytes: &[u8]) -> bool {
        match self.units {
            Units::Bytes => bytes.len() == 1,
            Units::Chars => str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1),
        }
    }
}
