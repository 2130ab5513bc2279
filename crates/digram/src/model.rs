//! The model: what training learned and what every file holds.
//!
//! Three things that are easily confused are three things here: an *id* is the number that a
//! user sees, a *rank* is a merge's position (lower goes first), and a *token* is bytes.

mod marked;
mod repeated;
mod scores;
mod unused;

use crate::components::{
    AddedToken, Decoder, Normalizer, Padding, PostProcessor, PreTokenizer, Truncation, Unicode,
};
use crate::error::{Error, Result};
use crate::vocabulary::Vocabulary;
pub(crate) use repeated::repeated;
pub use scores::{Kind, Piece, Scores};

/// What a word is first split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Bytes of UTF-8.
    Bytes,
    /// Characters: Unicode code points.
    Chars,
}

impl Units {
    /// Whether no unit of text can be this token's own: it is longer than a character, or in
    /// bytes no byte that is spelled so.
    pub(crate) fn is_apart(self, content: &str) -> bool {
        let is_unit = || match self {
            Self::Bytes => crate::aliases::unspell(content).as_deref() == Some(content.as_bytes()),
            Self::Chars => true,
        };
        content.chars().nth(1).is_some() || !is_unit()
    }
}

/// Whether text that is not cut out becomes an added token of the vocabulary: where merges use it, where it is
/// one unit, or where whole words are looked up. (A special token is not text, unless it stands in merges.)
pub(crate) fn is_met(
    (spelling, prefix): (&str, Option<&str>),
    added: &AddedToken,
    in_merges: bool,
    ignore_merges: bool,
) -> bool {
    let unit = prefix.and_then(|prefix| spelling.strip_prefix(prefix)).unwrap_or(spelling);
    let is_word = ignore_merges && (added.single_word || !added.special);
    in_merges || is_word || unit.chars().nth(1).is_none()
}

/// One merge: the pair, and what it becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Id of the left symbol.
    pub left: u32,
    /// Id of the right symbol.
    pub right: u32,
    /// Id of the symbol that replaces them.
    pub merged: u32,
}

/// In which order tokens are taken where nothing is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The longest token anywhere in the word, leftmost first; then what is left on both sides.
    LongestFirst,
    /// The longest token at the beginning, then the rest.
    LeftToRight,
}

/// How the next merge is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Only listed pairs merge, the earliest listed first.
    Merges(Vec<Merge>),
    /// Any pair whose joined bytes are a token merges, the lowest id first (tiktoken).
    Ranks,
    /// Any pair whose joined text is a piece merges, the best score first, the leftmost of equals
    /// (`SentencePiece`).
    Scores(Scores),
    /// No merging: longest match.
    Greedy(Order),
}

/// The mark of a word's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndOfWord {
    /// Its spelling, as `</w>`. In the vocabulary it is a flag, never text.
    pub marker: String,
    /// Attached to the last unit from the start, or a symbol of its own.
    pub attached: bool,
}

/// The token for characters that the vocabulary does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its id.
    pub id: u32,
    /// One for a whole run of unknown characters, instead of one each.
    pub fuse: bool,
}

/// What training learned and every file holds.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the file")]
pub struct Model {
    /// id ↔ token.
    pub vocabulary: Vocabulary,
    /// What a word is first split into.
    pub units: Units,
    /// How the next merge is chosen.
    pub rule: Rule,
    /// Whether a word that is itself a token is taken whole, before merging.
    pub ignore_merges: bool,
    /// The unknown token, if any.
    pub unknown: Option<Unknown>,
    /// The end-of-word marker, if any.
    pub end_of_word: Option<EndOfWord>,
    /// Tokens matched whole, before merging.
    pub added_tokens: Vec<AddedToken>,
    /// Changes text before it is split.
    pub normalizer: Option<Normalizer>,
    /// The version of Unicode that the normalizer follows, where it depends on one.
    pub unicode: Unicode,
    /// Whether characters that are not in the vocabulary are left out where there is no unknown
    /// token, as Hugging Face leaves them out; otherwise they are an error.
    pub drops_unknown: bool,
    /// Whether the units are characters of GPT-2's byte alphabet: so where a byte level stands
    /// anywhere but at the end.
    pub spelled: bool,
    /// The bytes of characters that the vocabulary does not hold are tokens, `<0xE2>`.
    pub byte_fallback: bool,
    /// What stands before a token that continues a word, in its text.
    pub continuing_prefix: Option<String>,
    /// Ids of tokens that merging makes and that are taken apart again, ascending.
    pub unused: Vec<u32>,
    /// What is kept whole in words, as subword-nmt's `--glossaries` names it: patterns of Python.
    pub glossaries: Vec<String>,
    /// A probability of leaving merges out, which files keep from training.
    pub dropout: Option<f64>,
    /// How long texts are cut, as the file says; kept, not applied.
    pub truncation: Option<Truncation>,
    /// How short texts are filled up, as the file says; kept, not applied.
    pub padding: Option<Padding>,
    /// Splits text into words.
    pub pre_tokenizer: Option<PreTokenizer>,
    /// Puts begin and end ids around.
    pub post_processor: Option<PostProcessor>,
    /// Turns tokens back into text.
    pub decoder: Option<Decoder>,
}

