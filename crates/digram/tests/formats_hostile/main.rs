//! Damaged files: each gives a model or an error, never a panic, and a model can be kept.

mod samples;

use digram::components::{Behavior, Pattern, PreTokenizer};
use digram::encode::{Special, Tokenizer};
use digram::formats::{FORMATS, Files, Known, read, recognize, write};
use digram::model::Model;
use digram::monitor::{Monitor, Nobody};
use proptest::prelude::*;
use samples::{alphabet, gguf, tekken};
use serde_json::Value;

const TOKENIZER: &str = r#"{"version": "1.0", "truncation": null, "padding": null,
 "added_tokens": [
  {"id": 0, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": true, "normalized": false, "special": true},
  {"id": 9, "content": "<x>", "single_word": false, "lstrip": true, "rstrip": false, "normalized": false, "special": false}],
 "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
  {"type": "Split", "pattern": {"Regex": " +"}, "behavior": "Isolated", "invert": false},
  {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
 "post_processor": {"type": "RobertaProcessing", "sep": ["<x>", 7], "cls": ["[UNK]", 0], "trim_offsets": true, "add_prefix_space": false},
 "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
 "model": {"type": "BPE", "unk_token": "[UNK]", "fuse_unk": true, "ignore_merges": false,
  "vocab": {"[UNK]": 0, "a": 1, "b": 2, "\u0120": 3, "ab": 4, "\u0120ab": 5, "é": 6},
  "merges": [["a", "b"], "\u0120 ab"], "digram": {"training": {"ties": "shortest"}}}}"#;

const MARKED: &str = r#"{"version": "1.0", "model": {"type": "DigramBPE", "end_of_word_suffix": "</w>",
 "vocab": {"a": 0, "</w>": 1, "a</w>": 2, "<": 3, "b": 4}, "merges": [["a", "</w>"]],
 "digram": {"marker": "separate", "units": "chars"}}}"#;

const PIECES: &str = r###"{"version": "1.0",
 "truncation": {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0},
 "padding": {"strategy": {"Fixed": 7}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 0, "pad_token": "?"},
 "normalizer": {"type": "Sequence", "normalizers": [
  {"type": "Strip", "strip_left": true, "strip_right": false}, {"type": "StripAccents"},
  {"type": "Nmt"}, {"type": "Prepend", "prepend": "b"},
  {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "ab"},
  {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
  {"type": "Precompiled", "precompiled_charsmap": "CAAAAABhAAAAYQAAYgA="}]},
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
  {"type": "Punctuation", "behavior": "Contiguous"}, {"type": "BertPreTokenizer"},
  {"type": "Metaspace", "replacement": "_", "prepend_scheme": "first", "split": true},
  {"type": "Digits", "individual_digits": false}, {"type": "FixedLength", "length": 4},
  {"type": "CharDelimiterSplit", "delimiter": "|"}]},
 "decoder": {"type": "Sequence", "decoders": [
  {"type": "Replace", "pattern": {"String": "_"}, "content": " "}, {"type": "ByteFallback"},
  {"type": "WordPiece", "prefix": "##", "cleanup": true},
  {"type": "CTC", "pad_token": "a", "word_delimiter_token": "b", "cleanup": true},
  {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": true},
  {"type": "Strip", "content": " ", "start": 1, "stop": 2}]},
 "model": {"type": "BPE", "dropout": 0.0, "unk_token": "?", "continuing_subword_prefix": "##",
  "end_of_word_suffix": "$", "byte_fallback": true,
  "vocab": {"?": 0, "a": 1, "##b": 2, "ab": 3, "##b$": 4, "ab$": 5, "<0xC3>": 6, "<0xA9>": 7},
  "merges": [["a", "##b"], ["a", "##b$"]]}}"###;

const GREEDY: &str = r#"{"version": "1.0", "model": {"type": "DigramBPE",
 "vocab": {"a": 0, "b": 1, "ab": 5}, "merges": [], "digram": {"rule": "longest-first"}}}"#;

const CODES: &str = "#version: 0.2\na b\nab c</w>\n< /\n</ w\n</w >\n";
const OLD_CODES: &str = "a b\nab </w>\nc ab</w>\n";
const COUNTED_CODES: &str = "a b 17\nab c</w> 9\n";
const OPENNMT_CODES: &str = "v3;false;true;false;<w>;</w>\na b\nc </w>\nb c</w>\nab c</w>\n";
const VOCAB: &str = "{\"<s>\": 0, \"a\": 1, \"b\": 2, \"Ġ\": 3, \"ab\": 4, \"Ġab\": 5, \"漢\": 6}";
const MERGES: &str = "#version: 0.2\na b\nĠ ab\n";
const RANKS: &str = "YWI= 2\nYWJi 7\nIGFi 8\n";

