//! Files: pure functions between bytes and a [`Model`], one format each.
//!
//! A file is recognized by its content. What a file says and digram cannot do is refused by name;
//! what a model has and a format cannot hold is named too, and nothing is written.
//!
//! ```
//! use digram::formats::{Files, Known, read, write};
//!
//! let file = br#"{"version": "1.0", "model": {"type": "BPE",
//!     "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}}"#;
//! let loaded = read(&Files::One(file), None, &Known::default())?;
//! assert_eq!(loaded.model.vocabulary.bytes(2), b"ab");
//! let files = write(&loaded.model, "tokenizer.json", None)?;
//! assert_eq!(files[0].0, "tokenizer.json");
//! # Ok::<(), digram::Error>(())
//! ```

mod by_scores;
mod cannot;
mod dialect;
mod filter;
mod gguf;
mod glossaries;
mod gpt2;
mod lines;
mod ranks;
mod sentencepiece;
mod spell;
mod spelled;
mod subword_nmt;
mod tekken;
mod tiktoken;
mod tokenizer_json;

use serde_json::value::RawValue;

use crate::components::{PreTokenizer, special};
use crate::encode::Tokenizer;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::model::Model;

/// The content of a file, or of two that belong together.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// One file.
    One(&'a [u8]),
    /// `vocab.json` and `merges.txt`.
    Two {
        /// Tokens and their ids.
        vocab: &'a [u8],
        /// Merges, best first.
        merges: &'a [u8],
    },
}

impl<'a> Files<'a> {
    fn contents(&self) -> Vec<&'a [u8]> {
        match self {
            Self::One(bytes) => vec![bytes],
            Self::Two { vocab, merges } => vec![vocab, merges],
        }
    }
}

/// What the caller knows and a format cannot hold.
///
/// A format refuses what it does not need: nothing that is given is ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// How text is split into words.
    pub pattern: Option<PreTokenizer>,
    /// Special tokens, each with its id where that is known.
    pub special_tokens: Vec<(String, Option<u32>)>,
    /// The token for what the vocabulary does not hold.
    pub unk_token: Option<String>,
    /// Characters of the alphabet, besides those that the file shows.
    pub initial_alphabet: Vec<char>,
    /// The tokens that may be left of words, with `@@` where they do not end one.
    pub vocabulary: Option<Vec<String>>,
    /// What is kept whole in words: see [`Model::glossaries`].
    pub glossaries: Vec<String>,
    /// How much the file may ask for.
    pub limits: Limits,
}

/// What a file holds.
#[derive(Clone)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What was kept about its training, as JSON: see [`write()`].
    pub training: Option<Box<RawValue>>,
}

/// A format: how it is recognized, read and written.
pub struct Format {
    /// Its name, as [`read`] and [`write()`] take it.
    pub name: &'static str,
    /// Its files, as they are usually called, in the order in which they are written.
    pub files: &'static [&'static str],
    /// What of [`Known`] it takes, by the names that Python gives.
    takes: &'static [&'static str],
    recognizes: fn(&[u8]) -> bool,
    read: fn(&Files, &Known) -> Result<Loaded>,
    write: fn(&Model, Option<&serde_json::Value>) -> Contents,
}

/// The contents of a format's files.
type Contents = Result<Vec<Vec<u8>>>;

