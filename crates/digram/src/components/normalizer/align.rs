//! What a normalizer makes of a text, with where all of it comes from: as Hugging Face counts.
//!
//! The plain ways are quicker, and say what the text becomes. Where characters keep their places, nothing more is to be
//! told; else each step here does the same again with an [`Editor`]. The tests compare both.

use super::lower::lowercase;
use super::rewriter::{Step, nmt_of, stripped};
use crate::aliases;
use crate::components::aligned::{Aligned, Editor};
use crate::components::replace::Replacement;
use crate::error::Result;
use crate::monitor::Monitor;

impl Step {
    /// What it makes of a text. It may stop where that is longer than `most`.
    pub(super) fn align<'a>(
        &self,
        text: Aligned<'a>,
        most: usize,
        monitor: &Monitor,
    ) -> Result<Aligned<'a>> {
        match self {
            Self::Form(form, unicode) => return unicode.align(*form, text, monitor),
            Self::SentencePiece(ready) => return ready.align(&text, monitor),
            Self::Bert(bert) => return bert.align(text, monitor),
            Self::Lowercase => return lowered(text, monitor),
            // by a table or a pattern, what is replaced by itself counts as replaced
            Self::Replace(replacement) if !replacement.is_of_characters() => {
                return replaced(&text, replacement, monitor);
            }
            _ => {}
        }
        let Some(made) = self.apply(&text.text, most)? else { return Ok(text) };
        match self {
            Self::Replace(_) => Ok(text.becomes(made)),
            Self::Prepend(prepend) | Self::PrependAndReplace { prepend, .. }
                if !prepend.is_empty() =>
            {
                text.becomes_behind(prepend.chars().count() as u32, made)
            }
            _ => self.edit(&text, monitor),
        }
    }

    /// What it makes of a text that it changes.
    fn edit(&self, text: &Aligned, monitor: &Monitor) -> Result<Aligned<'static>> {
        match self {
            Self::StripAccents(unicode) => {
                each(text, monitor, |one| (!unicode.is_mark(one)).then_some(one))
            }
            Self::Nmt => each(text, monitor, nmt_of),
            Self::ByteLevel => spelled(text, monitor),
            Self::Charsmap(charsmap) => {
                let mut editor = Editor::of(text, monitor)?;
                for (character, change) in charsmap.changes(&text.text) {
                    editor.change(character, change);
                }
                editor.done()
            }
            Self::Strip { left, right } => {
                let kept = stripped(&text.text, *left, *right);
                let mut editor = Editor::of(text, monitor)?;
                editor.leave_out(kept.start);
                editor.keep(kept.end);
                editor.done()
            }
            // nothing is put before: then the first character counts as put in
            _ => {
                let mut editor = Editor::of(text, monitor)?;
                if let Some(first) = text.text.chars().next() {
                    editor.insert(first);
                    editor.leave_out(first.len_utf8());
                }
                editor.keep(text.text.len());
                editor.done()
            }
        }
    }
}

/// The text with something in the place of all that is found.
fn replaced<'a>(
    text: &Aligned,
    replacement: &Replacement,
    monitor: &Monitor,
) -> Result<Aligned<'a>> {
    let mut editor = Editor::of(text, monitor)?;
    replacement.each(&text.text, |start, end| {
        editor.keep(start);
        editor.leave_out(end);
        replacement.content().chars().for_each(|character| editor.insert(character));
    })?;
    editor.keep(text.text.len());
    editor.done()
}

/// What becomes of each character, which stands where that stood; `None` leaves it out.
pub(super) fn each<'a>(
    text: &Aligned,
    monitor: &Monitor,
    becomes: impl Fn(char) -> Option<char>,
) -> Result<Aligned<'a>> {
    let mut editor = Editor::of(text, monitor)?;
    for (start, character) in text.text.char_indices() {
        match becomes(character) {
            Some(other) => editor.replace(other),
            None => editor.leave_out(start + character.len_utf8()),
        }
    }
    editor.done()
}

