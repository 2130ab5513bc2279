//! BERT's normalizer. It follows Hugging Face's tables whatever the version of Unicode.
//!
//! What becomes of ASCII and of ideographs is plain, and does not depend on what stands beside them. Between
//! those, all is done step by step.

use unicode_categories::UnicodeCategories;

use super::align::{each, lowered};
use super::forms::{Form, Unicode};
use super::lower::lowercase;
use crate::components::aligned::{Aligned, Editor};
use crate::error::Result;
use crate::monitor::Monitor;

/// Fewer plain characters are not worth an end of the others.
const SOME: usize = 8;

/// What it does, in this order.
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the file")]
pub(super) struct Bert {
    pub clean_text: bool,
    pub handle_chinese_chars: bool,
    pub strip_accents: bool,
    pub lowercase: bool,
}

impl Bert {
    pub fn normalize(&self, text: &str) -> String {
        let (mut normalized, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(first) = rest.chars().next() {
            let length = if first.is_ascii() && self.is_plain(first) {
                let length = rest.bytes().position(|byte| !self.is_copied(byte));
                let length = length.unwrap_or(rest.len());
                let begun = normalized.len();
                normalized.push_str(&rest[..length]);
                if self.lowercase {
                    normalized[begun..].make_ascii_lowercase();
                }
                // what is plain and not copied is a blank
                normalized.extend((length == 0).then_some(' '));
                length.max(1)
            } else if is_plain_ideograph(first) {
                let length = rest.find(|one| !is_plain_ideograph(one)).unwrap_or(rest.len());
                if self.handle_chinese_chars {
                    normalized.push_str(&apart(&rest[..length]));
                } else {
                    normalized.push_str(&rest[..length]);
                }
                length
            } else {
                let length = self.end_of_others(rest);
                normalized.push_str(&self.step_by_step(&rest[..length]));
                length
            };
            rest = &rest[length..];
        }
        normalized
    }

    /// Whether what becomes of a character does not depend on what stands beside it, and is soon told.
    fn is_plain(&self, character: char) -> bool {
        match u8::try_from(character) {
            Ok(byte @ ..0x80) => self.is_copied(byte) || !is_dropped(character),
            _ => is_plain_ideograph(character),
        }
    }

    /// Whether a byte of ASCII stays, or becomes a small letter.
    fn is_copied(&self, byte: u8) -> bool {
        byte == b' ' || byte.is_ascii_graphic() || byte.is_ascii() && !self.clean_text
    }

    /// Where some plain characters follow others, with which a text begins.
    fn end_of_others(&self, text: &str) -> usize {
        let (mut end, mut plain) = (0, 0);
        for (at, character) in text.char_indices() {
            match self.is_plain(character) {
                false => plain = 0,
                true if plain == 0 => (end, plain) = (at, 1),
                true if plain == SOME || !character.is_ascii() => return end,
                true => plain += 1,
            }
        }
        if plain == 0 { text.len() } else { end }
    }

    fn step_by_step(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.clean_text {
            text = text.chars().filter(|&c| !is_dropped(c)).map(blank_to_space).collect();
        }
        if self.handle_chinese_chars {
            text = apart(&text);
        }
        if self.strip_accents {
            text = Unicode::Nine.form(Form::Nfd, &text, usize::MAX).unwrap_or(text);
            text.retain(|character| !character.is_mark_nonspacing());
        }
        if self.lowercase {
            text = lowercase(&text).unwrap_or(text);
        }
        text
    }

    /// What it makes of a text, with where all of it comes from.
    pub fn align<'a>(&self, mut text: Aligned<'a>, monitor: &Monitor) -> Result<Aligned<'a>> {
        if self.clean_text {
            text = each(&text, monitor, |one| (!is_dropped(one)).then(|| blank_to_space(one)))?;
        }
        if self.handle_chinese_chars && text.text.chars().any(is_ideograph) {
            let mut editor = Editor::of(&text, monitor)?;
            for character in text.text.chars() {
                if is_ideograph(character) {
                    editor.replace(' ');
                    editor.insert(character);
                    editor.insert(' ');
                } else {
                    editor.replace(character);
                }
            }
            text = editor.done()?;
        }
        if self.strip_accents {
            text = Unicode::Nine.align(Form::Nfd, text, monitor)?;
            text = each(&text, monitor, |one| (!one.is_mark_nonspacing()).then_some(one))?;
        }
        if self.lowercase { lowered(text, monitor) } else { Ok(text) }
    }
}

/// Whether a character is removed: control characters, unless they are blanks.
fn is_dropped(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{FFFD}' => true,
        _ => character.is_other(),
    }
}

fn blank_to_space(character: char) -> char {
    if character.is_whitespace() { ' ' } else { character }
}

/// Spaces around ideographs.
fn apart(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for character in text.chars() {
        if is_ideograph(character) {
            spaced.extend([' ', character, ' ']);
        } else {
            spaced.push(character);
        }
    }
    spaced
}

/// Whether it is one of the ideographs that have no other form.
fn is_plain_ideograph(character: char) -> bool {
    is_ideograph(character) && !matches!(character as u32, 0xF900..=0xFAFF | 0x2_F800..=0x2_FA1F)
}

/// The blocks of ideographs, as BERT lists them.
fn is_ideograph(character: char) -> bool {
    matches!(character as u32,
        0x4E00..=0x9FFF
        | 0x3400..=0x4DBF
        | 0x2_0000..=0x2_A6DF
        | 0x2_A700..=0x2_B73F
        | 0x2_B740..=0x2_B81F
        | 0x2_B920..=0x2_CEAF
        | 0xF900..=0xFAFF
        | 0x2_F800..=0x2_FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::Random;

    #[test]
    fn a_text_becomes_what_it_does_step_by_step() {
        let mut random = Random(9);
        let some: Vec<char> = "aZ \t\n\r\u{b}\u{1}\0\u{7f}é\u{301}\u{327}\u{302e}中文\u{f900}가İß\u{ad}\u{2028}'—Жй\u{1d165}\u{1d16d}"
            .chars()
            .collect();
        for flags in 0..16 {
            let bit = |at| flags >> at & 1 == 1;
            let bert = Bert {
                clean_text: bit(0),
                handle_chinese_chars: bit(1),
                strip_accents: bit(2),
                lowercase: bit(3),
            };
            for _ in 0..3_000 {
                let mut text = String::new();
                for _ in 0..12 {
                    let one = some[random.below(some.len())];
                    let times = if one.is_ascii_alphabetic() { random.below(14) } else { 1 };
                    text.extend(std::iter::repeat_n(one, times));
                }
                assert_eq!(bert.normalize(&text), bert.step_by_step(&text), "{text:?}, {flags}");
            }
            for all in ('\0'..=char::MAX).collect::<Vec<_>>().chunks(1 << 12) {
                let text: String = all.iter().flat_map(|&c| [c, 'A']).collect();
                assert_eq!(bert.normalize(&text), bert.step_by_step(&text), "{flags}");
            }
        }
    }
}
