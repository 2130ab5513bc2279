//! Counting in bounded memory: what a thread counted goes to a file when its share is full.
//!
//! It goes there as runs sorted by word, one for each shard. At the end the runs of a shard are
//! merged, the counts of a word added up, its first place the first of all: a word of all runs is
//! met once. These words leave sorted by word, and shall be sorted by place: as many as there is
//! room for are sorted and go to a second file, and its runs are merged into the list. So the
//! result is what it is without files, and nothing but the list is ever whole in memory.

use std::path::PathBuf;

use super::gather::shared_out;
use super::long::Long;
use super::run::{ByPlace, ByWord, Record, Run, RunFile, merge};
use super::short::Short;
use super::tally::{SHARDS, Tally};
use super::words::WordCounts;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// What a thread needs at least: its hot table, and as much behind it.
const LEAST: u64 = 1 << 20;
/// A run is read so many bytes at once, at least and at most.
const ROOM: [usize; 2] = [1 << 12, 1 << 18];

/// How much memory counting may take, and where the rest goes.
pub(super) struct Budget {
    bytes: usize,
    /// Of one thread.
    share: usize,
    folder: PathBuf,
}

impl Budget {
    /// So many `bytes` for all threads together; the rest goes to the folder of temporary files.
    pub fn new(bytes: u64, threads: usize) -> Result<Self> {
        let least = LEAST * threads as u64;
        if bytes < least {
            return Err(Error::Value(format!(
                "max_memory is {bytes} bytes, and counting on {threads} threads needs {least} at \
                 least; give more, or fewer threads"
            )));
        }
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Ok(Self { bytes, share: bytes / threads, folder: std::env::temp_dir() })
    }

    /// The file of one thread, still empty.
    pub fn file(&self) -> Result<Spilled> {
        let runs = (0..SHARDS).map(|_| Vec::new()).collect();
        Ok(Spilled { file: RunFile::new(&self.folder)?, runs })
    }

    /// Whether tallies of so many bytes may be put together in memory: the tables are there twice
    /// then, and besides them the words in order.
    pub fn has_room_to_gather(&self, held: usize) -> bool {
        held.saturating_mul(3) <= self.bytes
    }

    /// Whether a tally takes more than one thread may.
    pub fn is_exceeded_by(&self, tally: &Tally) -> bool {
        tally.bytes() > self.share
    }
}

/// What one thread had no room for: runs, by shard.
pub(super) struct Spilled {
    file: RunFile,
    runs: Vec<Vec<Run>>,
}

impl Spilled {
    /// Puts all of a tally into the file.
    pub fn put(&mut self, tally: Tally, monitor: &Monitor) -> Result<()> {
        let (short, long) = tally.into_words();
        let mut long = long.shards.map(|words| {
            let (mut words, arena) = words.into_words();
            words.sort_unstable_by(|one, other| one.of(&arena).cmp(other.of(&arena)));
            (words, arena)
        });
        short.into_sorted(|shard, short| {
            let (long, arena) = std::mem::take(&mut long[shard]);
            self.write(shard, short, (&long, &arena), monitor)
        })?;
        // where there was no short word at all
        for (shard, (long, arena)) in long.iter().enumerate() {
            self.write(shard, &[], (long, arena), monitor)?;
        }
        Ok(())
    }

    /// Writes words of two kinds, each sorted, as one run of a shard.
    fn write(
        &mut self,
        shard: usize,
        short: &[Short],
        (long, arena): (&[Long], &[u8]),
        monitor: &Monitor,
    ) -> Result<()> {
        if short.is_empty() && long.is_empty() {
            return Ok(());
        }
        let mut run = self.file.begin(monitor);
        let mut long = long.iter().map(|word| word.record(arena)).peekable();
        for short in short {
            let (bytes, length) = short.bytes();
            let word = &bytes[..length];
            while let Some(before) = long.next_if(|long| long.word < word) {
                run.push(before)?;
            }
            run.push(Record { word, count: short.count, first: short.first })?;
        }
        long.try_for_each(|word| run.push(word))?;
        self.runs[shard].push(run.finish()?);
        Ok(())
    }

    /// How many bytes were put into the file.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }
}

/// All that was put into files as one list, in the order first seen.
pub(super) fn gather_spilled(
    spilled: Vec<Spilled>,
    budget: &Budget,
    threads: usize,
    monitor: &Monitor,
) -> Result<WordCounts> {
    let sorted = shared_out(SHARDS, threads, monitor, |shard| {
        let runs: Vec<_> = spilled
            .iter()
            .flat_map(|spilled| spilled.runs[shard].iter().map(|&run| (&spilled.file, run)))
            .collect();
        by_place(&runs, budget, monitor)
    })?;
    drop(spilled);
    let (words, bytes) = sorted
        .iter()
        .fold((0, 0), |(words, bytes), shard| (words + shard.words, bytes + shard.bytes));
    let mut counts = WordCounts::with_room(words, bytes);
    let runs: Vec<_> =
        sorted.iter().flat_map(|shard| shard.runs.iter().map(|&run| (&shard.file, run))).collect();
    let room = budget.room(runs.len(), threads);
    let readers = runs.iter().map(|&(file, run)| file.read(run, room)).collect();
    merge::<ByPlace>(readers, monitor, |record| counts.push_new(record.word, record.count))?;
    Ok(counts)
}

