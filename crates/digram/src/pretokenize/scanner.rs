//! One pattern, run over a text: the next piece from a position.
//!
//! The pattern is the specification. Where it has no look-around (or only the tail that
//! the module `patterns` takes away) it runs as an automaton, anchored at each position, in linear
//! time: one that is built whole and reads characters (`table`), or one that is built as it goes
//! and reads bytes. Otherwise a backtracking engine with a bounded budget runs it.

use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::meta;
use regex_automata::nfa::thompson;
use regex_automata::{Anchored, Input, PatternID};
use regex_syntax::hir::{Class, ClassUnicode, Hir};

use super::ahead::{Ahead, Marks};
use super::backtracking::Backtracking;
use super::compiled::{PATTERN_BYTES, meta, too_large};
use super::patterns::{absolute_end, linear};
use super::rules::Rules;
use super::scripts::run_of_script;
use super::sets;
use super::table::{Match, Table};
use crate::error::{Error, Result};

/// Room for the automata's states; enough for every named pattern on text of all scripts.
const AUTOMATON_BYTES: usize = 16 << 20;

/// A piece of text: what a match covers, or what lies between two matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Which of the scanner's patterns matched; `None` between matches.
    pub pattern: Option<usize>,
}

/// One pattern, or several in order of preference, ready to run.
pub struct Scanner {
    engine: Engine,
    /// What the pattern comes to, where it is one that word masks can run.
    pub(super) rules: Option<Rules>,
    /// Whether it finds characters of one class in runs or one by one, if it does.
    class_in_runs: Option<bool>,
}

enum Engine {
    Linear {
        table: Option<Box<Table>>,
        anchored: Option<Box<DFA>>,
        search: Box<meta::Regex>,
        gives_back: Option<PatternID>,
    },
    Backtracking(Box<Backtracking>),
    /// What looks ahead to the end of a stretch.
    Ahead(Box<Ahead>),
    /// Characters of classes, or runs of them.
    Classes(Box<Table>),
    /// So many characters.
    FixedLength(usize),
    /// Characters of one script, and those that go with any behind them.
    Scripts,
}

/// What a scanner needs while it runs; one per thread.
#[derive(Default)]
pub struct ScanCache {
    anchored: Option<dfa::Cache>,
    search: Option<meta::Cache>,
}

impl Scanner {
    /// A scanner for one pattern.
    ///
    /// Fails where the pattern does not compile or is too large.
    pub fn new(pattern: &str) -> Result<Self> {
        Self::one_of(pattern, 1)
    }

    /// A scanner for one of so many patterns, which share what patterns may take, whose matches a table finds as
    /// they are written; `None` where it does not.
    pub(crate) fn by_table(pattern: &str, count: usize) -> Option<Self> {
        let as_written =
            linear(pattern).is_some_and(|form| !form.gives_back && form.head == pattern);
        let scanner = as_written.then(|| Self::one_of(pattern, count).ok())??;
        scanner.table().is_some().then_some(scanner)
    }

    /// A scanner for one of so many patterns, which share what patterns may take.
    pub(super) fn one_of(pattern: &str, count: usize) -> Result<Self> {
        let Some(form) = linear(pattern) else { return Self::backtracking(pattern, count) };
        let mut patterns = vec![form.head.as_str()];
        patterns.extend(form.gives_back.then_some(r"\s+"));
        match meta(&patterns, PATTERN_BYTES / count) {
            Ok(search) => {
                let gives_back = form.gives_back.then(|| PatternID::must(1));
                let rules = Rules::of(&form);
                Ok(Self { rules, ..Self::linear(&patterns, search, gives_back, count) })
            }
            Err(error) if error.size_limit().is_some() => Err(too_large(pattern, count)),
            Err(_) => Self::backtracking(pattern, count),
        }
    }

    /// A scanner for characters of a class, or for runs of them.
    pub(super) fn class(class: ClassUnicode, of_runs: bool) -> Self {
        let pattern = if of_runs { sets::runs(class) } else { Hir::class(Class::Unicode(class)) };
        Self { class_in_runs: Some(of_runs), ..Self::classes(pattern) }
    }

    /// A scanner for a pattern of few classes, of which a match begins wherever one of its characters may.
    pub(super) fn classes(pattern: Hir) -> Self {
        let table = Table::of_parsed(&[pattern]).expect("a class has two states");
        Self { engine: Engine::Classes(Box::new(table)), rules: None, class_in_runs: None }
    }

    /// A scanner for stretches of `length` characters, and of what is left. Fails for none.
    pub(super) fn fixed_length(length: usize) -> Result<Self> {
        if length == 0 {
            return Err(Error::Format(
                "pre_tokenizer FixedLength: length is 0; give 1 or more".into(),
            ));
        }
        Ok(Self { engine: Engine::FixedLength(length), rules: None, class_in_runs: None })
    }

    /// A scanner for runs of one script.
    pub(super) fn scripts() -> Self {
        Self { engine: Engine::Scripts, rules: None, class_in_runs: None }
    }

