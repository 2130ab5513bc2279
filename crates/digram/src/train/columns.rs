//! Texts in columns, as Arrow lays them out: their bytes one behind the other, the places where
//! each begins, and a bit for each that tells whether there is one.
//!
//! The memory is somebody else's, who may change it at any time. So some megabytes are copied at a
//! time, which takes a hundredth of the time that counting takes; the copy is what is checked and
//! counted.

use std::ops::Range;
use std::str;

use super::count::Counter;
use super::part::Part;
use super::windows::WINDOW;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Rows that are looked at together at most.
const ROWS: usize = 1 << 16;

/// Memory that others hold.
pub trait Memory {
    /// How many bytes it has; others do not change that.
    fn size(&self) -> usize;
    /// Puts the bytes of a range that is inside behind those of `room`.
    fn copy(&self, range: Range<usize>, room: &mut Vec<u8>) -> Result<()>;
}

/// A column of texts. What is missing is empty; without `validity` there is a text in each row.
pub struct Column<M> {
    /// A bit for each row.
    pub validity: Option<M>,
    /// A place in `data` for each row, and one behind the last.
    pub offsets: Option<M>,
    /// All texts.
    pub data: Option<M>,
    /// Whether a place has 8 bytes, and not 4.
    pub is_large: bool,
    /// Rows of the buffers before the column's first.
    pub skipped: usize,
    /// How many rows there are.
    pub rows: usize,
}

/// A row without a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadRow {
    /// The column among those given.
    pub column: usize,
    /// The row in it.
    pub row: usize,
    /// Where it has a byte that is no UTF-8, and that byte; nothing where there is no value.
    pub byte: Option<(usize, u8)>,
}

impl Counter {
    /// Counts the words of all texts of `columns` that are in `part`; tells which rows have none,
    /// in their order and as far as they were read.
    ///
    /// Fails where offsets go down or beyond the data.
    pub fn add_columns<M: Memory>(
        &mut self,
        columns: &[Column<M>],
        part: &mut Part,
        monitor: &Monitor,
    ) -> Result<Vec<BadRow>> {
        let (mut window, mut bad) = (Window::default(), Vec::new());
        for (number, column) in columns.iter().enumerate() {
            let mut row = 0;
            while row < column.rows && !part.is_full() {
                row += window.take(column, number, row)?;
                if window.is_full() {
                    self.add(&window.texts(part, &mut bad), monitor)?;
                    window.clear();
                }
            }
        }
        self.add(&window.texts(part, &mut bad), monitor)?;
        Ok(bad)
    }
}

/// Rows that are counted together.
#[derive(Default)]
struct Window {
    bytes: Vec<u8>,
    parts: Vec<Neighbours>,
    rows: usize,
}

/// Neighbours in a column.
struct Neighbours {
    column: usize,
    row: usize,
    /// Where each row begins in the window, and the last ends.
    borders: Vec<usize>,
    /// The bits of their rows, and which of them is the first row's.
    validity: Option<(Vec<u8>, usize)>,
}

impl Window {
    fn is_full(&self) -> bool {
        self.bytes.len() >= WINDOW || self.rows >= ROWS
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.parts.clear();
        self.rows = 0;
    }

    /// Copies rows of a column from `row` on, as many as there is room for; tells how many.
    fn take<M: Memory>(&mut self, column: &Column<M>, number: usize, row: usize) -> Result<usize> {
        let mut borders = column.borders(row..column.rows.min(row + ROWS))?;
        let first = borders[0];
        let most = first + WINDOW.saturating_sub(self.bytes.len());
        let rows = borders[1..].partition_point(|&end| end <= most).max(1);
        borders.truncate(rows + 1);
        let (start, length) = (self.bytes.len(), borders[rows] - first);
        self.bytes.try_reserve(length).map_err(|_| {
            Error::Limit(format!("row {}: {length} bytes do not fit into memory", row + 1))
        })?;
        if let Some(data) = &column.data {
            data.copy(first..first + length, &mut self.bytes)?;
        }
        for border in &mut borders {
            *border = *border - first + start;
        }
        let validity = column.validity(row..row + rows)?;
        self.parts.push(Neighbours { column: number, row, borders, validity });
        self.rows += rows;
        Ok(rows)
    }

