//! Replacing what a pattern finds, in normalizers and in decoders.

use fancy_regex::Regex;

use super::Pattern;
use crate::arch::replace::{STEP, append_replaced};
use crate::error::{Error, Result};
use crate::pretokenize::scanner;

/// All compiled patterns together may be this large.
const PATTERN_BYTES: usize = 8 << 20;

/// A pattern and what stands in its place.
pub(crate) struct Replacement {
    search: Search,
    content: String,
}

enum Search {
    Text(String),
    /// One of ASCII, with few bytes in its place.
    Character(u8),
    Regex(Box<Regex>),
}

impl Replacement {
    /// A replacement, one of so many that share what patterns may take. Fails where the pattern
    /// does not compile.
    pub fn one_of(pattern: &Pattern, content: String, count: usize) -> Result<Self> {
        let search = match (pattern, character(pattern, &content)) {
            (_, Some(character)) => Search::Character(character),
            (Pattern::String(text), _) => Search::Text(text.clone()),
            (Pattern::Regex(regex), _) => {
                Search::Regex(Box::new(scanner::bounded(regex, regex, PATTERN_BYTES / count)?))
            }
        };
        Ok(Self { search, content })
    }

    /// The text with everything replaced that is found, or `None` where nothing is: all of it
    /// where that is at most `most` bytes, and else some more than `most`. Nothing is found in the
    /// empty text. Fails where the search gives up.
    pub fn apply(&self, text: &str, most: usize) -> Result<Option<String>> {
        match &self.search {
            _ if text.is_empty() => Ok(None),
            Search::Character(searched) if text.as_bytes().contains(searched) => {
                let mut replaced = String::new();
                append_replaced(text, *searched, &self.content, most, &mut replaced);
                Ok(Some(replaced))
            }
            Search::Text(searched) if text.contains(searched) => {
                let found = text.match_indices(searched);
                self.replaced(
                    text,
                    found.map(|(start, found)| Ok((start, start + found.len()))),
                    most,
                )
            }
            Search::Text(_) | Search::Character(_) => Ok(None),
            Search::Regex(regex) => {
                let found = regex.find_iter(text).map(|found| {
                    let gave_up = |error| {
                        let pattern = regex.as_str();
                        Error::Limit(format!("the pattern {pattern:?} gave up: {error}"))
                    };
                    found.map(|found| (found.start(), found.end())).map_err(gave_up)
                });
                self.replaced(text, found, most)
            }
        }
    }

    fn replaced(
        &self,
        text: &str,
        found: impl Iterator<Item = Result<(usize, usize)>>,
        most: usize,
    ) -> Result<Option<String>> {
        let mut replaced = String::new();
        let mut position = 0;
        for found in found {
            let (start, end) = found?;
            replaced.push_str(&text[position..start]);
            replaced.push_str(&self.content);
            position = end;
            if replaced.len() > most {
                return Ok(Some(replaced));
            }
        }
        if position == 0 && replaced.is_empty() {
            return Ok(None);
        }
        replaced.push_str(&text[position..]);
        Ok(Some(replaced))
    }
}

/// The character that is searched for, if it is one of ASCII, and few bytes stand in its place.
pub(super) fn character(pattern: &Pattern, content: &str) -> Option<u8> {
    match pattern {
        Pattern::String(text) if content.len() <= STEP => match text.as_bytes() {
            &[only] => Some(only),
            _ => None,
        },
        _ => None,
    }
}
