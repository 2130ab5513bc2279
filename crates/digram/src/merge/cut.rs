//! Places that no merge can cross.
//!
//! Each merge joins two neighbours into a token whose bytes stand together in the text. So if no
//! token of the vocabulary can lie across a place, no merge ever joins across it, and the two
//! sides merge as if each stood alone. Ranks, order and ties do not matter to this.
//!
//! A token lies across a place between two characters only if it holds the end of the left one
//! and the beginning of the right one, side by side. All such pairs are collected from the
//! vocabulary: of whole characters, and of fragments where a token begins or ends within one.
//! They are kept as hashes in a bit set. A pair that is there by accident only means that a place
//! is not cut, which is always right. So pairs of small letters of ASCII, which join nearly all, count
//! as if all did, where nothing splits the text: runs of them need not be looked at. Nor need those of letters of
//! two bytes, where those of a script do (`letters`).
//!
//! Scripts without spaces gain most: a sentence of Chinese falls into parts of one or two
//! characters, which repeat, where the sentence never does.

mod character;
mod letters;
mod runs;

use super::fallback;
use super::pairs::NONE;
use super::scripts::Scripts;
use crate::model::{Model, Rule};
use character::{Character, ascii_run, is_continuation, length};
use letters::Letters;
use runs::{RunPairs, VISIBLE_SPACE};

/// Bits in the set of pairs: the largest vocabularies hold some 25,000 pairs, so that few places
/// are kept by accident, and the set stays in the second-level cache.
const BITS: usize = 1 << 20;

/// One for the last byte on the left, and the first on the right.
const FRAGMENTS: usize = 1 << 16;

/// Bytes of the longest character.
const LONGEST: usize = 4;

/// Shorter words are looked up whole: they have few places, and repeat as they are.
/// A power of two.
pub const MIN_CUT: usize = 16;

/// The same for words of scripts whose letters join nearly everywhere, as those of ASCII do. From
/// this length on, a word has no room among those that are looked up whole.
const MIN_CUT_OF_JOINED: usize = 32;

/// The places that a model's merges may cross.
pub struct Cuts {
    /// Pairs of the end of one character and the beginning of the next, hashed.
    pairs: Box<[u64; BITS / 64]>,
    /// Pairs that involve a fragment, by the last byte on the left and the first on the right:
    /// where there is none, whole characters decide alone.
    fragments: Box<[u64; FRAGMENTS / 64]>,
    /// Pairs of ASCII characters and visible spaces; `None` where ASCII counts as joined, all of it.
    runs: Option<RunPairs>,
    scripts: Scripts,
    /// The letters of two bytes that all count as joined.
    letters: Letters,
}

impl Cuts {
    /// The cuts of a model, or `None` where parts of a word cannot be merged apart: where an end
    /// of word is marked, where unknown characters fuse or merge, and where nothing is merged.
    pub fn of(model: &Model) -> Option<Self> {
        // where symbols are left out, merges reach across the gap
        if model.drops_unknown && model.may_miss() {
            return None;
        }
        let falls_back = model.byte_fallback.then(|| fallback::bytes(&model.vocabulary));
        let is_complete = falls_back.is_some_and(|bytes| !bytes.contains(&NONE));
        let unknown_joins = |merges: &[crate::model::Merge]| {
            let unknown = model.unknown.as_ref();
            unknown
                .is_some_and(|u| u.fuse || merges.iter().any(|m| m.left == u.id || m.right == u.id))
        };
        let apart = match &model.rule {
            // no character is unknown then, and the tokens of bytes merge with nothing
            Rule::Merges(merges) if is_complete => !fallback::merge(&model.vocabulary, merges),
            Rule::Merges(_) if model.byte_fallback => false,
            Rule::Merges(merges) => !unknown_joins(merges),
            Rule::Ranks => model.unknown.is_none(),
            // unknown characters fuse after merging, and user-defined pieces stand between words
            Rule::Scores(_) => true,
            Rule::Greedy(_) => false,
        };
        if !apart || model.end_of_word.is_some() || model.continuing_prefix.is_some() {
            return None;
        }
        // nearly every pair of letters joins; but where nothing splits, words are long and varied
        let splits = model.splits().is_some() && !matches!(model.rule, Rule::Scores(_));
        let mut cuts = Self {
            pairs: vec![0; BITS / 64].try_into().expect("they are so many"),
            fragments: vec![0; FRAGMENTS / 64].try_into().expect("they are so many"),
            runs: (!splits).then(RunPairs::of_letters),
            scripts: Scripts::new(),
            letters: Letters::default(),
        };
        let vocabulary = &model.vocabulary;
        for (_, token) in vocabulary.iter().filter(|(id, _)| vocabulary.merges(*id)) {
            cuts.add(token);
        }
        if let Rule::Merges(merges) = &model.rule {
            // a merge makes its product, whatever that is besides
            let made = merges.iter().map(|merge| merge.merged);
            made.filter(|&id| !vocabulary.merges(id)).for_each(|id| cuts.add(vocabulary.bytes(id)));
        }
        cuts.add_spaces();
        if cuts.runs.is_some() {
            cuts.letters = Letters::of(&cuts.scripts);
        }
        Some(cuts)
    }

