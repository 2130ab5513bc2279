//! Words that have no room in a slot of the [`table`](super::table), and their ids.
//!
//! A wide slot is a whole line of the cache: a key of 32 bytes, padded as short keys are, and twice as
//! many ids as a short slot has. It takes words of up to 31 bytes, as most words of scripts with two or
//! three bytes to a character are, and shorter ones that have many ids.
//!
//! A word has eight places side by side. Fifteen bits of the hash of each tell which are worth looking at,
//! mostly one or none: those of eight places are looked at together, and of the places themselves one
//! line. A new word takes a free place, or one of the last four in turn; a word that is met again there changes
//! places with one of the first four in turn. So words that never come back drive out each other, and none stays
//! for good. The table begins small and grows up to a limit.

#![expect(clippy::inline_always, reason = "keys go by registers, not through memory")]

use super::spare::Spare;
use super::table::{PADDING, fold, is_to_grow, load, part};
use crate::arch::append::Packed;
use crate::arch::pages::Zeroed;
use crate::arch::prefetch::prefetch;

/// The longest word that is a key.
pub const MAX_WORD: usize = 31;

/// How many bytes a slot takes, with its tag.
pub const SLOT_BYTES: usize = size_of::<Slot>() + size_of::<u16>();

/// Places of a word: with four, some words of Russian were merged again each time.
const WAYS: usize = 8;

/// Places of words that were met again, in a full bucket.
const KEPT: usize = WAYS / 2;

/// Set in the keys of words, and not in those of parts of words.
const WHOLE: u128 = 1 << 120;

/// A slot: the key in two halves, and the ids in two.
pub type Slot = [u128; 4];

/// A word as two numbers.
pub type Key = [u128; 2];

/// The key of the word `start..end` of a text, or of a part; `None` where it is too long.
#[inline(always)]
pub fn key(text: &[u8], start: u32, end: u32, is_part: bool) -> Option<Key> {
    let length = (end - start) as usize;
    if length > MAX_WORD {
        return None;
    }
    let start = start as usize;
    let padding = if length < 16 { PADDING[length] } else { 0 };
    let first = load(text, start) | padding;
    let last = if length > 16 { load(text, start + 16) } else { 0 };
    let last = last | PADDING[length.saturating_sub(16)];
    Some([first, if is_part { last ^ WHOLE } else { last }])
}

fn hash(key: Key) -> u64 {
    fold(key[0]) ^ fold(key[1]).rotate_left(32)
}

/// What tells words of a bucket apart, mostly; 0 stands where none is.
fn tag(hash: u64) -> u16 {
    (hash >> 48) as u16 | 1
}

/// The table.
pub struct Wide {
    slots: Zeroed,
    tags: Vec<[u16; WAYS]>,
    /// How many slots are taken.
    taken: usize,
    /// How many slots it may have in any case.
    own: usize,
    /// How many words were driven out since it grew.
    displaced: usize,
    /// With which place one behind them changes next.
    turn: usize,
}

/// A word that is looked for.
pub struct Sought {
    key: Key,
    bucket: usize,
    /// A bit for each place where it may be.
    among: u32,
}

impl Wide {
    /// An empty table of so many slots, at first, in any case, and at most: powers of two. With fewer than a
    /// word has places, there are none.
    pub fn with_slots([first, own, most]: [usize; 3]) -> Self {
        let slots = Zeroed::growing([4 * first, 4 * most]);
        let tags = vec![[0; WAYS]; first / WAYS];
        Self { slots, tags, taken: 0, own, displaced: 0, turn: 0 }
    }

    fn bucket(&self, hash: u64) -> usize {
        hash as usize & self.tags.len().saturating_sub(1)
    }

    fn buckets(&mut self) -> &mut [[Slot; WAYS]] {
        let slots: &mut [Slot] = self.slots.as_chunks_mut().0;
        slots.as_chunks_mut().0
    }

