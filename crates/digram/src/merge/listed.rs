//! Which of the listed merges merging meets.
//!
//! A file made of a vocabulary by rank lists every cut of each token into two others: Llama 3's has
//! 280,147 merges for 128,000 tokens. Merging meets one of a token's cuts at most, as
//! [`halves`](super::halves) proves, so that one rank serves all that make a token, where these stand
//! together. The others are left out: a table of half the size is nearer,
//! and a slot then holds what its pair becomes. Of a token with such a cut it is known besides that
//! merging makes it of its own text.
//!
//! A cut into `l` and `r`, which merging makes each of its own text, is met unless something merges
//! across the border before. What stands at the border on both sides is, from the last state back to the
//! first: `l` and `r`; then a part of the one that was made last, and the other; and so on, down to
//! two units. If merges stand behind those that make their parts, what was made last has the higher
//! rank, and of the same token twice the right one. Two neighbours stay until one of them is swallowed
//! by a merge of some rank: if they merge at a lower one, they do so before. At the same rank it is
//! the leftmost that goes first: where the left one is swallowed, that is to the left of the border, and
//! where the right one is, to the right of it.
//!
//! Some merges stand before one that makes a part of theirs, and a few of these are met: then they follow
//! that part at once, late. Where such a token may stand at the border, the text is merged.

use hashbrown::HashSet;

use super::fallback;
use super::made::Made;
use super::pairs::{NONE, Pairs, Product};
use super::{Step, scan};
use crate::arch::prefetch::prefetch;
use crate::model::{Merge, Model, Units};

/// So many parts of texts are looked up, and merges taken in, where tokens are merged to see what they are
/// made of.
const EFFORT: usize = 1 << 20;
/// So many merges before its turn, the place of a pair is asked for.
const AHEAD: usize = 16;

/// Pairs, and what they make.
pub struct Found {
    /// The pairs that merging may meet.
    pub pairs: Pairs,
    /// Tokens that are known to be what merging makes of their text.
    pub made: Made,
    /// Whether the rank of a product is its id, instead of the place of its first merge.
    pub by_id: bool,
}

impl Found {
    /// Pairs of which no more is known.
    pub fn of(pairs: Pairs) -> Self {
        Self { pairs, made: Made::default(), by_id: false }
    }
}

/// The pairs that merging may meet of those listed, and the tokens that it makes. Words begin as symbols
/// with ids from `first` on, mostly.
pub fn find(model: &Model, merges: &[Merge], first: u32) -> Found {
    let cuts = begins_as_its_text_does(model, merges).then(|| Listed::of(model, merges, first));
    let found = cuts.flatten().and_then(Listed::found);
    found.unwrap_or_else(|| Found::of(Pairs::listed(merges, first)))
}

/// The place in the list of a merge that was carried out by [`find`]'s pairs.
pub fn place(merges: &[Merge], by_id: bool, pair: (u32, u32), product: Product) -> u32 {
    let first = if by_id {
        merges.partition_point(|merge| merge.merged < product.merged)
    } else {
        product.rank as usize
    };
    let is_its = |merge: &Merge| (merge.left, merge.right) == pair;
    let behind = merges[first..].iter().position(is_its).expect("pairs are those of the list");
    (first + behind) as u32
}

/// Whether the symbols of a token within a word are those of the token's text alone, and it is the
/// only token of that text.
fn begins_as_its_text_does(model: &Model, merges: &[Merge]) -> bool {
    let is_plain = !merges.is_empty()
        && model.end_of_word.is_none()
        && model.continuing_prefix.is_none()
        && model.unused.is_empty()
        && !model.spelled
        && model.vocabulary.is_distinct();
    // what stands for a character that is no token has a text of its own
    let unknown = model.unknown.as_ref().map_or(NONE, |unknown| unknown.id);
    is_plain
        && !(model.byte_fallback && fallback::merge(&model.vocabulary, merges))
        && !merges.iter().any(|merge| merge.left == unknown || merge.right == unknown)
}

/// Whether merges come in the order of the ids that they make: then that of the ids will do.
fn is_sorted(merges: &[Merge]) -> bool {
    merges.is_sorted_by_key(|merge| merge.merged)
}

