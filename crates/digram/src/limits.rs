//! Limits: how much a file may ask for, before it is believed.
//!
//! A file of a few hundred bytes can ask for a table of gigabytes, for text that grows tenfold
//! with each step, or for brackets without end. What no honest file needs is refused, with the
//! name of the limit, so that a caller who knows better can raise it.

use serde::{Deserialize, Serialize};

use crate::components::sections::PaddingStrategy;
use crate::components::{
    Decoder, Normalizer, Padding, Pattern, Piece, PostProcessor, PreTokenizer,
};
use crate::encode::text_of;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::vocabulary::MAX_ID;

/// Nothing is read recursively deeper than this, whatever the limit: the stack is not endless.
const DEEPEST: u64 = 120;

/// How much a file may ask for. Each may be raised, or lowered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a file.
    pub file_size: u64,
    /// Tokens, the added ones included.
    pub vocabulary: u64,
    /// How far ids may go beyond four times the number of tokens: tables are as long as the
    /// largest id.
    pub id: u64,
    /// Bytes of a token.
    pub token_length: u64,
    /// Brackets within brackets, in what describes components; at most 120.
    pub nesting: u64,
    /// Bytes of a regular expression.
    pub regex_size: u64,
    /// The length that texts are padded to, or a multiple of.
    pub padding: u64,
    /// How many times longer a text may become, besides a megabyte.
    pub expansion: u64,
    /// Components in one slot, and pieces of a template.
    pub components: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_size: 512 << 20,
            vocabulary: 16 << 20,
            id: 1 << 20,
            token_length: 1 << 20,
            nesting: 64,
            regex_size: 64 << 10,
            padding: 1 << 24,
            expansion: EXPANSION,
            components: 256,
        }
    }
}

/// Refuses what stands before or behind tokens, where characters that are no tokens fall into bytes with it.
pub(crate) fn check_affixes(model: &Model, expansion: u64) -> Result<()> {
    let prefix = model.continuing_prefix.as_ref().map_or(0, String::len);
    let bytes = prefix + model.end_of_word.as_ref().map_or(0, |end| end.marker.len());
    if !model.byte_fallback || bytes as u64 <= expansion {
        return Ok(());
    }
    Err(Error::Limit(format!(
        "continuing_subword_prefix and end_of_word_suffix have {bytes} bytes, which byte_fallback makes ids for \
         each character; {}",
        beyond("expansion", expansion, bytes as u64)
    )))
}

/// The default of [`Limits::expansion`].
pub(crate) const EXPANSION: u64 = 64;
/// What a text may grow by in any case, in bytes.
const GROWTH: u64 = 1 << 20;

impl Limits {
    /// Limits from their JSON.
    pub fn from_json(json: &str) -> Result<Self> {
        let limits: Self = crate::components::from_json(json)?;
        if limits.nesting > DEEPEST {
            return Err(Error::Value(format!(
                "nesting is {}; at most {DEEPEST} is supported",
                limits.nesting
            )));
        }
        Ok(limits)
    }

    /// Refuses a file of so many bytes, where it is too large.
    pub fn check_file(&self, bytes: usize) -> Result<()> {
        check("file_size", self.file_size, bytes as u64, || format!("the file has {bytes} bytes"))
    }

    /// Refuses an id far beyond the number of tokens, or beyond any limit; `whose` says what has it.
    pub(crate) fn check_id(&self, id: u32, tokens: usize, whose: &str) -> Result<()> {
        if id > MAX_ID {
            return Err(Error::Limit(format!(
                "{whose} has id {id}; the largest supported is {MAX_ID}"
            )));
        }
        let free = 4 * tokens as u64;
        check("id", self.id, u64::from(id).saturating_sub(free), || {
            format!("{whose} has id {id}, which is too large for {tokens} tokens")
        })
    }

    /// Refuses JSON whose brackets are nested too deep, before anything is made of it.
    pub(crate) fn check_depth_of(&self, json: &str, place: &str) -> Result<()> {
        let (deepest, _) = measured(json);
        check("nesting", self.nesting.min(DEEPEST), deepest, || {
            format!("{place}: brackets are nested {deepest} deep")
        })
    }

