//! From a pattern to an equal one without look-ahead.
//!
//! The patterns that language models use end alike: `…|\s+(?!\S)|\s+`. The look-ahead says that
//! a run of blanks gives its last one to the word behind it. A finite automaton has no
//! look-ahead, so the tail is replaced by `\s+`, and the scanner gives the last character back:
//!
//! * A match of `\s+` is a maximal run of blanks, so it ends at the end of the text or before a
//!   character that is not blank.
//! * At the end of the text `\s+(?!\S)` takes the run whole: nothing to give back.
//! * Otherwise `\s+(?!\S)` takes all but the last character, if that leaves one; if it does not,
//!   the last alternative takes the run's one character.
//!
//! The alternatives before the tail are tried first in both forms, so the matches are the same
//! as long as those have no look-around themselves, which the compiler behind refuses.

use super::possessive::greedy;

/// How a pattern runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    /// The alternatives before the tail, in a syntax without possessive repetition.
    pub head: String,
    /// Whether `\s+` follows that gives its last blank back.
    pub gives_back: bool,
}

/// The end of a pattern whose blanks give their last one back.
const TAILS: [&str; 2] = [r"|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s"];

/// The linear form of a pattern, or `None` where it needs a backtracking engine.
pub(super) fn linear(pattern: &str) -> Option<Linear> {
    let tail = TAILS.iter().find_map(|tail| pattern.strip_suffix(tail));
    let head = tail.unwrap_or(pattern);
    let head = greedy(&absolute_end(head))?;
    Some(Linear { head, gives_back: tail.is_some() })
}

/// `$` means the very end of the text, as the engines that publish these patterns have it, but where `(?m)` says
/// that it is the end of a line.
pub(super) fn absolute_end(pattern: &str) -> String {
    let mut rewritten = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    // for the groups that are open, whether `$` ends lines
    let (mut classes, mut lines) = (0_u32, vec![false]);
    while let Some(character) = characters.next() {
        let ends_lines = lines.last().copied().unwrap_or_default();
        match character {
            '\\' => {
                rewritten.push(character);
                rewritten.extend(characters.next());
                continue;
            }
            '[' => classes += 1,
            ']' => classes = classes.saturating_sub(1),
            '(' if classes == 0 => {
                let (said, is_all) = flags(characters.as_str()).unwrap_or_default();
                let inner = multi_line(said).unwrap_or(ends_lines);
                if is_all && let Some(outer) = lines.last_mut() {
                    *outer = inner;
                }
                lines.push(inner);
            }
            ')' if classes == 0 && lines.len() > 1 => drop(lines.pop()),
            '$' if classes == 0 && !ends_lines => {
                rewritten.push_str(r"\z");
                continue;
            }
            _ => {}
        }
        rewritten.push(character);
    }
    rewritten
}

/// The flags that a group begins with, and whether it is nothing else, so that they hold for what follows it.
fn flags(group: &str) -> Option<(&str, bool)> {
    let rest = group.strip_prefix('?')?;
    let end = rest.find(|character: char| !character.is_ascii_alphabetic() && character != '-')?;
    matches!(rest.as_bytes()[end], b':' | b')')
        .then(|| (&rest[..end], rest.as_bytes()[end] == b')'))
}

/// Whether flags say that `^` and `$` are of lines; `None` where they say nothing of it.
fn multi_line(flags: &str) -> Option<bool> {
    let at = flags.rfind('m')?;
    Some(!flags[..at].contains('-'))
}

