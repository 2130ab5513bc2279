//! Merging by ranks and merging by a list: when the two agree.
//!
//! By ranks, any two adjacent tokens whose joined bytes are a token merge, the lowest id first
//! and the leftmost first within an id. By a list, only listed pairs do, in the list's order.
//!
//! What follows rests on this: while two adjacent symbols stand for the bytes of a token, nothing
//! has crossed their borders, so those bytes have merged as they do alone. Alone they are in the
//! state of two symbols only once. So a token is made of the same two parts wherever it is made.

use crate::error::Result;
use crate::merge::pairs::{NONE, Pairs};
use crate::merge::{self, heap, scan};
use crate::model::{Merge, Model, Rule, Units};
use crate::monitor::{Monitor, Nobody};
use crate::vocabulary::Vocabulary;

/// Every way to split a token into two, by (token, left, right): the list that gives the same ids
/// as merging by ranks.
///
/// The pairs that may merge are the same, and so is the order of what they make. In which order
/// the splits of one token stand does not matter, as only one of them ever occurs.
pub(super) fn splits(vocabulary: &Vocabulary) -> Result<Vec<Merge>> {
    let mut splits = Vec::with_capacity(2 * vocabulary.len());
    merge::ranks::splits(vocabulary, |left, right, merged| {
        if !vocabulary.ends_word(merged) {
            splits.push(Merge { left, right, merged });
        }
    })?;
    splits.sort_unstable_by_key(|merge| (merge.merged, merge.left, merge.right));
    Ok(splits)
}

/// Why merging by ranks would not give the ids of `model`; `None` where it does.
///
/// Where a token's own bytes merge to it, two adjacent symbols that join to it are a listed pair,
/// and so they are where all its splits are listed. Then the pairs that may merge are the same;
/// and if the list is in the order of the ids that it makes, so is their order.
pub(super) fn why_not(model: &Model) -> Result<Option<String>> {
    let merges = match &model.rule {
        Rule::Greedy(_) => return Ok(Some("it is greedy and merges nothing".into())),
        Rule::Scores(_) => return Ok(Some("it merges by scores".into())),
        Rule::Ranks => return unreached(model, &splits(&model.vocabulary)?),
        Rule::Merges(merges) => merges,
    };
    match unordered(model, merges) {
        Some(reason) => Ok(Some(reason)),
        None => unreached(model, merges),
    }
}

/// A merge that goes before one whose token has a lower id.
fn unordered(model: &Model, merges: &[Merge]) -> Option<String> {
    let rank = (1..merges.len()).find(|&rank| merges[rank].merged < merges[rank - 1].merged)?;
    let [before, after] = [merges[rank - 1].merged, merges[rank].merged];
    let [first, second] = [before, after].map(|id| model.spelling(id));
    Some(format!(
        "merge {} makes {first:?} (id {before}) before merge {rank} makes {second:?} (id {after}), \
         but an id is a rank there",
        rank - 1
    ))
}

/// A token that its own bytes do not merge to, where that matters.
fn unreached(model: &Model, merges: &[Merge]) -> Result<Option<String>> {
    let vocabulary = &model.vocabulary;
    let pairs = Pairs::of(model, 0)?;
    let listed = counts(merges, vocabulary.ids());
    let all = counts(&splits(vocabulary)?, vocabulary.ids());
    for (id, bytes) in vocabulary.iter() {
        let may_differ = !model.ignore_merges || listed[id as usize] != all[id as usize];
        if may_differ
            && vocabulary.id_of(bytes, false) == Some(id)
            && !merges_to(model, &pairs, id, bytes)?
        {
            let spelling = model.spelling(id);
            return Ok(Some(format!("{spelling:?} (id {id}) is not what its own bytes merge to")));
        }
    }
    Ok(None)
}

/// How many merges make each id.
fn counts(merges: &[Merge], ids: usize) -> Vec<u32> {
    let mut counts = vec![0; ids];
    for merge in merges {
        counts[merge.merged as usize] += 1;
    }
    counts
}

fn merges_to(model: &Model, pairs: &Pairs, id: u32, bytes: &[u8]) -> Result<bool> {
    /// Beyond it a heap is quicker than a scan.
    const SHORT: usize = 96;
    let Some(mut symbols) = units(model, bytes) else { return Ok(false) };
    if symbols.len() <= SHORT {
        scan::merge(&mut symbols, pairs, &mut Vec::new(), &mut ());
    } else {
        heap::merge(&mut symbols, pairs, &Monitor::new(&Nobody))?;
    }
    Ok(symbols == [id])
}

