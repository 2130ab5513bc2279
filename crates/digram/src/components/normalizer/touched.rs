//! Which characters a table of `SentencePiece` may touch, told quickly.
//!
//! What is replaced is mostly one character, or a letter with the mark behind it. So a character is *touched*
//! if it is replaced, or stands behind the first of those that are replaced together. Where none is, nothing is
//! replaced, but maybe from the character before the next touched one on: which are found many bytes at a time.

use std::ops::ControlFlow;

use super::charsmap::Charsmap;
use crate::arch::{BEHIND, BLOCK, Classes, Kernel, Rare, find_rare};

/// So many steps in the trie tell of all characters in a sound table; those of another count as touched.
const MOST_STEPS: usize = 1 << 23;
const POINTS: usize = char::MAX as usize + 1;

/// The characters that are touched.
pub(super) struct Touched {
    ascii: Box<[bool; 256]>,
    beyond: Rare,
    kernel: Kernel,
}

impl Touched {
    /// Those of a table, and those that the texts begin with which it leaves alone.
    pub fn of(charsmap: Option<&Charsmap>, untouched: &[String]) -> Self {
        let mut touched = Points::none();
        let mut steps = MOST_STEPS;
        if charsmap.is_some_and(|charsmap| touched.add_all(charsmap, &mut steps).is_break()) {
            touched = Points::all();
        }
        untouched
            .iter()
            .filter_map(|text| text.chars().next())
            .for_each(|first| touched.add(first));
        Self::of_points(&touched)
    }

    /// All characters.
    #[cfg(test)]
    pub fn all() -> Self {
        Self::of_points(&Points::all())
    }

    fn of_points(touched: &Points) -> Self {
        let mut ascii = Box::new([false; 256]);
        (0..0x80).for_each(|byte| ascii[byte] = touched.has(byte));
        Self { ascii, beyond: touched.beyond_ascii(), kernel: Kernel::chosen() }
    }

    /// Those of a text, in order.
    pub fn places<'a>(&'a self, text: &'a str) -> Places<'a> {
        Places {
            touched: self,
            text: text.as_bytes(),
            begun: 0,
            left: self.of_block(text.as_bytes()),
        }
    }

    /// A bit for each of the first bytes of a text that begins a touched character.
    fn of_block(&self, rest: &[u8]) -> u64 {
        let mut padded = [0; BLOCK + BEHIND];
        let bytes = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let bit = |at: usize| u64::from(self.ascii[usize::from(bytes[at])]) << at;
        let ascii = (0..BLOCK.min(rest.len())).fold(0, |all, at| all | bit(at));
        ascii | find_rare(self.kernel, &self.beyond, bytes)
    }
}

/// Where touched characters stand in a text.
pub(super) struct Places<'a> {
    touched: &'a Touched,
    text: &'a [u8],
    /// Where the block begins that is looked at, and those of it that are left.
    begun: usize,
    left: u64,
}

impl Places<'_> {
    /// The first from `from` on, which is not before those asked for until now; the end of the text if there
    /// is none.
    pub fn next(&mut self, from: usize) -> usize {
        loop {
            let passed = from.saturating_sub(self.begun);
            self.left = if passed < BLOCK { self.left & u64::MAX << passed } else { 0 };
            if self.left != 0 {
                return self.begun + self.left.trailing_zeros() as usize;
            }
            self.begun = from.max(self.begun + BLOCK);
            if self.begun >= self.text.len() {
                return self.text.len();
            }
            self.left = self.touched.of_block(&self.text[self.begun..]);
        }
    }
}

/// A set of code points, a bit for each.
struct Points(Vec<u64>);

impl Points {
    fn none() -> Self {
        Self(vec![0; POINTS / BLOCK])
    }

    fn all() -> Self {
        Self(vec![u64::MAX; POINTS / BLOCK])
    }

    fn has(&self, point: usize) -> bool {
        self.0[point / BLOCK] >> (point % BLOCK) & 1 != 0
    }

    fn add(&mut self, character: char) {
        let point = character as usize;
        self.0[point / BLOCK] |= 1 << (point % BLOCK);
    }

    /// Adds what a table touches, if that takes no more steps.
    fn add_all(&mut self, charsmap: &Charsmap, steps: &mut usize) -> ControlFlow<()> {
        charsmap.characters_from(
            charsmap.root(),
            steps,
            &mut |first, behind, is_replaced, steps| {
                if is_replaced {
                    self.add(first);
                }
                charsmap.characters_from(behind, steps, &mut |second, _, _, _| {
                    self.add(second);
                    ControlFlow::Continue(())
                })
            },
        )
    }

    /// Those beyond ASCII as they are found in text.
    fn beyond_ascii(&self) -> Rare {
        let class = |point: usize| u8::from(point >= 0x80 && self.has(point));
        let pages = (0..POINTS).step_by(BLOCK).map(|first| {
            (self.0[first / BLOCK] != 0).then(|| std::array::from_fn(|at| class(first + at)))
        });
        let is_absent = |low: usize| (0..0x1000 / BLOCK).all(|page| self.0[(low << 6) + page] == 0);
        let absent = std::array::from_fn(|low| if is_absent(low) { 0xFF } else { 0 });
        Rare { classes: Classes::of_pages(pages), absent }
    }
}
