//! Words as numbers, and their places in a table.
//!
//! A word of up to 15 bytes is one number of 16: its bytes, and behind them `0xFF`, which no text
//! in UTF-8 holds. [`keys`] makes those of many words, and tells the place of each in a table;
//! [`compare`] looks at these places. The plain forms of both are here.

use super::Kernel;
use super::append::Packed;

/// A word as a number.
pub(crate) type Key = u128;
/// What a slot of a table holds: key and value.
pub(crate) type Slot = [u128; 2];

/// The longest word that is a key.
pub(crate) const MAX_WORD: usize = 15;
/// The key of every word that is too long for one.
pub(crate) const TOO_LONG: Key = Key::MAX;
/// Set in the keys of words, and not in those of parts of words: a word may be a token as it is
/// where the same text as a part is merged.
pub(super) const WHOLE: Key = 1 << 120;
/// Odd numbers without a pattern: fractions of the golden ratio, and of the root of two.
pub(super) const MIXED: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0x6A09_E667_F3BC_C909];

/// `0xFF` behind so many bytes.
pub(crate) const PADDING: [Key; MAX_WORD + 2] = {
    let mut padding = [Key::MAX; MAX_WORD + 2];
    let mut length = 0;
    while length <= MAX_WORD {
        padding[length] = Key::MAX << (8 * length);
        length += 1;
    }
    padding
};

/// Sixteen bytes of a text as a number, the first the lowest; zeros behind the text's end.
#[inline]
pub(crate) fn load(text: &[u8], start: usize) -> u128 {
    inside(text, start).unwrap_or_else(|| Tail::of(text).load(start))
}

/// The same where the text has as many.
#[inline]
fn inside(text: &[u8], start: usize) -> Option<u128> {
    text[start..].first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
}

/// The last bytes of a text, as many as a key has, and zeros behind them: a key can be read wherever in
/// them a word begins.
struct Tail {
    bytes: [u8; 2 * size_of::<Key>()],
    first: usize,
}

impl Tail {
    #[inline]
    fn of(text: &[u8]) -> Self {
        let mut bytes = [0; 2 * size_of::<Key>()];
        let first = text.len().saturating_sub(size_of::<Key>());
        match text.last_chunk::<{ size_of::<Key>() }>() {
            Some(last) => bytes[..last.len()].copy_from_slice(last),
            None => bytes[..text.len()].copy_from_slice(text),
        }
        debug_assert_eq!(bytes[..text.len() - first], text[first..]);
        Self { bytes, first }
    }

    /// Sixteen bytes from a place of the text on, which is among the last.
    #[inline]
    fn load(&self, start: usize) -> u128 {
        let own = &self.bytes[start - self.first..];
        u128::from_le_bytes(*own.first_chunk().expect("as many are behind the last"))
    }
}

/// The key of the word `start..end` of a text; [`TOO_LONG`] where it has none.
#[inline]
pub(crate) fn key(text: &[u8], start: u32, end: u32) -> Key {
    let length = (end - start) as usize;
    load(text, start as usize) | PADDING[length.min(MAX_WORD + 1)]
}

/// The key of a part of a word instead of that of a word.
#[inline]
pub(crate) fn of_part(key: Key, is_part: bool) -> Key {
    key ^ if is_part && key != TOO_LONG { WHOLE } else { 0 }
}

/// The place of a key in a table of two to the power of `bits`, 32 at most. Which words share a
/// place is no secret: it costs time, never an id.
#[inline]
pub(crate) fn place(key: Key, bits: u32) -> usize {
    let [low, high] = [key as u64, (key >> 64) as u64];
    let sum = low.wrapping_mul(MIXED[0]).wrapping_add(high.wrapping_mul(MIXED[1]));
    (sum >> 32).wrapping_shr(32_u32.wrapping_sub(bits)) as usize
}

/// Words, and parts of words, of a text.
#[derive(Clone, Copy)]
pub(crate) struct Spans<'a> {
    pub text: &'a [u8],
    pub starts: &'a [u32],
    pub ends: &'a [u32],
    /// Which are parts of words; empty where none is.
    pub parts: &'a [bool],
}

/// Writes the key of each word, and its place in a table of two to the power of `bits`.
pub(crate) fn keys(kernel: Kernel, spans: Spans, bits: u32, keys: &mut [Key], places: &mut [u32]) {
    let count = spans.starts.len();
    assert!(spans.ends.len() == count && keys.len() >= count && places.len() >= count);
    assert!(spans.parts.is_empty() || spans.parts.len() == count);
    let done = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => super::x86_64::keys(kernel, spans, bits, keys, places),
        _ => 0,
    };
    plain_keys(spans, done, bits, keys, places);
}

/// The same for those from `done` on.
fn plain_keys(spans: Spans, done: usize, bits: u32, keys: &mut [Key], places: &mut [u32]) {
    let Spans { text, starts, ends, parts } = spans;
    let (keys, places) = (&mut keys[..starts.len()], &mut places[..starts.len()]);
    let (ends, tail) = (&ends[..starts.len()], Tail::of(text));
    // by number: of iterators side by side the compiler makes a detour through memory
    for index in done..starts.len() {
        let (start, end) = (starts[index], ends[index]);
        let length = (end.wrapping_sub(start) as usize).min(MAX_WORD + 1);
        let (start, own) = (start as usize, inside(text, start as usize));
        keys[index] = own.unwrap_or_else(|| tail.load(start)) | PADDING[length];
        places[index] = place(keys[index], bits) as u32;
    }
    for (index, _) in parts.iter().enumerate().skip(done).filter(|&(_, &is_part)| is_part) {
        keys[index] = of_part(keys[index], true);
        places[index] = place(keys[index], bits) as u32;
    }
}

