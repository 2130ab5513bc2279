//! Patterns with look-around or references, which an engine runs that goes back where it must.

use fancy_regex::{CompileError, Regex, RegexInput};

use super::begins;
use super::patterns::{absolute_end, outside_escapes, repeated_at_most};
use super::table::Table;
use crate::error::{Error, Result};

/// What the backtracking engine may be told to repeat, which it does for the empty text too.
const MOST_REPEATED: usize = 1 << 20;

/// So many places where a match may begin are tried one by one, each for the time of a call, before the
/// engine searches by itself.
const TRIED: usize = 16;

/// A pattern, ready to run.
pub(super) struct Backtracking {
    regex: Regex,
    /// Where matches may begin, if that is not anywhere.
    places: Option<Box<Table>>,
}

impl Backtracking {
    /// One of patterns which have so many bytes each. Fails where it does not compile.
    pub fn new(pattern: &str, bytes: usize) -> Result<Self> {
        let meant = absolute_end(pattern);
        refuse_moved_beginnings(pattern)?;
        let regex = bounded(&meant, pattern, bytes)?;
        Ok(Self { regex, places: begins::places(&meant).map(Box::new) })
    }

    /// The first match from `position` on. Fails where the engine gives up.
    pub fn find(&self, text: &str, position: usize) -> Result<Option<(usize, usize)>> {
        let Some(places) = &self.places else { return find_slowly(&self.regex, text, position) };
        let mut at = position;
        for _ in 0..TRIED {
            at = places.candidate(text.as_bytes(), at);
            let Some(next) = text[at..].chars().next() else { return Ok(None) };
            let there = RegexInput::new(text).from_pos(at).anchored(true);
            let found = self.regex.find_input(there).map_err(|error| gave_up(at, &error))?;
            if let Some(found) = found {
                return Ok(Some((found.start(), found.end())));
            }
            at += next.len_utf8();
        }
        find_slowly(&self.regex, text, at)
    }
}

/// The first match from `position` on. Fails where the engine gives up.
pub(super) fn find_slowly(
    regex: &Regex,
    text: &str,
    position: usize,
) -> Result<Option<(usize, usize)>> {
    let found = regex.find_from_pos(text, position).map_err(|error| gave_up(position, &error))?;
    Ok(found.map(|found| (found.start(), found.end())))
}

fn gave_up(position: usize, error: &fancy_regex::Error) -> Error {
    Error::Limit(format!("the pattern gave up at byte {position}: {error}"))
}

/// Refuses `\K`: pieces depend on the text and on where they begin, so that no match begins before its piece.
fn refuse_moved_beginnings(pattern: &str) -> Result<()> {
    let is_moved =
        |(at, _, in_class): (usize, char, bool)| !in_class && pattern[at..].starts_with("\\K");
    if outside_escapes(pattern).any(is_moved) {
        return Err(Error::Value(format!(
            "pattern {:?} has \\K, which moves where a match begins; write what stands before it \
             as (?<=…)",
            shortened(pattern)
        )));
    }
    Ok(())
}

/// Refuses `{3,2}`, which engines take for different things.
fn refuse_turned_intervals(pattern: &str, given: &str) -> Result<()> {
    for (at, _, _) in outside_escapes(pattern).filter(|&(_, one, in_class)| one == '{' && !in_class)
    {
        let inside = pattern[at + 1..].split_once('}').map_or("", |(inside, _)| inside);
        let (least, most) = inside.split_once(',').unwrap_or_default();
        if let (Ok(least), Ok(most)) = (least.parse::<usize>(), most.parse())
            && least > most
        {
            return Err(Error::Value(format!(
                "pattern {:?} has {{{inside}}}, where the least is more than the most; write \
                 {{{most},{least}}}",
                shortened(given)
            )));
        }
    }
    Ok(())
}

