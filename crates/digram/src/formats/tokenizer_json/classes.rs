//! Classes in brackets, written so that every engine reads them as Oniguruma does.
//!
//! There `-` is a character where no range can be, `--` and `~~` are no signs, a class may begin with `]`, and
//! `[:alpha:]` and its like are of Unicode. Of `[ab-[c]]` it drops the `b-`. Classes within classes, and `&&`,
//! mean the same to all.

use super::escapes;
use super::named_classes::posix;

/// Classes within classes are looked into to this depth.
const MOST_DEPTH: usize = 50;

/// What a class is made of.
enum Part {
    Close,
    And,
    Dash,
    Open,
    /// A character.
    One(String),
    /// All of a class.
    Class(String),
}

/// What was read last.
enum Last {
    /// The beginning, or a sign behind which another begins.
    Nothing,
    /// A character, which may begin a range.
    One(String),
    /// A class, which may not.
    Class,
    /// The beginning of a range and its dash.
    Begun(String),
    /// A range, or a class in brackets.
    Whole,
}

/// Writes the class that a text begins with, and returns how long it is there; `None` where it is not told, or
/// is none.
pub(super) fn write(regex: &str, out: &mut String) -> Option<usize> {
    write_at(regex, 0, out)
}

fn write_at(regex: &str, depth: usize, out: &mut String) -> Option<usize> {
    let mut at = if regex.starts_with("[^") { 2 } else { 1 };
    out.push_str(&regex[..at]);
    let (start, mut last) = (out.len(), Last::Nothing);
    if regex[at..].starts_with(']') {
        regex[at + 1..].find(']')?;
        (at, last) = (at + 1, Last::One(r"\]".into()));
    }
    if depth >= MOST_DEPTH {
        return None;
    }
    loop {
        let (part, mut length) = part(&regex[at..])?;
        let behind = &regex[at + length..];
        let ends = behind.starts_with(']') || behind.starts_with("&&");
        last = match (part, last) {
            (Part::Dash, Last::One(one)) if !ends => Last::Begun(one),
            (Part::Dash, Last::Class) if !ends => return None,
            (Part::Dash, Last::Begun(from)) => range(&from, "-", out),
            (Part::One(to), Last::Begun(from)) => range(&from, &to, out),
            (Part::Class(_) | Part::Close | Part::And, Last::Begun(_)) => return None,
            (part, last) => {
                // of a range that a bracket breaks off nothing is left
                if let Last::One(one) = last {
                    let is_edge = out.len() == start || matches!(part, Part::Close);
                    character(&one, is_edge, out);
                }
                match part {
                    Part::Dash => Last::One("-".into()),
                    Part::One(one) => Last::One(one),
                    Part::Class(class) => {
                        out.push_str(&class);
                        Last::Class
                    }
                    Part::And => {
                        out.push_str("&&");
                        Last::Nothing
                    }
                    Part::Open => {
                        length = write_at(&regex[at..], depth + 1, out)?;
                        Last::Whole
                    }
                    Part::Close => {
                        out.push(']');
                        return Some(at + length);
                    }
                }
            }
        };
        at += length;
    }
}

/// What the rest of a class begins with, and how long that is.
fn part(rest: &str) -> Option<(Part, usize)> {
    Some(match rest.chars().next()? {
        ']' => (Part::Close, 1),
        '-' => (Part::Dash, 1),
        '&' if rest.starts_with("&&") => (Part::And, 2),
        '[' => match posix_name(rest) {
            None => (Part::Open, 1),
            Some((name, others)) => {
                let length = name.len() + if others { 5 } else { 4 };
                (Part::Class(within(posix(name)?, others)), length)
            }
        },
        '\\' => {
            let (meant, length) = escapes::in_brackets(rest)?;
            (if meant.is_class { Part::Class(meant.text) } else { Part::One(meant.text) }, length)
        }
        one => (Part::One(one.into()), one.len_utf8()),
    })
}

/// What stands in a class for another one, or for all other characters.
pub(super) fn within(class: &str, others: bool) -> String {
    if others { format!("[^{class}]") } else { class.into() }
}

/// The name that a text begins with, `[:alpha:]`, and whether all other characters are meant.
fn posix_name(text: &str) -> Option<(&str, bool)> {
    let (name, _) = text.strip_prefix("[:")?.split_once(":]")?;
    let (name, others) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    name.chars().all(char::is_alphabetic).then_some((name, others))
}

fn range(from: &str, to: &str, out: &mut String) -> Last {
    character(from, false, out);
    out.push('-');
    character(to, false, out);
    Last::Whole
}

/// Writes a character, so that nobody takes it for a sign.
fn character(one: &str, is_edge: bool, out: &mut String) {
    if one == "-" && !is_edge || one == "~" && out.ends_with('~') {
        out.push('\\');
    }
    out.push_str(one);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(class: &str) -> Option<String> {
        let mut out = String::new();
        (write(class, &mut out)? == class.len()).then_some(out)
    }

    #[test]
    fn classes_that_every_engine_reads_alike_stay() {
        for class in [
            r"[^\r\n\p{L}\p{N}]",
            r"[^(\s|[.,!?…。，、।۔،])]",
            r"[\p{Lu}\p{M}&&[^\p{Han}]]",
            r"[\u4e00-\u9fff一-龥]",
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"##,
            "[-a]",
            "[^-a-]",
            r"[\d-]",
            r"[a&&b&&[^c]d]",
            r"[a&]",
            "[[:alpha]]",
        ] {
            assert_eq!(written(class).as_deref(), Some(class));
        }
    }

    #[test]
    fn classes_are_written_as_they_are_read() {
        for (theirs, ours) in [
            ("[]a]", r"[\]a]"),
            ("[^]-a]", r"[^\]-a]"),
            ("[a~~b]", r"[a~\~b]"),
            ("[a-c-e]", r"[a-c\-e]"),
            ("[+--]", r"[+-\-]"),
            ("[--a]", r"[\--a]"),
            ("[a&&-b]", r"[a&&\-b]"),
            ("[ab-[c]]", "[a[c]]"),
            ("[a[b]-[c]]", r"[a[b]\-[c]]"),
            ("[[:punct:]é[:^digit:]]", r"[\p{P}\p{S}é[^\p{Nd}]]"),
            (r"[\w\W]", r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]]"),
            (r"[\pL\p{^L}\P{^Blank}]", r"[pL\P{L}\p{Zs}\t]"),
            (r"[\101\xC3\xA9\cA\b]", r"[\x41\x{E9}\x01\x08]"),
        ] {
            assert_eq!(written(theirs).as_deref(), Some(ours));
            assert_eq!(written(ours).as_deref(), Some(ours));
        }
        for other in ["[]", "[a", r"[\d-x]", r"[x-\d]", "[[:none:]]", r"[\p{None}]"] {
            assert_eq!(written(other), None);
        }
        assert_eq!(written(&format!("{}a{}", "[".repeat(99), "]".repeat(99))), None);
    }
}
