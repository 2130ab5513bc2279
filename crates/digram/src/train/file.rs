//! A file of text to a counter.

use std::path::Path;

use super::count::Counter;
use super::windows::{Window, Windows, line_place};
use crate::error::Result;
use crate::monitor::Monitor;
use crate::threads;

/// Counts the words of a file of UTF-8 text: whole, or each line (its end included) as a text.
///
/// The file is read in windows, the next one while the words of one are counted. Where nothing
/// tells where a word begins, as in a text to be normalized, it is read into memory. Fails where
/// it is not UTF-8, naming the byte; what came before it is then counted.
pub fn read_file(path: &Path, lines: bool, counter: &mut Counter, monitor: &Monitor) -> Result<()> {
    let mut windows = Windows::open(path)?;
    let cuts = counter.cuts();
    let place = |text: &str| if lines { line_place(text) } else { cuts.place(text) };
    let mut window = windows.read(None, String::new(), place, monitor)?;
    let mut spare = String::new();
    loop {
        if window.is_last {
            return count(&window, lines, counter, monitor);
        }
        let mut read = || windows.read(Some(&window), std::mem::take(&mut spare), place, monitor);
        let threads = counter.threads();
        let mut count = || count(&window, lines, counter, monitor);
        let (next, outcome) = if threads == 1 {
            let outcome = count();
            (read(), outcome)
        } else {
            threads::beside(read, count)
        };
        outcome?;
        spare = std::mem::replace(&mut window, next?).text;
    }
}

fn count(window: &Window, lines: bool, counter: &mut Counter, monitor: &Monitor) -> Result<()> {
    if !lines {
        return counter.add_before(&window.text, window.to, monitor);
    }
    let lines: Vec<&str> = window.text[..window.to].split_inclusive('\n').collect();
    counter.add(&lines, monitor)
}
