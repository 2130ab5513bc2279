//! Room for what is as large as what a caller gives.
//!
//! Where the allocator has none, the process ends, unless it was asked in a way that may fail. So large
//! room is asked for in that way. What is small is not: but whoever takes much leaves some for it.

use crate::arch::pages::advise_room;
use crate::arch::room::is_room;
use crate::error::{Error, Result};

/// Room for fewer bytes is small.
const LARGE: usize = 1 << 20;
/// An empty list with room for so many.
pub(crate) fn list<T>(room: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    list.try_reserve_exact(room).map_err(|_| none::<T>(room))?;
    leave::<T>(room)?;
    advise_room(&mut list);
    Ok(list)
}

/// Empties a list, which has room for so many then: for many, room as a new list has it.
#[inline]
pub(crate) fn empty<T>(list: &mut Vec<T>, room: usize) -> Result<()> {
    list.clear();
    if room > list.capacity() && room.saturating_mul(size_of::<T>()) >= LARGE {
        *list = self::list(room)?;
    }
    Ok(())
}

/// Room for so many more in a list. What is there may move, and then there is room for twice as many.
#[inline]
pub(crate) fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    if list.capacity() - list.len() < more { grow(list, more) } else { Ok(()) }
}

#[cold]
fn grow<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    let grown = list.try_reserve(more).or_else(|_| list.try_reserve_exact(more));
    grown.map_err(|_| none::<T>(list.len().saturating_add(more)))?;
    leave::<T>(list.capacity())
}

/// Fails where there is not room for so many bytes, of which nothing is taken yet.
#[inline]
pub(crate) fn expect(bytes: usize) -> Result<()> {
    if bytes < LARGE || is_room(bytes) { Ok(()) } else { Err(none::<u8>(bytes)) }
}

/// Fails where there is not even room for what is small.
pub(crate) fn expect_some() -> Result<()> {
    expect(LARGE)
}

/// Fails where room was taken for so many, it is large, and little is left.
fn leave<T>(taken: usize) -> Result<()> {
    let is_large = taken.saturating_mul(size_of::<T>()) >= LARGE;
    if is_large { expect_some() } else { Ok(()) }
}

fn none<T>(room: usize) -> Error {
    Error::Memory(room.saturating_mul(size_of::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_nobody_has_is_an_error() {
        let is_none = |error: Error, bytes| matches!(error, Error::Memory(asked) if asked == bytes);
        let much = isize::MAX as usize / 8;
        assert!(is_none(list::<u32>(much).expect_err("there is none"), 4 * much));
        assert!(is_none(expect(4 * much).expect_err("there is none"), 4 * much));
        let mut some = vec![1_u32, 2];
        assert!(is_none(reserve(&mut some, much).expect_err("there is none"), 4 * (much + 2)));
        assert_eq!(some, [1, 2]);
        reserve(&mut some, LARGE).expect("there is room");
        assert!(some == [1, 2] && some.capacity() >= LARGE + 2);
        assert!(list::<u32>(LARGE).expect("there is room").capacity() >= LARGE);
        expect(LARGE).expect("there is room");
    }
}
