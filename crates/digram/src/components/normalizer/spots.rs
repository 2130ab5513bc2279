//! Sets of characters, found in a text 64 bytes at a time.

use crate::arch::{BEHIND, BLOCK, Classes, Kernel, Rare, find_rare};

const POINTS: usize = char::MAX as usize + 1;

/// Characters that are looked for.
pub(super) struct Set {
    ascii: Box<[bool; 256]>,
    beyond: Rare,
    kernel: Kernel,
}

impl Set {
    pub fn of(points: &Points) -> Self {
        let mut ascii = Box::new([false; 256]);
        (0..0x80).for_each(|byte| ascii[byte] = points.has(byte));
        Self { ascii, beyond: points.beyond_ascii(), kernel: Kernel::chosen() }
    }

    /// Those of a text, in order.
    pub fn places<'a>(&'a self, text: &'a str) -> Places<'a> {
        Places { set: self, text: text.as_bytes(), begun: 0, left: self.of_block(text.as_bytes()) }
    }

    /// A bit for each of the first bytes of a text that begins one of them.
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

/// Where the characters of a set stand in a text.
pub(super) struct Places<'a> {
    set: &'a Set,
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
            self.left = self.set.of_block(&self.text[self.begun..]);
        }
    }
}

/// A set of code points, a bit for each.
pub(super) struct Points(Vec<u64>);

impl Points {
    pub fn none() -> Self {
        Self(vec![0; POINTS / BLOCK])
    }

    pub fn all() -> Self {
        Self(vec![u64::MAX; POINTS / BLOCK])
    }

    fn has(&self, point: usize) -> bool {
        self.0[point / BLOCK] >> (point % BLOCK) & 1 != 0
    }

    pub fn add(&mut self, character: char) {
        let point = character as usize;
        self.0[point / BLOCK] |= 1 << (point % BLOCK);
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
