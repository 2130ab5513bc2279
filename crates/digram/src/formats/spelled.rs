//! Vocabularies as text files spell them, and what the spellings mean.
//!
//! A token over bytes is spelled in GPT-2's byte alphabet and one over characters as it is; the
//! end-of-word marker is spelled as text. Entries that merging never meets (special tokens, or
//! text outside the byte alphabet) are plain text.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::borrow::Cow;

use super::lines;
use crate::aliases;
use crate::components::AddedToken;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::{self, EndOfWord, Merge, Model, Units};
use crate::vocabulary::{self, MAX_ID, Tokens, Traits, Vocabulary};

/// So many merges before they are looked up, their spellings are asked for.
const AHEAD: usize = 16;

/// Tokens and their ids, in the order of the file.
pub(super) type Entries<'a> = [(Cow<'a, str>, u32)];

/// Spelling → id.
pub(super) struct Index<'a> {
    entries: &'a Entries<'a>,
    /// The places of entries, by what they spell.
    places: vocabulary::Index,
}

impl<'a> Index<'a> {
    /// The index of `entries`. Fails where a spelling is listed twice, or an id is wild.
    pub fn of(entries: &'a Entries<'a>, limits: &Limits) -> Result<Self> {
        // tables are as long as the largest id
        if let Some((spelling, id)) = entries.iter().max_by_key(|(_, id)| *id) {
            limits.check_id(*id, entries.len(), &format!("{:?}", lines::shortened(spelling)))?;
        }
        if entries.len() > MAX_ID as usize {
            let count = entries.len();
            return Err(Error::Limit(format!("{count} tokens; at most {MAX_ID} are supported")));
        }
        let mut index = Self { entries, places: vocabulary::Index::with_capacity(entries.len()) };
        let places: Vec<u32> = (0..entries.len() as u32).collect();
        for some in places.chunks(AHEAD) {
            index.places.insert(some, |place| spelled(entries, place));
        }
        if index.places.len() == entries.len() {
            return Ok(index);
        }
        let first = |place: usize| index.place(&entries[place].0).filter(|first| *first < place);
        let twice = (0..entries.len()).find_map(|place| Some((place, first(place)?)));
        twice.map_or(Ok(()), |(place, first)| {
            let ((spelling, id), (_, first)) = (&entries[place], &entries[first]);
            Err(Error::Format(format!("{spelling:?} is listed twice, as {first} and {id}")))
        })?;
        Ok(index)
    }

    /// The id of a spelling.
    pub fn get(&self, spelling: &str) -> Option<u32> {
        self.place(spelling).map(|place| self.entries[place].1)
    }

    /// The place of its entry.
    fn place(&self, spelling: &str) -> Option<usize> {
        let of = |place| spelled(self.entries, place);
        self.places.find((spelling.as_bytes(), false), of).map(|place| place as usize)
    }

    /// Begins to load what [`get`](Self::get) will look at.
    fn prefetch(&self, spelling: &str) {
        self.places.prefetch(spelling.as_bytes());
    }
}

/// What the entry in a place spells, which is the whole of it.
fn spelled<'a>(entries: &'a Entries<'_>, place: u32) -> (&'a [u8], bool) {
    (entries[place as usize].0.as_bytes(), false)
}

/// The products of merges, one after the other: mostly tokens stand in the order in which merges make
/// them, so that the next one is where the last one was, or behind it.
struct InTurn<'a> {
    index: &'a Index<'a>,
    last: usize,
    spelling: String,
}

impl InTurn<'_> {
    /// The id of what two spellings make.
    fn next(&mut self, left: &str, right: &str) -> Option<u32> {
        let is_next = |place: &usize| {
            self.index.entries.get(*place).is_some_and(|(spelling, _)| {
                spelling.len() == left.len() + right.len()
                    && spelling.starts_with(left)
                    && spelling.ends_with(right)
            })
        };
        let near = [self.last, self.last + 1].into_iter().find(is_next);
        self.last = if let Some(place) = near {
            place
        } else {
            self.spelling.clear();
            self.spelling.extend([left, right]);
            self.index.place(&self.spelling)?
        };
        Some(self.index.entries[self.last].1)
    }
}

