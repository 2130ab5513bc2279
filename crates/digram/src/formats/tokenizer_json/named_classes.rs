//! Classes that have a name in a file's patterns: what Oniguruma means by them, and what every engine reads so.
//!
//! There `\w`, or `\p{Word}`, leaves out joiners, and alone, not in brackets, has six characters of Latin-1 more,
//! by a table for these; `\b` goes by the same. `[:alpha:]` and its like are of Unicode, not ASCII. Of the names
//! of properties blanks, hyphens and underscores do not count.

use super::blocks::block;
use super::escapes::property_at;
use super::repeated::MOST_BYTES;
use super::repetitions::{atom_end, begins_oddly};

/// What `\w` is in brackets.
pub(super) const WORD: &str = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}";
/// What it has besides, alone.
const ALONE: &str = r"\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}";

/// What a group begins with that looks behind.
pub(super) const LOOKS_BEHIND: [&str; 2] = ["(?<=", "(?<!"];

/// What each POSIX class is. Surrogates are in no text.
const POSIX: [(&str, &str); 14] = [
    ("alnum", r"\p{Alphabetic}\p{Nd}"),
    ("alpha", r"\p{Alphabetic}"),
    ("ascii", r"\x00-\x7F"),
    ("blank", r"\p{Zs}\t"),
    ("cntrl", r"\p{Cc}"),
    ("digit", r"\p{Nd}"),
    ("graph", r"[^\s\p{Cc}\p{Cn}]"),
    ("lower", r"\p{Lowercase}"),
    ("print", r"[^\s\p{Cc}\p{Cn}]\p{Zs}"),
    ("punct", r"\p{P}\p{S}"),
    ("space", r"\s"),
    ("upper", r"\p{Uppercase}"),
    ("word", WORD),
    ("xdigit", "0-9a-fA-F"),
];
/// The properties that are the POSIX class of their name; the others mean the same to both engines.
const AS_POSIX: [&str; 6] = ["alnum", "blank", "graph", "print", "word", "xdigit"];
/// What no script has. All else would hold the characters beside surrogates, if they were not one range: our
/// engine takes what lies between for them.
const NO_SCRIPT: &str = r"\p{Cn}\p{Co}\x{D7FF}-\x{E000}";
/// Those that our engine does not know.
const OTHERS: [(&str, &str); 6] = [
    ("cs", r"\P{any}"),
    ("newline", r"\n"),
    ("posixpunct", r"\p{P}\p{S}"),
    ("surrogate", r"\P{any}"),
    ("unknown", NO_SCRIPT),
    ("zzzz", NO_SCRIPT),
];
/// Those that Oniguruma does not know.
const NOT_THERE: [&str; 2] = ["bidim", "bidimirrored"];

/// What a POSIX class is, in brackets.
pub(super) fn posix(name: &str) -> Option<&'static str> {
    POSIX.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant)
}

/// What a property is, in brackets, that our engine does not know or takes for another.
pub(super) fn property(name: &str) -> Option<String> {
    let name = plain(name);
    let others = OTHERS.iter().find(|(known, _)| *known == name).map(|(_, meant)| *meant);
    let meant = if AS_POSIX.contains(&&*name) { posix(&name) } else { others };
    meant.map(str::to_owned).or_else(|| block(&name))
}

/// Whether both engines know a property by this name, and it is the same.
pub(super) fn is_known(name: &str) -> bool {
    let name = plain(name);
    !name.starts_with("is")
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !NOT_THERE.contains(&&*name)
        && regex_syntax::parse(&format!(r"\p{{{name}}}")).is_ok()
}

/// A name without what does not count.
pub(super) fn plain(name: &str) -> String {
    name.replace([' ', '-', '_'], "").to_ascii_lowercase()
}

/// The pattern with all such classes rewritten; `None` where its parts are not told, or it grows long.
pub(super) fn rewritten(regex: &str) -> Option<String> {
    if begins_oddly(regex) {
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
        let atom = &regex[at..end];
        match atom {
            r"\b" if !groups.contains(&true) => out.push_str(&border("!", "=")),
            r"\B" if !groups.contains(&true) => out.push_str(&border("=", "!")),
            r"\w" => out.extend(["[", WORD, ALONE, "]"]),
            r"\W" => out.extend(["[^", WORD, ALONE, "]"]),
            _ => out.push_str(&alone(atom).unwrap_or_else(|| atom.into())),
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

/// What a property is alone, if it is one that our engine does not know or takes for another.
fn alone(atom: &str) -> Option<String> {
    let is_property = atom.starts_with(r"\p{") || atom.starts_with(r"\P{");
    let (name, others, _) = is_property.then(|| property_at(atom))??;
    let meant = property(name)?;
    let sign = if others { "^" } else { "" };
    Some(format!("[{sign}{meant}{}]", if meant == WORD { ALONE } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_as_they_are_read() {
        for (theirs, ours) in [
            (r"\w+|[^\s]", format!(r"[{WORD}{ALONE}]+|[^\s]")),
            (r"\\w\W[\w]", format!(r"\\w[^{WORD}{ALONE}][\w]")),
            (r"\p{W_ord}\P{Blank}", format!(r"[{WORD}{ALONE}][^\p{{Zs}}\t]")),
            (r"[[:punct:]]|[:alpha:]", "[[:punct:]]|[:alpha:]".into()),
        ] {
            assert_eq!(rewritten(theirs), Some(ours.clone()));
            assert_eq!(rewritten(&ours), Some(ours));
        }
        assert_eq!(rewritten(&r"\w".repeat(100)), None);
    }

    #[test]
    fn a_name_is_known_where_both_engines_know_it() {
        for name in ["L", "lu", "Han", "cf", "sc", "White_Space", " l-U ", "any", "Emoji"] {
            assert!(is_known(name), "{name}");
        }
        for name in ["isL", "gc=L", "Bidi_M", "é", "L&", "Age", "In_Thai", "Word", "", "Lé"] {
            assert!(!is_known(name), "{name}");
        }
    }
}
