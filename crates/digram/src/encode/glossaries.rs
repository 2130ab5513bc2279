//! Glossaries: what of a word is kept whole, as subword-nmt's `--glossaries` has it.
//!
//! A word is cut at what each glossary finds in it, one glossary after the other; the segments are
//! encoded as words of their own, and those that a glossary matches from end to end are not taken
//! apart. So far, each segment has a word's end. But none is between two segments of one word:
//! there, subword-nmt writes `low@@`, which is the token `low` and not `low</w>`. What stands at
//! the end of an inner segment becomes the token with the same text that ends no word.

mod python;

use aho_corasick::AhoCorasick;
use hashbrown::HashSet;
use regex_automata::meta::{Config, Regex};
use regex_automata::{Anchored, Input};

use super::Tokenizer;
use super::explain::{Reason, Word, add};
use super::pieces::Pieces;
use super::pipeline::Scratch;
use crate::error::{Error, Result};
use crate::merge::alphabet::no_symbol;
use crate::merge::spans::Placed;
use crate::model::Model;
use crate::monitor::Monitor;
pub(crate) use python::text_of;

/// All compiled patterns together may be this large, as those of pre-tokenizers.
const PATTERN_BYTES: usize = 8 << 20;

/// A model's glossaries, ready to run.
pub(super) struct Glossaries {
    each: Vec<Glossary>,
    /// Where none of the texts is found, no glossary that is a text has anything to do.
    texts: AhoCorasick,
    /// The glossaries that are texts.
    whole: HashSet<String>,
    /// What matches a segment from end to end, by the others together.
    others: Option<Regex>,
}

enum Glossary {
    Text(String),
    Pattern {
        search: Regex,
        /// The pattern between `^` and `$`: of `a|b` that is `^a` or `b$`.
        framed: Regex,
    },
}

/// A part of a word.
pub(super) struct Segment<'a> {
    text: &'a str,
    /// Whether a glossary matches it, from end to end.
    is_kept: bool,
}

impl Glossaries {
    /// The glossaries of a model, if it has any.
    pub fn of(model: &Model) -> Result<Option<Self>> {
        if model.glossaries.is_empty() {
            return Ok(None);
        }
        let patterns = model.glossaries.iter().filter(|glossary| text_of(glossary).is_none());
        let patterns = patterns.map(|each| python::translated(each)).collect::<Result<Vec<_>>>()?;
        let bytes = PATTERN_BYTES / (2 * patterns.len() + 1);
        let others = (!patterns.is_empty())
            .then(|| compiled(&format!("^(?:{})$", patterns.join("|")), bytes))
            .transpose()?;
        let each = model.glossaries.iter().map(|glossary| Glossary::of(glossary, bytes));
        let each = each.collect::<Result<Vec<_>>>()?;
        let whole: HashSet<String> = each.iter().filter_map(Glossary::text).collect();
        let texts = AhoCorasick::new(&whole)
            .map_err(|error| Error::Limit(format!("the glossaries are too many: {error}")))?;
        Ok(Some(Self { each, texts, whole, others }))
    }

    /// The segments of a word, one behind the other.
    pub fn segments<'a>(&self, word: &'a str) -> Vec<Segment<'a>> {
        let has_text = !self.whole.is_empty() && self.texts.is_match(word);
        let mut segments = vec![word];
        for glossary in &self.each {
            if has_text || matches!(glossary, Glossary::Pattern { .. }) {
                segments = segments.iter().flat_map(|segment| glossary.cut(segment)).collect();
            }
        }
        let segment = |text| Segment { text, is_kept: self.keeps(text) };
        segments.into_iter().map(segment).collect()
    }

    fn keeps(&self, segment: &str) -> bool {
        self.whole.contains(segment)
            || self.others.as_ref().is_some_and(|others| matches(others, segment))
    }
}

impl Glossary {
    fn of(glossary: &str, bytes: usize) -> Result<Self> {
        if let Some(text) = text_of(glossary) {
            return Ok(Self::Text(text));
        }
        let pattern = python::translated(glossary)?;
        let search = compiled(&pattern, bytes)?;
        if search.is_match("") {
            return Err(Error::Value(format!(
                "the glossary {glossary:?} matches an empty text, and would cut words into their \
                 letters; let it match one character or more"
            )));
        }
        Ok(Self::Pattern { search, framed: compiled(&format!("^{pattern}$"), bytes)? })
    }

    fn text(&self) -> Option<String> {
        if let Self::Text(text) = self { Some(text.clone()) } else { None }
    }

    /// What is found, and what lies between, without the empty parts.
    fn cut<'a>(&self, segment: &'a str) -> Vec<&'a str> {
        let found: Vec<_> = match self {
            Self::Text(text) => {
                segment.match_indices(text).map(|(at, m)| at..at + m.len()).collect()
            }
            Self::Pattern { framed, .. } if matches(framed, segment) => Vec::new(),
            Self::Pattern { search, .. } => search.find_iter(segment).map(|m| m.range()).collect(),
        };
        let (mut parts, mut position) = (Vec::new(), 0);
        for range in found {
            parts.extend([&segment[position..range.start], &segment[range.clone()]]);
            position = range.end;
        }
        parts.push(&segment[position..]);
        parts.retain(|part| !part.is_empty());
        parts
    }
}

