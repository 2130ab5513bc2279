//! The ids of a word as one number, and such ids behind ids.
//!
//! Sixteen bytes hold three ids of 32 bits; where no id of a vocabulary needs more than 20, six; where
//! none needs more than 16, seven. As many as have room are always written, and as many counted as there
//! are: no branch on how many. They are written where they stay, so that nothing is cleared before and
//! copied after.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for any machine")]

use super::{Kernel, Work, compiled};

/// A few ids, the first the lowest, and above them their number.
pub(crate) type Packed = u128;

/// How many ids are written for a word at most, and no more than so many count.
pub(crate) const MOST: usize = 8;

/// Where the number of ids stands.
const COUNT_SHIFT: u32 = 120;

/// No ids at all.
pub(crate) const NOTHING: Packed = 0;

/// How many ids there are.
#[inline(always)]
pub(crate) fn count(packed: Packed) -> usize {
    (packed >> COUNT_SHIFT) as usize % MOST
}

/// How ids are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Up to three of 32 bits.
    Three,
    /// Up to six of 20 bits.
    Six,
    /// Up to seven of 16 bits.
    Seven,
}

impl Packing {
    /// That of a vocabulary with so many ids.
    pub fn of_ids(count: usize) -> Self {
        let all = [Self::Seven, Self::Six];
        all.into_iter().find(|packing| count <= 1 << packing.bits()).unwrap_or(Self::Three)
    }

    /// How many bits an id has.
    fn bits(self) -> u32 {
        match self {
            Self::Three => 32,
            Self::Six => 20,
            Self::Seven => 16,
        }
    }

    /// How many ids there may be.
    fn most(self) -> usize {
        (COUNT_SHIFT / self.bits()) as usize
    }

    /// Such ids as one number; `None` for none or too many, or where one is too large.
    #[inline]
    pub fn pack(self, ids: &[u32]) -> Option<Packed> {
        let mut first = [0; MOST];
        first.iter_mut().zip(ids).for_each(|(place, &id)| *place = id);
        self.pack_first(&first, ids.len())
    }

    /// The same of so many ids, of which the first are given, and zeros behind them: without a branch on
    /// how many they are, if they fit.
    #[inline]
    pub fn pack_first(self, first: &[u32; MOST], count: usize) -> Option<Packed> {
        let (all, every) = match self {
            Self::Three => packed::<3, 32>(first),
            Self::Six => packed::<6, 20>(first),
            Self::Seven => packed::<7, 16>(first),
        };
        let too_large = u64::from(every) >> self.bits() != 0;
        let fits = count.wrapping_sub(1) < self.most() && !too_large;
        fits.then_some(all | (count as Packed) << COUNT_SHIFT)
    }

    /// The same as two numbers, twice as many at most.
    pub fn pack_two(self, ids: &[u32]) -> Option<[Packed; 2]> {
        let (first, rest) = ids.split_at(ids.len().min(self.most()));
        let rest = if rest.is_empty() { Some(NOTHING) } else { self.pack(rest) };
        Some([self.pack(first)?, rest?])
    }
}

/// The first ids as one number, and all their bits.
#[inline(always)]
fn packed<const COUNT: usize, const BITS: u32>(first: &[u32; MOST]) -> (Packed, u32) {
    let (mut all, mut every) = (0, 0);
    for &id in first[..COUNT].iter().rev() {
        all = all << BITS | Packed::from(id);
        every |= id;
    }
    (all, every)
}

/// Appends the ids of each word to a list.
#[inline]
pub(crate) fn append(packing: Packing, ids: &mut Vec<u32>, words: &[Packed]) {
    match packing {
        Packing::Three => lay(ids, words, three),
        Packing::Six => append_sixes(Kernel::chosen(), ids, words),
        Packing::Seven => compiled(Kernel::chosen(), Sevens { ids, words }),
    }
}

/// The same for words of up to six.
fn append_sixes(kernel: Kernel, ids: &mut Vec<u32>, words: &[Packed]) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => super::x86_64::append_sixes(ids, words),
        _ => lay(ids, words, six),
    }
}

