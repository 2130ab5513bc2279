//! The tokens so far: how each is spelled, how long it is, and which products are refused.

use hashbrown::HashSet;

use crate::error::{Error, Result};
use crate::model::{Merge, Model, Units};
use crate::vocabulary::Token;

use super::constraints::Constraints;
use super::options::LearnOptions;
use super::pairs::Pair;

/// The spellings, spans and lengths of all tokens, by id.
pub(super) struct Tokens {
    arena: Vec<u8>,
    ends: Vec<usize>,
    traits: Vec<Traits>,
    /// How many ids have no token.
    gaps: usize,
    /// Bytes of the marker's text.
    marker: usize,
    /// Whether a marker is one unit more than the token's span tells.
    attached: bool,
    longest: usize,
    /// What no product may spell: its text, and behind it whether it ends words.
    vetoed: HashSet<Box<[u8]>>,
    /// Whether anything of so many bytes is vetoed.
    lengths: Vec<bool>,
    constraints: Option<Constraints>,
    /// The token of what is left out of the alphabet, which nothing merges with.
    left_out: Option<u32>,
}

#[derive(Clone, Copy)]
struct Traits {
    /// The first eight bytes, as a number that compares as they do.
    head: u64,
    /// How many slots it spans.
    span: u32,
    /// How many units it has; a marker that is attached is none.
    units: u32,
    ends_word: bool,
}

impl Tokens {
    /// What has the first ids; no base symbol yet.
    pub fn new(options: &LearnOptions) -> Result<Self> {
        let mut tokens = Self::none(options)?;
        for reserved in options.reserved() {
            tokens.push(reserved.as_bytes(), false);
            tokens.veto(reserved.as_bytes(), &[false, true]);
        }
        Ok(tokens)
    }

    fn none(options: &LearnOptions) -> Result<Self> {
        let mut tokens = Self {
            arena: Vec::new(),
            ends: vec![0],
            traits: Vec::new(),
            gaps: 0,
            marker: options.marker().len(),
            attached: options.is_attached(),
            longest: options.max_token_length.unwrap_or(usize::MAX),
            vetoed: HashSet::new(),
            lengths: Vec::new(),
            constraints: Constraints::new(options)?,
            left_out: options.left_out(),
        };
        for text in &options.forbidden {
            tokens.veto(text, &[false, true]);
        }
        Ok(tokens)
    }

    /// The tokens of a model, each a base symbol, and none of them to be made again. An id without
    /// a token has the empty text.
    pub fn of(model: &Model, options: &LearnOptions) -> Result<Self> {
        let mut tokens = Self::none(options)?;
        let vocabulary = &model.vocabulary;
        tokens.gaps = vocabulary.ids() - vocabulary.len();
        for id in 0..vocabulary.ids() as u32 {
            let is_token = vocabulary.contains(id);
            let ends_word = is_token && vocabulary.ends_word(id);
            let bytes = if is_token { vocabulary.bytes(id) } else { b"" };
            let units = match model.units {
                Units::Bytes => bytes.len(),
                Units::Chars => String::from_utf8_lossy(bytes).chars().count(),
            };
            let units = units + usize::from(ends_word && options.is_separate());
            let marker = if ends_word { options.marker() } else { "" };
            tokens.arena.extend_from_slice(bytes);
            tokens.arena.extend_from_slice(marker.as_bytes());
            tokens.finish((1, units as u32), ends_word);
            let endings: &[bool] = match (is_token && vocabulary.merges(id), ends_word) {
                (true, false) => &[false],
                (true, true) => &[true],
                (false, _) => &[false, true],
            };
            tokens.veto(&[bytes, marker.as_bytes()].concat(), endings);
        }
        Ok(tokens)
    }

    fn veto(&mut self, text: &[u8], endings: &[bool]) {
        if self.lengths.len() <= text.len() {
            self.lengths.resize(text.len() + 1, false);
        }
        self.lengths[text.len()] = true;
        for &ends_word in endings {
            self.vetoed.insert([text, &[u8::from(ends_word)]].concat().into());
        }
    }

    /// Adds a base symbol (or a special token) spelled `text`, the marker included.
    pub fn push(&mut self, text: &[u8], ends_word: bool) -> u32 {
        self.arena.extend_from_slice(text);
        self.finish((1, 1), ends_word);
        self.len() as u32 - 1
    }

    /// Adds the product of a pair.
    pub fn push_product(&mut self, pair: Pair) {
        for part in [pair.left(), pair.right()] {
            self.arena.extend_from_within(self.range(part));
        }
        let [left, right] = [pair.left(), pair.right()].map(|part| self.traits[part as usize]);
        self.finish((left.span + right.span, left.units + right.units), right.ends_word);
    }

