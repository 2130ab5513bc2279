//! How text files spell a model's vocabulary, such that it is read back as it is.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

use super::spelled::{Entries, Spelling, in_merges};
use crate::error::{Error, Result};
use crate::model::{Merge, Model, Rule, Units};
use crate::vocabulary::Vocabulary;

/// The entries of a model's vocabulary by id, beside the list `merges`; those of `left_out` are
/// not listed.
///
/// Fails where a file could not tell two tokens apart, or what a token is.
pub(super) fn entries(
    model: &Model,
    merges: &[Merge],
    left_out: &HashSet<u32>,
) -> Result<Vec<(Cow<'static, str>, u32)>> {
    let unmet = unmet(model);
    let mut entries = Vec::with_capacity(model.vocabulary.len());
    for (id, bytes) in model.vocabulary.iter().filter(|(id, _)| !left_out.contains(id)) {
        let spelling = if model.vocabulary.merges(id) && !unmet.contains(&id) {
            model.spelling(id)
        } else {
            text_of(id, bytes)?
        };
        entries.push((Cow::Owned(spelling), id));
    }
    check_unlike(model, &entries)?;
    let again = Spelling::of(model).vocabulary(&entries, merges, &model.added_tokens)?;
    for (spelling, id) in &entries {
        check_same(model, &again, &unmet, spelling, *id)?;
    }
    Ok(entries)
}

/// The merges as lines of two symbols with a space between. Fails where a symbol would look like two.
pub(super) fn lines(model: &Model, merges: &[Merge], format: &str) -> Result<String> {
    let mut lines = String::new();
    for merge in merges {
        for (id, behind) in [(merge.left, ' '), (merge.right, '\n')] {
            let symbol = model.spelling(id);
            if symbol.is_empty() || symbol.contains([' ', '\r', '\n']) {
                return Err(Error::Format(format!(
                    "token {id} is {symbol:?}; a symbol of the format {format:?} holds no space \
                     or line end"
                )));
            }
            lines.push_str(&symbol);
            lines.push(behind);
        }
    }
    Ok(lines)
}

fn text_of(id: u32, bytes: &[u8]) -> Result<String> {
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Error::Format(format!("token {id} is plain text, but {bytes:?} is not UTF-8")))
}

/// Added tokens that stand in the vocabulary proper though merging never meets them.
pub(super) fn unmet(model: &Model) -> HashSet<u32> {
    let Rule::Merges(merges) = &model.rule else { return HashSet::new() };
    if model.added_tokens.is_empty() || model.ignore_merges {
        return HashSet::new();
    }
    let in_merges = in_merges(merges, model.vocabulary.ids());
    let is_unmet = |added: &u32| {
        !is_unit(model, *added)
            && !in_merges[*added as usize]
            && !model.vocabulary.ends_word(*added)
            && model.vocabulary.merges(*added)
    };
    let has_its_text = |added: &&crate::components::AddedToken| {
        model.vocabulary.bytes(added.id) == added.content.as_bytes()
    };
    model.added_tokens.iter().filter(has_its_text).map(|added| added.id).filter(is_unmet).collect()
}

/// Whether a token is at most one unit long.
fn is_unit(model: &Model, id: u32) -> bool {
    let bytes = model.vocabulary.bytes(id);
    let prefix = model.continuing_prefix.as_deref().unwrap_or_default();
    let bytes = bytes.strip_prefix(prefix.as_bytes()).unwrap_or(bytes);
    match model.units {
        Units::Bytes => bytes.len() < 2,
        Units::Chars => String::from_utf8_lossy(bytes).chars().nth(1).is_none(),
    }
}

/// Refuses two ids with one spelling.
fn check_unlike(model: &Model, entries: &Entries) -> Result<()> {
    let mut seen: HashMap<&str, u32, FixedState> =
        HashMap::with_capacity_and_hasher(entries.len(), FixedState::default());
    for (spelling, id) in entries {
        if let Some(first) = seen.insert(spelling, *id) {
            let is_added = |id| model.added_tokens.iter().any(|token| token.id == id);
            let remedy = if is_added(first) || is_added(*id) {
                ", and a file could not tell the added one apart; take it out with tok.without([…])"
            } else {
                remedy(model)
            };
            return Err(Error::Format(format!(
                "tokens {first} and {id} are both spelled {spelling:?}{remedy}"
            )));
        }
    }
    Ok(())
}

/// Refuses a token that is read back, in the vocabulary `again`, as something else.
fn check_same(
    model: &Model,
    again: &Vocabulary,
    unmet: &HashSet<u32>,
    spelling: &str,
    id: u32,
) -> Result<()> {
    let vocabulary = &model.vocabulary;
    let is_met = vocabulary.merges(id) && !unmet.contains(&id);
    // an entry that merging could not reach may be listed among those that it could
    let is_out_of_reach = !is_met
        && matches!(model.rule, Rule::Merges(_))
        && !model.ignore_merges
        && !is_unit(model, id);
    let what = if vocabulary.ends_word(id) != again.ends_word(id) {
        if vocabulary.ends_word(id) { "ends a word" } else { "does not end a word" }
    } else if vocabulary.bytes(id) == again.bytes(id)
        && (is_met == again.merges(id) || is_out_of_reach)
    {
        return Ok(());
    } else if is_met {
        "is no plain text"
    } else {
        "is plain text"
    };
    let remedy = remedy(model);
    Err(Error::Format(format!(
        "token {id} {what}, which its spelling {spelling:?} does not tell{remedy}"
    )))
}

fn remedy(model: &Model) -> &'static str {
    if model.end_of_word.is_some() {
        "; choose a marker that the text does not hold, with tok.with_(end_of_word=…)"
    } else {
        ", and a file could not tell them apart"
    }
}
