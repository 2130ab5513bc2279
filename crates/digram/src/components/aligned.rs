//! A text that was made of another, and where in that all of it comes from.
//!
//! What replaces a character stands where that stood. What is put in stands where the character before
//! it does, and before the first one nowhere: as Hugging Face counts. Most characters of most texts are kept,
//! and come one after the other: so runs of them are told ([`Runs`]), and not each.

use std::borrow::Cow;

use super::runs::{Place, Runs};
use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;

/// Changes between two looks at the monitor.
const CHANGES_PER_CHECK: usize = 1 << 16;

/// Stands for what comes from nowhere.
const NOWHERE: Place = [u32::MAX; 2];

/// A text, and where all of it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aligned<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// By character.
    pub runs: Runs,
    /// Where the text that it was made of begins.
    pub start: u32,
    /// Whether bytes of a character but the last come from where that begins, and not from all of it.
    pub splits: bool,
}

impl<'a> Aligned<'a> {
    /// A text as it is, which begins at a code point of the whole.
    pub fn of(text: &'a str, start: u32) -> Result<Self> {
        let mut runs = Runs::default();
        if !text.is_empty() {
            runs.add(0, [start, start + 1])?;
        }
        Ok(Self { text: Cow::Borrowed(text), runs, start, splits: false })
    }

    /// The text that one has become by replacing characters one by one.
    pub fn becomes(self, text: String) -> Self {
        Self { text: Cow::Owned(text), ..self }
    }

    /// The text that one has become by putting some characters before it, which come from where its first one
    /// does, and replacing others one by one.
    pub fn becomes_behind(self, characters: u32, text: String) -> Result<Self> {
        let Some(first) = self.runs.of(0) else { return Ok(self) };
        let mut runs = Runs::default();
        (0..characters).try_for_each(|at| runs.add(at, first))?;
        runs.add_all(&self.runs, characters, [0, u32::MAX - characters])?;
        Ok(Self { text: Cow::Owned(text), runs, ..self })
    }

    /// Where the text begins, if there is any.
    pub fn begins(&self) -> Option<u32> {
        self.runs.of(0).map(|place| place[0])
    }

    /// The text, of whose characters it is told where they come from in one of which that is known itself.
    pub fn through(text: String, runs: &Runs, characters: u32, from: &Aligned) -> Result<Self> {
        let (mut through, mut known) = (Runs::default(), None);
        for (run, next) in runs.each(characters) {
            let [start, end] = run.from;
            if run.from == NOWHERE {
                through.add(run.at, [from.start; 2])?;
            } else if run.is_moving() {
                through.add_all(&from.runs, run.at, [start, start + (next - run.at)])?;
            } else {
                let count = || from.text.chars().count() as u32;
                let of = |character| from.runs.of(character).unwrap_or([from.start; 2]);
                let place = if start < end {
                    [of(start)[0], of(end - 1)[1]]
                } else if start > 0 && start == *known.get_or_insert_with(count) {
                    [of(start - 1)[1]; 2]
                } else {
                    [of(start)[0]; 2]
                };
                (run.at..next).try_for_each(|at| through.add(at, place))?;
            }
        }
        let (text, start, splits) = (Cow::Owned(text), from.start, from.splits);
        Ok(Aligned { text, runs: through, start, splits })
    }

    /// Where each byte comes from.
    pub fn places(&self, monitor: &Monitor) -> Result<Vec<Place>> {
        let mut places: Vec<Place> = memory::list(self.text.len())?;
        let (mut characters, mut next_check) = (self.text.chars(), CHANGES_PER_CHECK);
        for (run, end) in self.runs.each(u32::MAX) {
            for (at, character) in (run.at..end).zip(characters.by_ref()) {
                let (place, mut own) = (run.of(at), character.len_utf8());
                if self.splits {
                    places.extend(std::iter::repeat_n([place[0]; 2], own - 1));
                    own = 1;
                }
                places.extend(std::iter::repeat_n(place, own));
                if places.len() >= next_check {
                    next_check = places.len() + CHANGES_PER_CHECK;
                    monitor.check()?;
                }
            }
        }
        Ok(places)
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
    from: &'a Aligned<'a>,
    monitor: &'a Monitor<'a>,
    /// So many changes until it asks whether to stop, and what it was told.
    until_check: usize,
    stopped: Result<()>,
    /// So many bytes are passed.
    passed: usize,
    /// And so many characters.
    characters: u32,
    text: String,
    /// Where the characters of that come from in the text that is changed.
    runs: Runs,
    /// How many they are.
    made: u32,
}

impl<'a> Editor<'a> {
    /// Begins to change a text.
    pub fn of(from: &'a Aligned, monitor: &'a Monitor) -> Result<Self> {
        memory::expect(2 * from.text.len())?;
        monitor.check()?;
        Ok(Self {
            from,
            monitor,
            until_check: CHANGES_PER_CHECK,
            stopped: Ok(()),
            passed: 0,
            characters: 0,
            text: String::with_capacity(from.text.len()),
            runs: Runs::default(),
            made: 0,
        })
    }

    /// Keeps all up to a byte.
    pub fn keep(&mut self, end: usize) {
        let kept = &self.from.text[self.passed..end];
        if kept.is_empty() || self.is_stopped() {
            return;
        }
        self.text.push_str(kept);
        self.add([self.characters, self.characters + 1]);
        let characters = kept.chars().count() as u32;
        self.made += characters;
        (self.passed, self.characters) = (end, self.characters + characters);
    }

    /// Leaves out all up to a byte.
    pub fn leave_out(&mut self, end: usize) {
        self.characters += self.from.text[self.passed..end].chars().count() as u32;
        self.passed = end;
    }

    /// Lets a character stand instead of the next one.
    pub fn replace(&mut self, character: char) {
        if self.passed == self.from.text.len() {
            return self.insert(character);
        }
        self.put(character, [self.characters, self.characters + 1]);
        self.pass(1);
    }

    /// Puts a character in behind what is passed.
    pub fn insert(&mut self, character: char) {
        let before = self.characters.checked_sub(1).map(|last| [last, self.characters]);
        self.put(character, before.unwrap_or(NOWHERE));
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

    /// Lets other characters stand instead of all up to a byte, each for all of it.
    pub fn replace_all(&mut self, end: usize, by: &str) {
        let characters = self.from.text[self.passed..end].chars().count() as u32;
        let place = [self.characters, self.characters + characters];
        by.chars().for_each(|character| self.put(character, place));
        self.leave_out(end);
    }

    /// What the text has become, without what was not passed. Fails where it was to stop.
    pub fn done(self) -> Result<Aligned<'static>> {
        self.stopped?;
        Aligned::through(self.text, &self.runs, self.made, self.from)
    }

    /// Writes a character, and where it comes from.
    fn put(&mut self, character: char, place: Place) {
        if self.is_stopped() {
            return;
        }
        self.text.push(character);
        self.add(place);
        self.made += 1;
    }

    /// Tells where the next character comes from.
    fn add(&mut self, place: Place) {
        if let Err(error) = self.runs.add(self.made, place) {
            self.stopped = Err(error);
        }
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
        let mut rest = self.from.text[self.passed..].chars();
        let passed = rest.by_ref().take(characters).count();
        self.characters += passed as u32;
        self.passed = self.from.text.len() - rest.as_str().len();
    }
}
