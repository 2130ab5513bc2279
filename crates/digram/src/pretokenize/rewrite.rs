//! Changes that a pre-tokenizer makes to the text itself.
//!
//! Most only split, and words are stretches of the text. Those that put a space before a piece,
//! that write a space as a visible character, or that spell bytes as characters make another
//! text. It is made once, up to the last such change; what splits behind it splits that text.

use std::borrow::Cow;

use super::stage::Stage;
use super::{SplitCache, Splitter};
use crate::aliases;
use crate::arch::replace::append_replaced;
use crate::components::runs::Place;
use crate::components::{Metaspace, PrependScheme};
use crate::error::Result;
use crate::limits;
use crate::memory;
use crate::monitor::Monitor;

/// Parts, and bytes of places, between two looks at the monitor.
const PARTS_PER_CHECK: usize = 1 << 12;
const BYTES_PER_CHECK: usize = 1 << 16;

/// A step up to the last change of the text.
pub(super) enum Step {
    Split(Stage),
    Rewrite(Rewrite),
}

/// A change of each piece.
pub(super) enum Rewrite {
    /// A space before a piece that does not begin with one.
    PrefixSpace,
    /// Spaces become a visible character, and one is put before.
    Metaspace(Metaspace),
    /// Bytes become the characters of GPT-2's alphabet.
    Spell,
}

/// A text as a splitter splits it: changed, where it wants changes, and in parts.
pub struct Prepared<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The parts to be split on, each apart from the others.
    pub parts: Vec<Part>,
}

/// A stretch of a prepared text.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// How many bytes at its beginning do not stand in the text given.
    pub put_before: usize,
    /// Whether it begins where the whole text does.
    is_first: bool,
}

impl<'a> Prepared<'a> {
    fn whole(text: Cow<'a, str>, is_first: bool) -> Self {
        let part = Part { start: 0, end: text.len(), put_before: 0, is_first };
        let parts = if text.is_empty() { Vec::new() } else { vec![part] };
        Self { text, parts }
    }

    /// A text that is split as it is.
    #[cfg(test)]
    pub(super) fn of(text: &'a str) -> Self {
        Self::whole(text.into(), true)
    }

    /// The parts as texts of their own, each with where it begins.
    pub fn into_texts(self) -> Vec<(usize, Cow<'a, str>)> {
        match self.parts.as_slice() {
            [part] if part.end - part.start == self.text.len() => vec![(0, self.text)],
            parts => {
                let own = |part: &Part| self.text[part.start..part.end].to_owned();
                parts.iter().map(|part| (part.start, Cow::Owned(own(part)))).collect()
            }
        }
    }
}

impl Splitter {
    /// Whether a text is anything but as it is when it is split.
    pub fn rewrites(&self) -> bool {
        !self.rewriting.is_empty()
    }

    /// Whether it makes a difference whether a text is the first of a whole one.
    pub(crate) fn asks_for_first(&self) -> bool {
        self.rewriting.iter().any(|step| match step {
            Step::Rewrite(Rewrite::Metaspace(one)) => one.prepend_scheme == PrependScheme::First,
            _ => false,
        })
    }

    /// Whether words hold all of a text that is split, and nothing is dropped between them.
    pub(crate) fn keeps_all(&self) -> bool {
        let steps = self.rewriting.iter();
        let before = steps.filter_map(|step| match step {
            Step::Split(stage) => Some(stage),
            Step::Rewrite(_) => None,
        });
        before.chain(&self.stages).all(Stage::keeps_all)
    }

    /// Whether in words each character is that of the text given, or put before all of it, or spelled byte by
    /// byte, so that their lengths tell where they stand.
    pub(crate) fn keeps_characters(&self) -> bool {
        match self.rewriting.as_slice() {
            [] => true,
            [Step::Rewrite(Rewrite::PrefixSpace | Rewrite::Metaspace(_))] => self.keeps_all(),
            _ => self.spells() && self.keeps_all(),
        }
    }

    /// How many characters are put before a text then, and how many bytes all has that is split.
    pub(crate) fn puts_before(&self, text: &str, is_first: bool) -> (u32, usize) {
        let Some(Step::Rewrite(rewrite)) = self.rewriting.first() else { return (0, text.len()) };
        let before = rewrite.before(text, is_first);
        let shown = match rewrite {
            Rewrite::Metaspace(Metaspace { replacement, .. }) => replacement.len_utf8() - 1,
            _ => 0,
        };
        let spaces = if shown > 0 { memchr::memchr_iter(b' ', text.as_bytes()).count() } else { 0 };
        let bytes = text.len() + before.map_or(0, char::len_utf8) + shown * spaces;
        (before.is_some().into(), bytes)
    }

