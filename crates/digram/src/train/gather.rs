//! What several threads counted as one list, in the order first seen.
//!
//! Each shard of all tallies is put together by one thread, and its words are sorted. Then the
//! places of the texts are divided into stretches, each with about as many words, and a thread
//! writes the list of the words first seen in one. The lists one behind the other are the whole.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::long::{Long, LongShards, LongWords};
use super::short::{Short, ShortWords, merged};
use super::tally::{SHARDS, Tally};
use super::words::WordCounts;
use crate::arch::prefetch::prefetch;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::threads;

/// Stretches for each thread, so that none waits long for the last.
const STRETCHES: usize = 4;
/// Of how many words' places the stretches are told.
const SAMPLE: usize = 4096;
/// Words between two looks at the monitor: below a millisecond.
const WORDS_PER_CHECK: usize = 1 << 13;
/// How many words ahead of the one being written memory is asked for.
const AHEAD: usize = 16;

/// The words of one shard, sorted by where they were first seen.
struct Sorted<'a> {
    short: Cow<'a, [Short]>,
    long: Vec<Long>,
    arena: Vec<u8>,
    order: Vec<Place>,
}

/// Where a word was first seen, and where it is kept: in a slot, or behind all of them as long.
#[derive(Clone, Copy)]
struct Place {
    first: u64,
    index: u32,
    shard: u32,
}

/// The marker of a long word's index.
const LONG: u32 = 1 << 31;

/// Adds up tallies.
pub(super) fn gather(tallies: Vec<Tally>, threads: usize, monitor: &Monitor) -> Result<WordCounts> {
    let (mut short, long): (Vec<ShortWords>, Vec<LongShards>) =
        tallies.into_iter().map(Tally::into_words).unzip();
    let mut shards: Vec<(Vec<&mut [Short]>, Vec<LongWords>)> = Vec::new();
    shards.resize_with(SHARDS, Default::default);
    for table in &mut short {
        table.shards().zip(&mut shards).for_each(|(slots, shard)| shard.0.push(slots));
    }
    for tables in long {
        tables.shards.into_iter().zip(&mut shards).for_each(|(words, shard)| shard.1.push(words));
    }
    let shards: Vec<_> = shards.into_iter().map(|shard| Mutex::new(Some(shard))).collect();
    let sorted = shared_out(SHARDS, threads, monitor, |index| {
        let same = shards[index].lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(Sorted::new(index as u32, same.unwrap_or_default()))
    })?;
    let borders = borders(&sorted, if threads > 1 { STRETCHES * threads } else { 1 });
    let lists = shared_out(borders.len() - 1, threads, monitor, |index| {
        list(&sorted, borders[index], borders[index + 1], monitor)
    })?;
    drop(sorted);
    drop(short);
    WordCounts::joined(lists)
}

/// Calls `work` with each number below `count`, on several threads; the results are in order.
pub(super) fn shared_out<T: Send>(
    count: usize,
    threads: usize,
    monitor: &Monitor,
    work: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = threads::run(threads.min(count), monitor, |_| {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(done);
            }
            monitor.check()?;
            done.push((index, work(index)?));
        }
    })?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

impl<'a> Sorted<'a> {
    fn new(shard: u32, (short, long): (Vec<&'a mut [Short]>, Vec<LongWords>)) -> Self {
        let short = merged(short);
        let long = long.into_iter().reduce(|mut all, more| {
            all.merge(more);
            all
        });
        let (long, arena) = long.unwrap_or_default().into_words();
        let used = short.iter().enumerate().filter(|(_, slot)| slot.key != 0);
        let place = |first: u64, index: u32| Place { first, index, shard };
        let mut order: Vec<Place> =
            used.map(|(slot, word)| place(word.first, slot as u32)).collect();
        order.extend(long.iter().zip(LONG..).map(|(word, index)| place(word.first, index)));
        order.sort_unstable_by_key(|place| place.first);
        Self { short, long, arena, order }
    }

    fn announce(&self, index: u32) {
        if index & LONG == 0 {
            prefetch(&self.short[index as usize]);
        }
    }

    fn write(&self, index: u32, counts: &mut WordCounts) -> Result<()> {
        if index & LONG == 0 {
            let word = &self.short[index as usize];
            let (bytes, length) = word.bytes();
            return counts.push_new(&bytes[..length], word.count);
        }
        let word = self.long[(index & !LONG) as usize];
        counts.push_new(word.of(&self.arena), word.count)
    }
}

/// Places between which there are about as many words each: the first of all, and so on to the end.
fn borders(sorted: &[Sorted], stretches: usize) -> Vec<u64> {
    let words: usize = sorted.iter().map(|shard| shard.order.len()).sum();
    let every = words.div_ceil(SAMPLE).max(1);
    let mut sample: Vec<u64> = Vec::new();
    for shard in sorted {
        sample.extend(shard.order.iter().step_by(every).map(|place| place.first));
    }
    sample.sort_unstable();
    let inner = (1..stretches).filter_map(|nth| sample.get(nth * sample.len() / stretches));
    let mut borders: Vec<u64> = inner.copied().collect();
    borders.dedup();
    borders.insert(0, 0);
    borders.push(u64::MAX);
    borders
}

/// The words first seen in `from..to`.
fn list(sorted: &[Sorted], from: u64, to: u64, monitor: &Monitor) -> Result<WordCounts> {
    let mut order: Vec<Place> = Vec::new();
    for shard in sorted {
        let [start, end] =
            [from, to].map(|border| shard.order.partition_point(|place| place.first < border));
        order.extend_from_slice(&shard.order[start..end]);
    }
    // what is sorted in runs already is put together run by run
    order.sort_by_key(|place| place.first);
    let mut counts = WordCounts::default();
    for (nth, place) in order.iter().enumerate() {
        if nth % WORDS_PER_CHECK == 0 {
            monitor.check()?;
        }
        if let Some(ahead) = order.get(nth + AHEAD) {
            sorted[ahead.shard as usize].announce(ahead.index);
        }
        sorted[place.shard as usize].write(place.index, &mut counts)?;
    }
    Ok(counts)
}
