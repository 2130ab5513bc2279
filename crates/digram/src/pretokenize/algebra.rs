//! Where words begin, 64 bytes at a time.
//!
//! A published pattern asks two things of a character: its class, and those of its neighbours.
//! So a text is read as one bit string per class ([`Masks`]), and the pattern as an expression in
//! them: `letter & !before(letter)` is where runs of letters begin. One bit of each string is
//! carried from block to block.
//!
//! What the clauses of a pattern come to, in the order in which they are tried:
//!
//! * *Other characters* (neither letter, number nor blank) form runs, which begin words, unless a
//!   space stands before: that begins the word then, as ` ?` says. A tail of newlines belongs to
//!   the word; it is a flood from the first newline on, and an addition floods: `run + first`
//!   carries through the run and clears it.
//! * *Letters* form runs, which begin words, unless what stands before is a prefix. A blank
//!   always is: of a run of blanks, the last is left for what follows. One of the other
//!   characters is, if it is a run of its own and no space before took it already.
//! * *Numbers* begin words at the start of a run and, where they have so many at most, at every third, or
//!   second, from there.
//! * *Blanks*, without a tail: a run begins a word; its last one begins one, if a character that
//!   is not blank follows; where lines matter, so does what follows the last newline of the run.
//! * *Contractions* are looked for at quotes before a letter, which are few.
//! * *Case*: a capital begins a word behind a small letter. Letters without case belong to the
//!   word so far. Behind a capital, or at the start, they leave open whether it is one of capitals;
//!   then a capital behind them belongs to it only if small or caseless letters follow, since
//!   `[Upper Caseless]*[Lower Caseless]+` gives back what ends in capitals.
//!
//! A mark in a run of other characters is one of them to `[^\s\p{L}\p{N}]+` and a letter to what
//! stands before it in the pattern. Such a place is told as doubtful, and the automaton decides.

#![expect(clippy::inline_always, reason = "one expression, cut into parts that have names")]

use super::rules::{Contractions, Digits, Rules, Tail};
use crate::arch::Masks;

/// What a block tells the next one: of each string its last bits.
#[derive(Default)]
pub(super) struct Carry {
    letters: u64,
    number: u64,
    space: u64,
    newline: u64,
    other: u64,
    /// Characters that are a run of other characters on their own, so far.
    alone: u64,
    /// Blanks that are no newlines.
    gap: u64,
    /// Blanks that are no tail.
    blank: u64,
    tail: u64,
    /// Small letters, and caseless ones behind them.
    low: u64,
    caseless: u64,
    quote: u64,
    /// How many numbers the word at the end of the block has.
    digits: u32,
    /// Where letters begin words behind contractions.
    behind: u64,
    /// Where the last contraction ended.
    contracted: usize,
}

/// A block, with what it stands between.
pub(super) struct Block<'a> {
    pub text: &'a str,
    /// Where the block begins in the text.
    pub at: usize,
    pub own: &'a Masks,
    pub next: &'a Masks,
}

/// What is found in a block.
#[derive(Clone, Copy)]
pub(super) struct Found {
    /// Where words begin.
    pub starts: u64,
    /// Where the automaton must decide; `starts` holds for what is before.
    pub doubts: u64,
}

/// The string moved on by one: each bit says what the byte before is.
#[inline(always)]
fn before(bits: u64, carried: u64) -> u64 {
    bits << 1 | carried >> 63
}

/// The string moved back: each bit says what a byte behind is.
#[inline(always)]
fn behind(bits: u64, next: u64, by: u32) -> u64 {
    bits >> by | next << (64 - by)
}

/// The places in runs that so many of the run stand before.
#[inline(always)]
fn behind_so_many<const COUNT: u32>(run: u64) -> u64 {
    (0..COUNT).fold(run, |long, _| long & long << 1)
}

/// The part of each run from a seed on.
#[inline(always)]
fn flood(run: u64, seeds: u64) -> u64 {
    (run & !run.wrapping_add(seeds)) | seeds
}