/// A token that words begin as: one byte, or one character.
const UNIT: (u32, u32) = (NONE, NONE);
/// What merging does not make, as far as is known.
const UNMADE: (u32, u32) = (NONE, 0);
/// What is made as soon as a part of a higher rank is.
const LATE: (u32, u32) = (NONE, 1);

/// The cuts of tokens, those that are met so far.
struct Listed<'a> {
    model: &'a Model,
    merges: &'a [Merge],
    /// By id: the rank of the merges that make the token, or [`NONE`]; `None` where ids are ranks.
    ranks: Option<Vec<u32>>,
    /// By id: the two parts that merging makes it of, [`UNIT`], [`UNMADE`] or [`LATE`].
    parts: Vec<(u32, u32)>,
    pairs: Pairs,
}

impl<'a> Listed<'a> {
    /// `None` where the merges that make a token do not stand together, or it is no plain token.
    ///
    /// As they do, the token's id, or the first's place, ranks them as the list does.
    fn of(model: &'a Model, merges: &'a [Merge], first: u32) -> Option<Self> {
        let vocabulary = &model.vocabulary;
        if !merges.iter().all(|merge| vocabulary.merges(merge.merged)) {
            return None;
        }
        let (pairs, ranks) = if is_sorted(merges) {
            (Pairs::by_rank(vocabulary.len(), first), None)
        } else {
            let mut ranks = vec![NONE; vocabulary.ids()];
            let mut products = Vec::with_capacity(vocabulary.len());
            for (rank, some) in places(merges) {
                let token = some[0].merged;
                if std::mem::replace(&mut ranks[token as usize], rank) != NONE {
                    return None;
                }
                products.push(Product { rank, merged: token });
            }
            (Pairs::of_products(products.iter().copied(), first), Some(ranks))
        };
        let mut parts = vec![UNMADE; vocabulary.ids()];
        for (id, token) in vocabulary.iter() {
            let is_unit = match model.units {
                Units::Bytes => token.len() == 1,
                Units::Chars => {
                    token.len() <= 4
                        && std::str::from_utf8(token).is_ok_and(|text| text.chars().count() == 1)
                }
            };
            if is_unit && vocabulary.merges(id) {
                parts[id as usize] = UNIT;
            }
        }
        Some(Self { model, merges, ranks, parts, pairs })
    }

    /// Finds which cuts are met; `None` where that takes too long.
    fn found(mut self) -> Option<Found> {
        let merges = self.merges;
        let mut made = Made::of_ids(self.model.vocabulary.ids());
        let mut effort = EFFORT;
        for (place, some) in places(merges) {
            for merge in merges[place as usize..].iter().skip(AHEAD).take(some.len()) {
                self.pairs.seek(merge.left, merge.right);
                prefetch(&self.parts[merge.left as usize]);
                prefetch(&self.parts[merge.right as usize]);
            }
            let token = some[0].merged;
            let rank = self.rank(token);
            let (cut, is_late) = match self.met(some, rank) {
                Met::By(cut) => (Some((cut.left, cut.right)), false),
                Met::Never => (None, false),
                Met::Unsure => self.merged(token, &mut effort)?,
            };
            if let Some((left, right)) = cut {
                self.pairs.add(left, right, Product { rank, merged: token });
                self.parts[token as usize] = if is_late { LATE } else { (left, right) };
                made.add(token);
            }
        }
        Some(Found { pairs: self.pairs, made, by_id: self.ranks.is_none() })
    }

