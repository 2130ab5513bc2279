//! Words to ids, many at a time, without a branch for each.
//!
//! A batch of words goes through three loops. The first makes the key of each word, looks at its
//! one place in the near table, takes the value there, and notes the words whose value that is
//! not. The second deals with those alone: it finds them elsewhere or merges them, and puts their
//! values in place. The third copies the ids of all words: as many as have room are always copied, and
//! as many counted as there are.
//!
//! The second loop is several: what one look-up waits for, memory mostly, the next ones need not
//! wait for. So all words are looked for in the far table, then those that are not there among
//! the tokens, and the few that are left are merged.
//!
//! Words that have more ids than a value holds are kept apart. Where there are such, the values of all are
//! laid out anew before the third loop, two for each of those, and it stops for words of still more ids.

use std::ops::Range;

use super::by_parts::Apart;
use super::chosen::Chosen;
use super::few::FEW;
use super::long::LongWords;
use super::maker::Maker;
use super::news::{Board, News};
use super::pieces::Pieces;
use super::rows::Rows;
use super::sink::Sink;
use super::spare::Spare;
use super::table::{FAR, Key, MANY, NEAR, TOO_LONG, Table, fold};
use super::twins::Twins;
use super::wide::{SLOT_BYTES as WIDE_BYTES, Sought, Wide};
use crate::arch::append::{MOST as IDS, Packed, Packing};
use crate::error::Result;

/// How many words, or parts of words, go through the loops together.
pub const MOST: usize = 512;
/// Slots of words that have no room in the table, at first, in any case, and at most: 256 KiB, 2 MiB, 8 MiB.
const WIDE: [usize; 3] = [1 << 12, 1 << 15, 1 << 17];
/// How many bytes the tables may grow by beyond what each may have in any case: enough for the wide one.
const SPARE: usize = WIDE_BYTES * (WIDE[2] - WIDE[1]);
/// How many bytes all of it may take, if nothing is said.
pub const TABLE_BYTES: usize = 16 << 20;
/// How many bytes long words and their ids may take in any case: what is left, beside what the near table
/// leaves behind.
const LONG_BYTES: usize =
    TABLE_BYTES - 32 * (NEAR[1] + NEAR[2] + FAR[1]) - WIDE_BYTES * WIDE[1] - SPARE;
/// By which power of two tables may be larger at most: 10 GiB.
const LARGER: u32 = 10;
/// How many new words are merged together.
pub(super) const TOGETHER: usize = 64;

/// The value of a word whose ids are elsewhere, above all others; added to it, where it stands among them.
pub(super) const ELSEWHERE: Packed = Packed::MAX - Packed::MAX / 256;

/// Where the ids of a word are that have no room in one value.
#[derive(Clone)]
pub(super) enum Elsewhere {
    /// In two, of `twos`.
    Two(u32),
    /// In `many`.
    Many(Range<u32>),
}

/// What the far table knows of a word.
pub(super) enum Far {
    /// Its ids.
    Found,
    /// That it has no room there.
    Wider,
    /// Nothing.
    Unknown,
}

/// The words that a thread has seen, and room to work in.
pub struct Words {
    /// How the ids of a word stand in tables.
    pub(super) packing: Packing,
    pub(super) table: Table,
    pub(super) wide: Wide,
    pub(super) long: LongWords,
    pub(super) spare: Spare,
    pub(super) keys: Vec<Key>,
    pub(super) values: Vec<Packed>,
    /// The place of each word in the near table.
    homes: Vec<u32>,
    /// Words that are not there.
    pub(super) missing: Vec<u32>,
    /// Those of them that have no room in the table.
    pub(super) wider: Vec<u32>,
    /// The same as they are looked for in wide slots; `None` where they are too long for that.
    pub(super) sought: Vec<Option<Sought>>,
    /// Those that are in no table.
    pub(super) unknown: Vec<u32>,
    /// Which of them are the same.
    pub(super) twins: Twins,
    /// Those of them that are known to become a token, and which.
    pub(super) tokens: Vec<(u32, u32)>,
    /// Those that are not, and then those of them that are merged.
    pub(super) merged: Vec<u32>,
    /// Words that are to be put into the near table.
    pub(super) promoted: Chosen,
    /// How many more words that are met again do not drive out another.
    patience: u32,
    /// How many words were tokens.
    pub(super) luck: u32,
    /// Words that have more ids than a slot.
    pub(super) exceptions: Vec<(u32, Elsewhere)>,
    twos: Vec<[Packed; 2]>,
    pub(super) many: Vec<u32>,
    /// The values of words, and two of some.
    laid: Vec<Packed>,
    pub(super) ids: Vec<u32>,
    pub(super) news: News,
    /// Words that are made of the ids of their parts.
    pub(super) apart: Apart,
    /// Texts that lie one behind the other, if there are some.
    pub(super) rows: Rows,
}

