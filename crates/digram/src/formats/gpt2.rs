//! `vocab.json` and `merges.txt`: byte-level, split by GPT-2's pattern, or with a marker.
//!
//! GPT-2 itself came with `encoder.json` and `vocab.bpe`, which are the same two files. Special
//! tokens stand in `vocab.json` among the others; that they are special is not in the files.
//!
//! Where tokens end with `</w>`, as those of GPT-1 and CLIP do, how text is split is not in the
//! files either; units are bytes where every byte is a token, as in CLIP, and else characters.

use std::borrow::Cow;

use super::cannot::{self, Cannot};
use super::spelled::{self, Entries, Index, Repeated, Spelling};
use super::tiktoken::over_bytes;
use super::tokenizer_json::{ById, Vocab};
use super::{Contents, Files, Known, Loaded, lines, special, spell};
use crate::components::{AddedToken, ByteLevel, Decoder, PreTokenizer};
use crate::error::{Error, Result};
use crate::model::{EndOfWord, Merge, Model, Rule, Units, Unknown};

const NAME: &str = "gpt2";
/// What the last symbol of a word ends with, in the files that have a marker.
const MARKER: &str = "</w>";

/// Whether a file is one of the two: an object whose first value is a number, or merges spelled
/// in the byte alphabet without end-of-word marker.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    if super::tokenizer_json::first_value(bytes).is_some_and(|value| value.is_ascii_digit()) {
        return true;
    }
    let Some(lines) = lines::beginning(bytes) else { return false };
    let space = crate::aliases::ALIASES[usize::from(b' ')];
    lines::has_version(lines[0])
        && lines.iter().any(|line| line.contains(space))
        && !lines.iter().any(|line| line.contains("</w>"))
}

/// Reads the two files.
pub(super) fn read(files: &Files, known: &Known) -> Result<Loaded> {
    let Files::Two { vocab, merges } = files else {
        return Err(Error::Format(
            "a model of format \"gpt2\" is two files, vocab.json and merges.txt; pass the folder, \
             or both"
                .into(),
        ));
    };
    let entries = entries(vocab).map_err(|error| error.at("vocab.json"))?;
    let index = Index::of(&entries, &known.limits).map_err(|error| error.at("vocab.json"))?;
    let (merges, marked) = merges_of(merges, &index).map_err(|error| error.at("merges.txt"))?;
    let kind = Kind::of(marked, &index);
    let pre_tokenizer = kind.pre_tokenizer(known)?;
    let added = specials(known, &index, &entries)?;
    let end_of_word = kind.end_of_word();
    let spelling = Spelling {
        units: kind.units(),
        end_of_word: end_of_word.as_ref(),
        prefix: None,
        ignore_merges: false,
    };
    let vocabulary = spelling.vocabulary(&entries, &merges, &added)?;
    let model = Model {
        unknown: unknown(known, &index)?,
        added_tokens: added,
        pre_tokenizer: Some(pre_tokenizer),
        decoder: Some(kind.decoder()),
        end_of_word,
        ..Model::new(vocabulary, kind.units(), Rule::Merges(merges))
    };
    Ok(Loaded { model, training: None })
}

/// The merges, and whether any makes the end of a word.
fn merges_of(bytes: &[u8], index: &Index) -> Result<(Vec<Merge>, bool)> {
    let lines = lines::merges(lines::text(bytes)?)?;
    let pairs = lines.iter().map(|merge| (merge.left, merge.right));
    let place = |merge: usize| format!("line {}", lines[merge].line);
    let merges = spelled::merges(index, pairs, "", Repeated::LastCounts, place)?;
    let is_end = |symbol: &str| symbol.len() > MARKER.len() && symbol.ends_with(MARKER);
    Ok((merges, lines.iter().any(|merge| is_end(merge.right))))
}

/// What the two files are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Byte-level: GPT-2 and what came after it.
    Bytes,
    /// Byte-level with a marker: CLIP.
    MarkedBytes,
    /// Characters with a marker: GPT-1.
    MarkedChars,
}

impl Kind {
    fn of(marked: bool, index: &Index) -> Self {
        let mut spelling = [0; 4];
        let mut is_token = |alias: &char| index.get(alias.encode_utf8(&mut spelling)).is_some();
        match marked {
            false => Self::Bytes,
            true if crate::aliases::ALIASES.iter().all(&mut is_token) => Self::MarkedBytes,
            true => Self::MarkedChars,
        }
    }

    fn units(self) -> Units {
        if self == Self::MarkedChars { Units::Chars } else { Units::Bytes }
    }

    fn end_of_word(self) -> Option<EndOfWord> {
        (self != Self::Bytes).then(|| EndOfWord { marker: MARKER.into(), attached: true })
    }

    fn decoder(self) -> Decoder {
        match self {
            Self::Bytes => Decoder::ByteLevel(ByteLevel::alphabet_only()),
            _ => of_marker(),
        }
    }