/// A pattern for the backtracking engine, where each of its parts has an equal share of `bytes`.
/// Errors show it as it is `given`. What lies between look-around and references is such a part.
pub(crate) fn bounded(pattern: &str, given: &str, bytes: usize) -> Result<Regex> {
    if repeated_at_most(pattern).is_none_or(|times| times > MOST_REPEATED) {
        return Err(Error::Limit(format!(
            "pattern {:?} repeats more than {MOST_REPEATED} times; repeat less in it",
            shortened(given)
        )));
    }
    refuse_turned_intervals(pattern, given)?;
    let signs = ["(?", "\\b", "\\B", "\\k", "++", "*+", "?+", "}+"];
    let references = (1..=9).map(|digit| pattern.matches(&format!("\\{digit}")).count());
    let parts: usize = signs.iter().map(|sign| pattern.matches(sign).count()).sum();
    let parts = 1 + 2 * (parts + references.sum::<usize>());
    let mut builder = fancy_regex::RegexBuilder::new(pattern);
    builder.delegate_size_limit(bytes / parts);
    builder.build().map_err(|error| match error {
        fancy_regex::Error::CompileError(inner) if is_too_large(&inner) => Error::Limit(format!(
            "pattern {:?} has a part that is larger than {} bytes when compiled; repeat less in it",
            shortened(given),
            bytes / parts
        )),
        error => Error::Value(format!("pattern {:?} does not compile: {error}", shortened(given))),
    })
}

fn is_too_large(error: &CompileError) -> bool {
    matches!(error, CompileError::InnerError(error) if error.size_limit().is_some())
}

/// A pattern as a message shows it.
pub(super) fn shortened(pattern: &str) -> std::borrow::Cow<'_, str> {
    match pattern.char_indices().nth(200) {
        None => pattern.into(),
        Some((end, _)) => format!("{}…", &pattern[..end]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_change_no_match() {
        let parts = [
            "a",
            "1",
            "[a1]",
            "é?",
            "(?=a)",
            "(?=[1é])",
            "(?=a|)",
            "(?!a)",
            "(?<=a)",
            "(?<!1)",
            r"\b",
            "(?>1|11)",
            "(?i:A)",
            "a++",
            "[^a]*",
            r"(?=(?:11)+(?!1))",
            r"\z",
            "(?:1|(?=é))",
        ];
        let mut patterns: Vec<String> = parts.map(String::from).to_vec();
        for one in parts {
            patterns.extend(parts.map(|other| format!("{one}{other}")));
            patterns.extend(parts.map(|other| format!("(?=é)a|{one}{other}|{other}1")));
        }
        let texts = texts();
        let mut known = 0;
        for pattern in patterns {
            let Ok(own) = Backtracking::new(&pattern, 1 << 20) else { continue };
            known += usize::from(own.places.is_some());
            for text in &texts {
                for position in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                    let expected = find_slowly(&own.regex, text, position).expect("ends");
                    let found = own.find(text, position).expect("ends");
                    assert_eq!(found, expected, "{pattern} in {text:?} from {position}");
                }
            }
        }
        assert!(known > 100, "{known}");
    }

    #[test]
    fn what_is_too_large_is_told_so() {
        let pattern = r"\p{L}{500}";
        let error = bounded(pattern, pattern, 1 << 16).expect_err("refused");
        assert!(matches!(&error, Error::Limit(told) if told.contains("repeat less")), "{error}");
    }

    #[test]
    fn what_engines_take_for_different_things_is_refused() {
        for (pattern, reason) in [
            (r"(?=a)a\Kb", r"has \K, which moves where a match begins; write what stands before"),
            ("(?=a)a{3,2}", "has {3,2}, where the least is more than the most; write {2,3}"),
        ] {
            let error = Backtracking::new(pattern, 1 << 20).err().expect("refused").to_string();
            assert!(error.contains(reason), "{error}");
        }
        for pattern in [r"(?=a)[\K]\\K", r"(?=a)a{2,3}[{3,2}]\{3,2}"] {
            assert!(Backtracking::new(pattern, 1 << 20).is_ok(), "{pattern}");
        }
    }

    /// All texts of up to five of some characters, and longer ones than are tried.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new(), "é1".repeat(TRIED) + "1a", "1".repeat(2 * TRIED + 1)];
        let mut last = vec![String::new()];
        for _ in 0..5 {
            let longer = |text: &String| ["a", "1", "é"].map(|next| text.clone() + next);
            last = last.iter().flat_map(longer).collect();
            texts.extend(last.clone());
        }
        texts
    }
}