    /// Has visible spaces among ASCII join as they do with any character.
    fn add_spaces(&mut self) {
        let Some(mut runs) = self.runs.take() else { return };
        let space = VISIBLE_SPACE[0];
        let character = |byte| {
            if byte == space { Character::of(VISIBLE_SPACE) } else { Character::of(&[byte]) }
        };
        for byte in (0..0x80).chain([space]) {
            for (left, right) in [(byte, space), (space, byte)] {
                if self.joins(character(left), character(right)) {
                    runs.join(left, right);
                }
            }
        }
        self.runs = Some(runs);
    }

    /// Collects the pairs of a token.
    fn add(&mut self, token: &[u8]) {
        let mut left = 0; // where the character, or fragment, before the place begins
        for place in 1..token.len() {
            if is_continuation(token[place]) {
                continue;
            }
            let rest = &token[place + 1..];
            let end = rest.iter().position(|&byte| !is_continuation(byte));
            let end = end.map_or(token.len(), |more| place + 1 + more);
            let (before, after) = (&token[left..place], &token[place..end]);
            left = place;
            if before.len().max(after.len()) > LONGEST {
                continue; // no text is spelled so
            }
            if let ([a], [b]) = (before, after)
                && a.is_ascii()
                && b.is_ascii()
            {
                match &mut self.runs {
                    Some(runs) => runs.join(*a, *b),
                    None if token[place..].is_ascii() => break,
                    None => {}
                }
                continue;
            }
            let (end, beginning) = (Character::of(before), Character::of(after));
            let pair = hash(end.packed, beginning.packed);
            if !get(&self.pairs[..], pair) {
                set(&mut self.pairs[..], pair);
                self.scripts.add(before);
            }
            if is_continuation(before[0]) || after.len() < length(after[0]) {
                set(&mut self.fragments[..], coarse(end, beginning));
            }
        }
    }

    /// Whether a token may lie across the place between two characters, not both ASCII.
    #[inline]
    fn joins(&self, left: Character, right: Character) -> bool {
        let joined = get(&self.pairs[..], hash(left.packed, right.packed));
        // both are looked up, as whether a pair is there is as good as random, and as numbers, as
        // the compiler makes two branches of two conditions
        let doubtful = u32::from(get(&self.fragments[..], coarse(left, right)));
        if doubtful > u32::from(joined) {
            return self.fragments_join(left, right);
        }
        joined
    }

    /// Whether a token may hold part of either character and so lie across the place.
    #[cold]
    fn fragments_join(&self, left: Character, right: Character) -> bool {
        left.ends().any(|end| {
            right.beginnings().any(|beginning| get(&self.pairs[..], hash(end, beginning)))
        })
    }