    /// `text` as it is to be split; `is_first` says whether a whole text begins with it.
    ///
    /// Fails where it grows beyond measure: each step may double it.
    pub fn prepare<'a>(
        &self,
        text: impl Into<Cow<'a, str>>,
        is_first: bool,
        cache: &mut SplitCache,
    ) -> Result<Prepared<'a>> {
        let monitor = Monitor::silent();
        self.prepare_and_tell(text.into(), is_first, cache, &monitor, &mut |_, _, _| Ok(()))
    }

    /// The same of a text that was made of another; `places` tells where each of its bytes comes from, and then
    /// where those of the text come from that is to be split.
    pub(crate) fn prepare_aligned<'a>(
        &self,
        text: &'a str,
        places: &mut Vec<Place>,
        is_first: bool,
        cache: &mut SplitCache,
        monitor: &Monitor,
    ) -> Result<Prepared<'a>> {
        self.prepare_and_tell(text.into(), is_first, cache, monitor, &mut |step, before, after| {
            *places = step.places(before, after, places, monitor)?;
            Ok(())
        })
    }

    /// Prepares a text, and tells each change, with what there was before and is after it.
    fn prepare_and_tell<'a>(
        &self,
        text: Cow<'a, str>,
        is_first: bool,
        cache: &mut SplitCache,
        monitor: &Monitor,
        tell: &mut dyn FnMut(&Rewrite, &Prepared, &Prepared) -> Result<()>,
    ) -> Result<Prepared<'a>> {
        let mut prepared = Prepared::whole(text, is_first);
        let length = prepared.text.len();
        let most = limits::most(length, self.expansion);
        for (depth, step) in self.rewriting.iter().enumerate() {
            match step {
                Step::Split(stage) => {
                    let depth = self.stages.len() + depth;
                    prepared.parts = split(stage, &prepared, cache, depth, monitor)?;
                }
                Step::Rewrite(rewrite) => {
                    let rewritten = rewrite.apply(&prepared, monitor)?;
                    tell(rewrite, &prepared, &rewritten)?;
                    prepared = rewritten;
                }
            }
            if prepared.text.len() > most {
                return Err(limits::grows("pre-tokenizer", length, self.expansion));
            }
        }
        Ok(prepared)
    }
}

fn split(
    stage: &Stage,
    prepared: &Prepared,
    cache: &mut SplitCache,
    depth: usize,
    monitor: &Monitor,
) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for part in &prepared.parts {
        let text = &prepared.text[part.start..part.end];
        let (mut position, mut walk) = (0, stage.walk(text));
        while position < text.len() {
            let (piece, kept) = walk.next(position, cache.stage(depth))?;
            if kept {
                if parts.len().is_multiple_of(PARTS_PER_CHECK) {
                    monitor.check()?;
                }
                memory::reserve(&mut parts, 1)?;
                parts.push(Part {
                    start: part.start + piece.start,
                    end: part.start + piece.end,
                    put_before: part
                        .put_before
                        .saturating_sub(piece.start)
                        .min(piece.end - piece.start),
                    is_first: part.is_first && piece.start == 0,
                });
            }
            position = piece.end;
        }
    }
    Ok(parts)
}

impl Rewrite {
    fn apply(&self, prepared: &Prepared, monitor: &Monitor) -> Result<Prepared<'static>> {
        // a byte becomes four at most
        memory::expect(4 * prepared.text.len())?;
        let mut text = String::with_capacity(prepared.text.len() + 1);
        let mut parts = memory::list(prepared.parts.len())?;
        let mut next_check = BYTES_PER_CHECK;
        for part in &prepared.parts {
            let start = text.len();
            if start >= next_check {
                next_check = start + BYTES_PER_CHECK;
                monitor.check()?;
            }
            let piece = &prepared.text[part.start..part.end];
            let before = self.before(piece, part.is_first);
            text.extend(before);
            let (own_before, own) = piece.split_at(part.put_before.min(piece.len()));
            self.rewrite(own_before, &mut text);
            let put_before = text.len() - start;
            self.rewrite(own, &mut text);
            parts.push(Part { start, end: text.len(), put_before, is_first: part.is_first });
        }
        Ok(Prepared { text: Cow::Owned(text), parts })
    }

    /// Where each byte of a text comes from that was made of another: what a character becomes, from where that
    /// does, and what is put before a piece, from where its first character does.
    fn places(
        &self,
        before: &Prepared,
        after: &Prepared,
        places: &[Place],
        monitor: &Monitor,
    ) -> Result<Vec<Place>> {
        let (mut made, mut written) = (memory::list(after.text.len())?, String::new());
        let mut next_check = 0;
        for (old, new) in before.parts.iter().zip(&after.parts) {
            let piece = &before.text[old.start..old.end];
            if made.len() >= next_check {
                next_check = made.len() + BYTES_PER_CHECK;
                monitor.check()?;
            }
            written.clear();
            self.rewrite(piece, &mut written);
            let put_before = new.end - new.start - written.len();
            made.extend(std::iter::repeat_n(places[old.start], put_before));
            for (at, character) in piece.char_indices() {
                written.clear();
                self.rewrite(character.encode_utf8(&mut [0; 4]), &mut written);
                made.extend(std::iter::repeat_n(places[old.start + at], written.len()));
            }
        }
        Ok(made)
    }

    /// Writes what becomes of a piece behind others.
    fn rewrite(&self, piece: &str, to: &mut String) {
        match self {
            Self::PrefixSpace => to.push_str(piece),
            Self::Metaspace(Metaspace { replacement, .. }) => {
                let mut room = [0; 4];
                let visible = replacement.encode_utf8(&mut room);
                append_replaced(piece, b' ', visible, usize::MAX, to);
            }
            Self::Spell => aliases::spell_to(piece, to),
        }
    }

    /// What is put before a piece.
    fn before(&self, piece: &str, is_first: bool) -> Option<char> {
        match self {
            Self::PrefixSpace => (!piece.starts_with(' ')).then_some(' '),
            Self::Spell => None,
            Self::Metaspace(Metaspace { replacement, prepend_scheme, .. }) => {
                let wanted = match prepend_scheme {
                    PrependScheme::Always => true,
                    PrependScheme::First => is_first,
                    PrependScheme::Never => false,
                };
                (wanted && !piece.starts_with([' ', *replacement])).then_some(*replacement)
            }
        }
    }
}
