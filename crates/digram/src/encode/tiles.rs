//! Where tokens stand that tile what a text becomes: told from their lengths.
//!
//! What is merged is mostly all of the text, or all that a normalizer made of it, and maybe a space before. Then
//! each token begins in it where the one before ends. Where all of it comes from in the text, runs of characters
//! tell ([`Runs`]), and mostly there is but one. A character that several tokens share belongs to each of them.

use std::borrow::Cow;

use super::offsets::{Offsets, check_length, sections};
use super::pieces::Pieces;
use super::policy::Matchers;
use super::trim::{Blanks, Trim, blanks_in};
use super::{Piece, Special, Tokenizer};
use crate::aliases;
use crate::components::aligned::Aligned;
use crate::components::runs::{Place, Runs};
use crate::error::Result;
use crate::memory;
use crate::merge::fallback;
use crate::model::{Model, Rule};
use crate::monitor::Monitor;
use crate::vocabulary::{End, Extent, Extents};

/// So many ids are passed together.
const TOGETHER: usize = 128;

/// What is cut into stretches: all that is made of a text, one behind the other, an added token being a character.
#[derive(Clone, Copy)]
enum Stretch {
    Added {
        id: u32,
        blanks: Blanks,
    },
    Text {
        /// How many bytes it has.
        bytes: u64,
        /// How many characters, but for those put before it, which stand where its first one does.
        characters: u32,
        before: u32,
    },
}

/// How tokens tile some text.
struct Plan<'a> {
    tokenizer: &'a Tokenizer,
    monitor: &'a Monitor<'a>,
    trim: Option<&'a Trim>,
    stretches: Vec<Stretch>,
    /// How many characters they have.
    made: u32,
    /// Where these come from.
    runs: Runs,
    /// Whether a token ends where the next one begins, even within a character.
    touching: bool,
    /// The text as it is normalized, and whether it begins where the text does, if it is one stretch.
    whole: Option<(Cow<'a, str>, bool)>,
    /// Whether tokens may tile all of it.
    fits: bool,
}

impl Tokenizer {
    /// How far each token reaches, where tokens may tile what is merged.
    pub(super) fn extents(&self) -> Result<Option<&Extents>> {
        let extents = self.extents.now(|| Ok(self.may_tile().then(|| self.make_extents())))?;
        Ok(extents.as_ref())
    }

    /// The ids of a text, and where each stands, if that is told from their lengths.
    pub(super) fn encode_tiled<'a>(
        &'a self,
        text: &'a str,
        special: &Special,
        monitor: &'a Monitor,
    ) -> Result<Option<Offsets>> {
        let Some(extents) = self.extents()? else { return Ok(None) };
        let matchers = self.policies.matchers(special)?;
        self.check(text, special, monitor)?;
        let mut plan = Plan::of(self, monitor)?;
        let raw = matchers.raw.as_ref();
        sections(raw, text, monitor, |id, place, own| {
            plan.add((id, place), own, &matchers)?;
            plan.whole = plan.whole.take().filter(|_| own.len() == text.len());
            Ok(())
        })?;
        if !plan.fits {
            return Ok(None);
        }
        let ids = match plan.whole.take() {
            Some((text, is_first)) => self.encode_normalized((&text, is_first), monitor)?,
            None => self.encode(text, special, monitor)?,
        };
        let offsets = plan.tile(&ids, extents)?;
        Ok(offsets.map(|offsets| (ids, offsets)))
    }

    /// The offsets of ids whose tokens are all of a text that has so many bytes, if they are that.
    pub(super) fn tile_whole(
        &self,
        ids: &[u32],
        bytes: usize,
        monitor: &Monitor,
    ) -> Result<Option<Vec<u32>>> {
        let Some(extents) = self.extents()? else { return Ok(None) };
        let mut plan = Plan::of(self, monitor)?;
        plan.push(Stretch::Text { bytes: bytes as u64, characters: 0, before: 0 })?;
        plan.tile(ids, extents)
    }

    fn may_tile(&self) -> bool {
        let model = &self.model;
        // of a spelled vocabulary, an unknown character may be half of one of the text
        let is_whole = !model.spelled || self.merger.fallback().is_none();
        self.splitter.keeps_characters()
            && is_whole
            && !merges_unknown(model)
            && model.spelled == self.splitter.spells()
            && model.continuing_prefix.is_none()
            && model.glossaries.is_empty()
            && model.end_of_word.as_ref().is_none_or(|end| end.attached && !self.merger.has_twins())
    }

    fn make_extents(&self) -> Extents {
        let vocabulary = &self.model.vocabulary;
        let falls_back = self.merger.fallback().is_some();
        Extents::of((0..vocabulary.ids() as u32).map(|id| {
            let token = vocabulary.bytes(id);
            if self.model.spelled {
                let bytes = std::str::from_utf8(token).ok().and_then(aliases::unspell);
                return Extent::of(bytes.as_deref().unwrap_or(token));
            }
            match fallback::byte_of(token).filter(|_| falls_back && !vocabulary.ends_word(id)) {
                Some(byte) => Extent::of(&[byte]),
                None => Extent::of(token),
            }
        }))
    }
}

