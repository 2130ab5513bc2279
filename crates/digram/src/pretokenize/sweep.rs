//! A batch of words from word masks: text to masks, masks to word starts, word starts to borders.
//!
//! Each of the three runs over a window of some blocks, so that what it leaves to the next stays
//! in the first-level cache. A sweep begins where a word begins and remembers nothing from before,
//! so that words depend on the text and the place alone. Where the masks are in doubt, it ends
//! with the last start before; the scanner finds the words over the doubt, and a new sweep begins.

use super::algebra::{Block, Carry};
use super::batch::{Batch, WORDS};
use super::classes::classes;
use super::rules::Rules;
use super::scanner::{ScanCache, Scanner};
use crate::arch::{self, BEHIND, BLOCK, Kernel, Masks, generic};
use crate::error::Result;

/// The most blocks of a window.
const WINDOW: usize = 32;
/// What stands behind the end of a text: a blank, so that the last blanks are followed by none.
const BEHIND_TEXT: u8 = 0x0B;

/// What a sweep needs while it runs; one per thread.
#[derive(Default)]
pub(super) struct SweepCache(Option<Box<Scratch>>);

struct Scratch {
    /// The end of a text, filled up to whole blocks.
    padded: [u8; (WINDOW + 1) * BLOCK + BEHIND],
    masks: [Masks; WINDOW + 1],
    starts: [u64; WINDOW],
    /// The masks of a block behind the text.
    behind: Masks,
}

/// Runs a pattern by its rules.
pub(super) struct Sweep<'a> {
    pub kernel: Kernel,
    pub rules: Rules,
    /// The same pattern, where the rules do not tell.
    pub scanner: &'a Scanner,
    pub text: &'a str,
}

/// Where a sweep ended.
enum End {
    /// The batch is full, or the text ends.
    Done(usize),
    /// The character at this place is in doubt.
    Doubt(usize),
}

impl Sweep<'_> {
    /// Fills `batch` with words from `position`, and returns where to go on.
    pub fn fill(
        &self,
        position: usize,
        batch: &mut Batch,
        cache: &mut SweepCache,
        scan: &mut ScanCache,
    ) -> Result<usize> {
        let scratch = cache.0.get_or_insert_with(|| Scratch::new(self.kernel));
        let mut position = position;
        loop {
            match self.from(position, batch, scratch) {
                End::Done(end) => return Ok(end),
                End::Doubt(place) => {
                    position = batch.end();
                    while position <= place {
                        let end = self.scanner.next(self.text, position, scan)?.end;
                        batch.push(position, end);
                        position = end;
                    }
                }
            }
            if batch.len() >= WORDS || position == self.text.len() {
                return Ok(position);
            }
        }
    }

    /// Adds the words from a word's start on.
    fn from(&self, position: usize, batch: &mut Batch, scratch: &mut Scratch) -> End {
        let (mut at, mut carry) = (position, Carry::default());
        loop {
            let left = self.text.len() - at;
            let room = (2 * WORDS - batch.len()) / BLOCK;
            let count = left.div_ceil(BLOCK).min(WINDOW).min(room);
            self.classify(at, count, scratch);
            let doubt = self.starts(at, count, &mut carry, scratch);
            // the sweep's own start is in the batch
            if at == position {
                scratch.starts[0] &= !1;
            }
            let (used, end) = match doubt {
                None => (count, at + count * BLOCK),
                Some((block, _)) => (block + 1, 0),
            };
            let ends_text = doubt.is_none() && end >= self.text.len();
            if ends_text && !left.is_multiple_of(BLOCK) {
                scratch.starts[count - 1] &= (1 << (left % BLOCK)) - 1;
            }
            batch.extend(self.kernel, &scratch.starts[..used], at);
            if let Some((_, place)) = doubt {
                return End::Doubt(place);
            }
            if ends_text {
                batch.push_end(self.text.len());
                return End::Done(self.text.len());
            }
            if batch.len() >= WORDS {
                return End::Done(batch.end());
            }
            at = end;
        }
    }

    /// Makes the masks of so many blocks from `at`, and of the one behind them.
    fn classify(&self, at: usize, count: usize, scratch: &mut Scratch) {
        let text = self.text.as_bytes();
        let masks = &mut scratch.masks[..=count];
        let whole = (count + 1) * BLOCK + BEHIND;
        let before = self.class_before(at);
        if let Some(bytes) = text.get(at..at + whole) {
            arch::classify(self.kernel, classes(), bytes, before, masks);
            return;
        }
        let rest = &text[at..];
        // a block behind the text is known
        let own_blocks = rest.len().div_ceil(BLOCK).clamp(1, count + 1);
        let padded = &mut scratch.padded[..own_blocks * BLOCK + BEHIND];
        let (own, behind) = padded.split_at_mut(rest.len().min(padded.len()));
        own.copy_from_slice(&rest[..own.len()]);
        behind.fill(BEHIND_TEXT);
        let (own, behind) = masks.split_at_mut(own_blocks);
        arch::classify(self.kernel, classes(), padded, before, own);
        behind.fill(scratch.behind);
    }

    /// The class of the character that a place is inside of, if it is.
    fn class_before(&self, at: usize) -> u8 {
        if self.text.is_char_boundary(at) {
            return 0;
        }
        let start = self.text.floor_char_boundary(at);
        let mut character = [0; 4];
        let rest = &self.text.as_bytes()[start..];
        let length = rest.len().min(4);
        character[..length].copy_from_slice(&rest[..length]);
        generic::class_of(classes(), u32::from_be_bytes(character))
    }

    /// Finds the word starts of so many blocks; tells the block and the place of a doubt, which
    /// they reach up to.
    fn starts(
        &self,
        at: usize,
        count: usize,
        carry: &mut Carry,
        scratch: &mut Scratch,
    ) -> Option<(usize, usize)> {
        match (self.rules.prefixed, self.rules.cased) {
            (false, _) => self.starts_by::<false, false>(at, count, carry, scratch),
            (true, false) => self.starts_by::<true, false>(at, count, carry, scratch),
            (true, true) => self.starts_by::<true, true>(at, count, carry, scratch),
        }
    }

    fn starts_by<const PREFIXED: bool, const CASED: bool>(
        &self,
        at: usize,
        count: usize,
        carry: &mut Carry,
        scratch: &mut Scratch,
    ) -> Option<(usize, usize)> {
        let blocks = scratch.masks[..=count].windows(2);
        for (index, (masks, starts)) in blocks.zip(&mut scratch.starts).enumerate() {
            let at = at + index * BLOCK;
            let block = Block { text: self.text, at, own: &masks[0], next: &masks[1] };
            let found = block.find::<PREFIXED, CASED>(self.rules, carry);
            *starts = found.starts;
            if found.doubts != 0 {
                let doubt = found.doubts.trailing_zeros();
                *starts &= (1 << doubt) - 1;
                return Some((index, at + doubt as usize));
            }
        }
        None
    }
}

impl Scratch {
    fn new(kernel: Kernel) -> Box<Self> {
        let mut masks = [Masks::default(); WINDOW + 1];
        arch::classify(kernel, classes(), &[BEHIND_TEXT; BLOCK + BEHIND], 0, &mut masks[..1]);
        Box::new(Self {
            padded: [0; (WINDOW + 1) * BLOCK + BEHIND],
            behind: masks[0],
            masks,
            starts: [0; WINDOW],
        })
    }
}
