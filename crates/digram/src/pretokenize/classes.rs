//! What the split patterns ask of a character, for all of them: one byte each.
//!
//! The classes are those of the regex compiler itself, so that no table can differ from it. Most
//! of Unicode's pages of 64 code points are alike; each is kept once, some 20 kB in all.

use once_cell::race::OnceBox;
use regex_syntax::hir::{Class, HirKind};

use crate::arch::{Classes, class};

/// Each class that takes more than a character, and its bits.
const CLASSES: [(&str, u8); 6] = [
    (r"\p{L}", class::LETTER),
    (r"\p{N}", class::NUMBER),
    (r"\s", class::BLANK),
    (r"[\p{Lu}\p{Lt}]", class::UPPER),
    (r"[\p{Lm}\p{Lo}]", class::CASELESS),
    (r"\p{M}", class::CASELESS),
];
const CODE_POINTS: usize = char::MAX as usize + 1;
const PAGE: usize = 64;

/// The table, made once.
pub(crate) fn classes() -> &'static Classes {
    static CLASSES: OnceBox<Classes> = OnceBox::new();
    CLASSES.get_or_init(|| Box::new(make()))
}

fn make() -> Classes {
    let mut flat = vec![0_u8; CODE_POINTS];
    let mut painted = vec![false; CODE_POINTS / PAGE];
    for (name, bit) in CLASSES {
        for (first, last) in ranges(name) {
            flat[first..=last].iter_mut().for_each(|byte| *byte |= bit);
            painted[first / PAGE..=last / PAGE].fill(true);
        }
    }
    for (character, bit) in [
        ('\n', class::NEWLINE),
        ('\r', class::NEWLINE),
        (' ', class::SPACE),
        ('\'', class::QUOTE),
        ('/', class::UPPER),
    ] {
        flat[character as usize] |= bit;
    }
    let pages = flat.as_chunks().0.iter().zip(painted);
    Classes::of_pages(pages.map(|(leaf, painted)| painted.then_some(*leaf)))
}

/// The code points of a class, as inclusive ranges.
fn ranges(class: &str) -> Vec<(usize, usize)> {
    let parsed = regex_syntax::parse(class).expect("the compiler knows these classes");
    let HirKind::Class(Class::Unicode(class)) = parsed.kind() else {
        unreachable!("each has more than one character, beyond ASCII too")
    };
    class.iter().map(|range| (range.start() as usize, range.end() as usize)).collect()
}
