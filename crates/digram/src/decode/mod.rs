//! Ids to bytes.

use crate::components::post_processor;
use crate::encode::Tokenizer;
use crate::error::{Error, Result};

impl Tokenizer {
    /// The bytes that `ids` mean; special tokens are left out if `skip_special_tokens`.
    ///
    /// Fails on the first id that is not in the vocabulary.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<Vec<u8>> {
        self.decode_as(ids, skip_special_tokens, false)
    }

    /// The same as text: what is no UTF-8 is replaced as the decoder has it, if it has a way of
    /// its own.
    pub fn decode_text(&self, ids: &[u32], skip_special_tokens: bool) -> Result<Vec<u8>> {
        self.decode_as(ids, skip_special_tokens, true)
    }

    fn decode_as(&self, ids: &[u32], skip_special_tokens: bool, text: bool) -> Result<Vec<u8>> {
        ids.iter().try_for_each(|&id| self.known(id))?;
        let mut bytes = Vec::with_capacity(5 * ids.len());
        let kept = ids.iter().copied().filter(|&id| !skip_special_tokens || !self.is_special(id));
        self.joiner.decode(&self.model, kept, text, &mut bytes)?;
        Ok(bytes)
    }

    /// Fails where `id` is not in the vocabulary.
    pub fn known(&self, id: u32) -> Result<()> {
        if self.model.vocabulary.contains(id) {
            return Ok(());
        }
        Err(Error::UnknownToken(format!(
            "id {id} is not in the vocabulary, whose largest id is {}",
            self.model.vocabulary.ids().saturating_sub(1)
        )))
    }

    /// Tokens as `tokenizer.json` spells them; without the marker if `marker` is false.
    pub fn spell(&self, ids: &[u32], marker: bool) -> Result<Vec<String>> {
        let end = self.model.end_of_word.as_ref().map_or("", |end| &end.marker);
        let spell = |&id: &u32| {
            self.known(id)?;
            let mut spelling = self.model.spelling(id);
            if !marker && self.model.vocabulary.ends_word(id) {
                spelling.truncate(spelling.len() - end.len());
            }
            Ok(spelling)
        };
        ids.iter().map(spell).collect()
    }

    /// The ids of one text or two with the template's ids around, each with its type id.
    pub fn process(&self, first: &[u32], second: Option<&[u32]>) -> Vec<(u32, u32)> {
        match &self.model.post_processor {
            Some(post_processor) => post_processor.process(first, second),
            None => post_processor::plain(first, second),
        }
    }

    /// Whether `id` is a special token.
    pub fn is_special(&self, id: u32) -> bool {
        self.special_ids.binary_search(&id).is_ok()
    }
}
