//! Learning: merge the most frequent pair, again and again.
//!
//! What changes by a merge is found around its own occurrences: nothing is counted anew, but once
//! where pairs were left out that are needed (see `rare`).

use std::borrow::Borrow;

use crate::arch::pages::give_back;
use crate::error::{Error, Result};
use crate::model::Merge;
use crate::monitor::Monitor;
use crate::vocabulary::MAX_ID;

use super::alphabet::{Base, Survey};
use super::build::Learned;
use super::corpus::{Corpus, Speller};
use super::course::{Course, Done, Keeper, Replay};
use super::neighbours::{Found, Neighbours};
use super::options::{LearnOptions, Ties};
use super::pairs::{Occurrences, Pair, Pairs};
use super::queue::Queue;
use super::rare::least_kept;
use super::report::{StopReason, TrainingReport};
use super::required::Required;
use super::ties::{
    Candidate, FirstSeen, LargestStrings, Shortest, SmallestIds, SmallestStrings, TieRule,
};
use super::tokens::Tokens;
use super::words::WordCounts;

/// Places visited between two looks at the monitor: below a millisecond, even from memory.
const PLACES_PER_CHECK: usize = 1 << 13;

/// Learns merges from word counts; the words' order matters only to [`Ties::FirstSeen`].
///
/// ```
/// use digram::monitor::{Monitor, Nobody};
/// use digram::train::{learn, LearnOptions, WordCounts};
///
/// let counts = WordCounts::from_pairs([("hug", 10), ("pug", 5), ("pun", 12), ("hugs", 5)])?;
/// let options = LearnOptions { num_merges: Some(2), ..LearnOptions::default() };
/// let (learned, report) = learn(&counts, &options, &Monitor::new(&Nobody))?;
/// assert_eq!(learned.tokens[256].bytes, b"ug");
/// assert_eq!(report.merge_frequencies(), [20, 15]);
/// # Ok::<(), digram::Error>(())
/// ```
pub fn learn(
    counts: &WordCounts,
    options: &LearnOptions,
    monitor: &Monitor,
) -> Result<(Learned, TrainingReport)> {
    learn_on(counts, options, Course::default(), monitor)
}

/// Learns as [`learn`] does, from where it was before, and lets what it does be kept. Counts that
/// are not lent but given (in an [`Arc`](std::sync::Arc), say) are dropped as soon as they are read.
///
/// Fails also where what was done before was done to other words, or under other options, as far
/// as its numbers tell.
pub fn learn_on(
    counts: impl Borrow<WordCounts>,
    options: &LearnOptions,
    course: Course,
    monitor: &Monitor,
) -> Result<(Learned, TrainingReport)> {
    options.check()?;
    let survey = Survey::new(counts.borrow(), options, monitor)?;
    let mut tokens = Tokens::new(options)?;
    let specials = tokens.len();
    let base = Base::new(&survey, options, |text, _, ends_word| tokens.push(text, ends_word));
    let spelled: Vec<_> =
        (specials..tokens.len()).map(|id| tokens.text(id as u32).to_vec()).collect();
    options.check_base(&spelled)?;
    let begin = Begin { counts, survey: &survey, speller: &base, tokens, course };
    let (learned, report) = learn_from(begin, options, monitor)?;
    Ok((learned, report.with_bytes(options.first_byte(), &survey.bytes)))
}

/// What learning begins with: words, how they are spelled, and in which tokens.
pub(super) struct Begin<'a, C> {
    pub counts: C,
    pub survey: &'a Survey,
    pub speller: &'a dyn Speller,
    pub tokens: Tokens,
    pub course: Course<'a>,
}

/// Learns merges of words that are spelled in given tokens, and merged as far as they were.
pub(super) fn learn_from<C: Borrow<WordCounts>>(
    mut begin: Begin<C>,
    options: &LearnOptions,
    monitor: &Monitor,
) -> Result<(Learned, TrainingReport)> {
    if begin.course.done.merges.is_empty() {
        return learn_by_ties(begin, options, monitor);
    }
    let done = &begin.course.done;
    done.check(&begin.tokens, options)?;
    let required: usize = options.required.iter().map(String::len).sum();
    let longest = begin.survey.distinct_symbols + required as u64;
    begin.tokens.replay(&done.merges, longest)?;
    let replay = Replay::new(begin.speller, &done.merges);
    learn_by_ties(Begin { speller: &replay, ..begin }, options, monitor)
}

