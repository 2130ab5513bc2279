//! What learning is asked for, checked before it begins.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::merge::fallback;
use crate::model::{EndOfWord, Units};

use super::constraints::Constraints;

/// Which pair is merged when several are equally frequent.
///
/// Strings are compared as bytes, with the marker's text; where even they are equal, smaller ids
/// go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The smallest left id, then the smallest right id: Hugging Face's rule.
    SmallestIds,
    /// The pair whose earliest occurrence, as the words stand now, comes first.
    FirstSeen,
    /// The smallest left string, then the smallest right string.
    SmallestStrings,
    /// The largest left string, then the largest right string: subword-nmt's rule.
    LargestStrings,
    /// The product of fewest units, then the smaller product: `SentencePiece`'s rule.
    Shortest,
}

impl Ties {
    /// All rules, with the names that users give them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("smallest-ids", Self::SmallestIds),
        ("first-seen", Self::FirstSeen),
        ("smallest-strings", Self::SmallestStrings),
        ("largest-strings", Self::LargestStrings),
        ("shortest", Self::Shortest),
    ];

    /// The rule called `name`.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|&(_, ties)| ties).ok_or_else(|| {
            let names = Self::NAMES.map(|(known, _)| format!("{known:?}")).join(", ");
            Error::Value(format!("ties is {name:?}; it is one of {names}"))
        })
    }
}

/// What no merge joins with anything else. A part of a character has no class, so each of these
/// keeps characters apart too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// The bytes of a character: a new token is whole characters, or lies within one.
    Characters,
    /// Digits, which are all numbers of Unicode.
    Digits,
    /// Scripts; characters without one of their own go with any.
    Scripts,
    /// What `SentencePiece` joins in no piece: scripts, of which signs and digits are one, and a
    /// blank (U+2581) with what is before it.
    SentencePiece,
    /// Scripts as `SentencePiece` sees them, whatever there is of blanks.
    SentencePieceScripts,
    /// The same, but digits from 0 to 9, full-width ones too, go with any.
    SentencePieceScriptsWithDigits,
    /// White space.
    Spaces,
}

impl Apart {
    /// All of them, with the names that users give them.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("characters", Self::Characters),
        ("digits", Self::Digits),
        ("scripts", Self::Scripts),
        ("sentencepiece", Self::SentencePiece),
        ("sentencepiece-scripts", Self::SentencePieceScripts),
        ("sentencepiece-scripts-with-digits", Self::SentencePieceScriptsWithDigits),
        ("spaces", Self::Spaces),
    ];

    /// What is called `name`.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|&(_, apart)| apart).ok_or_else(|| {
            let names = Self::NAMES.map(|(known, _)| format!("{known:?}")).join(", ");
            Error::Value(format!("apart holds {name:?}; it holds some of {names}"))
        })
    }
}

/// Which base symbols there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Alphabet {
    /// All 256 bytes, or the characters seen.
    Default,
    /// The bytes or characters seen.
    Seen,
    /// The units of these texts, added to those seen.
    Given(Vec<Vec<u8>>),
}

/// What learning is asked for. `vocab_size` and `num_merges`: the first reached stops; with
/// neither, learning goes on until no pair is left.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnOptions {
    /// How many tokens there shall be: special tokens, base symbols and merges.
    pub vocab_size: Option<u64>,
    /// How many merges there shall be.
    pub num_merges: Option<u64>,
    /// What a word is first split into.
    pub units: Units,
    /// Tokens that no merge may make; they get the first ids.
    pub special_tokens: Vec<String>,
    /// A pair is learned only if it occurs at least so often; 0 and 1 mean no limit.
    pub min_frequency: u64,
    /// Which of several equally frequent pairs is merged.
    pub ties: Ties,
    /// The end-of-word marker, if any.
    pub end_of_word: Option<EndOfWord>,
    /// No merge makes a token of more units; the marker counts as one.
    pub max_token_length: Option<usize>,
    /// Texts, the marker's included, that no merge makes a token of.
    pub forbidden: Vec<Vec<u8>>,
    /// Patterns that are found in no token made by a merge; they search bytes, the marker's
    /// included.
    pub forbidden_patterns: Vec<String>,
    /// Texts that are tokens for certain: their merges come first. One that ends in the marker
    /// ends words.
    pub required: Vec<String>,
    /// What no merge joins with anything else.
    pub apart: Vec<Apart>,
    /// No merge makes a token with more digits.
    pub max_digits: Option<usize>,
    /// Which base symbols there are.
    pub initial_alphabet: Alphabet,
    /// Characters that have no token are spelled in those of their bytes, which follow the special tokens.
    pub byte_fallback: bool,
    /// So many characters are base symbols, the most frequent; the unknown token stands for others, or
    /// their bytes do.
    pub limit_alphabet: Option<u64>,
    /// The most frequent characters are base symbols, until they are so much of all.
    pub character_coverage: Option<f32>,
    /// The unknown token; where the special tokens do not list it, it goes before them.
    pub unk_token: Option<String>,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self {
            vocab_size: None,
            num_merges: None,
            units: Units::Bytes,
            special_tokens: Vec::new(),
            min_frequency: 2,
            ties: Ties::SmallestIds,
            end_of_word: None,
            max_token_length: None,
            forbidden: Vec::new(),
            forbidden_patterns: Vec::new(),
            required: Vec::new(),
            apart: Vec::new(),
            max_digits: None,
            initial_alphabet: Alphabet::Default,
            byte_fallback: false,
            limit_alphabet: None,
            character_coverage: None,
            unk_token: None,
        }
    }
}