/// What bytes are likely to break things.
const SPITE: &[&str] = &[
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\ud800",
    "\0",
    "\n",
    "\r",
    " ",
    "  ",
    "#version",
    "-1",
    "1e999",
    "4294967295",
    "4294967296",
    "67108864",
    "null",
    "true",
    "é",
    "Ġ",
    "</w>",
    "=",
    "==",
    "[UNK]",
    "a",
    "b",
    "BPE",
    "ranks",
    "bytes",
];

#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, &'static str),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize, prop::sample::Index),
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let damage = prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<prop::sample::Index>(), prop::sample::select(SPITE))
            .prop_map(|(at, text)| Damage::Insert(at, text)),
        (any::<prop::sample::Index>(), 1..30_usize).prop_map(|(at, n)| Damage::Remove(at, n)),
        (any::<prop::sample::Index>(), 1..30_usize, any::<prop::sample::Index>())
            .prop_map(|(from, n, to)| Damage::Repeat(from, n, to)),
    ];
    prop::collection::vec(damage, 1..4)
}

fn damaged(file: &str, damages: &[Damage]) -> Vec<u8> {
    let mut bytes = file.as_bytes().to_vec();
    for damage in damages {
        let len = bytes.len();
        if len == 0 {
            break;
        }
        match damage {
            Damage::Set(at, byte) => bytes[at.index(len)] = *byte,
            Damage::Insert(at, text) => {
                let at = at.index(len);
                bytes.splice(at..at, text.bytes());
            }
            Damage::Remove(at, n) => {
                let at = at.index(len);
                bytes.drain(at..(at + n).min(len));
            }
            Damage::Repeat(from, n, to) => {
                let from = from.index(len);
                let part = bytes[from..(from + n).min(len)].to_vec();
                let to = to.index(len);
                bytes.splice(to..to, part);
            }
        }
    }
    bytes
}

/// What a value of the file may turn into.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "4",
    "7",
    "-1",
    "1e9",
    "\"\"",
    "\"a\"",
    "\"ab\"",
    "\"b\"",
    "\"é\"",
    "\"Ġ\"",
    "\"</w>\"",
    "\"w>\"",
    "\"[UNK]\"",
    "\"a b\"",
    "\"BPE\"",
    "\"DigramBPE\"",
    "\"ranks\"",
    "\"longest-first\"",
    "\"separate\"",
    "\"bytes\"",
    "[]",
    "{}",
    "[\"a\", \"b\"]",
    "[\"b\", \"a\"]",
    "[[\"a\", \"b\"]]",
    "{\"a\": 0, \"b\": 1, \"ab\": 2}",
    "{\"type\": \"Fuse\"}",
    "{\"type\": \"ByteLevel\"}",
    "{\"type\": \"NFC\"}",
    "{\"type\": \"ByteFallback\"}",
    "{\"type\": \"FixedLength\", \"length\": 0}",
    "{\"type\": \"Metaspace\", \"replacement\": \"a\"}",
    "{\"rule\": \"ranks\"}",
    "{\"marker\": \"separate\"}",
];

/// Turns the value at `place` (counted through the whole file) into another.
fn changed(value: &mut Value, place: &mut usize, into: &Value) {
    let here = *place == 0;
    *place = place.wrapping_sub(1);
    match value {
        _ if here => *value = into.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| changed(item, place, into)),
        Value::Object(fields) => fields.values_mut().for_each(|field| changed(field, place, into)),
        _ => {}
    }
}