    fn linear(
        patterns: &[&str],
        search: meta::Regex,
        gives_back: Option<PatternID>,
        count: usize,
    ) -> Self {
        let table = Table::of(patterns).map(Box::new);
        // Patterns with a Unicode word boundary have no such automaton; the search serves alone.
        let build = || {
            DFA::builder()
                .configure(
                    DFA::config()
                        .cache_capacity(AUTOMATON_BYTES / count)
                        .skip_cache_capacity_check(true),
                )
                .thompson(thompson::Config::new().nfa_size_limit(Some(PATTERN_BYTES / count)))
                .build_many(patterns)
                .ok()
                .map(Box::new)
        };
        let anchored = if table.is_some() { None } else { build() };
        let engine = Engine::Linear { table, anchored, search: Box::new(search), gives_back };
        Self { engine, rules: None, class_in_runs: None }
    }

    pub(super) fn backtracking(pattern: &str, count: usize) -> Result<Self> {
        if let Some(ahead) = Ahead::of(&absolute_end(pattern)) {
            let engine = Engine::Ahead(Box::new(ahead));
            return Ok(Self { engine, rules: None, class_in_runs: None });
        }
        let regex = Backtracking::new(pattern, PATTERN_BYTES / count)?;
        Ok(Self { engine: Engine::Backtracking(Box::new(regex)), rules: None, class_in_runs: None })
    }

    /// Whether the empty text is a match.
    pub(super) fn matches_empty(&self) -> Result<bool> {
        match &self.engine {
            Engine::Linear { search, .. } => Ok(search.is_match("")),
            Engine::Backtracking(regex) => Ok(regex.find("", 0)?.is_some()),
            Engine::Ahead(_) | Engine::Classes(_) | Engine::FixedLength(_) | Engine::Scripts => {
                Ok(false)
            }
        }
    }

    /// Whether it finds characters of one class in runs or one by one; `None` if it finds anything else.
    pub(super) fn class_in_runs(&self) -> Option<bool> {
        self.class_in_runs
    }

    /// The table, where the pattern has one.
    pub(super) fn table(&self) -> Option<&Table> {
        match &self.engine {
            Engine::Linear { table: Some(table), .. } | Engine::Classes(table) => Some(table),
            _ => None,
        }
    }

    /// Whether an engine runs it that goes back and forth, or one that looks at all of a stretch.
    pub(super) fn may_be_slow(&self) -> bool {
        matches!(self.engine, Engine::Backtracking(_) | Engine::Ahead(_))
    }

    /// Whether pieces do not depend on what stands before the position that they are asked for at.
    pub(super) fn looks_ahead_only(&self) -> bool {
        match &self.engine {
            Engine::Linear { table, .. } => table.is_some(),
            Engine::Classes(_) | Engine::FixedLength(_) | Engine::Scripts => true,
            Engine::Backtracking(_) | Engine::Ahead(_) => false,
        }
    }

    /// The next piece of `text` from `position`, which is not at the end.
    ///
    /// The pieces of a text cover it without gap, and none is empty: an empty match ends the piece
    /// before it. What comes next depends on the text and the position alone: that is what lets a
    /// text be scanned from several places at once.
    #[inline]
    pub fn next(&self, text: &str, position: usize, cache: &mut ScanCache) -> Result<Piece> {
        self.next_within(text, position, cache, &mut Marks::default())
    }

    /// The same, in a text of which `marks` are known.
    #[inline]
    pub(super) fn next_within(
        &self,
        text: &str,
        position: usize,
        cache: &mut ScanCache,
        marks: &mut Marks,
    ) -> Result<Piece> {
        match &self.engine {
            Engine::Linear { table: Some(table), search, gives_back, .. } => {
                let found = table.run(text.as_bytes(), position).map(|found| told(position, found));
                let find = |from, cache: &mut ScanCache| find(search, text, from, cache);
                let found =
                    found.or_else(|| next_match(table, text, after(text, position), cache, find));
                Ok(Self::piece(text, position, found, *gives_back))
            }
            Engine::Classes(table) => {
                let bytes = text.as_bytes();
                let start = table.candidate(bytes, position);
                let found = table.run(bytes, start).map(|found| told(start, found));
                Ok(Self::piece(text, position, found, None))
            }
            Engine::Ahead(ahead) => {
                let found = not_empty_at(text, position, |from| Ok(ahead.find(text, from, marks)))?;
                Ok(Self::piece(text, position, found, None))
            }
            _ => self.next_slowly(text, position, cache),
        }
    }

    /// Where the first match from `position` on begins and ends; `None` also where no table tells it.
    pub fn find(
        &self,
        text: &str,
        position: usize,
        cache: &mut ScanCache,
    ) -> Option<(usize, usize)> {
        let Engine::Linear { table: Some(table), search, .. } = &self.engine else { return None };
        let find = |from, cache: &mut ScanCache| find(search, text, from, cache);
        let (start, end, _) = next_match(table, text, position, cache, find)?;
        Some((start, end))
    }

