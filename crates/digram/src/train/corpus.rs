//! All words as symbols, in one array that merging rewrites in place.
//!
//! A symbol made of *n* base symbols spans *n* slots, until all is closed up; its first and its
//! last slot hold its id. So the next symbol begins a span behind, and the previous one is named by
//! the slot in front: a merge costs the same in a word of ten million symbols as in a word of ten.
//! Words stand in the order first seen, so of two places the earlier was also seen earlier, and it
//! stays so.
//!
//! A slot between two words is the end of the first, and holds how often that word occurs. Of each
//! longer symbol an inner slot holds that too. So it is found a few slots behind any place, mostly
//! in the same line of the cache; the ends of long words are listed besides.

use crate::arch::high::{NUMBERS, high_bits};
use crate::arch::pages::advise_room;
use crate::arch::prefetch::prefetch;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

use super::alphabet::{Base, SYMBOLS_PER_CHECK, Survey, WORDS_PER_CHECK};
use super::neighbours::Neighbours;
use super::pairs::Pair;
use super::rare::Histogram;
use super::tokens::Tokens;
use super::words::WordCounts;

/// Marks what is no symbol, but the end of a word or the inside of a symbol; the rest is how often
/// the word occurs.
const END: u32 = 1 << 31;
/// Marks an end with a count that needs more bits; the rest is the count's index.
const WIDE: u32 = 1 << 30;
/// The most slots that there can be: places have 32 bits.
const MOST: u64 = u32::MAX as u64 - 1;
/// A word's end is looked for in so many slots, four lines of the cache; of longer words it is
/// listed.
const NEAR: usize = 64;
/// Slots looked at between two looks at the monitor: below a millisecond.
pub(super) const SLOTS_PER_CHECK: usize = 1 << 15;
/// The same where each may be asked whether it merges, which patterns may decide.
const PAIRS_PER_CHECK: usize = 1 << 12;
/// Words take much memory where their slots have so many bytes.
const LARGE: usize = 16 << 20;

/// Places looked at together before any is rewritten: none of these looks waits for another, so
/// the processor fetches their memory all at once. Those behind are asked for meanwhile.
const PLACES_AT_ONCE: usize = 32;

/// All words as symbols, and how often each symbol occurs in them.
pub(super) struct Corpus {
    pub slots: Vec<u32>,
    /// Counts that do not fit into an end.
    wide: Vec<u64>,
    /// Where words of more than [`NEAR`] symbols end.
    far: Vec<u32>,
    /// How often the words of more than one symbol occur.
    pub histogram: Histogram,
    /// Live occurrences, by id.
    pub frequencies: Vec<u64>,
    /// How many symbols occur at all.
    pub live_symbols: u32,
}

/// Says which symbols a word begins as.
pub(super) trait Speller {
    /// Writes the symbols of `word`, in place of those that are there. What is not whole is part of
    /// a word before its end.
    fn spell(
        &self,
        word: &[u8],
        is_whole: bool,
        symbols: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()>;
}

impl Speller for Base {
    fn spell(
        &self,
        word: &[u8],
        is_whole: bool,
        symbols: &mut Vec<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        symbols.clear();
        for symbol in self.symbols(word, is_whole)? {
            symbols.push(symbol);
            if (symbols.len() as u64).is_multiple_of(SYMBOLS_PER_CHECK) {
                monitor.check()?;
            }
        }
        Ok(())
    }
}

impl Corpus {
    /// The words of `counts` as base symbols.
    pub fn new(
        counts: &WordCounts,
        survey: &Survey,
        (speller, tokens): (&dyn Speller, &Tokens),
        monitor: &Monitor,
    ) -> Result<Self> {
        let slots = survey.distinct_symbols + counts.len() as u64 + 1;
        if slots > MOST {
            return Err(Error::Limit(format!(
                "the distinct words hold {slots} symbols, and 2^32 - 2 is the most; leave out rare \
                 words, or learn from a part of the corpus"
            )));
        }
        let mut corpus = Self {
            slots: Vec::with_capacity(slots as usize),
            wide: Vec::new(),
            far: Vec::new(),
            histogram: Histogram::new(),
            frequencies: vec![0; tokens.len()],
            live_symbols: 0,
        };
        advise_room(&mut corpus.slots);
        corpus.slots.push(END);
        let mut symbols = Vec::new();
        for (index, (word, count)) in counts.iter().enumerate() {
            if index % WORDS_PER_CHECK == 0 {
                monitor.report("symbols", index as u64, counts.len() as u64)?;
            }
            speller.spell(word, true, &mut symbols, monitor)?;
            corpus.push(&symbols, count, monitor)?;
        }
        corpus.live_symbols = corpus.frequencies.iter().filter(|&&count| count > 0).count() as u32;
        Ok(corpus)
    }

