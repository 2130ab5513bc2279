//! A batch of words from stages, each of which splits the pieces that the one before it leaves.
//!
//! A piece between two matches is often long: where only numbers are split off first, it goes from
//! one number to the next. So the last stage runs on such a piece as it does on a text, with word
//! masks if it can. And a batch may end in the middle of one: from a word's start in it, the stage
//! before finds the same next match, as there is none before it.
//!
//! But then it searches for it again. So a long text is split as if it ended some thousand bytes on,
//! at a place where that makes no difference: where no stage but the last has the character before
//! in a match, and the last ends a word there whatever follows (`Table::parts`).

use std::slice::from_ref;
use std::time::{Duration, Instant};

use super::batch::{Batch, WORDS};
use super::picking::{Picking, Together};
use super::scanner::ScanCache;
use super::stage::{Stage, Walk};
use super::sweep::{Sweep, SweepCache};
use super::table::Table;
use crate::arch::{BLOCK, Kernel};
use crate::error::Result;

/// Fills a batch.
pub(super) struct Filling<'a> {
    pub kernel: Kernel,
    pub batch: &'a mut Batch,
    pub sweep: &'a mut SweepCache,
    /// What is known of all stages, and of all but the first ones.
    pub together: &'a [Together],
}

/// A piece that a stage splits: the end of a text, from a place on.
#[derive(Clone, Copy)]
struct Within<'a> {
    /// Up to the piece's end, and from its start unless nothing looks at what stands before.
    text: &'a str,
    /// Where the text begins in the whole.
    offset: usize,
    /// Where the piece begins in the text.
    position: usize,
    /// Whether the batch may end in the middle.
    may_end: bool,
    /// Whether it is the whole text, in which the batch may end between two pieces.
    is_outermost: bool,
}

/// Tells when a batch has taken long, of stages of which each piece may: where an engine goes back and forth, or looks
/// far ahead. So it is heard between batches whether the call is to stop.
struct Late {
    begun: Option<Instant>,
    /// When there were enough, but in the middle of what is known.
    enough: Option<Instant>,
    pieces: u32,
    /// How many pieces were found since then.
    amid: u32,
}

impl Late {
    /// So many pieces are found before the time is asked for, and so long may all take.
    const PIECES: u32 = 16;
    const LONG: Duration = Duration::from_millis(10);
    /// The same where the next batch would look again at what this one knows.
    const LONG_AMID: Duration = Duration::from_millis(100);

    fn of(stages: &[Stage]) -> Self {
        let is_slow = stages.iter().any(Stage::may_be_slow);
        Self { begun: is_slow.then(Instant::now), enough: None, pieces: 0, amid: 0 }
    }

    /// Whether it is so, one piece later.
    fn is_so(&mut self) -> bool {
        let Some(begun) = self.begun else { return false };
        self.pieces += 1;
        self.pieces.is_multiple_of(Self::PIECES) && begun.elapsed() > Self::LONG
    }

    /// Whether a batch that has enough ends here, one piece later. In the middle of what is known it goes on for as long
    /// as it took to know it, so that to look at it again takes no more than half of the time.
    fn ends(&mut self, walk: &Walk, position: usize) -> bool {
        let Some(begun) = self.begun.filter(|_| walk.is_amid(position)) else { return true };
        let enough = *self.enough.get_or_insert_with(Instant::now);
        self.amid += 1;
        self.amid.is_multiple_of(Self::PIECES)
            && enough.elapsed() > Self::LONG_AMID.max(enough - begun)
    }
}

/// How far a text is split at a time: more than most batches take.
const NEAR: usize = 8 << 10;
/// How far is looked for a place.
const SEARCHED: usize = 1 << 10;

