//! The normal forms, by the tables of two versions of Unicode.
//!
//! Hugging Face normalizes by Unicode 9, and what it has made must be read so; what is made anew
//! follows the version that the classes of patterns follow.

use std::iter::once;

use serde::{Deserialize, Serialize};
use unicode_normalization as current;
use unicode_normalization_alignments as nine;

use super::Normalizer;
use super::plain::Plain;
use crate::components::aligned::{Aligned, Editor};
use crate::error::Result;
use crate::monitor::Monitor;

/// A version of Unicode, as far as normal forms depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unicode {
    /// The version of Hugging Face's normalizers.
    #[serde(rename = "9.0")]
    Nine,
    /// The version of digram's classes.
    #[default]
    #[serde(rename = "16.0")]
    Sixteen,
}

/// A normal form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility decomposition, then composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl Form {
    #[cfg(test)]
    pub const ALL: [Self; 4] = [Self::Nfc, Self::Nfd, Self::Nfkc, Self::Nfkd];
}

/// Whether a quick look says that characters are in a form, by one of the two libraries.
macro_rules! quick {
    ($library:ident, $form:expr, $characters:expr) => {{
        let found = match $form {
            Form::Nfc => $library::is_nfc_quick($characters),
            Form::Nfd => $library::is_nfd_quick($characters),
            Form::Nfkc => $library::is_nfkc_quick($characters),
            Form::Nfkd => $library::is_nfkd_quick($characters),
        };
        matches!(found, $library::IsNormalized::Yes)
    }};
}

impl Unicode {
    #[cfg(test)]
    pub(super) const ALL: [Self; 2] = [Self::Nine, Self::Sixteen];

    /// A normal form of a text, or `None` where a quick look says that it is in it. It may stop
    /// where it is longer than `most`.
    ///
    /// A character that the form leaves as it is and that begins something new, a *plain* one, has
    /// no part in what becomes of the text before it. So only the others are written anew, each
    /// stretch of them with the plain one before it, which they may change.
    pub(super) fn form(self, form: Form, text: &str, most: usize) -> Option<String> {
        if text.is_ascii() {
            return None; // as it is in every form, and no table is needed
        }
        let plain = Plain::of(self, form);
        let (mut written, mut done, mut at) = (String::new(), 0, 0);
        loop {
            at = plain.skip(text, at);
            if at == text.len() {
                break;
            }
            let end = at + plain.others(&text[at..]);
            let before = text[..at].chars().next_back().map_or(0, char::len_utf8);
            written.push_str(&text[done..at - before]);
            self.write(form, &text[at - before..end], most, &mut written);
            if written.len() > most {
                return Some(written);
            }
            (at, done) = (end, end);
        }
        (done > 0).then(|| {
            written.push_str(&text[done..at]);
            written
        })
    }

    /// The same, with where all of it comes from.
    ///
    /// The library for Unicode 9 tells what each character changes, and that holds where both versions
    /// make the same of a stretch, as they nearly always do. Else all of it comes from the whole stretch.
    pub(super) fn align<'a>(
        self,
        form: Form,
        from: Aligned<'a>,
        monitor: &Monitor,
    ) -> Result<Aligned<'a>> {
        let text = &*from.text;
        if text.is_ascii() {
            return Ok(from);
        }
        let plain = Plain::of(self, form);
        let mut at = plain.skip(text, 0);
        if at == text.len() {
            return Ok(from);
        }
        let mut editor = Editor::of(&from, monitor)?;
        while at < text.len() {
            let end = at + plain.others(&text[at..]);
            let start = at - text[..at].chars().next_back().map_or(0, char::len_utf8);
            editor.keep(start);
            let (stretch, mut written) = (&text[start..end], String::new());
            self.write(form, stretch, usize::MAX, &mut written);
            let changes = changes(form, stretch);
            if written.chars().eq(changes.iter().map(|(character, _)| *character)) {
                for (character, change) in changes {
                    editor.change(character, change);
                }
                editor.leave_out(end);
            } else {
                editor.replace_all(end, &written);
            }
            at = plain.skip(text, end);
        }
        editor.keep(text.len());
        editor.done()
    }

    /// Whether a form leaves a character as it is, unless its class puts it elsewhere.
    pub(super) fn stays(self, form: Form, character: char) -> bool {
        match self {
            Self::Nine => quick!(nine, form, once(character)),
            Self::Sixteen => quick!(current, form, once(character)),
        }
    }

    /// The canonical combining class of a character.
    pub(super) fn class(self, character: char) -> u8 {
        match self {
            Self::Nine => nine::char::canonical_combining_class(character),
            Self::Sixteen => current::char::canonical_combining_class(character),
        }
    }

    /// Whether a form leaves a character as it is, and nothing before it joins it.
    #[cfg(test)]
    pub(super) fn is_plain(self, form: Form, character: char) -> bool {
        self.class(character) == 0 && self.stays(form, character)
    }

    /// Writes a form of a text, up to the first character beyond `most` bytes.
    fn write(self, form: Form, text: &str, most: usize, written: &mut String) {
        let mut push = |character| {
            written.push(character);
            written.len() <= most
        };
        // (an iterator of its own type each)
        let _all = match (self, form) {
            (Self::Nine, Form::Nfc) => nine::UnicodeNormalization::nfc(text).all(|(c, _)| push(c)),
            (Self::Nine, Form::Nfd) => nine::UnicodeNormalization::nfd(text).all(|(c, _)| push(c)),
            (Self::Nine, Form::Nfkc) => {
                nine::UnicodeNormalization::nfkc(text).all(|(c, _)| push(c))
            }
            (Self::Nine, Form::Nfkd) => {
                nine::UnicodeNormalization::nfkd(text).all(|(c, _)| push(c))
            }
            (Self::Sixteen, Form::Nfc) => current::UnicodeNormalization::nfc(text).all(push),
            (Self::Sixteen, Form::Nfd) => current::UnicodeNormalization::nfd(text).all(push),
            (Self::Sixteen, Form::Nfkc) => current::UnicodeNormalization::nfkc(text).all(push),
            (Self::Sixteen, Form::Nfkd) => current::UnicodeNormalization::nfkd(text).all(push),
        };
    }

    /// This version where a normalizer depends on it; where none does, there is one value.
    #[must_use]
    pub fn where_needed(self, normalizer: Option<&Normalizer>) -> Self {
        let depends = normalizer.is_some_and(Normalizer::depends_on_unicode);
        if depends { self } else { Self::default() }
    }

    /// Whether a character is a combining mark.
    pub(super) fn is_mark(self, character: char) -> bool {
        match self {
            Self::Nine => nine::char::is_combining_mark(character),
            Self::Sixteen => current::char::is_combining_mark(character),
        }
    }
}

