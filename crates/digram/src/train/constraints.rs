//! What no merge may make: patterns that are found in no new token, and what is kept apart.
//!
//! Whether a product is refused depends on its text alone, never on the pair or on the merges
//! before. So however a text comes about, it is judged the same; no text is produced by two pairs,
//! as without constraints, and the order of the words stays without effect.

use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;
use unicode_script::{Script, UnicodeScript};

use crate::error::{Error, Result};
use crate::pretokenize::scripts;

use super::options::{Apart, LearnOptions};

/// What all patterns may take together when compiled.
const PATTERN_BYTES: usize = 10 << 20;

/// What `SentencePiece` puts for a blank.
const BLANK: char = '\u{2581}';

/// Says that no merge may make a text.
type Refusal = fn(&str) -> bool;

/// The constraints of one training, compiled.
pub(super) struct Constraints {
    forbidden: Option<Regex>,
    /// Whether a product is one character's bytes, or some of them, or whole characters.
    characters: bool,
    /// Found where characters meet that are kept apart.
    mixed: Option<Regex>,
    /// What refuses whole characters by their scripts.
    scripts: Vec<Refusal>,
    digits: Option<(Regex, usize)>,
    /// Whether the marker is a symbol, which is apart from a part of a character.
    separate: bool,
}

impl Constraints {
    /// The constraints that `options` name, if they name any.
    pub fn new(options: &LearnOptions) -> Result<Option<Self>> {
        let LearnOptions { forbidden_patterns, apart, max_digits, .. } = options;
        if forbidden_patterns.is_empty() && apart.is_empty() && max_digits.is_none() {
            return Ok(None);
        }
        let classes = [(Apart::Spaces, r"\s\S|\S\s"), (Apart::Digits, r"\p{N}\P{N}|\P{N}\p{N}")];
        let classes = classes.into_iter().filter(|(class, _)| apart.contains(class));
        let mixed: Vec<&str> = classes.map(|(_, pattern)| pattern).collect();
        let scripts: [(_, Refusal); 4] = [
            (Apart::Scripts, mixes_scripts),
            (Apart::SentencePiece, is_no_piece),
            (Apart::SentencePieceScripts, |text| mixes_pieces(text, false)),
            (Apart::SentencePieceScriptsWithDigits, |text| mixes_pieces(text, true)),
        ];
        let scripts = scripts.into_iter().filter(|(class, _)| apart.contains(class));
        let digits = max_digits.map(|most| Ok((compiled(&[r"\p{N}"])?, most)));
        Ok(Some(Self {
            forbidden: any_of(forbidden_patterns)?,
            characters: !apart.is_empty(),
            mixed: any_of(&mixed)?,
            scripts: scripts.map(|(_, refuses)| refuses).collect(),
            digits: digits.transpose()?,
            separate: options.is_separate(),
        }))
    }

    /// Whether no merge may make what is `spelled` so, the last `marker` bytes being the marker,
    /// if it `ends_word`.
    pub fn refuse(&self, spelled: &[u8], marker: usize, ends_word: bool) -> bool {
        let text = &spelled[..spelled.len() - if ends_word { marker } else { 0 }];
        self.forbidden.as_ref().is_some_and(|forbidden| forbidden.is_match(spelled))
            || self
                .digits
                .as_ref()
                .is_some_and(|(digit, most)| digit.find_iter(text).nth(*most).is_some())
            || self.characters && self.refuse_mixed(text, ends_word)
    }

    fn refuse_mixed(&self, text: &[u8], ends_word: bool) -> bool {
        match std::str::from_utf8(text) {
            Err(_) => !is_within_character(text) || ends_word && self.separate,
            Ok(text) => {
                self.mixed.as_ref().is_some_and(|mixed| mixed.is_match(text))
                    || self.scripts.iter().any(|refuses| refuses(text))
            }
        }
    }
}

/// Whether bytes are part of one character: its first bytes, or bytes behind its first.
fn is_within_character(bytes: &[u8]) -> bool {
    let starts = std::str::from_utf8(bytes)
        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none());
    starts || bytes.len() <= 3 && bytes.iter().all(|byte| (0x80..0xC0).contains(byte))
}

/// Whether a text has characters of two scripts; what has no script of its own goes with any.
fn mixes_scripts(text: &str) -> bool {
    let mut scripts = text
        .chars()
        .map(|character| character.script())
        .filter(|script| !matches!(script, Script::Common | Script::Inherited | Script::Unknown));
    let first = scripts.next();
    scripts.any(|script| Some(script) != first)
}

/// Whether `SentencePiece` takes a text for no piece, under its defaults: in a piece its blank is the
/// first character, if it is there, and all others are of one script.
fn is_no_piece(text: &str) -> bool {
    let letters = text.strip_prefix(BLANK).unwrap_or(text);
    letters.contains(BLANK) || mixes_pieces(letters, false)
}

/// Whether a text holds two scripts as `SentencePiece` sees them, or what it has in no piece: spaces,
/// which it made blanks, what stands for unknown characters, or for none.
///
/// What all scripts share is a script too, Han, Hiragana and Katakana are one, and what inherits its
/// script goes with any, as blanks do, and digits if they shall.
fn mixes_pieces(text: &str, joins_digits: bool) -> bool {
    let script = |character| scripts::script(character).unwrap_or(Script::Common);
    let mut before = None;
    text.chars().filter(|&character| character != BLANK).any(|character| {
        let script = match script(character) {
            _ if joins_digits && matches!(character, '0'..='9' | '０'..='９') => None,
            Script::Inherited => before,
            script => Some(script),
        };
        let differs = before.is_some() && script.is_some() && before != script;
        before = script;
        differs || matches!(character, ' ' | '\u{2585}' | '\0')
    })
}

fn any_of<P: AsRef<str>>(patterns: &[P]) -> Result<Option<Regex>> {
    (!patterns.is_empty()).then(|| compiled(patterns)).transpose()
}

/// A search for any of the patterns in bytes, which need not be UTF-8.
pub(super) fn compiled<P: AsRef<str>>(patterns: &[P]) -> Result<Regex> {
    let limits = meta::Config::new().utf8_empty(false).nfa_size_limit(Some(PATTERN_BYTES));
    Regex::builder()
        .configure(limits)
        .syntax(syntax::Config::new().utf8(false))
        .build_many(patterns)
        .map_err(|error| refused(patterns, &error))
}

fn refused<P: AsRef<str>>(patterns: &[P], error: &meta::BuildError) -> Error {
    let named = error.pattern().and_then(|id| patterns.get(id.as_usize()));
    let named = named.map_or(String::new(), |pattern| format!(" {:?}", pattern.as_ref()));
    let reason = match error.syntax_error() {
        _ if error.size_limit().is_some() => {
            return Error::Limit(format!(
                "the forbidden patterns are larger than {PATTERN_BYTES} bytes when compiled; give \
                 smaller ones"
            ));
        }
        // without the picture of where, which takes lines
        Some(regex_syntax::Error::Parse(error)) => error.kind().to_string(),
        Some(regex_syntax::Error::Translate(error)) => error.kind().to_string(),
        _ => error.to_string(),
    };
    Error::Value(format!("forbidden pattern{named} does not compile: {reason}"))
}

#[cfg(test)]
#[path = "constraints_tests.rs"]
mod tests;