/// The last place at which a text may as well end, if there is one near its end.
pub(super) fn place_of_end(stages: &[Stage], text: &str) -> Option<usize> {
    let (last, others) = stages.split_last()?;
    let table = last.table()?;
    let others: Vec<&Table> = others.iter().map(Stage::table).collect::<Option<_>>()?;
    let searched = text.floor_char_boundary(text.len().saturating_sub(SEARCHED));
    let mut behind = None;
    for (at, character) in text[searched..].char_indices().rev() {
        let atom = table.atom(character);
        if let Some((place, behind)) = behind
            && table.parts(atom, behind)
            && others.iter().all(|other| other.leaves_out(other.atom(character)))
        {
            return Some(searched + place);
        }
        behind = Some((at, atom));
    }
    None
}

/// How many matches are picked at a time, where what lies between goes on.
const PICKED: usize = 32;

impl<'a> Filling<'a> {
    /// Adds the next words of `text` from `position` on, until there are enough; returns where to
    /// go on.
    pub fn fill(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        text: &str,
        position: usize,
    ) -> Result<usize> {
        if let [stage] = stages
            && let Some(character) = stage.beginning()
        {
            return Ok(self.batch.fill_before(character, text, position));
        }
        let mut within = Within { text, offset: 0, position, may_end: true, is_outermost: true };
        if stages.len() > 1 && text.len() - position > NEAR {
            match place_of_end(stages, &text[..text.floor_char_boundary(position + NEAR)]) {
                Some(end) => within.text = &text[..end],
                None => within.may_end = false,
            }
        }
        self.piece(stages, scans, within)
    }

    /// Adds the words of a piece, all of them unless the batch may end; returns where it ends.
    fn piece(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        within: Within,
    ) -> Result<usize> {
        match (stages, self.known(stages)) {
            ([], _) => {
                let Within { text, offset, position, .. } = within;
                self.batch.push(offset + position, offset + text.len());
                return Ok(text.len());
            }
            (_, Some(Together { picking: Some(picking), keeps_gaps: true, .. })) => {
                return self.between_picked(picking, stages, scans, within);
            }
            (_, Some(Together { picking: Some(picking), .. })) if within.offset == 0 => {
                return self.picked(picking, stages, scans, within);
            }
            ([stage], _) => return self.words(stage, &mut scans[0], within),
            _ => {}
        }
        let Within { text, may_end, is_outermost, mut position, .. } = within;
        let (mut late, mut walk) = (Late::of(stages), stages[0].walk(text));
        while position < text.len() {
            position = self.one(stages, scans, &mut walk, Within { position, ..within })?;
            let is_enough = self.batch.len() >= WORDS || late.is_so();
            if (may_end || is_outermost) && is_enough && late.ends(&walk, position) {
                break;
            }
        }
        Ok(position)
    }

