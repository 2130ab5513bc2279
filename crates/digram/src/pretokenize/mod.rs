//! Text to words: the pre-tokenizer, made ready to run.
//!
//! A word is a piece of text that merges never cross. The pattern (a regex) is the
//! specification; how it runs is [`scanner`]'s business, and nobody can observe it.

mod patterns;
pub mod scanner;
#[cfg(test)]
mod tests;

use crate::components::{Behavior, Pattern, PreTokenizer};
use crate::error::{Error, Result};
use scanner::{Piece, ScanCache, Scanner};

/// GPT-2's pattern, which the byte level splits with unless told otherwise.
pub const GPT2: &str =
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// A pre-tokenizer, ready to run.
pub struct Splitter {
    prefix_space: bool,
    stages: Vec<Stage>,
}

/// One split: the pieces that it keeps go on to the next.
struct Stage {
    scanner: Scanner,
    /// Whether what the first pattern matches is kept.
    matches: bool,
    /// Whether what lies between matches is kept.
    gaps: bool,
    /// Whether what later alternatives match is dropped.
    only_first: bool,
}

impl Stage {
    fn keeps(&self, piece: Piece) -> bool {
        match piece.pattern {
            None => self.gaps,
            Some(alternative) => self.matches && (alternative == 0 || !self.only_first),
        }
    }
}

/// What a splitter needs while it runs; one per thread.
#[derive(Default)]
pub struct SplitCache {
    stages: Vec<ScanCache>,
}

impl Splitter {
    /// A splitter that runs `pre_tokenizer`; without one, a text is one word.
    pub fn new(pre_tokenizer: Option<&PreTokenizer>) -> Result<Self> {
        let mut splitter = Self { prefix_space: false, stages: Vec::new() };
        if let Some(pre_tokenizer) = pre_tokenizer {
            splitter.add(pre_tokenizer)?;
        }
        Ok(splitter)
    }

    fn add(&mut self, pre_tokenizer: &PreTokenizer) -> Result<()> {
        match pre_tokenizer {
            PreTokenizer::ByteLevel(byte_level) => {
                if byte_level.add_prefix_space {
                    self.add_prefix_space()?;
                }
                if byte_level.use_regex {
                    self.push(Scanner::new(GPT2)?, true, true);
                }
            }
            PreTokenizer::Split { pattern, behavior, invert } => {
                let scanner = match pattern {
                    Pattern::Regex(regex) => Scanner::new(regex)?,
                    Pattern::String(literal) => Scanner::new(&regex_syntax::escape(literal))?,
                };
                let isolated = *behavior == Behavior::Isolated;
                self.push(scanner, isolated || *invert, isolated || !*invert);
            }
            PreTokenizer::Whitespace => {
                self.push_first(Scanner::alternatives(&[r"\w+|[^\w\s]+", r"\s+"]));
            }
            PreTokenizer::WhitespaceSplit => {
                self.push_first(Scanner::alternatives(&[r"\S+", r"\s+"]));
            }
            PreTokenizer::Sequence { pretokenizers } => {
                for part in pretokenizers {
                    self.add(part)?;
                }
            }
        }
        Ok(())
    }

    fn add_prefix_space(&mut self) -> Result<()> {
        if !self.stages.is_empty() {
            return Err(Error::Format(
                "pre_tokenizer: ByteLevel with add_prefix_space after another split is not supported".into(),
            ));
        }
        self.prefix_space = true;
        Ok(())
    }

    fn push(&mut self, scanner: Scanner, matches: bool, gaps: bool) {
        self.stages.push(Stage { scanner, matches, gaps, only_first: false });
    }

    fn push_first(&mut self, scanner: Scanner) {
        self.stages.push(Stage { scanner, matches: true, gaps: false, only_first: true });
    }

    /// Whether a space is put before a text that does not begin with one.
    pub fn prefixes_space(&self) -> bool {
        self.prefix_space
    }

    /// Calls `word` with the start and end of each word, in order.
    pub fn words<F>(&self, text: &str, cache: &mut SplitCache, mut word: F) -> Result<()>
    where
        F: FnMut(usize, usize) -> Result<()>,
    {
        let mut position = 0;
        while position < text.len() {
            position = self.step(text, position, cache, &mut word)?;
        }
        Ok(())
    }

    /// Calls `word` with each word of the outermost piece that begins at `position`, and returns
    /// where the next piece begins.
    ///
    /// That depends on the text and the position alone: two scans that meet at a position go on
    /// alike, which is what lets a text be scanned from several places at once.
    #[inline]
    pub fn step<F>(
        &self,
        text: &str,
        position: usize,
        cache: &mut SplitCache,
        word: &mut F,
    ) -> Result<usize>
    where
        F: FnMut(usize, usize) -> Result<()>,
    {
        let Some((stage, inner)) = self.stages.split_first() else {
            word(position, text.len())?;
            return Ok(text.len());
        };
        let piece = stage.scanner.next(text, position, cache.stage(0))?;
        if stage.keeps(piece) {
            if inner.is_empty() {
                word(piece.start, piece.end)?;
            } else {
                let part = &text[piece.start..piece.end];
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
    let mut position = 0;
    while position < text.len() {
        let piece = stage.scanner.next(text, position, cache.stage(depth))?;
        if stage.keeps(piece) {
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
