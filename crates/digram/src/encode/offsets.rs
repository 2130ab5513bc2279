//! Where tokens stand in their text, in code points.
//!
//! Mostly their lengths tell ([`tiles`]). Other texts are gone through step by step ([`placed`]).
//!
//! [`tiles`]: super::tiles
//! [`placed`]: super::placed

use super::trim::Trim;
use super::windows::append;
use super::{Special, Tokenizer};
use crate::arch::transcode::{self, Unit};
use crate::components::added::Matcher;
use crate::components::runs::Place;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

impl Tokenizer {
    /// The ids of a text, and for each the start and the end in code points, one behind the other.
    pub fn encode_with_offsets(
        &self,
        text: &str,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        check_length(text.len())?;
        match self.encode_tiled(text, special, monitor)? {
            Some(tiled) => Ok(tiled),
            None => self.encode_placed(text, special, monitor),
        }
    }

    /// The same of a text in code points, of which there is no copy as long as it is, mostly.
    pub fn encode_units_with_offsets<U: Unit>(
        &self,
        units: &[U],
        special: &Special,
        monitor: &Monitor,
    ) -> Result<(Vec<u32>, Vec<u32>)> {
        let bytes = transcode::bytes_of_all(units);
        check_length(bytes)?;
        let stays = self.model.normalizer.is_none() && !self.splitter.rewrites();
        if stays && self.extents()?.is_some() {
            let ids = self.encode_units(units, special, monitor)?;
            // not so where an added token has swallowed blanks
            if let Some(offsets) = self.tile_whole(&ids, bytes, monitor)? {
                return Ok((ids, offsets));
            }
        }
        let mut text = String::new();
        append(units, &mut text)?;
        self.encode_with_offsets(&text, special, monitor)
    }

    /// What is left out of offsets, if anything is.
    pub(super) fn trim(&self) -> Result<Option<&Trim>> {
        self.trim.now(|| Trim::of(&self.model)).map(Option::as_ref)
    }
}

/// Tells the sections that added tokens cut a text into: which token, where it stands, and its text.
pub(super) fn sections<'a>(
    matcher: Option<&Matcher>,
    text: &'a str,
    mut found: impl FnMut(Option<u32>, Place, &'a str) -> Result<()>,
) -> Result<()> {
    let count = |text: &str| text.chars().count() as u32;
    let Some(matcher) = matcher else { return found(None, [0, count(text)], text) };
    let (mut passed, mut characters) = (0, 0_u32);
    matcher.sections(text, |section| {
        // a token in what another has swallowed begins before that ends
        let between = count(&text[passed.min(section.start)..passed.max(section.start)]);
        let start =
            if section.start < passed { characters - between } else { characters + between };
        let own = &text[section.start..section.end];
        (passed, characters) = (section.end, start + count(own));
        found(section.id, [start, characters], own)
    })
}

/// Fails where a text has more bytes, and so may have more characters, than are counted.
pub(super) fn check_length(bytes: usize) -> Result<()> {
    if u32::try_from(bytes).is_ok() {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "a text of {bytes} bytes is longer than {}, the most that offsets count; cut it",
        u32::MAX
    )))
}