    /// The texts that are wanted of all rows that have one; the others go to `bad`.
    fn texts(&self, wanted: &mut Part, bad: &mut Vec<BadRow>) -> Vec<&str> {
        // all at once where all is well, which is faster than one by one
        let whole = str::from_utf8(&self.bytes).ok();
        let mut texts = Vec::with_capacity(self.rows);
        for part in &self.parts {
            for (nth, border) in part.borders.windows(2).enumerate() {
                if wanted.is_full() {
                    return texts;
                }
                let range = border[0]..border[1];
                let text = if part.is_null(nth) {
                    Err(None)
                } else if let Some(text) = whole.and_then(|whole| whole.get(range.clone())) {
                    Ok(text)
                } else {
                    utf8(&self.bytes[range]).map_err(Some)
                };
                match text {
                    Ok(text) => texts.extend(wanted.keep(text)),
                    Err(byte) => {
                        bad.push(BadRow { column: part.column, row: part.row + nth, byte });
                    }
                }
            }
        }
        texts
    }
}

impl Neighbours {
    fn is_null(&self, nth: usize) -> bool {
        self.validity.as_ref().is_some_and(|(bits, first)| {
            let bit = first + nth;
            bits[bit / 8] >> (bit % 8) & 1 == 0
        })
    }
}

impl<M: Memory> Column<M> {
    /// Where rows begin in the data, and the last one ends.
    fn borders(&self, rows: Range<usize>) -> Result<Vec<usize>> {
        let width = if self.is_large { 8 } else { 4 };
        let places = self.inside(&rows, 1, |row| row.checked_mul(width));
        let mut bytes = Vec::new();
        copy(self.offsets.as_ref(), places, &mut bytes, "offsets")?;
        let most = self.data.as_ref().map_or(0, Memory::size);
        let mut borders = Vec::with_capacity(rows.len() + 1);
        for place in bytes.chunks_exact(width) {
            let border = if let Ok(place) = place.try_into() {
                i64::from(i32::from_ne_bytes(place))
            } else {
                i64::from_ne_bytes(place.try_into().expect("it has 4 bytes or 8"))
            };
            let last = borders.last().copied().unwrap_or(0);
            match usize::try_from(border) {
                Ok(border) if (last..=most).contains(&border) => borders.push(border),
                _ => {
                    return Err(misplaced((rows.start + borders.len()).max(1), border, last, most));
                }
            }
        }
        Ok(borders)
    }

    /// The bits of rows, and which of them is the first row's.
    fn validity(&self, rows: Range<usize>) -> Result<Option<(Vec<u8>, usize)>> {
        let Some(validity) = &self.validity else { return Ok(None) };
        let bits = self.inside(&rows, 0, Some);
        let bytes = bits.clone().map(|bits| bits.start / 8..bits.end.div_ceil(8));
        let mut copied = Vec::new();
        copy(Some(validity), bytes, &mut copied, "validity")?;
        Ok(bits.map(|bits| (copied, bits.start % 8)))
    }

    /// What `place` makes of the first of `rows` in the buffers, and of `behind` the last.
    fn inside(
        &self,
        rows: &Range<usize>,
        behind: usize,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Option<Range<usize>> {
        let start = place(self.skipped.checked_add(rows.start)?)?;
        let end = place(self.skipped.checked_add(rows.end)?.checked_add(behind)?)?;
        Some(start..end)
    }
}

/// Copies a range of `what`, if it is inside.
fn copy<M: Memory>(
    memory: Option<&M>,
    range: Option<Range<usize>>,
    room: &mut Vec<u8>,
    what: &str,
) -> Result<()> {
    let inside = |(memory, range): &(&M, Range<usize>)| range.end <= memory.size();
    match memory.zip(range).filter(inside) {
        Some((memory, range)) => memory.copy(range, room),
        None => Err(cut_off(what)),
    }
}

/// The text that bytes are, or where there is one that is no UTF-8.
pub fn utf8(bytes: &[u8]) -> std::result::Result<&str, (usize, u8)> {
    str::from_utf8(bytes).map_err(|error| {
        let place = error.valid_up_to();
        (place, bytes[place])
    })
}

fn cut_off(what: &str) -> Error {
    Error::Value(format!("the column is damaged: its {what} end too early; make it again"))
}

fn misplaced(row: usize, place: i64, last: usize, most: usize) -> Error {
    Error::Value(format!(
        "the column is damaged: an offset of row {row} is {place}, and it must be from {last} to \
         {most}; make the column again (pyarrow's validate() tells such columns)"
    ))
}

#[cfg(test)]
#[path = "columns_tests.rs"]
mod tests;
