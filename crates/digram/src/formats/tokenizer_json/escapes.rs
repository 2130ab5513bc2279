//! Escapes in a file's patterns, written so that every engine reads them as Oniguruma does.
//!
//! There `\pL` is two letters, as `\p` needs braces, `\p{^L}` is `\P{L}`, `\xC3\xA9` spells one character by its
//! bytes, `\101` one by its number, `\<` is no border of words, and most letters stand for themselves. Braces
//! without a number, or with blanks, are characters.

use serde_json::Value;

use super::flags::flags_at;
use super::named_classes::{WORD, is_known, property};
use super::repeated::MOST_BYTES;
use super::repetitions::each_pattern;
use super::{classes, classes::within};

/// What an escape in brackets means.
pub(super) struct Meant {
    pub text: String,
    /// Whether it is a class, and no character.
    pub is_class: bool,
}

/// Rewrites each pattern of a component, and of its parts.
pub(super) fn rewrite(component: &mut Value) {
    each_pattern(component, &mut |regex| {
        if let Some(told) = rewritten(regex) {
            *regex = told;
        }
    });
}

/// The pattern with all escapes, classes and braces rewritten; `None` where its parts are not told, or it grows
/// long.
pub(super) fn rewritten(regex: &str) -> Option<String> {
    if regex.contains('#') && flags_in(regex).any(|flags| flags.contains('x')) {
        return None;
    }
    let (mut out, mut at) = (String::new(), 0);
    while let Some(first) = regex[at..].chars().next() {
        let rest = &regex[at..];
        at += match first {
            '\\' => {
                let (text, length) = outside_brackets(rest)?;
                out.push_str(&text);
                length
            }
            '[' => classes::write(rest, &mut out)?,
            '(' if rest.starts_with("(?#") => {
                let length = rest.find(')')? + 1;
                out.push_str(&rest[..length]);
                length
            }
            _ => {
                if is_our_interval(rest) {
                    out.push('\\');
                }
                out.push(first);
                first.len_utf8()
            }
        };
    }
    (out.len() <= regex.len() + MOST_BYTES).then_some(out)
}

/// Whether a text begins with what is an interval to ours alone, `{,}` or, by the engine that runs it, `{ 2 }`.
fn is_our_interval(rest: &str) -> bool {
    let inside = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
    inside.is_some_and(|(inside, _)| {
        let plain = inside.replace(char::is_whitespace, "");
        let is_interval = plain.bytes().all(|byte| byte == b',' || byte.is_ascii_digit());
        is_interval && !plain.is_empty() && (plain != inside || plain == ",")
    })
}

/// The flags that a pattern sets.
fn flags_in(regex: &str) -> impl Iterator<Item = &str> {
    regex.match_indices("(?").filter_map(|(at, _)| Some(flags_at(&regex[at..])?.0))
}

/// What the escape means that a text outside brackets begins with, and how long it is.
fn outside_brackets(rest: &str) -> Option<(String, usize)> {
    let escape = rest[1..].chars().next()?;
    match escape {
        'p' | 'P' if rest[2..].starts_with('{') => {
            let (name, others, length) = property_at(rest)?;
            let is_told = property(name).is_some() || is_known(name);
            is_told.then(|| (spelled_property(name, others), length))
        }
        'A'
        | 'b'
        | 'B'
        | 'd'
        | 'D'
        | 'g'
        | 'G'
        | 'h'
        | 'H'
        | 'k'
        | 'K'
        | 'N'
        | 'O'
        | 'R'
        | 's'
        | 'S'
        | 'w'
        | 'W'
        | 'X'
        | 'y'
        | 'Y'
        | 'z'
        | 'Z'
        | '1'..='9' => Some((rest[..2].into(), 2)),
        '0' => octal(rest),
        '<' | '>' => Some((escape.into(), 2)),
        _ => character(rest, escape),
    }
}

/// What the escape means that a text in brackets begins with, and how long it is.
pub(super) fn in_brackets(rest: &str) -> Option<(Meant, usize)> {
    let class = |text: String, length| Some((Meant { text, is_class: true }, length));
    let escape = rest[1..].chars().next()?;
    let (text, length) = match escape {
        'p' | 'P' if rest[2..].starts_with('{') => {
            let (name, others, length) = property_at(rest)?;
            return match property(name) {
                Some(meant) => class(within(&meant, others), length),
                None if is_known(name) => class(spelled_property(name, others), length),
                None => None,
            };
        }
        'd' | 'D' | 's' | 'S' => return class(rest[..2].into(), 2),
        'w' | 'W' => return class(within(WORD, escape == 'W'), 2),
        'h' | 'H' => return class(within("0-9a-fA-F", escape == 'H'), 2),
        'b' => (r"\x08".into(), 2),
        '0'..='7' => octal(rest)?,
        _ => character(rest, escape)?,
    };
    Some((Meant { text, is_class: false }, length))
}