/// Which of two merges of one pair counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeated {
    /// The first in the file, as in subword-nmt.
    FirstCounts,
    /// The last in the file, as in Hugging Face.
    LastCounts,
}

/// The merges that pairs of spellings mean; `place` names one in a message.
pub(super) fn merges<'m>(
    index: &Index,
    pairs: impl Iterator<Item = (&'m str, &'m str)> + Clone,
    prefix: &str,
    repeated: Repeated,
    place: impl Fn(usize) -> String,
) -> Result<Vec<Merge>> {
    let mut merges = Vec::with_capacity(pairs.size_hint().0);
    let mut products = InTurn { index, last: 0, spelling: String::new() };
    let mut ahead = pairs.clone();
    let prefetch = |(left, right)| {
        index.prefetch(left);
        index.prefetch(right);
    };
    ahead.by_ref().take(AHEAD).for_each(prefetch);
    for (position, (left, right)) in pairs.enumerate() {
        ahead.next().into_iter().for_each(prefetch);
        let behind = match prefix {
            "" => right,
            prefix => right.strip_prefix(prefix).unwrap_or(right),
        };
        let unknown = |spelling: &str| {
            let place = place(position);
            Error::Format(format!(
                "{place}: {left:?} + {right:?}: {spelling:?} is not in the vocabulary"
            ))
        };
        let id = |spelling: &str| index.get(spelling).ok_or_else(|| unknown(spelling));
        let product = products.next(left, behind);
        let product = || product.ok_or_else(|| unknown(&[left, behind].concat()));
        merges.push(Merge { left: id(left)?, right: id(right)?, merged: product()? });
    }
    Ok(without_repeated(merges, repeated))
}

/// One merge of each pair.
pub(super) fn without_repeated(mut merges: Vec<Merge>, repeated: Repeated) -> Vec<Merge> {
    let pairs = merges.iter().map(|merge| (merge.left, merge.right));
    let last = merges.len().saturating_sub(1);
    let left_out: Vec<usize> = match repeated {
        Repeated::FirstCounts => model::repeated(pairs),
        Repeated::LastCounts => {
            let behind = model::repeated(pairs.rev());
            behind.into_iter().rev().map(|place| last - place).collect()
        }
    };
    let (mut left_out, mut place) = (left_out.into_iter().peekable(), 0);
    merges.retain(|_| {
        place += 1;
        left_out.next_if_eq(&(place - 1)).is_none()
    });
    merges
}

/// What the spellings of a vocabulary depend on.
pub(super) struct Spelling<'a> {
    pub units: Units,
    pub end_of_word: Option<&'a EndOfWord>,
    pub prefix: Option<&'a str>,
    pub ignore_merges: bool,
}

impl<'a> Spelling<'a> {
    /// As `model` is spelled.
    pub fn of(model: &'a Model) -> Self {
        Self {
            units: model.units,
            end_of_word: model.end_of_word.as_ref(),
            prefix: model.continuing_prefix.as_deref(),
            ignore_merges: model.ignore_merges,
        }
    }

    /// Bytes, without marks of words' ends or insides.
    pub fn of_bytes(ignore_merges: bool) -> Self {
        Self { units: Units::Bytes, end_of_word: None, prefix: None, ignore_merges }
    }

    /// The vocabulary that `entries` spell, and the added tokens that are not among them.
    pub fn vocabulary(
        &self,
        entries: &Entries,
        merges: &[Merge],
        added: &[AddedToken],
    ) -> Result<Vocabulary> {
        let added: HashMap<&str, &AddedToken> =
            added.iter().map(|added| (added.content.as_str(), added)).collect();
        let ends = self.word_ends(entries, merges);
        let in_merges = in_merges(merges, ends.len());
        let bytes = entries.iter().map(|(spelling, _)| spelling.len()).sum();
        let mut tokens = Tokens::with_room(entries.len() + added.len(), bytes);
        let mut outside = added.clone();
        for (spelling, id) in entries {
            let in_merge = in_merges[*id as usize];
            let added = added.get(spelling.as_ref()).copied();
            self.token((spelling, *id), ends[*id as usize], in_merge, added, &mut tokens)?;
            if let Some(added) = added {
                outside.remove(added.content.as_str());
            }
        }
        for added in outside.values() {
            tokens.push(added.id, Traits::ADDED_ONLY, added.content.as_bytes());
        }
        tokens.vocabulary()
    }

