//! Longest match instead of merging: longest anywhere first, or from left to right.
//!
//! A word is read from its end to its beginning by an automaton of the tokens, spelled backwards (Aho and Corasick, "Efficient
//! string matching", 1975). Its state is the longest ending of a token, spelled forwards, that the word has from that place on, and it
//! tells the longest token that begins there; and each such token tells the longest shorter one that it begins with. So all tokens
//! that begin at a place are known, the longest first, without a look at the word again, however long they are.
//!
//! A token's length is counted in units (bytes or characters), the marker of a word's end being one.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::error::{Error, Result};
use crate::memory;
use crate::model::{Model, Order, Units};
use crate::monitor::Monitor;

/// A stretch of a word, in bytes, and the token that it is; `None` where no token matches. The marker lies behind the word.
pub type Stretch = (usize, usize, Option<u32>);

/// What a token is spelled of: bytes, and the marker.
type Symbol = u16;
const MARKER: Symbol = 0x100;

/// No token.
const NONE: u32 = u32::MAX;
/// Where nothing was read, or nothing that a token ends with. Of tokens: that there is none.
const ROOT: u32 = 0;
/// After so many places it is asked whether to stop.
const STEPS: usize = 1 << 14;
/// What a state takes, with its place in the table of steps, in bytes.
const STATE: usize = 64;

/// The tokens of a model, ready to be looked for.
pub struct Longest {
    steps: HashMap<(u32, Symbol), u32, FixedState>,
    states: Vec<State>,
    has_marker: bool,
    order: Order,
}

#[derive(Clone, Copy)]
struct State {
    /// The state of the longest shorter ending that what was read begins with.
    fallback: u32,
    /// The state of the longest shorter token that it begins with.
    shorter: u32,
    /// How many symbols were read.
    symbols: u32,
    /// The token that they are, and how many units it has.
    token: u32,
    units: u32,
}

impl Longest {
    /// The tokens of a model. O(n) in their lengths.
    pub fn of(model: &Model, order: Order) -> Result<Self> {
        let vocabulary = &model.vocabulary;
        let tokens = || vocabulary.iter().filter(|&(id, _)| vocabulary.merges(id));
        let symbols: usize = tokens().map(|(_, token)| token.len() + 1).sum();
        if u32::try_from(symbols).is_err() {
            return Err(Error::Limit(format!(
                "tokens of {symbols} bytes are too many to look for"
            )));
        }
        memory::expect(STATE.saturating_mul(symbols))?;
        let root = State { fallback: ROOT, shorter: ROOT, symbols: 0, token: NONE, units: 0 };
        let has_marker = model.end_of_word.is_some();
        let (steps, states) = (HashMap::default(), vec![root]);
        let mut longest = Self { steps, states, has_marker, order };
        for (id, token) in tokens() {
            longest.add(id, token, model);
        }
        longest.link();
        Ok(longest)
    }

    fn add(&mut self, id: u32, token: &[u8], model: &Model) {
        let ends = model.vocabulary.ends_word(id);
        if model.vocabulary.id_of(token, ends) != Some(id) || token.is_empty() && !ends {
            return;
        }
        let marker = ends.then_some(MARKER);
        let mut state = ROOT;
        for symbol in marker.into_iter().chain(token.iter().rev().map(|&byte| byte.into())) {
            let read = self.states[state as usize].symbols + 1;
            let new = self.states.len() as u32;
            state = *self.steps.entry((state, symbol)).or_insert(new);
            if state == new {
                let (fallback, shorter) = (ROOT, ROOT);
                self.states.push(State { fallback, shorter, symbols: read, token: NONE, units: 0 });
            }
        }
        let units = match model.units {
            Units::Bytes => token.len(),
            Units::Chars => String::from_utf8_lossy(token).chars().count(),
        };
        let own = &mut self.states[state as usize];
        (own.token, own.units) = (id, (units + usize::from(ends)) as u32);
    }

    /// Links each state with those of what it begins with: these have read fewer symbols, and are linked before.
    fn link(&mut self) {
        let mut steps: Vec<_> = self.steps.iter().map(|(&step, &to)| (to, step)).collect();
        steps.sort_unstable_by_key(|&(to, _)| (self.states[to as usize].symbols, to));
        for (to, (from, symbol)) in steps {
            if from == ROOT {
                continue;
            }
            let fallback = self.after(self.states[from as usize].fallback, symbol);
            let shorter = self.token_at(fallback);
            let state = &mut self.states[to as usize];
            (state.fallback, state.shorter) = (fallback, shorter);
        }
    }

