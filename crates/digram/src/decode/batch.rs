//! Many lists of ids on all cores.
//!
//! Texts are written where they stay, as one is: several threads tell the sizes, whoever calls makes room for
//! all of them, and several threads write them. What is not for that is decoded to bytes.

use super::text::{LEAST, Room, Size};
use crate::encode::Tokenizer;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
use crate::threads;

/// Ids for which a further thread is worth its start: some 100 µs of copying.
const IDS_PER_THREAD: usize = 32 << 10;
/// An id has about so many.
const BYTES: usize = 4;
/// To tell the size of so many ids takes as long as to decode one.
const SIZED: usize = 4;
/// Texts with fewer characters are not written where they stay: the interpreter keeps those itself.
const CHARACTERS: usize = 2;

impl Tokenizer {
    /// What [`decode`](Self::decode) says of each list, in order, or
    /// [`decode_text`](Self::decode_text) if `text`. Fails where the first of them fails.
    pub fn decode_batch(
        &self,
        batch: &[&[u32]],
        skip_special_tokens: bool,
        text: bool,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Vec<u8>>> {
        let how = (skip_special_tokens, text);
        memory::expect(BYTES * total(batch) + size_of::<Vec<u8>>() * batch.len())?;
        let decode = |ids: &[u32]| self.decode_as(ids, how, monitor);
        of_each(batch, (asked, 1), monitor, decode)
    }

    /// What [`size_of_text`](Self::size_of_text) says of each list, though they be short, unless all together
    /// are, and `None` for next to nothing. Fails where the first of them fails.
    pub fn sizes_of_texts(
        &self,
        batch: &[&[u32]],
        skip_special_tokens: bool,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<Option<Size>>> {
        if total(batch) < LEAST || !self.writes_texts() {
            return Ok(vec![None; batch.len()]);
        }
        let is_text = |size: &Size| size.characters >= CHARACTERS;
        let size = |ids: &[u32]| Ok(self.size(ids, skip_special_tokens, monitor)?.filter(is_text));
        of_each(batch, (asked, SIZED), monitor, size)
    }

    /// What [`write_text`](Self::write_text) says of each list and its room.
    pub fn write_texts(
        &self,
        texts: Vec<(&[u32], (Room, u32))>,
        asked: Option<usize>,
        monitor: &Monitor,
    ) -> Result<Vec<bool>> {
        let ids = texts.iter().map(|(ids, _)| ids.len()).sum();
        let workers = workers(ids, texts.len(), asked);
        let length = |(ids, _): &(&[u32], _)| ids.len();
        threads::in_runs(workers, texts.into_iter(), length, monitor, |run| {
            let mut window = Vec::new();
            let write = |(ids, room)| self.write_room(ids, room, &mut window, monitor);
            run.into_iter().map(write).collect()
        })
    }
}

/// What `work` makes of each list, of which it does so many ids while one is decoded.
fn of_each<T: Send>(
    batch: &[&[u32]],
    (asked, faster): (Option<usize>, usize),
    monitor: &Monitor,
    work: impl Fn(&[u32]) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let workers = workers(total(batch) / faster, batch.len(), asked);
    let length = |(_, ids): &(usize, &&[u32])| ids.len() / faster;
    let made = threads::in_runs(workers, batch.iter().enumerate(), length, monitor, |run| {
        let of_one = |(place, ids): (usize, &&[u32])| {
            work(ids).map_err(|error| error.of_text(format_args!("batch[{place}]")))
        };
        Ok(run.into_iter().map(of_one).collect())
    })?;
    made.into_iter().collect()
}

fn total(batch: &[&[u32]]) -> usize {
    batch.iter().map(|ids| ids.len()).sum()
}

/// How many threads decode so many ids in so many lists.
fn workers(ids: usize, lists: usize, asked: Option<usize>) -> usize {
    let useful = (1 + ids / IDS_PER_THREAD).min(lists);
    // to tell how many cores there are takes as long as to decode thousands of ids
    if useful < 2 { 1 } else { threads::available(asked).min(useful) }
}
