//! One split: what a scanner finds, and what becomes of it.

use regex_syntax::hir::ClassUnicode;
use std::sync::Arc;

use super::ahead::Marks;
use super::rules::Rules;
use super::scanner::{Piece, ScanCache, Scanner};
use super::sets;
use super::table::{Step, Table};
use crate::components::Behavior;
use crate::error::Result;

/// One split: the pieces that it keeps go on to the next.
#[derive(Clone)]
pub(super) struct Stage {
    scanner: Arc<Scanner>,
    /// Whether what the pattern matches is kept.
    matches: bool,
    /// Whether what lies between matches is kept.
    gaps: bool,
    merging: Merging,
    /// Whether what lies between matches counts as a match, and matches as what lies between.
    invert: bool,
    /// A character that begins each piece but the first, where nothing else does.
    beginning: Option<char>,
}

/// Which neighbours are one piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merging {
    Nothing,
    /// A match and what lies before it.
    Previous,
    /// A match and what lies behind it.
    Next,
    /// All of one kind.
    Contiguous,
}

impl Stage {
    pub fn new(scanner: Arc<Scanner>, behavior: Behavior, invert: bool) -> Self {
        let removed = behavior == Behavior::Removed;
        let merging = match behavior {
            Behavior::Isolated | Behavior::Removed => Merging::Nothing,
            Behavior::MergedWithPrevious => Merging::Previous,
            Behavior::MergedWithNext => Merging::Next,
            Behavior::Contiguous => Merging::Contiguous,
        };
        let (matches, gaps) = (!removed || invert, !removed || !invert);
        Self { scanner, matches, gaps, merging, invert, beginning: None }
    }

    /// A stage whose pieces begin with `character`, but for the first.
    pub fn beginning_with(character: char) -> Self {
        let scanner = Arc::new(Scanner::class(sets::one(character), false));
        let stage = Self::new(scanner, Behavior::MergedWithNext, false);
        Self { beginning: Some(character), ..stage }
    }

    /// The character that pieces begin with, if that is all there is to tell.
    pub fn beginning(&self) -> Option<char> {
        self.beginning
    }

    /// A stage that keeps what lies between characters of a class, which is not of all.
    pub fn between(class: &ClassUnicode) -> Self {
        Self::matches_of(Scanner::class(sets::others(class), true))
    }

    /// A stage that keeps what `scanner` matches.
    pub fn matches_of(scanner: Scanner) -> Self {
        Self::new(Arc::new(scanner), Behavior::Removed, true)
    }

    /// The scanner, and the rules that find the same pieces, where all are kept as they are.
    pub fn sweeps(&self) -> Option<(&Scanner, Rules)> {
        let rules = self.scanner.rules?;
        self.is_plain().then_some((&*self.scanner, rules))
    }

    /// The table that finds the same pieces, where all are kept as they are.
    pub fn table(&self) -> Option<&Table> {
        self.scanner.table().filter(|_| self.is_plain())
    }

    /// The table that finds the same pieces, where matches alone are kept.
    pub fn picked_by(&self) -> Option<&Table> {
        let picks = self.matches && !self.gaps && self.merging == Merging::Nothing;
        self.scanner.table().filter(|_| picks)
    }

    /// Whether characters of a class are split off in runs or one by one, if that is all that is done.
    pub fn splits_class(&self) -> Option<bool> {
        self.scanner.class_in_runs().filter(|_| self.is_plain())
    }

    /// Whether a match may begin with a character, or what lies between is not kept as it is: without
    /// such characters, a text is one piece.
    pub fn may_begin(&self, character: char) -> bool {
        self.table().is_none_or(|table| table.step(0, table.atom(character)) != Step::Failed)
    }

    /// Whether its pieces do not depend on what stands before the position they are asked for at.
    pub fn looks_ahead_only(&self) -> bool {
        self.scanner.looks_ahead_only()
    }

    /// Whether all of a text is in some piece.
    pub fn keeps_all(&self) -> bool {
        self.matches && self.gaps
    }

    /// Whether it may take long to find a piece.
    pub fn may_be_slow(&self) -> bool {
        self.scanner.may_be_slow()
    }

    /// Whether all pieces are kept as they are found.
    pub fn is_plain(&self) -> bool {
        self.matches && self.gaps && self.merging == Merging::Nothing
    }

    /// A text that it splits, piece by piece.
    #[inline]
    pub fn walk<'a>(&'a self, text: &'a str) -> Walk<'a> {
        Walk { stage: self, text, marks: Marks::default() }
    }

    fn is_match(&self, piece: Piece) -> bool {
        piece.pattern.is_some() != self.invert
    }

    #[inline]
    fn keeps(&self, piece: Piece) -> bool {
        match piece.pattern {
            None => self.gaps,
            Some(_) => self.matches,
        }
    }
}

/// A text that a stage splits, and what is known of it while that goes on.
pub(super) struct Walk<'a> {
    stage: &'a Stage,
    text: &'a str,
    marks: Marks,
}

impl Walk<'_> {
    /// The next piece from `position`, and whether it is kept.
    ///
    /// It depends on the text and the position alone, as the scanner's pieces do.
    #[inline]
    pub fn next(&mut self, position: usize, cache: &mut ScanCache) -> Result<(Piece, bool)> {
        let Self { stage, text, marks } = self;
        let piece = stage.scanner.next_within(text, position, cache, marks)?;
        if stage.merging == Merging::Nothing {
            return Ok((piece, stage.keeps(piece)));
        }
        Ok((self.merged(piece, cache)?, true))
    }

    /// Whether more is known of the next piece than a new walk would know, which would look at all of a stretch.
    pub fn is_amid(&self, position: usize) -> bool {
        self.marks.hold(position)
    }

    /// A piece with the neighbours behind it that go with it.
    fn merged(&mut self, mut piece: Piece, cache: &mut ScanCache) -> Result<Piece> {
        let Self { stage, text, marks } = self;
        let is_match = stage.is_match(piece);
        while piece.end < text.len() {
            let next = stage.scanner.next_within(text, piece.end, cache, marks)?;
            let joins = match stage.merging {
                Merging::Nothing => false,
                Merging::Previous => !is_match && stage.is_match(next),
                Merging::Next => is_match && !stage.is_match(next),
                // what lies between never touches its like, but where an empty match parts them
                Merging::Contiguous => piece.pattern.is_some() && next.pattern.is_some(),
            };
            if !joins {
                break;
            }
            piece.end = next.end;
            if stage.merging != Merging::Contiguous {
                break;
            }
        }
        Ok(piece)
    }
}