/// The words of a shard, each once, in runs sorted by place.
struct ByPlaces {
    file: RunFile,
    runs: Vec<Run>,
    words: usize,
    bytes: usize,
}

fn by_place(runs: &[(&RunFile, Run)], budget: &Budget, monitor: &Monitor) -> Result<ByPlaces> {
    let most = (budget.share / 2 / ROOM[0]).max(2);
    if runs.len() > most {
        // so many cannot be read at once: first some, then what they became
        let mut file = RunFile::new(&budget.folder)?;
        let fewer = runs.chunks(most).map(|some| {
            let mut run = file.begin(monitor);
            merge_words(some, budget, monitor, |word| run.push(word))?;
            run.finish()
        });
        let fewer: Vec<Run> = fewer.collect::<Result<_>>()?;
        let fewer: Vec<_> = fewer.into_iter().map(|run| (&file, run)).collect();
        return by_place(&fewer, budget, monitor);
    }
    let file = RunFile::new(&budget.folder)?;
    let mut sorted = ByPlaces { file, runs: Vec::new(), words: 0, bytes: 0 };
    let mut held = Held::default();
    merge_words(runs, budget, monitor, |word| {
        if held.bytes() > budget.share / 4 {
            sorted.put(&mut held, monitor)?;
        }
        held.push(word);
        Ok(())
    })?;
    sorted.put(&mut held, monitor)?;
    Ok(sorted)
}

/// Merges runs sorted by word; calls `visit` once with each word.
fn merge_words(
    runs: &[(&RunFile, Run)],
    budget: &Budget,
    monitor: &Monitor,
    mut visit: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let room = budget.room(runs.len(), 1);
    let readers = runs.iter().map(|&(file, run)| file.read(run, room)).collect();
    let mut word = Vec::new();
    let (mut count, mut first) = (0, u64::MAX);
    merge::<ByWord>(readers, monitor, |record| {
        if record.word != word {
            if count > 0 {
                visit(Record { word: &word, count, first })?;
            }
            word.clear();
            word.extend_from_slice(record.word);
            (count, first) = (0, u64::MAX);
        }
        count += record.count;
        first = first.min(record.first);
        Ok(())
    })?;
    if count > 0 {
        visit(Record { word: &word, count, first })?;
    }
    Ok(())
}

impl ByPlaces {
    fn put(&mut self, held: &mut Held, monitor: &Monitor) -> Result<()> {
        let Held { words, arena } = held;
        if words.is_empty() {
            return Ok(());
        }
        self.words += words.len();
        self.bytes += arena.len();
        words.sort_unstable_by_key(|word| word.first);
        let mut run = self.file.begin(monitor);
        words.iter().try_for_each(|word| run.push(word.record(arena)))?;
        self.runs.push(run.finish()?);
        words.clear();
        arena.clear();
        Ok(())
    }
}

/// Words on the way from one order to the other.
#[derive(Default)]
struct Held {
    words: Vec<Long>,
    arena: Vec<u8>,
}

impl Held {
    fn push(&mut self, record: Record) {
        self.words.push(Long::new(self.arena.len(), record));
        self.arena.extend_from_slice(record.word);
    }

    /// How many bytes they take; what was taken and is free again does not count.
    fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice()) + self.arena.len()
    }
}

impl Budget {
    /// How many bytes of each of so many runs are read at once, for half the share of `threads`.
    fn room(&self, runs: usize, threads: usize) -> usize {
        let all = (self.share / 2).saturating_mul(threads);
        (all / runs.max(1)).clamp(ROOM[0], ROOM[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_by_place_is_about_as_large_as_there_is_room_for() {
        let budget = Budget::new(LEAST, 1).expect("it is enough");
        let monitor = Monitor::silent();
        let mut spilled = budget.file().expect("a file can be made");
        let mut tally = Tally::default();
        for number in 0..100_000_u64 {
            tally.add(format!("a word of more bytes than a key: {number}").as_bytes(), number);
        }
        spilled.put(tally, &monitor).expect("there is room");
        for runs in &spilled.runs {
            let runs: Vec<_> = runs.iter().map(|&run| (&spilled.file, run)).collect();
            let sorted = by_place(&runs, &budget, &monitor).expect("there is room");
            let held = sorted.bytes + sorted.words * size_of::<Long>();
            assert!(sorted.runs.len() > 1 && sorted.runs.len() <= held / (budget.share / 4) + 1);
        }
    }
}