/// Whether what stands for unknown characters is a part of merges: its length is not theirs.
fn merges_unknown(model: &Model) -> bool {
    let Rule::Merges(merges) = &model.rule else { return false };
    let is_part = |id| merges.iter().any(|merge| merge.left == id || merge.right == id);
    model.unknown.as_ref().is_some_and(|unknown| is_part(unknown.id))
}

impl<'a> Plan<'a> {
    fn of(tokenizer: &'a Tokenizer, monitor: &'a Monitor<'a>) -> Result<Self> {
        Ok(Self {
            tokenizer,
            monitor,
            trim: tokenizer.trim()?,
            stretches: Vec::new(),
            made: 0,
            runs: Runs::default(),
            touching: false,
            whole: None,
            fits: true,
        })
    }

    fn push(&mut self, stretch: Stretch) -> Result<()> {
        memory::reserve(&mut self.stretches, 1)?;
        self.stretches.push(stretch);
        self.made += match stretch {
            Stretch::Added { .. } => 1,
            Stretch::Text { characters, .. } => characters,
        };
        Ok(())
    }

    fn push_added(&mut self, id: u32, matched: &str, place: Place) -> Result<()> {
        let blanks = self.trim.map_or([0; 2], |_| blanks_in(matched));
        self.runs.add(self.made, place)?;
        self.push(Stretch::Added { id, blanks })
    }

    /// Adds an added token that was found in the text as it was given, or what lies between.
    fn add(
        &mut self,
        (id, place): (Option<u32>, Place),
        own: &'a str,
        matchers: &Matchers,
    ) -> Result<()> {
        match id {
            _ if !self.fits => Ok(()),
            Some(id) => self.push_added(id, own, place),
            None => self.add_text(own, place[0], matchers),
        }
    }

    fn add_text(&mut self, text: &'a str, start: u32, matchers: &Matchers) -> Result<()> {
        self.monitor.check()?;
        let tokenizer = self.tokenizer;
        let aligned = tokenizer.policies.align(Aligned::of(text, start)?, self.monitor)?;
        check_length(aligned.text.len())?;
        let is_first = start == 0 && aligned.begins().is_none_or(|begins| begins == 0);
        self.touching |= aligned.splits;
        let splitter = &tokenizer.splitter;
        self.fits &= !aligned.splits || !splitter.rewrites() && splitter.keeps_all();
        let whole = (&*aligned.text, is_first);
        let Some(matcher) = &matchers.normalized else {
            self.add_words(whole, &aligned.runs, 0)?;
            self.whole = Some((aligned.text, is_first));
            return Ok(());
        };
        let (mut passed, mut characters) = (0, 0);
        matcher.sections(whole.0, self.monitor, |section| {
            // not so a token in what another has swallowed
            self.fits &= section.start == passed;
            let (own, first) = (&whole.0[section.start..section.end], characters);
            (passed, characters) = (section.end, characters + own.chars().count() as u32);
            match Piece::of(section, whole) {
                Piece::Added(id) => {
                    let of = |at| aligned.runs.of(at).unwrap_or([start; 2]);
                    self.push_added(id, own, [of(first)[0], of(characters - 1)[1]])
                }
                Piece::Text(text, is_first) => {
                    self.add_words((text, is_first), &aligned.runs, first)
                }
            }
        })
    }

