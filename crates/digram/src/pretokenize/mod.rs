//! Text to words: the pre-tokenizer, made ready to run.
//!
//! A word is a piece of text that merges never cross. The pattern (a regex) is the
//! specification; how it runs is [`scanner`]'s business, and nobody can observe it.

mod ahead;
mod algebra;
mod atoms;
mod backtracking;
mod backward;
mod batch;
mod begins;
pub(crate) mod classes;
mod compiled;
mod patterns;
mod picking;
mod places;
mod possessive;
mod rewrite;
mod rules;
pub mod scanner;
pub(crate) mod scripts;
mod sets;
mod spelled;
mod stage;
mod stages;
#[cfg(test)]
mod stages_tests;
mod sweep;
#[cfg(test)]
mod sweep_tests;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::arch::Kernel;
use crate::components::{Behavior, Metaspace, Pattern, PreTokenizer};
use crate::error::Result;
use crate::limits;
pub(crate) use backtracking::bounded;
pub use batch::Batch;
use compiled::Compiled;
use picking::Together;
pub use places::{Bounds, Line, STOP, VISIBLE_SPACE, line_of};
pub use rewrite::{Part, Prepared};
use rewrite::{Rewrite, Step};
use scanner::{ScanCache, Scanner};
pub use spelled::Spelled;
use spelled::Spelling;
use stage::{Stage, Walk};
use stages::Filling;
use sweep::SweepCache;

/// GPT-2's pattern, which the byte level splits with unless told otherwise.
pub const GPT2: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// Words, and what is neither word nor blank.
const WORDS: &str = r"\w+|[^\w\s]+";

/// A pre-tokenizer, ready to run.
pub struct Splitter {
    /// What is done up to the last change of the text itself.
    rewriting: Vec<Step>,
    /// The splits behind it.
    stages: Vec<Stage>,
    /// What is known of those, and of all but the first ones.
    together: Vec<Together>,
    /// What finds them where bytes are spelled before, and nothing else is changed.
    spelling: Option<Spelling>,
    /// How many times longer a text may become.
    expansion: u64,
}

/// What a splitter needs while it runs; one per thread.
#[derive(Default)]
pub struct SplitCache {
    stages: Vec<ScanCache>,
    /// Of the stages before bytes are spelled, and the words that they find.
    before: Vec<ScanCache>,
    words: Batch,
    sweep: SweepCache,
}

impl Splitter {
    /// A splitter that runs `pre_tokenizer`; without one, a text is one word.
    pub fn new(pre_tokenizer: Option<&PreTokenizer>) -> Result<Self> {
        Self::build(pre_tokenizer, false, Compiled::default())
    }

    /// A splitter for learning words from a text. Refuses patterns that match the empty text: who
    /// writes one hardly means that each character is a word.
    pub fn for_training(pre_tokenizer: Option<&PreTokenizer>) -> Result<Self> {
        let compiled = Compiled::refusing_empty();
        Self::build(pre_tokenizer, false, compiled)
    }

    /// A splitter that leaves bytes in the spelling of the byte level, wherever that stands.
    pub fn spelling(pre_tokenizer: Option<&PreTokenizer>) -> Result<Self> {
        Self::build(pre_tokenizer, true, Compiled::default())
    }

    fn build(
        pre_tokenizer: Option<&PreTokenizer>,
        spells: bool,
        mut compiled: Compiled,
    ) -> Result<Self> {
        let mut splitter = Self {
            rewriting: Vec::new(),
            stages: Vec::new(),
            together: Vec::new(),
            spelling: None,
            expansion: limits::EXPANSION,
        };
        if let Some(pre_tokenizer) = pre_tokenizer {
            compiled.count = limits::regexes_of_pre_tokenizer(pre_tokenizer).max(1);
            splitter.add(pre_tokenizer, spells, &mut compiled)?;
            splitter.together = Together::of(&splitter.stages);
            splitter.spelling = Spelling::of(&splitter.rewriting, &splitter.stages);
        }
        Ok(splitter)
    }

    /// The same, by which a text may become so many times longer, and a megabyte.
    #[must_use]
    pub fn growing(self, expansion: u64) -> Self {
        Self { expansion, ..self }
    }