    fn pre_tokenizer(self, known: &Known) -> Result<PreTokenizer> {
        let gpt2 = ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex: true };
        match (&known.pattern, self) {
            (Some(pattern), Self::MarkedChars) => Ok(pattern.clone()),
            (Some(pattern), _) => Ok(over_bytes(pattern)),
            (None, Self::Bytes) => Ok(PreTokenizer::ByteLevel(gpt2)),
            (None, _) => Err(Error::Value(format!(
                "the tokens end with {MARKER:?}, as those of GPT-1 and CLIP do, and the two files \
                 do not tell how their texts are split; say it: load(path, \
                 pattern=digram.components.BertPreTokenizer()) for GPT-1"
            ))),
        }
    }
}

/// The decoder of tokens that end with the marker.
fn of_marker() -> Decoder {
    Decoder::BPEDecoder { suffix: MARKER.into() }
}

fn entries(vocab: &[u8]) -> Result<Vec<(Cow<'_, str>, u32)>> {
    match serde_json::from_str(lines::text(vocab)?) {
        Ok(Vocab(entries)) => Ok(entries),
        Err(error) => Err(Error::Format(error.to_string())),
    }
}

/// The special tokens: with the ids they have in the vocabulary, or are given, or after all.
fn specials(known: &Known, index: &Index, entries: &Entries) -> Result<Vec<AddedToken>> {
    let given = known.special_tokens.iter().filter_map(|(_, id)| *id);
    let largest = entries.iter().map(|(_, id)| *id).chain(given).max();
    let mut next = largest.map_or(0, |id| id.saturating_add(1));
    let mut added = Vec::with_capacity(known.special_tokens.len());
    for (content, id) in &known.special_tokens {
        let id = match (index.get(content), id) {
            (Some(listed), Some(id)) if listed != *id => {
                return Err(Error::Value(format!(
                    "special token {content:?} is given id {id}, but vocab.json has it as {listed}"
                )));
            }
            (Some(listed), _) => listed,
            (None, Some(id)) => *id,
            (None, None) => {
                next = next.saturating_add(1);
                next - 1
            }
        };
        added.push(special(id, content));
    }
    added.sort_by_key(|added| added.id);
    Ok(added)
}

fn unknown(known: &Known, index: &Index) -> Result<Option<Unknown>> {
    let Some(token) = &known.unk_token else { return Ok(None) };
    match index.get(token) {
        Some(id) => Ok(Some(Unknown { id, fuse: false })),
        None => Err(Error::Value(format!("unk_token {token:?} is not in vocab.json"))),
    }
}

/// Writes the two files; that tokens are special is left out, and with a marker how text is split:
/// that is how the format is.
pub(super) fn write(model: &Model, _: Option<&serde_json::Value>) -> Contents {
    let pre_tokenizer = model.pre_tokenizer.as_ref();
    let marked = model.end_of_word.as_ref().is_some_and(|end| end.attached && end.marker == MARKER);
    let untold = marked && !ends_words(model);
    let other_pattern = !marked && !pre_tokenizer.is_some_and(cannot::splits_as_gpt2);
    Cannot::new(NAME)
        .add(if marked { cannot::characters_in_parts(model) } else { None })
        .add(if marked { cannot::other_decoder(model, &of_marker()) } else { None })
        .add(if marked { None } else { cannot::no_bytes(model) })
        .add(if marked { None } else { cannot::marker(model) })
        .add(cannot::no_merges(model))
        .add(cannot::ignore_merges(model))
        .add(cannot::dropout(model))
        .add(cannot::always_added(model))
        .add(cannot::matched_otherwise(model))
        .add(cannot::fuse_unk(model))
        .add(cannot::unused(model))
        .add(cannot::glossaries(model))
        .add(cannot::normalizer(model))
        .add(other_pattern.then_some("its split pattern is not GPT-2's"))
        .add(untold.then_some("no merge of it ends a word, by which the marker is told"))
        .add(cannot::post_processor(model))
        .check()?;
    let Rule::Merges(listed) = &model.rule else { unreachable!("refused above") };
    let entries = spell::entries(model, listed, &hashbrown::HashSet::new())?;
    let vocab = serde_json::to_vec(&ById(&entries)).expect("plain data has a JSON form");
    let merges = ["#version: 0.2\n", &spell::lines(model, listed, NAME)?].concat();
    Ok(vec![vocab, merges.into_bytes()])
}

