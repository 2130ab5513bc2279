//! What becomes of special tokens that stand in a text.

use std::borrow::Cow;

use crate::components::added::Matcher;
use crate::components::aligned::Aligned;
use crate::components::{AddedToken, Rewriter};
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// What becomes of special tokens that stand in a text. Other added tokens are always matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Special {
    /// They are text.
    Text,
    /// They are tokens.
    Token,
    /// They are refused.
    Error,
    /// Those named are tokens, the others text.
    Only(Vec<String>),
}

/// The added tokens that a call looks for: in the raw text, and in the normalized text.
pub(super) struct Matchers {
    pub raw: Option<Matcher>,
    pub normalized: Option<Matcher>,
}

impl Matchers {
    fn new<'a>(tokens: impl Iterator<Item = &'a AddedToken>, rewriter: &Rewriter) -> Result<Self> {
        let (late, early): (Vec<_>, Vec<_>) = tokens.cloned().partition(|token| token.normalized);
        let mut normalized = Vec::with_capacity(late.len());
        for token in late {
            let content = rewriter.normalize(&token.content)?.into_owned();
            // of a token that normalization leaves nothing of, nothing can be found
            if !content.is_empty() {
                normalized.push(AddedToken { content, ..token });
            }
        }
        Ok(Self { raw: Matcher::new(early)?, normalized: Matcher::new(normalized)? })
    }
}

/// The added tokens of a tokenizer, ready for every policy.
pub(super) struct Policies {
    tokens: Vec<AddedToken>,
    rewriter: Rewriter,
    text: Matchers,
    token: Matchers,
    special: Option<Matcher>,
}

impl Policies {
    pub fn new(tokens: &[AddedToken], rewriter: Rewriter) -> Result<Self> {
        let specials: Vec<_> = tokens.iter().filter(|token| token.special).cloned().collect();
        Ok(Self {
            text: Matchers::new(tokens.iter().filter(|token| !token.special), &rewriter)?,
            token: Matchers::new(tokens.iter(), &rewriter)?,
            special: Matcher::new(specials)?,
            tokens: tokens.to_vec(),
            rewriter,
        })
    }

    /// The text, normalized.
    pub fn normalize<'a>(&self, text: &'a str) -> Result<Cow<'a, str>> {
        self.rewriter.normalize(text)
    }

    /// Whether what normalization makes of a text begins where the text does.
    pub fn keeps_beginning(&self, text: &str) -> Result<bool> {
        self.rewriter.keeps_beginning(text)
    }

    /// The same, with where all of it comes from.
    pub fn align<'a>(&self, text: Aligned<'a>, monitor: &Monitor) -> Result<Aligned<'a>> {
        self.rewriter.align(text, monitor)
    }

    /// What to look for under a policy. Fails where a name is no special token.
    pub fn matchers(&self, special: &Special) -> Result<Held<'_>> {
        match special {
            Special::Text | Special::Error => Ok(Held::Borrowed(&self.text)),
            Special::Token => Ok(Held::Borrowed(&self.token)),
            Special::Only(names) => {
                for name in names {
                    self.check_name(name)?;
                }
                let wanted = |t: &&AddedToken| !t.special || names.contains(&t.content);
                let matchers = Matchers::new(self.tokens.iter().filter(wanted), &self.rewriter)?;
                Ok(Held::Owned(Box::new(matchers)))
            }
        }
    }

    fn check_name(&self, name: &str) -> Result<()> {
        if self.tokens.iter().any(|token| token.special && token.content == name) {
            return Ok(());
        }
        let known: Vec<_> =
            self.tokens.iter().filter(|t| t.special).take(5).map(|t| t.content.as_str()).collect();
        Err(Error::SpecialToken(format!(
            "{name:?} is not a special token of this tokenizer; its special tokens begin with {known:?}"
        )))
    }

    /// Fails where `text` holds a special token and the policy refuses them.
    pub fn check(&self, text: &str, special: &Special, monitor: &Monitor) -> Result<()> {
        let (Special::Error, Some(matcher)) = (special, &self.special) else { return Ok(()) };
        let Some((start, token)) = matcher.first(text, monitor)? else { return Ok(()) };
        let position = text[..start].chars().count();
        Err(Error::SpecialToken(format!(
            "the text holds the special token {:?} at character {position}; pass special=\"text\" \
             to encode it as text, special=\"token\" or special={{{0:?}}} to encode it as a token",
            token.content
        )))
    }
}

/// Matchers of the tokenizer, or made for one call.
pub(super) enum Held<'a> {
    Borrowed(&'a Matchers),
    Owned(Box<Matchers>),
}

impl std::ops::Deref for Held<'_> {
    type Target = Matchers;
    fn deref(&self) -> &Matchers {
        match self {
            Self::Borrowed(matchers) => matchers,
            Self::Owned(matchers) => matchers,
        }
    }
}