    fn add(
        &mut self,
        pre_tokenizer: &PreTokenizer,
        spells: bool,
        compiled: &mut Compiled,
    ) -> Result<()> {
        match pre_tokenizer {
            PreTokenizer::ByteLevel(byte_level) => {
                if byte_level.add_prefix_space {
                    self.rewrite(Rewrite::PrefixSpace);
                }
                if byte_level.use_regex {
                    let scanner = compiled.own(GPT2, || Scanner::new(GPT2))?;
                    self.push_shared(scanner, Behavior::Isolated, false);
                }
                if spells {
                    self.rewrite(Rewrite::Spell);
                }
            }
            PreTokenizer::Split { pattern, behavior: Behavior::Removed, invert: false }
                if let Some(class) = sets::removed(pattern) =>
            {
                self.stages.push(Stage::between(&class));
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let scanner = match pattern {
                    Pattern::Regex(regex) => compiled.given(regex)?,
                    Pattern::String(literal) => {
                        Arc::new(Scanner::new(&regex_syntax::escape(literal))?)
                    }
                };
                self.push_shared(scanner, *behavior, *invert);
            }
            PreTokenizer::Whitespace => {
                let scanner = compiled.own(WORDS, || Scanner::new(WORDS))?;
                self.push_shared(scanner, Behavior::Removed, true);
            }
            PreTokenizer::WhitespaceSplit => self.stages.push(Stage::between(&sets::blanks())),
            PreTokenizer::UnicodeScripts => self.push(Scanner::scripts(), Behavior::Removed, true),
            PreTokenizer::Metaspace(metaspace) => self.add_metaspace(metaspace),
            PreTokenizer::Sequence { pretokenizers } => {
                pretokenizers.iter().try_for_each(|part| self.add(part, spells, compiled))?;
            }
            other => self.add_characters(other)?,
        }
        Ok(())
    }

    /// Adds a pre-tokenizer that looks at single characters.
    fn add_characters(&mut self, pre_tokenizer: &PreTokenizer) -> Result<()> {
        let class = |class, behavior| {
            // runs are what touching matches come to
            let of_runs = behavior == Behavior::Contiguous;
            (Scanner::class(class, of_runs), if of_runs { Behavior::Isolated } else { behavior })
        };
        let (scanner, behavior) = match *pre_tokenizer {
            PreTokenizer::Digits { individual_digits: true } => {
                class(sets::numbers(), Behavior::Isolated)
            }
            PreTokenizer::Digits { individual_digits: false } => {
                class(sets::numbers(), Behavior::Contiguous)
            }
            PreTokenizer::Punctuation { behavior: Behavior::Removed } => {
                self.stages.push(Stage::between(&sets::punctuation()));
                return Ok(());
            }
            PreTokenizer::Punctuation { behavior } => class(sets::punctuation(), behavior),
            PreTokenizer::CharDelimiterSplit { delimiter } => {
                self.stages.push(Stage::between(&sets::one(delimiter)));
                return Ok(());
            }
            PreTokenizer::BertPreTokenizer => {
                let words = sets::alone_or_between(sets::punctuation(), &sets::blanks());
                self.stages.push(Stage::matches_of(Scanner::classes(words)));
                return Ok(());
            }
            PreTokenizer::FixedLength { length } => {
                (Scanner::fixed_length(length)?, Behavior::Isolated)
            }
            _ => unreachable!("the caller takes the others"),
        };
        self.push(scanner, behavior, false);
        Ok(())
    }

    fn add_metaspace(&mut self, metaspace: &Metaspace) {
        self.rewrite(Rewrite::Metaspace(metaspace.clone()));
        if metaspace.split {
            self.stages.push(Stage::beginning_with(metaspace.replacement));
        }
    }

    fn push(&mut self, scanner: Scanner, behavior: Behavior, invert: bool) {
        self.push_shared(Arc::new(scanner), behavior, invert);
    }

    fn push_shared(&mut self, scanner: Arc<Scanner>, behavior: Behavior, invert: bool) {
        self.stages.push(Stage::new(scanner, behavior, invert));
    }

    /// Adds a change of the text; what was added before is done before it.
    fn rewrite(&mut self, rewrite: Rewrite) {
        self.rewriting.extend(self.stages.drain(..).map(Step::Split));
        self.rewriting.push(Step::Rewrite(rewrite));
    }

    /// Calls `word` with the start and end of each word of a prepared text, in order.
    pub fn words<F>(&self, text: &Prepared, cache: &mut SplitCache, mut word: F) -> Result<()>
    where
        F: FnMut(usize, usize) -> Result<()>,
    {
        for &part in &text.parts {
            self.words_of(text, part, cache, &mut word)?;
        }
        Ok(())
    }

