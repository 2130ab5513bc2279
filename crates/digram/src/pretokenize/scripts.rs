//! The script of a character, as Hugging Face's `UnicodeScripts` tells it: by Unicode 9.

use once_cell::race::OnceBox;
use regex_syntax::hir::{Class, ClassUnicode, HirKind};
use unicode_script::{Script, UnicodeScript};

use super::scanner::Piece;
use super::sets::contains;

/// What was assigned in Unicode 9; such a character keeps its script, with few exceptions.
fn assigned() -> &'static ClassUnicode {
    static ASSIGNED: OnceBox<ClassUnicode> = OnceBox::new();
    ASSIGNED.get_or_init(|| {
        let class = regex_syntax::parse(r"\p{age=9.0}").expect("the crate's own patterns compile");
        match class.into_kind() {
            HirKind::Class(Class::Unicode(class)) => Box::new(class),
            _ => unreachable!("a class is parsed as one"),
        }
    })
}

/// The script, or `None` for a character that goes with any: spaces, and what has no script.
pub(crate) fn script(character: char) -> Option<Script> {
    match (character, character.script()) {
        (' ', _) | (_, Script::Unknown) => None,
        _ if !is_assigned(character) => None,
        ('\u{30FC}', _) | (_, Script::Hiragana | Script::Katakana) => Some(Script::Han),
        // four characters have changed since
        ('\u{589}' | '\u{61C}', _) => Some(Script::Common),
        ('\u{953}' | '\u{954}', _) => Some(Script::Devanagari),
        (_, script) => Some(script),
    }
}

fn is_assigned(character: char) -> bool {
    contains(assigned(), character)
}

/// A run of one script from `position`, or what stands before any script.
pub(super) fn run_of_script(text: &str, position: usize) -> Piece {
    let mut scripts = text[position..].char_indices().map(|(at, c)| (at, script(c)));
    let first = scripts.next().and_then(|(_, script)| script);
    let end = scripts.find(|&(_, script)| script.is_some() && script != first);
    Piece {
        start: position,
        end: end.map_or(text.len(), |(at, _)| position + at),
        pattern: first.map(|_| 0),
    }
}