/// The name of a property, whether all other characters are meant, and how long its escape is.
pub(super) fn property_at(rest: &str) -> Option<(&str, bool, usize)> {
    let (name, _) = rest[2..].strip_prefix('{')?.split_once('}')?;
    let length = name.len() + r"\p{}".len();
    let (name, is_turned) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    Some((name, rest.starts_with(r"\P") != is_turned, length))
}

fn spelled_property(name: &str, others: bool) -> String {
    format!(r"\{}{{{name}}}", if others { 'P' } else { 'p' })
}

/// The character that an escape stands for, wherever it stands.
fn character(rest: &str, escape: char) -> Option<(String, usize)> {
    let length = 1 + escape.len_utf8();
    match escape {
        'a' | 'e' | 'f' | 'n' | 'r' | 't' | 'v' => Some((rest[..length].into(), length)),
        'x' => hexadecimal(rest),
        'u' => {
            let digits = rest.get(2..6)?;
            let is_told = character_of(digits, 16).is_some();
            is_told.then(|| (rest[..6].into(), 6))
        }
        'c' => {
            let letter = rest[2..].chars().next().filter(char::is_ascii_alphabetic)?;
            Some((format!(r"\x{:02X}", letter as u32 & 0x1F), 3))
        }
        'C' | 'M' => None,
        'o' if rest[2..].starts_with('{') => None,
        _ if escape.is_ascii_alphanumeric() || !escape.is_ascii() => Some((escape.into(), length)),
        _ => Some((rest[..length].into(), length)),
    }
}

/// The character of a number in hexadecimal digits, or of its bytes.
fn hexadecimal(rest: &str) -> Option<(String, usize)> {
    if let Some(braced) = rest[2..].strip_prefix('{') {
        let (digits, _) = braced.split_once('}')?;
        character_of(digits, 16)?;
        let length = digits.len() + r"\x{}".len();
        return Some((rest[..length].into(), length));
    }
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
    let byte = |at: usize| {
        let behind = rest.as_bytes()[at..].strip_prefix(br"\x")?;
        let count = behind.iter().take(2).take_while(|byte| is_digit(byte)).count();
        let digits = &rest[at + 2..at + 2 + count];
        Some((u8::from_str_radix(digits, 16).ok()?, at + 2 + count))
    };
    let (first, mut end) = byte(0)?;
    if first.is_ascii() {
        let is_whole = end == r"\x00".len();
        return Some((if is_whole { rest[..end].into() } else { format!(r"\x{first:02X}") }, end));
    }
    let mut bytes = vec![first];
    loop {
        if let Some(one) = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next()) {
            return Some((format!(r"\x{{{:X}}}", one as u32), end));
        }
        let (next, behind) = byte(end).filter(|_| bytes.len() < 4)?;
        bytes.push(next);
        end = behind;
    }
}

/// The character of a number in up to three octal digits, of ASCII.
fn octal(rest: &str) -> Option<(String, usize)> {
    let digits = rest[1..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let number = u8::from_str_radix(&rest[1..=digits], 8).ok().filter(u8::is_ascii)?;
    Some((format!(r"\x{number:02X}"), 1 + digits))
}

fn character_of(digits: &str, radix: u32) -> Option<char> {
    let are_digits = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    are_digits.then(|| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_written_as_they_are_read() {
        for (theirs, ours) in [
            (r"\pL+|\PN", "pL+|PN"),
            (r"\p{^L}\P{^ Lu }\p{Word}", r"\P{L}\p{ Lu }\p{Word}"),
            (r"\xC3\xA9\x4g\0\040\cM", r"\x{E9}\x04g\x00\x20\x0D"),
            (r"\<a\>\q\é\_", r"<a>qé\_"),
            ("a{,}b{,2}{x}c{ 2}", r"a\{,}b{,2}{x}c\{ 2}"),
            (r"[\p{In_Thai}]", r"[\x{E00}-\x{E7F}]"),
            (r"\[][]a]", r"\[][\]a]"),
            (r"(?x) \<a", r"(?x) <a"),
            (r"\<(?#\<)a", r"<(?#\<)a"),
        ] {
            assert_eq!(rewritten(theirs).as_deref(), Some(ours));
            assert_eq!(rewritten(ours).as_deref(), Some(ours));
        }
        for other in [r"\xE9", r"\p{isL}", r"\p{In_Nothing}", "(?x)a # b", r"\M-a", r"\x{41 42}"] {
            assert_eq!(rewritten(other), None, "{other}");
        }
        assert_eq!(rewritten(&r"[\w]".repeat(200)), None);
    }

    #[test]
    fn published_patterns_stay() {
        for regex in [
            crate::pretokenize::GPT2,
            r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s",
            r" ?[^(\s|[.,!?…。，、।۔،])]+",
            r"[\p{Han}]+|[\p{Lu}\p{M}&&[^\p{Han}]]*\x41\x{4E00}\u4e00\n\t\.\-\b\1",
        ] {
            assert_eq!(rewritten(regex).as_deref(), Some(regex));
        }
    }
}
