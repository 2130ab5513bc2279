//! Normalizers: what they are, and the same made ready to run.

mod bert;
mod charsmap;
mod forms;
mod lower;
mod plain;
mod sentencepiece;
mod spots;
mod touched;

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::Pattern;
use super::replace::{Replacement, character};
use crate::aliases;
use crate::arch::replace::append_replaced;
use crate::error::Result;
use crate::limits;
use bert::Bert;
use charsmap::Charsmap;
pub use charsmap::Table;
use forms::Form;
pub use forms::Unicode;
use lower::lowercase;
pub use sentencepiece::SentencePiece;
pub(in crate::components) use sentencepiece::VISIBLE_SPACE;

/// Changes text before it is split.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Normalizer {
    /// Canonical composition.
    NFC,
    /// Canonical decomposition.
    NFD,
    /// Compatibility decomposition, then composition.
    NFKC,
    /// Compatibility decomposition.
    NFKD,
    /// Lower case, character by character.
    Lowercase,
    /// Remove white space at the ends.
    Strip {
        /// At the beginning.
        strip_left: bool,
        /// At the end.
        strip_right: bool,
    },
    /// Remove combining marks.
    StripAccents,
    /// Remove control characters, and make the various blanks spaces.
    Nmt,
    /// Write each byte as a character, by GPT-2's alphabet.
    ByteLevel,
    /// What BERT does to text.
    BertNormalizer {
        /// Remove control characters, and make blanks spaces.
        clean_text: bool,
        /// Put spaces around ideographs.
        handle_chinese_chars: bool,
        /// Remove accents; unless told, where the text is lowercased.
        strip_accents: Option<bool>,
        /// Lower case, character by character.
        lowercase: bool,
    },
    /// Replace what is found.
    Replace {
        /// What is searched for.
        pattern: Pattern,
        /// What stands there instead.
        content: String,
    },
    /// Put a text before, unless there is nothing.
    Prepend {
        /// What is put before.
        prepend: String,
    },
    /// The table of a `SentencePiece` model.
    Precompiled {
        /// The table; in JSON it is base64.
        precompiled_charsmap: Table,
    },
    /// All that a `SentencePiece` model does to text.
    SentencePiece(SentencePiece),
    /// One after the other.
    Sequence {
        /// The parts, in order.
        normalizers: Vec<Normalizer>,
    },
}

impl Normalizer {
    /// Whether what it does depends on the version of Unicode.
    pub fn depends_on_unicode(&self) -> bool {
        match self {
            Self::NFC | Self::NFD | Self::NFKC | Self::NFKD | Self::StripAccents => true,
            Self::Sequence { normalizers } => normalizers.iter().any(Self::depends_on_unicode),
            _ => false,
        }
    }

    /// Whether it leaves none of a character, as it is replaced by something else.
    pub fn removes(&self, character: char) -> bool {
        match self {
            Self::Replace { pattern: Pattern::String(text), content } => {
                text.chars().eq([character]) && !content.contains(character)
            }
            Self::Sequence { normalizers } => normalizers.iter().fold(false, |removed, part| {
                part.removes(character) || removed && part.cannot_add(character)
            }),
            _ => false,
        }
    }

    /// Whether it certainly puts no such character into a text that has none.
    fn cannot_add(&self, character: char) -> bool {
        match self {
            Self::Replace { content, .. } => !content.contains(character),
            Self::Prepend { prepend } => !prepend.contains(character),
            _ => false,
        }
    }

    /// Whether it spells text in GPT-2's alphabet.
    pub fn spells(&self) -> bool {
        match self {
            Self::ByteLevel => true,
            Self::Sequence { normalizers } => normalizers.iter().any(Self::spells),
            _ => false,
        }
    }
}

/// A normalizer, ready to run.
pub struct Rewriter {
    steps: Vec<Step>,
    /// How many regular expressions share what they may take.
    regexes: usize,
    /// How many times longer a text may become.
    expansion: u64,
}

