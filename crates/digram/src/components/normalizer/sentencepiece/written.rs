//! What is made of a text, alone or with where all of it comes from.
//!
//! As `SentencePiece` counts, each character begins where what it was made of does, and ends where that of the
//! next one begins.

use crate::arch::replace::append_replaced;
use crate::components::aligned::Aligned;
use crate::components::runs::Runs;
use crate::error::Result;
use crate::monitor::Monitor;

/// Changes between two looks at the monitor.
const CHANGES_PER_CHECK: usize = 1 << 16;

/// What is written while a text is gone through.
pub(super) trait Written {
    /// All that is written.
    fn text(&self) -> &str;

    /// Keeps the next characters, but for spaces, for which another character stands.
    fn keep(&mut self, some: &str, space: &str);

    /// Writes something for the next characters.
    fn replace(&mut self, some: &str, by: &str);

    /// Leaves the next characters out.
    fn leave_out(&mut self, some: &str);

    /// Puts a space in.
    fn insert(&mut self, space: &str);

    /// Takes the last space back.
    fn take_back(&mut self, space: &str);
}

impl Written for String {
    fn text(&self) -> &str {
        self
    }

    fn keep(&mut self, some: &str, space: &str) {
        append_replaced(some, b' ', space, usize::MAX, self);
    }

    fn replace(&mut self, _: &str, by: &str) {
        self.push_str(by);
    }

    fn leave_out(&mut self, _: &str) {}

    fn insert(&mut self, space: &str) {
        self.push_str(space);
    }

    fn take_back(&mut self, space: &str) {
        self.truncate(self.len() - space.len());
    }
}

/// A text, and where its characters come from. Once it is to stop, it says so at the end.
pub(super) struct Traced<'a> {
    monitor: &'a Monitor<'a>,
    until_check: usize,
    stopped: Result<()>,
    text: String,
    runs: Runs,
    /// How many characters are written, and how many of the text are passed.
    made: u32,
    passed: u32,
}

impl<'a> Traced<'a> {
    /// Nothing yet, with room for some text.
    pub fn of(text: String, monitor: &'a Monitor) -> Self {
        let (runs, stopped) = (Runs::default(), Ok(()));
        Self { monitor, until_check: CHANGES_PER_CHECK, stopped, text, runs, made: 0, passed: 0 }
    }

    /// The text that was made of another. Fails where it was to stop.
    pub fn aligned(self, from: &Aligned) -> Result<Aligned<'static>> {
        self.stopped?;
        let aligned = Aligned::through(self.text, &self.runs, self.made, from)?;
        Ok(Aligned { splits: true, ..aligned })
    }

    /// Notes that so many characters are written, of which the first comes from a place.
    fn add(&mut self, characters: usize, place: [u32; 2]) {
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHANGES_PER_CHECK;
            self.note(self.monitor.check());
        }
        let added = self.runs.add(self.made, place);
        self.note(added);
        self.made += characters as u32;
    }

    fn note(&mut self, done: Result<()>) {
        if self.stopped.is_ok() {
            self.stopped = done;
        }
    }
}

impl Written for Traced<'_> {
    fn text(&self) -> &str {
        &self.text
    }

    fn keep(&mut self, some: &str, space: &str) {
        if some.is_empty() {
            return;
        }
        self.text.keep(some, space);
        let characters = some.chars().count();
        self.add(characters, [self.passed, self.passed + 1]);
        self.passed += characters as u32;
    }

    fn replace(&mut self, some: &str, by: &str) {
        let Some(before) = by.chars().count().checked_sub(1) else { return self.leave_out(some) };
        self.text.push_str(by);
        let end = self.passed + some.chars().count() as u32;
        if before > 0 {
            self.add(before, [self.passed; 2]);
        }
        self.add(1, [self.passed, end]);
        self.passed = end;
    }

    fn leave_out(&mut self, some: &str) {
        let characters = some.chars().count() as u32;
        self.passed += characters;
        if let Some(last) = self.made.checked_sub(1).filter(|_| characters > 0) {
            let widened = self.runs.widen_last(last, characters);
            self.note(widened);
        }
    }

    fn insert(&mut self, space: &str) {
        self.text.push_str(space);
        self.add(1, [self.passed; 2]);
    }

    fn take_back(&mut self, space: &str) {
        self.text.take_back(space);
        self.made -= 1;
        self.passed = self.runs.of(self.made).map_or(self.passed, |place| place[0]);
        self.runs.cut(self.made);
    }
}
