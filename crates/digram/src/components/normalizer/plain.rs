//! Which characters a normal form leaves as they are, told quickly.
//!
//! The libraries look for each character in two or three tables. Most texts hold little but characters
//! that a form leaves alone:
//!
//! - *plain* is a character that the form leaves as it is and that begins something new;
//! - *marks* are those that the form leaves where they stand in the order of their classes;
//! - *others* may become something else, alone or with what is beside them.
//!
//! Marks and others are found many bytes at a time, and looked at one by one.

use std::ops::RangeInclusive;

use once_cell::race::OnceBox;

use super::forms::{Form, Unicode};
use crate::arch::{BEHIND, BLOCK, Classes, Kernel, Rare, find_rare};

/// Characters that all forms have plain.
const PLAIN: [RangeInclusive<u32>; 8] = [
    0x4000..=0x9FFF,
    0xA000..=0xA63F,
    0xE000..=0xF8FF,
    0x1_2000..=0x1_60FF,
    0x1_7000..=0x1_BBFF,
    0x1_F300..=0x1_FAFF,
    0x2_0000..=0x2_F7FF,
    0x2_FA20..=0x10_FFFF,
];
/// Syllables that those forms which compose have plain, and what is behind them.
const SYLLABLES: RangeInclusive<u32> = 0xAC00..=0xDFFF;
const PAGE: u32 = BLOCK as u32;

/// The class of a mark, and of what is neither mark nor plain.
const MARK: u8 = 1;
const OTHER: u8 = 2;

/// The characters of a form: see above.
pub(super) struct Plain {
    unicode: Unicode,
    rare: &'static Rare,
    kernel: Kernel,
}

impl Plain {
    /// Those of a form, by a version of Unicode.
    pub fn of(unicode: Unicode, form: Form) -> Self {
        static KNOWN: [OnceBox<Rare>; 8] = [const { OnceBox::new() }; 8];
        let place = &KNOWN[4 * unicode as usize + form as usize];
        let rare = place.get_or_init(|| Box::new(rare(unicode, form)));
        Self { unicode, rare, kernel: Kernel::chosen() }
    }

    /// Where the first characters stand, from `from` on, that are not plain and may not be left as they
    /// are: the first of them stands there, and the one that may change is among those behind it.
    pub fn skip(&self, text: &str, from: usize) -> usize {
        let mut marks = Marks { start: from, end: from, last: '\0' };
        let mut begun = from;
        while begun < text.len() {
            let mut left = self.find(&text.as_bytes()[begun..]);
            while left != 0 {
                let place = begun + left.trailing_zeros() as usize;
                left &= left - 1;
                let Some(character) = text[place..].chars().next() else { break };
                let is_mark = self.class(character) == MARK;
                if !is_mark || !marks.take(place, character, self.unicode) {
                    return if marks.end == place { marks.start } else { place };
                }
            }
            begun += BLOCK;
        }
        text.len()
    }

    /// A bit for each of the first bytes of a text that begins a character which is not plain.
    fn find(&self, rest: &[u8]) -> u64 {
        if let Some(bytes) = rest.first_chunk() {
            return find_rare(self.kernel, self.rare, bytes);
        }
        let mut padded = [0; BLOCK + BEHIND];
        padded[..rest.len()].copy_from_slice(rest);
        find_rare(self.kernel, self.rare, &padded)
    }

    /// How many bytes of a text come before the first plain character.
    pub fn others(&self, text: &str) -> usize {
        text.find(|character| self.class(character) == 0).unwrap_or(text.len())
    }

    fn class(&self, character: char) -> u8 {
        let Classes { pages, leaves, .. } = &self.rare.classes;
        let (page, place) = (character as u32 / PAGE, character as u32 % PAGE);
        leaves[usize::from(pages[page as usize])][place as usize]
    }
}

/// The characters that are not plain in a form.
fn rare(unicode: Unicode, form: Form) -> Rare {
    let composed = matches!(form, Form::Nfc | Form::Nfkc).then_some(SYLLABLES);
    let plain: Vec<_> = PLAIN.into_iter().chain(composed).collect();
    let is_plain = |first: u32, last: u32| {
        plain.iter().any(|range| range.contains(&first) && range.contains(&last))
    };
    let class = |point: u32| match char::from_u32(point) {
        None => 0,
        Some(c) if !unicode.stays(form, c) => OTHER,
        Some(c) => u8::from(unicode.class(c) != 0) * MARK,
    };
    let pages = (0..=char::MAX as u32).step_by(BLOCK).map(|first| {
        (!is_plain(first, first + PAGE - 1))
            .then(|| std::array::from_fn(|at| class(first + at as u32)))
    });
    let is_absent = |low: usize| is_plain((low as u32) << 12, (low as u32) << 12 | 0xFFF);
    Rare {
        classes: Classes::of_pages(pages),
        absent: std::array::from_fn(|low| if is_absent(low) { 0xFF } else { 0 }),
    }
}

/// Marks side by side.
struct Marks {
    start: usize,
    end: usize,
    last: char,
}

impl Marks {
    /// Takes one more, which stands at `place`; or says that it is out of order.
    fn take(&mut self, place: usize, mark: char, unicode: Unicode) -> bool {
        if place != self.end || place == self.start {
            self.start = place;
        } else if unicode.class(self.last) > unicode.class(mark) {
            return false;
        }
        (self.end, self.last) = (place + mark.len_utf8(), mark);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_knows_every_character() {
        for unicode in Unicode::ALL {
            for form in Form::ALL {
                let plain = Plain::of(unicode, form);
                for character in '\0'..=char::MAX {
                    let is_plain = unicode.is_plain(form, character);
                    assert_eq!(plain.class(character) == 0, is_plain, "{form:?} {character:?}");
                    let mut bytes = [0; BLOCK + BEHIND];
                    character.encode_utf8(&mut bytes);
                    for kernel in Kernel::available() {
                        let found = find_rare(kernel, plain.rare, &bytes) != 0;
                        assert_eq!(found, !is_plain, "{kernel:?} {form:?} {character:?}");
                    }
                }
            }
        }
    }
}