    /// The cut of a token that is met where its text is merged with all that is listed for parts of it, and
    /// whether that merge follows one of a higher rank; `None` where there is not so much effort left.
    fn merged(&self, token: u32, effort: &mut usize) -> Option<(Option<(u32, u32)>, bool)> {
        let vocabulary = &self.model.vocabulary;
        let text = vocabulary.bytes(token);
        *effort = effort.checked_sub(text.len().saturating_mul(text.len()))?;
        let (mut pairs, mut seen) = (Pairs::with_capacity(text.len()), HashSet::new());
        let (mut symbols, mut steps, mut next) = (Vec::new(), Vec::new(), 0);
        for start in 0..text.len() {
            for end in start + 1..=text.len() {
                let Some(id) = vocabulary.id_of(&text[start..end], false) else { continue };
                if self.parts[id as usize] == UNIT && start == next {
                    symbols.push(id);
                    next = end;
                }
                let merges = if seen.insert(id) { self.merges_of(id) } else { &[] };
                *effort = effort.checked_sub(merges.len())?;
                for merge in merges {
                    let product = Product { rank: self.rank(id), merged: id };
                    pairs.add(merge.left, merge.right, product);
                }
            }
        }
        scan::merge(&mut symbols, &pairs, &mut Vec::new(), &mut steps);
        let last = steps.last().filter(|_| symbols == [token] && next == text.len());
        let Some(&Step { left, right, product, .. }) = last else { return Some((None, false)) };
        let is_late = steps.iter().any(|step| step.product.rank > product.rank);
        Some((Some((left, right)), is_late))
    }

    /// The merges that make a token.
    fn merges_of(&self, token: u32) -> &'a [Merge] {
        let first = match &self.ranks {
            None => self.merges.partition_point(|merge| merge.merged < token),
            Some(ranks) => (ranks[token as usize] as usize).min(self.merges.len()),
        };
        let rest = &self.merges[first..];
        let count = rest.iter().take_while(|merge| merge.merged == token).count();
        &rest[..count]
    }

    /// The rank of the merges that make a token; where there are none, [`NONE`] or the token's id.
    #[inline]
    fn rank(&self, token: u32) -> u32 {
        self.ranks.as_ref().map_or(token, |ranks| ranks[token as usize])
    }

    /// Which of the cuts of a token is met: most often that whose parts are made first.
    fn met(&self, cuts: &[Merge], rank: u32) -> Met {
        // what no merge makes is rejected as unmade, whatever comes of `NONE` here
        let above = |part: u32| match self.parts[part as usize] {
            UNIT => 0,
            _ => self.rank(part).wrapping_add(1),
        };
        let made_at = |cut: &Merge| above(cut.left).max(above(cut.right));
        let first = cuts.iter().map(made_at).enumerate().min_by_key(|&(_, rank)| rank);
        let first = first.map_or(0, |(at, _)| at);
        let mut is_sure = true;
        for cut in cuts[first..].iter().chain(&cuts[..first]) {
            let is_met = if made_at(cut) > rank { None } else { self.is_met(cut, rank) };
            match is_met {
                Some(true) => return Met::By(*cut),
                Some(false) => {}
                None => is_sure = false,
            }
        }
        if is_sure { Met::Never } else { Met::Unsure }
    }

    /// Whether two parts stand beside each other until they merge at this rank; `None` where one that stands
    /// at the border is late.
    fn is_met(&self, cut: &Merge, rank: u32) -> Option<bool> {
        let (mut left, mut right, mut until) = (cut.left, cut.right, rank);
        let is_unit = |parts| parts == UNIT;
        loop {
            let (of_left, of_right) = (self.parts[left as usize], self.parts[right as usize]);
            if of_left == LATE || of_right == LATE {
                return None;
            }
            let is_unmade = of_left == UNMADE || of_right == UNMADE;
            if is_unmade || self.pairs.get(left, right).rank < until {
                return Some(false);
            }
            let is_left_last =
                is_unit(of_right) || !is_unit(of_left) && self.rank(left) > self.rank(right);
            match (is_left_last, is_unit(of_left)) {
                (true, true) => return Some(true),
                (true, false) => (until, left) = (self.rank(left), of_left.1),
                (false, _) => (until, right) = (self.rank(right) + 1, of_right.0),
            }
        }
    }
}

/// What is known of the cuts of a token.
enum Met {
    /// This one is met.
    By(Merge),
    /// None is.
    Never,
    /// A part has a higher rank, or is late.
    Unsure,
}

