//! Matches of the first of some stages that the others leave whole, in one pass: what lies between them is
//! dropped, or goes through the others.
//!
//! The first stage's table tells where a match begins and where it ends (`table`); outside of one there is a
//! state more, in which characters are passed that begin none. The stages behind it mostly leave such a word
//! whole: a run of letters, say. So each state is one of the first table's together with one of each of the
//! others, which read the same word from its beginning, and tells where the word ends whether all of them
//! leave it whole. One that they may split is put aside, to be split by itself; and so is a match that
//! ended before the character that tells it.

use hashbrown::HashMap;

use super::atoms::Atoms;
use super::stage::Stage;
use super::table::{Step, Table};

/// The most that the table may take; a larger one is not made.
const BYTES: usize = 1 << 18;
/// The most stages behind the first: to make the table takes time for each state and stage.
const MOST_BEHIND: usize = 6;
/// A word ends before the character that leads here.
const ENDS: u32 = 1 << 31;
/// A word begins with it.
const BEGINS: u32 = 1 << 30;
/// The word that began last is to be found by itself.
const ASIDE: u32 = 1 << 29;
/// Where the next state's row begins.
const ROW: u32 = ASIDE - 1;

/// What is known of a word, read so far by one of the stages behind the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Inner {
    /// What was read may become a match: all of it, or what stands behind characters that are in none. The row of
    /// the table, and whether it is of one character.
    Match { all: bool, row: usize, is_one: bool },
    /// No character of it is in a match.
    Gap,
    /// It may be split.
    Split,
}

impl Inner {
    /// What a character makes of a word that has no match before it.
    fn begun(table: &Table, atom: u8, all: bool) -> Self {
        match table.step(0, atom) {
            Step::On(row) => Self::Match { all, row, is_one: true },
            Step::Ended { .. } | Step::Failed => Self::Gap,
        }
    }

    /// What one more character makes of it.
    fn then(self, table: &Table, atom: u8) -> Self {
        match self {
            Self::Match { all, row, is_one } => match table.step(row, atom) {
                Step::On(row) => Self::Match { all, row, is_one: false },
                Step::Failed if is_one => Self::begun(table, atom, false),
                Step::Ended { .. } | Step::Failed => Self::Split,
            },
            Self::Gap => Self::begun(table, atom, false),
            Self::Split => Self::Split,
        }
    }

    /// Whether a word that ends is left whole.
    fn is_whole(self, table: &Table) -> bool {
        match self {
            Self::Match { all, row, is_one } => {
                let ends = table.ends(row);
                ends && all || !ends && is_one
            }
            Self::Gap => true,
            Self::Split => false,
        }
    }
}

/// A row of the first table, and what the stages behind it know.
type State = (usize, Vec<Inner>);

/// The table of some stages' words.
pub(super) struct Picking {
    atoms: Atoms,
    /// An entry for each state and atom; the first state is outside of any match.
    entries: Vec<u32>,
    /// Whether a word ends in each state where the text ends.
    at_end: Vec<bool>,
    /// How many bits a column has.
    shift: u32,
}

/// What one pass found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Picked {
    /// How many words.
    pub words: usize,
    /// Where to go on: a word begins there that is to be found by itself, or there is no more room.
    pub position: usize,
}

/// What is known of some stages together.
#[derive(Default)]
pub(super) struct Together {
    /// What finds matches of the first in one pass that the others leave whole, where that pays.
    pub picking: Option<Picking>,
    /// Whether what lies between its matches goes on to the others; else it is dropped.
    pub keeps_gaps: bool,
    /// Whether the others leave all its matches whole.
    pub matches_stay: bool,
}

impl Together {
    /// Of some stages, and of those that are left without the first ones.
    pub fn of(stages: &[Stage]) -> Vec<Self> {
        (0..stages.len()).map(|first| Self::of_all(&stages[first], &stages[first + 1..])).collect()
    }

    fn of_all(first: &Stage, others: &[Stage]) -> Self {
        let keeps_gaps = first.is_plain();
        let table = if keeps_gaps { first.table() } else { first.picked_by() };
        let table =
            table.filter(|_| !(keeps_gaps && others.is_empty() || others.len() > MOST_BEHIND));
        let found = table.and_then(|table| Picking::of(table, others));
        let Some((picking, matches_stay)) = found else { return Self::default() };
        // what lies between rare matches is passed faster without
        let pays = !keeps_gaps || first.may_begin(FREQUENT);
        Self { picking: Some(picking).filter(|_| pays), keeps_gaps, matches_stay }
    }
}