    /// Calls `word` with the start and end of each word of a part, in order.
    pub fn words_of<F>(
        &self,
        text: &Prepared,
        part: Part,
        cache: &mut SplitCache,
        mut word: F,
    ) -> Result<()>
    where
        F: FnMut(usize, usize) -> Result<()>,
    {
        let whole = &text.text[part.start..part.end];
        if whole.is_empty() {
            return Ok(());
        }
        let mut word = |start, end| word(part.start + start, part.start + end);
        split(&self.stages, whole, 0, cache, 0, &mut word)
    }

    /// Whether a word may be scanned from wherever one begins, as each is a piece of its own, and
    /// none is dropped.
    pub fn words_are_apart(&self) -> bool {
        matches!(self.stages.as_slice(), [stage] if stage.is_plain())
    }

    /// The last place, near the end of a text that is not rewritten, at which it may as well end:
    /// whatever follows, the words of the whole are those of the two sides. `None` where there is
    /// none, or none that can be told.
    pub fn place_of_end(&self, text: &str) -> Option<usize> {
        stages::place_of_end(&self.stages, text)
    }

    /// Fills `batch` with the next words of `text` from `position`, which is not at its end, and
    /// returns where to go on. There may be no word in it: where a piece is dropped.
    ///
    /// The words are those that [`step`](Outermost::step) tells. It is called until there are some
    /// thousand words, so that there are more only where one piece holds more.
    pub fn fill(
        &self,
        text: &str,
        position: usize,
        cache: &mut SplitCache,
        batch: &mut Batch,
    ) -> Result<usize> {
        batch.begin(position);
        self.fill_on(text, position, cache, batch)
    }

    /// The same behind words that are in the batch, which has room and ends where the next words begin.
    pub fn fill_on(
        &self,
        text: &str,
        position: usize,
        cache: &mut SplitCache,
        batch: &mut Batch,
    ) -> Result<usize> {
        let SplitCache { stages: scans, sweep, .. } = cache;
        scans.resize_with(self.stages.len().max(scans.len()), ScanCache::default);
        let filling =
            &mut Filling { kernel: Kernel::chosen(), batch, sweep, together: &self.together };
        filling.fill(&self.stages, scans, text, position)
    }

    /// Whether a text is split as it is alone where it follows others, of which nothing is told.
    pub fn splits_alike_behind_others(&self) -> bool {
        self.stages.iter().all(Stage::looks_ahead_only)
    }

    /// The outermost pieces of a text, one by one.
    pub fn outermost<'a>(&'a self, text: &'a str) -> Outermost<'a> {
        let stages = self.stages.split_first();
        Outermost { text, stages: stages.map(|(stage, inner)| (stage.walk(text), inner)) }
    }
}

/// The outermost pieces of a text.
pub struct Outermost<'a> {
    text: &'a str,
    stages: Option<(Walk<'a>, &'a [Stage])>,
}

impl Outermost<'_> {
    /// Calls `word` with each word of the piece that begins at `position`, and returns where the next piece begins.
    ///
    /// That depends on the text and the position alone: two scans that meet at a position go on
    /// alike, which is what lets a text be scanned from several places at once.
    #[inline]
    pub fn step<F>(
        &mut self,
        position: usize,
        cache: &mut SplitCache,
        word: &mut F,
    ) -> Result<usize>
    where
        F: FnMut(usize, usize) -> Result<()>,
    {
        let Some((walk, inner)) = &mut self.stages else {
            word(position, self.text.len())?;
            return Ok(self.text.len());
        };
        let (piece, kept) = walk.next(position, cache.stage(0))?;
        if kept {
            if inner.is_empty() {
                word(piece.start, piece.end)?;
            } else {
                let part = &self.text[piece.start..piece.end];
                split(inner, part, piece.start, cache, 1, word)?;
            }
        }
        Ok(piece.end)
    }
}

/// Runs `stages` over `text`, which begins at `offset` of the whole.
fn split(
    stages: &[Stage],
    text: &str,
    offset: usize,
    cache: &mut SplitCache,
    depth: usize,
    word: &mut dyn FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    let Some((stage, inner)) = stages.split_first() else {
        return word(offset, offset + text.len());
    };
    let (mut position, mut walk) = (0, stage.walk(text));
    while position < text.len() {
        let (piece, kept) = walk.next(position, cache.stage(depth))?;
        if kept {
            let part = &text[piece.start..piece.end];
            split(inner, part, offset + piece.start, cache, depth + 1, word)?;
        }
        position = piece.end;
    }
    Ok(())
}

impl SplitCache {
    fn stage(&mut self, depth: usize) -> &mut ScanCache {
        if self.stages.len() <= depth {
            self.stages.resize_with(depth + 1, ScanCache::default);
        }
        &mut self.stages[depth]
    }
}