/// One normalizer: what it makes of a text, `None` where nothing changes. It may stop where that
/// is longer than told.
type Step = Box<dyn Fn(&str, usize) -> Result<Option<String>> + Send + Sync>;

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

    /// Adds a step that may make a text many times longer, and ends where it is longer than told.
    fn form(&mut self, step: impl Fn(&str, usize) -> Option<String> + Send + Sync + 'static) {
        self.steps.push(Box::new(move |text, most| Ok(step(text, most))));
    }

    /// Adds a step that makes a text at most a few times longer.
    fn push(&mut self, step: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        self.steps.push(Box::new(move |text, _| Ok(step(text))));
    }

    fn add(&mut self, normalizer: &Normalizer, unicode: Unicode) -> Result<()> {
        match normalizer.clone() {
            Normalizer::Sequence { normalizers } => {
                let mut parts = &normalizers[..];
                while let Some((first, behind)) = parts.split_first() {
                    parts = if self.add_two(parts) {
                        &behind[1..]
                    } else {
                        self.add(first, unicode)?;
                        behind
                    };
                }
            }
            Normalizer::NFC => self.form(move |text, most| unicode.form(Form::Nfc, text, most)),
            Normalizer::NFD => self.form(move |text, most| unicode.form(Form::Nfd, text, most)),
            Normalizer::NFKC => self.form(move |text, most| unicode.form(Form::Nfkc, text, most)),
            Normalizer::NFKD => self.form(move |text, most| unicode.form(Form::Nfkd, text, most)),
            Normalizer::StripAccents => {
                self.push(move |text| filtered(text, |character| !unicode.is_mark(character)));
            }
            Normalizer::Lowercase => self.push(lowercase),
            Normalizer::Strip { strip_left, strip_right } => {
                self.push(move |text| strip(text, strip_left, strip_right));
            }
            Normalizer::Nmt => self.push(nmt),
            Normalizer::ByteLevel => self.push(|text| Some(aliases::spell(text.as_bytes()))),
            Normalizer::BertNormalizer {
                clean_text,
                handle_chinese_chars,
                strip_accents,
                lowercase,
            } => {
                let strip_accents = strip_accents.unwrap_or(lowercase);
                let bert = Bert { clean_text, handle_chinese_chars, strip_accents, lowercase };
                self.push(move |text| Some(bert.normalize(text)));
            }
            Normalizer::Replace { pattern, content } => {
                let replacement = Replacement::one_of(&pattern, content, self.regexes)?;
                self.steps.push(Box::new(move |text, most| replacement.apply(text, most)));
            }
            Normalizer::Prepend { prepend } => {
                self.push(move |text| (!text.is_empty()).then(|| format!("{prepend}{text}")));
            }
            Normalizer::Precompiled { precompiled_charsmap } => {
                let charsmap = Charsmap::of(&precompiled_charsmap)?;
                self.form(move |text, most| charsmap.normalize(text, most));
            }
            Normalizer::SentencePiece(described) => {
                let ready = sentencepiece::Ready::new(&described)?;
                self.push(move |text| Some(ready.normalize(text)));
            }
        }
        Ok(())
    }

    /// Adds the first two of some parts as one, if it can: what is put before a text is copied with it where
    /// the next one replaces a character, as in files made of models of `SentencePiece`.
    fn add_two(&mut self, parts: &[Normalizer]) -> bool {
        let [Normalizer::Prepend { prepend }, Normalizer::Replace { pattern, content }, ..] = parts
        else {
            return false;
        };
        let character = character(pattern, content);
        let (prepend, content) = (prepend.clone(), content.clone());
        let Some(character) = character.filter(|one| !prepend.as_bytes().contains(one)) else {
            return false;
        };
        self.form(move |text, most| {
            if text.is_empty() {
                return None;
            }
            let mut normalized = prepend.clone();
            append_replaced(text, character, &content, most, &mut normalized);
            Some(normalized)
        });
        true
    }

    /// The text, normalized; borrowed where nothing changes. Fails where it grows beyond measure.
    pub fn normalize<'a>(&self, text: &'a str) -> Result<Cow<'a, str>> {
        let most = limits::most(text.len(), self.expansion);
        let mut current = Cow::Borrowed(text);
        for step in &self.steps {
            let Some(changed) = step(&current, most)? else { continue };
            if changed.len() > most {
                return Err(limits::grows("normalizer", text.len(), self.expansion));
            }
            current = Cow::Owned(changed);
        }
        Ok(current)
    }
}

fn strip(text: &str, left: bool, right: bool) -> Option<String> {
    let stripped = if left { text.trim_start() } else { text };
    let stripped = if right { stripped.trim_end() } else { stripped };
    (stripped.len() < text.len()).then(|| stripped.to_owned())
}

/// The characters that are kept, or `None` for all.
fn filtered(text: &str, keep: impl Fn(char) -> bool) -> Option<String> {
    let drops = text.chars().any(|character| !keep(character));
    drops.then(|| text.chars().filter(|&character| keep(character)).collect())
}

/// The rules of `SentencePiece` that its table of the same name has beside NFKC.
fn nmt(text: &str) -> Option<String> {
    let removed = |character| matches!(character, '\u{1}'..='\u{8}' | '\u{B}' | '\u{E}'..='\u{1F}' | '\u{7F}' | '\u{8F}' | '\u{9F}');
    let blank = |character| {
        matches!(
            character,
            '\t' | '\n' | '\u{C}' | '\r' | '\u{1680}' | '\u{200B}'
                ..='\u{200F}' | '\u{2028}' | '\u{2029}' | '\u{2581}' | '\u{FEFF}' | '\u{FFFD}'
        )
    };
    if !text.chars().any(|character| removed(character) || blank(character)) {
        return None;
    }
    let kept = text.chars().filter(|&character| !removed(character));
    Some(kept.map(|character| if blank(character) { ' ' } else { character }).collect())
}