fn learn_by_ties<C: Borrow<WordCounts>>(
    begin: Begin<C>,
    options: &LearnOptions,
    monitor: &Monitor,
) -> Result<(Learned, TrainingReport)> {
    match options.ties {
        Ties::SmallestIds => Learner::<SmallestIds>::learn(begin, options, monitor),
        Ties::FirstSeen => Learner::<FirstSeen>::learn(begin, options, monitor),
        Ties::SmallestStrings => Learner::<SmallestStrings>::learn(begin, options, monitor),
        Ties::LargestStrings => Learner::<LargestStrings>::learn(begin, options, monitor),
        Ties::Shortest => Learner::<Shortest>::learn(begin, options, monitor),
    }
}

/// Learning under way.
pub(super) struct Learner<'a, R: TieRule> {
    pub options: &'a LearnOptions,
    pub monitor: &'a Monitor<'a>,
    pub tokens: Tokens,
    pub done: Done,
    pub pairs: Pairs,
    /// The least count of a pair that is kept while there are others.
    pub rarest: u64,
    keeper: Option<&'a dyn Keeper>,
    /// Distinct words, and all together.
    words: (u64, u64),
    pub corpus: Corpus,
    pub queue: Queue<R::Key>,
    lefts: Neighbours,
    rights: Neighbours,
}

impl<'a, R: TieRule> Learner<'a, R> {
    fn learn<C: Borrow<WordCounts>>(
        begin: Begin<'a, C>,
        options: &'a LearnOptions,
        monitor: &'a Monitor<'a>,
    ) -> Result<(Learned, TrainingReport)> {
        let mut required = Required::new(begin.speller, options, monitor)?;
        let mut learner = Self::new(begin, required.is_made(), options, monitor)?;
        let outcome = learner.make(&mut required).and_then(|()| learner.run());
        let kept = learner.keep();
        let stopped = outcome?;
        kept?;
        let done = learner.done.merges.len() as u64;
        monitor.finish("merges", done, done)?;
        Ok(learner.finish(stopped))
    }

    fn new<C: Borrow<WordCounts>>(
        begin: Begin<'a, C>,
        required_are_made: bool,
        options: &'a LearnOptions,
        monitor: &'a Monitor<'a>,
    ) -> Result<Self> {
        let Begin { counts, survey, speller, tokens, course } = begin;
        let words = (counts.borrow().len() as u64, counts.borrow().total());
        let corpus = Corpus::new(counts.borrow(), survey, (speller, &tokens), monitor)?;
        drop(counts);
        if corpus.is_large() {
            give_back();
        }
        let done = course.done.on(&corpus)?;
        let left = options.merges_left(tokens.count(), done.merges.len() as u64);
        let rarest = least_kept((&corpus, &tokens), options.min_frequency, left);
        let least = if required_are_made { rarest } else { 1 }; // any pair may be needed for them
        let pairs = corpus.count_pairs(least, &tokens, monitor)?;
        let queue = Queue::of::<R>(&pairs, &tokens, monitor)?;
        let mut learner = Self {
            options,
            monitor,
            tokens,
            done,
            pairs,
            rarest,
            keeper: course.keeper,
            words,
            corpus,
            queue,
            lefts: Neighbours::default(),
            rights: Neighbours::default(),
        };
        learner.make_room();
        Ok(learner)
    }

    fn make_room(&mut self) {
        self.lefts.resize(self.tokens.len());
        self.rights.resize(self.tokens.len());
    }

    /// Merges until a limit is reached or no pair is left.
    fn run(&mut self) -> Result<StopReason> {
        let total = self.total();
        loop {
            if let Some(reached) = self.limit() {
                return Ok(reached);
            }
            self.monitor.report("merges", self.done.merges.len() as u64, total)?;
            let Some(chosen) = self.choose()? else {
                if self.recall_rare()? {
                    continue;
                }
                return self.exhausted();
            };
            let tied = self.tied(&chosen);
            self.merge(chosen, (tied, total))?;
        }
    }