impl LearnOptions {
    /// The special tokens in the order of their ids: an unknown token not listed goes first.
    pub fn specials(&self) -> Vec<&str> {
        let listed = self.special_tokens.iter().map(String::as_str);
        let unlisted = self.unk_token.iter().filter(|unk| !self.special_tokens.contains(unk));
        unlisted.map(String::as_str).chain(listed).collect()
    }

    /// What has the first ids: the special tokens, and where there are such, the tokens of all bytes.
    pub(super) fn reserved(&self) -> Vec<Cow<'_, str>> {
        let bytes = (0..=255).map(fallback::name_of).map(Cow::Owned);
        let bytes = bytes.take(if self.byte_fallback { 256 } else { 0 });
        self.specials().into_iter().map(Cow::Borrowed).chain(bytes).collect()
    }

    /// The id of the first byte's token, if bytes have tokens.
    pub(super) fn first_byte(&self) -> Option<usize> {
        self.byte_fallback.then(|| self.specials().len())
    }

    /// Whether characters may be left out of the alphabet.
    pub(super) fn limits_alphabet(&self) -> bool {
        self.limit_alphabet.is_some() || self.character_coverage.is_some()
    }

    /// The id of the unknown token, if there is one.
    pub(super) fn unknown(&self) -> Option<u32> {
        let unknown = self.unk_token.as_deref()?;
        let id = self.specials().iter().position(|&special| special == unknown);
        id.map(|id| id as u32)
    }

    /// The id of the token that stands for characters that are left out of the alphabet while merges are
    /// learned; where each is spelled in bytes, that of the first byte stands for all.
    pub(super) fn left_out(&self) -> Option<u32> {
        let of_bytes = self.first_byte().map(|id| id as u32);
        of_bytes.or_else(|| self.unknown()).filter(|_| self.limits_alphabet())
    }

    /// The marker's text; empty where there is no marker.
    pub(super) fn marker(&self) -> &str {
        self.end_of_word.as_ref().map_or("", |end| &end.marker)
    }

    /// Whether the marker is part of a word's last symbol from the start.
    pub(super) fn is_attached(&self) -> bool {
        self.end_of_word.as_ref().is_some_and(|end| end.attached)
    }

    /// Whether the marker is a symbol of its own.
    pub(super) fn is_separate(&self) -> bool {
        self.end_of_word.as_ref().is_some_and(|end| !end.attached)
    }

    /// The required tokens without their marker, and whether they have what ends a word.
    pub(super) fn required_words(&self) -> impl Iterator<Item = (&str, bool)> {
        let marker = self.end_of_word.as_ref().map(|end| &*end.marker);
        self.required.iter().map(String::as_str).map(move |text| match marker {
            None => (text, true),
            Some(marker) => text.strip_suffix(marker).map_or((text, false), |word| (word, true)),
        })
    }

    /// Refuses what is wrong whatever the words are.
    pub fn check(&self) -> Result<()> {
        if self.vocab_size == Some(0) {
            return refuse("vocab_size is 0; it counts tokens, so give 1 or more".into());
        }
        if self.max_token_length == Some(0) {
            let units = self.units_name();
            return refuse(format!("max_token_length is 0; it counts {units}, so give 1 or more"));
        }
        if self.end_of_word.as_ref().is_some_and(|end| end.marker.is_empty()) {
            let reason = "end_of_word is empty; give a text such as \"</w>\", or none at all";
            return refuse(reason.into());
        }
        if self.forbidden.iter().any(Vec::is_empty) {
            return refuse("forbidden holds an empty text, which no token is; leave it out".into());
        }
        if self.required_words().any(|(word, _)| word.is_empty()) {
            let reason = "required holds a token without a character; leave it out";
            return refuse(reason.into());
        }
        Constraints::new(self)?;
        self.check_bytes()?;
        self.check_alphabet()?;
        self.check_specials()
    }

    fn check_bytes(&self) -> Result<()> {
        if self.byte_fallback && self.units == Units::Bytes {
            return refuse(
                "byte_fallback spells in bytes what has no token, and units are bytes, which are all \
                 tokens; leave it out, or give units=\"chars\""
                    .into(),
            );
        }
        if self.byte_fallback && self.end_of_word.is_some() {
            let reason = "byte_fallback would spell in bytes what ends a word, its marker too; give one of \
                          byte_fallback and end_of_word";
            return refuse(reason.into());
        }
        Ok(())
    }

    fn check_alphabet(&self) -> Result<()> {
        let names = [
            ("limit_alphabet", self.limit_alphabet.is_some()),
            ("character_coverage", self.character_coverage.is_some()),
        ];
        let Some((name, _)) = names.into_iter().find(|&(_, is_given)| is_given) else {
            return Ok(());
        };
        if self.units == Units::Bytes {
            return refuse(format!(
                "{name} leaves rare characters out, and units are bytes, which are all tokens; leave it out, \
                 or give units=\"chars\""
            ));
        }
        if self.unk_token.is_none() && !self.byte_fallback {
            return refuse(format!(
                "{name} leaves rare characters out, and nothing stands for them; give an unk_token, or \
                 byte_fallback=True"
            ));
        }
        if self.limit_alphabet == Some(0) {
            let reason = "limit_alphabet is 0; it counts characters, so give 1 or more";
            return refuse(reason.into());
        }
        match self.character_coverage {
            Some(part) if !(part > 0.0 && part <= 1.0) => refuse(format!(
                "character_coverage is {part}; it is a part of the text, above 0 and at most 1, such as 0.9995"
            )),
            _ => Ok(()),
        }
    }

    fn check_specials(&self) -> Result<()> {
        let mut seen = hashbrown::HashSet::new();
        for special in self.specials() {
            if special.is_empty() {
                return refuse("a special token is empty; nothing in a text could match it".into());
            }
            if self.byte_fallback && fallback::byte_of(special.as_bytes()).is_some() {
                return refuse(format!(
                    "special token {special:?} is the token of a byte, and byte_fallback gives all bytes \
                     theirs; leave it out"
                ));
            }
            if !seen.insert(special) {
                return refuse(format!(
                    "special token {special:?} is listed twice; a vocabulary holds each token once"
                ));
            }
        }
        Ok(())
    }

    /// How many merges there can still be where there are so many tokens, and so many merges were
    /// made, or `None` where nothing limits them.
    pub(super) fn merges_left(&self, tokens: u64, merges: u64) -> Option<u64> {
        let by_size = self.vocab_size.map(|size| size.saturating_sub(tokens));
        let by_merges = self.num_merges.map(|number| number.saturating_sub(merges));
        by_size.into_iter().chain(by_merges).min()
    }

    /// Refuses a vocabulary too small for its base symbols, given as they are spelled in bytes.
    pub(super) fn check_base(&self, base: &[Vec<u8>]) -> Result<()> {
        let reserved = self.reserved();
        for special in &reserved {
            if base.iter().any(|symbol| symbol == special.as_bytes()) {
                return refuse(format!(
                    "special token {special:?} is also a base symbol, and a vocabulary holds each \
                     token once; give another name to the special token"
                ));
            }
        }
        let least = (reserved.len() + base.len()) as u64;
        match self.vocab_size {
            Some(size) if size < least => refuse(format!(
                "vocab_size is {size}, but the {} and special tokens alone need {least}",
                self.units_name()
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a vocabulary too small for the tokens that it is to extend, and for units that get one.
    pub(super) fn check_room(&self, tokens: u64, units: u64) -> Result<()> {
        match (self.vocab_size, units) {
            (Some(size), _) if size >= tokens + units => Ok(()),
            (None, _) => Ok(()),
            (Some(size), 0) => refuse(format!(
                "vocab_size is {size}, but the tokens to be extended are {tokens} already"
            )),
            (Some(size), _) => refuse(format!(
                "vocab_size is {size}, but the tokens to be extended are {tokens}, and {units} {} of the \
                 words have none; give at least {}, or words with fewer",
                self.units_name(),
                tokens + units
            )),
        }
    }

    pub(super) fn units_name(&self) -> &'static str {
        match self.units {
            Units::Bytes => "bytes",
            Units::Chars => "characters",
        }
    }
}

fn refuse(reason: String) -> Result<()> {
    Err(Error::Value(reason))
}
