//! The patterns of a file, written so that every engine reads them as Oniguruma does.
//!
//! That goes for repetitions, wherever they stand in a pattern: for groups that may be empty
//! (`repeated`), and for signs behind signs. One behind an interval has no meaning of its own there:
//! `x{1,3}+` repeats `x{1,3}`, and `x{3}?` is `x{3}` or nothing. Elsewhere the first may make the sign before it
//! lazy or possessive, and the next repeats all that: `x?{2}`, `x++*`. Escapes, flags and classes go first
//! (`escapes`, `flags`, `named_classes`). What else is read otherwise stays (`oniguruma`).

use serde_json::Value;

use super::flags;
use super::named_classes;
use super::oniguruma::repeats_what_may_be_empty;
use super::repeated::{self, MOST_BYTES};

/// Groups within groups are looked into to this depth.
const MOST_DEPTH: usize = 50;

/// Rewrites each pattern of a component, and of its parts.
pub(super) fn rewrite(component: &mut Value) {
    each_pattern(component, &mut |regex| {
        for rewritten in [flags::rewritten, named_classes::rewritten] {
            *regex = rewritten(regex).unwrap_or_else(|| regex.clone());
        }
        *regex = rewritten(regex);
    });
}

/// Does something with each pattern of a component, and of its parts.
pub(super) fn each_pattern(component: &mut Value, change: &mut impl FnMut(&mut String)) {
    match component {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(regex) if name == "Regex" => change(regex),
                    _ => each_pattern(value, change),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| each_pattern(part, change)),
        _ => {}
    }
}

/// The pattern with each repetition rewritten that engines read in different ways, where that can
/// be told: it has no references, and such a group no look-around.
fn rewritten(regex: &str) -> String {
    let is_told = !begins_oddly(regex)
        && !regex.contains("\\k")
        && !(1..=9).any(|number| regex.contains(&format!("\\{number}")))
        && regex.len() <= MOST_BYTES;
    // twice: what intervals are written as may be groups that may be empty
    let rewritten = is_told.then(|| by_groups(&by_groups(regex)?)).flatten();
    rewritten.unwrap_or_else(|| regex.to_owned())
}

/// Goes through a pattern; `None` where its brackets do not match, or it grows long.
fn by_groups(regex: &str) -> Option<String> {
    let has_odd = repeats_what_may_be_empty(regex);
    let (mut out, mut at, mut opened) = (String::new(), 0, Vec::new());
    while at < regex.len() {
        let (mut start, end) = (out.len(), atom_end(regex, at)?);
        let atom = &regex[at..end];
        if atom == "(" {
            if let Some((group, end)) = odd_group(regex, at).filter(|_| has_odd) {
                out.push_str(&group);
                at = end;
            } else {
                opened.push(start);
                out.push('(');
                at = end;
            }
        } else {
            if atom == ")" {
                start = opened.pop()?;
            }
            out.push_str(atom);
            at = signs(regex, end, start, &mut out);
        }
        if opened.len() > MOST_DEPTH || out.len() > MOST_BYTES {
            return None;
        }
    }
    opened.is_empty().then_some(out)
}

/// Copies the signs of repetition at `at`, for what stands in `out` from `start`; returns where
/// they end. What a further sign repeats becomes a group.
fn signs(regex: &str, mut at: usize, start: usize, out: &mut String) -> usize {
    while let Some(length) = sign(&regex[at..]) {
        let is_one = length == 1;
        let is_lazy = |bounds: &str| is_one || bounds.contains(',');
        let kind = match regex.as_bytes().get(at + length) {
            Some(b'?') => usize::from(is_lazy(&regex[at..at + length])),
            Some(b'+') => usize::from(is_one),
            _ => 0,
        };
        out.push_str(&regex[at..at + length + kind]);
        at += length + kind;
        if sign(&regex[at..]).is_some() {
            out.insert_str(start, "(?:");
            out.push(')');
        }
    }
    at
}