    /// Refuses JSON nested too deep, and with far more values than components have.
    pub(crate) fn check_json(&self, json: &str, slot: &str) -> Result<()> {
        /// A component has fewer values; a template's special token has seven.
        const VALUES: u64 = 64;
        self.check_depth_of(json, slot)?;
        let (_, values) = measured(json);
        let most = self.components.saturating_mul(VALUES);
        if values <= most {
            return Ok(());
        }
        Err(Error::Limit(format!(
            "{slot}: it holds {values} values; {}",
            beyond("components", self.components, values.div_ceil(VALUES))
        )))
    }

    /// Refuses a nesting that a file describes otherwise than in JSON.
    pub(crate) fn check_depth(&self, depth: u64) -> Result<()> {
        let most = self.nesting.min(DEEPEST);
        check("nesting", most, depth, || format!("lists are nested {depth} deep"))
    }

    /// Refuses a model that is larger than the limits, or whose components are.
    pub fn check(&self, model: &Model) -> Result<()> {
        let vocabulary = &model.vocabulary;
        let tokens = vocabulary.len();
        check("vocabulary", self.vocabulary, tokens as u64, || {
            format!("the vocabulary has {tokens} tokens")
        })?;
        let added = model.added_tokens.iter().map(|added| added.content.len()).max().unwrap_or(0);
        let length = vocabulary.longest().max(added);
        check("token_length", self.token_length, length as u64, || {
            let contents = model.added_tokens.iter().map(|added| (added.id, added.content.len()));
            let mut all = vocabulary.iter().map(|(id, token)| (id, token.len())).chain(contents);
            let id = all.find(|(_, each)| *each == length).map_or(0, |(id, _)| id);
            format!("token {id} has {length} bytes")
        })?;
        self.check_components(model)?;
        self.check_glossaries(&model.glossaries)?;
        self.check_post_processor(model.post_processor.as_ref())?;
        model.padding.as_ref().map_or(Ok(()), |padding| self.check_padding(padding))
    }

    fn check_glossaries(&self, glossaries: &[String]) -> Result<()> {
        let patterns = glossaries.iter().filter(|glossary| text_of(glossary).is_none()).count();
        check("components", self.components, patterns as u64, || {
            format!("{patterns} glossaries are patterns")
        })?;
        glossaries.iter().try_for_each(|glossary| {
            let size = glossary.len() as u64;
            check("regex_size", self.regex_size, size, || format!("a glossary has {size} bytes"))
        })
    }

    fn check_components(&self, model: &Model) -> Result<()> {
        let mut parts = Vec::new();
        let mut slots = Vec::new();
        let mut slot = |name, patterns: Vec<Option<&Pattern>>| {
            slots.push((name, patterns.len()));
            parts.extend(patterns.into_iter().flatten().map(|pattern| (name, size(pattern))));
        };
        slot("normalizer", model.normalizer.as_ref().map(normalizers).unwrap_or_default());
        slot("pre_tokenizer", model.pre_tokenizer.as_ref().map(pre_tokenizers).unwrap_or_default());
        slot("decoder", model.decoder.as_ref().map(decoders).unwrap_or_default());
        for (slot, count) in slots {
            check("components", self.components, count as u64, || {
                format!("{slot}: it has {count} components")
            })?;
        }
        parts.into_iter().try_for_each(|(slot, size)| {
            check("regex_size", self.regex_size, size, || {
                format!("{slot}: a regular expression has {size} bytes")
            })
        })
    }

    /// A template may write a text, or its ids, as often as it has pieces.
    fn check_post_processor(&self, post_processor: Option<&PostProcessor>) -> Result<()> {
        let refuse_many = |count: usize, what: &str| {
            check("components", self.components, count as u64, || {
                format!("post_processor: {what} {count}")
            })
        };
        match post_processor {
            Some(PostProcessor::Sequence { processors }) => {
                refuse_many(processors.len(), "the number of its parts is")?;
                processors.iter().try_for_each(|part| self.check_post_processor(Some(part)))
            }
            Some(PostProcessor::TemplateProcessing { single, pair, special_tokens }) => {
                let ids = special_tokens.values().map(|special| special.ids.len()).max();
                refuse_many(
                    single.len().max(pair.len()),
                    "the number of the template's pieces is",
                )?;
                refuse_many(ids.unwrap_or(0), "the number of ids that a piece writes is")
            }
            _ => Ok(()),
        }
    }

    fn check_padding(&self, padding: &Padding) -> Result<()> {
        let fixed = match padding.strategy {
            PaddingStrategy::Fixed(length) => length,
            PaddingStrategy::BatchLongest => 0,
        };
        let length = fixed.max(padding.pad_to_multiple_of.unwrap_or(0));
        check("padding", self.padding, length as u64, || {
            format!("padding: texts are filled up to {length} ids")
        })
    }
}

