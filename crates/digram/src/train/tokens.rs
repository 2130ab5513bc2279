//! The tokens so far: how each is spelled, how long it is, and which products are refused.

use crate::vocabulary::Token;

use super::options::LearnOptions;
use super::pairs::Pair;

/// The spellings, spans and lengths of all tokens, by id.
pub(super) struct Tokens {
    arena: Vec<u8>,
    ends: Vec<usize>,
    traits: Vec<Traits>,
    /// Bytes of the marker's text.
    marker: usize,
    /// Whether a marker is one unit more than the token's span tells.
    attached: bool,
    longest: usize,
    /// Special tokens by their length in bytes.
    specials: Vec<Vec<Box<[u8]>>>,
}

#[derive(Clone, Copy)]
struct Traits {
    /// The first eight bytes, as a number that compares as they do.
    head: u64,
    /// How many base symbols it is made of.
    span: u32,
    ends_word: bool,
}

impl Tokens {
    /// The special tokens that `options` name; no base symbol yet.
    pub fn new(options: &LearnOptions) -> Self {
        let mut tokens = Self {
            arena: Vec::new(),
            ends: vec![0],
            traits: Vec::new(),
            marker: options.marker().len(),
            attached: options.is_attached(),
            longest: options.max_token_length.unwrap_or(usize::MAX),
            specials: Vec::new(),
        };
        for special in options.specials() {
            tokens.push(special.as_bytes(), false);
            tokens.veto(special.as_bytes());
        }
        tokens
    }

    fn veto(&mut self, special: &[u8]) {
        if self.specials.len() <= special.len() {
            self.specials.resize(special.len() + 1, Vec::new());
        }
        self.specials[special.len()].push(special.into());
    }

    /// Adds a base symbol (or a special token) spelled `text`, the marker included.
    pub fn push(&mut self, text: &[u8], ends_word: bool) {
        self.arena.extend_from_slice(text);
        self.finish(1, ends_word);
    }

    /// Adds the product of a pair.
    pub fn push_product(&mut self, pair: Pair) {
        for part in [pair.left(), pair.right()] {
            self.arena.extend_from_within(self.range(part));
        }
        let span = self.span(pair.left()) + self.span(pair.right());
        self.finish(span, self.traits[pair.right() as usize].ends_word);
    }

    fn finish(&mut self, span: u32, ends_word: bool) {
        let text = &self.arena[self.ends[self.ends.len() - 1]..];
        self.traits.push(Traits { head: head(text), span, ends_word });
        self.ends.push(self.arena.len());
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.traits.len()
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

    /// How many base symbols a token is made of.
    pub fn span(&self, id: u32) -> u32 {
        self.traits[id as usize].span
    }

    /// How many units the product of a pair has; a marker is one.
    pub fn length(&self, pair: Pair) -> usize {
        let Traits { span, ends_word, .. } = self.traits[pair.right() as usize];
        (self.span(pair.left()) + span) as usize + usize::from(ends_word && self.attached)
    }

    /// Whether the product of a pair may become a token: it is not too long, and it does not
    /// spell a special token.
    pub fn may_merge(&self, pair: Pair) -> bool {
        if self.specials.is_empty() && self.longest == usize::MAX {
            return true;
        }
        let (left, right) = (self.text(pair.left()), self.text(pair.right()));
        let vetoed = self.specials.get(left.len() + right.len()).is_some_and(|specials| {
            specials.iter().any(|special| special.starts_with(left) && special.ends_with(right))
        });
        !vetoed && self.length(pair) <= self.longest
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