impl Model {
    /// A model of a vocabulary and a rule, with nothing around.
    pub fn new(vocabulary: Vocabulary, units: Units, rule: Rule) -> Self {
        Self {
            vocabulary,
            units,
            rule,
            ignore_merges: false,
            unknown: None,
            end_of_word: None,
            added_tokens: Vec::new(),
            normalizer: None,
            unicode: Unicode::default(),
            drops_unknown: false,
            spelled: false,
            byte_fallback: false,
            continuing_prefix: None,
            unused: Vec::new(),
            glossaries: Vec::new(),
            dropout: None,
            truncation: None,
            padding: None,
            pre_tokenizer: None,
            post_processor: None,
            decoder: None,
        }
    }

    /// What splits text, if it finds anything in what normalization leaves.
    pub(crate) fn splits(&self) -> Option<&PreTokenizer> {
        let is_idle =
            |one: &PreTokenizer| self.normalizer.as_ref().is_some_and(|n| one.is_idle_behind(n));
        self.pre_tokenizer.as_ref().filter(|one| !is_idle(one))
    }

    /// Checks the invariants that everything behind relies on, and returns the model.
    ///
    /// Every merge's ids are tokens, and its product is its parts joined; no pair is listed
    /// twice; the unknown token and the added tokens are in the vocabulary.
    pub fn checked(self) -> Result<Self> {
        self.check_merges()?;
        self.check_scores()?;
        self.check_units()?;
        self.check_settings()?;
        self.taken_apart()?;
        for added in &self.added_tokens {
            if added.content.is_empty() {
                return Err(Error::Format(format!("added token {} is empty", added.id)));
            }
            self.check_id(added.id, "added token")?;
        }
        if let Some(unknown) = &self.unknown {
            self.check_id(unknown.id, "unknown token")?;
        }
        Ok(self)
    }

    fn check_merges(&self) -> Result<()> {
        let Rule::Merges(merges) = &self.rule else { return Ok(()) };
        let twice = repeated(merges.iter().map(|merge| (merge.left, merge.right)));
        for (rank, merge) in merges.iter().enumerate() {
            let Merge { left, right, merged } = *merge;
            for id in [left, right, merged] {
                if !self.vocabulary.contains(id) {
                    return Err(Error::Format(format!(
                        "merge {rank}: id {id} is not in the vocabulary"
                    )));
                }
            }
            let parts = [self.vocabulary.bytes(left), self.continued(right)];
            let ends = self.vocabulary.ends_word(right);
            if !is_joined(self.vocabulary.bytes(merged), parts)
                || ends != self.vocabulary.ends_word(merged)
                || self.vocabulary.ends_word(left)
            {
                return Err(Error::Format(format!("merge {rank}: {}", self.unjoined(merge))));
            }
            if twice.first() == Some(&rank) {
                let [l, r] = [left, right].map(|id| self.spelling(id));
                return Err(Error::Format(format!(
                    "merge {rank}: the pair {l:?} {r:?} is listed twice"
                )));
            }
        }
        Ok(())
    }

    /// Why a merge's product is not its parts.
    fn unjoined(&self, merge: &Merge) -> String {
        let [l, r, m] = [merge.left, merge.right, merge.merged].map(|id| self.spelling(id));
        if l.clone() + &r == m {
            return format!(
                "{l:?} + {r:?} is {m:?}, but which of them end a word does not agree; if one holds the \
                 end-of-word marker as text, another merge or the vocabulary has it at the end of a word"
            );
        }
        format!("{l:?} + {r:?} is not {m:?}; a merge's product is its parts joined")
    }

    fn check_scores(&self) -> Result<()> {
        let by_scores = match &self.rule {
            Rule::Scores(scores) => scores.check(self).map(|()| true)?,
            _ => false,
        };
        match &self.decoder {
            Some(decoder) if decoder.needs_scores() && !by_scores => Err(Error::Format(
                "the decoder SentencePiece goes with the rule by scores only".into(),
            )),
            Some(Decoder::Sequence { decoders }) if decoders.iter().any(Decoder::needs_scores) => {
                Err(Error::Format("the decoder SentencePiece stands alone, in no Sequence".into()))
            }
            _ => Ok(()),
        }
    }

    /// Whether a text may hold what is no token, and there is no token for that.
    pub fn may_miss(&self) -> bool {
        self.unknown.is_none() && self.may_be_unknown()
    }