impl Words {
    /// No words yet, of a vocabulary with so many ids, and at most so many bytes for them: all tables
    /// become smaller or larger by the same power of two, but for the near one, which becomes no larger.
    pub fn within(bytes: usize, ids: usize) -> Self {
        let down = (0..usize::BITS - 1).find(|&down| TABLE_BYTES >> down <= bytes);
        let down = down.unwrap_or(usize::BITS - 1);
        let up = (bytes / TABLE_BYTES).max(1).ilog2().min(LARGER);
        let share = |most: usize| most >> down << up;
        let growing = |[first, own, most]: [usize; 3]| {
            let [own, most] = [own, most].map(share);
            [first.min(own), own, most]
        };
        let near = NEAR.map(|slots| slots.min(NEAR[2] >> down));
        let table = Table::with_slots(near, growing(FAR));
        let long = LongWords::with_budget(share(LONG_BYTES));
        let wide = Wide::with_slots(growing(WIDE));
        Self::with(Packing::of_ids(ids), table, wide, long, share(SPARE))
    }

    /// No words yet, and so many slots and bytes for them.
    #[cfg(test)]
    pub fn with_room(packing: Packing, near: usize, far: usize, wide: usize, long: usize) -> Self {
        let growing = |first: usize, slots: usize| [slots.min(first), slots / 2, slots];
        let table = Table::with_slots([near.min(2), near / 4, near], growing(2, far));
        let (wide, long) = (Wide::with_slots(growing(8, wide)), LongWords::with_budget(long));
        Self::with(packing, table, wide, long, 1 << 16)
    }

    fn with(packing: Packing, table: Table, wide: Wide, long: LongWords, spare: usize) -> Self {
        Self {
            packing,
            table,
            wide,
            long,
            spare: Spare::of(spare),
            sought: Vec::new(),
            keys: vec![0; MOST],
            values: vec![0; MOST],
            homes: vec![0; MOST],
            missing: vec![0; MOST],
            wider: Vec::new(),
            unknown: Vec::new(),
            twins: Twins::default(),
            tokens: Vec::new(),
            merged: Vec::new(),
            patience: 0,
            luck: 0,
            promoted: Chosen::default(),
            exceptions: Vec::new(),
            twos: Vec::new(),
            many: Vec::new(),
            laid: Vec::new(),
            ids: Vec::new(),
            news: News::default(),
            apart: Apart::default(),
            rows: Rows::default(),
        }
    }

    /// Gives the ids of `pieces` to `sink`, in order: those that were met before from the tables,
    /// others as `maker` makes them.
    pub fn encode(
        &mut self,
        text: &str,
        pieces: Pieces,
        sink: &mut impl Sink,
        maker: &mut impl Maker,
    ) -> Result<()> {
        for first in (0..pieces.len()).step_by(MOST) {
            let some = pieces.slice(first..pieces.len().min(first + MOST));
            self.news.met += some.len();
            let missing = self.probe(text.as_bytes(), some);
            let found = self.find(missing, text, some, maker);
            found.map_err(|error| self.first_error(text, some, maker, error))?;
            self.emit(some, sink)?;
        }
        Ok(())
    }

    /// Finds or makes the words that are not in the near table.
    #[inline]
    fn find(
        &mut self,
        missing: usize,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
    ) -> Result<()> {
        let together = match missing {
            0 => return Ok(()),
            1..=FEW => self.find_few(missing, text, pieces, maker)?,
            many => many,
        };
        if together > 0 {
            self.look_far(together);
            self.look_wide(text, pieces);
            self.look_for_tokens(text, pieces, maker);
            self.make(text, pieces, maker)?;
            self.take_again();
        }
        Ok(())
    }

    /// Looks at the place of each word in the near table; returns how many are missing there.
    fn probe(&mut self, text: &[u8], pieces: Pieces) -> usize {
        let count = pieces.len();
        let (keys, homes) = (&mut self.keys[..count], &mut self.homes[..count]);
        self.table.find_homes(text, pieces, keys, homes);
        self.table.look_near(keys, homes, &mut self.values[..count], &mut self.missing)
    }