/// All formats, in the order in which they are tried on a file.
pub const FORMATS: &[Format] = &[
    Format {
        name: "gpt2",
        files: &["vocab.json", "merges.txt"],
        takes: &["pattern", "special_tokens", "unk_token"],
        recognizes: gpt2::recognizes,
        read: gpt2::read,
        write: gpt2::write,
    },
    Format {
        name: "tekken",
        files: &["tekken.json"],
        takes: &[],
        recognizes: tekken::recognizes,
        read: tekken::read,
        write: tekken::write,
    },
    Format {
        name: "tokenizer.json",
        files: &["tokenizer.json"],
        takes: &[],
        recognizes: tokenizer_json::recognizes,
        read: tokenizer_json::read,
        write: tokenizer_json::write,
    },
    Format {
        name: "sentencepiece",
        files: &["tokenizer.model"],
        takes: &[],
        recognizes: sentencepiece::recognizes,
        read: sentencepiece::read,
        write: sentencepiece::write,
    },
    Format {
        name: "tiktoken",
        files: &["vocab.tiktoken"],
        takes: &["pattern", "special_tokens"],
        recognizes: tiktoken::recognizes,
        read: tiktoken::read,
        write: tiktoken::write,
    },
    Format {
        name: "subword-nmt",
        files: &["bpe.codes"],
        takes: &[
            "pattern",
            "special_tokens",
            "unk_token",
            "initial_alphabet",
            "vocabulary",
            "glossaries",
        ],
        recognizes: subword_nmt::recognizes,
        read: subword_nmt::read,
        write: subword_nmt::write,
    },
    Format {
        name: "gguf",
        files: &["model.gguf"],
        takes: &["pattern"],
        recognizes: gguf::recognizes,
        read: gguf::read,
        write: gguf::write,
    },
];

/// The format of a file, by its content. Both files of `gpt2` are recognized as that.
pub fn recognize(bytes: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.recognizes)(bytes))
}

/// What files begin with that are often taken for a vocabulary, and what to do with them.
const OTHERS: [(&[u8], &str); 6] = [
    (b"\x1F\x8B", "; it is gzip, so unpack it first"),
    (b"\xEF\xBB\xBF", "; it begins with a byte-order mark (U+FEFF), so save it without one"),
    (b"\xFF\xFE", "; it is UTF-16, so save it as UTF-8"),
    (b"\xFE\xFF", "; it is UTF-16, so save it as UTF-8"),
    (
        b"version https://git-lfs",
        "; it is a pointer of Git LFS, so fetch the file itself: git lfs pull",
    ),
    (
        b"<unk>\t0\n",
        "; it is a list of pieces, as SentencePiece writes one beside the model: open the .model",
    ),
];

/// Reads a model from `files`, in the format named or else the one recognized.
///
/// Any bytes give a model, or an error that says what is wrong with them.
pub fn read(files: &Files, format: Option<&str>, known: &Known) -> Result<Loaded> {
    for bytes in files.contents() {
        known.limits.check_file(bytes.len())?;
    }
    let format = match (format, files) {
        (Some(name), _) => named(name)?,
        (None, Files::Two { .. }) => named("gpt2")?,
        (None, Files::One(bytes)) => recognize(bytes).ok_or_else(|| {
            let known = OTHERS.iter().find(|(beginning, _)| bytes.starts_with(beginning));
            let empty = if bytes.is_empty() { "; it is empty" } else { "" };
            let remedy = known.map_or(empty, |(_, remedy)| remedy);
            let names = names();
            Error::Format(format!("not a vocabulary file: none of {names} was recognized{remedy}"))
        })?,
    };
    check_known(known, format)?;
    let mut loaded = (format.read)(files, known)?;
    known.limits.check(&loaded.model)?;
    loaded.model = loaded.model.checked()?;
    Ok(loaded)
}

/// Reads a tokenizer, and what was kept about its training: see [`read`].
///
/// A pattern of the file that does not run is a fault of the file; one that is given, of the call.
pub fn open(
    files: &Files,
    format: Option<&str>,
    known: &Known,
) -> Result<(Tokenizer, Option<Box<RawValue>>)> {
    let Loaded { model, training } = read(files, format, known)?;
    let tokenizer = Tokenizer::of_checked(model, known.limits.expansion);
    let tokenizer = match tokenizer {
        Err(Error::Value(message)) if known.pattern.is_none() => Err(Error::Format(message)),
        result => result,
    };
    Ok((tokenizer?, training))
}

/// Writes a model as the files of a format, each with its usual name.
///
/// `training` is a record of how the model was made; it does not affect ids, and `tokenizer.json`
/// alone holds it. Where a format cannot hold the model, the error says what it cannot.
pub fn write(
    model: &Model,
    format: &str,
    training: Option<&serde_json::Value>,
) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let format = named(format)?;
    let contents = (format.write)(model, training)?;
    Ok(format.files.iter().copied().zip(contents).collect())
}

