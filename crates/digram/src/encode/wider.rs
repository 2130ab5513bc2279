//! Words that have no room in the table: looked for in wide slots, and else among the long ones.
//!
//! Memory is asked for first for all of them, as their look-ups need not wait for each other.

use super::long::Long;
use super::pieces::Pieces;
use super::words::{Elsewhere, Words};
use crate::arch::append::NOTHING;

/// How many long words are asked for before the first of them is read.
const ASKED: usize = 32;

impl Words {
    /// Finds the ids of words that have no room in the table.
    #[inline(never)]
    pub(super) fn look_wide(&mut self, text: &str, pieces: Pieces) {
        let (wider, mut sought) =
            (std::mem::take(&mut self.wider), std::mem::take(&mut self.sought));
        sought.clear();
        sought.extend(wider.iter().map(|&index| {
            let key = pieces.wide_key(text, index as usize)?;
            Some(self.wide.seek(key))
        }));
        let mut longer = Vec::new();
        for (&index, sought) in wider.iter().zip(&sought) {
            match sought.as_ref().and_then(|sought| self.wide.take(sought)) {
                Some([all, NOTHING]) => self.values[index as usize] = all,
                Some(two) => self.put_two(index as usize, two),
                None => {
                    let long = pieces.long(text, index as usize);
                    self.long.prefetch_slots(long);
                    longer.push((index, long));
                }
            }
        }
        (self.wider, self.sought) = (wider, sought);
        longer.chunks(ASKED).for_each(|some| self.look_long(text, pieces, some));
    }

    /// The same of those that have no room in a wide slot either.
    #[inline(never)]
    fn look_long(&mut self, text: &str, pieces: Pieces, longer: &[(u32, Long)]) {
        for &(_, long) in longer {
            self.long.prefetch_ids(long);
        }
        for &(index, long) in longer {
            let start = self.many.len() as u32;
            if self.long.find(long, &mut self.spare, &mut self.many) {
                let ids = start..self.many.len() as u32;
                self.put_elsewhere(index as usize, Elsewhere::Many(ids));
                continue;
            }
            let is_same = |before| pieces.are_same(text, [before, index]);
            if self.twins.is_first(long.hash(), index, is_same) {
                self.unknown.push(index);
            }
        }
    }
}