    /// The limit that is reached, if one is.
    fn limit(&self) -> Option<StopReason> {
        if self.options.vocab_size == Some(self.tokens.count()) {
            return Some(StopReason::VocabSize);
        }
        let merges = self.done.merges.len() as u64;
        (self.options.num_merges == Some(merges)).then_some(StopReason::NumMerges)
    }

    /// How many merges there can be at most, or 0 where nothing limits them.
    fn total(&self) -> u64 {
        let merges = self.done.merges.len() as u64;
        let left = self.options.merges_left(self.tokens.count(), merges);
        left.map_or(0, |left| merges + left)
    }

    fn exhausted(&self) -> Result<StopReason> {
        let rare = self.options.min_frequency > 1;
        let is_left = rare && self.corpus.any_pair(&self.tokens, self.monitor)?;
        Ok(if is_left { StopReason::MinFrequency } else { StopReason::NoPairs })
    }

    /// Takes the best pair off the queue: the first whose entry still tells the truth.
    fn choose(&mut self) -> Result<Option<Candidate<R::Key>>> {
        let mut looked_at = 0_u32;
        while let Some(top) = self.queue.top(|one, other| R::before(one, other, &self.tokens)) {
            looked_at += 1;
            if looked_at.is_multiple_of(256) {
                self.monitor.check()?;
            }
            let now = self.candidate(top.pair);
            let before = |one: &_, other: &_| R::before(one, other, &self.tokens);
            match now {
                None => self.queue.pop(before),
                Some(now) if now.count == top.count && now.key == top.key => {
                    self.queue.pop(before);
                    return Ok(Some(now));
                }
                Some(now) => self.queue.replace_top(now, before),
            }
        }
        Ok(None)
    }

    /// How many pairs are as frequent as the one just taken off the queue, itself included.
    fn tied(&mut self, chosen: &Candidate<R::Key>) -> u32 {
        let (count, queue) = (chosen.count, &self.queue);
        self.pairs.tied(count, |pairs| {
            let is_true =
                |one: &Candidate<_>| pairs.get(one.pair).is_some_and(|p| p.count == count);
            1 + queue.count_first(count, is_true)
        })
    }

    /// A pair as it is now, or `None` where it is gone or has become too rare.
    pub(super) fn candidate(&mut self, pair: Pair) -> Option<Candidate<R::Key>> {
        let mut first = 0;
        if R::MOVES {
            let Occurrences { start, end, .. } = *self.pairs.get(pair)?;
            let span = self.tokens.span(pair.left());
            let places = &self.pairs.places()[start..end];
            let gone = places.iter().take_while(|&&place| !self.corpus.holds(pair, span, place));
            let gone = gone.count();
            first = places[gone];
            self.pairs.get_mut(pair)?.start += gone;
        }
        let count = self.pairs.get(pair)?.count;
        Some(Candidate { count, pair, key: R::key(pair, first, &self.tokens) })
    }

    /// Makes a pair a token, and puts it wherever the pair occurs.
    pub(super) fn merge(
        &mut self,
        chosen: Candidate<R::Key>,
        (tied, total): (u32, u64),
    ) -> Result<()> {
        let Candidate { pair, count, .. } = chosen;
        let merged = self.tokens.len() as u32;
        if merged > MAX_ID {
            return Err(Error::Limit(format!(
                "id {merged} is larger than {MAX_ID}, the largest supported; give a vocab_size"
            )));
        }
        let done = self.done.merges.len() as u64;
        self.tokens.push_product(pair);
        self.corpus.add_symbol();
        self.make_room();
        let live = self.live(pair);
        let places = self.replace(pair, merged, (done, total))?;
        self.update_pairs(pair, merged);
        let made = u32::from(self.corpus.frequencies[merged as usize] > 0);
        self.corpus.live_symbols = self.corpus.live_symbols + made + self.live(pair) - live;
        let merge = Merge { left: pair.left(), right: pair.right(), merged };
        self.done.push(merge, count, (self.corpus.live_symbols, places, tied));
        match self.keeper {
            Some(keeper) if keeper.is_due() => self.keep(),
            _ => Ok(()),
        }
    }

