//! The tokens that glossaries need besides those that codes make.
//!
//! subword-nmt writes the last token of a segment that another one follows as if it ended no word:
//! `low@@` for `low</w>`. So each token that ends a word needs another of the same text that does
//! not. A glossary that is a text becomes two tokens, within a word and at its end; what a pattern
//! may find is without end, and has tokens where the codes make some.

use hashbrown::HashSet;
use std::borrow::Cow;

use super::dialect::Dialect;
use crate::encode::text_of;
use crate::error::{Error, Result};

/// Adds those tokens behind all others.
pub(super) fn add_tokens(
    entries: &mut Vec<(Cow<'_, str>, u32)>,
    dialect: &Dialect,
    glossaries: &[String],
) -> Result<()> {
    let Some(end) = dialect.end.as_ref().filter(|_| !dialect.by_product) else {
        return Err(Error::Value(
            "glossaries= is given, but these are OpenNMT's codes; glossaries are subword-nmt's"
                .into(),
        ));
    };
    let marker = end.marker.as_str();
    let mut there: HashSet<String> = entries.iter().map(|(token, _)| token.to_string()).collect();
    let mut wanted: Vec<String> = entries
        .iter()
        .filter_map(|(token, _)| token.strip_suffix(marker))
        .filter(|stem| !stem.is_empty())
        .map(str::to_owned)
        .collect();
    for text in glossaries.iter().filter_map(|glossary| text_of(glossary)) {
        if text.contains(marker) {
            return Err(Error::Value(format!(
                "the glossary {text:?} holds {marker:?}, which marks the end of words in the codes"
            )));
        }
        let ending = end.attached.then(|| format!("{text}{marker}"));
        wanted.push(text);
        wanted.extend(ending);
    }
    wanted.retain(|token| there.insert(token.clone()));
    let next = entries.len() as u32;
    entries.extend(wanted.into_iter().map(Cow::Owned).zip(next..));
    Ok(())
}