impl Block<'_> {
    /// Finds the words of the block; `PREFIXED` and `CASED` are what `rules` say.
    #[inline(always)]
    pub fn find<const PREFIXED: bool, const CASED: bool>(
        &self,
        rules: Rules,
        carry: &mut Carry,
    ) -> Found {
        let own = self.own;
        let first = !own.inner;
        let letters = if CASED || rules.marked { own.letter | own.caseless } else { own.letter };
        let unlike = !(letters | own.number | own.blank);
        let tail = self.tail(rules, unlike, carry);
        let other = unlike & !tail;
        let blank = own.blank & !tail;
        let gap = own.blank & !own.newline;
        let spaced = before(own.space, carry.space);
        let runs = other & first & !before(other, carry.other) & !spaced;
        let alone = self.alone(runs, carry);
        let prefix =
            if PREFIXED { before(gap, carry.gap) | before(alone, carry.alone) } else { spaced };
        let mut starts = runs | (letters & first & !before(letters, carry.letters) & !prefix);
        starts |= self.numbers(rules, if PREFIXED { 0 } else { spaced }, carry);
        starts |= blank & first & !before(blank, carry.blank);
        starts |= first & self.last_of_blanks(if PREFIXED { gap } else { own.blank });
        let mut doubts = 0;
        if PREFIXED {
            starts |= self.behind_lines(rules, gap, tail, carry);
        }
        if CASED {
            let (capitals, unsure) = self.capitals(carry);
            starts |= capitals;
            doubts |= unsure
                | (own.caseless & !own.letter & before(other & !alone, carry.other & !carry.alone));
        }
        let seeds = match rules.contractions {
            Contractions::Nowhere => 0,
            Contractions::Before(_) => before(runs & own.quote, carry.quote) & letters,
            Contractions::Behind(_) => {
                own.quote & before(letters, carry.letters) & behind(letters, self.next.letter, 1)
            }
        };
        if seeds | carry.behind != 0 {
            self.contractions(rules, seeds, letters, carry, &mut starts, &mut doubts);
        }
        *carry = Carry {
            letters,
            number: own.number,
            space: own.space,
            newline: own.newline,
            other,
            alone,
            gap,
            blank,
            tail,
            low: carry.low,
            caseless: own.caseless,
            quote: runs & own.quote,
            digits: carry.digits,
            behind: carry.behind,
            contracted: carry.contracted,
        };
        Found { starts, doubts }
    }

    /// What other characters take with them.
    #[inline(always)]
    fn tail(&self, rules: Rules, other: u64, carry: &Carry) -> u64 {
        let own = self.own;
        let reach = match rules.tail {
            Tail::Nothing => return 0,
            Tail::Newlines => own.newline,
            Tail::NewlinesAndSlashes => own.newline | (own.upper & !own.letter),
        };
        let seeds = (own.newline & before(other, carry.other)) | (reach & carry.tail >> 63);
        flood(reach, seeds)
    }

    /// All bytes of the characters that begin at `runs`.
    #[inline(always)]
    fn alone(&self, runs: u64, carry: &Carry) -> u64 {
        let inner = self.own.inner;
        if inner == 0 {
            return runs;
        }
        let mut alone = runs | (inner & carry.alone >> 63);
        for _ in 0..3 {
            alone |= alone << 1 & inner;
        }
        alone
    }

    /// Where words of numbers begin.
    #[inline(always)]
    fn numbers(&self, rules: Rules, spaced: u64, carry: &mut Carry) -> u64 {
        let (number, first) = (self.own.number, !self.own.inner);
        match rules.digits {
            Digits::All => number & first & !before(number, carry.number) & !spaced,
            Digits::One => number & first,
            Digits::UpToTwo => self.up_to::<2>(carry),
            Digits::UpToThree => self.up_to::<3>(carry),
        }
    }

    /// Where words of so many numbers at most begin.
    #[inline(always)]
    fn up_to<const MOST: u32>(&self, carry: &mut Carry) -> u64 {
        let number = self.own.number;
        let starts = number & !self.own.inner & !before(number, carry.number);
        let long = behind_so_many::<MOST>(number);
        if long | (number & self.own.inner) | (number >> 63) | u64::from(carry.digits) == 0 {
            return starts;
        }
        self.groups::<MOST>(starts, carry)
    }

    /// The starts of runs of numbers, and every so many from there.
    fn groups<const MOST: u32>(&self, starts: u64, carry: &mut Carry) -> u64 {
        let number = self.own.number;
        if number & self.own.inner != 0 {
            return self.groups_of_characters::<MOST>(starts, carry);
        }
        let due = MOST - carry.digits;
        let goes_on = carry.digits > 0 && number.trailing_ones() > due;
        let mut starts = starts | u64::from(goes_on) << due;
        let long = behind_so_many::<MOST>(number);
        let mut next = starts << MOST & long;
        while next != 0 {
            starts |= next;
            next = next << MOST & long;
        }
        carry.digits = if number >> 63 == 1 { starts.leading_zeros() + 1 } else { 0 };
        starts
    }

    /// The same where numbers have several bytes.
    fn groups_of_characters<const MOST: u32>(&self, starts: u64, carry: &mut Carry) -> u64 {
        let number = self.own.number;
        let mut starts = starts;
        let mut left = number & !self.own.inner;
        if number & 1 == 0 {
            carry.digits = 0;
        }
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            if starts >> at & 1 == 1 || carry.digits == MOST {
                starts |= 1 << at;
                carry.digits = 0;
            }
            carry.digits += 1;
        }
        if number >> 63 == 0 {
            carry.digits = 0;
        }
        starts
    }

    /// The last character of each run of `blanks` that something follows.
    #[inline(always)]
    fn last_of_blanks(&self, blanks: u64) -> u64 {
        let (own, next) = (self.own, self.next);
        let (full, full_next) = (!own.blank, !next.blank);
        let last = blanks & behind(full, full_next, 1);
        if blanks & own.inner | (blanks >> 63 & next.inner) == 0 {
            return last;
        }
        // of a blank with several bytes, the first one is meant
        let second = behind(own.inner, next.inner, 1);
        let third = second & behind(own.inner, next.inner, 2);
        let longer = second & behind(full, full_next, 2) | third & behind(full, full_next, 3);
        last | blanks & longer
    }

    /// Blanks behind the last newline of a run.
    #[inline(always)]
    fn behind_lines(&self, rules: Rules, gap: u64, tail: u64, carry: &Carry) -> u64 {
        let newline = self.own.newline;
        let lines = before(newline & !tail, carry.newline & !carry.tail);
        let seeds = gap & lines;
        if seeds == 0 {
            return 0;
        }
        let (ends, crosses) = gap.overflowing_add(seeds);
        let mut repeated = ends & !gap & newline;
        let mut kept = seeds;
        while repeated != 0 {
            let below = seeds & ((repeated & repeated.wrapping_neg()) - 1);
            kept &= !highest(below);
            repeated &= repeated - 1;
        }
        if crosses && self.newline_follows(rules) {
            kept &= !highest(seeds);
        }
        kept
    }

    /// Whether the run of blanks that the block ends in goes on to a newline, or to the end of
    /// the text where that counts as one.
    #[cold]
    fn newline_follows(&self, rules: Rules) -> bool {
        let rest = (self.at + 64).min(self.text.len());
        // the last blank may go on there
        let rest = &self.text[self.text.ceil_char_boundary(rest)..];
        match rest.find(|c: char| !c.is_whitespace() || c == '\r' || c == '\n') {
            None => rules.end,
            Some(end) => matches!(rest.as_bytes()[end], b'\r' | b'\n'),
        }
    }

    /// Capitals that begin a word behind other letters, and those where that is open.
    #[inline(always)]
    fn capitals(&self, carry: &mut Carry) -> (u64, u64) {
        let own = self.own;
        let first = !own.inner;
        let capital = own.upper & own.letter;
        let small = own.letter & !own.upper & !own.caseless;
        let caseless = own.caseless;
        let low = small | flood(caseless, caseless & before(small, carry.low));
        let mut starts = capital & first & before(low, carry.low);
        let mut doubts = 0;
        let open = before(caseless & !low, carry.caseless & !carry.low);
        let mut left = capital & first & open;
        carry.low = low;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            match self.class_behind_capitals(capital, at) {
                Some(true) => {}
                Some(false) => starts |= 1 << at,
                None => doubts |= 1 << at,
            }
        }
        (starts, doubts)
    }

    /// Whether a letter that is no capital follows the capitals at a place; `None` where that is
    /// too far to see.
    fn class_behind_capitals(&self, capital: u64, at: u32) -> Option<bool> {
        let end = at + (!(capital >> at)).trailing_zeros();
        let is_low = |masks: &Masks, at: u32| (masks.letter | masks.caseless) >> at & 1 == 1;
        if end < 64 {
            return Some(is_low(self.own, end));
        }
        let end = (!(self.next.upper & self.next.letter)).trailing_zeros();
        (end < 64).then(|| is_low(self.next, end))
    }

    /// Looks at the quotes that may begin a contraction.
    #[inline(never)]
    fn contractions(
        &self,
        rules: Rules,
        seeds: u64,
        letters: u64,
        carry: &mut Carry,
        starts: &mut u64,
        doubts: &mut u64,
    ) {
        let mut ends = u128::from(carry.behind);
        let mut left = seeds;
        while left != 0 {
            let at = left.trailing_zeros();
            left &= left - 1;
            // the letter, which the quote is one byte before
            let (fold, letter) = match rules.contractions {
                Contractions::Before(fold) => (fold, at),
                Contractions::Behind(fold) => (fold, at + 1),
                Contractions::Nowhere => return,
            };
            let place = self.at + letter as usize;
            let length = fold.contraction(&self.text.as_bytes()[place..]);
            if length == 0 {
                continue;
            }
            if matches!(rules.contractions, Contractions::Behind(_)) {
                // the end of one contraction is the start of a word, not the end of letters
                if carry.contracted == place - 1 {
                    continue;
                }
                carry.contracted = place + length;
            }
            *starts &= !(1 << at);
            ends |= 1 << (letter + length as u32);
        }
        let own = ends as u64 & letters;
        *starts |= own;
        *doubts |= own & self.own.caseless;
        carry.behind = (ends >> 64) as u64;
    }
}

/// The highest bit that is set, alone.
fn highest(bits: u64) -> u64 {
    if bits == 0 { 0 } else { 1 << bits.ilog2() }
}
