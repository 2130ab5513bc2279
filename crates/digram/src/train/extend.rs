//! Learning on from a tokenizer: every old id is kept, new tokens come after the last.
//!
//! The words are split as the tokenizer splits them, and what they are then made of is what
//! learning begins with: each old token is a base symbol. Merging in training is merging by rank,
//! so learning first *n* merges and then *m* more gives what learning *n* + *m* at once gives.
//!
//! By scores it is the same: a new piece has a lower score than all before it. Any pair with its text
//! merges, but what stands between two boundaries of tokens is merged as if it stood alone, so that it is always
//! the pair that was learned.

use hashbrown::HashSet;
use std::borrow::Borrow;

use crate::aliases;
use crate::components::AddedToken;
use crate::error::{Error, Result};
use crate::merge::pairs::Pairs;
use crate::merge::scores::Ready;
use crate::merge::{self, whole};
use crate::model::{Kind, Merge, Model, Rule, Units, is_met};
use crate::monitor::Monitor;
use crate::vocabulary::{Token, Vocabulary};

use super::alphabet::{Base, Survey};
use super::corpus::Speller;
use super::course::Course;
use super::known;
use super::learn::{Begin, learn_from};
use super::options::{Alphabet, LearnOptions};
use super::report::TrainingReport;
use super::tokens::Tokens;
use super::words::WordCounts;

/// Spells words in the tokens of a model.
struct Old<'a> {
    model: &'a Model,
    base: Base,
    pairs: Pairs,
}

impl Speller for Old<'_> {
    fn spell(
        &self,
        word: &[u8],
        is_whole: bool,
        symbols: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let text = std::str::from_utf8(word).ok();
        let text = text.filter(|_| is_whole);
        if let Some(id) = text.and_then(|word| whole(word, self.model)) {
            symbols.clear();
            symbols.push(id);
            return Ok(());
        }
        self.base.spell(word, is_whole, symbols, monitor)?;
        merge::by_rank(symbols, &self.pairs, monitor)
    }
}

/// Learns more merges for `model`, from words that were split as it splits text.
///
/// Of the options, those that limit learning count, and `ties`; what words are made of is the
/// model's. A unit that the model has no token for gets one, before the first merge; where its bytes stand for
/// it, if they are several and it occurs as often as a pair that is learned. No new token spells an old one. The
/// report tells of the new merges alone.
///
/// Fails where the model does not merge, or changes what it merged.
///
/// ```
/// use digram::monitor::{Monitor, Nobody};
/// use digram::train::{Around, LearnOptions, WordCounts, build, extend, learn};
///
/// let counts = WordCounts::from_pairs([("hug", 10), ("pug", 5), ("pun", 12), ("hugs", 5)])?;
/// let monitor = Monitor::new(&Nobody);
/// let options = |merges| LearnOptions { num_merges: Some(merges), ..LearnOptions::default() };
/// let (learned, _) = learn(&counts, &options(1), &monitor)?;
/// let model = build(learned, &options(1), Around::default())?;
/// let (model, report) = extend(&counts, &options(2), &model, &monitor)?;
/// assert_eq!((model.vocabulary.bytes(256), model.vocabulary.bytes(258)), (&b"ug"[..], &b"pu"[..]));
/// assert_eq!(report.merge_frequencies(), [15, 12]);
/// # Ok::<(), digram::Error>(())
/// ```
pub fn extend(
    counts: &WordCounts,
    options: &LearnOptions,
    model: &Model,
    monitor: &Monitor,
) -> Result<(Model, TrainingReport)> {
    extend_on(counts, options, model, Course::default(), monitor)
}

/// Extends as [`extend`] does, from where it was before, and lets what it does be kept.
pub fn extend_on(
    counts: impl Borrow<WordCounts>,
    options: &LearnOptions,
    model: &Model,
    course: Course,
    monitor: &Monitor,
) -> Result<(Model, TrainingReport)> {
    options.check_for(model)?;
    let options = options.of(model);
    match known::cut(counts.borrow(), &options, model, monitor)? {
        None => extend_all(counts, &options, model, course, monitor),
        Some(stretches) => {
            drop(counts);
            extend_all(stretches, &options, model, course, monitor)
        }
    }
}

/// Extends by all that words are made of.
fn extend_all(
    counts: impl Borrow<WordCounts>,
    options: &LearnOptions,
    model: &Model,
    course: Course,
    monitor: &Monitor,
) -> Result<(Model, TrainingReport)> {
    let survey = Survey::new(counts.borrow(), options, monitor)?;
    let mut tokens = Tokens::of(model, options)?;
    let (first, known) = (tokens.len(), tokens.count());
    // a unit that the model has no token for gets one
    let base = Base::new(&survey, options, |text, bytes, ends_word| {
        let known = model.vocabulary.id_of(bytes, ends_word);
        known.unwrap_or_else(|| tokens.push(text, ends_word))
    });
    options.check_room(known, tokens.count() - known)?;
    let speller = Old { model, base, pairs: pairs(model, &tokens, first)? };
    let begin = Begin { counts, survey: &survey, speller: &speller, tokens, course };
    let (learned, report) = learn_from(begin, options, monitor)?;
    Ok((extended(model, &learned.tokens[first..], learned.merges)?, report))
}

