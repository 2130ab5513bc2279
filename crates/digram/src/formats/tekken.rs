//! `tekken.json`: Mistral's vocabulary of ranks, with its pattern and its special tokens.
//!
//! Special tokens have the ids from 0; an ordinary token's id is its rank, counted on from there.
//! The file lists more ordinary tokens than it uses: `default_vocab_size` says how many there are
//! of both. What it says about images and audio does not concern text, and is not kept.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hashbrown::HashSet;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use super::cannot::{self, Cannot};
use super::tiktoken::{check_unlike, odd_token, over_bytes, without};
use super::{Contents, Files, Known, Loaded, lines, only, ranks, special, spell};
use crate::components::{AddedToken, Behavior, ByteLevel, Decoder, Pattern, PreTokenizer};
use crate::error::{Error, Result};
use crate::model::{Model, Rule, Units};
use crate::vocabulary::{Tokens, Traits, Vocabulary};

const NAME: &str = "tekken";
/// Files of later versions list their special tokens.
const LAST_VERSION_WITH_DEFAULTS: u32 = 7;
/// Published files have 1,000; as many names are made up as the file says, so it is bounded.
const MOST_SPECIALS: u32 = 1 << 16;
/// The special tokens of files that list none, in the order of their ids.
const DEFAULTS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

#[derive(Deserialize)]
struct File<'a> {
    config: Config<'a>,
    #[serde(borrow)]
    vocab: Vec<Entry<'a>>,
    #[serde(default, borrow)]
    special_tokens: Option<Vec<SpecialEntry<'a>>>,
}

#[derive(Deserialize, Serialize)]
struct Config<'a> {
    pattern: Cow<'a, str>,
    num_vocab_tokens: u64,
    default_vocab_size: u32,
    default_num_special_tokens: u32,
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    rank: u32,
    #[serde(borrow)]
    token_bytes: Cow<'a, str>,
    #[serde(default, rename = "token_str")]
    _token_str: IgnoredAny,
}

#[derive(Deserialize, Serialize)]
struct SpecialEntry<'a> {
    rank: u32,
    #[serde(borrow)]
    token_str: Cow<'a, str>,
    #[serde(default = "yes")]
    is_control: bool,
}

fn yes() -> bool {
    true
}

/// Whether a file looks like this: a JSON object in which `token_bytes` are strings.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    let key = b"\"token_bytes\"";
    let value = |at: usize| bytes[at + key.len()..].trim_ascii_start().strip_prefix(b":");
    let is_text = |rest: &[u8]| rest.trim_ascii_start().starts_with(b"\"");
    bytes.trim_ascii_start().starts_with(b"{")
        && memchr::memmem::find(bytes, key).and_then(value).is_some_and(is_text)
}

