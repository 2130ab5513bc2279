//! Finding added tokens in text: all at once, the leftmost first, the longest of those.
//!
//! Where any of them may begin is found by their first bytes, many bytes of text at a time where these
//! beginnings are few, else by an automaton; which it is, a search among them tells. So both stay small
//! however long the tokens are. Beginnings of a single byte, as a line's end, are looked for apart: among
//! others they would have but the first byte of each be looked at. How long tokens are is bounded: where text
//! is like the beginning of one everywhere, each place is compared with it.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind, packed};

use super::AddedToken;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

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

/// So many bytes of a token are looked for: enough to be rare in text.
const BEGINNING: usize = 8;

/// No token is looked for that is longer: it would be compared with the text at as many places as it takes, and
/// text may be like its beginning everywhere.
const LONGEST: usize = 2048;

/// Beginnings of so few first bytes are looked for many bytes of text at a time, however many they are: the
/// library would not look so for more than 16 if one is a single byte.
const FEW: usize = 8;

/// Finds a set of added tokens.
pub struct Matcher {
    /// Beginnings of a single byte, and others.
    beginnings: [Option<Beginnings>; 2],
    /// By content, and unlike.
    tokens: Vec<AddedToken>,
    /// For each token the longest other one that it begins with.
    shorter: Vec<Option<usize>>,
}

/// Finds the beginnings of tokens.
struct Beginnings {
    searcher: Searcher,
    /// The tokens that begin with each.
    groups: Vec<Group>,
}

enum Searcher {
    Byte(u8),
    Few(packed::Searcher),
    Many(AhoCorasick),
}

impl Beginnings {
    fn of(all: &[Vec<u8>], tokens: &[AddedToken]) -> Result<Option<Self>> {
        let groups = all.iter().map(|beginning| group(tokens, beginning)).collect();
        (!all.is_empty()).then(|| Ok(Self { searcher: searcher(all)?, groups })).transpose()
    }

    /// Where the next one begins, from a position on, and the tokens that begin so.
    fn next(&self, text: &[u8], position: usize) -> Option<(usize, &Group)> {
        let rest = &text[position..];
        let found = match &self.searcher {
            Searcher::Byte(byte) => {
                return Some((position + memchr::memchr(*byte, rest)?, &self.groups[0]));
            }
            Searcher::Few(searcher) => searcher.find(rest),
            Searcher::Many(automaton) => automaton.find(rest),
        }?;
        Some((position + found.start(), &self.groups[found.pattern().as_usize()]))
    }
}

/// What finds some beginnings.
fn searcher(all: &[Vec<u8>]) -> Result<Searcher> {
    if let [beginning] = all
        && let [byte] = beginning[..]
    {
        return Ok(Searcher::Byte(byte));
    }
    let mut first: Vec<u8> = all.iter().map(|beginning| beginning[0]).collect();
    first.sort_unstable();
    first.dedup();
    let many = first.len() > FEW;
    let few = packed::Config::new().heuristic_pattern_limits(many).builder().extend(all).build();
    if let Some(searcher) = few {
        return Ok(Searcher::Few(searcher));
    }
    let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(all);
    automaton
        .map(Searcher::Many)
        .map_err(|error| Error::Limit(format!("too many added tokens: {error}")))
}