/// The symbols that bytes begin as; `None` where one is not in the vocabulary.
fn units(model: &Model, bytes: &[u8]) -> Option<Vec<u32>> {
    let id = |unit: &[u8]| model.vocabulary.id_of(unit, false).filter(|&id| id != NONE);
    match model.units {
        Units::Bytes => bytes.chunks(1).map(id).collect(),
        Units::Chars => {
            let text = std::str::from_utf8(bytes).ok()?;
            text.chars().map(|unit| id(unit.encode_utf8(&mut [0; 4]).as_bytes())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::vocabulary::Token;

    fn model(tokens: &[&str], rule: Rule) -> Model {
        let tokens = (0..).zip(tokens).map(|(id, token)| Token::new(id, *token)).collect();
        Model::new(Vocabulary::new(tokens).expect("unique ids"), Units::Bytes, rule)
    }

    fn listed(tokens: &[&str], pairs: &[(u32, u32, u32)]) -> Model {
        let merge = |&(left, right, merged)| Merge { left, right, merged };
        model(tokens, Rule::Merges(pairs.iter().map(merge).collect()))
    }

    fn reason(model: &Model) -> String {
        why_not(model).expect("short words").expect("a reason")
    }

    fn merged(model: &Model, text: &[u8]) -> Vec<u32> {
        let mut symbols = units(model, text).expect("known units");
        scan::merge(&mut symbols, &Pairs::of(model, 0).expect("few"), &mut Vec::new(), &mut ());
        symbols
    }

    proptest! {
        /// Any vocabulary over two letters, its ids in any order.
        #[test]
        fn all_splits_give_the_ids_of_ranks(
            tokens in proptest::collection::hash_set("[ab]{2,6}", 1..12),
            texts in proptest::collection::vec("[ab]{0,24}", 8),
        ) {
            let tokens: Vec<&str> = ["a", "b"].into_iter().chain(tokens.iter().map(String::as_str)).collect();
            let ranks = model(&tokens, Rule::Ranks);
            let list = Model { rule: Rule::Merges(splits(&ranks.vocabulary).expect("few")), ..ranks.clone() };
            for text in texts {
                prop_assert_eq!(merged(&ranks, text.as_bytes()), merged(&list, text.as_bytes()));
            }
        }

        /// Any list over two letters: where nothing is said against ranks, they give its ids.
        #[test]
        fn a_list_that_agrees_with_ranks_gives_their_ids(
            pairs in proptest::collection::vec((0..12_usize, 0..12_usize), 1..10),
            texts in proptest::collection::vec("[ab]{0,24}", 8),
        ) {
            let (mut tokens, mut merges) = (vec!["a".to_owned(), "b".to_owned()], Vec::new());
            for (left, right) in pairs {
                let (left, right) = (left % tokens.len(), right % tokens.len());
                let product = format!("{}{}", tokens[left], tokens[right]);
                let known = tokens.iter().position(|token| *token == product);
                let merged = known.unwrap_or(tokens.len());
                if known.is_none() {
                    tokens.push(product);
                }
                merges.push((left as u32, right as u32, merged as u32));
            }
            merges.sort_by_key(|merge| merge.2);
            merges.dedup();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            let list = listed(&tokens, &merges);
            let ranks = Model { rule: Rule::Ranks, ..list.clone() };
            if why_not(&list).expect("short words").is_none() {
                for text in texts {
                    prop_assert_eq!(merged(&ranks, text.as_bytes()), merged(&list, text.as_bytes()));
                }
            }
        }
    }

    #[test]
    fn all_splits_are_listed_by_token() {
        let ranks = model(&["a", "b", "ab", "ba", "aba"], Rule::Ranks);
        let triples: Vec<_> = splits(&ranks.vocabulary)
            .expect("few")
            .iter()
            .map(|m| (m.left, m.right, m.merged))
            .collect();
        assert_eq!(triples, [(0, 1, 2), (1, 0, 3), (0, 3, 4), (2, 0, 4)]);
    }

    #[test]
    fn a_list_in_the_order_of_ids_whose_tokens_are_reached_agrees_with_ranks() {
        let good = listed(&["a", "b", "ab", "aba"], &[(0, 1, 2), (2, 0, 3)]);
        assert_eq!(why_not(&good).expect("short words"), None);
    }

    #[test]
    fn lists_that_ranks_would_not_follow_are_told_apart() {
        let unordered = listed(&["a", "b", "ba", "ab"], &[(0, 1, 3), (1, 0, 2)]);
        assert!(reason(&unordered).starts_with("merge 0 makes \"ab\" (id 3) before merge 1"));
        let unreached = listed(&["a", "b", "ab", "bb", "abb"], &[(0, 1, 2), (1, 1, 3), (0, 3, 4)]);
        assert!(reason(&unreached).starts_with("\"abb\" (id 4) is not what its own bytes"));
        // looked up whole it is reached, but `ab` + `b` is no listed pair and would merge
        let looked_up = Model { ignore_merges: true, ..unreached };
        assert!(reason(&looked_up).starts_with("\"abb\" (id 4) is not what its own bytes"));
    }
}
