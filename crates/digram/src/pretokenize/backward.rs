//! Where what stands ahead is as an expression says, told for all places of a stretch in one pass from its end.
//!
//! `(?=(\d{3})+(?!\d))` asks how a number goes on, up to its end. Asked at each of its digits, that takes time
//! quadratic in their number. But the answer depends on what follows alone, so that it is told from right to left.
//!
//! The expression becomes its position automaton (Glushkov, 1961): a position for each character that it reads, so
//! that a set of them is the bits of a number. Here it is read backwards: of a place are known the positions
//! that may read the character behind it and go on to the end of the expression. Between two positions there may be
//! *tests*: that the character behind the place, or before it, is of a class, or is not. The last character of an
//! expression is such a test, as nobody asks for more, and a stretch need not go on behind it.

use fancy_regex::{Assertion, Expr, LookAround};
use regex_syntax::hir::ClassUnicode;

use super::sets::{class, contains, others};

/// A position is a bit of 64.
const MOST_POSITIONS: usize = 64;
/// A test is a bit of 32.
const MOST_TESTS: usize = 32;
/// What is repeated within repetitions is made again and again.
const MOST_PARTS: usize = 4096;
/// Edges of longer expressions are not put together.
const MOST_EDGES: usize = 4096;
/// Sets of tests that ways through a place may take.
const MOST_SETS: usize = 64;

/// An expression, ready to be read backwards.
pub(super) struct Backward {
    /// What each position reads.
    positions: Vec<ClassUnicode>,
    tests: Tests,
    edges: Vec<Edges>,
    ascii: Vec<Letter>,
}

/// What is asked of places.
#[derive(Default)]
struct Tests {
    classes: Vec<ClassUnicode>,
    /// Those that ask for the character behind the place, and not for the one before.
    ahead: u32,
    /// Those that hold where there is no such character.
    negated: u32,
}

/// What a character is to an expression.
#[derive(Clone, Copy, Default)]
struct Letter {
    /// The positions that read it.
    positions: u64,
    /// The tests that have it in their class.
    tests: u32,
}

/// Ways through a place where some tests hold.
struct Edges {
    tests: u32,
    /// Whether the expression matches the empty text there.
    is_empty: bool,
    /// The positions that may be its first, and its last.
    first: u64,
    last: u64,
    /// Those that each position may follow.
    before: Vec<u64>,
}

/// A part of an expression: how it may be empty, begin and end, and which tests that takes.
#[derive(Default)]
struct Part {
    empty: Vec<u32>,
    first: Vec<(u32, usize)>,
    last: Vec<(u32, usize)>,
}

impl Backward {
    /// One of what look-ahead asks for; `None` where it is not understood, or large.
    pub fn of(ahead: &Expr) -> Option<Self> {
        let mut making = Making::default();
        let whole = making.part(ahead, true)?;
        let Making { positions, tests, follows, .. } = making;
        if whole.empty.len() > MOST_SETS {
            return None;
        }
        let count = positions.len();
        let mut edges: Vec<Edges> = Vec::new();
        for &tests in &whole.empty {
            of_tests(&mut edges, tests, count).is_empty = true;
        }
        for &(tests, position) in &whole.first {
            of_tests(&mut edges, tests, count).first |= 1 << position;
        }
        for &(tests, position) in &whole.last {
            of_tests(&mut edges, tests, count).last |= 1 << position;
        }
        for &(one, tests, next) in &follows {
            of_tests(&mut edges, tests, count).before[next] |= 1 << one;
        }
        if edges.len() > MOST_SETS {
            return None;
        }
        let mut own = Self { positions, tests, edges, ascii: Vec::new() };
        own.ascii = (0..0x80_u8).map(|byte| own.asked(char::from(byte))).collect();
        Some(own)
    }

    /// Whether it may match the empty text.
    pub fn may_be_empty(&self) -> bool {
        self.edges.iter().any(|edges| edges.is_empty)
    }

    /// The characters that it may read before its last.
    pub fn characters(&self) -> ClassUnicode {
        let mut all = ClassUnicode::empty();
        self.positions.iter().for_each(|class| all.union(class));
        all
    }

    /// Calls `holds` with each place of `text` from `to` down to `from` at which it does. The character at `to` is
    /// none that it reads, but for its last.
    pub fn tell(&self, text: &str, from: usize, to: usize, mut holds: impl FnMut(usize)) {
        let letter = |character| self.letter(character);
        let (mut place, mut alive) = (to, 0);
        let mut next = text[to..].chars().next().map_or(Letter::default(), letter);
        let mut before = text[..to].chars().rev();
        loop {
            let character = before.next();
            let last = character.map_or(Letter::default(), letter);
            let Tests { ahead, negated, .. } = self.tests;
            let tests = (next.tests & ahead | last.tests & !ahead) ^ negated;
            let (mut is_there, mut reached) = (false, 0);
            for edges in self.edges.iter().filter(|edges| edges.tests & !tests == 0) {
                is_there |= edges.is_empty || edges.first & alive != 0;
                reached |= edges.last | edges.before(alive);
            }
            if is_there {
                holds(place);
            }
            let Some(character) = character.filter(|_| place > from) else { return };
            place -= character.len_utf8();
            alive = last.positions & reached;
            next = last;
        }
    }