/// Where the next beginnings of each kind are, in a text that is gone through.
struct Ahead<'a> {
    text: &'a [u8],
    kinds: [Option<&'a Beginnings>; 2],
    next: [Option<(usize, &'a Group)>; 2],
}

impl<'a> Ahead<'a> {
    fn of(kinds: &'a [Option<Beginnings>; 2], text: &'a [u8]) -> Self {
        let kinds = kinds.each_ref().map(Option::as_ref);
        Self { text, kinds, next: kinds.map(|some| some?.next(text, 0)) }
    }

    /// The first beginning from a position on, which is not before the last one.
    fn from(&mut self, position: usize) -> Option<(usize, &'a Group)> {
        for (some, next) in self.kinds.iter().zip(&mut self.next) {
            if next.is_some_and(|(start, _)| start < position) {
                *next = some.and_then(|some| some.next(self.text, position));
            }
        }
        self.next.into_iter().flatten().min_by_key(|(start, _)| *start)
    }
}

/// Places where a token may begin, and none does, between two looks at the monitor.
const TRIED_PER_CHECK: usize = 1 << 16;

/// Tokens that begin alike.
struct Group {
    /// Their places among all.
    places: Range<usize>,
    /// Whether each begins with the one before, as runs of blanks do.
    is_chain: bool,
}

/// A token that was found, and where it begins.
type Found<'a> = (usize, &'a AddedToken);

impl Matcher {
    /// A matcher for `tokens`, whose contents may have been normalized; `None` for none.
    /// Nothing is found for an empty one.
    pub fn new(mut tokens: Vec<AddedToken>) -> Result<Option<Self>> {
        tokens.retain(|token| !token.content.is_empty());
        if tokens.is_empty() {
            return Ok(None);
        }
        if let Some(token) = tokens.iter().find(|token| token.content.len() > LONGEST) {
            let start: String = token.content.chars().take(20).collect();
            return Err(Error::Limit(format!(
                "the added token {start:?} … has {} bytes; those of up to {LONGEST} are looked for",
                token.content.len()
            )));
        }
        // of tokens with the same content the first counts
        tokens.sort_by(|a, b| a.content.cmp(&b.content));
        tokens.dedup_by(|later, first| later.content == first.content);
        let beginning = |token: &AddedToken| {
            let content = token.content.as_bytes();
            content[..content.len().min(BEGINNING)].to_vec()
        };
        // tokens are sorted, so those that begin with a beginning follow it: it stands for theirs
        let mut beginnings: Vec<Vec<u8>> = tokens.iter().map(beginning).collect();
        beginnings.dedup_by(|later, kept| later.starts_with(kept));
        let (single, others): (Vec<_>, Vec<_>) =
            beginnings.into_iter().partition(|beginning| beginning.len() == 1);
        let beginnings = [Beginnings::of(&single, &tokens)?, Beginnings::of(&others, &tokens)?];
        Ok(Some(Self { beginnings, shorter: shorter(&tokens), tokens }))
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

    /// The longest token of a group that `rest` begins with.
    fn longest(&self, rest: &[u8], group: &Group) -> Option<&AddedToken> {
        let tokens = &self.tokens[group.places.clone()];
        if group.is_chain {
            let common = common(tokens.last()?.content.as_bytes(), rest);
            let after = tokens.partition_point(|token| token.content.len() <= common);
            return tokens[..after].last();
        }
        // all that it begins with come before it, the longest last but for others between
        let after = tokens.partition_point(|token| token.content.as_bytes() <= rest);
        let mut candidate = Some(group.places.start + after.checked_sub(1)?);
        let common = common(tokens[after - 1].content.as_bytes(), rest);
        while let Some(place) = candidate {
            let token = &self.tokens[place];
            if token.content.len() <= common {
                return Some(token);
            }
            candidate = self.shorter[place];
        }
        None
    }

    /// All tokens in `text` that do not overlap, from left to right, and an error where it was to stop.
    fn all<'a>(
        &'a self,
        text: &'a str,
        monitor: &'a Monitor,
    ) -> impl Iterator<Item = Result<Found<'a>>> {
        let (mut ahead, mut position) = (Ahead::of(&self.beginnings, text.as_bytes()), 0);
        let mut tried = 0_usize;
        std::iter::from_fn(move || {
            loop {
                let (start, group) = ahead.from(position)?;
                position = start + 1;
                if let Some(token) = self.longest(&text.as_bytes()[start..], group) {
                    position = start + token.content.len();
                    return Some(Ok((start, token)));
                }
                tried += 1;
                if tried.is_multiple_of(TRIED_PER_CHECK)
                    && let Err(error) = monitor.check()
                {
                    return Some(Err(error));
                }
            }
        })
    }

    /// Cuts `text` into sections, calling `section` with each that is not empty, in order.
    ///
    /// A token in the white space that the one before has swallowed is one all the same, unless
    /// it would swallow that too, and the text goes on behind it: as Hugging Face has it.
    pub fn sections<F>(&self, text: &str, monitor: &Monitor, mut section: F) -> Result<()>
    where
        F: FnMut(Section) -> Result<()>,
    {
        let mut position = 0;
        // blanks that were looked through: many tokens may stand in one run of them
        let mut blanks = 0..0;
        for found in self.all(text, monitor) {
            let (mut start, token) = found?;
            let mut end = start + token.content.len();
            if token.single_word && !stands_alone(text, start, end) {
                continue;
            }
            if token.lstrip {
                let passed = position.min(start);
                start = position.max(passed + text[passed..start].trim_end_matches(is_blank).len());
            }
            if token.rstrip {
                if end < blanks.start || blanks.end < end {
                    blanks = end..text.len() - text[end..].trim_start_matches(is_blank).len();
                }
                end = blanks.end;
            }
            if position < start {
                section(Section { start: position, end: start, id: None })?;
            }
            if start < end {
                section(Section { start, end, id: Some(token.id) })?;
            }
            position = end;
        }
        if position < text.len() {
            section(Section { start: position, end: text.len(), id: None })?;
        }
        Ok(())
    }

    /// The first added token in `text`: where it begins, and its content.
    pub fn first<'a>(&'a self, text: &'a str, monitor: &'a Monitor) -> Result<Option<Found<'a>>> {
        let counts = |&(start, token): &Found| {
            !token.single_word || stands_alone(text, start, start + token.content.len())
        };
        self.all(text, monitor).find(|found| found.as_ref().map_or(true, counts)).transpose()
    }
}

