//! Finding added tokens in text: all at once, the leftmost first, the longest of those.

use aho_corasick::{AhoCorasick, MatchKind};

use super::AddedToken;
use crate::error::{Error, Result};

/// A stretch of text: ordinary, or an added token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The added token's id; `None` for ordinary text.
    pub id: Option<u32>,
}

/// Finds a set of added tokens.
pub struct Matcher {
    automaton: AhoCorasick,
    tokens: Vec<AddedToken>,
}

impl Matcher {
    /// A matcher for `tokens`, whose contents may have been normalized; `None` for none.
    pub fn new(tokens: Vec<AddedToken>) -> Result<Option<Self>> {
        if tokens.is_empty() {
            return Ok(None);
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|token| &token.content))
            .map_err(|error| Error::Limit(format!("too many added tokens: {error}")))?;
        Ok(Some(Self { automaton, tokens }))
    }

    /// Cuts `text` into sections, calling `section` with each that is not empty, in order.
    pub fn sections<F>(&self, text: &str, mut section: F) -> Result<()>
    where
        F: FnMut(Section) -> Result<()>,
    {
        let mut position = 0;
        for found in self.automaton.find_iter(text) {
            let token = &self.tokens[found.pattern().as_usize()];
            let (mut start, mut end) = (found.start(), found.end());
            if start < position || (token.single_word && !stands_alone(text, start, end)) {
                continue;
            }
            if token.lstrip {
                start = text[position..start].trim_end_matches(is_blank).len() + position;
            }
            if token.rstrip {
                end = text.len() - text[end..].trim_start_matches(is_blank).len();
            }
            if position < start {
                section(Section { start: position, end: start, id: None })?;
            }
            section(Section { start, end, id: Some(token.id) })?;
            position = end;
        }
        if position < text.len() {
            section(Section { start: position, end: text.len(), id: None })?;
        }
        Ok(())
    }

    /// The first added token in `text`: where it begins, and its content.
    pub fn first<'a>(&'a self, text: &str) -> Option<(usize, &'a AddedToken)> {
        self.automaton.find_iter(text).find_map(|found| {
            let token = &self.tokens[found.pattern().as_usize()];
            let (start, end) = (found.start(), found.end());
            (!token.single_word || stands_alone(text, start, end)).then_some((start, token))
        })
    }
}

/// `\s` of the pinned Unicode version: `White_Space`, which has not changed since Unicode 6.3.
fn is_blank(character: char) -> bool {
    character.is_whitespace()
}

/// Whether no word character touches the stretch.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    ![before, after].into_iter().flatten().any(regex_syntax::is_word_character)
}
