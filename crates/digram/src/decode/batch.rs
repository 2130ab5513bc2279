//! Many lists of ids on all cores, some of them at a time.
//!
//! What was just decoded is near when a text is made of it, so lists are decoded in rounds, into room that is
//! used again: one thread has as much in each as its caches hold, several so much that they are worth their
//! start.

use std::sync::{Mutex, PoisonError};

use crate::encode::Tokenizer;
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
use crate::threads;

/// Ids for which a further thread is worth its start: some 100 µs of copying.
const IDS_PER_THREAD: usize = 32 << 10;
/// So many are decoded in a round by one thread, and by each of several.
const ROUND: [usize; 2] = [4 << 10, 4 * IDS_PER_THREAD];
/// An id has about so many.
const BYTES: usize = 4;

/// What lists of ids are decoded to, one behind the other.
#[derive(Default)]
struct Decoded {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Decoded {
    /// What each list is decoded to.
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = [0].iter().chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.bytes[start..end])
    }
}

/// A batch, of which some lists are decoded at a time.
pub struct Rounds<'a> {
    rest: &'a [&'a [u32]],
    place: usize,
    room: Vec<Decoded>,
}

impl<'a> Rounds<'a> {
    /// The lists of a batch, to be decoded by all cores, or by as many threads as asked for.
    pub fn new(batch: &'a [&'a [u32]], asked: Option<usize>) -> Result<Self> {
        let ids: usize = batch.iter().map(|ids| ids.len()).sum();
        memory::expect(BYTES * ids)?;
        let useful = (1 + ids / IDS_PER_THREAD).min(batch.len());
        // to tell how many cores there are takes as long as to decode thousands of ids
        let workers = if useful < 2 { 1 } else { threads::available(asked).min(useful) };
        let room = (0..workers).map(|_| Decoded::default()).collect();
        Ok(Self { rest: batch, place: 0, room })
    }

    /// How many ids come next; `None` where no list is left.
    pub fn next_ids(&self) -> Option<usize> {
        let lists = self.lists();
        if lists == 0 { None } else { Some(self.rest[..lists].iter().map(|ids| ids.len()).sum()) }
    }

    /// How many lists come next.
    fn lists(&self) -> usize {
        let most = ROUND[usize::from(self.room.len() > 1)] * self.room.len();
        taken(self.rest, most)
    }

    /// Decodes the next lists: what [`decode`](Tokenizer::decode) says of each, or
    /// [`decode_text`](Tokenizer::decode_text) if `text`. Fails where the first of them fails.
    pub fn decode(
        &mut self,
        tokenizer: &Tokenizer,
        how: (bool, bool),
        monitor: &Monitor,
    ) -> Result<()> {
        let (mut lists, rest) = self.rest.split_at(self.lists());
        let (workers, mut place) = (self.room.len(), self.place);
        let share = lists.iter().map(|ids| ids.len()).sum::<usize>().div_ceil(workers);
        let mut shares = Vec::with_capacity(workers);
        for (worker, room) in self.room.iter_mut().enumerate() {
            let count = if worker + 1 == workers { lists.len() } else { taken(lists, share) };
            let (own, others) = lists.split_at(count);
            shares.push(Mutex::new((own, place, room)));
            (lists, place) = (others, place + count);
        }
        let decode = |worker: usize| {
            let mut share = shares[worker].lock().unwrap_or_else(PoisonError::into_inner);
            let (own, place, room) = &mut *share;
            // one that fails stops no other: of those that fail the first is told
            Ok(tokenizer.decode_lists((own, *place), how, room, monitor))
        };
        threads::run(workers, monitor, decode)?.into_iter().collect::<Result<()>>()?;
        (self.rest, self.place) = (rest, place);
        Ok(())
    }

    /// What the last lists are decoded to.
    pub fn decoded(&self) -> impl Iterator<Item = &[u8]> {
        self.room.iter().flat_map(Decoded::iter)
    }
}

/// How many lists have so many ids, the first in any case.
fn taken(lists: &[&[u32]], most: usize) -> usize {
    let mut ids = 0;
    let more = lists.iter().skip(1).take_while(|list| {
        ids += list.len() + 1; // an empty one is work, too
        ids < most
    });
    lists.len().min(1) + more.count()
}

impl Tokenizer {
    /// Decodes lists, the first of which has a place in a batch, into room that is used again.
    fn decode_lists(
        &self,
        (lists, place): (&[&[u32]], usize),
        how: (bool, bool),
        room: &mut Decoded,
        monitor: &Monitor,
    ) -> Result<()> {
        room.ends.clear();
        let mut written = 0;
        for (index, ids) in lists.iter().enumerate() {
            monitor.check()?;
            let decoded = self.decode_to(ids, how, (&mut room.bytes, written), monitor);
            let place = place + index;
            written = decoded.map_err(|error| error.of_text(format_args!("batch[{place}]")))?;
            room.ends.push(written);
        }
        Ok(())
    }
}