    /// Adds words that begin with a character of a normalized text.
    fn add_words(&mut self, (text, is_first): (&str, bool), runs: &Runs, first: u32) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if !self.tokenizer.splitter.keeps_all() {
            return self.add_kept(text, runs, first);
        }
        let characters = text.chars().count() as u32;
        let (before, bytes) = self.tokenizer.splitter.puts_before(text, is_first);
        self.runs.add_all(runs, self.made, [first, first + characters])?;
        self.push(Stretch::Text { bytes: bytes as u64, characters, before })
    }

    /// The same where something is dropped between words.
    fn add_kept(&mut self, text: &str, runs: &Runs, first: u32) -> Result<()> {
        let mut scratch = self.tokenizer.scratch(1)?;
        let (mut passed, mut next) = (0, first);
        let (mut bytes, mut characters) = (0, 0);
        let (mut runs, mut position) = (runs.along(first), 0);
        while position < text.len() {
            self.monitor.check()?;
            let batch;
            (position, batch) = self.tokenizer.fill(text, position, &mut scratch)?;
            let words = Pieces::of(&batch);
            for (&start, &end) in words.starts.iter().zip(words.ends) {
                let (start, end) = (start as usize, end as usize);
                next += text[passed..start].chars().count() as u32;
                let own = text[start..end].chars().count() as u32;
                runs.tell(&mut self.runs, self.made + characters, [next, next + own])?;
                (passed, next) = (end, next + own);
                (bytes, characters) = (bytes + (end - start) as u64, characters + own);
            }
            scratch.batch = batch;
        }
        self.tokenizer.give_back(scratch);
        self.push(Stretch::Text { bytes, characters, before: 0 })
    }

    /// The offsets of ids that tile all of it, if they do.
    fn tile(&self, ids: &[u32], extents: &Extents) -> Result<Option<Vec<u32>>> {
        let model = &self.tokenizer.model;
        let unknown = model.unknown.as_ref().map(|unknown| unknown.id);
        let mut offsets: Vec<Place> = memory::list(ids.len())?;
        let mut ends = memory::list(self.stretches.len())?;
        let mut passed = 0;
        for stretch in &self.stretches {
            let first = offsets.len();
            match *stretch {
                Stretch::Added { id, .. } if ids.get(first) == Some(&id) => {
                    offsets.push([passed, passed + 1]);
                    passed += 1;
                }
                Stretch::Added { .. } => return Ok(None),
                Stretch::Text { bytes, characters, before } => {
                    if !pass(extents, &ids[first..], (bytes, passed), &mut offsets) {
                        return Ok(None);
                    }
                    if unknown.is_some_and(|id| ids[first..offsets.len()].contains(&id)) {
                        return Ok(None);
                    }
                    if before > 0 {
                        let least = passed + before;
                        for [start, end] in &mut offsets[first..] {
                            *start = least.max(*start) - before;
                            *end = (least + 1).max(*end) - before;
                        }
                    }
                    passed += characters;
                }
            }
            ends.push(offsets.len());
        }
        if offsets.len() != ids.len() {
            return Ok(None);
        }
        if !self.runs.is_same() {
            self.runs.map(&mut offsets);
        }
        self.finish(ids, &ends, &mut offsets);
        Ok(Some(offsets.into_flattened()))
    }

    /// Does what is done once it is known where tokens come from, of which those of each stretch end somewhere.
    fn finish(&self, ids: &[u32], ends: &[usize], offsets: &mut [Place]) {
        if self.trim.is_none() && !self.touching {
            return;
        }
        let mut first = 0;
        for (stretch, &end) in self.stretches.iter().zip(ends) {
            let own = &mut offsets[first..end];
            if self.touching && matches!(stretch, Stretch::Text { .. }) {
                for index in 1..own.len() {
                    own[index - 1][1] = own[index][0];
                }
            }
            match (self.trim, *stretch) {
                (Some(trim), Stretch::Text { .. }) => trim.apply_all(first, &ids[first..end], own),
                (Some(trim), Stretch::Added { blanks, .. }) => {
                    own[0] = trim.apply(first, blanks, own[0]);
                }
                (None, _) => {}
            }
            first = end;
        }
    }
}

/// Passes the first of some ids, if they have so many bytes together, of a text that begins with a character;
/// whether they do.
fn pass(
    extents: &Extents,
    mut ids: &[u32],
    (bytes, start): (u64, u32),
    offsets: &mut Vec<Place>,
) -> bool {
    let mut end = End::at(start);
    while end.bytes < bytes {
        // no token is shorter than a byte
        let left = usize::try_from(bytes - end.bytes).unwrap_or(TOGETHER);
        let (some, rest) = ids.split_at(left.min(TOGETHER).min(ids.len()));
        if some.is_empty() {
            return false;
        }
        let (before, first) = (end, offsets.len());
        end = extents.pass(some, end, offsets);
        ids = rest;
        if end.bytes > bytes {
            offsets.truncate(first);
            end = before;
            for id in some.chunks(1) {
                end = extents.pass(id, end, offsets);
                if end.bytes >= bytes {
                    return end.bytes == bytes;
                }
            }
        }
    }
    true
}