    /// Whether a text may hold what is no token.
    pub fn may_be_unknown(&self) -> bool {
        let attached = self.end_of_word.as_ref().is_some_and(|end| end.attached);
        let is_token = |byte| {
            let is_there = |ends_word| self.vocabulary.id_of(&[byte], ends_word).is_some();
            is_there(false) && (!attached || is_there(true))
        };
        self.units != Units::Bytes || !(0..=255).all(is_token)
    }

    /// The bytes of a token, without what stands before those that continue a word.
    fn continued(&self, id: u32) -> &[u8] {
        let bytes = self.vocabulary.bytes(id);
        match &self.continuing_prefix {
            None => bytes,
            Some(prefix) => bytes.strip_prefix(prefix.as_bytes()).unwrap_or(bytes),
        }
    }

    /// How many bytes of text a token is, at the beginning of a word or behind it.
    pub(crate) fn continued_or_first(&self, id: u32, is_first: bool) -> usize {
        if is_first { self.vocabulary.bytes(id).len() } else { self.continued(id).len() }
    }

    /// Checks what goes with characters and listed merges only, and numbers.
    fn check_settings(&self) -> Result<()> {
        let of_characters = [
            ("byte_fallback", self.byte_fallback),
            ("continuing_prefix", self.continuing_prefix.is_some()),
            ("spelled", self.spelled),
        ];
        let has_both = |name: &str| match self.rule {
            Rule::Merges(_) => self.units == Units::Chars,
            Rule::Scores(_) => name == "byte_fallback",
            _ => false,
        };
        if let Some((name, _)) = of_characters.iter().find(|(name, set)| *set && !has_both(name)) {
            return Err(Error::Format(format!(
                "{name} goes with units \"chars\" and listed merges only"
            )));
        }
        let is_plain = matches!(self.rule, Rule::Merges(_))
            && self.end_of_word.is_some()
            && !self.ignore_merges
            && of_characters.iter().all(|(_, set)| !set);
        if !self.glossaries.is_empty() && !is_plain {
            return Err(Error::Format(
                "glossaries go with units \"chars\", listed merges and an end-of-word marker only"
                    .into(),
            ));
        }
        self.post_processor.as_ref().map_or(Ok(()), crate::limits::check_names)?;
        self.truncation.as_ref().map_or(Ok(()), Truncation::check)?;
        self.padding.as_ref().map_or(Ok(()), Padding::check)?;
        match self.dropout {
            Some(dropout) if !(0.0..=1.0).contains(&dropout) => Err(Error::Format(format!(
                "dropout is {dropout}; it is a probability, from 0 to 1"
            ))),
            _ => Ok(()),
        }
    }

    fn check_units(&self) -> Result<()> {
        if self.units == Units::Bytes || self.vocabulary.is_text() {
            return Ok(());
        }
        for (id, bytes) in self.vocabulary.iter() {
            if std::str::from_utf8(bytes).is_err() {
                return Err(Error::Format(format!(
                    "token {id} is {bytes:?}, not UTF-8; a model over characters holds text only"
                )));
            }
        }
        Ok(())
    }

    fn check_id(&self, id: u32, what: &str) -> Result<()> {
        if self.vocabulary.contains(id) {
            return Ok(());
        }
        Err(Error::Format(format!("{what}: id {id} is not in the vocabulary")))
    }

    /// A token as `tokenizer.json` spells it: bytes by GPT-2's alphabet, characters and tokens
    /// that merging never meets as they are.
    ///
    /// Panics where `id` has no token.
    pub fn spelling(&self, id: u32) -> String {
        let bytes = self.vocabulary.bytes(id);
        let mut spelling = match self.units {
            Units::Bytes if self.vocabulary.merges(id) => crate::aliases::spell(bytes),
            _ => String::from_utf8_lossy(bytes).into_owned(),
        };
        if let (Some(end), true) = (&self.end_of_word, self.vocabulary.ends_word(id)) {
            spelling.push_str(&end.marker);
        }
        spelling
    }

    /// Whether every merge's parts are made by earlier merges: only then do "in learned order"
    /// and "lowest rank first" agree.
    pub fn merges_are_ordered(&self) -> bool {
        let Rule::Merges(merges) = &self.rule else { return false };
        // the last merge that makes a token counts: files list several for one token
        let made_at: hashbrown::HashMap<u32, usize> =
            merges.iter().enumerate().map(|(rank, merge)| (merge.merged, rank)).collect();
        let early = |id: &u32, rank: usize| made_at.get(id).is_none_or(|&made| made < rank);
        merges.iter().enumerate().all(|(rank, m)| early(&m.left, rank) && early(&m.right, rank))
    }
}

/// Whether `product` is the two parts, one after the other.
fn is_joined(product: &[u8], [left, right]: [&[u8]; 2]) -> bool {
    product.len() == left.len() + right.len()
        && product.starts_with(left)
        && product.ends_with(right)
}
