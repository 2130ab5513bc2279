//! What words of bytes begin as: the symbol of each byte, and what each two merge to.
//!
//! A word is taken as a number, and as many of its bytes are looked at as it might have: so there is no
//! branch on its length, which is as good as random. Behind its end stand bytes that no text in UTF-8
//! has, whose symbol is the edge of a word.

#![expect(clippy::inline_always, reason = "it is compiled for each kernel")]

use super::alphabet::Alphabet;
use super::pairs::{EDGE, NO_NUMBER, Pairs};

/// What stands behind the end of a word.
const BEHIND: u8 = 0xFF;

/// The symbols of bytes, and the numbers of their pairs.
pub struct Bytes {
    symbols: Box<[u32; 256]>,
    /// By two bytes, the first the lower half: the number of their product, or [`NO_NUMBER`].
    numbers: Box<[u32; 1 << 16]>,
}

impl Bytes {
    /// Those of a model over bytes; `None` where words are more than their bytes, some byte that text may
    /// have has no symbol, or there are so few pairs that it does not pay.
    pub fn of(alphabet: &Alphabet, pairs: &Pairs) -> Option<Self> {
        let mut symbols = Box::new(*alphabet.bytes()?);
        let in_text = (0..=0xF4).filter(|byte| !matches!(byte, 0xC0 | 0xC1));
        if !pairs.numbered()
            || !pairs.has_low()
            || in_text.map(|byte: usize| symbols[byte]).any(|id| id >= EDGE)
        {
            return None;
        }
        symbols[usize::from(BEHIND)] = EDGE;
        let mut numbers = vec![NO_NUMBER; 1 << 16];
        for (two, number) in numbers.iter_mut().enumerate() {
            let [left, right] = [symbols[two & 0xFF], symbols[two >> 8]];
            if left < EDGE && right < EDGE {
                *number = pairs.first_number(left, right).min(NO_NUMBER);
            }
        }
        Some(Self { symbols, numbers: numbers.try_into().ok()? })
    }

    /// The symbol of the byte at a place of a word.
    #[inline(always)]
    pub fn symbol(&self, word: &[u8; 16], at: usize) -> u32 {
        self.symbols[usize::from(word[at])]
    }

    /// The number of what it and the next one merge to.
    #[inline(always)]
    pub fn number(&self, word: &[u8; 16], at: usize) -> u32 {
        self.numbers[usize::from(u16::from_le_bytes([word[at], word[at + 1]]))]
    }
}

#[cfg(test)]
mod tests {
    use super::super::word::{Ids, Word};
    use super::super::{Merger, Room};
    use super::*;
    use crate::arch::keys::key;
    use crate::encode::tests::{Random, model};
    use crate::model::Model;
    use crate::monitor::Monitor;
    use crate::vocabulary::{Token, Vocabulary};

    #[test]
    fn words_of_all_lengths_merge_as_they_do_one_by_one() {
        let (mut random, monitor, mut room) = (Random(5), Monitor::silent(), Room::default());
        for round in 0..6 {
            let model = model(&mut random, round % 2 == 0, None);
            let merger = Merger::of(&model).expect("the model is sound");
            assert!(merger.bytes.is_some(), "all bytes have symbols, and there are many pairs");
            let texts: Vec<String> = (0..400).map(|at| random.text(at % 6)).collect();
            let words = texts
                .iter()
                .map(|text| Word { text, bytes: key(text.as_bytes(), 0, text.len() as u32) });
            let mut told = vec![Vec::new(); texts.len()];
            let take = |at: usize, ids: Ids| {
                assert_eq!(ids.first, Ids::of(ids.all).first);
                told[at] = ids.all.to_vec();
            };
            let done = merger.merge_some(words, &model, &mut room, &monitor, take);
            done.expect("all bytes have symbols");
            for (text, told) in texts.iter().zip(told) {
                let mut ids = Vec::new();
                let done = merger.merge(text, &model, &mut room, &mut ids, &monitor);
                done.expect("all bytes have symbols");
                assert_eq!(told, ids, "{text:?}");
            }
        }
    }

    #[test]
    fn a_byte_without_a_symbol_is_left_to_what_names_it() {
        for (missing, is_left) in [(b'a', true), (0xF4, true), (0xC0, false), (0xFF, false)] {
            let full = model(&mut Random(7), true, None);
            let kept = full.vocabulary.iter().filter(|(_, bytes)| *bytes != [missing]);
            let kept = kept.map(|(id, bytes)| Token::new(id, bytes.to_vec())).collect();
            let vocabulary = Vocabulary::new(kept).expect("ids are distinct");
            let model = Model { vocabulary, ..full };
            let (alphabet, pairs) = (Alphabet::of(&model), Pairs::listed(&[], 0));
            assert!(Bytes::of(&alphabet, &pairs).is_none(), "there are no pairs");
            let mut pairs = Pairs::with_capacity(300);
            pairs.add(0, 1, super::super::pairs::Product { rank: 0, merged: 300 });
            assert_eq!(Bytes::of(&alphabet, &pairs).is_none(), is_left, "{missing}");
        }
    }
}
