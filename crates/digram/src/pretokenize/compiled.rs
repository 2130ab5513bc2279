//! Patterns that are compiled while a splitter is made, each once.

use hashbrown::HashMap;
use std::sync::Arc;

use super::scanner::Scanner;
use crate::error::{Error, Result};

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