    /// Begins to look for a word, and to load it.
    #[inline(always)]
    pub fn seek(&self, key: Key) -> Sought {
        let hash = hash(key);
        let (bucket, tag) = (self.bucket(hash), tag(hash));
        let tags = self.tags.get(bucket).copied().unwrap_or_default();
        let bit = |at: usize| u32::from(tags[at] == tag) << at;
        let among = (0..WAYS).fold(0, |among, at| among | bit(at));
        let slots: &[Slot] = self.slots.as_chunks().0;
        if among != 0 {
            prefetch(&slots[WAYS * bucket + among.trailing_zeros() as usize]);
        }
        Sought { key, bucket, among }
    }

    /// The ids of a word, if they are known.
    pub fn find(&mut self, key: Key) -> Option<[Packed; 2]> {
        self.look(&self.seek(key))
    }

    /// The ids of a word that is looked for, if they are known.
    #[inline(always)]
    pub fn take(&mut self, sought: &Sought) -> Option<[Packed; 2]> {
        match self.look(sought) {
            // it may have changed places since
            None if sought.among != 0 => self.find(sought.key),
            found => found,
        }
    }

    /// The same, if it is still where it was seen.
    #[inline(always)]
    fn look(&mut self, sought: &Sought) -> Option<[Packed; 2]> {
        let Sought { key, bucket, mut among } = *sought;
        while among != 0 {
            let at = among.trailing_zeros() as usize;
            let turn = self.turn;
            let ways = &mut self.buckets()[bucket];
            let [first, last, ids @ ..] = ways[at];
            if [first, last] == key {
                if at >= KEPT {
                    ways.swap(turn, at);
                    self.tags[bucket].swap(turn, at);
                    self.turn = (turn + 1) % KEPT;
                }
                return Some(ids);
            }
            among &= among - 1;
        }
        None
    }

    /// Puts words into the table that are not there.
    pub fn learn(&mut self, slots: &[Slot], spare: &mut Spare) {
        for slot in slots {
            if self.find([slot[0], slot[1]]).is_none() {
                self.insert(*slot, spare);
            }
        }
    }

    /// Remembers a word, which is not there.
    pub fn insert(&mut self, slot: Slot, spare: &mut Spare) {
        if self.is_to_grow(spare) {
            self.grow();
        }
        let hash = hash([slot[0], slot[1]]);
        let bucket = self.bucket(hash);
        let Some(tags) = self.tags.get_mut(bucket) else { return };
        let free = tags.iter().position(|&tag| tag == 0);
        let at = free.unwrap_or(KEPT + self.displaced % (WAYS - KEPT));
        tags[at] = tag(hash);
        self.buckets()[bucket][at] = slot;
        self.taken += usize::from(free.is_some());
        self.displaced += usize::from(free.is_none());
    }

    /// Whether it is to grow before one more word: beyond what it may have in any case, only once words were
    /// driven out, one for every second slot.
    #[inline]
    fn is_to_grow(&self, spare: &mut Spare) -> bool {
        let slots = WAYS * self.tags.len();
        is_to_grow(self.taken, slots, self.slots.most() / 4)
            && (2 * slots <= self.own
                || self.displaced > slots / 2 && spare.take(SLOT_BYTES * slots))
    }