/// Those of `tokens`, which are sorted, that have a beginning.
fn group(tokens: &[AddedToken], beginning: &[u8]) -> Group {
    let start = tokens.partition_point(|token| token.content.as_bytes() < beginning);
    let has = |token: &&AddedToken| token.content.as_bytes().starts_with(beginning);
    let places = start..start + tokens[start..].iter().take_while(has).count();
    let mut pairs = tokens[places.clone()].windows(2);
    Group { places, is_chain: pairs.all(|pair| pair[1].content.starts_with(&pair[0].content)) }
}

/// For each of `tokens`, which are sorted, the longest other one that it begins with.
fn shorter(tokens: &[AddedToken]) -> Vec<Option<usize>> {
    // the tokens that the one before begins with, and itself
    let mut open: Vec<usize> = Vec::new();
    let mut shorter = Vec::with_capacity(tokens.len());
    for (place, token) in tokens.iter().enumerate() {
        while open.last().is_some_and(|&last| !token.content.starts_with(&tokens[last].content)) {
            open.pop();
        }
        shorter.push(open.last().copied());
        open.push(place);
    }
    shorter
}

/// How many bytes both begin with.
fn common(a: &[u8], b: &[u8]) -> usize {
    /// So many are compared at once, with vectors.
    const MANY: usize = 64;
    let alike = a.chunks_exact(MANY).zip(b.chunks_exact(MANY)).take_while(|(a, b)| a == b);
    let begun = MANY * alike.count();
    begun + a[begun..].iter().zip(&b[begun..]).take_while(|(a, b)| a == b).count()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(contents: &[&str]) -> Vec<AddedToken> {
        let token = |(id, content): (u32, &&str)| AddedToken {
            id,
            content: (*content).to_owned(),
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: false,
        };
        (0..).zip(contents).map(token).collect()
    }

    fn found(contents: &[&str], text: &str) -> Vec<(usize, u32)> {
        let Some(matcher) = Matcher::new(tokens(contents)).expect("few") else { return vec![] };
        matcher
            .all(text, &Monitor::silent())
            .flatten()
            .map(|(start, token)| (start, token.id))
            .collect()
    }

    #[test]
    fn the_leftmost_is_found_and_the_longest_of_those() {
        let contents = ["<extra_id_1>", "<extra_id_10>", "<", "<extra_", "extra_id_1>", "é"];
        assert_eq!(found(&contents, "<extra_id_10><extra_id_1>"), [(0, 1), (13, 0)]);
        assert_eq!(found(&contents, "<extra_id_2>é"), [(0, 3), (12, 5)]);
        assert_eq!(found(&contents, "<extr extra_id_1>"), [(0, 2), (6, 4)]);
        // the beginning of one alone is nothing
        assert_eq!(found(&["<|reserved_1|>"], "<|reserved_<|reserved_1|>"), [(11, 0)]);
    }

    #[test]
    fn nothing_is_found_for_an_empty_token_and_the_first_for_two_alike() {
        assert_eq!(found(&[""], "abc"), []);
        assert_eq!(found(&["", "b", "b"], "abc"), [(1, 1)]);
    }

    #[test]
    fn tokens_are_found_as_an_automaton_of_all_of_them_finds_them() {
        let mut state = 3_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..2_000 {
            let mut word = |longest: usize| -> String {
                (0..=random(longest)).map(|_| ['a', 'b', 'é'][random(3)]).collect()
            };
            let contents: Vec<String> = (0..6).map(|_| word(14)).collect();
            let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
            let text = word(60) + contents[0] + &word(30);
            let automaton = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(&contents)
                .expect("few");
            let expected: Vec<_> = automaton
                .find_iter(&text)
                .map(|found| (found.start(), found.pattern().as_u32()))
                .collect();
            assert_eq!(found(&contents, &text), expected, "{contents:?} {text:?}");
        }
    }
}
