//! Texts of tokens joined: their bytes copied one behind the other.
//!
//! Most are short, so that a copy of sixteen bytes, too long where it does no harm, costs less than a
//! call that copies just as many as there are. What is too much is written over by the next one. Each is copied
//! from a place of its own, which holds its length as well: else two other tables would be read for
//! each id.

use crate::error::Result;
use crate::memory;
use crate::monitor::Monitor;
use crate::vocabulary::{PADDING, Short, Texts, Vocabulary};

/// So many ids are joined before there is more room, for as many.
pub(super) const BLOCK: usize = 128;

/// So many are copied without a branch for each.
const FEW: usize = 4;

/// So many are joined before it is asked whether to stop: a tenth of a millisecond.
pub(super) const MANY: usize = 1 << 14;

/// Writes the bytes of `ids`, joined, from a place in `bytes` on, which becomes longer than they need; returns
/// where they end. Fails on the first id that is not in the vocabulary.
pub(super) fn join(
    vocabulary: &Vocabulary,
    ids: &[u32],
    (bytes, from): (&mut Vec<u8>, usize),
    monitor: &Monitor,
) -> Result<usize> {
    let more = expected(ids.len())?;
    if bytes.capacity() == 0 {
        *bytes = memory::list(more)?;
    } else {
        memory::reserve(bytes, (from + more).saturating_sub(bytes.len()))?;
    }
    let mut written = from;
    for some in ids.chunks(MANY) {
        monitor.check()?;
        written = append_all(vocabulary, some, bytes, written)?;
    }
    Ok(written)
}

/// Room for as many bytes as so many ids have, mostly, and as are written over behind them. Where they have
/// more, it may become twice as large, for which there is memory too.
pub(super) fn room(ids: usize) -> Result<Vec<u8>> {
    memory::list(expected(ids)?)
}

fn expected(ids: usize) -> Result<usize> {
    let bytes = 5 * ids + room_for(ids.min(BLOCK));
    memory::expect(3 * bytes)?;
    Ok(bytes)
}

/// Writes the bytes of `ids`, joined, from a place in `bytes` on, which becomes longer than they need; returns
/// where they end. Fails on the first id that is not in the vocabulary.
pub(super) fn append_all(
    vocabulary: &Vocabulary,
    ids: &[u32],
    bytes: &mut Vec<u8>,
    from: usize,
) -> Result<usize> {
    let (taken, written) = append(vocabulary.texts(), ids, (bytes, from), |_, _| 0);
    match ids.get(taken) {
        Some(&unknown) => Err(vocabulary.unknown(unknown)),
        None => Ok(written),
    }
}

/// Enough for so many short texts, and what is written over behind them.
fn room_for(ids: usize) -> usize {
    PADDING * (ids + 1)
}

/// Writes the texts of `ids` up to the first that is not short from a place in `bytes` on, where there is room; returns
/// how many there were, and where they end.
///
/// A few at a time, if that is asked for.
fn copy_short(
    (shorts, by_few): (&[Short], bool),
    ids: &[u32],
    bytes: &mut [u8],
    from: usize,
) -> (usize, usize) {
    let mut written = from;
    let mut copy = |ids: &[u32; FEW]| {
        let few = ids.map(|id| shorts.get(id as usize).unwrap_or(&Short::NONE));
        let to: &mut [u8; PADDING * (FEW + 1)] = bytes[written..].first_chunk_mut()?;
        let mut end = 0;
        for (short, length) in few.iter().zip(Short::lengths(few)?) {
            to[end..end + PADDING].copy_from_slice(short.padded());
            end += length;
        }
        written += end;
        Some(())
    };
    let (fours, _) = if by_few { ids.as_chunks() } else { (&[][..], ids) };
    let copied = FEW * fours.iter().position(|four| copy(four).is_none()).unwrap_or(fours.len());
    let rest = &ids[copied..];
    let short = rest.iter().position(|&id| {
        let Some(short) = shorts.get(id as usize) else { return true };
        let Some(length) = short.length() else { return true };
        let Some(to) = bytes[written..].first_chunk_mut() else { return true };
        *to = *short.padded();
        written += length;
        false
    });
    (copied + short.unwrap_or(rest.len()), written)
}

/// Writes the texts of `ids` from a place in `bytes` on, which becomes longer than they need; returns how many
/// there were, and where they end.
///
/// From an id on that has none, `others` appends what some ids become, and returns how many they are; if it
/// takes none, those before it are all.
pub(super) fn append(
    texts: Texts,
    ids: &[u32],
    (bytes, from): (&mut Vec<u8>, usize),
    mut others: impl FnMut(&[u32], &mut Vec<u8>) -> usize,
) -> (usize, usize) {
    let (mut rest, mut written, mut made) = (ids, from, Vec::new());
    // where one is not short, others near it are not
    let mut by_few = true;
    while !rest.is_empty() {
        let block = &rest[..rest.len().min(BLOCK)];
        // enough for as many short ones
        bytes.resize(bytes.len().max(written + room_for(block.len())), 0);
        let copied;
        (copied, written) = copy_short((texts.shorts, by_few), block, bytes, written);
        by_few = copied == block.len();
        rest = &rest[copied..];
        if copied == block.len() {
            continue;
        }
        made.clear();
        let long = texts.get(rest[0]);
        let taken = if long.is_some() { 1 } else { others(rest, &mut made) };
        let text = long.unwrap_or(&made);
        if taken == 0 {
            break;
        }
        bytes.resize(bytes.len().max(written + text.len()), 0);
        bytes[written..][..text.len()].copy_from_slice(text);
        (rest, written) = (&rest[taken..], written + text.len());
    }
    (ids.len() - rest.len(), written)
}