    /// Whether `word` is worth cutting before it is looked up: long, and of characters between
    /// which places are cut.
    #[inline]
    pub fn apply_to(&self, word: &str) -> bool {
        if word.len() < MIN_CUT || self.runs.is_none() && word.is_ascii() {
            return false;
        }
        word.len() >= MIN_CUT_OF_JOINED || !self.scripts.joins(word.as_bytes())
    }

    /// Where the part of `word` ends that begins at `begun`.
    pub fn end_of_part(&self, word: &str, begun: usize) -> usize {
        let mut end = [0];
        self.ends_of_parts(word, begun, 0, &mut end);
        end[0] as usize
    }

    /// Writes where parts of `word` end, from the one that begins at `begun` on, each moved by
    /// `moved`; returns how many were written. The last of a word ends where it does.
    ///
    /// Whether a place is cut is as good as random, so nothing branches on it: each place is
    /// written, and the next over it unless it is cut.
    pub fn ends_of_parts(&self, word: &str, begun: usize, moved: u32, ends: &mut [u32]) -> usize {
        let bytes = word.as_bytes();
        let mut left = Character::at(bytes, begun);
        let mut place = begun + left.length;
        let mut written = 0;
        while written < ends.len() {
            ends[written] = moved + place as u32;
            if place >= bytes.len() {
                return written + 1;
            }
            (place, written, left) = match length(bytes[place]) {
                1 => self.pass_ascii(bytes, (place, left), moved, (ends, written)),
                2 => self.pass::<2>(bytes, (place, left), moved, (ends, written)),
                3 => self.pass::<3>(bytes, (place, left), moved, (ends, written)),
                _ => {
                    let right = Character::at(bytes, place);
                    (place + right.length, written + usize::from(!self.joins(left, right)), right)
                }
            };
        }
        written
    }

    /// Goes on from a character of ASCII, past those that are looked at together with it.
    #[inline(never)]
    fn pass_ascii(
        &self,
        text: &[u8],
        (place, left): (usize, Character),
        moved: u32,
        (ends, written): (&mut [u32], usize),
    ) -> (usize, usize, Character) {
        let (place, written) = match &self.runs {
            Some(runs) if runs::takes(left) => runs.pass(text, place, moved, (ends, written)),
            None if left.packed < 0x80 => (place + ascii_run(text, place), written),
            _ => {
                let right = Character::of(&text[place..=place]);
                return (place + 1, written + usize::from(!self.joins(left, right)), right);
            }
        };
        (place, written, runs::before(text, place))
    }

    /// Goes on while there are characters of so many bytes, of which one is at `place`, behind `left`.
    /// Most are as long as the one before: so the next need not wait until this one's length is known.
    #[inline]
    fn pass<const LENGTH: usize>(
        &self,
        text: &[u8],
        (mut place, mut left): (usize, Character),
        moved: u32,
        (ends, mut written): (&mut [u32], usize),
    ) -> (usize, usize, Character) {
        let mut right = Character::at(text, place);
        let first = text[place];
        if LENGTH == 2 && self.letters.has(first) {
            let joins = left.packed >> 10 == right.packed >> 10 || self.joins(left, right);
            let (place, left) = letters::pass(text, place);
            return (place, written + usize::from(!joins), left);
        }
        loop {
            written += usize::from(!self.joins(left, right));
            (place, left) = (place + LENGTH, right);
            let Some(&four) = text.get(place..).and_then(<[u8]>::first_chunk::<4>) else { break };
            let goes_on = letters::goes_on::<LENGTH>(first, four[0]);
            let Some(end) = ends.get_mut(written).filter(|_| goes_on) else { break };
            *end = moved + place as u32;
            let packed = u32::from_be_bytes(four) >> (32 - 8 * LENGTH);
            right = Character { packed, length: LENGTH };
        }
        (place, written, left)
    }
}

fn hash(left: u32, right: u32) -> usize {
    let key = u64::from(left) << 32 | u64::from(right);
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS.trailing_zeros())) as usize
}