    /// What is known of some stages, which are all or those that are left without the first ones.
    fn known(&self, stages: &[Stage]) -> Option<&'a Together> {
        self.together.get(self.together.len().wrapping_sub(stages.len()))
    }

    /// Adds the words of a piece in one pass, where nothing is kept but matches of the first stage; those that
    /// are put aside go through the stages.
    fn picked(
        &mut self,
        picking: &Picking,
        stages: &[Stage],
        scans: &mut [ScanCache],
        within: Within,
    ) -> Result<usize> {
        let Within { text, may_end, is_outermost, mut position, .. } = within;
        let ends = |batch: &Batch| (may_end || is_outermost) && batch.len() >= WORDS;
        while position < text.len() && !ends(self.batch) {
            position = self.batch.pick(picking, text, position);
            if position < text.len() && !ends(self.batch) {
                let walk = &mut stages[0].walk(text);
                position =
                    self.one(stages, scans, walk, Within { position, may_end: false, ..within })?;
            }
        }
        Ok(position)
    }

    /// Adds matches of the first stage that stay whole as they are found in one pass; what lies between them, and
    /// those that are put aside, go through the stages.
    fn between_picked(
        &mut self,
        picking: &Picking,
        stages: &[Stage],
        scans: &mut [ScanCache],
        within: Within,
    ) -> Result<usize> {
        let Within { text, offset, may_end, is_outermost, mut position } = within;
        let (mut starts, mut ends) = ([0; PICKED + 1], [0; PICKED]);
        while position < text.len() {
            let words = picking.pick(text.as_bytes(), position, &mut starts, &mut ends).words;
            for (&start, &end) in starts.iter().zip(&ends[..words]) {
                if position < start as usize {
                    let text = &text[..start as usize];
                    let piece =
                        Within { text, offset, position, may_end: false, is_outermost: false };
                    self.piece(&stages[1..], &mut scans[1..], piece)?;
                }
                position = end as usize;
                self.batch.push(offset + start as usize, offset + position);
            }
            if words < PICKED && position < text.len() {
                let walk = &mut stages[0].walk(text);
                position =
                    self.one(stages, scans, walk, Within { position, may_end: false, ..within })?;
            }
            if (may_end || is_outermost) && self.batch.len() >= WORDS {
                break;
            }
        }
        Ok(position)
    }

    /// Adds the words of what the first of some stages, which walks through the text, finds next; returns where that
    /// ends, or the batch does.
    fn one(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        walk: &mut Walk,
        within: Within,
    ) -> Result<usize> {
        let Within { text, offset, position, may_end, .. } = within;
        let (Some((stage, inner)), Some((scan, inner_scans))) =
            (stages.split_first(), scans.split_first_mut())
        else {
            return self.piece(stages, scans, within);
        };
        let (found, kept) = walk.next(position, scan)?;
        let (start, end) = (found.start, found.end);
        if !kept {
            return Ok(end);
        }
        if found.pattern.is_some() && self.known(stages).is_some_and(|known| known.matches_stay) {
            self.batch.push(offset + start, offset + end);
            return Ok(end);
        }
        let ahead = inner.first().is_none_or(Stage::looks_ahead_only);
        let may_end = may_end && ahead && found.pattern.is_none() && stage.is_plain();
        let (text, moved, position) =
            if ahead { (&text[..end], 0, start) } else { (&text[start..end], start, 0) };
        let offset = offset + moved;
        let piece = Within { text, offset, position, may_end, is_outermost: false };
        Ok(moved + self.piece(inner, inner_scans, piece)?)
    }

    /// Adds the words that the last stage makes.
    fn words(&mut self, stage: &Stage, scan: &mut ScanCache, within: Within) -> Result<usize> {
        let Within { text, offset, mut position, may_end, .. } = within;
        let sweeps = stage.sweeps().filter(|_| offset == 0);
        let (table, mut late) = (stage.table(), Late::of(from_ref(stage)));
        let mut walk = stage.walk(text);
        while position < text.len() {
            if let Some((scanner, rules)) = sweeps
                && self.takes_sweeps(position, text.len())
            {
                let sweep = Sweep { kernel: self.kernel, rules, scanner, text };
                position = sweep.fill(position, self.batch, self.sweep, scan)?;
                if may_end && self.batch.len() >= WORDS {
                    break;
                }
                continue;
            }
            if let Some(table) = table.filter(|_| self.batch.reaches(offset + position)) {
                self.batch.pass(table, text, position, offset);
                position = self.batch.end() - offset;
                if position == text.len() {
                    break;
                }
            }
            let (piece, kept) = walk.next(position, scan)?;
            if kept {
                self.batch.push(offset + piece.start, offset + piece.end);
            }
            position = piece.end;
            let is_enough = self.batch.len() >= WORDS || late.is_so();
            if may_end && is_enough && late.ends(&walk, position) {
                break;
            }
        }
        Ok(position)
    }

    /// Whether a sweep is worth its start, which takes as long as half a block by the table, and goes on
    /// where the batch ends.
    fn takes_sweeps(&self, position: usize, end: usize) -> bool {
        end - position >= BLOCK / 2 && self.batch.len() < WORDS && self.batch.reaches(position)
    }
}