    /// Which ids end a word: those spelled so, except what merges make of ordinary text that is
    /// spelled as the marker is.
    pub fn word_ends(&self, entries: &Entries, merges: &[Merge]) -> Vec<bool> {
        let ids = entries.iter().map(|(_, id)| *id as usize + 1).max().unwrap_or(0);
        let mut ends = vec![false; ids];
        let Some(end) = self.end_of_word else { return ends };
        for (spelling, id) in entries {
            ends[*id as usize] = stem(spelling, end).is_some();
        }
        // Each id is looked at once: when it is found to end no word, so does what it ends.
        let mut made_with: HashMap<u32, Vec<u32>, FixedState> = HashMap::default();
        for merge in merges.iter().filter(|merge| ends[merge.merged as usize]) {
            made_with.entry(merge.right).or_default().push(merge.merged);
        }
        let mut open: Vec<u32> =
            made_with.keys().copied().filter(|&id| !ends[id as usize]).collect();
        while let Some(right) = open.pop() {
            for &merged in made_with.get(&right).into_iter().flatten() {
                if std::mem::take(&mut ends[merged as usize]) {
                    open.push(merged);
                }
            }
        }
        ends
    }

    /// Adds the token of an entry.
    fn token(
        &self,
        (spelling, id): (&str, u32),
        ends_word: bool,
        in_merge: bool,
        added: Option<&AddedToken>,
        tokens: &mut Tokens,
    ) -> Result<()> {
        let stem = self.end_of_word.filter(|_| ends_word).and_then(|end| stem(spelling, end));
        let text = stem.unwrap_or(spelling);
        let is_met = |added: &AddedToken| {
            model::is_met((text, self.prefix), added, in_merge, self.ignore_merges)
        };
        let bytes = tokens.begin();
        let is_spelled = match self.units {
            Units::Chars => {
                bytes.extend_from_slice(text.as_bytes());
                true
            }
            Units::Bytes => aliases::unspell_to(text, bytes),
        };
        // no text becomes a token without bytes, which Whisper's vocabulary has
        if is_spelled && !spelling.is_empty() && added.is_none_or(is_met) {
            tokens.add(id, Traits::ENDS_WORD.only_if(ends_word));
            return Ok(());
        }
        if !is_spelled && in_merge {
            return Err(Error::Format(format!(
                "{spelling:?} is not spelled in GPT-2's byte alphabet, and merges use it"
            )));
        }
        tokens.push(id, Traits::LITERAL, spelling.as_bytes());
        Ok(())
    }
}

/// What stands before the marker; an attached marker has something to stand after.
fn stem<'a>(spelling: &'a str, end: &EndOfWord) -> Option<&'a str> {
    spelling.strip_suffix(&end.marker).filter(|stem| !end.attached || !stem.is_empty())
}