/// How long the sign of repetition is that a text begins with.
fn sign(text: &str) -> Option<usize> {
    if text.starts_with(['*', '+', '?']) {
        return Some(1);
    }
    let (inside, _) = text.strip_prefix('{')?.split_once('}')?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, "0"));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_interval = is_number(least) && is_number(most) && !(least.is_empty() && most.is_empty());
    is_interval.then_some(inside.len() + 2)
}

/// What the group at `at` matches with its signs, and where they end, if it is to be rewritten.
fn odd_group(regex: &str, at: usize) -> Option<(String, usize)> {
    let (mut depth, mut end) = (0_usize, at);
    while depth > 0 || end == at {
        let next = atom_end(regex, end).filter(|_| end < regex.len())?;
        match &regex[end..next] {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        end = next;
    }
    while let Some(length) = sign(&regex[end..]) {
        end += length;
    }
    let group = &regex[at..end];
    if !repeats_what_may_be_empty(group) {
        return None;
    }
    Some((repeated::rewritten(group)?, end))
}

/// Whether a class begins with `]`, so that it is not told where it ends.
pub(super) fn begins_oddly(regex: &str) -> bool {
    let (mut rest, mut is_odd) = (regex, false);
    while let Some(at) = rest.find(['\\', '[']) {
        let behind = &rest[at + 1..];
        if rest[at..].starts_with('[') {
            is_odd |= behind.strip_prefix('^').unwrap_or(behind).starts_with(']');
            rest = behind;
        } else {
            let mut characters = behind.chars();
            characters.next();
            rest = characters.as_str();
        }
    }
    is_odd
}

/// Where the character, escape, class or bracket ends that begins at `at`.
pub(super) fn atom_end(regex: &str, at: usize) -> Option<usize> {
    let mut characters = regex[at..].char_indices();
    let (_, first) = characters.next()?;
    match first {
        '\\' => {
            let (place, escape) = characters.next()?;
            let behind = at + place + escape.len_utf8();
            let is_braced = matches!(escape, 'p' | 'P' | 'x') && regex[behind..].starts_with('{');
            Some(if is_braced { behind + regex[behind..].find('}')? + 1 } else { behind })
        }
        '[' => {
            let (mut depth, mut escaped) = (1, false);
            for (place, character) in characters {
                match character {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '[' => depth += 1,
                    ']' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return Some(at + place + 1);
                }
            }
            None
        }
        _ => Some(at + first.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_written_as_they_are_read() {
        for (theirs, ours) in [
            (r"\p{N}{1,3}+|a{2}?", r"(?:\p{N}{1,3})+|(?:a{2})?"),
            (r"a+*|\p{M}**|[b]++{2}|(c)+?+", r"(?:a+)*|(?:\p{M}*)*|(?:[b]++){2}|(?:(c)+?)+"),
            ("x{1,2}{3}{4,}?+|y{2}??", "(?:(?:(?:x{1,2}){3}){4,}?)+|(?:y{2})??"),
            ("(?:|a)*b", "(?:|(?:a){1,}?)b"),
            ("(?:a??){2}(?=b)", "(?:|(?:(?:a)){1,2}?)(?=b)"),
            ("((?:a?){2}(?!b))", "((?:(?:(?:a)){1,2}|)(?!b))"),
            // what matches nothing there never goes on
            ("(?:a{2}?){2}", "(?:(?:(?:(?:a){2,2})){1,2}|)"),
        ] {
            assert_eq!(rewritten(theirs), ours);
        }
    }

    #[test]
    fn what_is_read_alike_or_cannot_be_told_stays() {
        for pattern in [
            crate::pretokenize::GPT2,
            r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|(?:a|b?)*|a++|x{2,3}?",
            r"[{2}?+]+|\{2}+|a{x}?",
            r"(a)(?:|a)*\1",
            "(?:(?=a)|b)*",
            "[](]a{2}?",
            "(?:|a)*)",
            "(?i:|a){2}",
        ] {
            assert_eq!(rewritten(pattern), pattern);
        }
        let long = "a?".repeat(MOST_BYTES);
        for pattern in [format!("(?:{long}){{2}}"), "(?:a||b){0,12}".into()] {
            assert_eq!(rewritten(&pattern), pattern);
        }
    }
}
