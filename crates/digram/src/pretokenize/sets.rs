//! Classes of characters that pre-tokenizers name otherwise than by a pattern.
//!
//! Each is defined by a function of one character. It is asked only where its answer can be yes,
//! which the regex compiler's own classes tell; the tests ask it everywhere.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};
use unicode_categories::UnicodeCategories;

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