/// Reads a file.
pub(super) fn read(files: &Files, _: &Known) -> Result<Loaded> {
    let text = lines::text(only(files, NAME)?)?;
    let file: File =
        serde_json::from_str(text).map_err(|error| Error::Format(error.to_string()))?;
    let specials = file.specials()?;
    let mut tokens = file.ordinary(specials.len())?;
    for special in &specials {
        tokens.push(special.id, Traits::ADDED_ONLY, special.content.as_bytes());
    }
    let vocabulary = tokens.vocabulary()?;
    check_unlike(&vocabulary)?;
    let first = specials.len() as u32;
    odd_byte(&vocabulary, first).map_or(Ok(()), |odd| Err(Error::Format(odd)))?;
    let split = PreTokenizer::Split {
        pattern: Pattern::Regex(file.config.pattern.into_owned()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    let model = Model {
        ignore_merges: true,
        added_tokens: specials,
        pre_tokenizer: Some(over_bytes(&split)),
        decoder: Some(Decoder::ByteLevel(ByteLevel::alphabet_only())),
        ..Model::new(vocabulary, Units::Bytes, Rule::Ranks)
    };
    Ok(Loaded { model, training: None })
}

impl File<'_> {
    /// All special tokens: those listed, or else the first version's, and made-up names up to the
    /// number that the file tells.
    fn specials(&self) -> Result<Vec<AddedToken>> {
        let count = self.config.default_num_special_tokens;
        if count > MOST_SPECIALS {
            return Err(Error::Limit(format!(
                "config.default_num_special_tokens is {count}; at most {MOST_SPECIALS} is supported"
            )));
        }
        let mut names = self.listed()?;
        if names.len() > count as usize {
            let listed = names.len();
            return Err(Error::Format(format!(
                "{listed} special tokens, but config.default_num_special_tokens is {count}"
            )));
        }
        names.extend((names.len()..count as usize).map(|id| format!("<SPECIAL_{id}>").into()));
        let mut seen = HashSet::with_capacity(names.len());
        match names.iter().find(|&name| !seen.insert(name)) {
            Some(name) => Err(Error::Format(format!("two special tokens are {name:?}"))),
            None => Ok((0..).zip(&names).map(|(id, name)| special(id, name)).collect()),
        }
    }

    fn listed(&self) -> Result<Vec<Cow<'_, str>>> {
        let Some(listed) = &self.special_tokens else { return self.defaults() };
        let place = (0..).zip(listed).find(|(place, special)| special.rank != *place);
        match place {
            Some((place, special)) => Err(Error::Format(format!(
                "special_tokens[{place}] has rank {}; a special token's rank is its place",
                special.rank
            ))),
            None => Ok(listed.iter().map(|special| Cow::Borrowed(&*special.token_str)).collect()),
        }
    }

    fn defaults(&self) -> Result<Vec<Cow<'_, str>>> {
        let version = &self.config.version;
        let number = version.strip_prefix('v').and_then(|number| number.parse::<u32>().ok());
        match number {
            Some(number) if number <= LAST_VERSION_WITH_DEFAULTS => {
                Ok(DEFAULTS.into_iter().map(Cow::Borrowed).collect())
            }
            _ => Err(Error::Format(format!(
                "no special_tokens, which a file of version {version:?} lists; only those up to \
                 \"v{LAST_VERSION_WITH_DEFAULTS}\" may leave them out"
            ))),
        }
    }

    /// The ordinary tokens in use, the first with the id `first`.
    fn ordinary(&self, first: usize) -> Result<Tokens> {
        let size = self.config.default_vocab_size;
        let used = (size as usize).checked_sub(first).filter(|&used| used <= self.vocab.len());
        let Some(used) = used else {
            return Err(Error::Format(format!(
                "config.default_vocab_size is {size}, but there are {first} special tokens and {} \
                 others",
                self.vocab.len()
            )));
        };
        let mut tokens = Tokens::with_room(used + first, 8 * used);
        for (place, entry) in (0..).zip(&self.vocab[..used]) {
            entry.write(place, tokens.begin())?;
            tokens.add(first as u32 + place, Traits::ORDINARY);
        }
        Ok(tokens)
    }
}

impl Entry<'_> {
    /// Writes the bytes of the token in a place behind others.
    fn write(&self, place: u32, bytes: &mut Vec<u8>) -> Result<()> {
        if self.rank != place {
            return Err(Error::Format(format!(
                "vocab[{place}] has rank {}; a token's rank is its place",
                self.rank
            )));
        }
        let before = bytes.len();
        let decoded = STANDARD.decode_vec(self.token_bytes.as_bytes(), bytes);
        if decoded.is_ok() && bytes.len() > before {
            return Ok(());
        }
        let bytes = lines::shortened(&self.token_bytes);
        Err(Error::Format(format!(
            "vocab[{place}].token_bytes is {bytes:?}, which is no token in base64"
        )))
    }
}

/// A byte that is not where the format has it: byte `b` has the rank `b`.
fn odd_byte(vocabulary: &Vocabulary, first: u32) -> Option<String> {
    let is_odd =
        |byte: &u8| vocabulary.id_of(&[*byte], false) != first.checked_add(u32::from(*byte));
    let byte = (0..=255).find(is_odd)?;
    Some(match vocabulary.id_of(&[byte], false) {
        None => format!("the byte {byte:02X} is no token"),
        Some(id) => format!(
            "the byte {byte:02X} has the id {id}; after {first} special tokens the format begins \
             with the 256 bytes in their order, so its id is {}",
            u64::from(first) + u64::from(byte)
        ),
    })
}

