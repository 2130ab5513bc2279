//! What of words a model has tokens for, where it has something else for the rest.
//!
//! A model that falls back to bytes needs no token for a character that is seldom seen, so one that is
//! less frequent than the pairs that are learned gets none; nor does one that is a single byte, whose token is as
//! short, and known to who has learned from texts. Bytes never merge, and stand between what is learned on both
//! sides. So do user-defined pieces. Words are cut there before anything is counted.

use hashbrown::HashMap;

use crate::components::added::Matcher;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::monitor::Monitor;

use super::alphabet::WORDS_PER_CHECK;
use super::options::LearnOptions;
use super::words::WordCounts;

/// The stretches of words between what is never merged; `None` where that is nowhere.
pub(super) fn cut(
    counts: &WordCounts,
    options: &LearnOptions,
    model: &Model,
    monitor: &Monitor,
) -> Result<Option<WordCounts>> {
    let rare = rare(counts, options, model, monitor)?;
    let user_defined = Matcher::of_texts(model.user_defined())?;
    if rare.is_empty() && user_defined.is_none() {
        return Ok(None);
    }
    let mut stretches = WordCounts::new();
    let mut add = |text: &str, count| -> Result<()> {
        let parts = text.split(|character| rare.contains_key(&character));
        parts
            .filter(|part| !part.is_empty())
            .try_for_each(|part| stretches.push(part.as_bytes(), count))
    };
    for (index, (word, count)) in counts.iter().enumerate() {
        if index % WORDS_PER_CHECK == 0 {
            monitor.report("words", index as u64, counts.len() as u64)?;
        }
        let Ok(text) = str::from_utf8(word) else { return Ok(None) }; // it is refused where it is read
        match &user_defined {
            None => add(text, count)?,
            Some(matcher) => matcher.sections(text, monitor, |section| match section.id {
                None => add(&text[section.start..section.end], count),
                Some(_) => Ok(()),
            })?,
        }
    }
    if stretches.is_empty() && !counts.is_empty() {
        let reason = "nothing is left of the words to learn from: all their characters are tokens of bytes or \
                      user-defined pieces, or too rare for min_frequency; give more text";
        return Err(Error::Value(reason.into()));
    }
    Ok(Some(stretches))
}

/// The characters that are no tokens and become none, as none is required, and how often they were seen.
fn rare(
    counts: &WordCounts,
    options: &LearnOptions,
    model: &Model,
    monitor: &Monitor,
) -> Result<HashMap<char, u64>> {
    let mut seen = HashMap::new();
    if !model.byte_fallback {
        return Ok(seen);
    }
    for (index, (word, count)) in counts.iter().enumerate() {
        if index % WORDS_PER_CHECK == 0 {
            monitor.report("words", index as u64, counts.len() as u64)?;
        }
        for character in str::from_utf8(word).into_iter().flat_map(str::chars) {
            let times: &mut u64 = seen.entry(character).or_default();
            *times = times.saturating_add(count);
        }
    }
    let mut bytes = [0; 4];
    seen.retain(|character, times| {
        (character.is_ascii() || *times < options.min_frequency)
            && !options.required.iter().any(|text| text.contains(*character))
            && model.vocabulary.id_of(character.encode_utf8(&mut bytes).as_bytes(), false).is_none()
    });
    Ok(seen)
}