    fn push(&mut self, symbols: &[u32], count: u64, monitor: &Monitor) -> Result<()> {
        for &symbol in symbols {
            self.frequencies[symbol as usize] += count;
            self.slots.push(symbol);
            if (self.slots.len() as u64).is_multiple_of(SYMBOLS_PER_CHECK) {
                monitor.check()?;
            }
        }
        if symbols.len() > 1 {
            self.histogram.add(count);
        }
        if symbols.len() > NEAR {
            self.far.push(self.slots.len() as u32);
        }
        let short = u32::try_from(count).ok().filter(|&count| count < WIDE);
        let stored = match (short, self.wide.len() as u32) {
            (Some(count), _) => count,
            (None, WIDE..) => {
                return Err(Error::Limit(format!(
                    "{WIDE} words that stand {WIDE} times or more are too many to learn from; \
                     weigh the counts less: counts.weighted(0.1)"
                )));
            }
            (None, index) => {
                self.wide.push(count);
                WIDE | index
            }
        };
        self.slots.push(END | stored);
        Ok(())
    }

    /// The count that a word's end holds.
    pub fn count(&self, end: u32) -> u64 {
        if end & WIDE == 0 {
            return u64::from(end & !END);
        }
        self.wide[(end & !(END | WIDE)) as usize]
    }

    /// What the word's end holds, from a place in the word.
    fn end_behind(&self, place: u32) -> u32 {
        let mut rest = &self.slots[place as usize..];
        for _ in 0..NEAR / NUMBERS {
            let Some((some, behind)) = rest.split_first_chunk::<NUMBERS>() else { break };
            let ends = high_bits(some);
            if ends != 0 {
                return some[ends.trailing_zeros() as usize % NUMBERS];
            }
            rest = behind;
        }
        let near = rest.iter().take(NUMBERS).find(|&&slot| is_end(slot));
        near.copied().unwrap_or_else(|| {
            let far = self.far.partition_point(|&end| end < place);
            self.slots[self.far[far] as usize]
        })
    }

    /// Has each symbol take one slot, whatever it spans, as if words began as they are now.
    pub fn close_up(&mut self, tokens: &Tokens, monitor: &Monitor) -> Result<()> {
        self.far.clear();
        let (mut from, mut to, mut begin) = (1, 1, 1);
        while from < self.slots.len() {
            let slot = self.slots[from];
            self.slots[to] = slot;
            if is_end(slot) {
                from += 1;
                if to - begin > NEAR {
                    self.far.push(to as u32);
                }
                begin = to + 1;
            } else {
                from += tokens.span(slot) as usize;
            }
            to += 1;
            if to.is_multiple_of(SLOTS_PER_CHECK) {
                monitor.check()?;
            }
        }
        self.slots.truncate(to);
        Ok(())
    }

    /// Whether learning takes so much memory that what others left of it should be given back.
    pub fn is_large(&self) -> bool {
        size_of_val(self.slots.as_slice()) > LARGE
    }

