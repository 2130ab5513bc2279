//! The ids of a word as one number, and such ids behind ids.
//!
//! Sixteen bytes hold four ids of 32 bits; where no id of a vocabulary needs more than 16, seven. As
//! many as have room are always written, and as many counted as there are: no branch on how many. They
//! are written where they stay, so that nothing is cleared before and copied after.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for any machine")]

use super::{Kernel, Work, compiled};

/// A few ids and their number.
pub(crate) type Packed = u128;

/// How many ids are written for a word at most, and no more than so many count.
pub(crate) const MOST: usize = 8;

/// Above the last of four ids, how many of them are none.
const NONE_SHIFT: u32 = 30;
/// Above seven ids, their number.
const COUNT_SHIFT: u32 = 112;

/// How ids are packed, the first the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Up to four; above the last, how many of the four are none. So four are only themselves.
    Four,
    /// Up to seven of 16 bits, and above them how many.
    Seven,
}

impl Packing {
    /// That of a vocabulary with so many ids.
    pub fn of_ids(count: usize) -> Self {
        if count <= 1 << u16::BITS { Self::Seven } else { Self::Four }
    }

    /// How many bits an id has.
    pub fn bits(self) -> u32 {
        match self {
            Self::Four => u32::BITS,
            Self::Seven => u16::BITS,
        }
    }

    /// Such ids as one number; `None` for none or too many, or where one is too large.
    pub fn pack(self, ids: &[u32]) -> Option<Packed> {
        let (most, last) = match self {
            Self::Four => (4, 1 << NONE_SHIFT),
            Self::Seven => (7, 1 << u16::BITS),
        };
        let are_small = match self {
            Self::Four => ids.get(most - 1).is_none_or(|&id| id < last),
            Self::Seven => ids.iter().all(|&id| id < last),
        };
        if ids.is_empty() || ids.len() > most || !are_small {
            return None;
        }
        let all = ids.iter().rev().fold(0, |all, &id| all << self.bits() | Packed::from(id));
        let count = match self {
            Self::Four => ((most - ids.len()) as Packed) << (96 + NONE_SHIFT),
            Self::Seven => (ids.len() as Packed) << COUNT_SHIFT,
        };
        Some(all | count)
    }

    /// How many ids there are.
    #[inline(always)]
    pub fn count(self, packed: Packed) -> usize {
        match self {
            Self::Four => 4 - (packed >> (96 + NONE_SHIFT)) as usize,
            Self::Seven => (packed >> COUNT_SHIFT) as usize % MOST,
        }
    }

    /// The ids; behind them, what is not to be looked at.
    #[inline]
    pub fn ids(self, packed: Packed) -> [u32; MOST] {
        match self {
            Self::Four => {
                let [a, b, c, d] = four(&packed);
                [a, b, c, d, 0, 0, 0, 0]
            }
            Self::Seven => seven(&packed),
        }
    }
}

/// Appends the ids of each word to a list.
#[inline]
pub(crate) fn append(packing: Packing, ids: &mut Vec<u32>, words: &[Packed]) {
    match packing {
        Packing::Four => lay(ids, words, |&word| Packing::Four.count(word), four),
        Packing::Seven => compiled(Kernel::chosen(), Sevens { ids, words }),
    }
}

/// Appends all `lanes` of each word behind the ids of the one before it, of which `count` remain.
#[inline(always)]
#[expect(unsafe_code, reason = "writes into room that is not part of the list yet")]
fn lay<const LANES: usize>(
    ids: &mut Vec<u32>,
    words: &[Packed],
    count: impl Fn(&Packed) -> usize,
    lanes: impl Fn(&Packed) -> [u32; LANES],
) {
    ids.reserve(LANES * words.len());
    let mut length = ids.len();
    let room = ids.as_mut_ptr();
    for word in words {
        // SAFETY: there is room for so many more of each word, and no word counts for more.
        unsafe { room.add(length).cast::<[u32; LANES]>().write(lanes(word)) };
        length += count(word).min(LANES);
    }
    // SAFETY: all before has been written, and there is room for it.
    unsafe { ids.set_len(length) };
}

