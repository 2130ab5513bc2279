//! Normalizers, ready to run one after the other.

use std::borrow::Cow;

use super::bert::Bert;
use super::charsmap::Charsmap;
use super::forms::{Form, Unicode};
use super::lower::lowercase;
use super::{Normalizer, sentencepiece};
use crate::aliases;
use crate::arch::replace::append_replaced;
use crate::components::aligned::Aligned;
use crate::components::replace::{Replacement, character};
use crate::error::Result;
use crate::limits;
use crate::memory;
use crate::monitor::Monitor;

/// A normalizer, ready to run.
pub struct Rewriter {
    steps: Vec<Step>,
    /// How many regular expressions share what they may take.
    regexes: usize,
    /// How many times longer a text may become.
    expansion: u64,
}

/// One normalizer.
pub(super) enum Step {
    Form(Form, Unicode),
    StripAccents(Unicode),
    Lowercase,
    Strip {
        left: bool,
        right: bool,
    },
    Nmt,
    ByteLevel,
    Bert(Bert),
    Replace(Replacement),
    Prepend(String),
    /// What is put before a text is copied with it where a character is replaced then, as in files made of
    /// models of `SentencePiece`.
    PrependAndReplace {
        prepend: String,
        character: u8,
        content: String,
    },
    Charsmap(Charsmap),
    SentencePiece(Box<sentencepiece::Ready>),
}

impl Rewriter {
    /// A rewriter that does what `normalizer` says, by the tables of a version of Unicode.
    ///
    /// Fails where a pattern does not compile or a table is damaged.
    pub fn new(normalizer: Option<&Normalizer>, unicode: Unicode) -> Result<Self> {
        let regexes = normalizer.map_or(0, limits::regexes_of_normalizer).max(1);
        let mut rewriter = Self { steps: Vec::new(), regexes, expansion: limits::EXPANSION };
        if let Some(normalizer) = normalizer {
            rewriter.add(normalizer, unicode)?;
        }
        Ok(rewriter)
    }

    /// The same, by which a text may become so many times longer, and a megabyte.
    #[must_use]
    pub fn growing(self, expansion: u64) -> Self {
        Self { expansion, ..self }
    }

    fn add(&mut self, normalizer: &Normalizer, unicode: Unicode) -> Result<()> {
        if let Normalizer::Sequence { normalizers } = normalizer {
            let mut parts = &normalizers[..];
            while let Some((first, behind)) = parts.split_first() {
                parts = if let Some(both) = of_two(parts) {
                    self.steps.push(both);
                    &behind[1..]
                } else {
                    self.add(first, unicode)?;
                    behind
                };
            }
            return Ok(());
        }
        self.steps.push(Step::of(normalizer.clone(), unicode, self.regexes)?);
        Ok(())
    }

    /// The text, normalized; borrowed where nothing changes. Fails where it grows beyond measure.
    pub fn normalize<'a>(&self, text: &'a str) -> Result<Cow<'a, str>> {
        let most = limits::most(text.len(), self.expansion);
        let mut current = Cow::Borrowed(text);
        for step in &self.steps {
            let Some(changed) = step.apply(&current, most)? else { continue };
            if changed.len() > most {
                return Err(limits::grows("normalizer", text.len(), self.expansion));
            }
            current = Cow::Owned(changed);
        }
        Ok(current)
    }

    /// The same, with where all of it comes from.
    pub(crate) fn align<'a>(&self, text: Aligned<'a>, monitor: &Monitor) -> Result<Aligned<'a>> {
        let length = text.text.len();
        let most = limits::most(length, self.expansion);
        if !self.steps.is_empty() {
            memory::expect(2 * length)?;
        }
        self.steps.iter().try_fold(text, |text, step| {
            let aligned = step.align(text, most, monitor)?;
            if aligned.text.len() > most {
                return Err(limits::grows("normalizer", length, self.expansion));
            }
            Ok(aligned)
        })
    }

    /// Whether what it makes of a text begins where the text does.
    pub(crate) fn keeps_beginning(&self, text: &str) -> Result<bool> {
        let aligned = self.align(Aligned::of(text, 0)?, &Monitor::silent())?;
        Ok(aligned.begins().is_none_or(|begins| begins == 0))
    }
}