/// A letter with which something begins in every line, if it may.
const FREQUENT: char = 'e';

impl Picking {
    /// The table for what the first of some stages matches, and whether the others leave all of it whole; `None`
    /// where one has no table.
    fn of(first: &Table, others: &[Stage]) -> Option<(Self, bool)> {
        let others: Vec<&Table> = others.iter().map(Stage::table).collect::<Option<_>>()?;
        let all: Vec<&Atoms> = [first].iter().chain(&others).map(|table| table.atoms()).collect();
        let (atoms, parts) = Atoms::joint(&all)?;
        let columns = parts.len().next_power_of_two();
        let mut met =
            Met { first, others, known: HashMap::new(), states: Vec::new(), all_stay: true };
        let mut picking = Self {
            atoms,
            entries: Vec::new(),
            at_end: vec![false],
            shift: columns.trailing_zeros(),
        };
        for atom in 0..columns {
            let entry = parts.get(atom).map_or(0, |parts| met.begun(parts));
            picking.entries.push(picking.placed(entry));
        }
        while let Some(state) = met.states.get(picking.at_end.len() - 1).cloned() {
            picking.at_end.push(met.ends(&state));
            for atom in 0..columns {
                let entry = parts.get(atom).map_or(ASIDE, |parts| met.entry(&state, parts));
                picking.entries.push(picking.placed(entry));
            }
            if picking.entries.len() * size_of::<u32>() > BYTES {
                return None;
            }
        }
        Some((picking, met.all_stay))
    }

    /// An entry with the place of its state's row instead of the state's number.
    fn placed(&self, entry: u32) -> u32 {
        entry & !ROW | (entry & ROW) << self.shift
    }

    /// Writes where words begin and end from `position` on, which is outside of any: up to the end of the text,
    /// or while there is room, one place more where they begin than where they end, or to one that is to be
    /// found by itself.
    pub fn pick(
        &self,
        bytes: &[u8],
        position: usize,
        starts: &mut [u32],
        ends: &mut [u32],
    ) -> Picked {
        let (mut row, mut at, mut begun, mut words) = (0_usize, position, 0_usize, 0_usize);
        let going_on = |begun: usize, words: usize, starts: &[u32], at: usize| Picked {
            words,
            position: if begun > words { starts[words] as usize } else { at },
        };
        while at < bytes.len() && words < ends.len() {
            let (atom, behind) = self.atoms.next(bytes, at);
            // (no sum here is ever as large as to wrap)
            let entry = self.entries[row.wrapping_add(usize::from(atom))];
            if entry & ASIDE != 0 {
                return going_on(begun, words, starts, at);
            }
            ends[words] = at as u32;
            words = words.wrapping_add((entry / ENDS) as usize);
            starts[begun] = at as u32;
            begun = begun.wrapping_add(((entry / BEGINS) & 1) as usize);
            row = (entry & ROW) as usize;
            at = behind;
        }
        if at == bytes.len()
            && begun > words
            && words < ends.len()
            && self.at_end[row >> self.shift]
        {
            ends[words] = at as u32;
            return Picked { words: words + 1, position: at };
        }
        going_on(begun, words, starts, at)
    }
}

/// The states that were met, of which the first has number 1.
struct Met<'a> {
    first: &'a Table,
    others: Vec<&'a Table>,
    known: HashMap<State, u32>,
    states: Vec<State>,
    /// Whether no word may be split where it ends, in any of them.
    all_stay: bool,
}

impl Met<'_> {
    fn number(&mut self, state: State) -> u32 {
        let Self { known, states, .. } = self;
        *known.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() as u32
        })
    }

    /// The entry for a character outside of matches: its atoms in each table.
    fn begun(&mut self, parts: &[u8]) -> u32 {
        let Step::On(row) = self.first.step(0, parts[0]) else { return 0 };
        let inner = self.others.iter().zip(&parts[1..]);
        let inner = inner.map(|(table, &atom)| Inner::begun(table, atom, true));
        let state = (row, split_or(inner.collect()));
        BEGINS | self.number(state)
    }

    /// The entry for a character that is read in a state.
    fn entry(&mut self, state: &State, parts: &[u8]) -> u32 {
        let (row, inner) = state;
        let row = match self.first.step(*row, parts[0]) {
            Step::On(row) => row,
            Step::Ended { is_second } => {
                let stays = !is_second && self.leave_whole(inner);
                self.all_stay &= stays;
                return if stays { ENDS | self.begun(parts) } else { ASIDE };
            }
            Step::Failed => return ASIDE,
        };
        let inner = inner.iter().zip(&self.others).zip(&parts[1..]);
        let inner = inner.map(|((inner, table), &atom)| inner.then(table, atom));
        let state = (row, split_or(inner.collect()));
        self.number(state)
    }

    /// Whether a word that a text ends with ends in a state, and is left whole.
    fn ends(&mut self, (row, inner): &State) -> bool {
        let stays = self.leave_whole(inner);
        self.all_stay &= stays || !self.first.ends(*row);
        stays && self.first.ends(*row)
    }

    fn leave_whole(&self, inner: &[Inner]) -> bool {
        inner.iter().zip(&self.others).all(|(inner, table)| inner.is_whole(table))
    }
}

