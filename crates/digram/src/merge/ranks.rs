//! Which pairs merge by rank: those whose joined bytes are a token.
//!
//! Of the many ways to cut a token in two, merging meets one only: see [`halves`](super::halves).

use super::halves::{self, Texts};
use super::pairs::{NONE, Pairs, Product};
use crate::error::{Error, Result};
use crate::model::{Merge, Model, Units};
use crate::threads;
use crate::vocabulary::Vocabulary;

/// The pairs that merging may meet in a model by rank. Bytes have ids from `first` on, mostly.
pub fn pairs(model: &Model, first: u32) -> Result<Pairs> {
    let vocabulary = &model.vocabulary;
    let Some(bytes) = bytes_of(model) else {
        let mut pairs = Pairs::by_rank(3 * vocabulary.len(), first);
        splits(vocabulary, |left, right, id| pairs.add(left, right, rank(id)))?;
        return Ok(pairs);
    };
    let mut pairs = Pairs::by_rank(vocabulary.len(), first);
    let (order, tokens) = (by_length(vocabulary), OfBytes { vocabulary, bytes });
    halves::find(&order, &tokens, &mut pairs, threads::available(None), |_, _| ())?;
    Ok(pairs)
}

/// The merges that make tokens, in the order of their ranks: where words begin as anything else than bytes, all
/// splits.
pub fn origins(model: &Model) -> Result<Vec<Merge>> {
    let vocabulary = &model.vocabulary;
    let mut merges = Vec::with_capacity(vocabulary.len());
    let mut add = |left, right, merged| merges.push(Merge { left, right, merged });
    match bytes_of(model) {
        None => splits(vocabulary, add)?,
        Some(bytes) => {
            let mut pairs = Pairs::by_rank(vocabulary.len(), 0);
            let (order, tokens) = (by_length(vocabulary), OfBytes { vocabulary, bytes });
            let found = |id, [left, right]: [u32; 2]| add(left, right, id);
            halves::find(&order, &tokens, &mut pairs, threads::available(None), found)?;
        }
    }
    merges.sort_by_key(|merge| merge.merged);
    Ok(merges)
}

/// Tokens that begin as bytes.
struct OfBytes<'a> {
    vocabulary: &'a Vocabulary,
    /// The id of each byte.
    bytes: [u32; 256],
}

impl Texts for OfBytes<'_> {
    #[inline]
    fn length(&self, token: u32) -> usize {
        self.vocabulary.bytes(token).len()
    }

    #[inline]
    fn write(&self, token: u32, symbols: &mut Vec<u32>) -> Result<()> {
        symbols.clear();
        let text = self.vocabulary.bytes(token);
        symbols.extend(text.iter().map(|&byte| self.bytes[usize::from(byte)]));
        Ok(())
    }
}

fn rank(id: u32) -> Product {
    Product { rank: id, merged: id }
}

/// The id of each byte, where words begin as bytes and nothing else, and all of them are tokens.
fn bytes_of(model: &Model) -> Option<[u32; 256]> {
    let vocabulary = &model.vocabulary;
    let plain = model.units == Units::Bytes
        && model.end_of_word.is_none()
        && model.continuing_prefix.is_none()
        && !model.byte_fallback;
    let mut ids = [NONE; 256];
    for (byte, id) in (0..=255).zip(&mut ids) {
        *id = vocabulary.id_of(&[byte], false).filter(|_| plain)?;
    }
    Some(ids)
}

/// The tokens of several bytes that merging may make, the short ones first. Where the same bytes
/// have a lower id, merging makes that one.
fn by_length(vocabulary: &Vocabulary) -> Vec<Product> {
    let distinct = vocabulary.is_distinct();
    let tokens = vocabulary.iter().filter(|&(id, token)| {
        token.len() > 1
            && vocabulary.merges(id)
            && (distinct || vocabulary.id_of(token, false) == Some(id))
    });
    let mut order: Vec<Product> = tokens.map(|(id, _)| rank(id)).collect();
    order.sort_by_key(|product| vocabulary.bytes(product.merged).len());
    order
}

/// Calls `split` with left, right and whole for every way to split a token into two that merging
/// may meet, token by token.
///
/// Fails where that takes far more than any vocabulary for text does: long tokens that are made of
/// each other split in as many ways as they have bytes.
pub fn splits(vocabulary: &Vocabulary, mut split: impl FnMut(u32, u32, u32)) -> Result<()> {
    let mut left = Effort::for_vocabulary(vocabulary);
    let has = lengths(vocabulary);
    let lengths: Vec<usize> = (1..has.len()).filter(|&length| has[length]).collect();
    for (merged, bytes) in vocabulary.iter().filter(|(id, _)| vocabulary.merges(*id)) {
        let ends_word = vocabulary.ends_word(merged);
        // Where the same bytes have a lower id, that is the one that merging finds.
        if vocabulary.id_of(bytes, ends_word) != Some(merged) {
            continue;
        }
        // A marker of its own is a right part without bytes.
        let longest = bytes.len() + usize::from(ends_word);
        for &middle in lengths.iter().take_while(|&&middle| middle < longest) {
            if !has[bytes.len() - middle] {
                continue;
            }
            left.spend(bytes.len() as u64)?;
            if let Some(first) = vocabulary.id_of(&bytes[..middle], false)
                && let Some(second) = vocabulary.id_of(&bytes[middle..], ends_word)
            {
                left.found()?;
                split(first, second, merged);
            }
        }
    }
    Ok(())
}

