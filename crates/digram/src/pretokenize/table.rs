//! A pattern as a table: one look-up for each character.
//!
//! The pattern is made one over atoms (`atoms`), and its automaton is built whole: it has some
//! dozen states. A row of the table is a state, a column an atom. An entry tells the next state,
//! whether a match ends before the character that was read, and whether there is more to read.
//!
//! Most words end where the next character cannot go on with them. Then the entry that says so
//! may as well lead to where that character leads from the start: one pass over the text finds
//! word after word, without a branch on where each ends. Where a word ended before, it is read
//! again by itself.

use hashbrown::HashMap;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, Input};
use regex_syntax::hir::Hir;

use super::atoms::{Atoms, over_atoms};

/// The most that an automaton may take while it is built, and the table then.
const BYTES: usize = 1 << 20;
/// A match ends before the character that leads here.
const MATCH: u32 = 1 << 31;
/// It is one of the second pattern.
const SECOND: u32 = 1 << 30;
/// Nothing that follows makes a match longer.
const STOP: u32 = 1 << 29;
/// In the entries for many words: one ends before the character that leads here.
const BORDER: u32 = 1 << 31;
/// There too: a word ended before that, or none begins here.
const ASIDE: u32 = 1 << 30;
/// Where the next state's row begins.
const ROW: u32 = STOP - 1;

/// One pattern or two in order of preference, which match no empty text.
pub(super) struct Table {
    atoms: Atoms,
    /// An entry for each state and atom.
    entries: Vec<u32>,
    /// The same, for many words in one pass.
    passing: Vec<u32>,
    /// The flags of each state's entry for the end of the text.
    at_end: Vec<u32>,
    /// How many bits a column has.
    shift: u32,
    /// Which bytes begin a match, or a character that may.
    begins: [bool; 256],
}

/// A match: where it ends, and whether it is one of the second pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub end: usize,
    pub is_second: bool,
}

/// What a character leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To this row: a match may end there, or later.
    On(usize),
    /// Nowhere, and a match ended before it, perhaps one of the second pattern.
    Ended { is_second: bool },
    /// Nowhere, and no match ended just before it.
    Failed,
}

impl Table {
    /// The table of some patterns; `None` where they have no small one.
    pub fn of(patterns: &[&str]) -> Option<Self> {
        let parse = |pattern: &&str| regex_syntax::parse(pattern).ok();
        Self::of_parsed(&patterns.iter().map(parse).collect::<Option<Vec<_>>>()?)
    }