    fn letter(&self, character: char) -> Letter {
        self.ascii.get(character as usize).copied().unwrap_or_else(|| self.asked(character))
    }

    fn asked(&self, character: char) -> Letter {
        let bits = |classes: &[ClassUnicode]| {
            let of = |(bit, class)| u64::from(contains(class, character)) << bit;
            classes.iter().enumerate().map(of).sum::<u64>()
        };
        Letter { positions: bits(&self.positions), tests: bits(&self.tests.classes) as u32 }
    }
}

impl Edges {
    /// The positions that some positions may follow.
    fn before(&self, mut positions: u64) -> u64 {
        let mut before = 0;
        while positions != 0 {
            before |= self.before[positions.trailing_zeros() as usize];
            positions &= positions - 1;
        }
        before
    }
}

fn of_tests(edges: &mut Vec<Edges>, tests: u32, positions: usize) -> &mut Edges {
    let known = edges.iter().position(|edges| edges.tests == tests);
    let at = known.unwrap_or_else(|| {
        let before = vec![0; positions];
        edges.push(Edges { tests, is_empty: false, first: 0, last: 0, before });
        edges.len() - 1
    });
    &mut edges[at]
}

/// What an expression comes to, while its parts are put together.
#[derive(Default)]
struct Making {
    positions: Vec<ClassUnicode>,
    tests: Tests,
    /// Which position may follow which, and the tests between.
    follows: Vec<(usize, u32, usize)>,
    /// How many parts there were, each as often as it is repeated.
    parts: usize,
}