    /// Whether any pair is left, anywhere, that may be merged.
    pub fn any_pair(&self, tokens: &Tokens, monitor: &Monitor) -> Result<bool> {
        let (mut place, mut next_check) = (1, 0);
        while place + 1 < self.slots.len() {
            if place >= next_check {
                monitor.check()?;
                next_check = place + PAIRS_PER_CHECK;
            }
            let left = self.slots[place];
            if is_end(left) {
                place += 1;
                continue;
            }
            place += tokens.span(left) as usize;
            let right = self.slots[place];
            if !is_end(right) && tokens.may_merge(Pair::new(left, right)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `pair`, whose left symbol spans `span` slots, occurs at a place where it once did.
    ///
    /// A slot where the left symbol began holds its id until that symbol is merged, and never
    /// again after: it then holds the id of something longer, or an [`END`]. The two conditions
    /// are not joined by `&&`, because a jump here is guessed wrong half of the time.
    pub fn holds(&self, pair: Pair, span: u32, place: u32) -> bool {
        let left = self.slots[place as usize] == pair.left();
        let right = self.slots[(place + span) as usize] == pair.right();
        left & right
    }

    /// Replaces `pair` by `merged` at those of the ascending `places` that still hold it.
    ///
    /// Each replacement tells `sides` which symbols are now to its left and to its right. Returns
    /// how many there were.
    pub fn replace(
        &mut self,
        (pair, merged): (Pair, u32),
        places: &[u32],
        tokens: &Tokens,
        mut sides: [&mut Neighbours; 2],
    ) -> u64 {
        let [span, right_span] = [pair.left(), pair.right()].map(|part| tokens.span(part));
        let (mut replaced, mut times) = (0, 0);
        let mut likely = [0; PLACES_AT_ONCE];
        let mut rest = places;
        while !rest.is_empty() {
            let (places, behind) = rest.split_at(PLACES_AT_ONCE.min(rest.len()));
            rest = behind;
            let mut found = 0;
            for &place in places {
                likely[found] = place;
                found += usize::from(self.holds(pair, span, place));
            }
            // the word's end is mostly among the next slots, which may reach into the next line
            for &place in &rest[..PLACES_AT_ONCE.min(rest.len())] {
                prefetch(&self.slots[place as usize]);
                self.slots.get(place as usize + 2 * NUMBERS - 1).into_iter().for_each(prefetch);
            }
            for &place in &likely[..found] {
                // in a run of equal symbols, the replacement before may have taken this one's left
                if self.holds(pair, span, place) {
                    let ends = [place, place + span, place + span + right_span];
                    replaced += self.replace_one(merged, ends, tokens, &mut sides);
                    times += 1;
                }
            }
        }
        self.count_replaced(pair, merged, replaced);
        times
    }

    /// Replaces the two symbols that begin at `left` and `right` and end before `next`.
    fn replace_one(
        &mut self,
        merged: u32,
        [left, right, next]: [u32; 3],
        tokens: &Tokens,
        [lefts, rights]: &mut [&mut Neighbours; 2],
    ) -> u64 {
        let before = self.slots[left as usize - 1];
        let after = self.slots[next as usize];
        let end = self.end_behind(left);
        let count = self.count(end);
        // inner slots where both parts are longer than one; else overwritten next
        self.slots[right as usize - 1] = end;
        self.slots[right as usize] = end;
        self.slots[left as usize] = merged;
        self.slots[next as usize - 1] = merged;
        if !is_end(before) {
            lefts.push(before, left - tokens.span(before), count);
        }
        if !is_end(after) {
            rights.push(after, left, count);
        }
        count
    }

    fn count_replaced(&mut self, pair: Pair, merged: u32, replaced: u64) {
        self.frequencies[merged as usize] += replaced;
        self.frequencies[pair.left() as usize] -= replaced;
        self.frequencies[pair.right() as usize] -= replaced;
    }

    /// Makes room for a new symbol that does not occur yet.
    pub fn add_symbol(&mut self) {
        self.frequencies.push(0);
    }
}

/// Whether a slot is the end of a word.
pub(super) fn is_end(slot: u32) -> bool {
    slot & END != 0
}