    /// Has kept what is done.
    fn keep(&self) -> Result<()> {
        self.keeper.map_or(Ok(()), |keeper| keeper.keep(&self.done))
    }

    /// How many symbols of a pair occur anywhere.
    fn live(&self, pair: Pair) -> u32 {
        let occurs = |id: u32| u32::from(self.corpus.frequencies[id as usize] > 0);
        let right = if pair.left() == pair.right() { 0 } else { occurs(pair.right()) };
        occurs(pair.left()) + right
    }

    fn replace(&mut self, pair: Pair, merged: u32, (done, total): (u64, u64)) -> Result<u64> {
        let Some(&Occurrences { start, end, .. }) = self.pairs.get(pair) else {
            return Ok(0);
        };
        let mut times = 0;
        self.pairs.remove(pair);
        for places in self.pairs.places()[start..end].chunks(PLACES_PER_CHECK) {
            self.monitor.report("merges", done, total)?;
            let sides = [&mut self.lefts, &mut self.rights];
            times += self.corpus.replace((pair, merged), places, &self.tokens, sides);
        }
        self.pairs.give_back(start, end);
        Ok(times)
    }

    /// Lowers the counts of the pairs that the merge broke, and adds those that it made.
    ///
    /// Between two new symbols there was the pair (right, left): the first of them lowered it as
    /// its right neighbour, and raised (merged, left); the second then found `merged` to its
    /// left, so what it broke is (merged, left), and what it made is (merged, merged).
    fn update_pairs(&mut self, pair: Pair, merged: u32) {
        let (left, right) = (pair.left(), pair.right());
        let Self { pairs, lefts, rights, .. } = self;
        lefts.announce(pairs, |symbol| Pair::new(symbol, left));
        rights.announce(pairs, |symbol| Pair::new(right, symbol));
        lefts.announce(pairs, |symbol| Pair::new(symbol, merged));
        rights.announce(pairs, |symbol| Pair::new(merged, symbol));
        lefts.lower_pairs(pairs, |symbol| Pair::new(symbol, left), Some(merged));
        rights.lower_pairs(pairs, |symbol| Pair::new(right, symbol), None);
        let adjacent = self.lefts.count(merged);
        self.make_pairs(merged, adjacent, left);
    }

    /// Adds the pairs of `merged` and its neighbours, each with its places, to the queue.
    fn make_pairs(&mut self, merged: u32, adjacent: u64, left: u32) {
        let Self { tokens, queue, pairs, lefts, rights, .. } = self;
        let mut add = |pairs: &mut Pairs, pair, count, found: Found| {
            if !pairs.keeps(count) || !tokens.may_merge(pair) {
                return None;
            }
            let key = R::key(pair, found.first, tokens);
            queue.push(Candidate { count, pair, key }, |one, other| R::before(one, other, tokens));
            Some(pairs.insert(pair, count, found.places as usize))
        };
        lefts.make_pairs(pairs, |pairs, symbol, found| {
            add(pairs, Pair::new(symbol, merged), found.count, found)
        });
        rights.make_pairs(pairs, |pairs, symbol, found| {
            let gone = if symbol == left { adjacent } else { 0 };
            add(pairs, Pair::new(merged, symbol), found.count - gone, found)
        });
    }

    fn finish(self, stopped: StopReason) -> (Learned, TrainingReport) {
        let report = TrainingReport {
            merges: self.done.merges.clone(),
            symbols_at_start: self.done.symbols_at_start(),
            frequencies: self.done.frequencies,
            symbols_at_end: self.corpus.frequencies.iter().sum(),
            live_frequencies: self.corpus.frequencies,
            live_symbols: self.done.live_symbols,
            places: self.done.places,
            tied: self.done.tied,
            stopped,
            words: self.words.0,
            occurrences: self.words.1,
        };
        let (tokens, unknown) = (self.tokens.to_vocabulary(), self.options.unknown());
        (Learned { tokens, merges: self.done.merges, unknown }, report)
    }
}