/// Appends all `lanes` of each word behind the ids of the one before it, of which those that count remain.
#[inline(always)]
#[expect(unsafe_code, reason = "writes into room that is not part of the list yet")]
fn lay<const LANES: usize>(
    ids: &mut Vec<u32>,
    words: &[Packed],
    lanes: impl Fn(&Packed) -> [u32; LANES],
) {
    ids.reserve(LANES * words.len());
    let mut length = ids.len();
    let room = ids.as_mut_ptr();
    for word in words {
        // SAFETY: there is room for so many more of each word, and no word counts for more.
        unsafe { room.add(length).cast::<[u32; LANES]>().write(lanes(word)) };
        length += count(*word).min(LANES);
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
        lay(self.ids, self.words, seven);
    }
}

/// Three ids, by one copy from memory to memory where the order of bytes is that of lanes.
#[inline(always)]
#[expect(unsafe_code, reason = "a number is read as several")]
fn three(packed: &Packed) -> [u32; 4] {
    let turned = packed.to_le();
    let laid = if cfg!(target_endian = "little") { packed } else { &turned };
    // SAFETY: they are as many bytes, of which each may be any.
    let lanes: [u32; 4] = unsafe { *std::ptr::from_ref(laid).cast() };
    lanes.map(u32::from_le)
}

/// Six ids of twenty bits, taken two at a time.
#[inline(always)]
fn six(packed: &Packed) -> [u32; 6] {
    const ID: u64 = 0xF_FFFF;
    let [low, high] = [*packed as u64, (packed >> 64) as u64];
    let two = |ids: u64| ids & ID | (ids & ID << 20) << 12;
    let twos = [two(low), two(low >> 40 | high << 24), two(high >> 16)];
    let lane = |at: usize| (twos[at / 2] >> (32 * (at % 2))) as u32;
    std::array::from_fn(lane)
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
        for packing in [Packing::Three, Packing::Six, Packing::Seven] {
            let most = packing.most();
            let (mut words, mut plain) = (Vec::new(), vec![9]);
            for number in 1..300_u32 {
                let small = |at: usize| 32 - packing.bits() + at as u32;
                let some: [u32; 7] =
                    std::array::from_fn(|at| number.wrapping_mul(2_654_435_761) >> small(at));
                let some = &some[..=(number as usize % most)];
                words.push(packing.pack(some).expect("they fit"));
                plain.extend_from_slice(some);
                for kernel in Kernel::available() {
                    let mut ids = vec![9];
                    match packing {
                        Packing::Three => append(packing, &mut ids, &words),
                        Packing::Six => append_sixes(kernel, &mut ids, &words),
                        Packing::Seven => compiled(kernel, Sevens { ids: &mut ids, words: &words }),
                    }
                    assert_eq!(ids, plain, "{number} words, {packing:?}, {kernel:?}");
                }
                assert_eq!(count(words[words.len() - 1]), some.len());
            }
        }
    }

    #[test]
    fn numbers_hold_more_ids_the_smaller_these_are() {
        let all = [(Packing::Three, 3), (Packing::Six, 6), (Packing::Seven, 7)];
        for (packing, most) in all {
            let last = u32::MAX >> (32 - packing.bits());
            let many = [last, 0, last, 3, last, last, last];
            for some in (1..=most).map(|count| &many[..count]) {
                let packed = packing.pack(some).expect("they fit");
                let mut ids = Vec::new();
                append(packing, &mut ids, &[packed]);
                assert_eq!((&*ids, count(packed)), (some, some.len()));
                assert_ne!(packed, Packed::MAX);
                for more in (0..=most).map(|count| &many[..count]) {
                    let two = packing.pack_two(&[some, more].concat());
                    let mut ids = Vec::new();
                    append(packing, &mut ids, &two.expect("they fit"));
                    assert_eq!(ids, [some, more].concat());
                }
            }
            assert_eq!(packing.pack_two(&vec![1; 2 * most + 1]), None);
            assert_eq!(packing.pack_two(&[]), None);
            assert_eq!(packing.pack(&vec![1; most + 1]), None);
            assert_eq!(packing.pack(&[]), None);
            if let Some(larger) = last.checked_add(1) {
                assert_eq!(packing.pack(&[1, larger]), None);
                assert_eq!(packing.pack_two(&vec![larger; most + 1]), None);
            }
        }
        let counts = [1 << 16, (1 << 16) + 1, 1 << 20, (1 << 20) + 1];
        let expected = [Packing::Seven, Packing::Six, Packing::Six, Packing::Three];
        assert_eq!(counts.map(Packing::of_ids), expected);
    }
}