/// Which of `ids` ids occur in merges.
pub(super) fn in_merges(merges: &[Merge], ids: usize) -> Vec<bool> {
    let mut found = vec![false; ids];
    for merge in merges {
        for id in [merge.left, merge.right, merge.merged] {
            if let Some(found) = found.get_mut(id as usize) {
                *found = true;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::special;

    fn owned(entries: &[(&'static str, u32)]) -> Vec<(Cow<'static, str>, u32)> {
        entries.iter().map(|(spelling, id)| (Cow::Borrowed(*spelling), *id)).collect()
    }

    #[test]
    fn wild_ids_and_repeated_spellings_are_refused() {
        let wild = owned(&[("a", 0), ("b", 5_000_000)]);
        let error = Index::of(&wild, &Limits::default()).err().expect("refused");
        assert!(matches!(&error, Error::Limit(m) if m.contains("\"b\" has id 5000000")), "{error}");
        let twice = owned(&[("a", 0), ("a", 1)]);
        let error = Index::of(&twice, &Limits::default()).err().expect("refused");
        assert_eq!(error.to_string(), "\"a\" is listed twice, as 0 and 1");
    }

    #[test]
    fn of_a_repeated_pair_one_counts() {
        let entries = owned(&[("a", 0), ("b", 1), ("ab", 2), ("ba", 3)]);
        let index = Index::of(&entries, &Limits::default()).expect("unique");
        let pairs = [("a", "b"), ("b", "a"), ("a", "b")];
        let lefts = |repeated| {
            let merges = merges(&index, pairs.into_iter(), "", repeated, |_| String::new());
            merges.expect("all known").iter().map(|merge| merge.left).collect::<Vec<_>>()
        };
        assert_eq!(lefts(Repeated::FirstCounts), [0, 1]);
        assert_eq!(lefts(Repeated::LastCounts), [1, 0]);
    }

    #[test]
    fn products_are_found_where_they_stand_and_elsewhere() {
        let entries =
            owned(&[("a", 0), ("b", 9), ("c", 2), ("ab", 3), ("ac", 4), ("cc", 5), ("aa", 7)]);
        let index = Index::of(&entries, &Limits::default()).expect("unique");
        let pairs = [("a", "c"), ("a", "b"), ("a", "c"), ("a", "a"), ("c", "c"), ("a", "b")];
        let merges = |pairs: &[(&'static str, &'static str)]| {
            merges(&index, pairs.iter().copied(), "", Repeated::FirstCounts, |n| format!("{n}"))
        };
        let made: Vec<u32> =
            merges(&pairs).expect("all known").iter().map(|merge| merge.merged).collect();
        assert_eq!(made, [4, 3, 7, 5]);
        for (wrong, named) in [(("b", "a"), "ba"), (("a", "d"), "d"), (("ab", "b"), "abb")] {
            let error = merges(&[("a", "b"), wrong]).expect_err("refused").to_string();
            assert!(
                error.starts_with("1: ") && error.contains(&format!("{named:?} is not")),
                "{error}"
            );
        }
    }

    #[test]
    fn what_merging_never_meets_is_plain_text() {
        let entries = owned(&[("Ġ", 0), ("é", 1), (" ", 2), ("<s>", 3), ("Ġé", 4), ("«»", 5)]);
        let added = [special(3, "<s>"), special(1, "é"), special(5, "«»"), special(9, "<t>")];
        let merges = [Merge { left: 0, right: 1, merged: 4 }];
        let bytes = Spelling::of_bytes(false);
        let vocabulary = bytes.vocabulary(&entries, &merges, &added).expect("sound");
        let bytes: Vec<_> = vocabulary.iter().map(|(_, bytes)| bytes.to_vec()).collect();
        // the added `é` is a byte that merges use, and stays one; `«»` is no byte sequence
        let expected: [&[u8]; 7] = [b" ", b"\xE9", b" ", b"<s>", b" \xE9", "«»".as_bytes(), b"<t>"];
        assert_eq!(bytes, expected);
        let literal: Vec<_> = (0..6).filter(|&id| vocabulary.literal(id)).collect();
        assert_eq!(literal, [2, 3, 5]);
        assert!(vocabulary.added_only(9) && !vocabulary.merges(3) && vocabulary.merges(1));
        assert_eq!(vocabulary.id_of(b" ", false), Some(0));
    }

    #[test]
    fn merges_of_plain_text_are_refused_where_bytes_merge() {
        let entries = owned(&[("Ġ", 0), ("漢", 1), ("Ġ漢", 2)]);
        let merges = [Merge { left: 0, right: 1, merged: 2 }];
        let error =
            Spelling::of_bytes(false).vocabulary(&entries, &merges, &[]).err().expect("refused");
        assert!(error.to_string().starts_with("\"漢\" is not spelled in GPT-2's byte alphabet"));
    }

    #[test]
    fn the_marker_is_told_from_the_same_text() {
        let end = EndOfWord { marker: "_".into(), attached: true };
        let spelling =
            Spelling { units: Units::Chars, end_of_word: Some(&end), ..Spelling::of_bytes(false) };
        let entries = owned(&[("a", 0), ("_", 1), ("b_", 2), ("a_", 3), ("ab_", 4)]);
        let merges =
            [Merge { left: 0, right: 1, merged: 3 }, Merge { left: 0, right: 2, merged: 4 }];
        let ends = spelling.word_ends(&entries, &merges);
        assert_eq!(ends, [false, false, true, false, true]);
    }
}