    /// Becomes twice as large.
    #[cold]
    fn grow(&mut self) {
        let before = self.tags.len();
        self.displaced = 0;
        self.slots.grow(8 * WAYS * before);
        let of = |slot: &Slot| hash([slot[0], slot[1]]);
        part(self.buckets(), |slot| slot[1] != 0, |slot| of(slot) as usize & before != 0);
        let tag_of = |slot: Slot| if slot[1] == 0 { 0 } else { tag(of(&slot)) };
        self.tags = self.buckets().iter().map(|ways| ways.map(tag_of)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_where_words_are() {
        let text = b"aab\0\0 a aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 0123456789abcdefghijklmnopqrst";
        let mut seen: Vec<(Key, &[u8], bool)> = Vec::new();
        for start in (0..text.len()).step_by(3) {
            for end in start + 1..=text.len() {
                let found = [false, true].map(|part| key(text, start as u32, end as u32, part));
                let word = &text[start..end];
                let copied = [false, true].map(|part| key(word, 0, word.len() as u32, part));
                assert_eq!(found, copied, "padding from outside the word");
                assert_eq!(found[0].is_some(), end - start <= MAX_WORD);
                let known = [false, true].into_iter().zip(found);
                seen.extend(known.filter_map(|(part, key)| Some((key?, word, part))));
            }
        }
        for (a, word, part) in &seen {
            assert!(a[1] != 0, "an empty slot has such a key");
            assert!(seen.iter().all(|(b, other, p)| (a == b) == ((word, part) == (other, p))));
        }
    }

    #[test]
    fn a_table_of_any_size_answers_right_or_not_at_all() {
        for [first, slots] in [[0, 0], [2, 2], [2, 64], [8, 64], [64, 64], [8, 1 << 12]] {
            let (mut table, mut spare) = (Wide::with_slots([first, slots, slots]), Spare::of(0));
            let mut found = 0;
            for number in 0..20_000_u32 {
                let number = number % 1_500;
                let word = format!("a word of some length {number}");
                let key = key(word.as_bytes(), 0, word.len() as u32, false).expect("it is short");
                let ids = [number, number + 1].map(Packed::from);
                match table.find(key) {
                    None => table.insert([key[0], key[1], ids[0], ids[1]], &mut spare),
                    Some(known) => {
                        assert_eq!(known, ids);
                        found += 1;
                    }
                }
            }
            assert_eq!(found > 0, slots >= WAYS && first >= WAYS, "{first} to {slots}");
            assert!(slots < 1 << 12 || found > 18_000, "only {found} found");
        }
    }

    #[test]
    fn it_takes_no_more_than_is_its_own_or_left() {
        for (left, slots) in [(0, 64), (SLOT_BYTES << 6, 128), (SLOT_BYTES << 9, 512)] {
            let (mut table, mut spare) = (Wide::with_slots([8, 64, 1 << 12]), Spare::of(left));
            let mut sizes = vec![(8, 0)];
            for number in 1..20_000 {
                table.insert([number, 1 << 120, 0, 0], &mut spare);
                let size = WAYS * table.tags.len();
                if sizes.last().is_some_and(|&(last, _)| last != size) {
                    sizes.push((size, number));
                }
            }
            let last = sizes.last().expect("there is one").0;
            assert!(last == slots && table.slots.len() == 4 * slots, "{left} bytes: {sizes:?}");
            let waited = sizes.windows(2).filter(|two| two[1].0 > 64);
            assert!(waited.into_iter().all(|two| two[1].1 - two[0].1 > two[0].0 as u128 / 2));
        }
    }

    #[test]
    fn words_of_one_tag_are_told_apart() {
        let mut table = Wide::with_slots([WAYS; 3]);
        let alike = (0..).map(|number: u128| [number, 1 << 120 | number << 1]);
        let tagged = |key: &Key| tag(hash(*key)) == tag(hash([0, 1 << 120]));
        let keys: Vec<Key> = alike.filter(tagged).take(WAYS + 4).collect();
        for (at, key) in keys.iter().enumerate() {
            table.insert([key[0], key[1], at as u128, 0], &mut Spare::of(0));
            assert_eq!(table.find(*key), Some([at as u128, 0]));
        }
        let known = keys.iter().filter(|key| table.find(**key).is_some()).count();
        assert_eq!(known, WAYS, "the last ones drive out one another");
    }

    #[test]
    fn words_that_change_places_are_found_and_old_ones_go() {
        let mut table = Wide::with_slots([WAYS; 3]);
        let key = |number: u128| [number, 1 << 120];
        let mut spare = Spare::of(0);
        (0..8).for_each(|number| table.insert([number, 1 << 120, number, 0], &mut spare));
        // the first finds it in the last place, and has it change with another
        let sought = [7, 7, 0].map(|number| table.seek(key(number)));
        let found = sought.map(|sought| table.take(&sought));
        assert_eq!(found, [Some([7, 0]), Some([7, 0]), Some([0, 0])]);
        for number in (8..12).cycle().take(200) {
            if table.find(key(number)).is_none() {
                table.insert([number, 1 << 120, number, 0], &mut spare);
            }
            table.find(key(number));
        }
        assert!((8..12).all(|number| table.find(key(number)).is_some()), "old words stayed");
    }
}
