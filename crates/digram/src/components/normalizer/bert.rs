//! BERT's normalizer. It follows Hugging Face's tables whatever the version of Unicode.

use unicode_categories::UnicodeCategories;

use super::forms::{Form, Unicode};

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
            text = text.chars().flat_map(char::to_lowercase).collect();
        }
        text
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
