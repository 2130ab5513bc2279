//! What becomes of special tokens that stand in a text.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use hashbrown::HashSet;

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
    /// The last names that were given, and what to look for then: mostly they are given again.
    named: Mutex<Option<(Vec<String>, Arc<Matchers>)>>,
}

impl Policies {
    pub fn new(tokens: &[AddedToken], rewriter: Rewriter) -> Result<Self> {
        let specials: Vec<_> = tokens.iter().filter(|token| token.special).cloned().collect();
        Ok(Self {
            text: Matchers::new(tokens.iter().filter(|token| !token.special), &rewriter)?,
            token: Matchers::new(tokens.iter(), &rewriter)?,
            special: Matcher::new(specials)?,
            named: Mutex::new(None),
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
            Special::Only(names) => self.named(names),
        }
    }

    /// What to look for where some special tokens are named. O(n) in their number.
    fn named(&self, names: &[String]) -> Result<Held<'_>> {
        // where another thread holds it, it may as well be made anew
        if let Ok(last) = self.named.try_lock()
            && let Some((before, made)) = &*last
            && before == names
        {
            return Ok(Held::Shared(Arc::clone(made)));
        }
        let specials = self.tokens.iter().filter(|token| token.special);
        let known: HashSet<&str> = specials.map(|token| token.content.as_str()).collect();
        if let Some(unknown) = names.iter().find(|&name| !known.contains(name.as_str())) {
            return Err(self.no_special(unknown));
        }
        let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
        if wanted.len() == known.len() {
            return Ok(Held::Borrowed(&self.token));
        }
        let is_met = |t: &&AddedToken| !t.special || wanted.contains(t.content.as_str());
        let made = Arc::new(Matchers::new(self.tokens.iter().filter(is_met), &self.rewriter)?);
        if let Ok(mut last) = self.named.try_lock() {
            *last = Some((names.to_vec(), Arc::clone(&made)));
        }
        Ok(Held::Shared(made))
    }

    fn no_special(&self, name: &str) -> Error {
        let known: Vec<_> =
            self.tokens.iter().filter(|t| t.special).take(5).map(|t| t.content.as_str()).collect();
        Error::SpecialToken(format!(
            "{name:?} is not a special token of this tokenizer; its special tokens begin with {known:?}"
        ))
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

/// Matchers of the tokenizer, or of some names.
pub(super) enum Held<'a> {
    Borrowed(&'a Matchers),
    Shared(Arc<Matchers>),
}

impl std::ops::Deref for Held<'_> {
    type Target = Matchers;
    fn deref(&self) -> &Matchers {
        match self {
            Self::Borrowed(matchers) => matchers,
            Self::Shared(matchers) => matchers,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::special;

    #[test]
    fn what_is_named_again_is_looked_for_again() {
        let tokens = [
            special(0, "<a>"),
            special(1, "<b>"),
            AddedToken { special: false, ..special(2, "c") },
        ];
        let rewriter = Rewriter::new(None, crate::components::Unicode::default()).expect("none");
        let policies = Policies::new(&tokens, rewriter).expect("few");
        let made = |names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned()).collect();
            let held =
                policies.matchers(&Special::Only(names)).map_err(|error| error.to_string())?;
            let finds = |text: &str| {
                let (first, monitor) = (held.raw.as_ref()?, Monitor::silent());
                first.first(text, &monitor).expect("it is short").map(|(_, token)| token.id)
            };
            Ok((std::ptr::from_ref::<Matchers>(&held), [finds("<a>"), finds("<b>"), finds("c")]))
        };
        let a = made(&["<a>"]);
        assert_eq!(a, made(&["<a>"]));
        assert_eq!(a.map(|(_, found)| found), Ok([Some(0), None, Some(2)]));
        assert_eq!(made(&["<b>"]).map(|(_, found)| found), Ok([None, Some(1), Some(2)]));
        assert_eq!(made(&[]).map(|(_, found)| found), Ok([None, None, Some(2)]));
        let all = made(&["<b>", "<a>", "<b>"]).map(|(place, _)| place);
        assert_eq!(all, Ok(std::ptr::from_ref(&policies.token)));
        let error: String = made(&["<a>", "c"]).expect_err("it is none");
        assert!(error.starts_with("\"c\" is not a special token"), "{error}");
        assert_eq!(made(&["<a>"]).map(|(_, found)| found), Ok([Some(0), None, Some(2)]));
    }
}
