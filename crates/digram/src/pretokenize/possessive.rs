//! From possessive repetition to greedy one, where that changes nothing but the time.
//!
//! `a++` takes what `a+` takes first, and never gives any of it back. A finite automaton has no such
//! thing; but where giving back is in vain, the two are equal. Of an alternative `…x++k`, where `x` is a
//! character of a class and `k` is all that follows, that is so
//!
//! * if `k` matches the empty text wherever it stands: then it matches behind the whole run, and nobody asks
//!   for less;
//! * if whatever `k` matches begins with a character that is not in the class, or at the end of the text:
//!   a shorter run is followed by a character of the class, which `k` does not match.
//!
//! It must be an alternative of the whole pattern, so that nothing follows `k` that could fail.

use regex_syntax::ast::{Ast, parse::Parser};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Look, Repetition};

use super::patterns::outside_escapes;
use super::sets::one;

/// The pattern without possessive signs, if it is equal without.
pub(super) fn greedy(pattern: &str) -> Option<String> {
    let (plain, mut ends) = without_signs(pattern);
    if ends.is_empty() {
        return Some(plain);
    }
    let tree = Parser::new().parse(&plain).ok()?;
    let alternatives = match &tree {
        Ast::Alternation(all) => &all.asts[..],
        one => std::slice::from_ref(one),
    };
    for alternative in alternatives {
        let parts = match alternative {
            Ast::Concat(all) => &all.asts[..],
            one => std::slice::from_ref(one),
        };
        // a flag reaches into what follows, which is looked at by itself
        if parts.iter().any(|part| matches!(part, Ast::Flags(_))) {
            return None;
        }
        let parsed = |part: &Ast| {
            let span = part.span();
            regex_syntax::parse(&plain[span.start.offset..span.end.offset]).ok()
        };
        let trees = parts.iter().map(parsed).collect::<Option<Vec<Hir>>>()?;
        let mut rest = Rest::nothing();
        for (part, tree) in parts.iter().zip(&trees).rev() {
            let end = part.span().end.offset;
            if matches!(part, Ast::Repetition(_)) && ends.contains(&end) {
                if !keeps_all(tree, &rest) {
                    return None;
                }
                ends.retain(|&other| other != end);
            }
            rest = rest.behind(tree);
        }
    }
    ends.is_empty().then_some(plain)
}

/// The pattern without possessive signs, and where they stood in it.
fn without_signs(pattern: &str) -> (String, Vec<usize>) {
    let (mut plain, mut ends, mut read) = (String::with_capacity(pattern.len()), Vec::new(), 0);
    let mut previous = None;
    for (place, character, in_class) in outside_escapes(pattern) {
        let repeats = matches!(previous, Some('+' | '*' | '?' | '}'));
        if character == '+' && !in_class && repeats {
            plain.push_str(&pattern[read..place]);
            ends.push(plain.len());
            read = place + 1;
            previous = None;
        } else {
            previous = (!in_class).then_some(character);
        }
    }
    plain.push_str(&pattern[read..]);
    (plain, ends)
}

/// What follows a part of an alternative.
struct Rest {
    /// Whether it matches the empty text wherever it stands.
    succeeds: bool,
    /// What its matches begin with, as `begin_of` tells it.
    begin: Option<(ClassUnicode, bool)>,
}

impl Rest {
    fn nothing() -> Self {
        Self { succeeds: true, begin: Some((ClassUnicode::empty(), true)) }
    }

    /// That, behind one more part.
    fn behind(self, part: &Hir) -> Self {
        let properties = part.properties();
        let may_be_nothing =
            properties.minimum_len() == Some(0) && properties.look_set().is_empty();
        let begin = match begin_of(part) {
            Some((first, true)) => self.begin.map(|(mut rest, may_be_empty)| {
                rest.union(&first);
                (rest, may_be_empty)
            }),
            other => other,
        };
        Self { succeeds: self.succeeds && may_be_nothing, begin }
    }
}

/// Whether a greedy repetition gives nothing back to what follows it.
fn keeps_all(repetition: &Hir, rest: &Rest) -> bool {
    let own = match repetition.kind() {
        HirKind::Repetition(Repetition { greedy: true, sub, .. }) => character(sub),
        _ => None,
    };
    let Some(mut own) = own else { return false };
    if rest.succeeds {
        return true;
    }
    let Some((first, false)) = &rest.begin else { return false };
    own.intersect(first);
    own.ranges().is_empty()
}