/// What is known, or that it may be split, if one says so: then nothing else is asked.
fn split_or(inner: Vec<Inner>) -> Vec<Inner> {
    if inner.contains(&Inner::Split) { vec![Inner::Split; inner.len()] } else { inner }
}

#[cfg(test)]
mod tests {
    use super::super::Splitter;
    use crate::components::{Behavior, ByteLevel, Pattern, PreTokenizer};

    #[test]
    fn published_stages_have_tables_and_very_many_have_none() {
        let split = |pattern: &str, behavior, invert| {
            let pattern = Pattern::Regex(pattern.to_owned());
            PreTokenizer::Split { pattern, behavior, invert }
        };
        let isolated = |pattern| split(pattern, Behavior::Isolated, false);
        let gpt2 =
            || PreTokenizer::ByteLevel(ByteLevel { use_regex: true, ..ByteLevel::alphabet_only() });
        let digits = || PreTokenizer::Digits { individual_digits: true };
        let clip = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";
        let coder = [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+"];
        let coder = coder.map(isolated).into_iter().chain([digits()]).collect();
        let falcon = vec![PreTokenizer::Punctuation { behavior: Behavior::Contiguous }, gpt2()];
        for (pretokenizers, picks, stay) in [
            (vec![split(clip, Behavior::Removed, true), gpt2()], vec![true, false], vec![false; 2]),
            (vec![PreTokenizer::BertPreTokenizer], vec![true], vec![true]),
            (coder, vec![false, true, false, false, false], vec![true, false, false, false, false]),
            (falcon, vec![false; 2], vec![true, false]),
            (
                vec![isolated(r"\w"); 9],
                [vec![false; 2], vec![true; 6], vec![false]].concat(),
                [vec![false; 2], vec![true; 6], vec![false]].concat(),
            ),
        ] {
            let all = PreTokenizer::Sequence { pretokenizers };
            let splitter = Splitter::new(Some(&all)).expect("compiles");
            let together = splitter.together.iter();
            let told = together.map(|known| (known.picking.is_some(), known.matches_stay));
            let told: (Vec<bool>, Vec<bool>) = told.unzip();
            assert_eq!(told, (picks, stay), "{all:?}");
        }
    }

    #[test]
    fn words_are_picked_alike_with_whatever_room() {
        let splitter = Splitter::new(Some(&PreTokenizer::Whitespace)).expect("it is one");
        let picking = splitter.together[0].picking.as_ref().expect("it drops blanks");
        let told = regex_automata::meta::Regex::new(r"\w+|[^\w\s]+").expect("compiles");
        let pieces = ["a", " ", "é", "!", "  ", "word", "?!"];
        for number in 0..pieces.len().pow(5) {
            let piece = |place| pieces[number / pieces.len().pow(place) % pieces.len()];
            let text: String = (0..5).map(piece).collect();
            let all = [32, 1, 2, 3].map(|room| {
                let (mut starts, mut ends) = (vec![0; room + 1], vec![0; room]);
                let (mut found, mut position) = (Vec::new(), 0);
                while position < text.len() {
                    let picked = picking.pick(text.as_bytes(), position, &mut starts, &mut ends);
                    assert!(picked.position > position, "{room} at {position} of {text:?}");
                    found.extend(starts.iter().zip(&ends[..picked.words]).map(|(&a, &b)| (a, b)));
                    position = picked.position;
                }
                found
            });
            assert!(all.iter().all(|found| *found == all[0]), "{text:?}");
            let words = all[0].iter().map(|&(start, end)| &text[start as usize..end as usize]);
            assert!(words.eq(told.find_iter(&text).map(|found| &text[found.range()])));
        }
    }
}