/// The text in small letters.
pub(super) fn lowered<'a>(text: Aligned<'a>, monitor: &Monitor) -> Result<Aligned<'a>> {
    let Some(made) = lowercase(&text.text) else { return Ok(text) };
    // each capital becomes one letter, but for one that becomes two
    if made.chars().count() == text.text.chars().count() {
        return Ok(text.becomes(made));
    }
    let mut editor = Editor::of(&text, monitor)?;
    for character in text.text.chars() {
        for (place, small) in character.to_lowercase().enumerate() {
            editor.change(small, isize::from(place > 0));
        }
    }
    editor.done()
}

fn spelled<'a>(text: &Aligned, monitor: &Monitor) -> Result<Aligned<'a>> {
    let mut editor = Editor::of(text, monitor)?;
    for character in text.text.chars() {
        let bytes = character.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
        for (place, spelled) in aliases::spell(&bytes).chars().enumerate() {
            editor.change(spelled, isize::from(place > 0));
        }
    }
    editor.done()
}

#[cfg(test)]
mod tests {
    use super::super::{Normalizer, Rewriter, Unicode};
    use crate::components::aligned::Aligned;
    use crate::components::{Pattern, from_json};
    use crate::encode::tests::Random;
    use crate::monitor::Monitor;

    const SOME: &str = "aAbB  \t\u{a0}éÉ\u{301}\u{315}ßİΣﬁ½中가\u{1100}\u{1161}\u{11a8}😀\u{7}\u{200b}\u{1e9e}\u{1ac1}";

    fn all() -> Vec<Normalizer> {
        let replace =
            |pattern, content: &str| Normalizer::Replace { pattern, content: content.into() };
        let prepend = |prepend: &str| Normalizer::Prepend { prepend: prepend.into() };
        let bert = r#"{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true}"#;
        let mut all = vec![
            Normalizer::NFC,
            Normalizer::NFD,
            Normalizer::NFKC,
            Normalizer::NFKD,
            Normalizer::Lowercase,
            Normalizer::StripAccents,
            Normalizer::Nmt,
            Normalizer::ByteLevel,
            Normalizer::Strip { strip_left: true, strip_right: true },
            from_json(bert).expect("it is one"),
            replace(Pattern::String(" ".into()), "▁"),
            replace(Pattern::String("a ".into()), ""),
            replace(Pattern::Regex(r"\s+|b".into()), "xy"),
            prepend("▁é"),
        ];
        let both = [prepend("▁"), replace(Pattern::String(" ".into()), "▁")];
        all.push(Normalizer::Sequence { normalizers: both.into() });
        all.push(Normalizer::Sequence { normalizers: all.clone() });
        all
    }

    #[test]
    fn a_text_with_its_places_is_the_text_without() {
        let some: Vec<char> = SOME.chars().collect();
        let mut random = Random(31);
        for unicode in Unicode::ALL {
            for normalizer in all() {
                let rewriter = Rewriter::new(Some(&normalizer), unicode).expect("compiles");
                for length in (0..400).map(|round| round % 40) {
                    let text: String =
                        (0..length).map(|_| some[random.below(some.len())]).collect();
                    let aligned = Aligned::of(&text, 5)
                        .and_then(|text| rewriter.align(text, &Monitor::silent()));
                    let aligned = aligned.expect("it does not grow");
                    let (made, places) =
                        (&aligned.text, aligned.places(&Monitor::silent()).expect("there is room"));
                    assert_eq!(*made, rewriter.normalize(&text).expect("it does not grow"));
                    assert_eq!(places.len(), made.len());
                    let end = 5 + text.chars().count() as u32;
                    assert!(
                        places
                            .iter()
                            .all(|&[first, last]| 5 <= first && first <= last && last <= end)
                    );
                }
            }
        }
    }
}
