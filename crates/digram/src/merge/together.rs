//! A few words to ids: short ones in turns, long ones each by itself.

#![expect(clippy::inline_always, reason = "it is compiled for each kernel")]

use super::pairs::Pairs;
use super::scores::Pieces;
use super::word::{Ids, Word};
use super::{Merger, Room, by_rank, overlaps};
use crate::arch::Work;
use crate::error::Result;
use crate::memory;
use crate::model::Model;
use crate::monitor::Monitor;

/// Words that are merged together.
pub(super) struct Together<'a, W, F> {
    pub merger: &'a Merger,
    pub words: W,
    pub model: &'a Model,
    /// The pairs of all their symbols, if there are such.
    pub pairs: Option<&'a Pairs>,
    pub room: &'a mut Room,
    pub monitor: &'a Monitor<'a>,
    /// Is given the place and the ids of each.
    pub take: F,
}

impl<'a, W: Iterator<Item = Word<'a>>, F: FnMut(usize, Ids)> Work for Together<'_, W, F> {
    type Done = Result<()>;

    #[inline(always)]
    fn work(self) -> Result<()> {
        let Self { merger, words, model, pairs, room, monitor, mut take } = self;
        let mut group = std::mem::take(&mut room.group);
        let mut ids = std::mem::take(&mut room.ids);
        let apart = merger.pieces.as_ref().map_or(&merger.apart, Pieces::apart);
        for (place, Word { text, bytes }) in words.enumerate() {
            if let Some(begun) = &merger.bytes
                && group.take_bytes(place, bytes, text.len(), begun)
            {
                continue;
            }
            ids.clear();
            if let Some(pairs) = pairs {
                memory::expect(super::BYTES * text.len())?;
                merger.alphabet.write(text, &mut room.symbols)?;
                if group.take(place, &room.symbols, pairs) {
                    continue;
                }
                by_number(room, pairs, monitor)?;
                apart.write(&room.symbols, &mut ids);
            } else {
                merger.merge(text, model, room, &mut ids, monitor)?;
            }
            take(place, Ids::of(&ids));
        }
        group.merge(pairs.unwrap_or(&merger.pairs), |place, symbols| {
            if apart.is_empty() {
                return take(place, symbols);
            }
            ids.clear();
            apart.write(symbols.all, &mut ids);
            take(place, Ids::of(&ids));
        });
        (room.group, room.ids) = (group, ids);
        Ok(())
    }
}

/// Merges the symbols of a long word, in the quickest way that they allow.
#[inline(always)]
fn by_number(room: &mut Room, pairs: &Pairs, monitor: &Monitor) -> Result<()> {
    let Room { symbols, blocks, .. } = room;
    if symbols.len() > overlaps::LEAST {
        if let Some(merged) = overlaps::merge(symbols, pairs, blocks, monitor)? {
            *symbols = merged;
            return Ok(());
        }
    } else if blocks.merge(symbols, pairs) {
        return Ok(());
    }
    by_rank(symbols, pairs, monitor)
}