/// How often at most something is repeated by intervals, those within each other multiplied, or
/// `None` where no number tells it.
///
/// The backtracking engine multiplies without looking, and repeats the empty text so often.
pub(super) fn repeated_at_most(pattern: &str) -> Option<usize> {
    // for the groups that are open, and for what was last read; and the numbers of an interval
    let (mut open, mut last, mut interval) = (vec![1_usize], 1, None);
    for (_, character, in_class) in outside_escapes(pattern) {
        let is_read = interval.take().filter(|_| !in_class);
        match (character, is_read) {
            ('{', None) if !in_class => interval = Some((1, 0)),
            (',', Some((other, number))) => interval = Some((number.max(other), 0)),
            (digit @ '0'..='9', Some((other, number))) => {
                let digit = digit.to_digit(10)? as usize;
                interval = Some((other, usize::checked_mul(number, 10)?.checked_add(digit)?));
            }
            ('}', Some((other, number))) => last = usize::checked_mul(last, number.max(other))?,
            ('(', _) if !in_class => {
                last = 1;
                open.push(1);
            }
            (')', _) if !in_class && open.len() > 1 => last = open.pop()?,
            ('*' | '+' | '?', _) if !in_class => {}
            _ => last = 1,
        }
        let group = open.last_mut()?;
        *group = last.max(*group);
    }
    open.into_iter().max()
}

/// The characters that are not escaped, each with its place and whether it stands in a class. An escape,
/// with the braces that belong to it (`\p{L}`), counts as one ordinary character, `\0`.
pub(super) fn outside_escapes(pattern: &str) -> impl Iterator<Item = (usize, char, bool)> {
    let mut characters = pattern.char_indices().peekable();
    let mut classes = 0_u32;
    std::iter::from_fn(move || {
        let (place, mut character) = characters.next()?;
        match character {
            '\\' => {
                let escaped = characters.next();
                if matches!(escaped, Some((_, 'p' | 'P' | 'x' | 'u' | 'U')))
                    && matches!(characters.peek(), Some((_, '{')))
                {
                    characters.by_ref().find(|&(_, character)| character == '}');
                }
                character = '\0';
            }
            '[' => classes += 1,
            ']' if classes > 0 => {
                classes -= 1;
                return Some((place, character, true));
            }
            _ => {}
        }
        Some((place, character, classes > 0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_cut_and_the_rest_kept() {
        let gpt2 = linear(r" ?\p{L}+|\s+(?!\S)|\s+");
        assert_eq!(gpt2, Some(Linear { head: r" ?\p{L}+".into(), gives_back: true }));
    }

    #[test]
    fn repetitions_within_each_other_are_multiplied() {
        for (pattern, times) in [
            ("a{3}b{4}", 4),
            ("(?:a{3}b){4}", 12),
            ("((a{3}){,9}){4,7}c", 189),
            ("a{2,7}{3}+{4,}", 84),
            (r"\{9}[{9}]\p{Lu}{2}x{y}", 2),
            ("(?:a{5})(?:b{6}|(c{2})){3}", 18),
            ("a{9}(b){2}", 9),
        ] {
            assert_eq!(repeated_at_most(pattern), Some(times), "{pattern}");
        }
        let often = format!("{}a{}", "(?:".repeat(3), "){4000000000}".repeat(3));
        assert_eq!(repeated_at_most(&often), None);
        assert_eq!(repeated_at_most("a{99999999999999999999}"), None);
    }

    #[test]
    fn a_dollar_means_the_very_end_unless_it_is_a_character() {
        assert_eq!(absolute_end(r"\s+$|[$]|\$"), r"\s+\z|[$]|\$");
        for (pattern, meant) in [
            (r"(?m)a$|b$", r"(?m)a$|b$"),
            (r"(?m:a$)|b$", r"(?m:a$)|b\z"),
            (r"a$(?mx)b$(?-m)c$", r"a\z(?mx)b$(?-m)c\z"),
            (r"((?m)a$(b$))$", r"((?m)a$(b$))\z"),
            (r"(?m)(?-m:a$)(?=$)(?P<n>$)[(]$", r"(?m)(?-m:a\z)(?=$)(?P<n>$)[(]$"),
            (r"(?i)a$|(?:b$)\(?m$", r"(?i)a\z|(?:b\z)\(?m\z"),
        ] {
            assert_eq!(absolute_end(pattern), meant);
        }
    }
}