/// The merges that make each token as they stand together, with the place of the first.
fn places(merges: &[Merge]) -> impl Iterator<Item = (u32, &[Merge])> {
    let together = merges.chunk_by(|one, other| one.merged == other.merged);
    together.scan(0, |place, some| {
        let first = *place;
        *place += some.len() as u32;
        Some((first, some))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rule;
    use crate::vocabulary::{Token, Vocabulary};

    /// A model of bytes and of random tokens of some letters, with all their cuts or one each, in the order
    /// of ids or not.
    fn model(random: &mut impl FnMut(usize) -> usize) -> Model {
        let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for _ in 0..40 {
            let longest = if random(9) == 0 { 20 } else { 5 };
            let length = 2 + random(longest);
            let text: Vec<u8> = (0..length).map(|_| b'a' + random(3) as u8).collect();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        if random(2) > 0 {
            texts[256..].sort_by_key(Vec::len);
        }
        let ids: Vec<u32> = (0..texts.len() as u32).collect();
        let place = |text: &[u8]| texts.iter().position(|other| other == text);
        let (mut merges, is_one) = (Vec::new(), random(2) == 0);
        for &merged in &ids[256..] {
            let text = &texts[merged as usize];
            let cuts = (1..text.len()).filter_map(|at| {
                let (left, right) = (place(&text[..at])? as u32, place(&text[at..])? as u32);
                Some(Merge { left, right, merged })
            });
            let mut cuts: Vec<Merge> = cuts.collect();
            let count = cuts.len();
            (1..count).for_each(|at| cuts.swap(at, random(at + 1)));
            merges.extend(cuts.into_iter().take(if is_one { 1 } else { count }));
        }
        if random(2) == 0 {
            // another order of ids
            let mut new: Vec<u32> = ids.clone();
            (257..new.len()).for_each(|at| new.swap(at, 256 + random(at - 255)));
            let named = |id: u32| new[id as usize];
            for Merge { left, right, merged } in &mut merges {
                [*left, *right, *merged] = [*left, *right, *merged].map(named);
            }
            texts = (0..)
                .map(|id| new.iter().position(|&other| other == id))
                .map_while(|at| at)
                .map(|at| texts[at].clone())
                .collect();
        }
        let tokens = (0..).zip(texts).map(|(id, text)| Token::new(id, text)).collect();
        let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
        let model = Model::new(vocabulary, Units::Bytes, Rule::Merges(merges));
        model.checked().expect("merges join their parts")
    }

    #[test]
    fn the_cuts_that_are_met_merge_as_all_do() {
        let mut state = 17_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let (mut fewer, mut unmade, mut known, mut carried_out) = (0, 0, 0, 0);
        for _ in 0..600 {
            let model = model(&mut random);
            let Rule::Merges(merges) = &model.rule else { unreachable!() };
            let found = find(&model, merges, 0);
            let all = Pairs::listed(merges, 0);
            fewer +=
                merges.iter().filter(|m| found.pairs.get(m.left, m.right).rank == NONE).count();
            let mut agree = |word: &[u8]| {
                let unit = |&byte: &u8| model.vocabulary.id_of(&[byte], false).expect("all are");
                let begin: Vec<u32> = word.iter().map(unit).collect();
                let (mut by_found, mut by_all) = (begin.clone(), begin.clone());
                let (mut steps, mut of_all) = (Vec::new(), Vec::new());
                scan::merge(&mut by_found, &found.pairs, &mut Vec::new(), &mut steps);
                scan::merge(&mut by_all, &all, &mut Vec::new(), &mut of_all);
                assert_eq!(by_found, by_all, "{word:?} {merges:?}");
                let places = steps
                    .iter()
                    .map(|step| place(merges, found.by_id, (step.left, step.right), step.product));
                assert!(places.eq(of_all.iter().map(|step| step.product.rank)), "{merges:?}");
                carried_out += steps.len();
                by_all
            };
            for _ in 0..40 {
                let word: Vec<u8> = (0..random(40)).map(|_| b'a' + random(3) as u8).collect();
                agree(&word);
            }
            for (id, token) in model.vocabulary.iter().filter(|(_, token)| token.len() > 1) {
                let is_made = agree(token) == [id];
                known += usize::from(!found.made.is_empty());
                unmade += usize::from(!is_made);
                assert!(found.made.is_empty() || found.made.has(id) == is_made, "{token:?}");
            }
        }
        assert!(fewer > 2_000 && unmade > 1_000, "{fewer} cuts left out, {unmade} not made");
        assert!(
            known > 10_000 && carried_out > 100_000,
            "{known} tokens told, {carried_out} merges"
        );
    }
}