fn knowing_all() -> [Known; 2] {
    let split = PreTokenizer::Split {
        pattern: Pattern::Regex(r"\S+|\s+".into()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    let special_tokens = vec![("<s>".into(), None), ("<t>".into(), None)];
    [Known { pattern: Some(split), special_tokens, ..Known::default() }, Known::default()]
}

fn tokens(model: &Model) -> Vec<(u32, Vec<u8>, bool, bool)> {
    let v = &model.vocabulary;
    v.iter().map(|(id, b)| (id, b.to_vec(), v.ends_word(id), v.merges(id))).collect()
}

/// A model that a damaged file gave can be saved, or the reason is told; saved, it comes back.
fn keeps(model: &Model) -> Result<(), TestCaseError> {
    for format in FORMATS {
        drop(write(model, format.name, None));
    }
    if let Ok(files) = write(model, "tokenizer.json", None) {
        let again = read(&Files::One(&files[0].1), None, &Known::default());
        let again = again.map_err(|error| TestCaseError::fail(error.to_string()))?.model;
        prop_assert_eq!(tokens(&again), tokens(model));
        prop_assert_eq!(&again.rule, &model.rule);
        prop_assert_eq!(again.units, model.units);
        let files_again = write(&again, "tokenizer.json", None).expect("as before");
        prop_assert_eq!(&files_again[0].1, &files[0].1);
    }
    Ok(())
}

/// A model that a damaged file gave encodes and decodes, or the reason is told.
fn runs(model: Model) {
    let Ok(tokenizer) = Tokenizer::new(model) else { return };
    let monitor = Monitor::new(&Nobody);
    for text in ["", "a", " ab  é\u{301}|中12!? _b", "\0\u{10FFFF}ab"] {
        if let Ok(ids) = tokenizer.encode(text, &Special::Token, &monitor) {
            drop(tokenizer.decode(&ids, false, &Monitor::silent()));
        }
    }
    let ids: Vec<u32> = tokenizer.model().vocabulary.iter().map(|(id, _)| id).collect();
    drop(tokenizer.decode(&ids, true, &Monitor::silent()));
}

fn reads_or_refuses(files: &Files, format: &str) -> Result<(), TestCaseError> {
    for known in knowing_all() {
        if let Ok(loaded) = read(files, Some(format), &known) {
            keeps(&loaded.model)?;
            runs(loaded.model);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_damaged_tokenizer_json_is_read_or_refused(
        file in prop::sample::select(&[TOKENIZER, MARKED, PIECES, GREEDY][..]), damages in damages(),
    ) {
        reads_or_refuses(&Files::One(&damaged(file, &damages)), "tokenizer.json")?;
    }

    #[test]
    fn a_changed_tokenizer_json_is_read_or_refused(
        file in prop::sample::select(&[TOKENIZER, MARKED, PIECES, GREEDY][..]),
        changes in prop::collection::vec((0..120_usize, prop::sample::select(VALUES)), 1..4),
    ) {
        let mut file: Value = serde_json::from_str(file).expect("JSON");
        for (mut place, into) in changes {
            let into = serde_json::from_str(into).expect("JSON");
            changed(&mut file, &mut place, &into);
        }
        reads_or_refuses(&Files::One(file.to_string().as_bytes()), "tokenizer.json")?;
    }

    #[test]
    fn damaged_codes_are_read_or_refused(
        file in prop::sample::select(&[CODES, OLD_CODES, COUNTED_CODES, OPENNMT_CODES][..]), damages in damages(),
    ) {
        reads_or_refuses(&Files::One(&damaged(file, &damages)), "subword-nmt")?;
    }

    #[test]
    fn a_damaged_tekken_json_is_read_or_refused(
        damages in damages(),
        changes in prop::collection::vec((0..50_usize, prop::sample::select(VALUES)), 0..3),
    ) {
        let mut file = tekken();
        for (mut place, into) in changes {
            let into = serde_json::from_str(into).expect("JSON");
            changed(&mut file, &mut place, &into);
        }
        reads_or_refuses(&Files::One(file.to_string().as_bytes()), "tekken")?;
        reads_or_refuses(&Files::One(&damaged(&file.to_string(), &damages)), "tekken")?;
    }

    #[test]
    fn a_damaged_gguf_is_read_or_refused(damages in damages()) {
        reads_or_refuses(&Files::One(&damaged(&gguf(), &damages)), "gguf")?;
    }

    #[test]
    fn damaged_ranks_are_read_or_refused(damages in damages()) {
        let file = [alphabet().as_bytes(), &damaged(RANKS, &damages)].concat();
        reads_or_refuses(&Files::One(&file), "tiktoken")?;
        reads_or_refuses(&Files::One(&damaged(RANKS, &damages)), "tiktoken")?;
    }

    #[test]
    fn damaged_pairs_of_files_are_read_or_refused(
        vocab in damages(), merges in damages(), both in any::<bool>(),
    ) {
        let vocab = if both { damaged(VOCAB, &vocab) } else { VOCAB.into() };
        let merges = damaged(MERGES, &merges);
        reads_or_refuses(&Files::Two { vocab: &vocab, merges: &merges }, "gpt2")?;
    }

    #[test]
    fn any_bytes_are_recognized_or_not(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Some(format) = recognize(&bytes) {
            reads_or_refuses(&Files::One(&bytes), format.name)?;
        }
    }
}

#[test]
fn the_files_are_sound_before_they_are_damaged() {
    for file in [TOKENIZER, MARKED, PIECES, GREEDY] {
        let loaded = read(&Files::One(file.as_bytes()), None, &Known::default());
        keeps(&loaded.expect("sound").model).expect("it can be kept");
    }
    let file = tekken().to_string();
    let loaded = read(&Files::One(file.as_bytes()), Some("tekken"), &Known::default());
    keeps(&loaded.expect("sound").model).expect("it can be kept");
    let loaded = read(&Files::One(gguf().as_bytes()), None, &Known::default());
    keeps(&loaded.expect("sound").model).expect("it can be kept");
    let files = Files::Two { vocab: VOCAB.as_bytes(), merges: MERGES.as_bytes() };
    assert!(read(&files, None, &Known::default()).is_ok());
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{\"type\":\"Sequence\",\"normalizers\":[", "]}")] {
        let deep = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        let file = format!(
            "{{\"version\": \"1.0\", \"normalizer\": {deep}, \"model\": {{\"vocab\": {{}}, \"merges\": []}}}}"
        );
        let error = read(&Files::One(file.as_bytes()), None, &Known::default()).err();
        let message = error.expect("refused").to_string();
        assert!(message.contains("nested"), "{message}");
    }
}