    /// The table of some patterns that are parsed; `None` where they have no small one.
    pub fn of_parsed(patterns: &[Hir]) -> Option<Self> {
        let is_empty = |pattern: &Hir| pattern.properties().minimum_len() == Some(0);
        if patterns.len() > 2 || patterns.iter().any(is_empty) {
            return None;
        }
        let (atoms, patterns) = over_atoms(patterns)?;
        let states = thompson::Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(BYTES));
        let states =
            thompson::Compiler::new().configure(states).build_many_from_hir(&patterns).ok()?;
        let automaton = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .accelerate(false)
            .dfa_size_limit(Some(BYTES))
            .determinize_size_limit(Some(BYTES));
        let automaton = dense::Builder::new().configure(automaton).build_from_nfa(&states).ok()?;
        Self::flat(atoms, &automaton)
    }

    /// The automaton's states in the order in which they are met.
    fn flat(atoms: Atoms, automaton: &dense::DFA<Vec<u32>>) -> Option<Self> {
        let columns = atoms.count();
        let shift = columns.next_power_of_two().trailing_zeros();
        let start = Input::new("").anchored(Anchored::Yes);
        let mut states = vec![automaton.start_state_forward(&start).ok()?];
        let mut known: HashMap<StateID, u32> = HashMap::from([(states[0], 0)]);
        let (mut entries, mut at_end) = (Vec::new(), Vec::new());
        while let Some(&state) = states.get(at_end.len()) {
            for atom in 0..columns {
                let next = automaton.next_state(state, atom as u8);
                let entry = known.entry(next).or_insert_with(|| {
                    let flags = flags(automaton, next, columns);
                    if flags & STOP != 0 {
                        return flags;
                    }
                    states.push(next);
                    flags | ((states.len() - 1) << shift) as u32
                });
                entries.push(*entry);
            }
            at_end.push(flags(automaton, automaton.next_eoi_state(state), columns));
            entries.resize(at_end.len() << shift, STOP);
            if (states.len() << shift) * size_of::<u32>() > BYTES {
                return None;
            }
        }
        let is_begun = |atom: u8| entries[usize::from(atom)] != STOP;
        let mut begins = atoms.ascii().map(is_begun);
        begins[128..].fill(true);
        let passing = entries.iter().zip((0..columns_of(shift)).cycle());
        let passing = passing.map(|(&entry, atom)| passing_on(entry, entries[atom])).collect();
        Some(Self { atoms, entries, passing, at_end, shift, begins })
    }

    /// Where a character leads to from a row: the first one is where a match begins.
    pub fn step(&self, row: usize, atom: u8) -> Step {
        let entry = self.entries[row + usize::from(atom)];
        match (entry & STOP != 0, entry & MATCH != 0) {
            (false, _) => Step::On((entry & ROW) as usize),
            (true, true) => Step::Ended { is_second: entry & SECOND != 0 },
            (true, false) => Step::Failed,
        }
    }

    /// Whether a match ends where the text does, in a row.
    pub fn ends(&self, row: usize) -> bool {
        self.at_end[row >> self.shift] & MATCH != 0
    }

    /// The atoms of characters.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Writes where words end that follow each other from `position` on, and returns how many: up
    /// to the end of the text, or while there is room, or to one that is to be found by itself.
    pub fn pass(&self, bytes: &[u8], position: usize, ends: &mut [u32]) -> usize {
        let (mut row, mut at, mut count) = (0_usize, position, 0_usize);
        while at < bytes.len() {
            let (atom, behind) = self.atoms.next(bytes, at);
            // (no sum here is ever as large as to wrap)
            let entry = self.passing[row.wrapping_add(usize::from(atom))];
            let Some(end) = ends.get_mut(count).filter(|_| entry & ASIDE == 0) else {
                return count;
            };
            *end = at as u32;
            count = count.wrapping_add((entry / BORDER) as usize);
            row = (entry & ROW) as usize;
            at = behind;
        }
        match ends.get_mut(count).filter(|_| self.at_end[row >> self.shift] & MATCH != 0) {
            Some(end) => {
                *end = at as u32;
                count + 1
            }
            None => count,
        }
    }

    /// Whether a word ends between two characters whatever stands around, and the words before
    /// are those of a text that ends there: each match that the first is in ends the same way
    /// before the second and at the end, and one begins with the second.
    pub fn parts(&self, before: u8, behind: u8) -> bool {
        let ends = |row: usize| {
            let (entry, last) =
                (self.entries[row + usize::from(behind)], self.at_end[row >> self.shift]);
            entry & STOP != 0 && (entry | last) & SECOND == 0 && (entry ^ last) & MATCH == 0
        };
        let first = self.entries[usize::from(behind)];
        let begun = (first & ROW) as usize;
        let all_end = || self.after(before).all(ends);
        let row = || &self.entries[begun..][..self.atoms.count()];
        let is_match =
            || row().iter().chain([&self.at_end[begun >> self.shift]]).all(|e| e & MATCH != 0);
        first & STOP == 0 && all_end() && is_match()
    }

    /// Whether no match has a character in it.
    pub fn leaves_out(&self, atom: u8) -> bool {
        self.after(atom).next().is_none()
    }

    /// The rows that a character leads to.
    fn after(&self, atom: u8) -> impl Iterator<Item = usize> {
        let entries = self.entries.iter().skip(usize::from(atom)).step_by(1 << self.shift);
        entries.filter(|&entry| entry & STOP == 0).map(|&entry| (entry & ROW) as usize)
    }

    /// The atom of a character.
    pub fn atom(&self, character: char) -> u8 {
        self.atoms.next(character.encode_utf8(&mut [0; 4]).as_bytes(), 0).0
    }

    /// The longest match that is preferred from `position` on, in a text that ends where `bytes`
    /// do.
    #[inline]
    pub fn run(&self, bytes: &[u8], position: usize) -> Option<Match> {
        let (mut row, mut at, mut end, mut found) = (0, position, 0, 0);
        while at < bytes.len() {
            let (atom, behind) = self.atoms.next(bytes, at);
            let entry = self.entries[row + usize::from(atom)];
            // whether a match ends here is hard to foretell: no branch
            let matched = i64::from(entry.cast_signed() >> 31).cast_unsigned();
            let (here, flags) = (matched as usize, matched as u32);
            end = at & here | end & !here;
            found = entry & flags | found & !flags;
            if entry & STOP != 0 {
                return found_at(end, found);
            }
            row = (entry & ROW) as usize;
            at = behind;
        }
        let entry = self.at_end[row >> self.shift];
        if entry & MATCH != 0 {
            (end, found) = (at, entry);
        }
        found_at(end, found)
    }

    /// The first place from `position` on where a match may begin; the end where there is none.
    #[inline]
    pub fn candidate(&self, bytes: &[u8], position: usize) -> usize {
        let mut at = position;
        while at < bytes.len() {
            if !self.begins[usize::from(bytes[at])] {
                at += 1;
                continue;
            }
            if bytes[at] < 0x80 {
                break;
            }
            let (atom, behind) = self.atoms.next(bytes, at);
            if self.entries[usize::from(atom)] != STOP {
                break;
            }
            at = behind;
        }
        at
    }
}

/// How many columns a row has.
fn columns_of(shift: u32) -> usize {
    1 << shift
}

/// The entry for many words, where the character that leads to `entry` leads to `first` from the
/// start.
fn passing_on(entry: u32, first: u32) -> u32 {
    if entry & STOP == 0 {
        return entry & ROW;
    }
    // a second pattern may give back a part of its match
    let ends = entry & (MATCH | SECOND) == MATCH;
    if ends && first & STOP == 0 { BORDER | first & ROW } else { ASIDE }
}

#[inline]
fn found_at(end: usize, found: u32) -> Option<Match> {
    (found != 0).then_some(Match { end, is_second: found & SECOND != 0 })
}

/// What it means that a state is reached.
fn flags(automaton: &dense::DFA<Vec<u32>>, state: StateID, columns: usize) -> u32 {
    let is_dead = |state| automaton.is_dead_state(state);
    let mut flags = 0;
    if automaton.is_match_state(state) {
        let second = automaton.match_pattern(state, 0).as_usize() == 1;
        flags |= MATCH | if second { SECOND } else { 0 };
    }
    let ends = (0..columns).all(|atom| is_dead(automaton.next_state(state, atom as u8)))
        && is_dead(automaton.next_eoi_state(state));
    if is_dead(state) || ends { flags | STOP } else { flags }
}
