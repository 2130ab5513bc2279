//! Patterns with look-around or references, which an engine runs that goes back where it must.

use fancy_regex::Regex;

use super::patterns::repeated_at_most;
use crate::error::{Error, Result};

/// What the backtracking engine may be told to repeat, which it does for the empty text too.
const MOST_REPEATED: usize = 1 << 20;

/// The first match from `position` on. Fails where the engine gives up.
pub(super) fn find_slowly(
    regex: &Regex,
    text: &str,
    position: usize,
) -> Result<Option<(usize, usize, usize)>> {
    let found = regex.find_from_pos(text, position).map_err(|error| {
        Error::Limit(format!("the pattern gave up at byte {position}: {error}"))
    })?;
    Ok(found.map(|found| (found.start(), found.end(), 0)))
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
    let signs = ["(?", "\\b", "\\B", "\\k", "++", "*+", "?+", "}+"];
    let references = (1..=9).map(|digit| pattern.matches(&format!("\\{digit}")).count());
    let parts: usize = signs.iter().map(|sign| pattern.matches(sign).count()).sum();
    let parts = 1 + 2 * (parts + references.sum::<usize>());
    let mut builder = fancy_regex::RegexBuilder::new(pattern);
    builder.delegate_size_limit(bytes / parts);
    builder.build().map_err(|error| {
        Error::Value(format!("pattern {:?} does not compile: {error}", shortened(given)))
    })
}

/// A pattern as a message shows it.
pub(super) fn shortened(pattern: &str) -> std::borrow::Cow<'_, str> {
    match pattern.char_indices().nth(200) {
        None => pattern.into(),
        Some((end, _)) => format!("{}…", &pattern[..end]).into(),
    }
}
