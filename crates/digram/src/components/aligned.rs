//! A text that was made of another, and where in that all of it comes from.
//!
//! What replaces a character stands where that stood. What is put in stands where the character before
//! it does, and before the first one nowhere: as Hugging Face counts.

use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
use crate::vocabulary::is_inner;

/// Where something comes from: its start and its end, in code points of the text at first.
pub(crate) type Place = [u32; 2];

/// Changes between two looks at the monitor.
const CHANGES_PER_CHECK: usize = 1 << 16;

/// A text, and where each of its bytes comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aligned {
    /// The text.
    pub text: String,
    /// By byte.
    pub places: Vec<Place>,
    /// Where the text that it was made of begins.
    pub start: u32,
}

impl Aligned {
    /// A text as it is, which begins at a code point of the whole.
    pub fn of(text: &str, start: u32) -> Result<Self> {
        memory::expect(text.len())?;
        let mut places = memory::list(text.len())?;
        let mut place = start.wrapping_sub(1);
        places.extend(text.bytes().map(|byte| {
            place = place.wrapping_add(u32::from(!is_inner(byte)));
            [place, place.wrapping_add(1)]
        }));
        Ok(Self { text: text.to_owned(), places, start })
    }

    /// Where a stretch comes from.
    pub fn place(&self, start: usize, end: usize) -> Place {
        place(&self.places, start, end).unwrap_or([self.start; 2])
    }
}

/// Where a stretch of bytes comes from; of none, where it stands between others, if there are any.
pub(crate) fn place(places: &[Place], start: usize, end: usize) -> Option<Place> {
    if start < end {
        return Some([places[start][0], places[end - 1][1]]);
    }
    let before = start.checked_sub(1).map(|last| places[last][1]);
    let border = before.or_else(|| places.first().map(|first| first[0]));
    border.map(|border| [border; 2])
}

/// Changes a text from its beginning to its end.
///
/// Once it is to stop, it does nothing more, and says so at the end.
pub(crate) struct Editor<'a> {
    from: &'a Aligned,
    monitor: &'a Monitor<'a>,
    /// So many changes until it asks whether to stop, and what it was told.
    until_check: usize,
    stopped: Result<()>,
    /// So many bytes are passed.
    passed: usize,
    to: Aligned,
}

impl<'a> Editor<'a> {
    /// Begins to change a text.
    pub fn of(from: &'a Aligned, monitor: &'a Monitor) -> Result<Self> {
        let length = from.text.len();
        memory::expect(2 * length)?;
        let to = Aligned {
            text: String::with_capacity(length),
            places: memory::list(length + length / 2)?,
            start: from.start,
        };
        monitor.check()?;
        Ok(Self { from, monitor, until_check: CHANGES_PER_CHECK, stopped: Ok(()), passed: 0, to })
    }

    /// Keeps all up to a byte.
    pub fn keep(&mut self, end: usize) {
        if self.is_stopped() {
            return;
        }
        self.to.text.push_str(&self.from.text[self.passed..end]);
        self.to.places.extend_from_slice(&self.from.places[self.passed..end]);
        self.passed = end;
    }

    /// Leaves out all up to a byte.
    pub fn leave_out(&mut self, end: usize) {
        self.passed = end;
    }

    /// Lets a character stand instead of the next one.
    pub fn replace(&mut self, character: char) {
        let place = self.from.places.get(self.passed).or(self.from.places.last()).copied();
        self.put(character, place.unwrap_or([self.from.start; 2]));
        self.pass(1);
    }

    /// Puts a character in behind what is passed.
    pub fn insert(&mut self, character: char) {
        let before = self.passed.checked_sub(1).map(|last| self.from.places[last]);
        self.put(character, before.unwrap_or([self.from.start; 2]));
    }

    /// Puts a character in if `change` is positive; else it stands instead of the next one, and as many more
    /// as it is negative are left out.
    pub fn change(&mut self, character: char, change: isize) {
        if change > 0 {
            return self.insert(character);
        }
        self.replace(character);
        self.pass(change.unsigned_abs());
    }

    /// Writes a character, and where it comes from.
    pub fn put(&mut self, character: char, place: Place) {
        if self.is_stopped() {
            return;
        }
        self.to.text.push(character);
        self.to.places.extend(std::iter::repeat_n(place, character.len_utf8()));
    }

    /// What the text has become, without what was not passed. Fails where it was to stop.
    pub fn done(self) -> Result<Aligned> {
        self.stopped?;
        Ok(self.to)
    }

    /// Asks now and then whether to stop.
    fn is_stopped(&mut self) -> bool {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHANGES_PER_CHECK;
            if self.stopped.is_ok() {
                self.stopped = self.monitor.check();
            }
        }
        self.stopped.is_err()
    }

    /// Passes some characters.
    fn pass(&mut self, characters: usize) {
        let rest = self.from.text[self.passed..].chars();
        self.passed += rest.take(characters).map(char::len_utf8).sum::<usize>();
    }
}
