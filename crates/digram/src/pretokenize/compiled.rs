//! Patterns that are compiled while a splitter is made, each once.

use hashbrown::HashMap;
use std::sync::Arc;

use regex_automata::meta;

use super::backtracking::shortened;
use super::scanner::Scanner;
use crate::error::{Error, Result};

/// All compiled patterns together may be this large; it is held some four times over while one is
/// made. Published patterns have less than a tenth of it.
pub(super) const PATTERN_BYTES: usize = 8 << 20;

/// The patterns that are compiled already, while a splitter is made: each is compiled once.
#[derive(Default)]
pub(super) struct Compiled {
    scanners: HashMap<String, Arc<Scanner>>,
    /// How many patterns the pre-tokenizer gives, which share what patterns may take.
    pub count: usize,
    /// Whether patterns that match the empty text are refused.
    refuses_empty: bool,
}

impl Compiled {
    /// None yet, and patterns that match the empty text are refused.
    pub fn refusing_empty() -> Self {
        Self { refuses_empty: true, ..Self::default() }
    }

    /// That of a pattern that a file gives, or a user.
    pub fn given(&mut self, regex: &str) -> Result<Arc<Scanner>> {
        let Self { count, refuses_empty, .. } = *self;
        self.own(regex, || {
            let scanner = Scanner::one_of(regex, count)?;
            if refuses_empty {
                refuse_empty(regex, &scanner)?;
            }
            Ok(scanner)
        })
    }

    /// That of a pattern of the crate's own, or of one that was looked at.
    pub fn own(
        &mut self,
        pattern: &str,
        make: impl FnOnce() -> Result<Scanner>,
    ) -> Result<Arc<Scanner>> {
        if let Some(scanner) = self.scanners.get(pattern) {
            return Ok(Arc::clone(scanner));
        }
        let scanner = Arc::new(make()?);
        self.scanners.insert(pattern.to_owned(), Arc::clone(&scanner));
        Ok(scanner)
    }
}

fn refuse_empty(pattern: &str, scanner: &Scanner) -> Result<()> {
    if scanner.matches_empty()? {
        return Err(Error::Value(format!(
            "pattern {pattern:?} matches the empty text; a word has at least one character, so \
             write for example + instead of *"
        )));
    }
    Ok(())
}

/// Some patterns, which may take so many bytes, to be searched for.
#[expect(clippy::result_large_err, reason = "rare, and the engine's own type")]
pub(super) fn meta(
    patterns: &[&str],
    bytes: usize,
) -> std::result::Result<meta::Regex, meta::BuildError> {
    meta::Regex::builder()
        .configure(meta::Config::new().nfa_size_limit(Some(bytes)))
        .build_many(patterns)
}

pub(super) fn too_large(pattern: &str, count: usize) -> Error {
    Error::Limit(format!(
        "pattern {:?} is larger than {} bytes when compiled, its share of {PATTERN_BYTES} for \
         {count}; repeat less in it",
        shortened(pattern),
        PATTERN_BYTES / count
    ))
}