impl Making {
    /// A part, behind which the expression ends if it `is_last`.
    fn part(&mut self, part: &Expr, is_last: bool) -> Option<Part> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        match part {
            Expr::Empty => Some(Part::nothing()),
            Expr::Delegate { inner, casei } => self.character(class(inner, *casei)?, is_last),
            Expr::Literal { val, casei } => {
                let characters: Vec<_> = val
                    .chars()
                    .map(|one| class(&regex_syntax::escape(&one.to_string()), *casei))
                    .collect::<Option<_>>()?;
                let last = characters.len().checked_sub(1)?;
                let mut characters = characters.into_iter().enumerate();
                characters.try_fold(Part::nothing(), |whole, (at, class)| {
                    let next = self.character(class, is_last && at == last)?;
                    self.then(whole, next)
                })
            }
            Expr::Concat(parts) => {
                let last = parts.len().checked_sub(1)?;
                let mut parts = parts.iter().enumerate();
                parts.try_fold(Part::nothing(), |whole, (at, part)| {
                    let next = self.part(part, is_last && at == last)?;
                    self.then(whole, next)
                })
            }
            Expr::Alt(parts) => parts
                .iter()
                .try_fold(Part::default(), |all, part| Some(all.or(self.part(part, is_last)?))),
            Expr::Group(part) => self.part(part, is_last),
            Expr::Repeat { child, lo, hi, .. } if lo <= hi => {
                self.repeated(child, *lo, *hi, is_last)
            }
            Expr::Assertion(assertion) => self.assertion(*assertion),
            Expr::LookAround(part, look) => {
                let (ahead, holds) = match look {
                    LookAround::LookAhead => (true, true),
                    LookAround::LookAheadNeg => (true, false),
                    LookAround::LookBehind => (false, true),
                    LookAround::LookBehindNeg => (false, false),
                };
                self.look(part, ahead, holds)
            }
            _ => None,
        }
    }

    /// What look-around asks for, where that is one character, or the end of the text, or one of such.
    fn look(&mut self, part: &Expr, ahead: bool, holds: bool) -> Option<Part> {
        match part {
            Expr::Group(part) => self.look(part, ahead, holds),
            Expr::Alt(parts) if holds => parts.iter().try_fold(Part::default(), |all, part| {
                Some(all.or(self.look(part, ahead, holds)?))
            }),
            Expr::Alt(parts) => parts.iter().try_fold(Part::nothing(), |all, part| {
                let next = self.look(part, ahead, holds)?;
                self.then(all, next)
            }),
            Expr::Assertion(Assertion::EndText) if ahead => self.test(any(), ahead, !holds),
            Expr::Assertion(Assertion::StartText) if !ahead => self.test(any(), ahead, !holds),
            Expr::Delegate { inner, casei } => self.test(class(inner, *casei)?, ahead, holds),
            Expr::Literal { val, casei } if val.chars().nth(1).is_none() => {
                self.test(class(&regex_syntax::escape(val), *casei)?, ahead, holds)
            }
            _ => None,
        }
    }

    /// A part again and again. If nothing follows, nobody asks for more than there must be.
    fn repeated(&mut self, child: &Expr, least: usize, most: usize, is_last: bool) -> Option<Part> {
        if least > MOST_POSITIONS || most != usize::MAX && most > MOST_POSITIONS {
            return None;
        }
        let mut whole = Part::nothing();
        for at in 1..=least {
            let next = self.part(child, is_last && at == least)?;
            whole = self.then(whole, next)?;
        }
        if is_last {
            return Some(whole);
        }
        if most == usize::MAX {
            let again = self.part(child, false)?;
            self.join(&again.last, &again.first)?;
            return self.then(whole, again.or(Part::nothing()));
        }
        let mut rest = Part::nothing();
        for _ in least..most {
            let one = self.part(child, false)?;
            rest = self.then(one, rest)?.or(Part::nothing());
        }
        self.then(whole, rest)
    }

    fn character(&mut self, class: ClassUnicode, is_last: bool) -> Option<Part> {
        if is_last {
            return self.test(class, true, true);
        }
        if self.positions.len() == MOST_POSITIONS {
            return None;
        }
        self.positions.push(class);
        let only = vec![(0, self.positions.len() - 1)];
        Some(Part { empty: Vec::new(), first: only.clone(), last: only })
    }

    fn assertion(&mut self, assertion: Assertion) -> Option<Part> {
        match assertion {
            Assertion::StartText => self.test(any(), false, false),
            Assertion::EndText => self.test(any(), true, false),
            Assertion::WordBoundary => self.boundary(true),
            Assertion::NotWordBoundary => self.boundary(false),
            Assertion::EndLine { crlf: false } => {
                self.test(others(&class("\n", false)?), true, false)
            }
            _ => None,
        }
    }

    /// The border of a word, or any other place.
    fn boundary(&mut self, is_border: bool) -> Option<Part> {
        let word = class(r"\w", false)?;
        let mut both = Part::default();
        for before in [true, false] {
            let one = self.test(word.clone(), false, before)?;
            let next = self.test(word.clone(), true, before != is_border)?;
            both = both.or(self.then(one, next)?);
        }
        Some(both)
    }

    /// A test of the character behind a place, or of the one before it: whether it is of a class, or not.
    fn test(&mut self, class: ClassUnicode, ahead: bool, holds: bool) -> Option<Part> {
        let Tests { classes, ahead: all_ahead, negated } = &mut self.tests;
        if classes.len() == MOST_TESTS {
            return None;
        }
        let bit = 1 << classes.len();
        *all_ahead |= if ahead { bit } else { 0 };
        *negated |= if holds { 0 } else { bit };
        classes.push(class);
        Some(Part { empty: vec![bit], ..Part::default() })
    }

    /// A part and what follows it.
    fn then(&mut self, one: Part, next: Part) -> Option<Part> {
        let of_one = [one.empty.len(), one.first.len(), one.last.len()];
        let of_next = [next.empty.len(), next.first.len(), next.last.len()];
        let is_large = of_one.iter().max()? * of_next.iter().max()? > MOST_EDGES;
        if is_large || one.empty.len().max(next.empty.len()) > MOST_SETS {
            return None;
        }
        self.join(&one.last, &next.first)?;
        let Part { mut first, .. } = one;
        let Part { mut last, .. } = next;
        let mut empty = Vec::new();
        for &tests in &one.empty {
            first.extend(next.first.iter().map(|&(own, position)| (own | tests, position)));
            empty.extend(next.empty.iter().map(|own| own | tests));
        }
        for &tests in &next.empty {
            last.extend(one.last.iter().map(|&(own, position)| (own | tests, position)));
        }
        Some(Part { empty, first, last }.once())
    }

    fn join(&mut self, last: &[(u32, usize)], first: &[(u32, usize)]) -> Option<()> {
        for &(one_tests, one) in last {
            let edges = first.iter().map(|&(tests, next)| (one, one_tests | tests, next));
            self.follows.extend(edges);
        }
        (self.follows.len() < MOST_EDGES).then_some(())
    }
}

impl Part {
    fn nothing() -> Self {
        Self { empty: vec![0], ..Self::default() }
    }

    fn or(mut self, other: Self) -> Self {
        self.empty.extend(other.empty);
        self.first.extend(other.first);
        self.last.extend(other.last);
        self.once()
    }

    /// Each way once.
    fn once(mut self) -> Self {
        self.empty.sort_unstable();
        self.empty.dedup();
        for ways in [&mut self.first, &mut self.last] {
            ways.sort_unstable();
            ways.dedup();
        }
        self
    }
}

fn any() -> ClassUnicode {
    others(&ClassUnicode::empty())
}