impl Tokenizer {
    /// Appends the ids of a word that glossaries cut.
    pub(super) fn encode_segments(
        &self,
        word: &str,
        glossaries: &Glossaries,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let segments = glossaries.segments(word);
        for (place, segment) in segments.iter().enumerate() {
            let is_last = place + 1 == segments.len();
            if segment.is_kept {
                self.keep(segment.text, is_last, ids)?;
                continue;
            }
            let whole = Pieces { starts: &[0], ends: &[segment.text.len() as u32], parts: &[] };
            self.encode_pieces(segment.text, whole, scratch, ids, monitor)?;
            if !is_last {
                self.leave_open(segment.text, ids)?;
            }
        }
        Ok(())
    }

    /// The ids of a word that glossaries cut, and where each stands.
    pub(super) fn place_segments(
        &self,
        word: &str,
        glossaries: &Glossaries,
        monitor: &Monitor,
    ) -> Result<Vec<Placed>> {
        let segments = glossaries.segments(word);
        let (mut placed, mut start) = (Vec::new(), 0);
        for (place, segment) in segments.iter().enumerate() {
            let (is_last, end) = (place + 1 == segments.len(), start + segment.text.len());
            let (mut ids, mut spans) = (Vec::new(), vec![[0, segment.text.len()]]);
            if segment.is_kept {
                self.keep(segment.text, is_last, &mut ids)?;
            } else {
                let own = self.merger.place(segment.text, &self.model, monitor)?;
                (ids, spans) = own.into_iter().unzip();
                if !is_last {
                    self.leave_open(segment.text, &mut ids)?;
                }
            }
            // a marker that is kept behind a segment stands at its end
            spans.resize(spans.len().max(ids.len()), [segment.text.len(); 2]);
            placed.extend(
                ids.into_iter().zip(spans).map(|(id, span)| (id, span.map(|at| start + at))),
            );
            start = end;
        }
        Ok(placed)
    }

    /// How a word that glossaries cut becomes its ids, segment by segment.
    pub(super) fn explain_segments(
        &self,
        word: &str,
        glossaries: &Glossaries,
        words: &mut Vec<Word>,
        monitor: &Monitor,
    ) -> Result<()> {
        let segments = glossaries.segments(word);
        for (place, Segment { text, is_kept }) in segments.iter().enumerate() {
            let is_last = place + 1 == segments.len();
            if *is_kept {
                let mut ids = Vec::new();
                self.keep(text, is_last, &mut ids)?;
                let (text, symbols) = ((*text).to_owned(), ids.clone());
                let reason = Reason::Glossary;
                add(words, Word { text, symbols, steps: vec![], ids, reason })?;
                continue;
            }
            let mut explained = self.explain_word(text, monitor)?;
            if !is_last {
                self.leave_open(text, &mut explained.ids)?;
            }
            add(words, explained)?;
        }
        Ok(())
    }

    /// Appends the token that a segment is, as a whole.
    fn keep(&self, segment: &str, is_last: bool, ids: &mut Vec<u32>) -> Result<()> {
        let vocabulary = &self.model.vocabulary;
        let id_of = |ends_word| vocabulary.id_of(segment.as_bytes(), ends_word);
        let is_separate = self.model.end_of_word.as_ref().is_some_and(|end| !end.attached);
        if is_last && let Some(id) = id_of(true) {
            ids.push(id);
            return Ok(());
        }
        let inner = id_of(false).filter(|_| !is_last || is_separate);
        ids.push(self.or_unknown(inner, segment)?);
        if is_last && is_separate {
            ids.extend(vocabulary.id_of(b"", true));
        }
        Ok(())
    }

    /// Takes the end of a word away, which has come to stand within one.
    fn leave_open(&self, segment: &str, ids: &mut Vec<u32>) -> Result<()> {
        let vocabulary = &self.model.vocabulary;
        let Some(last) = ids.pop_if(|last| vocabulary.ends_word(*last)) else { return Ok(()) };
        let bytes = vocabulary.bytes(last);
        if !bytes.is_empty() {
            ids.push(self.or_unknown(vocabulary.id_of(bytes, false), segment)?);
        }
        Ok(())
    }

    fn or_unknown(&self, id: Option<u32>, segment: &str) -> Result<u32> {
        let unknown = || self.model.unknown.as_ref().map(|unknown| unknown.id);
        id.or_else(unknown).ok_or_else(|| no_symbol(&format!("{segment:?}"), segment))
    }
}

/// Whether a pattern that ends with `$` matches from the beginning on.
fn matches(pattern: &Regex, segment: &str) -> bool {
    pattern.is_match(Input::new(segment).anchored(Anchored::Yes))
}

fn compiled(pattern: &str, bytes: usize) -> Result<Regex> {
    Regex::builder()
        .configure(Config::new().nfa_size_limit(Some(bytes)))
        .build(pattern)
        .map_err(|error| Error::Limit(format!("the glossaries do not compile: {error}")))
}