/// Which lengths tokens have.
fn lengths(vocabulary: &Vocabulary) -> Vec<bool> {
    let longest = vocabulary.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
    let mut has = vec![false; longest + 1];
    for (_, bytes) in vocabulary.iter() {
        has[bytes.len()] = true;
    }
    has
}

/// How much may still be spent on splitting tokens.
struct Effort {
    bytes: u64,
    splits: u64,
}

impl Effort {
    /// The largest vocabularies in use spend a twentieth of either.
    fn for_vocabulary(vocabulary: &Vocabulary) -> Self {
        let tokens = vocabulary.len() as u64;
        Self { bytes: (2 << 30) + 256 * tokens, splits: (1 << 19) + 32 * tokens }
    }

    fn spend(&mut self, bytes: u64) -> Result<()> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(too_many)?;
        Ok(())
    }

    fn found(&mut self) -> Result<()> {
        self.splits = self.splits.checked_sub(1).ok_or_else(too_many)?;
        Ok(())
    }
}

fn too_many() -> Error {
    Error::Limit(
        "the tokens are made of each other in too many ways to merge by rank; list the merges \
         instead"
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::tests::Random;
    use crate::merge::scan;
    use crate::model::Rule;
    use crate::vocabulary::Token;

    #[test]
    fn one_pair_a_token_merges_as_all_its_cuts_do() {
        let mut state = 17_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut fewer, mut differ) = (0, 0);
        for _ in 0..400 {
            // in any order, so that parts may have higher ranks than what they make, or none
            let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
            for _ in 0..40 {
                let longest = if random(9) == 0 { 40 } else { 5 };
                let length = 2 + random(longest);
                texts.push((0..length).map(|_| b'a' + random(2) as u8).collect());
            }
            for last in (1..texts.len()).rev() {
                texts.swap(last, random(last + 1));
            }
            let tokens = (0..).zip(texts).map(|(id, text)| Token::new(id, text)).collect();
            let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
            let model = Model::new(vocabulary, Units::Bytes, Rule::Ranks);
            let found = pairs(&model, 0).expect("few");
            let (mut all, mut cuts) = (Pairs::by_rank(8, 0), 0);
            splits(&model.vocabulary, |left, right, id| {
                all.add(left, right, rank(id));
                cuts += 1;
                fewer += u32::from(found.get(left, right) != rank(id));
            })
            .expect("few");
            for _ in 0..50 {
                let unit = |byte: u8| model.vocabulary.id_of(&[byte], false).expect("all are");
                let word: Vec<u32> =
                    (0..random(50)).map(|_| unit(b'a' + random(2) as u8)).collect();
                let (mut by_found, mut by_all) = (word.clone(), word.clone());
                scan::merge(&mut by_found, &found, &mut Vec::new(), &mut ());
                scan::merge(&mut by_all, &all, &mut Vec::new(), &mut ());
                assert_eq!(by_found, by_all, "{word:?} of {cuts} cuts");
                differ += u32::from(by_all != word);
            }
        }
        assert!(fewer > 5_000 && differ > 10_000, "{fewer} cuts left out, {differ} words merged");
    }

    #[test]
    fn any_number_of_threads_finds_the_same_pairs() {
        let mut random = Random(5);
        let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for length in [2, 3, 4, 5] {
            let mut letters = || (0..length).map(|_| b'a' + random.below(16) as u8).collect();
            texts.extend((0..5_000).map(|_| -> Vec<u8> { letters() }));
        }
        let tokens = (0..).zip(texts).map(|(id, text)| Token::new(id, text)).collect();
        let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
        let model = Model::new(vocabulary, Units::Bytes, Rule::Ranks);
        let found = |workers| {
            let (mut pairs, mut found) = (Pairs::by_rank(8, 0), Vec::new());
            let bytes = bytes_of(&model).expect("all are");
            let (order, vocabulary) = (by_length(&model.vocabulary), &model.vocabulary);
            let tokens = OfBytes { vocabulary, bytes };
            halves::find(&order, &tokens, &mut pairs, workers, |id, two| found.push((id, two)))
                .expect("all are bytes");
            let is_added =
                |&(id, [left, right]): &(u32, [u32; 2])| pairs.get(left, right) == rank(id);
            assert!(found.iter().all(is_added), "{workers} threads");
            // in which order those of one length are found says nothing
            found.sort_unstable();
            found
        };
        let alone = found(1);
        assert!(alone.len() > 5_000, "{} tokens are made", alone.len());
        assert!([2, 3, 7].into_iter().all(|workers| found(workers) == alone));
    }
}