    /// The state after one more symbol.
    fn after(&self, mut state: u32, symbol: Symbol) -> u32 {
        loop {
            match self.steps.get(&(state, symbol)) {
                Some(&next) => return next,
                None if state == ROOT => return ROOT,
                None => state = self.states[state as usize].fallback,
            }
        }
    }

    /// The state of the longest token that what was read begins with.
    fn token_at(&self, state: u32) -> u32 {
        let own = &self.states[state as usize];
        if own.token == NONE { own.shorter } else { state }
    }

    /// Cuts a word into tokens; what no token covers comes back as stretches without one. O(n), or O(n log n) where the longest
    /// goes first, for n bytes, and as many steps as tokens that others begin with are passed over.
    pub fn cut(&self, word: &str, monitor: &Monitor) -> Result<Vec<Stretch>> {
        let first = self.first(word, monitor)?;
        let taken = match self.order {
            Order::LongestFirst => self.longest_first(&first, monitor)?,
            Order::LeftToRight => self.left_to_right(&first)?,
        };
        with_leftovers(taken, first.len())
    }

    /// Of each place the state of the longest token that begins there.
    fn first(&self, word: &str, monitor: &Monitor) -> Result<Vec<u32>> {
        let marker = self.has_marker.then_some(MARKER);
        let bytes = word.bytes().rev().map(Symbol::from);
        let mut first = memory::list(word.len() + 1)?;
        let mut state = ROOT;
        for (at, symbol) in marker.into_iter().chain(bytes).enumerate() {
            if at % STEPS == 0 {
                monitor.check()?;
            }
            state = self.after(state, symbol);
            first.push(self.token_at(state));
        }
        first.reverse();
        Ok(first)
    }

    fn left_to_right(&self, first: &[u32]) -> Result<Vec<(usize, usize, u32)>> {
        let (mut taken, mut start) = (Vec::new(), 0);
        while let Some(&state) = first.get(start) {
            if state == ROOT {
                start += 1;
                continue;
            }
            let State { symbols, token, .. } = self.states[state as usize];
            memory::reserve(&mut taken, 1)?;
            taken.push((start, start + symbols as usize, token));
            start += symbols as usize;
        }
        Ok(taken)
    }

    /// Takes the longest token that crosses none already taken, the leftmost of several, again and again.
    ///
    /// Of each place one token waits. Where the one whose turn it is crosses one that was taken, a shorter one waits instead. None that
    /// waits once it is taken has more units than that; so for each that was taken no more cross it than it has bytes.
    fn longest_first(&self, first: &[u32], monitor: &Monitor) -> Result<Vec<(usize, usize, u32)>> {
        let mut waiting = memory::list(first.len())?;
        let places = first.iter().enumerate().filter(|&(_, &state)| state != ROOT);
        waiting.extend(places.map(|(start, &state)| self.waits(start, state)));
        let mut waiting = BinaryHeap::from(waiting);
        let mut taken: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
        let mut passed = 0;
        while let Some((_, Reverse(start), state)) = waiting.pop() {
            passed += 1;
            if passed % STEPS == 0 {
                monitor.check()?;
                memory::expect_some()?;
            }
            let start = start as usize;
            let before = taken.range(..=start).next_back();
            if before.is_some_and(|(_, &(end, _))| end > start) {
                continue;
            }
            let limit = taken.range(start..).next().map_or(first.len(), |(&next, _)| next);
            let fitting = self.fitting(state, limit - start);
            if fitting == state {
                let State { symbols, token, .. } = self.states[state as usize];
                taken.insert(start, (start + symbols as usize, token));
            } else if fitting != ROOT {
                waiting.push(self.waits(start, fitting));
            }
        }
        Ok(taken.into_iter().map(|(start, (end, token))| (start, end, token)).collect())
    }

    fn waits(&self, start: usize, state: u32) -> (u32, Reverse<u32>, u32) {
        (self.states[state as usize].units, Reverse(start as u32), state)
    }

    /// The longest token of those that begin at a place, from `state` on, that has no more than so many symbols.
    fn fitting(&self, mut state: u32, most: usize) -> u32 {
        while self.states[state as usize].symbols as usize > most {
            state = self.states[state as usize].shorter;
        }
        state
    }
}

/// Fills the holes between tokens with stretches of their own, one for each run.
fn with_leftovers(taken: Vec<(usize, usize, u32)>, length: usize) -> Result<Vec<Stretch>> {
    let mut stretches = memory::list(2 * taken.len() + 1)?;
    let mut position = 0;
    for (start, end, id) in taken {
        if position < start {
            stretches.push((position, start, None));
        }
        stretches.push((start, end, Some(id)));
        position = end;
    }
    if position < length {
        stretches.push((position, length, None));
    }
    Ok(stretches)
}
