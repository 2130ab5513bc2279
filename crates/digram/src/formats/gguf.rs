//! GGUF: the tokenizer among the metadata of a model for llama.cpp. It is read, not written.
//!
//! Tokens and merges are spelled in GPT-2's byte alphabet; of the split, only the name of a
//! pattern is in the file (`tokenizer.ggml.pre`). What the file says about templates is not kept.

mod metadata;

use std::borrow::Cow;

use super::spelled::{self, Index, Repeated, Spelling};
use super::tiktoken::over_bytes;
use super::{Contents, Files, Known, Loaded, lines, only, special};
use crate::components::{AddedToken, Behavior, ByteLevel, Decoder, Pattern, PreTokenizer};
use crate::error::{Error, Result};
use crate::model::{Model, Rule, Units};
use metadata::Metadata;

const NAME: &str = "gguf";
/// The kind of vocabulary that is byte-pair encoding over bytes.
const KIND: &str = "gpt2";

/// What a token is, as `tokenizer.ggml.token_type` says.
const UNKNOWN: u32 = 2;
const CONTROL: u32 = 3;
const USER_DEFINED: u32 = 4;
/// The largest type.
const BYTE: u32 = 6;

/// Whether a file looks like this: it begins with its name.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    bytes.starts_with(metadata::MAGIC)
}

/// Reads a file, or the beginning of one: what follows the metadata is not looked at.
pub(super) fn read(files: &Files, known: &Known) -> Result<Loaded> {
    let metadata = Metadata::read(only(files, NAME)?, &known.limits)?;
    check_kind(&metadata)?;
    let split = Split::of(&metadata, known)?;
    let tokens = required(metadata.tokens.as_deref(), "tokens")?;
    let entries: Vec<_> =
        tokens.iter().zip(0..).map(|(token, id)| (Cow::Borrowed(*token), id)).collect();
    let index = Index::of(&entries, &known.limits)?;
    let merges = merges(&index, required(metadata.merges.as_deref(), "merges")?)?;
    let added = added_tokens(tokens, metadata.types.as_deref())?;
    let ignore_merges = split.ignore_merges;
    let vocabulary = Spelling::of_bytes(ignore_merges).vocabulary(&entries, &merges, &added)?;
    let model = Model {
        ignore_merges,
        added_tokens: added,
        pre_tokenizer: Some(split.pre_tokenizer),
        decoder: Some(Decoder::ByteLevel(ByteLevel::alphabet_only())),
        ..Model::new(vocabulary, Units::Bytes, Rule::Merges(merges))
    };
    Ok(Loaded { model, training: None })
}

fn check_kind(metadata: &Metadata) -> Result<()> {
    match required(metadata.model, "model")? {
        KIND => Ok(()),
        other => Err(Error::Format(format!(
            "tokenizer.ggml.model is {:?}, which is not supported; {KIND:?} is",
            lines::shortened(other)
        ))),
    }
}

fn required<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::Format(format!("the metadata has no tokenizer.ggml.{name}")))
}

fn merges(index: &Index, listed: &[&str]) -> Result<Vec<crate::model::Merge>> {
    let pair = |(place, merge): (usize, &&'_ str)| {
        lines::pair(merge).map(|(left, right)| (left.to_owned(), right.to_owned())).ok_or_else(
            || {
                Error::Format(format!(
                    "tokenizer.ggml.merges[{place}] is {:?}, not two tokens with one space between",
                    lines::shortened(merge)
                ))
            },
        )
    };
    let pairs: Vec<_> = listed.iter().enumerate().map(pair).collect::<Result<_>>()?;
    let pairs = pairs.iter().map(|(left, right)| (left.as_str(), right.as_str()));
    let place = |merge: usize| format!("tokenizer.ggml.merges[{merge}]");
    spelled::merges(index, pairs, "", Repeated::FirstCounts, place)
}

/// The tokens that are matched whole: control tokens, and those that users defined, which are
/// matched in all text.
fn added_tokens(tokens: &[&str], types: Option<&[u32]>) -> Result<Vec<AddedToken>> {
    let Some(types) = types else { return Ok(Vec::new()) };
    if types.len() != tokens.len() {
        return Err(Error::Format(format!(
            "tokenizer.ggml.token_type has {} entries for {} tokens",
            types.len(),
            tokens.len()
        )));
    }
    let mut added = Vec::new();
    for ((id, token), &kind) in (0..).zip(tokens).zip(types) {
        match kind {
            UNKNOWN | CONTROL => added.push(special(id, token)),
            USER_DEFINED => added.push(AddedToken { special: false, ..special(id, token) }),
            0..=BYTE => {}
            _ => {
                return Err(Error::Format(format!(
                    "tokenizer.ggml.token_type[{id}] is {kind}, which is no type of a token"
                )));
            }
        }
    }
    Ok(added)
}

/// How text is split, and whether whole words are looked up first.
struct Split {
    pre_tokenizer: PreTokenizer,
    ignore_merges: bool,
}

const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The names of splits: what is split by, one pattern after the other, and whether whole words
/// are looked up before merging.
const SPLITS: &[(&[&str], &[&str], bool)] = &[
    (&["gpt-2", "phi-2"], &[crate::pretokenize::GPT2], false),
    (&["llama3", "llama-v3", "llama-bpe"], &[LLAMA3], true),
    (&["dbrx", "smaug-bpe"], &[LLAMA3], false),
    (&["qwen2", "deepseek-r1-qwen"], &[QWEN2], false),
    (&["gpt-4o", "llama4"], &[O200K], false),
    (&["tekken"], &[TEKKEN], true),
    (&["starcoder", "refact", "command-r", "smollm"], &[r"\p{N}", crate::pretokenize::GPT2], false),
];

impl Split {
    /// The split that the caller gives, or else the one that the file names.
    fn of(metadata: &Metadata, known: &Known) -> Result<Self> {
        let named =
            metadata.pre.and_then(|name| SPLITS.iter().find(|(names, _, _)| names.contains(&name)));
        let ignore_merges = named.is_some_and(|(_, _, ignore_merges)| *ignore_merges);
        let pre_tokenizer = match (&known.pattern, named) {
            (Some(pattern), _) => over_bytes(pattern),
            (None, Some((_, patterns, _))) => one_after_the_other(patterns),
            (None, None) => return Err(unknown_split(metadata.pre)),
        };
        Ok(Self { pre_tokenizer, ignore_merges })
    }
}

fn one_after_the_other(patterns: &[&str]) -> PreTokenizer {
    let splits = patterns.iter().map(|regex| PreTokenizer::Split {
        pattern: Pattern::Regex((*regex).to_owned()),
        behavior: Behavior::Isolated,
        invert: false,
    });
    over_bytes(&PreTokenizer::Sequence { pretokenizers: splits.collect() })
}

fn unknown_split(name: Option<&str>) -> Error {
    let known: Vec<_> = SPLITS.iter().flat_map(|(names, _, _)| *names).copied().collect();
    let what = match name {
        Some(name) => format!("tokenizer.ggml.pre is {:?}, which is not", lines::shortened(name)),
        None => {
            "the metadata has no tokenizer.ggml.pre, the name of a split, which would be".into()
        }
    };
    Error::Format(format!(
        "{what} one of {}; pass the split: load(path, pattern=…)",
        known.join(", ")
    ))
}

/// Refuses: the rest of the file is a model.
pub(super) fn write(_: &Model, _: Option<&serde_json::Value>) -> Contents {
    Err(Error::Format(
        "the format \"gguf\" is read and not written; save as tokenizer.json, from which \
         llama.cpp's own converter makes it"
            .into(),
    ))
}