impl Step {
    /// Any but a sequence, where so many regular expressions share what they may take.
    fn of(normalizer: Normalizer, unicode: Unicode, regexes: usize) -> Result<Self> {
        Ok(match normalizer {
            Normalizer::NFC => Self::Form(Form::Nfc, unicode),
            Normalizer::NFD => Self::Form(Form::Nfd, unicode),
            Normalizer::NFKC => Self::Form(Form::Nfkc, unicode),
            Normalizer::NFKD => Self::Form(Form::Nfkd, unicode),
            Normalizer::StripAccents => Self::StripAccents(unicode),
            Normalizer::Lowercase => Self::Lowercase,
            Normalizer::Strip { strip_left: left, strip_right: right } => {
                Self::Strip { left, right }
            }
            Normalizer::Nmt => Self::Nmt,
            Normalizer::ByteLevel => Self::ByteLevel,
            Normalizer::BertNormalizer {
                clean_text,
                handle_chinese_chars,
                strip_accents,
                lowercase,
            } => {
                let strip_accents = strip_accents.unwrap_or(lowercase);
                Self::Bert(Bert { clean_text, handle_chinese_chars, strip_accents, lowercase })
            }
            Normalizer::Replace { pattern, content } => {
                Self::Replace(Replacement::one_of(&pattern, content, regexes)?)
            }
            Normalizer::Prepend { prepend } => Self::Prepend(prepend),
            Normalizer::Precompiled { precompiled_charsmap } => {
                Self::Charsmap(Charsmap::of(&precompiled_charsmap)?)
            }
            Normalizer::SentencePiece(described) => {
                Self::SentencePiece(Box::new(sentencepiece::Ready::new(&described)?))
            }
            Normalizer::Sequence { .. } => unreachable!("the caller takes them apart"),
        })
    }

    /// What it makes of a text, `None` where nothing changes. It may stop where that is longer than told.
    pub(super) fn apply(&self, text: &str, most: usize) -> Result<Option<String>> {
        Ok(match self {
            Self::Form(form, unicode) => unicode.form(*form, text, most),
            Self::StripAccents(unicode) => filtered(text, |one| !unicode.is_mark(one)),
            Self::Lowercase => lowercase(text),
            Self::Strip { left, right } => {
                let stripped = &text[stripped(text, *left, *right)];
                (stripped.len() < text.len()).then(|| stripped.to_owned())
            }
            Self::Nmt => nmt(text),
            Self::ByteLevel => Some(aliases::spell(text.as_bytes())),
            Self::Bert(bert) => Some(bert.normalize(text)),
            Self::Replace(replacement) => replacement.apply(text, most)?,
            Self::Prepend(prepend) => (!text.is_empty()).then(|| format!("{prepend}{text}")),
            Self::PrependAndReplace { prepend, character, content } => {
                if text.is_empty() {
                    return Ok(None);
                }
                let mut normalized = prepend.clone();
                append_replaced(text, *character, content, most, &mut normalized);
                Some(normalized)
            }
            Self::Charsmap(charsmap) => charsmap.normalize(text, most),
            Self::SentencePiece(ready) => Some(ready.normalize(text)),
        })
    }
}

/// The first two of some parts as one, if they can be.
fn of_two(parts: &[Normalizer]) -> Option<Step> {
    let [Normalizer::Prepend { prepend }, Normalizer::Replace { pattern, content }, ..] = parts
    else {
        return None;
    };
    let is_one = content.chars().count() == 1 && !prepend.is_empty();
    let character =
        character(pattern, content).filter(|one| is_one && !prepend.as_bytes().contains(one))?;
    let (prepend, content) = (prepend.clone(), content.clone());
    Some(Step::PrependAndReplace { prepend, character, content })
}

/// What is left of a text without the white space at its ends.
pub(super) fn stripped(text: &str, left: bool, right: bool) -> std::ops::Range<usize> {
    let start = if left { text.len() - text.trim_start().len() } else { 0 };
    let end = if right { text.trim_end().len() } else { text.len() };
    start..end.max(start)
}

/// The characters that are kept, or `None` for all.
fn filtered(text: &str, keep: impl Fn(char) -> bool) -> Option<String> {
    let drops = text.chars().any(|character| !keep(character));
    drops.then(|| text.chars().filter(|&character| keep(character)).collect())
}

/// The rules of `SentencePiece` that its table of the same name has beside NFKC.
fn nmt(text: &str) -> Option<String> {
    let stays = |character| nmt_of(character) == Some(character);
    (!text.chars().all(stays)).then(|| text.chars().filter_map(nmt_of).collect())
}

/// What a character becomes by those rules.
pub(super) fn nmt_of(character: char) -> Option<char> {
    match character {
        '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}' => None,
        '\t'
        | '\n'
        | '\u{C}'
        | '\r'
        | '\u{1680}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2581}'
        | '\u{FEFF}'
        | '\u{FFFD}' => Some(' '),
        other => Some(other),
    }
}