/// Writes a model whose ids are ranks, after special tokens.
///
/// Every special token is written as a control token, and the version is the one that all readers
/// know.
pub(super) fn write(model: &Model, _: Option<&serde_json::Value>) -> Contents {
    let vocabulary = &model.vocabulary;
    let specials = spell::unmet(model);
    let first = model.added_tokens.len() as u32;
    let pattern = pattern(model);
    let mut cannot = Cannot::new(NAME);
    cannot
        .add(cannot::no_bytes(model))
        .add(cannot::marker(model))
        .add(cannot::dropout(model))
        .add(cannot::unused(model))
        .add(cannot::glossaries(model))
        .add(cannot::normalizer(model))
        .add(pattern.is_none().then_some("its pre-tokenizer is not one regular expression"))
        .add(cannot::post_processor(model))
        .add(odd_token(model, &specials))
        .add(odd_special(model))
        .add(gap(vocabulary))
        .check()?;
    cannot
        .add(odd_byte(vocabulary, first))
        .add(ranks::why_not(&without(model, &specials)?)?)
        .check()?;
    check_unlike(vocabulary)?;
    let ordinary = vocabulary.len() - first as usize;
    let config = Config {
        pattern: pattern.expect("refused above").into(),
        num_vocab_tokens: ordinary as u64,
        default_vocab_size: vocabulary.len() as u32,
        default_num_special_tokens: first,
        version: "v3".into(),
    };
    Ok(vec![written(model, &config, first)])
}

/// What splits text, where that is one pattern.
fn pattern(model: &Model) -> Option<&str> {
    let splits = model.pre_tokenizer.as_ref()?;
    if cannot::splits_as_gpt2(splits) {
        return Some(crate::pretokenize::GPT2);
    }
    match cannot::parts(splits).as_slice() {
        [
            PreTokenizer::Split {
                pattern: Pattern::Regex(regex),
                behavior: Behavior::Isolated,
                invert: false,
            },
            PreTokenizer::ByteLevel(bytes),
        ] if !bytes.use_regex && !bytes.add_prefix_space => Some(regex),
        _ => None,
    }
}

/// An added token that is not as the format's special tokens are: first, and found as it stands.
fn odd_special(model: &Model) -> Option<String> {
    let mut ids: Vec<_> = model.added_tokens.iter().map(|token| token.id).collect();
    ids.sort_unstable();
    if let Some((place, id)) = (0..).zip(ids).find(|(place, id)| place != id) {
        return Some(format!(
            "its special tokens do not have the first ids, one each ({id} stands for {place})"
        ));
    }
    let mut seen = HashSet::with_capacity(model.added_tokens.len());
    let odd = model.added_tokens.iter().find(|token| {
        let is_its_text = model.vocabulary.bytes(token.id) == token.content.as_bytes();
        let has_wishes = !token.special || token.single_word || token.lstrip || token.rstrip;
        has_wishes || !is_its_text || !seen.insert(&token.content)
    })?;
    Some(format!(
        "the added token {:?} is not special, or not the only one of its text, or is matched in a \
         way of its own (single_word, lstrip, rstrip)",
        odd.content
    ))
}

fn gap(vocabulary: &Vocabulary) -> Option<String> {
    let has_gap = vocabulary.len() != vocabulary.ids();
    has_gap.then(|| format!("of its {} ids {} have a token", vocabulary.ids(), vocabulary.len()))
}

/// The file, an entry a line.
fn written(model: &Model, config: &Config, first: u32) -> Vec<u8> {
    let specials = (0..first).map(|rank| {
        let token_str = String::from_utf8_lossy(model.vocabulary.bytes(rank));
        json(&SpecialEntry { rank, token_str, is_control: true })
    });
    let ordinary = (first..model.vocabulary.ids() as u32).map(|id| {
        let bytes = model.vocabulary.bytes(id);
        json(&serde_json::json!({
            "rank": id - first,
            "token_bytes": STANDARD.encode(bytes),
            "token_str": std::str::from_utf8(bytes).ok(),
        }))
    });
    let list = |entries: Vec<String>| entries.join(",\n  ");
    format!(
        "{{\n \"config\": {},\n \"special_tokens\": [\n  {}\n ],\n \"vocab\": [\n  {}\n ]\n}}\n",
        json(config),
        list(specials.collect()),
        list(ordinary.collect())
    )
    .into_bytes()
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}

#[cfg(test)]
mod tests;
