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

use super::batch::{Batch, WORDS};
use super::picking::{Picking, Together};
use super::scanner::ScanCache;
use super::stage::Stage;
use super::sweep::{Sweep, SweepCache};
use super::table::Table;
use crate::arch::{BLOCK, Kernel};
use crate::error::Result;

/// Fills a batch.
pub(super) struct Filling<'a> {
    pub kernel: Kernel,
    pub batch: &'a mut Batch,
    pub sweep: &'a mut SweepCache,
    pub together: &'a Together,
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

impl Filling<'_> {
    /// Adds the next words of `text` from `position` on, until there are enough; returns where to
    /// go on.
    pub fn fill(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        text: &str,
        position: usize,
    ) -> Result<usize> {
        if let Some(picking) = &self.together.picking {
            return self.picked(picking, stages, scans, text, position);
        }
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

    /// The same in one pass, and for those that it puts aside stage by stage.
    fn picked(
        &mut self,
        picking: &Picking,
        stages: &[Stage],
        scans: &mut [ScanCache],
        text: &str,
        mut position: usize,
    ) -> Result<usize> {
        while position < text.len() && self.batch.len() < WORDS {
            position = self.batch.pick(picking, text, position);
            if position < text.len() && self.batch.len() < WORDS {
                let within =
                    Within { text, offset: 0, position, may_end: false, is_outermost: false };
                position = self.one(stages, scans, within)?;
            }
        }
        Ok(position)
    }

    /// Adds the words of a piece, all of them unless the batch may end; returns where it ends.
    fn piece(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        within: Within,
    ) -> Result<usize> {
        match stages {
            [] => {
                let Within { text, offset, position, .. } = within;
                self.batch.push(offset + position, offset + text.len());
                return Ok(text.len());
            }
            [stage] => return self.words(stage, &mut scans[0], within),
            _ => {}
        }
        let Within { text, may_end, is_outermost, mut position, .. } = within;
        while position < text.len() {
            position = self.one(stages, scans, Within { position, ..within })?;
            if (may_end || is_outermost) && self.batch.len() >= WORDS {
                break;
            }
        }
        Ok(position)
    }

    /// Adds the words of what the first of some stages finds next; returns where that ends, or the batch does.
    fn one(&mut self, stages: &[Stage], scans: &mut [ScanCache], within: Within) -> Result<usize> {
        let Within { text, offset, position, may_end, is_outermost } = within;
        let (Some((stage, inner)), Some((scan, inner_scans))) =
            (stages.split_first(), scans.split_first_mut())
        else {
            return self.piece(stages, scans, within);
        };
        let (found, kept) = stage.next(text, position, scan)?;
        let (start, end) = (found.start, found.end);
        if !kept {
            return Ok(end);
        }
        if is_outermost && self.together.matches_stay && found.pattern.is_some() {
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
        let table = stage.table();
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
            let (piece, kept) = stage.next(text, position, scan)?;
            if kept {
                self.batch.push(offset + piece.start, offset + piece.end);
            }
            position = piece.end;
            if may_end && self.batch.len() >= WORDS {
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
