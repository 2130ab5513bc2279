//! Words whose bytes are spelled as characters before other stages split them, some at a time.
//!
//! Falcon's file splits off numbers behind the byte level, where a byte of a letter may be spelled as one ("²").
//! What stands before the spelling splits the text as it is; then words are spelled, and split on:
//!
//! - The first stages behind may look for a class of characters, alone or in runs. Where they cut depends on
//!   two neighbours: between one that is in a class and one that is not, and beside each that stands alone.
//! - Other stages leave a piece whole that has no character with which a match of theirs may begin.
//!
//! Both are told by marks of the character that spells a byte, so that most words are only looked at.

use std::ops::Range;

use super::batch::Batch;
use super::picking::Together;
use super::rewrite::{Rewrite, Step};
use super::scanner::ScanCache;
use super::stage::Stage;
use super::stages::Filling;
use super::{SplitCache, Splitter, split};
use crate::aliases::ALIASES;
use crate::arch::Kernel;
use crate::arch::spell::{self, Letters};
use crate::error::Result;

/// What is done to a text before its bytes are spelled, and what of words is split behind that.
pub(super) struct Spelling {
    stages: Vec<Stage>,
    together: Vec<Together>,
    letters: Letters,
    /// The marks of the first stages behind, if they look for classes; the others are of the other stages.
    of_classes: u16,
    /// The marks of classes whose characters stand alone.
    alone: u16,
}

/// The words of a text as their bytes are spelled.
#[derive(Default)]
pub struct Spelled {
    written: spell::Spelled,
    /// Where each word ends, and its marks.
    words: Vec<(u32, u16)>,
}

impl Spelling {
    /// That of some steps and the stages behind; `None` if they do more to a text than to split and spell it.
    pub fn of(steps: &[Step], behind: &[Stage]) -> Option<Self> {
        let (Step::Rewrite(Rewrite::Spell), before) = steps.split_last()? else { return None };
        let stage = |step: &Step| match step {
            Step::Split(stage) => Some(stage.clone()),
            Step::Rewrite(_) => None,
        };
        let stages: Vec<Stage> = before.iter().map(stage).collect::<Option<_>>()?;
        if behind.len() > u16::BITS as usize {
            return None;
        }
        let of = |stages: &[Stage], is: &dyn Fn(&Stage) -> bool| {
            stages.iter().enumerate().fold(0, |all, (at, stage)| all | u16::from(is(stage)) << at)
        };
        let classes = behind.iter().take_while(|stage| stage.splits_class().is_some()).count();
        let marks = |letter| of(behind, &|stage| stage.may_begin(letter));
        Some(Self {
            together: Together::of(&stages),
            stages,
            letters: Letters::new(&ALIASES, marks),
            of_classes: of(&behind[..classes], &|_| true),
            alone: of(&behind[..classes], &|stage| stage.splits_class() == Some(false)),
        })
    }

    /// Whether a stage that looks for a class splits between characters with these marks.
    #[inline]
    fn splits(&self, one: u16, other: u16) -> bool {
        ((one ^ other) & self.of_classes) | ((one | other) & self.alone) != 0
    }
}

impl Spelled {
    /// All of them, one behind the other.
    pub fn text(&self) -> &str {
        self.written.text()
    }

    /// How many bytes it takes.
    pub fn capacity(&self) -> usize {
        self.written.capacity()
    }
}

impl Splitter {
    /// Whether [`fill_spelled`](Self::fill_spelled) finds the words.
    pub fn spells(&self) -> bool {
        self.spelling.is_some()
    }

    /// Fills `batch` with the next words of `text` from `position`, which is not at its end, as they are
    /// spelled, and returns where to go on.
    pub fn fill_spelled(
        &self,
        (text, position): (&str, usize),
        cache: &mut SplitCache,
        spelled: &mut Spelled,
        batch: &mut Batch,
    ) -> Result<usize> {
        let Some(spelling) = &self.spelling else { return Ok(text.len()) };
        let Spelling { stages, together, letters, .. } = spelling;
        let mut words = std::mem::take(&mut cache.words);
        words.begin(position);
        let SplitCache { before, sweep, .. } = cache;
        before.resize_with(stages.len().max(before.len()), ScanCache::default);
        let mut filling = Filling { kernel: Kernel::chosen(), batch: &mut words, sweep, together };
        let end = filling.fill(stages, before, text, position)?;
        let place = |(&start, &end)| &text.as_bytes()[start as usize..end as usize];
        let each = || words.starts().iter().zip(words.ends()).map(place);
        let Spelled { written, words: ends } = spelled;
        // (what is written for the last byte has room for two)
        written.clear(end - position + 1);
        ends.clear();
        ends.extend(each().map(|word| {
            let marks = written.add(word, letters);
            (written.text().len() as u32, marks)
        }));
        batch.begin(0);
        let mut start = 0;
        for (word, &(end, marks)) in each().zip(&*ends) {
            let place = start..end as usize;
            start = place.end;
            if marks == 0 {
                batch.push(place.start, place.end);
            } else {
                self.split_spelled(spelling, word, (written.text(), place), cache, batch)?;
            }
        }
        cache.words = words;
        Ok(end)
    }

    /// Adds the words that the stages behind make of one that is spelled in a place of a text.
    fn split_spelled(
        &self,
        spelling: &Spelling,
        word: &[u8],
        (text, place): (&str, Range<usize>),
        cache: &mut SplitCache,
        batch: &mut Batch,
    ) -> Result<()> {
        let (mut start, mut at) = (place.start, place.start);
        let (mut before, mut all) = (0, 0);
        let mut piece = |place: Range<usize>, marks: u16| {
            let others = marks & !spelling.of_classes;
            if others == 0 {
                batch.push(place.start, place.end);
                return Ok(());
            }
            // those before leave it whole
            let first = others.trailing_zeros() as usize;
            let (stages, begun) = (&self.stages[first..], place.start);
            split(stages, &text[place], begun, cache, first, &mut |start, end| {
                batch.push(start, end);
                Ok(())
            })
        };
        for &byte in word {
            let (length, marks) = spelling.letters.of(byte);
            if at > start && spelling.splits(before, marks) {
                piece(start..at, all)?;
                (start, all) = (at, 0);
            }
            all |= marks;
            before = marks;
            at += length;
        }
        piece(start..at, all)
    }
}
