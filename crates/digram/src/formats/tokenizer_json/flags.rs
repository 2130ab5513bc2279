//! Flags in a file's patterns, written so that every engine reads them as Oniguruma does.
//!
//! There flags go for all that follows in their group, other ways included: `a(?i)b|c` is `a(?i:b|c)`. `m` lets
//! the dot match newlines, as `s` does elsewhere. `x` leaves out blanks and comments, but not those in
//! classes, as elsewhere. And `\p{Lu}` alone, not in brackets, is the same whatever the
//! flags are.

use super::repeated::MOST_BYTES;
use super::repetitions::{atom_end, begins_oddly};

/// What holds in a group.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Whether small and capital letters are the same.
    folds: bool,
    /// Whether the dot matches newlines.
    dots_all: bool,
    /// Whether blanks and comments are left out.
    spaced: bool,
    /// So many more groups end with it.
    more: usize,
}

/// The pattern with all flags rewritten; `None` where its parts are not told, or it grows long.
pub(super) fn rewritten(regex: &str) -> Option<String> {
    if begins_oddly(regex) {
        return None;
    }
    let (mut out, mut at, mut groups) = (String::new(), 0, vec![Group::default()]);
    while at < regex.len() {
        let group = groups.last_mut()?;
        if let Some((flags, length)) = flags_at(&regex[at..]) {
            let (with, text) = group.with(flags)?;
            out.push_str(text);
            if regex[at..at + length].ends_with(':') {
                groups.push(with);
            } else {
                *group = Group { more: group.more + 1, ..with };
            }
            at += length;
            continue;
        }
        let end = atom_end(regex, at)?;
        match &regex[at..end] {
            "(" => {
                let inner = Group { more: 0, ..*group };
                groups.push(inner);
                out.push('(');
            }
            ")" => {
                let ended = groups.pop()?;
                out.extend(std::iter::repeat_n(')', ended.more + 1));
            }
            "." if group.dots_all => out.push_str(r"[\s\S]"),
            class if group.folds && (class.starts_with(r"\p") || class.starts_with(r"\P")) => {
                out.extend(["(?-i:", class, ")"]);
            }
            blank if group.spaced && blank.trim_ascii().is_empty() => {}
            "#" if group.spaced => {
                at += regex[at..].find('\n').map_or(regex.len() - at, |length| length + 1);
                continue;
            }
            atom => out.push_str(atom),
        }
        at = end;
    }
    let [whole] = groups[..] else { return None };
    out.extend(std::iter::repeat_n(')', whole.more));
    (out.len() <= regex.len() + MOST_BYTES).then_some(out)
}

/// The flags that a text begins with, which open a group or go for what follows, and how long all that is.
pub(super) fn flags_at(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("(?")?;
    let length = inner.find([':', ')'])?;
    let flags = &inner[..length];
    let is_flag = |byte: u8| byte == b'-' || byte.is_ascii_alphabetic();
    (!flags.is_empty() && flags.bytes().all(is_flag)).then_some((flags, length + 3))
}

impl Group {
    /// What holds with flags, and how a group begins for which that holds; `None` for others than these.
    fn with(self, flags: &str) -> Option<(Self, &'static str)> {
        let (mut with, mut is_set) = (Self { more: 0, ..self }, true);
        for flag in flags.chars() {
            match flag {
                'i' => with.folds = is_set,
                'm' => with.dots_all = is_set,
                'x' => with.spaced = is_set,
                '-' => is_set = false,
                _ => return None,
            }
        }
        let text = match (with.folds, self.folds) {
            (true, false) => "(?i:",
            (false, true) => "(?-i:",
            _ => "(?:",
        };
        Some((with, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_written_as_they_are_read() {
        for (theirs, ours) in [
            ("a(?i)b|c", "a(?i:b|c)"),
            (r"(?i)\p{Lu}+[\p{Lu}]|\\p", r"(?i:(?-i:\p{Lu})+[\p{Lu}]|\\p)"),
            ("(a(?i)b|c)d(?m).", r"(a(?i:b|c))d(?:[\s\S])"),
            ("(?im:a(?-i:.).).", r"(?i:a(?-i:[\s\S])[\s\S])."),
            ("(?mx) . + [a #] # to the end\n\\ b", r"(?:[\s\S]+[a #]\ b)"),
            ("(?x: a ) b|(?-x: c)", "(?:a) b|(?: c)"),
            ("(?i:'s|'t)|(?=a)(?<=b)(?<!c)(?>d)", "(?i:'s|'t)|(?=a)(?<=b)(?<!c)(?>d)"),
        ] {
            assert_eq!(rewritten(theirs).as_deref(), Some(ours));
            assert_eq!(rewritten(ours).as_deref(), Some(ours));
        }
        for other in ["(?s)a", "(a", "a)", "[]](?i)"] {
            assert_eq!(rewritten(other), None);
        }
    }
}
