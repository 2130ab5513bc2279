//! Classes of characters that pre-tokenizers name otherwise than by a pattern.
//!
//! Each is defined by a function of one character. It is asked only where its answer can be yes,
//! which the regex compiler's own classes tell; the tests ask it everywhere.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};
use unicode_categories::UnicodeCategories;

use super::patterns::linear;
use crate::components::Pattern;

/// As the standard library tells numbers, and so Hugging Face. It may follow a later Unicode than
/// the compiler's classes, which has numbers where they have nothing yet.
pub(super) fn numbers() -> ClassUnicode {
    where_it_is(r"[\p{N}[\p{Cn}&&[\x00-\x{1FFFF}]]]", char::is_numeric)
}

/// Blanks.
pub(super) fn blanks() -> ClassUnicode {
    where_it_is(r"\s", char::is_whitespace)
}

/// As Hugging Face sees it: the ASCII characters that are no letters and no digits, and what its
/// tables say.
pub(super) fn punctuation() -> ClassUnicode {
    // two characters were punctuation in those tables, and are none now
    where_it_is(r"[\p{P}!-~\x{166D}\x{111C9}]", is_punctuation)
}

/// One character.
pub(super) fn one(character: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}

/// The characters of which a pattern matches one, if it is written so.
pub(super) fn class(pattern: &str, ignores_case: bool) -> Option<ClassUnicode> {
    let flags = if ignores_case { "(?i)" } else { "" };
    let parsed = regex_syntax::parse(&format!("{flags}{pattern}")).ok()?;
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let first = str::from_utf8(&literal.0).ok()?.chars().next()?;
            Some(one(first))
        }
        _ => None,
    }
}

/// Whether a class has a character.
pub(super) fn contains(class: &ClassUnicode, character: char) -> bool {
    let ranges = class.ranges();
    let behind = ranges.partition_point(|range| range.start() <= character);
    behind.checked_sub(1).is_some_and(|at| ranges[at].end() >= character)
}

/// All other characters.
pub(super) fn others(class: &ClassUnicode) -> ClassUnicode {
    let mut others = class.clone();
    others.negate();
    others
}

/// Runs of characters of a class.
pub(super) fn runs(class: ClassUnicode) -> Hir {
    let sub = Box::new(Hir::class(Class::Unicode(class)));
    Hir::repetition(Repetition { min: 1, max: None, greedy: true, sub })
}

/// Characters of one class alone, and runs of what is in neither of two.
pub(super) fn alone_or_between(mut alone: ClassUnicode, dropped: &ClassUnicode) -> Hir {
    alone.difference(dropped);
    let mut both = alone.clone();
    both.union(dropped);
    Hir::alternation(vec![Hir::class(Class::Unicode(alone)), runs(others(&both))])
}

/// The characters that a pattern finds, one by one or in runs, if it is one of such, and not of all.
pub(super) fn removed(pattern: &Pattern) -> Option<ClassUnicode> {
    let pattern = match pattern {
        Pattern::String(literal) => regex_syntax::escape(literal),
        Pattern::Regex(regex) => {
            linear(regex).filter(|form| !form.gives_back).map(|form| form.head)?
        }
    };
    let class = of_pattern(&regex_syntax::parse(&pattern).ok()?)?;
    let is_all = others(&class).ranges().is_empty();
    (!is_all && !class.ranges().is_empty()).then_some(class)
}

/// The class of which a pattern finds characters or runs, all of each run in one match or more.
fn of_pattern(pattern: &Hir) -> Option<ClassUnicode> {
    match pattern.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let mut characters = str::from_utf8(&literal.0).ok()?.chars();
            let only = characters.next().filter(|_| characters.as_str().is_empty());
            only.map(one)
        }
        HirKind::Repetition(Repetition { min: 1, sub, .. }) if is_single(sub) => of_pattern(sub),
        HirKind::Capture(capture) => of_pattern(&capture.sub),
        _ => None,
    }
}

/// Whether it is a class or one character, and nothing is repeated in it.
fn is_single(pattern: &Hir) -> bool {
    match pattern.kind() {
        HirKind::Class(_) | HirKind::Literal(_) => true,
        HirKind::Capture(capture) => is_single(&capture.sub),
        _ => false,
    }
}

fn is_punctuation(character: char) -> bool {
    character.is_ascii_punctuation() || character.is_punctuation()
}

/// The characters of a class of the regex compiler for which it is true.
fn where_it_is(class: &str, is: fn(char) -> bool) -> ClassUnicode {
    let parsed = regex_syntax::parse(class).expect("the compiler knows these classes");
    let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
        unreachable!("each has more than one character, beyond ASCII too")
    };
    let characters = class.iter().flat_map(|range| range.start()..=range.end());
    ClassUnicode::new(characters.filter(|&c| is(c)).map(|c| ClassUnicodeRange::new(c, c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_what_the_functions_say_for_every_character() {
        let differ = |class: ClassUnicode, is: fn(char) -> bool| {
            let told = ('\0'..=char::MAX).filter(|&c| is(c));
            let mut differ = ClassUnicode::new(told.map(|c| ClassUnicodeRange::new(c, c)));
            differ.symmetric_difference(&class);
            differ.ranges().to_vec()
        };
        assert_eq!(differ(numbers(), char::is_numeric), []);
        assert_eq!(differ(blanks(), char::is_whitespace), []);
        assert_eq!(differ(punctuation(), is_punctuation), []);
    }
}
