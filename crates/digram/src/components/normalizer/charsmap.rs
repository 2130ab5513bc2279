//! A precompiled charsmap: what `SentencePiece` replaces, as a trie and the replacements.
//!
//! Its bytes are the length of the trie (4 bytes, little endian), the trie, and the replacements,
//! each ending with a NUL. The trie is a double array of 32-bit units: a label in the low byte, a
//! flag for "ends here", and the offset of the children. Hugging Face asks it for each grapheme
//! cluster that is short, then for each character, taking the shortest match; `SentencePiece` asks
//! for the longest match at each place.

use std::ops::ControlFlow;

use unicode_segmentation::UnicodeSegmentation;

pub use rules::{Rules, named};
pub use table::Table;
pub use written::written;

use crate::error::{Error, Result};

mod rules;
mod table;
mod written;

/// Longer clusters are not asked for as a whole.
const LONGEST_CLUSTER: usize = 5;
/// Bytes of a unit of the trie.
const UNIT: usize = 4;

/// A charsmap, ready to run.
pub(super) struct Charsmap {
    table: Table,
    /// How many units the trie has, behind the first four bytes.
    units: usize,
    replacements: String,
}

impl Charsmap {
    /// A charsmap of a table. Fails where that is not what its own lengths say.
    pub fn of(table: &Table) -> Result<Self> {
        let bytes = table.bytes()?;
        let (length, rest) =
            bytes.split_first_chunk().ok_or_else(|| damaged("it is shorter than 4 bytes"))?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > rest.len() || !length.is_multiple_of(UNIT) {
            return Err(damaged(&format!("a trie of {length} bytes is not in it")));
        }
        let replacements = std::str::from_utf8(&rest[length..])
            .map_err(|error| damaged(&format!("its replacements: {error}")))?;
        let replacements = replacements.to_owned();
        Ok(Self { table: table.clone(), units: length / UNIT, replacements })
    }

