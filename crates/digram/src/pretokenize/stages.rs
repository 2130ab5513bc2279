//! A batch of words from stages, each of which splits the pieces that the one before it leaves.
//!
//! A piece between two matches is often long: where only numbers are split off first, it goes from
//! one number to the next. So the last stage runs on such a piece as it does on a text, with word
//! masks if it can. And a batch may end in the middle of one: from a word's start in it, the stage
//! before finds the same next match, as there is none before it.

use super::batch::{Batch, WORDS};
use super::scanner::ScanCache;
use super::stage::Stage;
use super::sweep::{Sweep, SweepCache};
use crate::arch::{BLOCK, Kernel};
use crate::error::Result;

/// Fills a batch.
pub(super) struct Filling<'a> {
    pub kernel: Kernel,
    pub batch: &'a mut Batch,
    pub sweep: &'a mut SweepCache,
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
        self.piece(stages, scans, Within { text, offset: 0, position, may_end: true })
    }

    /// Adds the words of a piece, all of them unless the batch may end; returns where it ends.
    fn piece(
        &mut self,
        stages: &[Stage],
        scans: &mut [ScanCache],
        within: Within,
    ) -> Result<usize> {
        let (Some((stage, inner)), Some((scan, inner_scans))) =
            (stages.split_first(), scans.split_first_mut())
        else {
            self.batch.push(within.offset + within.position, within.offset + within.text.len());
            return Ok(within.text.len());
        };
        if inner.is_empty() {
            return self.words(stage, scan, within);
        }
        let Within { text, offset, mut position, may_end } = within;
        while position < text.len() {
            let (piece, kept) = stage.next(text, position, scan)?;
            let (start, end) = (piece.start, piece.end);
            position = end;
            if kept {
                let ahead = inner[0].looks_ahead_only();
                let may_end = may_end && ahead && piece.pattern.is_none() && stage.is_plain();
                let own = if ahead {
                    Within { text: &text[..end], offset, position: start, may_end }
                } else {
                    let offset = offset + start;
                    Within { text: &text[start..end], offset, position: 0, may_end }
                };
                position = own.offset - offset + self.piece(inner, inner_scans, own)?;
            }
            if may_end && self.batch.len() >= WORDS {
                break;
            }
        }
        Ok(position)
    }

    /// Adds the words that the last stage makes.
    fn words(&mut self, stage: &Stage, scan: &mut ScanCache, within: Within) -> Result<usize> {
        let Within { text, offset, mut position, may_end } = within;
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

    /// Whether a sweep is worth its start, and goes on where the batch ends.
    fn takes_sweeps(&self, position: usize, end: usize) -> bool {
        end - position >= BLOCK && self.batch.len() < WORDS && self.batch.reaches(position)
    }
}
