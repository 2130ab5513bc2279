//! From what was learned to a model with everything around it.

use super::options::LearnOptions;
use crate::arch::pages::give_back;
use crate::components::{Decoder, Normalizer, PreTokenizer, special};
use crate::error::Result;
use crate::model::{Merge, Model, Rule, Unknown};
use crate::vocabulary::{Token, Vocabulary};

/// Learning so many merges took memory that is worth a millisecond or two to give back.
const MANY: usize = 1 << 12;

/// What was learned: what a model is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// All tokens, by id: special tokens, base symbols, merges.
    pub tokens: Vec<Token>,
    /// The merges, in the order learned.
    pub merges: Vec<Merge>,
    /// The id of the unknown token, if there is one.
    pub unknown: Option<u32>,
}

/// The components that a trained model gets.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Changes text before it is split.
    pub normalizer: Option<Normalizer>,
    /// Splits text into words, as it did for counting.
    pub pre_tokenizer: Option<PreTokenizer>,
    /// Turns tokens back into text.
    pub decoder: Option<Decoder>,
    /// One unknown token for a run of unknown characters.
    pub fuse_unk: bool,
}

/// The model that was learned; its special tokens are matched whole in text that asks for them.
pub fn build(mut learned: Learned, options: &LearnOptions, around: Around) -> Result<Model> {
    if learned.merges.len() >= MANY {
        // else what the tokenizer and its report take comes on top of it
        give_back();
    }
    for (token, special) in learned.tokens.iter_mut().zip(options.specials()) {
        token.literal = options.units.is_apart(special);
    }
    let rule = Rule::Merges(learned.merges);
    Ok(Model {
        unknown: learned.unknown.map(|id| Unknown { id, fuse: around.fuse_unk }),
        end_of_word: options.end_of_word.clone(),
        added_tokens: (0..)
            .zip(options.specials())
            .map(|(id, content)| special(id, content))
            .collect(),
        normalizer: around.normalizer,
        pre_tokenizer: around.pre_tokenizer,
        decoder: around.decoder,
        byte_fallback: options.byte_fallback,
        ..Model::new(Vocabulary::new(learned.tokens)?, options.units, rule)
    })
}