/// Whether a merge ends a word.
fn ends_words(model: &Model) -> bool {
    let Rule::Merges(merges) = &model.rule else { return true };
    merges.iter().any(|merge| model.vocabulary.ends_word(merge.merged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::{Behavior, Pattern};

    const VOCAB: &str = r#"{"<s>": 0, "a": 1, "b": 2, "Ġ": 3, "ab": 4, "Ġab": 5, "漢": 6}"#;
    const MERGES: &str = "#version: 0.2\na b\nĠ ab\n";

    fn load(vocab: &str, merges: &str, known: &Known) -> Result<Model> {
        let files = Files::Two { vocab: vocab.as_bytes(), merges: merges.as_bytes() };
        super::super::read(&files, None, known).map(|loaded| loaded.model)
    }

    fn refusal(vocab: &str, merges: &str, known: &Known) -> String {
        load(vocab, merges, known).err().expect("refused").to_string()
    }

    fn specials(tokens: &[(&str, Option<u32>)]) -> Known {
        let special_tokens = tokens.iter().map(|(s, id)| ((*s).to_owned(), *id)).collect();
        Known { special_tokens, ..Known::default() }
    }

    #[test]
    fn the_two_files_are_read_and_written_as_they_are() {
        let model = load(VOCAB, MERGES, &specials(&[("<s>", None), ("<m>", None)])).expect("sound");
        assert_eq!(model.vocabulary.bytes(5), b" ab");
        assert!(model.vocabulary.literal(0) && model.vocabulary.literal(6));
        assert_eq!(model.added_tokens[1].id, 7);
        let files = write(&model, None).expect("holds it");
        let vocab = VOCAB.replace(": ", ":").replace(", ", ",").replace('}', ",\"<m>\":7}");
        assert_eq!(String::from_utf8_lossy(&files[0]), vocab);
        assert_eq!(String::from_utf8_lossy(&files[1]), MERGES);
    }

    #[test]
    fn the_first_line_is_a_merge_unless_it_is_a_version() {
        let vocab = r##"{"#": 0, "v": 1, "#v": 2}"##;
        for merges in ["# v\n", "#version: 0.2\n# v"] {
            let model = load(vocab, merges, &Known::default()).expect("sound");
            assert!(matches!(&model.rule, Rule::Merges(merges) if merges.len() == 1));
        }
    }

    #[test]
    fn tokens_that_end_words_are_read_with_the_split_that_is_told() {
        let vocab = r#"{"a": 0, "b</w>": 1, "a</w>": 2, "ab</w>": 3}"#;
        let merges = "#version: 0.2\na b</w>\n";
        let message = refusal(vocab, merges, &Known::default());
        assert!(message.contains("the tokens end with \"</w>\""), "{message}");
        let known = Known { pattern: Some(PreTokenizer::WhitespaceSplit), ..Known::default() };
        let model = load(vocab, merges, &known).expect("sound");
        assert!(model.units == Units::Chars && model.vocabulary.ends_word(3));
        let files = write(&model, None).expect("holds it");
        assert_eq!(String::from_utf8_lossy(&files[0]), vocab.replace(": ", ":").replace(", ", ","));
        assert_eq!(String::from_utf8_lossy(&files[1]), merges);
        let listed = crate::aliases::ALIASES.iter().zip(10..);
        let bytes: serde_json::Map<_, _> =
            listed.map(|(alias, id)| (alias.to_string(), id.into())).collect();
        let bytes = serde_json::to_string(&bytes).expect("plain data has a JSON form");
        let all = vocab.replace("{\"a\": 0", &bytes[..bytes.len() - 1]);
        assert!(load(&all, merges, &known).expect("sound").units == Units::Bytes);
    }

    #[test]
    fn faults_are_named_with_their_file_and_line() {
        let none = Known::default();
        let message = refusal(VOCAB, "#version: 0.2\na b\nb q\n", &none);
        assert_eq!(message, "merges.txt: line 3: \"b\" + \"q\": \"q\" is not in the vocabulary");
        let message = refusal(VOCAB, "a b c", &none);
        assert!(
            message.starts_with("merges.txt: line 1: \"a b c\" is not two symbols"),
            "{message}"
        );
        let message = refusal(r#"{"a": 0, "a": 1}"#, "", &none);
        assert_eq!(message, "vocab.json: \"a\" is listed twice, as 0 and 1");
        let message = refusal(r#"{"a": -1}"#, "", &none);
        assert!(message.starts_with("vocab.json: invalid value: integer `-1`"), "{message}");
    }

    #[test]
    fn what_is_known_must_agree_with_the_files() {
        let message = refusal(VOCAB, MERGES, &specials(&[("<s>", Some(9))]));
        assert!(message.contains("given id 9, but vocab.json has it as 0"), "{message}");
        let known = Known { unk_token: Some("<unk>".into()), ..Known::default() };
        let message = refusal(VOCAB, MERGES, &known);
        assert_eq!(message, "unk_token \"<unk>\" is not in vocab.json");
        let one = Files::One(VOCAB.as_bytes());
        let error = super::super::read(&one, None, &Known::default()).err().expect("refused");
        assert!(error.to_string().contains("is two files, vocab.json and merges.txt"), "{error}");
    }

    #[test]
    fn what_it_cannot_hold_is_told() {
        let model = load(VOCAB, MERGES, &Known::default()).expect("sound");
        let split = PreTokenizer::Split {
            pattern: Pattern::Regex(r"\S+".into()),
            behavior: Behavior::Isolated,
            invert: false,
        };
        let other = Model {
            rule: Rule::Ranks,
            ignore_merges: true,
            pre_tokenizer: Some(over_bytes(&split)),
            ..model
        };
        let message = write(&other, None).expect_err("refused").to_string();
        for part in ["merges by ranks", "ignore_merges", "pattern is not GPT-2's"] {
            assert!(message.contains(part), "{message}");
        }
    }
}