    /// The trie.
    #[inline]
    fn trie(&self) -> Trie<'_> {
        // the length stands where a unit would
        Trie(&self.table.units()[1..=self.units])
    }

    /// The characters of the text, normalized, and what each changes as
    /// [`Editor::change`](crate::components::aligned::Editor::change) has it: as Hugging Face tells it, which
    /// counts what is left out at the very beginning as nothing.
    pub fn changes(&self, text: &str) -> Vec<(char, isize)> {
        let mut changes: Vec<(char, isize)> = Vec::new();
        self.each(text, |part, found| {
            changes.extend(found.unwrap_or(part).chars().map(|character| (character, 0)));
            let Some(found) = found else { return };
            let more = found.chars().count().cast_signed() - part.chars().count().cast_signed();
            for (_, change) in changes.iter_mut().rev().take(more.max(0).unsigned_abs()) {
                *change = 1;
            }
            if let Some((_, change)) = changes.last_mut().filter(|_| more < 0) {
                *change += more;
            }
        });
        changes
    }

    /// The text, or `None` where nothing is replaced; up to what goes beyond `most` bytes.
    pub fn normalize(&self, text: &str, most: usize) -> Option<String> {
        let mut normalized = String::with_capacity(text.len());
        let mut changed = false;
        self.each(text, |part, found| {
            changed |= found.is_some();
            if normalized.len() <= most {
                normalized.push_str(found.unwrap_or(part));
            }
        });
        changed.then_some(normalized)
    }

    /// Tells each part of a text that is looked for, and what stands for it.
    fn each<'a>(&'a self, text: &'a str, mut tell: impl FnMut(&'a str, Option<&'a str>)) {
        for cluster in text.graphemes(true) {
            let whole = (cluster.len() <= LONGEST_CLUSTER).then(|| self.find(cluster)).flatten();
            if whole.is_some() {
                tell(cluster, whole);
                continue;
            }
            for (start, character) in cluster.char_indices() {
                let part = &cluster[start..start + character.len_utf8()];
                tell(part, self.find(part));
            }
        }
    }

    /// The longest beginning of `text` that is in the trie: its length, and what stands for it.
    ///
    /// A match that ends within a character, which only a damaged table has, is none.
    pub fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let trie = self.trie();
        let mut position = offset(trie.unit(0)?);
        let mut longest = None;
        for (place, byte) in text.bytes().enumerate() {
            position ^= usize::from(byte);
            let Some(unit) = trie.unit(position) else { break };
            if label(unit) != u32::from(byte) {
                break;
            }
            position ^= offset(unit);
            if has_leaf(unit) && text.is_char_boundary(place + 1) {
                longest = trie.unit(position).map(|leaf| (place + 1, leaf & 0x7FFF_FFFF));
            }
        }
        let (length, start) = longest?;
        let rest = self.replacements.get(start as usize..)?;
        let end = memchr::memchr(0, rest.as_bytes()).unwrap_or(rest.len());
        Some((length, &rest[..end]))
    }

    /// Where all begins in the trie.
    pub fn root(&self) -> Option<usize> {
        self.trie().unit(0).map(offset)
    }

    /// Tells each character that goes on from a place in the trie: what lies behind it there, and whether
    /// something ends with it. Breaks off where there are no more `steps`, of which each byte takes one.
    pub fn characters_from(
        &self,
        from: Option<usize>,
        steps: &mut usize,
        each: &mut Each,
    ) -> ControlFlow<()> {
        let Some(from) = from else { return ControlFlow::Continue(()) };
        let trie = self.trie();
        // places to go on from, the bits of the character that are told, and how many bytes are not
        let mut open = vec![(from, 0, None)];
        while let Some((from, bits, missing)) = open.pop() {
            let bytes = if missing.is_none() { 0..=0xF4 } else { 0x80..=0xBF_u8 };
            for byte in bytes {
                *steps = match steps.checked_sub(1) {
                    Some(left) => left,
                    None => return ControlFlow::Break(()),
                };
                let Some((behind, ends)) = trie.step(from, byte) else { continue };
                let (bits, left) = match (missing, byte) {
                    (Some(missing), _) => (bits << 6 | u32::from(byte & 0x3F), missing - 1),
                    (None, ..0x80) => (u32::from(byte), 0),
                    (None, 0xC0..0xE0) => (u32::from(byte & 0x1F), 1),
                    (None, 0xE0..0xF0) => (u32::from(byte & 0x0F), 2),
                    (None, 0xF0..) => (u32::from(byte & 0x07), 3),
                    (None, _) => continue,
                };
                if left > 0 {
                    open.push((behind, bits, Some(left)));
                } else if let Some(character) = char::from_u32(bits) {
                    each(character, Some(behind), ends, steps)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// What stands for the shortest beginning of `part` that is in the trie.
    fn find(&self, part: &str) -> Option<&str> {
        let trie = self.trie();
        let mut position = offset(trie.unit(0)?);
        for byte in part.bytes().take_while(|&byte| byte != 0) {
            position ^= usize::from(byte);
            let unit = trie.unit(position)?;
            if label(unit) != u32::from(byte) {
                return None;
            }
            position ^= offset(unit);
            if has_leaf(unit) {
                let start = (trie.unit(position)? & 0x7FFF_FFFF) as usize;
                return self.replacements.get(start..)?.split('\0').next();
            }
        }
        None
    }
}

/// What is done with a character: see [`Charsmap::characters_from`].
pub(super) type Each<'a> = dyn FnMut(char, Option<usize>, bool, &mut usize) -> ControlFlow<()> + 'a;

/// The units of a trie, as they stand in the table.
struct Trie<'a>(&'a [[u8; UNIT]]);

impl Trie<'_> {
    #[inline]
    fn unit(&self, position: usize) -> Option<u32> {
        self.0.get(position).map(|&unit| u32::from_le_bytes(unit))
    }
}

impl Trie<'_> {
    /// Where a byte leads from a place, and whether something ends with it.
    fn step(&self, from: usize, byte: u8) -> Option<(usize, bool)> {
        let position = from ^ usize::from(byte);
        let unit = self.unit(position).filter(|&unit| label(unit) == u32::from(byte))?;
        Some((position ^ offset(unit), has_leaf(unit)))
    }
}

fn label(unit: u32) -> u32 {
    unit & 0x8000_00FF
}

fn has_leaf(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 1 << 9) >> 6)) as usize
}

fn damaged(reason: &str) -> Error {
    Error::Format(format!("normalizer: precompiled_charsmap is damaged: {reason}"))
}