/// Takes the values at some places of a table, and writes the numbers of those where another key
/// stands than that of the same number; returns how many they are.
#[inline]
pub(crate) fn compare(
    kernel: Kernel,
    slots: &[Slot],
    (keys, places): (&[Key], &[u32]),
    values: &mut [Packed],
    missing: &mut [u32],
) -> usize {
    let count = keys.len();
    assert!(places.len() == count && values.len() >= count && missing.len() >= count);
    let (done, mut found) = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => {
            super::x86_64::compare(kernel, slots, (keys, places), values, missing)
        }
        _ => (0, 0),
    };
    let (places, values) = (&places[..count], &mut values[..count]);
    for index in done..count {
        let slot = &slots[places[index] as usize];
        values[index] = slot[1];
        missing[found] = index as u32;
        found += usize::from(slot[0] != keys[index]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % most
        }
    }

    #[test]
    fn kernels_make_the_same_keys() {
        let (text, mut random) = ("ab é 日本語 z\0 .,".repeat(40), Random(3));
        for round in 0..3000 {
            let count = random.below(20);
            let from: Vec<u32> = (0..count).map(|_| random.below(text.len() - 23) as u32).collect();
            let ends: Vec<u32> = from.iter().map(|start| start + random.below(24) as u32).collect();
            let parts: Vec<bool> =
                (0..if round % 2 == 0 { 0 } else { count }).map(|_| random.below(3) > 0).collect();
            let spans = Spans { text: text.as_bytes(), starts: &from, ends: &ends, parts: &parts };
            let bits = [0, 1, 15, 32][round % 4];
            let (mut plain, mut places) = (vec![0; count], vec![0; count]);
            keys(Kernel::Portable, spans, bits, &mut plain, &mut places);
            for index in 0..count {
                let word = &text.as_bytes()[from[index] as usize..ends[index] as usize];
                let expected = if word.is_empty() || word.len() > MAX_WORD {
                    TOO_LONG
                } else {
                    let mut bytes = [0xFF; 16];
                    bytes[..word.len()].copy_from_slice(word);
                    of_part(Key::from_le_bytes(bytes), parts.get(index) == Some(&true))
                };
                assert_eq!(plain[index], expected);
                assert_eq!(places[index] as usize, place(expected, bits));
                assert!(u64::from(places[index]) < 1 << bits);
            }
            for kernel in Kernel::available() {
                let (mut own, mut there) = (vec![0; count], vec![0; count]);
                keys(kernel, spans, bits, &mut own, &mut there);
                assert_eq!((own, there), (plain.clone(), places.clone()), "{kernel:?}");
            }
        }
    }

    #[test]
    fn kernels_miss_the_same_keys() {
        let mut random = Random(5);
        let half = |number: usize| ((number as u128) << 64) + number as u128 % 3;
        for _ in 0..2000 {
            let count = random.below(40);
            let slots: Vec<Slot> =
                (0..8).map(|_| [half(random.below(4)), half(random.below(999))]).collect();
            let places: Vec<u32> = (0..count).map(|_| random.below(8) as u32).collect();
            // the same as there, or another in one bit
            let one = |at: usize| slots[places[at] as usize][0];
            let mut other = |key: Key| key ^ ((random.below(2) as Key) << random.below(128));
            let keys: Vec<Key> = (0..count).map(|at| other(one(at))).collect();
            let expected: Vec<u32> = (0..count)
                .filter(|&index| slots[places[index] as usize][0] != keys[index])
                .map(|index| index as u32)
                .collect();
            for kernel in Kernel::available() {
                let (mut values, mut missing) = (vec![0; count], vec![0; count]);
                let found = compare(kernel, &slots, (&keys, &places), &mut values, &mut missing);
                assert_eq!(missing[..found], expected, "{kernel:?}");
                let taken = places.iter().map(|&place| slots[place as usize][1]);
                assert!(taken.eq(values), "{kernel:?}");
            }
        }
    }

    #[test]
    fn a_word_outside_of_the_text_is_no_key() {
        let text = [b'a'; 40];
        let (starts, ends) = ([0, 0, 41, 0, 0], [1, 2, 42, 4, 5]);
        let spans = Spans { text: &text, starts: &starts, ends: &ends, parts: &[] };
        for kernel in Kernel::available() {
            let made =
                std::panic::catch_unwind(|| keys(kernel, spans, 4, &mut [0; 5], &mut [0; 5]));
            let said = made.expect_err("the third begins behind it");
            let said = said.downcast_ref::<String>().expect("it is told");
            assert!(said.contains("out of range"), "{kernel:?}: {said}");
        }
    }

    #[test]
    fn a_place_outside_of_the_table_is_not_looked_at() {
        for kernel in Kernel::available() {
            let made = std::panic::catch_unwind(|| {
                let (keys, places) = ([1; 4], [0, 1, 2, 3]);
                compare(kernel, &[[0; 2]; 3], (&keys, &places), &mut [0; 4], &mut [0; 4]);
            });
            let said = made.expect_err("the fourth lies behind it");
            let said = said.downcast_ref::<String>().expect("it is told");
            assert!(said.contains("out of bounds"), "{kernel:?}: {said}");
        }
    }
}