    fn finish(&mut self, (span, units): (u32, u32), ends_word: bool) {
        let text = &self.arena[self.ends[self.ends.len() - 1]..];
        self.traits.push(Traits { head: head(text), span, units, ends_word });
        self.ends.push(self.arena.len());
    }

    /// Adds the products of merges. Words are spelled in them from now on, so each is one symbol.
    ///
    /// Fails where a product is longer than `longest` symbols, which no word has.
    pub fn replay(&mut self, merges: &[Merge], longest: u64) -> Result<()> {
        for merge in merges {
            let span = |id: u32| u64::from(self.span(id));
            if span(merge.left) + span(merge.right) > longest {
                let reason = format!("merge {} makes more than any word has", merge.merged);
                return Err(Error::Format(reason));
            }
            self.push_product(Pair::new(merge.left, merge.right));
        }
        self.forget_spans();
        Ok(())
    }

    /// Has each token so far span one slot.
    pub fn forget_spans(&mut self) {
        self.traits.iter_mut().for_each(|traits| traits.span = 1);
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.traits.len()
    }

    /// How many of them have a token.
    pub fn count(&self) -> u64 {
        (self.traits.len() - self.gaps) as u64
    }

    fn range(&self, id: u32) -> std::ops::Range<usize> {
        self.ends[id as usize]..self.ends[id as usize + 1]
    }

    /// How a token is spelled, the marker's text included.
    pub fn text(&self, id: u32) -> &[u8] {
        &self.arena[self.range(id)]
    }

    /// The first eight bytes of the spelling, as a number that compares as they do.
    pub fn head(&self, id: u32) -> u64 {
        self.traits[id as usize].head
    }

    /// The head of a pair's product.
    pub fn product_head(&self, pair: Pair) -> u64 {
        let bits = self.text(pair.left()).len() as u32 * 8;
        self.head(pair.left()) | self.head(pair.right()).checked_shr(bits).unwrap_or(0)
    }

    /// How many slots a token spans: of base symbols, or of what words were closed up to.
    pub fn span(&self, id: u32) -> u32 {
        self.traits[id as usize].span
    }

    /// How many units the product of a pair has; a marker is one.
    pub fn length(&self, pair: Pair) -> usize {
        let [left, right] = [pair.left(), pair.right()].map(|part| self.traits[part as usize]);
        (left.units + right.units) as usize + usize::from(right.ends_word && self.attached)
    }

    /// Whether the product of a pair may become a token: it is not too long, it does not spell
    /// what is vetoed, no part is unknown, and no constraint is against it.
    pub fn may_merge(&self, pair: Pair) -> bool {
        self.are_known(pair) && self.fits(pair) && !self.is_vetoed(pair) && !self.is_refused(pair)
    }

    fn are_known(&self, pair: Pair) -> bool {
        self.left_out.is_none_or(|id| pair.left() != id && pair.right() != id)
    }

    /// Whether the product of a pair is not too long.
    pub fn fits(&self, pair: Pair) -> bool {
        self.longest == usize::MAX || self.length(pair) <= self.longest
    }

    /// Whether many products may be refused that are not too long.
    pub fn are_constrained(&self) -> bool {
        self.constraints.is_some() || self.left_out.is_some()
    }

    fn is_refused(&self, pair: Pair) -> bool {
        let Some(constraints) = &self.constraints else {
            return false;
        };
        let spelled = [self.text(pair.left()), self.text(pair.right())].concat();
        constraints.refuse(&spelled, self.marker, self.traits[pair.right() as usize].ends_word)
    }

    fn is_vetoed(&self, pair: Pair) -> bool {
        if self.lengths.is_empty() {
            return false;
        }
        let (left, right) = (self.text(pair.left()), self.text(pair.right()));
        let has_length = self.lengths.get(left.len() + right.len());
        let ends_word = self.traits[pair.right() as usize].ends_word;
        has_length == Some(&true)
            && self.vetoed.contains(&*[left, right, &[u8::from(ends_word)]].concat())
    }

    /// All tokens as a vocabulary is made from them.
    pub fn to_vocabulary(&self) -> Vec<Token> {
        (0..self.len() as u32)
            .map(|id| {
                let ends_word = self.traits[id as usize].ends_word;
                let text = self.text(id);
                let bytes = &text[..text.len() - if ends_word { self.marker } else { 0 }];
                Token { ends_word, ..Token::new(id, bytes) }
            })
            .collect()
    }
}

fn head(text: &[u8]) -> u64 {
    let mut head = [0; 8];
    let length = text.len().min(8);
    head[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(head)
}
