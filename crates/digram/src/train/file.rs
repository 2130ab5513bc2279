//! A file of text to a counter.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::count::Counter;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Bytes read, or lines handed on, between two looks at the monitor: some 10 ms of work.
const BATCH: usize = 16 << 20;

/// Counts the words of a file of UTF-8 text: whole, or each line (its end included) as a text.
///
/// The file is read into memory. Fails where it is not UTF-8, naming the byte.
pub fn read_file(path: &Path, lines: bool, counter: &mut Counter, monitor: &Monitor) -> Result<()> {
    let text = read(path, monitor)?;
    if !lines {
        return counter.add(&[&text], monitor);
    }
    let mut batch = Vec::new();
    let mut held = 0;
    for line in text.split_inclusive('\n') {
        held += line.len();
        batch.push(line);
        if held >= BATCH {
            counter.add(&std::mem::take(&mut batch), monitor)?;
            held = 0;
        }
    }
    counter.add(&batch, monitor)
}

fn read(path: &Path, monitor: &Monitor) -> Result<String> {
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len() as usize;
    let mut bytes = Vec::new();
    bytes.try_reserve(size).map_err(|_| {
        Error::Limit(format!("{}: {size} bytes do not fit into memory", path.display()))
    })?;
    while (&mut file).take(BATCH as u64).read_to_end(&mut bytes).map_err(failed)? > 0 {
        monitor.check()?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Error::Value(format!(
            "{}: byte {place} is 0x{:02X}, which is not UTF-8; convert the file to UTF-8 first",
            path.display(),
            error.as_bytes()[place],
        ))
    })
}
