//! Replacing what a pattern finds, in normalizers and in decoders.

use fancy_regex::Regex;
use std::iter;

use super::Pattern;
use crate::arch::replace::{STEP, append_replaced};
use crate::error::{Error, Result};
use crate::pretokenize::bounded;
use crate::pretokenize::scanner::{ScanCache, Scanner};

/// All compiled patterns together may be this large.
const PATTERN_BYTES: usize = 8 << 20;

/// Whether a regular expression finds itself: it has nothing but letters and the like.
fn is_text(regex: &str) -> bool {
    !regex.is_empty() && regex_syntax::escape(regex) == regex
}

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
    /// A regular expression that a table finds.
    Table(Box<Scanner>),
}

impl Replacement {
    /// What stands in its place.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// Whether a character stands in the place of each that is found.
    pub fn is_of_characters(&self) -> bool {
        let is_one = |text: &str| text.chars().count() == 1;
        is_one(&self.content)
            && match &self.search {
                Search::Character(_) => true,
                Search::Text(text) => is_one(text),
                Search::Regex(_) | Search::Table(_) => false,
            }
    }

    /// Tells where each match begins and ends, in order; none in the empty text. Fails where the search gives
    /// up.
    pub fn each(&self, text: &str, mut found: impl FnMut(usize, usize)) -> Result<()> {
        match &self.search {
            _ if text.is_empty() => {}
            Search::Character(searched) => {
                memchr::memchr_iter(*searched, text.as_bytes()).for_each(|at| found(at, at + 1));
            }
            Search::Text(searched) => {
                text.match_indices(searched).for_each(|(at, one)| found(at, at + one.len()));
            }
            Search::Table(scanner) => {
                matches_of(scanner, text).for_each(|(start, end)| found(start, end));
            }
            Search::Regex(regex) => {
                for one in regex.find_iter(text) {
                    let one = one.map_err(|error| gave_up(regex, &error))?;
                    found(one.start(), one.end());
                }
            }
        }
        Ok(())
    }

    /// A replacement, one of so many that share what patterns may take. Fails where the pattern
    /// does not compile.
    pub fn one_of(pattern: &Pattern, content: String, count: usize) -> Result<Self> {
        let search = match (pattern, character(pattern, &content)) {
            (_, Some(character)) => Search::Character(character),
            (Pattern::String(text), _) => Search::Text(text.clone()),
            (Pattern::Regex(regex), _) if is_text(regex) => Search::Text(regex.clone()),
            (Pattern::Regex(regex), _) => match Scanner::by_table(regex, count) {
                Some(scanner) => Search::Table(Box::new(scanner)),
                None => Search::Regex(Box::new(bounded(regex, regex, PATTERN_BYTES / count)?)),
            },
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
            Search::Table(scanner) => self.replaced(text, matches_of(scanner, text).map(Ok), most),
            Search::Regex(regex) => {
                let found = regex.find_iter(text).map(|found| match found {
                    Ok(found) => Ok((found.start(), found.end())),
                    Err(error) => Err(gave_up(regex, &error)),
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
            if text[start..end] == *self.content {
                continue;
            }
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

/// The matches of a pattern that a table finds.
fn matches_of(scanner: &Scanner, text: &str) -> impl Iterator<Item = (usize, usize)> {
    let (mut cache, mut position) = (ScanCache::default(), 0);
    iter::from_fn(move || {
        let found = scanner.find(text, position, &mut cache)?;
        position = found.1;
        Some(found)
    })
}

fn gave_up(regex: &Regex, error: &fancy_regex::Error) -> Error {
    Error::Limit(format!("the pattern {:?} gave up: {error}", regex.as_str()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::Random;

    const PATTERNS: [&str; 9] = [
        r"\s+",
        r" {2,}",
        r"a|ab|b+a",
        r"(?i)x|É",
        r"a+b",
        r"\p{L}\d?",
        "[^a]",
        r"a+?b?",
        "中\n|中",
    ];

    #[test]
    fn a_table_finds_what_the_regular_expression_does() {
        let mut random = Random(5);
        for (pattern, content) in
            PATTERNS.iter().flat_map(|&one| [(one, " "), (one, "ab"), (one, "")])
        {
            let given = Pattern::Regex(pattern.to_owned());
            let table = Replacement::one_of(&given, content.to_owned(), 1).expect("compiles");
            assert!(matches!(table.search, Search::Table(_)), "{pattern}");
            let regex = bounded(pattern, pattern, PATTERN_BYTES).expect("compiles");
            let search = Search::Regex(Box::new(regex));
            let regex = Replacement { search, content: content.to_owned() };
            for _ in 0..400 {
                let letter =
                    |random: &mut Random| *b"aab  xX1\n\t".get(random.below(10)).expect("ten");
                let mut text = String::new();
                for _ in 0..random.below(60) {
                    match random.below(12) {
                        0 => text.push_str(["中", "é", "É", "\u{3000}"][random.below(4)]),
                        1 => text.push_str(&"a".repeat(random.below(50))),
                        _ => text.push(char::from(letter(&mut random))),
                    }
                }
                let apply = |one: &Replacement| one.apply(&text, usize::MAX).expect("finds");
                assert_eq!(apply(&table), apply(&regex), "{pattern} in {text:?}");
                let replaced = bounded(pattern, pattern, PATTERN_BYTES).expect("compiles");
                let replaced = replaced.replace_all(&text, fancy_regex::NoExpand(content));
                assert_eq!(apply(&table).as_deref().unwrap_or(&text), replaced);
            }
        }
        for pattern in [r"a*", r"\bx", r"a(?=b)", r"x++", r"x$", "(?<!a)b"] {
            let given = Pattern::Regex(pattern.to_owned());
            let found = Replacement::one_of(&given, String::new(), 1).expect("compiles");
            assert!(matches!(found.search, Search::Regex(_)), "{pattern}");
        }
    }
}
