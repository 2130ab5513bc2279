//! Ids to code points, where they stay.
//!
//! A text is as long as its tokens have characters, and as wide as the widest first byte of one says.
//! Both are known of each token; so the room for a text is there before any of it is, and what is
//! between, UTF-8, need not lie in memory as a whole: it is made some kilobytes at a time.

#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

use super::join::{BLOCK, MANY, append_all};
use crate::arch::pages::advise_unwritten;
use crate::arch::utf8::{self, Unit};
use crate::encode::Tokenizer;
use crate::error::Result;
use crate::monitor::Monitor;
use crate::vocabulary::{Vocabulary, Width, characters, is_inner};

/// So many bytes of UTF-8 are made before they are decoded: some blocks of ids, near in the cache.
const ENOUGH: usize = 8 << 10;
/// For fewer ids all of this costs more than it saves.
const LEAST: usize = 1024;

/// How large a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many characters it has.
    pub characters: usize,
    /// What none of them is beyond: the last character that goes into one, two or four bytes, or the
    /// last of ASCII.
    pub bound: u32,
}

impl Tokenizer {
    /// How large the text of `ids` is, if it is UTF-8; `None` where [`write_text`](Self::write_text)
    /// cannot write it, or need not, as it is short.
    ///
    /// Fails on the first id that is not in the vocabulary.
    pub fn size_of_text(
        &self,
        ids: &[u32],
        skip_special_tokens: bool,
        monitor: &Monitor,
    ) -> Result<Option<Size>> {
        let joins = self.joiner.only_joins(&self.model) && self.normalized.is_empty();
        if ids.len() < LEAST || !joins || !utf8::is_fast() {
            return Ok(None);
        }
        if skip_special_tokens && ids.iter().any(|&id| self.is_special(id)) {
            return Ok(None);
        }
        let (mut characters, mut widest) = (0, Width::NONE);
        for some in ids.chunks(MANY) {
            monitor.check()?;
            let (more, wide) = match size(some, self.model.vocabulary.widths()) {
                Some(size) => size,
                None => size_of_any(some, &self.model.vocabulary)?,
            };
            (characters, widest) = (characters + more, widest.or(wide));
        }
        Ok(Some(Size { characters, bound: widest.bound() }))
    }

    /// Writes the text of `ids` where there is room for so many characters up to a bound; false where
    /// it is no UTF-8, or not of that size: another thread may have written to the ids since it was
    /// told. Where it is true, all of `units` are written.
    pub fn write_text<U: Unit>(
        &self,
        ids: &[u32],
        (units, bound): (&mut [MaybeUninit<U>], u32),
        monitor: &Monitor,
    ) -> Result<bool> {
        let vocabulary = &self.model.vocabulary;
        advise_unwritten(units);
        let mut window = Vec::new();
        let (mut filled, mut written, mut largest) = (0, 0, 0);
        let mut blocks = ids.chunks(BLOCK).peekable();
        while let Some(block) = blocks.next() {
            filled = append_all(vocabulary, block, &mut window, filled)?;
            if filled < ENOUGH && blocks.peek().is_some() {
                continue;
            }
            monitor.check()?;
            let end = end_of_whole(&window[..filled]);
            largest = window[..end].iter().fold(largest, |largest, &byte| byte.max(largest));
            match utf8::decode_some(&window[..end], &mut units[written..]) {
                Some(count) => written += count,
                None => return Ok(false),
            }
            window.copy_within(end..filled, 0);
            filled -= end;
        }
        Ok(filled == 0 && written == units.len() && utf8::bound(largest) == bound)
    }
}

/// How many characters ids have, and a width of the widest; `None` where that is not known at once.
fn size(ids: &[u32], widths: &[Width]) -> Option<(usize, Width)> {
    Width::sum(ids.iter().map(|&id| *widths.get(id as usize).unwrap_or(&Width::GAP)))
}

/// The same, where a token is long or there is none.
#[cold]
fn size_of_any(ids: &[u32], vocabulary: &Vocabulary) -> Result<(usize, Width)> {
    let (mut all, mut widest) = (0, Width::NONE);
    for &id in ids {
        if !vocabulary.contains(id) {
            return Err(vocabulary.unknown(id));
        }
        all += characters(vocabulary.bytes(id));
        widest = widest.or(vocabulary.widths()[id as usize]);
    }
    Ok((all, widest))
}

/// Where the last character ends that ends in `bytes`, if they are UTF-8 so far.
fn end_of_whole(bytes: &[u8]) -> usize {
    // of a character that does not, three bytes at most are there
    let begins = bytes.iter().rev().take(3).position(|&byte| !is_inner(byte));
    let Some(there) = begins.map(|behind| behind + 1) else { return bytes.len() };
    let length = match bytes[bytes.len() - there] {
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
        _ => 1,
    };
    if length > there { bytes.len() - there } else { bytes.len() }
}