/// How deep the brackets of JSON are nested, and how many values it has at most.
fn measured(json: &str) -> (u64, u64) {
    let (mut depth, mut deepest, mut values) = (0_u64, 0, 1);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
                values += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            _ => {}
        }
    }
    (deepest, values)
}

/// Refuses a template that names what it does not describe.
pub(crate) fn check_names(post_processor: &PostProcessor) -> Result<()> {
    let (pieces, special_tokens) = match post_processor {
        PostProcessor::Sequence { processors } => {
            return processors.iter().try_for_each(check_names);
        }
        PostProcessor::TemplateProcessing { single, pair, special_tokens } => {
            (single.iter().chain(pair), special_tokens)
        }
        _ => return Ok(()),
    };
    for piece in pieces {
        if let Piece::SpecialToken { id, .. } = piece
            && !special_tokens.contains_key(id)
        {
            return Err(Error::Format(format!(
                "post_processor: the template names {id:?}, which is not among its special_tokens"
            )));
        }
    }
    Ok(())
}

/// The most bytes that a text of `length` may become.
pub(crate) fn most(length: usize, times: u64) -> usize {
    let most = (length as u64).saturating_mul(times).saturating_add(GROWTH);
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// The error for a text that grows beyond it.
pub(crate) fn grows(what: &str, length: usize, times: u64) -> Error {
    Error::Limit(format!(
        "the {what} makes more than {} bytes of {length}: a text may become {times} times as long, \
         and a megabyte more; for a file that you trust, pass limits=digram.Limits(expansion=…)",
        most(length, times)
    ))
}

fn check(name: &str, limit: u64, value: u64, what: impl FnOnce() -> String) -> Result<()> {
    if value <= limit {
        return Ok(());
    }
    Err(Error::Limit(format!("{}; {}", what(), beyond(name, limit, value))))
}

fn beyond(name: &str, limit: u64, value: u64) -> String {
    format!(
        "the limit {name} is {limit}; for a file that you trust, pass \
         limits=digram.Limits({name}={value})"
    )
}

fn size(pattern: &Pattern) -> u64 {
    match pattern {
        Pattern::Regex(regex) => regex.len() as u64,
        Pattern::String(_) => 0,
    }
}

/// The components of a slot, each with its pattern if it has one.
fn normalizers(normalizer: &Normalizer) -> Vec<Option<&Pattern>> {
    match normalizer {
        Normalizer::Sequence { normalizers: all } => all.iter().flat_map(normalizers).collect(),
        Normalizer::Replace { pattern, .. } => vec![Some(pattern)],
        _ => vec![None],
    }
}

fn pre_tokenizers(pre_tokenizer: &PreTokenizer) -> Vec<Option<&Pattern>> {
    match pre_tokenizer {
        PreTokenizer::Sequence { pretokenizers } => {
            pretokenizers.iter().flat_map(pre_tokenizers).collect()
        }
        PreTokenizer::Split { pattern, .. } => vec![Some(pattern)],
        _ => vec![None],
    }
}

fn decoders(decoder: &Decoder) -> Vec<Option<&Pattern>> {
    match decoder {
        Decoder::Sequence { decoders: all } => all.iter().flat_map(decoders).collect(),
        Decoder::Replace { pattern, .. } => vec![Some(pattern)],
        _ => vec![None],
    }
}

/// How many regular expressions there are among components, for sharing what they may take.
fn regexes<'a>(patterns: impl IntoIterator<Item = Option<&'a Pattern>>) -> usize {
    patterns.into_iter().flatten().filter(|pattern| matches!(pattern, Pattern::Regex(_))).count()
}

/// The regular expressions of each slot.
pub(crate) fn regexes_of_normalizer(normalizer: &Normalizer) -> usize {
    regexes(normalizers(normalizer))
}

/// See [`regexes_of_normalizer`].
pub(crate) fn regexes_of_pre_tokenizer(pre_tokenizer: &PreTokenizer) -> usize {
    regexes(pre_tokenizers(pre_tokenizer))
}

/// See [`regexes_of_normalizer`].
pub(crate) fn regexes_of_decoder(decoder: &Decoder) -> usize {
    regexes(decoders(decoder))
}
