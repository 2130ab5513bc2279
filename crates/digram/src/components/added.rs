//! Finding added tokens in text: all at once, the leftmost first, the longest of those.

use super::AddedToken;
use super::automaton::{Automaton, Found};
use crate::error::Result;

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
    automaton: Automaton,
    tokens: Vec<AddedToken>,
}

impl Matcher {
    /// A matcher for `tokens`, whose contents may have been normalized; `None` for none.
    pub fn new(tokens: Vec<AddedToken>) -> Result<Option<Self>> {
        if tokens.is_empty() {
            return Ok(None);
        }
        let automaton = Automaton::new(tokens.iter().map(|token| token.content.as_str()))?;
        Ok(Some(Self { automaton, tokens }))
    }

    /// A matcher for plain texts and their ids; `None` for none.
    pub fn of_texts(texts: Vec<(u32, String)>) -> Result<Option<Self>> {
        let token = |(id, content)| AddedToken {
            id,
            content,
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: false,
        };
        Self::new(texts.into_iter().map(token).collect())
    }

    /// Cuts `text` into sections, calling `section` with each that is not empty, in order.
    pub fn sections<F>(&self, text: &str, mut section: F) -> Result<()>
    where
        F: FnMut(Section) -> Result<()>,
    {
        let mut position = 0;
        let mut done = Ok(());
        self.automaton.find(text, |found| {
            if found.start >= position
                && let Some((start, end)) = self.extent(text, found, position)
            {
                let id = Some(self.tokens[found.which].id);
                let before = Section { start: position, end: start, id: None };
                done = if position < start { section(before) } else { Ok(()) }
                    .and_then(|()| section(Section { start, end, id }));
                position = end;
            }
            done.is_ok()
        });
        done?;
        if position < text.len() {
            section(Section { start: position, end: text.len(), id: None })?;
        }
        Ok(())
    }

    /// From where to where a token reaches that was found, with the blanks that it takes; `None`
    /// where it must stand alone and does not.
    fn extent(&self, text: &str, found: Found, position: usize) -> Option<(usize, usize)> {
        let token = &self.tokens[found.which];
        let (mut start, mut end) = (found.start, found.end);
        if token.single_word && !stands_alone(text, start, end) {
            return None;
        }
        if token.lstrip {
            start = text[position..start].trim_end_matches(is_blank).len() + position;
        }
        if token.rstrip {
            end = text.len() - text[end..].trim_start_matches(is_blank).len();
        }
        Some((start, end))
    }

    /// The first added token in `text`: where it begins, and its content.
    pub fn first<'a>(&'a self, text: &str) -> Option<(usize, &'a AddedToken)> {
        let mut first = None;
        self.automaton.find(text, |found| {
            let token = &self.tokens[found.which];
            if !token.single_word || stands_alone(text, found.start, found.end) {
                first = Some((found.start, token));
            }
            first.is_none()
        });
        first
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
