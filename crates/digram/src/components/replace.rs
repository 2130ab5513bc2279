//! Replacing what a pattern finds, in normalizers and in decoders.

use fancy_regex::Regex;

use super::Pattern;
use crate::error::{Error, Result};

/// A compiled pattern may be this large.
const PATTERN_BYTES: usize = 32 << 20;

/// A pattern and what stands in its place.
pub(crate) struct Replacement {
    search: Search,
    content: String,
}

enum Search {
    Text(String),
    Regex(Box<Regex>),
}

impl Replacement {
    /// Fails where the pattern does not compile.
    pub fn new(pattern: &Pattern, content: String) -> Result<Self> {
        let search = match pattern {
            Pattern::String(text) => Search::Text(text.clone()),
            Pattern::Regex(regex) => Search::Regex(Box::new(compiled(regex)?)),
        };
        Ok(Self { search, content })
    }

    /// The text with everything replaced that is found, or `None` where nothing is. Fails where
    /// the search gives up.
    pub fn apply(&self, text: &str) -> Result<Option<String>> {
        match &self.search {
            Search::Text(searched) => {
                Ok(text.contains(searched).then(|| text.replace(searched, &self.content)))
            }
            Search::Regex(regex) => self.apply_regex(regex, text),
        }
    }

    fn apply_regex(&self, regex: &Regex, text: &str) -> Result<Option<String>> {
        let mut replaced = String::new();
        let mut position = 0;
        for found in regex.find_iter(text) {
            let found = found.map_err(|error| {
                Error::Limit(format!("the pattern {:?} gave up: {error}", regex.as_str()))
            })?;
            replaced.push_str(&text[position..found.start()]);
            replaced.push_str(&self.content);
            position = found.end();
        }
        if position == 0 && replaced.is_empty() {
            return Ok(None);
        }
        replaced.push_str(&text[position..]);
        Ok(Some(replaced))
    }
}

fn compiled(pattern: &str) -> Result<Regex> {
    fancy_regex::RegexBuilder::new(pattern)
        .delegate_size_limit(PATTERN_BYTES)
        .build()
        .map_err(|error| Error::Value(format!("pattern {pattern:?} does not compile: {error}")))
}
