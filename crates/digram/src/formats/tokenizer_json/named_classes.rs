//! Word characters, their borders and POSIX classes in a file's patterns, written so that every engine reads them as
//! Oniguruma does.
//!
//! There `\w` leaves out joiners, and alone, not in brackets, has six characters of Latin-1 more, by
//! a table for these; `\b` goes by the same. `[:alpha:]` and its like are of Unicode, not ASCII.

use super::repeated::MOST_BYTES;
use super::repetitions::atom_end;

/// What `\w` is in brackets.
const WORD: &str = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}";
/// What it has besides, alone.
const ALONE: &str = r"\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}";

/// What a group begins with that looks behind.
pub(super) const LOOKS_BEHIND: [&str; 2] = ["(?<=", "(?<!"];

/// What each POSIX class is.
const POSIX: [(&str, &str); 14] = [
    ("alnum", r"\p{Alphabetic}\p{Nd}"),
    ("alpha", r"\p{Alphabetic}"),
    ("ascii", r"\x00-\x7F"),
    ("blank", r"\p{Zs}\t"),
    ("cntrl", r"\p{Cc}"),
    ("digit", r"\p{Nd}"),
    ("graph", r"[^\s\p{Cc}\p{Cn}\p{Cs}]"),
    ("lower", r"\p{Lowercase}"),
    ("print", r"[^\s\p{Cc}\p{Cn}\p{Cs}]\p{Zs}"),
    ("punct", r"\p{P}\p{S}"),
    ("space", r"\s"),
    ("upper", r"\p{Uppercase}"),
    ("word", WORD),
    ("xdigit", "0-9a-fA-F"),
];

/// The pattern with all such classes rewritten; `None` where its parts are not told, or it grows long.
pub(super) fn rewritten(regex: &str) -> Option<String> {
    if ["[]", "[^]"].iter().any(|sign| regex.contains(sign)) {
        return None;
    }
    let (mut out, mut at) = (String::new(), 0);
    // of each group that is open, whether it looks behind: no engine looks on from there
    let mut groups = Vec::new();
    while at < regex.len() {
        let end = atom_end(regex, at)?;
        match &regex[at..end] {
            "(" => groups.push(LOOKS_BEHIND.iter().any(|sign| regex[at..].starts_with(sign))),
            ")" => drop(groups.pop()),
            _ => {}
        }
        match &regex[at..end] {
            r"\b" if !groups.contains(&true) => out.push_str(&border("!", "=")),
            r"\B" if !groups.contains(&true) => out.push_str(&border("=", "!")),
            r"\w" => out.extend(["[", WORD, ALONE, "]"]),
            r"\W" => out.extend(["[^", WORD, ALONE, "]"]),
            class if class.starts_with('[') => in_brackets(class, &mut out),
            atom => out.push_str(atom),
        }
        at = end;
    }
    (out.len() <= regex.len() + MOST_BYTES).then_some(out)
}

/// What stands for a border of words, or none: what follows a word character and what does not, told by signs.
fn border(within: &str, outside: &str) -> String {
    let word = format!("[{WORD}{ALONE}]");
    format!("(?:(?<={word})(?{within}{word})|(?<!{word})(?{outside}{word}))")
}

/// Copies a class in brackets.
fn in_brackets(class: &str, out: &mut String) {
    // the outer one opens no POSIX class: `[:alpha:]` alone is five characters
    out.push('[');
    let mut rest = &class[1..];
    while let Some(character) = rest.chars().next() {
        let length = if character == '\\' {
            1 + rest[1..].chars().next().map_or(0, char::len_utf8)
        } else if let Some((name, others)) = posix(rest) {
            let (_, meant) = POSIX.iter().find(|(known, _)| *known == name).expect("it is known");
            let length = name.len() + if others { 5 } else { 4 };
            out.extend(if others { ["[^", meant, "]"] } else { ["", meant, ""] });
            rest = &rest[length..];
            continue;
        } else {
            character.len_utf8()
        };
        match &rest[..length] {
            r"\w" => out.push_str(WORD),
            r"\W" => out.extend(["[^", WORD, "]"]),
            other => out.push_str(other),
        }
        rest = &rest[length..];
    }
}

/// The POSIX class that a text begins with, and whether all other characters are meant.
fn posix(text: &str) -> Option<(&str, bool)> {
    let (name, _) = text.strip_prefix("[:")?.split_once(":]")?;
    let (name, others) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    POSIX.iter().any(|(known, _)| *known == name).then_some((name, others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_as_they_are_read() {
        for (theirs, ours) in [
            (r"\w+|[^\s\w]", format!(r"[{WORD}{ALONE}]+|[^\s{WORD}]")),
            (r"\\w\W[\\w\W]", format!(r"\\w[^{WORD}{ALONE}][\\w[^{WORD}]]")),
            ("[[:punct:]é[:^digit:]]|[:alpha:]", r"[\p{P}\p{S}é[^\p{Nd}]]|[:alpha:]".into()),
            ("[[:none:]]", "[[:none:]]".into()),
        ] {
            assert_eq!(rewritten(theirs), Some(ours.clone()));
            assert_eq!(rewritten(&ours), Some(ours));
        }
        assert_eq!(rewritten(&r"\w".repeat(100)), None);
    }
}