    /// Looks for the missing words in the far table; leaves those that have no room there in
    /// `wider`, and those that were never met in `unknown`.
    fn look_far(&mut self, missing: usize) {
        self.unknown.clear();
        self.wider.clear();
        for &index in &self.missing[..missing] {
            self.table.prefetch_far(self.keys[index as usize]);
        }
        for nth in 0..missing {
            let index = self.missing[nth];
            match self.find_far(index) {
                Far::Found => {}
                Far::Wider => self.wider.push(index),
                Far::Unknown => {
                    let (keys, key) = (&self.keys, self.keys[index as usize]);
                    if self.twins.is_first(fold(key), index, |before| keys[before as usize] == key)
                    {
                        self.unknown.push(index);
                    }
                }
            }
        }
    }

    /// Looks for a word in the far table, and takes its value from there.
    #[inline]
    pub(super) fn find_far(&mut self, index: u32) -> Far {
        let key = self.keys[index as usize];
        match self.table.find_far(key) {
            Some(MANY) => Far::Wider,
            Some(value) => {
                self.values[index as usize] = value;
                self.promote(index);
                Far::Found
            }
            None if key == TOO_LONG => Far::Wider,
            None => Far::Unknown,
        }
    }

    /// Lets a word that is met again have its place in the near table: one in four drives out the
    /// word that is there, so that two words that share a place do not do so in turn.
    pub(super) fn promote(&mut self, index: u32) {
        if self.patience == 0 || self.table.is_free(self.keys[index as usize]) {
            self.promoted.push_if(true, index);
            self.patience = 4;
        }
        self.patience -= 1;
    }

    /// Hears what other threads have met first, and tells them what this one has: see
    /// [`news`](super::news).
    pub(super) fn exchange(&mut self, board: &Board, is_last: bool) {
        for message in board.exchange(&mut self.news, is_last) {
            for some in message.short.chunks(TOGETHER) {
                self.table.learn(some, &mut self.spare);
            }
            for some in message.wide.chunks(TOGETHER) {
                self.wide.learn(some, &mut self.spare);
            }
        }
    }

    pub(super) fn put_two(&mut self, index: usize, two: [Packed; 2]) {
        self.put_elsewhere(index, Elsewhere::Two(self.twos.len() as u32));
        self.twos.push(two);
    }

    /// Notes where the ids of a word are.
    pub(super) fn put_elsewhere(&mut self, index: usize, ids: Elsewhere) {
        self.values[index] = ELSEWHERE + self.exceptions.len() as Packed;
        self.exceptions.push((index as u32, ids));
    }

    /// Gives the ids of `pieces` to `sink`.
    fn emit(&mut self, pieces: Pieces, sink: &mut impl Sink) -> Result<()> {
        let values = pieces.len() + 2 * self.twos.len();
        sink.reserve(IDS * values + self.many.len() + self.rows.left())?;
        // (two or three ascending runs, which a stable sort merges)
        self.exceptions.sort_by_key(|&(index, _)| index);
        let (mut begun, mut dealt) = (0, 0);
        while let Some(end) = self.rows.end(pieces.starts, begun) {
            dealt = self.emit_some(begun..end, dealt, sink);
            self.rows.close(sink);
            begun = end;
        }
        self.emit_some(begun..pieces.len(), dealt, sink);
        self.exceptions.clear();
        self.twos.clear();
        self.many.clear();
        for &index in self.promoted.all() {
            self.table.promote(self.keys[index as usize], self.values[index as usize]);
        }
        self.promoted.clear();
        Ok(())
    }

    /// The same of some, of whose exceptions the first is at `dealt`; returns where the next one is.
    #[inline]
    fn emit_some(&mut self, words: Range<usize>, mut dealt: usize, sink: &mut impl Sink) -> usize {
        let (mut begun, mut laid) = (words.start, std::mem::take(&mut self.laid));
        while let Some((index, ids)) = self.exceptions.get(dealt)
            && (*index as usize) < words.end
        {
            laid.extend_from_slice(&self.values[begun..*index as usize]);
            begun = *index as usize + 1;
            dealt += 1;
            match ids {
                Elsewhere::Two(at) => laid.extend_from_slice(&self.twos[*at as usize]),
                Elsewhere::Many(ids) => {
                    sink.values(&laid, self.packing);
                    laid.clear();
                    sink.ids(&self.many[ids.start as usize..ids.end as usize]);
                }
            }
        }
        if laid.is_empty() {
            sink.values(&self.values[begun..words.end], self.packing);
        } else {
            laid.extend_from_slice(&self.values[begun..words.end]);
            sink.values(&laid, self.packing);
            laid.clear();
        }
        self.laid = laid;
        dealt
    }
}