/// The class that a pattern is one character of.
fn character(pattern: &Hir) -> Option<ClassUnicode> {
    match pattern.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let mut characters = str::from_utf8(&literal.0).ok()?.chars();
            let first = characters.next()?;
            characters.next().is_none().then(|| one(first))
        }
        HirKind::Capture(capture) => character(&capture.sub),
        _ => None,
    }
}

/// The characters that matches of all parts together begin with, and whether they may match the empty text
/// before another character; `None` where that is not known.
fn begin(parts: &[Hir]) -> Option<(ClassUnicode, bool)> {
    let mut first = ClassUnicode::empty();
    for part in parts {
        let (own, may_be_empty) = begin_of(part)?;
        first.union(&own);
        if !may_be_empty {
            return Some((first, false));
        }
    }
    Some((first, true))
}

fn begin_of(pattern: &Hir) -> Option<(ClassUnicode, bool)> {
    Some(match pattern.kind() {
        HirKind::Empty => (ClassUnicode::empty(), true),
        HirKind::Look(Look::End) => (ClassUnicode::empty(), false),
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => return None,
        HirKind::Class(Class::Unicode(class)) => (class.clone(), false),
        HirKind::Literal(literal) => (one(str::from_utf8(&literal.0).ok()?.chars().next()?), false),
        HirKind::Repetition(Repetition { min, sub, .. }) => {
            let (first, may_be_empty) = begin_of(sub)?;
            (first, may_be_empty || *min == 0)
        }
        HirKind::Capture(capture) => begin_of(&capture.sub)?,
        HirKind::Concat(parts) => begin(parts)?,
        HirKind::Alternation(parts) => {
            let mut first = (ClassUnicode::empty(), false);
            for part in parts {
                let (own, may_be_empty) = begin_of(part)?;
                first.0.union(&own);
                first.1 |= may_be_empty;
            }
            first
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::backtracking::{bounded, find_slowly};
    use super::*;

    #[test]
    fn published_patterns_have_nothing_to_give_back() {
        for (pattern, plain) in [
            (
                r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++\z",
                r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+\z",
            ),
            (
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]",
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]",
            ),
            (
                r"[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]",
                r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]",
            ),
            (r"[++]\++|a+b+", r"[++]\++|a+b+"),
        ] {
            assert_eq!(greedy(pattern).as_deref(), Some(plain));
        }
    }

    #[test]
    fn what_gives_back_or_may_is_not_taken() {
        for pattern in [
            "a++a",
            "a?+a",
            "a{1,3}+[ab]",
            r"\s++\n",
            r"a++b?a",
            "(?:a++b)",
            "(?:ab)++c",
            "a*?+b",
            "a+++b",
            r"a++\b",
            "(?i)a++b|c",
            "a++(?:)b*(?:a|c)",
            "(?:a*|b)++",
            r"a++(?!b)",
        ] {
            assert_eq!(greedy(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn what_is_taken_finds_what_the_backtracking_engine_finds() {
        let repeated = ["a", "b", "[ab]", "[^a]", r"\w", "(?:b)"];
        let signs = ["++", "*+", "?+", "{1,2}+", "{2}+"];
        let behind = ["", "a", "b", "[bc]", "c?", "c?a", r"\z", "(?:b|c?)", "b*c*", r"(?:a|\z)"];
        let texts = texts();
        let mut taken = 0;
        for (one, sign) in repeated.iter().flat_map(|one| signs.map(|sign| (one, sign))) {
            for pattern in
                behind.map(|behind| format!("b{one}{sign}{behind}|{one}{sign}{behind}|a"))
            {
                let Some(plain) = greedy(&pattern) else { continue };
                taken += 1;
                let slow = bounded(&pattern, &pattern, 1 << 20).expect("compiles");
                let quick = regex_automata::meta::Regex::new(&plain).expect("compiles");
                for text in &texts {
                    let found = find_slowly(&slow, text, 0).expect("ends");
                    let own = quick.find(text).map(|found| (found.start(), found.end()));
                    assert_eq!(own, found, "{pattern} in {text:?}");
                }
            }
        }
        assert!(taken > 100, "{taken}");
    }

    /// All texts of up to six letters of three.
    fn texts() -> Vec<String> {
        let mut texts = vec![String::new()];
        let mut from = 0;
        for _ in 0..6 {
            let until = texts.len();
            for place in from..until {
                texts.extend(["a", "b", "c"].map(|letter| texts[place].clone() + letter));
            }
            from = until;
        }
        texts
    }
}