fn named(name: &str) -> Result<&'static Format> {
    FORMATS
        .iter()
        .find(|format| format.name == name)
        .ok_or_else(|| Error::Value(format!("format is {name:?}; it is one of {}", names())))
}

fn names() -> String {
    let names: Vec<_> = FORMATS.iter().map(|format| format!("{:?}", format.name)).collect();
    names.join(", ")
}

/// Refuses what is given and not needed.
fn check_known(known: &Known, format: &Format) -> Result<()> {
    let given = [
        ("pattern", known.pattern.is_some()),
        ("special_tokens", !known.special_tokens.is_empty()),
        ("unk_token", known.unk_token.is_some()),
        ("initial_alphabet", !known.initial_alphabet.is_empty()),
        ("vocabulary", known.vocabulary.is_some()),
        ("glossaries", !known.glossaries.is_empty()),
    ];
    match given.iter().find(|(name, given)| *given && !format.takes.contains(name)) {
        None => Ok(()),
        Some((name, _)) => Err(Error::Value(format!(
            "{name}= is given, but a file of format {:?} holds that itself or has no use for it; \
             leave it out",
            format.name
        ))),
    }
}

/// The bytes of the only file of `format`.
fn only<'a>(files: &Files<'a>, format: &str) -> Result<&'a [u8]> {
    match files {
        Files::One(bytes) => Ok(bytes),
        Files::Two { .. } => {
            Err(Error::Value(format!("a model of format {format:?} is one file, not two")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognized_by_their_content() {
        let cases: [(&[u8], Option<&str>); 18] = [
            (b"\n\x05\n\x03<s>\x12\0", Some("sentencepiece")),
            (b"\n\x05\n\x03<s>", None),
            (b" {\"version\": \"1.0\"}", Some("tokenizer.json")),
            (b"{\"vocab\": [{\"token_bytes\": \"AA==\"}]}", Some("tekken")),
            (b"{\"version\": null, \"a\": \"token_bytes\"}", Some("tokenizer.json")),
            (b"{\"a\": 0, \"b\": 1}", Some("gpt2")),
            (b"{\"a\\\"\": 0}", Some("gpt2")),
            ("#version: 0.2\nĠ t\nĠ a\n".as_bytes(), Some("gpt2")),
            (b"#version: 0.2\ne n</w>\ne r\n", Some("subword-nmt")),
            (b"t </w>\nr e\n", Some("subword-nmt")),
            (b"IQ== 0\nIg== 1\n", Some("tiktoken")),
            (b"GGUF\x03\0\0\0", Some("gguf")),
            (b"v3;false;true;false;<w>;</w>\ne </w>\n", Some("subword-nmt")),
            (b"e r 17\nn er</w> 9\n", Some("subword-nmt")),
            (b"just words 17\nand words 9\n", None),
            (b"", None),
            (b"\xff\xfe", None),
            (b"just some words of text\n", None),
        ];
        for (bytes, name) in cases {
            assert_eq!(recognize(bytes).map(|format| format.name), name, "{bytes:?}");
        }
    }

    #[test]
    fn what_a_format_has_no_use_for_is_refused() {
        let known = Known { unk_token: Some("[UNK]".into()), ..Known::default() };
        let error = read(&Files::One(b"IQ== 0\n"), None, &known).err().expect("refused");
        assert!(error.to_string().contains("unk_token= is given"), "{error}");
    }

    #[test]
    fn unknown_formats_are_refused_by_name() {
        let error = read(&Files::One(b""), Some("onnx"), &Known::default()).err().expect("refused");
        assert!(error.to_string().contains("format is \"onnx\"; it is one of"), "{error}");
        let error = read(&Files::One(b""), None, &Known::default()).err().expect("refused");
        assert!(error.to_string().starts_with("not a vocabulary file"), "{error}");
    }
}
