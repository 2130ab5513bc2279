//! Runs: sorted words and their counts, in a file without a name.
//!
//! The file has no name from the start, so that nothing of it is left however the program ends.
//! One thread writes runs, one behind the other; then any thread reads any of them. A record is
//! the word's length, its count, and where it was first seen, 8 bytes each, and the word.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Bytes written at once.
const WRITTEN: usize = 1 << 17;
/// Bytes of a record before its word.
const HEADER: usize = 24;
/// Records between two looks at the monitor: below a millisecond.
const RECORDS_PER_CHECK: usize = 1 << 12;

/// A word, how often it was seen, and where first.
#[derive(Clone, Copy)]
pub(super) struct Record<'a> {
    pub word: &'a [u8],
    pub count: u64,
    pub first: u64,
}

/// A file of runs.
pub(super) struct RunFile {
    file: File,
    folder: PathBuf,
    end: u64,
}

/// Where a run lies in its file.
#[derive(Clone, Copy)]
pub(super) struct Run {
    start: u64,
    end: u64,
}

impl RunFile {
    /// A file in `folder`, empty.
    pub fn new(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|source| failed(folder, source))?;
        Ok(Self { file, folder: folder.to_owned(), end: 0 })
    }

    /// Begins a run behind the others.
    pub fn begin<'a>(&'a mut self, monitor: &'a Monitor<'a>) -> Writer<'a> {
        let file = BufWriter::with_capacity(WRITTEN, &self.file);
        let start = self.end;
        Writer { file, folder: &self.folder, start, end: &mut self.end, records: 0, monitor }
    }

    /// Reads a run, `room` bytes at once.
    pub fn read(&self, run: Run, room: usize) -> Reader<'_> {
        let (at, end) = (run.start, run.end);
        Reader { runs: self, at, end, room, buffer: Vec::new(), word: 0..0, count: 0, first: 0 }
    }

    /// How many bytes all runs have.
    pub fn bytes(&self) -> u64 {
        self.end
    }
}

/// A run being written.
pub(super) struct Writer<'a> {
    file: BufWriter<&'a File>,
    folder: &'a Path,
    start: u64,
    end: &'a mut u64,
    records: usize,
    monitor: &'a Monitor<'a>,
}

impl Writer<'_> {
    /// Writes a record behind the others.
    pub fn push(&mut self, record: Record) -> Result<()> {
        if self.records.is_multiple_of(RECORDS_PER_CHECK) {
            self.monitor.check()?;
        }
        self.records += 1;
        *self.end += (HEADER + record.word.len()) as u64;
        record.write(&mut self.file).map_err(|source| failed(self.folder, source))
    }

    /// Ends the run.
    pub fn finish(mut self) -> Result<Run> {
        self.file.flush().map_err(|source| failed(self.folder, source))?;
        Ok(Run { start: self.start, end: *self.end })
    }
}

impl Record<'_> {
    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        let mut header = [0; HEADER];
        let numbers = [self.word.len() as u64, self.count, self.first];
        for (bytes, number) in header.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        file.write_all(&header)?;
        file.write_all(self.word)
    }
}

fn failed(folder: &Path, source: io::Error) -> Error {
    Error::Spill { folder: folder.to_owned(), source }
}

/// A run being read: at one of its records, after the first [`advance`](Self::advance).
pub(super) struct Reader<'a> {
    runs: &'a RunFile,
    at: u64,
    end: u64,
    room: usize,
    buffer: Vec<u8>,
    word: std::ops::Range<usize>,
    count: u64,
    first: u64,
}

impl Reader<'_> {
    /// The record that it is at.
    pub fn record(&self) -> Record<'_> {
        Record { word: &self.buffer[self.word.clone()], count: self.count, first: self.first }
    }

    /// Goes to the next record; says whether there is one.
    fn advance(&mut self) -> Result<bool> {
        let mut start = self.word.end;
        if start == self.buffer.len() && self.at == self.end {
            return Ok(false);
        }
        start = self.fill(start, HEADER)?;
        let mut numbers = self.buffer[start..start + HEADER]
            .chunks_exact(8)
            .map(|bytes| u64::from_le_bytes(bytes.try_into().expect("it is 8 bytes long")));
        let mut number = || numbers.next().expect("there are three");
        let length = number() as usize;
        (self.count, self.first) = (number(), number());
        self.word = start + HEADER..start + HEADER;
        let start = self.fill(start + HEADER, length)?;
        self.word = start..start + length;
        Ok(true)
    }

    /// Makes `wanted` bytes from `start` lie in the buffer; returns where they begin.
    fn fill(&mut self, start: usize, wanted: usize) -> Result<usize> {
        let held = self.buffer.len() - start;
        if held >= wanted {
            return Ok(start);
        }
        self.buffer.copy_within(start.., 0);
        let more = ((wanted.max(self.room) - held) as u64).min(self.end - self.at) as usize;
        if held + more < wanted {
            return Err(failed(&self.runs.folder, ErrorKind::UnexpectedEof.into()));
        }
        self.buffer.resize(held + more, 0);
        read_at(&self.runs.file, &mut self.buffer[held..], self.at)
            .map_err(|source| failed(&self.runs.folder, source))?;
        self.at += more as u64;
        Ok(0)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, place) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                place += read as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// How runs are sorted.
pub(super) trait Order {
    /// Which of two records comes first.
    fn compare(one: Record, other: Record) -> Ordering;
}

/// By the bytes of words.
pub(super) struct ByWord;
/// By where words were first seen.
pub(super) struct ByPlace;

impl Order for ByWord {
    fn compare(one: Record, other: Record) -> Ordering {
        one.word.cmp(other.word)
    }
}

impl Order for ByPlace {
    fn compare(one: Record, other: Record) -> Ordering {
        one.first.cmp(&other.first)
    }
}

/// A run among others that are merged.
struct Head<'a, O> {
    reader: Reader<'a>,
    order: std::marker::PhantomData<O>,
}

impl<O: Order> Ord for Head<'_, O> {
    fn cmp(&self, other: &Self) -> Ordering {
        O::compare(self.reader.record(), other.reader.record())
    }
}

impl<O: Order> PartialOrd for Head<'_, O> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<O: Order> PartialEq for Head<'_, O> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<O: Order> Eq for Head<'_, O> {}

/// Calls `visit` with the records of all runs, which are sorted so, in that order.
pub(super) fn merge<O: Order>(
    readers: Vec<Reader>,
    monitor: &Monitor,
    mut visit: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    let mut heads = BinaryHeap::with_capacity(readers.len());
    for mut reader in readers {
        if reader.advance()? {
            heads.push(Reverse(Head::<O> { reader, order: std::marker::PhantomData }));
        }
    }
    let mut visited = 0_usize;
    while let Some(mut head) = heads.peek_mut() {
        if visited.is_multiple_of(RECORDS_PER_CHECK) {
            monitor.check()?;
        }
        visited += 1;
        visit(head.0.reader.record())?;
        if !head.0.reader.advance()? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}
