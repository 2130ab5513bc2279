//! Which patterns Hugging Face's regex engine, Oniguruma, may read otherwise than ours.
//!
//! Both know the same Unicode classes. They part at word characters (`\w` leaves out joiners
//! there), at anchors (`$` is the end of any line there), at `{1,3}+` (a repetition of a
//! repetition there) and `{3}?` (three or none there), at groups that are repeated and may be
//! empty (one that matched nothing ends the repetition there), at case folding (`(?i)` lets one
//! character match two there), and at escapes and signs in classes. Most of these are written otherwise before
//! (`escapes`, `classes`, `named_classes`, `anchors`, `repetitions`); this tells what is left. A pattern that has
//! none of these is read alike. (Which group a bracket opens is not told where a class begins with `]`; such a
//! pattern is taken for one that is not.)

use regex_syntax::hir::{Hir, HirKind};

use super::escapes::{self, property_at};
use super::named_classes::is_known;
use super::repetitions::{atom_end, begins_oddly};

/// English contractions as published patterns write them: no character of theirs folds to two.
const CONTRACTIONS: [&str; 2] = ["(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)"];
/// Groups that both engines read alike, as they begin.
const GROUPS: [&str; 7] = ["(?:", "(?-i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"];

/// Whether Hugging Face may read a pattern otherwise.
pub(super) fn may_differ(regex: &str) -> bool {
    let is_rewritten = escapes::rewritten(regex).is_none_or(|rewritten| rewritten != regex);
    if begins_oddly(regex) || is_rewritten || repeats_what_may_be_empty(regex) {
        return true;
    }
    let mut rest = regex.to_owned();
    for contractions in CONTRACTIONS {
        rest = rest.replace(contractions, "");
    }
    // behind an interval, whether it has two numbers
    let (mut at, mut after_interval, mut has_comma) = (0, None, false);
    while at < rest.len() {
        let Some(end) = atom_end(&rest, at) else { return true };
        let (atom, behind) = (&rest[at..end], &rest[at..]);
        let differs = match atom {
            "^" | "$" => true,
            "(" => {
                let is_odd = behind.starts_with("(?") || behind.starts_with("(*");
                is_odd && !GROUPS.iter().any(|group| behind.starts_with(group))
            }
            "+" => after_interval.is_some(),
            "?" => after_interval == Some(false),
            _ => atom.starts_with('\\') && !reads_escape_alike(atom),
        };
        if differs {
            return true;
        }
        after_interval = (atom == "}").then_some(has_comma);
        let is_digit = atom.bytes().all(|byte| byte.is_ascii_digit());
        has_comma = atom == "," || has_comma && is_digit;
        at = end;
    }
    false
}

/// Whether a group that may be empty is repeated, and an empty one before others matters: it always
/// does where the number is bounded, and else where it is tried before one that is not empty.
pub(super) fn repeats_what_may_be_empty(regex: &str) -> bool {
    let (mut opened, mut classes, mut escaped) = (Vec::new(), 0_usize, false);
    for (place, character) in regex.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => classes += 1,
            ']' => classes = classes.saturating_sub(1),
            '(' if classes == 0 => opened.push(place),
            ')' if classes == 0 => {
                let Some(start) = opened.pop() else { continue };
                let behind = regex[place + 1..].chars().next();
                let is_odd = |group: Hir| {
                    group.properties().minimum_len() == Some(0)
                        && (behind == Some('{') || prefers_empty(&group))
                };
                if matches!(behind, Some('*' | '+' | '{'))
                    && regex_syntax::parse(&regex[start..=place]).map_or(true, is_odd)
                {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Whether nothing may be matched before something is.
fn prefers_empty(hir: &Hir) -> bool {
    let may_be_empty = |hir: &Hir| hir.properties().minimum_len() == Some(0);
    match hir.kind() {
        HirKind::Repetition(repeated) => {
            !repeated.greedy && repeated.min == 0 || prefers_empty(&repeated.sub)
        }
        HirKind::Capture(capture) => prefers_empty(&capture.sub),
        HirKind::Alternation(parts) => {
            let (last, others) = parts.split_last().expect("it has two at least");
            others.iter().any(|part| may_be_empty(part) || prefers_empty(part))
                || prefers_empty(last)
        }
        HirKind::Concat(parts) => parts.iter().any(prefers_empty),
        _ => false,
    }
}

/// Whether an escape outside brackets has one meaning in both: classes by Unicode property, blanks, digits, the
/// text's own ends, control characters, numbers of characters, and punctuation that stands for itself.
fn reads_escape_alike(escape: &str) -> bool {
    match escape.chars().nth(1) {
        Some('p' | 'P') => property_at(escape).is_some_and(|(name, _, _)| is_known(name)),
        Some(
            's' | 'S' | 'd' | 'D' | 'A' | 'z' | 'a' | 'e' | 'f' | 'n' | 'r' | 't' | 'v' | 'u' | 'x',
        ) => true,
        other => other.is_some_and(|other| !other.is_alphanumeric()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_patterns_are_read_alike() {
        let alike = [
            crate::pretokenize::GPT2,
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
            "[a-z]+|[0-9]{3}|.| +|x{1,3}?|x{2,}?",
            r"\d{1,3}|[^\d]|\D",
            r"(?:[)]{2}|\){2}|\(?a)+",
            r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))|(?:a|b?)*",
            r" ?[^(\s|[.,!?…。，、।۔،])]+",
            r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"[(\[]|[^\[]|\[]",
            r"[\u4e00-\u9fff]|\u0e00|\x{E9}|\a|a{x}|a{,2}",
        ];
        for regex in alike {
            assert!(!may_differ(regex), "{regex}");
        }
    }

    #[test]
    fn what_the_engines_read_otherwise_is_found() {
        let otherwise = [
            r"\w+",
            r"\bа",
            r"a$",
            r"^a",
            r"\p{N}{1,3}+",
            "a{3}?",
            r"(?: ?.*?){1,2}\s",
            "(?:a?){2}",
            "(?:|a)*b",
            "(?:a*|b)+b",
            "((?=a)|b)*",
            "(?i)ss",
            "(?i:ss)",
            "(?m)a.b",
            "[a~~b]",
            "[a--b]",
            "[[:alpha:]]",
            r"\pL",
            r"[\pL]",
            r"\p{Word}",
            r"[\P{Print}]",
            r"\p{sc=Han}",
            r"\xE9",
            r"\<a",
            "a{,}",
            "a{ 2 }",
            r"\h",
        ];
        for regex in otherwise {
            assert!(may_differ(regex), "{regex}");
        }
    }
}