    fn next_slowly(&self, text: &str, position: usize, cache: &mut ScanCache) -> Result<Piece> {
        match &self.engine {
            Engine::Linear { anchored, search, gives_back, .. } => {
                let found = match anchored {
                    Some(dfa) => match step(dfa, text, position, cache) {
                        None => find(search, text, position, cache),
                        found => found,
                    },
                    None => find(search, text, position, cache),
                };
                if let Some((_, end, _)) = found
                    && end == position
                {
                    return Ok(behind_empty(search, text, position, cache));
                }
                Ok(Self::piece(text, position, found, *gives_back))
            }
            Engine::Backtracking(regex) => {
                let found = not_empty_at(text, position, |from| regex.find(text, from))?;
                Ok(Self::piece(text, position, found, None))
            }
            Engine::FixedLength(length) => {
                let rest = &text[position..];
                let end = rest.char_indices().nth(*length).map_or(rest.len(), |(end, _)| end);
                Ok(Piece { start: position, end: position + end, pattern: Some(0) })
            }
            Engine::Scripts => Ok(run_of_script(text, position)),
            Engine::Classes(_) | Engine::Ahead(_) => unreachable!("the caller runs these"),
        }
    }

    fn piece(
        text: &str,
        position: usize,
        found: Option<(usize, usize, usize)>,
        gives_back: Option<PatternID>,
    ) -> Piece {
        match found {
            None => Piece { start: position, end: text.len(), pattern: None },
            Some((start, ..)) if start > position => {
                Piece { start: position, end: start, pattern: None }
            }
            Some((start, mut end, pattern)) => {
                if gives_back.is_some_and(|id| id.as_usize() == pattern) && end < text.len() {
                    end = without_last_character(text, start, end);
                }
                Piece { start, end, pattern: Some(pattern) }
            }
        }
    }
}

/// How many places where a match may begin, and none does, are tried before the regex searches.
const TRIED: usize = 16;

/// A match from `start`, as the engines tell it.
#[inline]
fn told(start: usize, found: Match) -> (usize, usize, usize) {
    (start, found.end, usize::from(found.is_second))
}

/// The first match from `position` on. Where many places are tried in vain, `find` searches: each try
/// may read far.
fn next_match(
    table: &Table,
    text: &str,
    position: usize,
    cache: &mut ScanCache,
    find: impl Fn(usize, &mut ScanCache) -> Option<(usize, usize, usize)>,
) -> Option<(usize, usize, usize)> {
    let (bytes, mut at) = (text.as_bytes(), position);
    for _ in 0..TRIED {
        at = table.candidate(bytes, at);
        if at == bytes.len() {
            return None;
        }
        if let Some(found) = table.run(bytes, at) {
            return Some(told(at, found));
        }
        at = after(text, at);
    }
    find(at, cache)
}

/// One anchored match of the automaton, or `None`.
fn step(
    dfa: &DFA,
    text: &str,
    position: usize,
    cache: &mut ScanCache,
) -> Option<(usize, usize, usize)> {
    let cache = cache.anchored.get_or_insert_with(|| dfa.create_cache());
    let input = Input::new(text).range(position..).anchored(Anchored::Yes);
    // An error means that the automaton quit or gave up; the search then decides.
    let found = dfa.try_search_fwd(cache, &input).ok()??;
    Some((position, found.offset(), found.pattern().as_usize()))
}

fn find(
    search: &meta::Regex,
    text: &str,
    position: usize,
    cache: &mut ScanCache,
) -> Option<(usize, usize, usize)> {
    let cache = cache.search.get_or_insert_with(|| search.create_cache());
    let found = search.search_with(cache, &Input::new(text).range(position..))?;
    Some((found.start(), found.end(), found.pattern().as_usize()))
}

/// The end of a run without its last character, unless that is all there is.
fn without_last_character(text: &str, start: usize, end: usize) -> usize {
    let last = text[start..end].chars().next_back().map_or(0, char::len_utf8);
    if end - last > start { end - last } else { end }
}

/// The first match from `position` on but for an empty one there.
fn not_empty_at(
    text: &str,
    position: usize,
    mut find: impl FnMut(usize) -> Result<Option<(usize, usize)>>,
) -> Result<Option<(usize, usize, usize)>> {
    let found = match find(position)? {
        Some(found) if found == (position, position) => find(after(text, position))?,
        found => found,
    };
    Ok(found.map(|(start, end)| (start, end, 0)))
}

/// What goes on behind an empty match at `position`.
#[cold]
fn behind_empty(search: &meta::Regex, text: &str, position: usize, cache: &mut ScanCache) -> Piece {
    let found = find(search, text, after(text, position), cache);
    Scanner::piece(text, position, found, None)
}

/// Where the character behind the one at `position` stands.
fn after(text: &str, position: usize) -> usize {
    position + text[position..].chars().next().map_or(0, char::len_utf8)
}