/// A list for the ids of words of up to seven each.
struct Sevens<'a> {
    ids: &'a mut Vec<u32>,
    words: &'a [Packed],
}

impl Work for Sevens<'_> {
    type Done = ();

    #[inline(always)]
    fn work(self) {
        lay(self.ids, self.words, |&word| Packing::Seven.count(word), seven);
    }
}

/// Four ids, by one copy from memory to memory where the order of bytes is that of lanes.
#[inline(always)]
#[expect(unsafe_code, reason = "a number is read as several")]
fn four(packed: &Packed) -> [u32; 4] {
    let turned = packed.to_le();
    let laid = if cfg!(target_endian = "little") { packed } else { &turned };
    // SAFETY: they are as many bytes, of which each may be any.
    let lanes: [u32; 4] = unsafe { *std::ptr::from_ref(laid).cast() };
    lanes.map(u32::from_le)
}

/// Seven ids of sixteen bits, and their number.
#[inline(always)]
#[expect(unsafe_code, reason = "a number is read as several")]
fn seven(packed: &Packed) -> [u32; MOST] {
    let turned = packed.to_le();
    let laid = if cfg!(target_endian = "little") { packed } else { &turned };
    // SAFETY: they are as many bytes, of which each may be any.
    let lanes: [u16; MOST] = unsafe { *std::ptr::from_ref(laid).cast() };
    lanes.map(|lane| u32::from(u16::from_le(lane)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_ids_are_added_as_each_word_has() {
        for (packing, most) in [(Packing::Four, 4), (Packing::Seven, 7)] {
            let (mut words, mut plain) = (Vec::new(), vec![9]);
            for number in 1..300_u32 {
                let some: [u32; 7] =
                    std::array::from_fn(|at| number.wrapping_mul(2_654_435_761) >> (16 + at));
                let some = &some[..=(number as usize % most)];
                words.push(packing.pack(some).expect("they fit"));
                plain.extend_from_slice(some);
                for kernel in Kernel::available() {
                    let mut ids = vec![9];
                    match packing {
                        Packing::Four => append(packing, &mut ids, &words),
                        Packing::Seven => compiled(kernel, Sevens { ids: &mut ids, words: &words }),
                    }
                    assert_eq!(ids, plain, "{number} words, {packing:?}, {kernel:?}");
                }
                let last = words[words.len() - 1];
                assert_eq!(packing.ids(last)[..packing.count(last)], *some);
            }
        }
    }

    #[test]
    fn numbers_hold_one_to_four_ids_or_one_to_seven_small_ones() {
        let largest = (1 << NONE_SHIFT) - 1;
        for ids in [&[7][..], &[7, 8], &[u32::MAX, 0, 9], &[u32::MAX, 0, 9, largest]] {
            let packed = Packing::Four.pack(ids).expect("they fit");
            assert_eq!(Packing::Four.ids(packed)[..Packing::Four.count(packed)], *ids);
            assert_ne!(packed, Packed::MAX);
        }
        assert_eq!(Packing::Four.pack(&[1, 2, 3, 4, 5]), None);
        assert_eq!(Packing::Four.pack(&[1, 2, 3, largest + 1]), None);
        for count in 1..=7 {
            let ids = &[65_535, 0, 65_535, 3, 65_535, 65_535, 65_535][..count];
            let packed = Packing::Seven.pack(ids).expect("they fit");
            assert_eq!(Packing::Seven.ids(packed)[..Packing::Seven.count(packed)], *ids);
            assert_ne!(packed, Packed::MAX);
        }
        assert_eq!(Packing::Seven.pack(&[1; 8]), None);
        assert_eq!(Packing::Seven.pack(&[1, 65_536]), None);
        assert_eq!([Packing::Four, Packing::Seven].map(|packing| packing.pack(&[])), [None; 2]);
        assert_eq!([65_536, 65_537].map(Packing::of_ids), [Packing::Seven, Packing::Four]);
    }
}
