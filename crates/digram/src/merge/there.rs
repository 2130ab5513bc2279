//! Which symbols of a word are still there, as one bit for each.

use std::ops::{BitAnd, BitOr, Not};

/// Bits of symbols.
pub trait There: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// No symbol.
    const NONE: Self;
    /// So many symbols, one at least.
    fn of(count: usize) -> Self;
    /// One symbol.
    fn one(at: usize) -> Self;
    /// Those behind one.
    fn behind(self, at: usize) -> Self;
    /// Where the last one before one is, and the first symbol of all where none is.
    fn before(self, at: usize) -> usize;
    /// Where the first is, if any.
    fn first(self) -> usize;
    /// Where the last is. There must be one.
    fn last(self) -> usize;
    /// All but the first.
    fn without_first(self) -> Self;
    /// How many.
    fn count(self) -> usize;
}

macro_rules! there {
    ($($bits:ty)*) => {$(
        impl There for $bits {
            const NONE: Self = 0;

            #[inline(always)]
            fn of(count: usize) -> Self {
                Self::MAX >> (Self::BITS as usize - count)
            }

            #[inline(always)]
            fn one(at: usize) -> Self {
                1 << at
            }

            #[inline(always)]
            fn behind(self, at: usize) -> Self {
                self & Self::MAX << at << 1
            }

            #[inline(always)]
            fn before(self, at: usize) -> usize {
                (self & !(Self::MAX << at) | 1).ilog2() as usize
            }

            #[inline(always)]
            fn first(self) -> usize {
                self.trailing_zeros() as usize
            }

            #[inline(always)]
            fn last(self) -> usize {
                self.ilog2() as usize
            }

            #[inline(always)]
            fn without_first(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn count(self) -> usize {
                self.count_ones() as usize
            }
        }
    )*};
}

there!(u32 u64 u128);

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: There + PartialEq + std::fmt::Debug>(bits: usize) {
        for count in 1..=bits {
            let all = T::of(count);
            assert_eq!((all.first(), all.last(), all.count()), (0, count - 1, count));
            for at in 0..count {
                let behind = all.behind(at);
                assert_eq!(
                    (behind.count(), all.before(at)),
                    (count - 1 - at, at.saturating_sub(1))
                );
                assert_eq!(behind.without_first().count(), (count - 1 - at).saturating_sub(1));
                let rest = all & !T::one(at);
                assert_eq!(rest.count(), count - 1);
                assert_eq!(rest & T::one(at), T::NONE);
                if at + 1 < count {
                    assert_eq!((behind.first(), rest.last()), (at + 1, count - 1));
                    assert_eq!(rest.before(at + 1), at.saturating_sub(1));
                }
            }
        }
    }

    #[test]
    fn symbols_are_found_on_both_sides_in_words_of_all_lengths() {
        check::<u32>(32);
        check::<u64>(64);
        check::<u128>(128);
    }
}