/// The last byte on the left and the first on the right.
fn coarse(left: Character, right: Character) -> usize {
    let first = right.packed >> (8 * (right.length - 1));
    ((left.packed & 0xFF) << 8 | first) as usize
}

fn set(bits: &mut [u64], bit: usize) {
    bits[bit / 64] |= 1 << (bit % 64);
}

fn get(bits: &[u64], bit: usize) -> bool {
    bits[bit / 64] >> (bit % 64) & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::PreTokenizer;
    use crate::merge::{Merger, Room};
    use crate::model::Units;
    use crate::monitor::{Monitor, Nobody};
    use crate::vocabulary::{Token, Vocabulary};

    /// A model by ranks of all bytes and random tokens, fragments of characters among them.
    fn model(random: &mut impl FnMut(usize) -> usize) -> Model {
        let characters = ["中", "▁", "字", "é", "y", "а", "б", "x", "😀", "z"];
        let mut texts: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for _ in 0..60 {
            let text: String = (0..=random(3)).map(|_| characters[random(10)]).collect();
            let (from, to) = (random(text.len()), text.len() - random(3).min(text.len() - 1));
            if from < to {
                texts.push(text.as_bytes()[from..to].to_vec());
            }
        }
        if random(3) == 0 {
            // of so many pairs that all count as joined
            let letters = || ('а'..='р').map(String::from);
            let pairs =
                letters().flat_map(|left| letters().map(move |right| left.clone() + &right));
            texts.extend(pairs.filter(|pair| !pair.starts_with('б')).map(String::into_bytes));
        }
        // and what stands in no text
        texts.push([b"a\xE4".as_slice(), &[0x80; 9], b"b"].concat());
        texts.push([[0x80; 7].as_slice(), b"\xC3\xA9"].concat());
        texts.sort_by_key(Vec::len);
        texts.dedup();
        let tokens = texts.into_iter().enumerate().map(|(id, text)| Token::new(id as u32, text));
        let vocabulary = Vocabulary::new(tokens.collect()).expect("ids are distinct");
        let mut model = Model::new(vocabulary, Units::Bytes, Rule::Ranks);
        if random(2) == 0 {
            model.pre_tokenizer = Some(PreTokenizer::WhitespaceSplit {});
        }
        model
    }

    #[test]
    fn parts_merge_as_the_whole_does() {
        let mut state = 7_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let monitor = Monitor::new(&Nobody);
        let mut cut = 0;
        for _ in 0..300 {
            let model = model(&mut random);
            let (cuts, merger) =
                (Cuts::of(&model).expect("merges"), Merger::of(&model).expect("ready"));
            let characters = [
                "▁xy",
                "▁",
                "xyzabcxyz",
                "z.Y",
                "xyzzyxyzzy",
                "y",
                "中",
                "字",
                "é",
                "а",
                "б",
                "яёб",
                "😀",
            ];
            let kinds = 6 + random(8);
            let word: String = (0..40).map(|_| characters[random(kinds)]).collect();
            let (mut room, mut whole, mut parts) = (Room::default(), Vec::new(), Vec::new());
            merger
                .merge(&word, &model, &mut room, &mut whole, &monitor)
                .expect("all bytes are there");
            let (mut begun, mut ends) = (0, Vec::new());
            while begun < word.len() {
                let end = cuts.end_of_part(&word, begun);
                ends.push(7 + end as u32);
                cut += 1;
                merger
                    .merge(&word[begun..end], &model, &mut room, &mut parts, &monitor)
                    .expect("all bytes are there");
                begun = end;
            }
            assert_eq!(parts, whole, "{word}");
            for room in [1, 2, 7, word.len()] {
                let mut some = vec![0; room];
                let count = cuts.ends_of_parts(&word, 0, 7, &mut some);
                assert_eq!(some[..count], ends[..room.min(ends.len())], "{word}");
            }
        }
        assert!(cut > 3_000, "only {cut} parts: nothing was tested");
    }
}
