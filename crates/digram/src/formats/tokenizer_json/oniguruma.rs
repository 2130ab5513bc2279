//! Which patterns Hugging Face's regex engine, Oniguruma, may read otherwise than ours.
//!
//! Both know the same Unicode classes. They part at word characters (`\w` leaves out joiners
//! there), at anchors (`$` is the end of any line there), at `{1,3}+` (a repetition of a
//! repetition there) and `{3}?` (three or none there), at groups that are repeated and may be
//! empty (one that matched nothing ends the repetition there), at case folding (`(?i)` lets one
//! character match two there), and at set operations in classes. Most of these are written otherwise before
//! (`named_classes`, `anchors`, `repetitions`); this tells what is left. A pattern that has none of these
//! is read alike. (Which group a bracket opens is not told where a class begins with `]`; such a
//! pattern is taken for one that is not.)

use regex_syntax::hir::{Hir, HirKind};

use crate::components::{Normalizer, Pattern, PreTokenizer};
use crate::formats::cannot;

/// English contractions as published patterns write them: no character of theirs folds to two.
const CONTRACTIONS: [&str; 2] = ["(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)"];
/// Groups that both engines read alike, as they begin.
const GROUPS: [&str; 7] = ["(?:", "(?-i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"];

/// Whether a pre-tokenizer may split otherwise there.
pub(super) fn may_split_otherwise(pre_tokenizer: Option<&PreTokenizer>) -> bool {
    let parts = pre_tokenizer.map(cannot::parts).unwrap_or_default();
    parts.iter().any(|part| match part {
        PreTokenizer::Split { pattern: Pattern::Regex(regex), .. } => may_differ(regex),
        _ => false,
    })
}

/// Whether a normalizer may replace otherwise there.
pub(super) fn may_normalize_otherwise(normalizer: Option<&Normalizer>) -> bool {
    match normalizer {
        Some(Normalizer::Replace { pattern: Pattern::Regex(regex), .. }) => may_differ(regex),
        Some(Normalizer::Sequence { normalizers }) => {
            normalizers.iter().any(|part| may_normalize_otherwise(Some(part)))
        }
        _ => false,
    }
}

fn may_differ(regex: &str) -> bool {
    let begins_oddly = ["[]", "[^]"].iter().any(|class| regex.contains(class));
    if begins_oddly || repeats_what_may_be_empty(regex) {
        return true;
    }
    let mut rest = regex.to_owned();
    for contractions in CONTRACTIONS {
        rest = rest.replace(contractions, "");
    }
    let mut rest = rest.as_str();
    // behind an interval, whether it has two numbers
    let (mut in_class, mut after_interval) = (false, None);
    let mut has_comma = false;
    while let Some(character) = rest.chars().next() {
        let escape = rest.strip_prefix('\\').and_then(|after| after.chars().next());
        let differs = match (escape, in_class) {
            (Some(escape), _) => !reads_escape_alike(escape),
            (None, true) => {
                character == '[' || ["&&", "--", "~~"].iter().any(|s| rest.starts_with(s))
            }
            (None, false) => match character {
                '^' | '$' => true,
                '(' => rest.starts_with("(?") && !GROUPS.iter().any(|g| rest.starts_with(g)),
                '+' => after_interval.is_some(),
                '?' => after_interval == Some(false),
                _ => false,
            },
        };
        if differs {
            return true;
        }
        let length = escape.map_or(character.len_utf8(), |escape| escape_length(rest, escape));
        let is_interval = escape.is_none() && !in_class && character == '}';
        after_interval = is_interval.then_some(has_comma);
        has_comma = character == ',' || has_comma && character.is_ascii_digit();
        in_class = match (escape, character) {
            (None, '[') => true,
            (None, ']') => false,
            _ => in_class,
        };
        let opens_negated = in_class && rest.starts_with("[^");
        rest = &rest[length + usize::from(opens_negated)..];
    }
    false
}

/// Whether a group that may be empty is repeated, and an empty one before others matters: it always
/// does where the number is bounded, and else where it is tried before one that is not empty.
pub(super) fn repeats_what_may_be_empty(regex: &str) -> bool {
    let (mut opened, mut in_class, mut escaped) = (Vec::new(), false, false);
    for (place, character) in regex.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => opened.push(place),
            ')' if !in_class => {
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

/// Escapes with one meaning in both: classes by Unicode property, blanks, digits, the text's own ends,
/// control characters, and punctuation that stands for itself.
fn reads_escape_alike(escape: char) -> bool {
    matches!(
        escape,
        'p' | 'P' | 's' | 'S' | 'd' | 'D' | 'A' | 'z' | 'r' | 'n' | 't' | 'f' | 'v' | 'x'
    ) || !escape.is_alphanumeric()
}

/// How long an escape is, with the braces that belong to it.
fn escape_length(rest: &str, escape: char) -> usize {
    let short = '\\'.len_utf8() + escape.len_utf8();
    match rest[short..].strip_prefix('{') {
        Some(braced) if matches!(escape, 'p' | 'P' | 'x') => {
            braced.find('}').map_or(rest.len(), |end| short + end + 2)
        }
        _ => short,
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
            "[a-z&&[^b]]",
            "[[:alpha:]]",
            r"\h",
        ];
        for regex in otherwise {
            assert!(may_differ(regex), "{regex}");
        }
    }
}