/// The pairs that merge in words: of tokens, and of units that are to be tokens, from `first` on.
fn pairs(model: &Model, tokens: &Tokens, first: usize) -> Result<Pairs> {
    if !matches!(model.rule, Rule::Scores(_)) {
        return Pairs::of(model, 0);
    }
    let unit = |id| Token::new(id, tokens.text(id));
    let units: Vec<_> = (first as u32..tokens.len() as u32).map(unit).collect();
    let model = extended(model, &units, Vec::new())?;
    let Rule::Scores(scores) = &model.rule else { return Pairs::of(&model, 0) };
    Ready::of(&model, scores)?.into_pairs(&model)
}

/// The model with more tokens, and merges that make them.
///
/// In files ids have no gaps: added tokens that stood behind the vocabulary are listed in it where others follow them,
/// as text that nothing becomes, but a whole word where these are looked up. By rank they stay apart, as a file of
/// ranks has none of them.
fn extended(model: &Model, new: &[Token], merges: Vec<Merge>) -> Result<Model> {
    let old = &model.vocabulary;
    let within = !new.is_empty() && model.rule != Rule::Ranks;
    let is_listed = |id: u32| {
        let content = || String::from_utf8_lossy(old.bytes(id));
        within && old.added_only(id) && model.units.is_apart(&content())
    };
    let words: HashSet<u32> = model
        .added_tokens
        .iter()
        .filter(|added| is_word(model, added))
        .map(|added| added.id)
        .collect();
    let token = |(id, bytes): (u32, &[u8])| Token {
        ends_word: old.ends_word(id),
        added_only: old.added_only(id) && !is_listed(id),
        literal: old.literal(id) || (is_listed(id) && !words.contains(&id)),
        ..Token::new(id, bytes)
    };
    let listed: Vec<u32> = old.iter().map(|(id, _)| id).filter(|&id| is_listed(id)).collect();
    let tokens = old.iter().map(token).chain(new.iter().cloned()).collect();
    let vocabulary = Vocabulary::new(tokens)?;
    let mut model = Model { vocabulary, ..model.clone() };
    match &mut model.rule {
        Rule::Merges(before) => before.extend(merges),
        Rule::Scores(scores) => {
            scores.add_controls(listed.into_iter());
            scores.append(new.iter().map(|token| token.id));
        }
        Rule::Ranks | Rule::Greedy(_) => {}
    }
    Ok(model)
}

/// Whether an added token that is listed is what a word of its text becomes.
fn is_word(model: &Model, added: &AddedToken) -> bool {
    let content = added.content.as_str();
    let is_spelled = aliases::unspell(content).is_some_and(|own| own == content.as_bytes());
    (model.units == Units::Chars || is_spelled)
        && is_met((content, None), added, false, model.ignore_merges)
}

impl LearnOptions {
    /// Refuses what is wrong whatever the words are, if a model is to be extended.
    pub fn check_for(&self, model: &Model) -> Result<()> {
        check(model)?;
        if self.limits_alphabet() || self.byte_fallback {
            let reason = "limit_alphabet, character_coverage and byte_fallback are for new tokenizers; leave \
                          them out";
            return Err(Error::Value(reason.into()));
        }
        if !self.special_tokens.is_empty() || self.unk_token.is_some() {
            let reason = "special tokens and the unknown token are those of the tokenizer that is \
                          extended; leave special_tokens and unk_token out";
            return Err(Error::Value(reason.into()));
        }
        self.of(model).check()
    }

    /// The same, in the units of a model.
    fn of(&self, model: &Model) -> Self {
        Self {
            units: model.units,
            end_of_word: model.end_of_word.clone(),
            initial_alphabet: Alphabet::Seen,
            ..self.clone()
        }
    }
}

fn check(model: &Model) -> Result<()> {
    let cannot = |what: &str| {
        let reason = format!("a tokenizer {what} cannot be extended; train a new one");
        Err(Error::Value(reason))
    };
    match &model.rule {
        Rule::Scores(scores) if scores.of_kind(Kind::Unused).next().is_some() => {
            return cannot("with unused pieces");
        }
        Rule::Merges(_) | Rule::Ranks | Rule::Scores(_) => {}
        Rule::Greedy(_) => return cannot("that cuts words greedily"),
    }
    if model.spelled {
        return cannot("whose characters stand for bytes");
    }
    if model.byte_fallback && model.end_of_word.is_some() {
        return cannot("that falls back to bytes and has an end-of-word marker");
    }
    if model.ignore_merges && model.end_of_word.is_some() {
        return cannot("that looks up whole words and has an end-of-word marker");
    }
    if model.continuing_prefix.is_some() {
        return cannot("whose tokens have a continuing prefix");
    }
    if !model.unused.is_empty() {
        return cannot("with unused tokens");
    }
    if model.rule == Rule::Ranks && model.units == Units::Chars {
        return cannot("that merges characters by rank");
    }
    Ok(())
}

#[cfg(test)]
#[path = "extend_tests.rs"]
mod tests;
