//! Before which characters a match of a pattern with look-around may begin.
//!
//! `(?=(\d{3})+(?!\d))` begins before digits alone, and so the backtracking engine need not be asked at
//! other characters. What is told here is a bound: where a part of a pattern is not understood, a match may begin
//! anywhere.

use fancy_regex::{Expr, LookAround};
use regex_syntax::hir::{Class, ClassUnicode, Hir};

use super::sets::class;
use super::table::Table;

/// Longer patterns are not looked at: classes are put together for each of their parts.
const MOST_BYTES: usize = 4096;

/// What finds the places where a match may begin; `None` where that is anywhere, or at the end of the text.
pub(super) fn places(pattern: &str) -> Option<Table> {
    if pattern.len() > MOST_BYTES {
        return None;
    }
    let Begin { first, empty } = begin(&Expr::parse_tree(pattern).ok()?.expr);
    let all = match empty {
        None => first,
        Some(next) => first.or(next),
    };
    let Next::In(class) = all else { return None };
    if class.ranges().is_empty() {
        return None;
    }
    Table::of_parsed(&[Hir::class(Class::Unicode(class))])
}

/// What the next character must be.
#[derive(Clone)]
enum Next {
    /// Anything, or there is none.
    Any,
    In(ClassUnicode),
}

impl Next {
    fn none() -> Self {
        Self::In(ClassUnicode::empty())
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::In(mut one), Self::In(other)) => {
                one.union(&other);
                Self::In(one)
            }
            _ => Self::Any,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::In(mut one), Self::In(other)) => {
                one.intersect(&other);
                Self::In(one)
            }
            (Self::Any, known) | (known, Self::Any) => known,
        }
    }
}

/// How matches of a part begin.
struct Begin {
    /// With which characters, if they have any.
    first: Next,
    /// Before which they may be empty, if they may.
    empty: Option<Next>,
}

impl Begin {
    /// Of what is not understood.
    const ANY: Self = Self { first: Next::Any, empty: Some(Next::Any) };

    /// Of a place that is asked for before such characters.
    fn place(next: Next) -> Self {
        Self { first: Next::none(), empty: Some(next) }
    }

    /// Of characters.
    fn with(first: Next) -> Self {
        Self { first, empty: None }
    }

    fn or(self, other: Self) -> Self {
        let empty = match (self.empty, other.empty) {
            (Some(one), Some(other)) => Some(one.or(other)),
            (one, other) => one.or(other),
        };
        Self { first: self.first.or(other.first), empty }
    }

    /// Of one part and what follows it.
    fn then(self, other: Self) -> Self {
        let Some(next) = self.empty else { return self };
        Self {
            first: self.first.or(next.clone().and(other.first)),
            empty: other.empty.map(|empty| next.and(empty)),
        }
    }
}

fn begin(pattern: &Expr) -> Begin {
    match pattern {
        Expr::Empty
        | Expr::Assertion(_)
        | Expr::LookAround(
            _,
            LookAround::LookAheadNeg | LookAround::LookBehind | LookAround::LookBehindNeg,
        ) => Begin::place(Next::Any),
        Expr::LookAround(ahead, LookAround::LookAhead) => {
            let Begin { first, empty } = begin(ahead);
            Begin::place(match empty {
                None => first,
                Some(next) => first.or(next),
            })
        }
        Expr::Literal { val, casei } => match val.chars().next() {
            Some(first) => {
                Begin::with(next(&regex_syntax::escape(first.encode_utf8(&mut [0; 4])), *casei))
            }
            None => Begin::place(Next::Any),
        },
        Expr::Delegate { inner, casei } => Begin::with(next(inner, *casei)),
        Expr::Concat(parts) => {
            let parts = parts.iter().rev().map(begin);
            parts.fold(Begin::place(Next::Any), |rest, part| part.then(rest))
        }
        Expr::Alt(parts) => {
            let none = Begin::with(Next::none());
            parts.iter().map(begin).fold(none, Begin::or)
        }
        Expr::Group(part) => begin(part),
        Expr::AtomicGroup(part) => begin(part),
        Expr::Repeat { child, lo, .. } => {
            let Begin { first, empty } = begin(child);
            Begin { first, empty: if *lo == 0 { Some(Next::Any) } else { empty } }
        }
        _ => Begin::ANY,
    }
}

/// The characters of which a pattern matches one.
fn next(pattern: &str, ignores_case: bool) -> Next {
    class(pattern, ignores_case).map_or(Next::Any, Next::In)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_where_a_part_says_so() {
        let known = |pattern: &str, text: &str| {
            let table = places(pattern)?;
            Some(table.candidate(text.as_bytes(), 0))
        };
        for (pattern, text, place) in [
            (r"(?=(\d{3})+(?!\d))", "ab é12", 5),
            (r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|\z))", "ab٣", 2),
            (r"(?<!q)(?i:k)+|(?=x)", "abK", 2),
            (r"(?<!q)(?i:k)+|(?=x)", "ab x", 3),
            (r"(?=[a-z])[^aeiou]", "Ae b", 3),
            (r"(?:a?b|c(?!d))", "xxb", 2),
            (r"(?!x)a|(?>b)", "xxb", 2),
        ] {
            assert_eq!(known(pattern, text), Some(place), "{pattern}");
        }
        for pattern in
            [r"(?=a)?", r"(?!a)", r"a*(?!b)", r"(a)\1|\z", r"\Ga(?!b)", r"(?=\z|a)", r"a|(?<=b)"]
        {
            assert!(known(pattern, "").is_none(), "{pattern}");
        }
    }
}