/// A form of a text by Unicode 9, and what each of its characters changes.
fn changes(form: Form, text: &str) -> Vec<(char, isize)> {
    match form {
        Form::Nfc => nine::UnicodeNormalization::nfc(text).collect(),
        Form::Nfd => nine::UnicodeNormalization::nfd(text).collect(),
        Form::Nfkc => nine::UnicodeNormalization::nfkc(text).collect(),
        Form::Nfkd => nine::UnicodeNormalization::nfkd(text).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of a text written anew.
    fn whole(unicode: Unicode, form: Form, text: &str) -> String {
        let mut written = String::new();
        unicode.write(form, text, usize::MAX, &mut written);
        written
    }

    #[test]
    fn plain_characters_stay_and_begin_something_new() {
        for unicode in Unicode::ALL {
            for form in Form::ALL {
                let others: Vec<char> =
                    ('\0'..=char::MAX).filter(|&c| !unicode.is_plain(form, c)).collect();
                let mut others = others.iter().cycle();
                for character in ('\0'..=char::MAX).filter(|&c| unicode.is_plain(form, c)) {
                    let before: String = others.by_ref().take(2).collect();
                    let text = format!("{before}{character}");
                    let apart = whole(unicode, form, &before) + character.encode_utf8(&mut [0; 4]);
                    assert_eq!(whole(unicode, form, &text), apart, "{unicode:?} {form:?} {text:?}");
                }
            }
        }
    }

    #[test]
    fn a_form_by_stretches_is_that_of_the_whole() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let marks = "\u{300}\u{301}\u{308}\u{315}\u{345}\u{5B0}\u{64B}\u{93C}\u{9BE}\u{E38}\u{3099}\u{1161}\u{11A8}";
        let starts = "aeoAÅé½ﬁ가각ᄀ漢か\u{2F800}ｶसক\u{958}\u{1E0A}\u{1D15E}";
        let [marks, starts] = [marks, starts].map(|all| all.chars().collect::<Vec<_>>());
        let mut changed = 0;
        for unicode in Unicode::ALL {
            for form in Form::ALL {
                for _ in 0..4_000 {
                    let text: String = (0..random(40))
                        .map(|_| match random(4) {
                            0 => marks[random(marks.len())],
                            1 => char::from_u32(random(0x3_0000) as u32).unwrap_or(' '),
                            2 => (b'a' + random(26) as u8) as char,
                            _ => starts[random(starts.len())],
                        })
                        .collect();
                    let expected = whole(unicode, form, &text);
                    let found = unicode.form(form, &text, usize::MAX);
                    changed += usize::from(expected != text);
                    assert_eq!(found.unwrap_or(text), expected);
                }
            }
        }
        assert!(changed > 10_000, "only {changed} texts changed");
    }

    #[test]
    fn a_form_stops_where_it_is_too_long() {
        let text = "\u{FDFA}a".repeat(100);
        let all = Unicode::Nine.form(Form::Nfkc, &text, usize::MAX).expect("it changes");
        let some = Unicode::Nine.form(Form::Nfkc, &text, 50).expect("it changes");
        assert!(all.starts_with(&some), "{all:?} {some:?}");
        assert!((51..100).contains(&some.len()), "{some:?}");
    }
}
