//! Where tokens stand in a text that becomes another before it is merged.
//!
//! Each step that changes the text tells where the characters come from that it writes, and each word where
//! its ids stand in it. That takes longer than ids alone, and is done where tokens do not simply tile the text.

use std::ops::Range;

use hashbrown::HashMap;

use super::offsets::{Offsets, check_length, sections};
use super::policy::Matchers;
use super::trim::{Blanks, Trim, blanks_in};
use super::{Piece, Special, Tokenizer};
use crate::components::aligned::{Aligned, place};
use crate::components::runs::Place;
use crate::error::Result;
use crate::memory;
use crate::merge::spans::Placed;
use crate::monitor::Monitor;
use crate::pretokenize::SplitCache;

/// Words up to so many bytes are remembered, and as many ids of them.
const MAX_WORD: usize = 64;
const MAX_IDS: usize = 1 << 18;
/// Words and parts of words between two looks at the monitor.
const PARTS_PER_CHECK: usize = 1024;

/// What is found while a text is gone through.
struct Found<'a> {
    tokenizer: &'a Tokenizer,
    monitor: &'a Monitor<'a>,
    ids: Vec<u32>,
    offsets: Vec<u32>,
    trim: Option<&'a Trim>,
    cache: SplitCache,
    known: Known,
    /// How many words and parts of words there were.
    parts: usize,
    /// Room to work in.
    room: Vec<Placed>,
}

/// The ids of words that were met, and of parts of words, and where they stand in them.
#[derive(Default)]
struct Known {
    ranges: HashMap<String, Range<usize>>,
    placed: Vec<Placed>,
}

impl Tokenizer {
    /// The ids of any text, and where each stands.
    pub(super) fn encode_placed(
        &self,
        text: &str,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        let matchers = self.policies.matchers(special)?;
        self.check(text, special, monitor)?;
        let mut found = Found {
            tokenizer: self,
            monitor,
            ids: memory::list(text.len() / 4)?,
            offsets: memory::list(text.len() / 2)?,
            trim: self.trim()?,
            cache: SplitCache::default(),
            known: Known::default(),
            parts: 0,
            room: Vec::new(),
        };
        sections(matchers.raw.as_ref(), text, monitor, |id, place, own| match id {
            Some(id) => found.push_added(id, place, own),
            None => found.add(own, place[0], &matchers),
        })?;
        Ok((found.ids, found.offsets))
    }
}

impl Found<'_> {
    fn push_added(&mut self, id: u32, place: Place, matched: &str) -> Result<()> {
        let blanks = self.trim.map_or([0; 2], |_| blanks_in(matched));
        self.push(id, place, blanks)
    }

    fn push_placed(&mut self, &(id, [start, end]): &Placed, places: &[Place]) -> Result<()> {
        let blanks = self.trim.map_or([0; 2], |trim| trim.blanks_of(id));
        self.push(id, place(places, start, end).unwrap_or_default(), blanks)
    }

    fn push(&mut self, id: u32, place: Place, blanks: Blanks) -> Result<()> {
        let [start, end] = match self.trim {
            Some(trim) => trim.apply(self.ids.len(), blanks, place),
            None => place,
        };
        memory::reserve(&mut self.ids, 1)?;
        memory::reserve(&mut self.offsets, 2)?;
        self.ids.push(id);
        self.offsets.extend([start, end]);
        Ok(())
    }

    /// Adds a text between raw added tokens, which begins at a code point of the whole.
    fn add(&mut self, text: &str, start: u32, matchers: &Matchers) -> Result<()> {
        self.monitor.check()?;
        let aligned = self.tokenizer.policies.align(Aligned::of(text, start)?, self.monitor)?;
        check_length(aligned.text.len())?;
        let is_first = start == 0 && aligned.begins().is_none_or(|begins| begins == 0);
        let (all, places) = (&*aligned.text, aligned.places(self.monitor)?);
        let Some(matcher) = &matchers.normalized else {
            return self.add_words(all, places, is_first);
        };
        matcher.sections(all, self.monitor, |section| {
            let places = &places[section.start..section.end];
            match Piece::of(section, (all, is_first)) {
                Piece::Added(id) => {
                    let place = place(places, 0, places.len());
                    let own = &all[section.start..section.end];
                    self.push_added(id, place.unwrap_or([start; 2]), own)
                }
                Piece::Text(text, is_first) => self.add_words(text, places.to_vec(), is_first),
            }
        })
    }

    /// Adds a normalized text, whose bytes come from some places.
    fn add_words(&mut self, text: &str, mut places: Vec<Place>, is_first: bool) -> Result<()> {
        let splitter = &self.tokenizer.splitter;
        let mut cache = std::mem::take(&mut self.cache);
        let text =
            splitter.prepare_aligned(text, &mut places, is_first, &mut cache, self.monitor)?;
        splitter.words(&text, &mut cache, |start, end| {
            self.add_word(&text.text[start..end], &places[start..end])
        })?;
        self.cache = cache;
        Ok(())
    }

    fn add_word(&mut self, word: &str, places: &[Place]) -> Result<()> {
        let tokenizer = self.tokenizer;
        let mut all = std::mem::take(&mut self.room);
        all.clear();
        if let Some(glossaries) = &tokenizer.glossaries {
            all = tokenizer.place_segments(word, glossaries, self.monitor)?;
        } else {
            tokenizer.between(word, |from, piece| match piece {
                Piece::Added(id) => {
                    all.push((id, [from.start, from.end]));
                    Ok(())
                }
                Piece::Text(piece, _) => self.place(piece, from.start, &mut all),
            })?;
            tokenizer.merger.fuse_placed(&mut all, &tokenizer.model);
        }
        all.iter().try_for_each(|one| self.push_placed(one, places))?;
        self.room = all;
        Ok(())
    }

    /// Adds a word that begins somewhere, part by part where no merge crosses between them.
    fn place(&mut self, word: &str, begun: usize, all: &mut Vec<Placed>) -> Result<()> {
        let tokenizer = self.tokenizer;
        let cuts = tokenizer.cuts_for(word.len()).filter(|cuts| cuts.apply_to(word));
        let Some(cuts) = cuts.filter(|_| !tokenizer.model.ignore_merges) else {
            return self.place_part(word, begun, all);
        };
        let mut start = 0;
        while start < word.len() {
            let end = cuts.end_of_part(word, start);
            self.place_part(&word[start..end], begun + start, all)?;
            start = end;
        }
        Ok(())
    }

    fn place_part(&mut self, part: &str, begun: usize, all: &mut Vec<Placed>) -> Result<()> {
        self.parts += 1;
        if self.parts.is_multiple_of(PARTS_PER_CHECK) {
            self.monitor.check()?;
        }
        let moved = |&(id, span): &Placed| (id, span.map(|at| begun + at));
        if let Some(range) = self.known.ranges.get(part) {
            all.extend(self.known.placed[range.clone()].iter().map(moved));
            return Ok(());
        }
        let tokenizer = self.tokenizer;
        let placed = tokenizer.merger.place(part, &tokenizer.model, self.monitor)?;
        memory::reserve(all, placed.len())?;
        all.extend(placed.iter().map(moved));
        if part.len() <= MAX_WORD {
            self.known.keep(part, &placed);
        }
        Ok(())
    }
}

impl Known {
    fn keep(&mut self, word: &str, placed: &[Placed]) {
        if self.placed.len() > MAX_IDS {
            *self = Self::default();
        }
        let start = self.placed.len();
        self.placed.extend_from_slice(placed);
        self.ranges.insert(word.to_owned(), start..self.placed.len());
    }
}
