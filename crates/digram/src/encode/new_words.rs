//! Words that no table holds: looked for among the tokens, or merged, and put into the tables.
//!
//! Half of them are tokens, in no order, and their lengths are as good as random. So no branch depends on
//! that, as far as it goes: each is written to both lists, and counts in one.

use super::maker::Maker;
use super::pieces::Pieces;
use super::table::{Key, MANY, TOO_LONG};
use super::words::{Elsewhere, TOGETHER, Words};
use crate::arch::append::Packed;
use crate::error::{Error, Result};
use crate::merge::word::{Ids, Word};

impl Words {
    /// A word as merging takes it.
    #[inline]
    pub(super) fn word<'a>(&self, text: &'a str, pieces: Pieces, index: u32) -> Word<'a> {
        let text = pieces.text(text, index as usize);
        Word { text, bytes: self.keys[index as usize] }
    }

    /// Looks for the words that were never met among the tokens: where a bit says that one may be a token.
    #[inline(never)]
    pub(super) fn look_for_tokens(&mut self, text: &str, pieces: Pieces, maker: &impl Maker) {
        for &index in &self.unknown {
            maker.announce(self.word(text, pieces, index));
        }
        let (mut tokens, mut merged) =
            (std::mem::take(&mut self.tokens), std::mem::take(&mut self.merged));
        // one more, for what is written last and does not count
        tokens.resize(self.unknown.len() + 1, (0, 0));
        merged.resize(self.unknown.len() + 1, 0);
        let [mut likely, mut found, mut others] = [0, 0, 0];
        for &index in &self.unknown {
            let may_be = maker.may_be_token(self.word(text, pieces, index));
            let may_be = may_be & !pieces.is_part(index as usize);
            tokens[likely] = (index, 0);
            merged[others] = index;
            likely += usize::from(may_be);
            others += usize::from(!may_be);
        }
        for nth in 0..likely {
            let (index, _) = tokens[nth];
            let token = maker.token(self.word(text, pieces, index));
            tokens[found] = (index, token.unwrap_or(0));
            merged[others] = index;
            found += usize::from(token.is_some());
            others += usize::from(token.is_none());
        }
        tokens.truncate(found);
        merged.truncate(others);
        (self.tokens, self.merged) = (tokens, merged);
    }

    /// Makes the ids of words that were never met.
    #[inline(never)]
    pub(super) fn make(
        &mut self,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
    ) -> Result<()> {
        let (mut tokens, mut merged) =
            (std::mem::take(&mut self.tokens), std::mem::take(&mut self.merged));
        for (index, token) in tokens.drain(..) {
            self.found_token(text, pieces, index as usize, token);
        }
        merged.retain(|&index| !self.take_apart(text, pieces, index as usize, maker));
        let keys = std::mem::take(&mut self.keys);
        let done = merged.chunks(TOGETHER).try_for_each(|some| {
            let words = some.iter().map(|&index| Word {
                text: pieces.text(text, index as usize),
                bytes: keys[index as usize],
            });
            maker.merge_some(words, |at, ids| {
                let index = some[at] as usize;
                self.made(text, pieces, (index, keys[index]), ids);
            })
        });
        (self.tokens, self.merged, self.keys) = (tokens, merged, keys);
        done?;
        self.make_by_parts(text, pieces, maker)
    }

    /// What is wrong with the first word in the text that cannot be made: they are made in another order.
    #[cold]
    pub(super) fn first_error(
        &self,
        text: &str,
        pieces: Pieces,
        maker: &mut impl Maker,
        error: Error,
    ) -> Error {
        if !matches!(error, Error::UnknownToken(_)) {
            return error;
        }
        let mut ids = Vec::new();
        let failing = (0..pieces.len() as u32).find_map(|index| {
            let word = self.word(text, pieces, index);
            let is_token = !pieces.is_part(index as usize) && maker.token(word).is_some();
            if is_token { None } else { maker.merge(word.text, &mut ids).err() }
        });
        failing.unwrap_or(error)
    }

    /// Notes that a word is a token. That is soon found again, so that only one in four is put into the far
    /// table: those that are met often come to stand there, and it grows half as soon.
    pub(super) fn found_token(&mut self, text: &str, pieces: Pieces, index: usize, whole: u32) {
        let key = self.keys[index];
        self.luck = self.luck.wrapping_add(1);
        let value =
            self.packing.pack(&[whole]).filter(|_| key != TOO_LONG && !self.luck.is_multiple_of(4));
        let Some(value) = value else {
            return self.made(text, pieces, (index, key), Ids::of(&[whole]));
        };
        self.values[index] = value;
        self.promoted.push_if(self.table.is_free(key), index as u32);
    }

    /// Notes the ids of a word that was just made.
    pub(super) fn made(
        &mut self,
        text: &str,
        pieces: Pieces,
        (index, key): (usize, Key),
        ids: Ids,
    ) {
        let packed = self.packing.pack_first(&ids.first, ids.all.len());
        let is_short = key != TOO_LONG;
        let value = packed.filter(|_| is_short);
        // it may stand in the batch twice
        if is_short {
            self.insert(key, value.unwrap_or(MANY));
        }
        if let Some(value) = value {
            self.values[index] = value;
            return self.promoted.push_if(self.table.is_free(key), index as u32);
        }
        let two = self.packing.pack_two(ids.all);
        match (packed, two) {
            (Some(packed), _) => self.values[index] = packed,
            (None, Some(two)) => self.put_two(index, two),
            (None, None) => self.put_many(index, ids.all),
        }
        self.remember(text, pieces, (index, two), ids.all);
    }

    /// Notes the value of a new word that is short.
    pub(super) fn insert(&mut self, key: Key, value: Packed) {
        if self.table.insert_new(key, value, &mut self.spare) {
            self.news.tell_short([key, value]);
        }
    }

    /// Leaves more ids than two values hold where they are emitted from.
    fn put_many(&mut self, index: usize, ids: &[u32]) {
        let start = self.many.len() as u32;
        self.many.extend_from_slice(ids);
        self.put_elsewhere(index, Elsewhere::Many(start..self.many.len() as u32));
    }

    /// Notes the ids of a word that has no room in the table, which may be as two values.
    fn remember(
        &mut self,
        text: &str,
        pieces: Pieces,
        (index, two): (usize, Option<[Packed; 2]>),
        ids: &[u32],
    ) {
        let key = pieces.wide_key(text, index);
        if let (Some(key), Some([first, second])) = (key, two) {
            if self.wide.find(key).is_none() {
                let slot = [key[0], key[1], first, second];
                self.wide.insert(slot, &mut self.spare);
                self.news.tell_wide(slot);
            }
            return;
        }
        let long = pieces.long(text, index);
        if !self.long.knows(long) {
            self.long.insert(long, ids, &mut self.spare);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::encode::tests::{CL100K, Random, model};
    use crate::encode::{Special, Tokenizer};
    use crate::model::{Model, Rule, Units};
    use crate::monitor::Monitor;
    use crate::vocabulary::{Token, Vocabulary};

    #[test]
    fn of_several_words_that_fail_the_first_is_named() {
        let mut random = Random(3);
        for round in 0..400 {
            // the hash of tokens is another one for each vocabulary
            let known = " .abcdefgh文";
            let tokens = (0..)
                .zip(known.chars())
                .map(|(id, character)| Token::new(id, character.to_string().into_bytes()));
            let vocabulary = Vocabulary::new(tokens.collect()).expect("ids are distinct");
            let mut model = Model { ..Model::new(vocabulary, Units::Chars, Rule::Ranks) };
            model.pre_tokenizer = self::model(&mut Random(1), true, Some(CL100K)).pre_tokenizer;
            let tokenizer = Tokenizer::new(model).expect("the model is sound");
            let mut letters: Vec<char> =
                ('k'..='z').chain('Α'..='Ω').chain("中日本字語".chars()).collect();
            // some texts have so few words that they are made one by one
            let kept = if round % 2 == 0 { letters.len() } else { 1 + random.below(4) };
            while letters.len() > kept {
                letters.swap_remove(random.below(letters.len()));
            }
            let mut text = String::from("abc");
            while !letters.is_empty() {
                let letter = letters.swap_remove(random.below(letters.len()));
                let [before, behind] = [0, 0].map(|_| random.below(3) * random.below(12));
                let (before, behind) = ("a".repeat(before), "文b".repeat(behind));
                text.extend([" ", &before, &String::from(letter), &behind]);
            }
            let error = tokenizer.encode(&text, &Special::Text, &Monitor::silent());
            let error = error.expect_err("there are unknown characters").to_string();
            let first = text.chars().find(|&character| !known.contains(character));
            let first = first.expect("there are unknown characters");
            assert!(error.starts_with(&format!("character {first:?}")), "{error} of {text:?}");
        }
    }
}
