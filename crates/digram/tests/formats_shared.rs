//! Real vocabularies: what is read, written and read again is the same.
//!
//! The files are found through `DIGRAM_SHARED`, or beside the checkout; without them each test
//! says so and passes.

use digram::components::{Behavior, Pattern, PreTokenizer};
use digram::formats::{Files, Known, Loaded, read, recognize, write};
use digram::model::{Model, Rule};
use std::path::PathBuf;

/// A file of the shared data, or `None` with a message where it is not there.
fn shared(path: &str) -> Option<Vec<u8>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let root = std::env::var_os("DIGRAM_SHARED").map_or(PathBuf::from(beside), PathBuf::from);
    let file = root.join("data").join(path);
    let bytes = std::fs::read(&file).ok();
    if bytes.is_none() {
        say(&format!("skipped: {} is not there", file.display()));
    }
    bytes
}

#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn say(message: &str) {
    eprintln!("{message}");
}

fn load(files: &Files, known: &Known) -> Loaded {
    read(files, None, known).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a `tokenizer.json` without further knowledge.
fn load_json(bytes: &[u8]) -> Model {
    load(&Files::One(bytes), &Known::default()).model
}

fn save(model: &Model, format: &str) -> Vec<Vec<u8>> {
    let files = write(model, format, None).unwrap_or_else(|error| panic!("{error}"));
    files.into_iter().map(|(_, bytes)| bytes).collect()
}

fn refusal(bytes: &[u8]) -> String {
    read(&Files::One(bytes), None, &Known::default()).err().expect("refused").to_string()
}

fn pattern() -> Known {
    let split = PreTokenizer::Split {
        pattern: Pattern::Regex(r"\S+|\s+".into()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    Known { pattern: Some(split), ..Known::default() }
}

/// Compares all parts of two models.
fn assert_same(a: &Model, b: &Model) {
    let tokens = |model: &Model| -> Vec<_> {
        let v = &model.vocabulary;
        let token = |(id, bytes): (u32, &[u8])| {
            (id, bytes.to_vec(), v.ends_word(id), v.added_only(id), v.literal(id))
        };
        v.iter().map(token).collect()
    };
    let differing = tokens(a).into_iter().zip(tokens(b)).find(|(a, b)| a != b);
    assert_eq!(differing, None);
    assert_eq!(a.vocabulary.len(), b.vocabulary.len());
    assert!(a.rule == b.rule, "the rules differ");
    assert_eq!((a.units, a.ignore_merges), (b.units, b.ignore_merges));
    assert_eq!((&a.unknown, &a.end_of_word), (&b.unknown, &b.end_of_word));
    assert_eq!(a.added_tokens, b.added_tokens);
    assert_eq!((&a.normalizer, &a.pre_tokenizer), (&b.normalizer, &b.pre_tokenizer));
    assert_eq!((&a.post_processor, &a.decoder), (&b.post_processor, &b.decoder));
}

#[test]
fn each_tokenizer_json_comes_back_the_same() {
    for name in ["gpt2", "roberta-base", "llama3", "qwen2.5", "persian-bpe-unk"] {
        let Some(bytes) = shared(&format!("vocab/{name}/tokenizer.json")) else { return };
        let first = load_json(&bytes);
        let saved = save(&first, "tokenizer.json").remove(0);
        let second = load_json(&saved);
        assert_same(&first, &second);
        assert!(save(&second, "tokenizer.json")[0] == saved, "{name}: saved again, it differs");
    }
}

#[test]
fn a_file_that_hugging_face_wrote_is_written_byte_for_byte() {
    let Some(bytes) = shared("vocab/persian-bpe-unk/tokenizer.json") else { return };
    assert!(save(&load_json(&bytes), "tokenizer.json")[0] == bytes);
}

#[test]
fn each_tiktoken_file_comes_back_byte_for_byte_also_by_way_of_tokenizer_json() {
    let files = [
        "tiktoken/r50k_base.tiktoken",
        "tiktoken/p50k_base.tiktoken",
        "tiktoken/cl100k_base.tiktoken",
        "tiktoken/o200k_base.tiktoken",
        "llama3/tokenizer.model",
        "qwen/qwen.tiktoken",
    ];
    for name in files {
        let Some(bytes) = shared(&format!("vocab/{name}")) else { return };
        assert_eq!(recognize(&bytes).map(|format| format.name), Some("tiktoken"), "{name}");
        let model = load(&Files::One(&bytes), &pattern()).model;
        assert!(save(&model, "tiktoken")[0] == bytes, "{name}");
        let json = save(&model, "tokenizer.json").remove(0);
        let again = load_json(&json);
        assert_same(&model, &again);
        assert!(save(&again, "tiktoken")[0] == bytes, "{name} by way of tokenizer.json");
    }
}

#[test]
fn merge_lists_in_the_order_of_ids_are_written_as_the_ranks_they_came_from() {
    let cases = [
        ("gpt2/tokenizer.json", "tiktoken/r50k_base.tiktoken"),
        ("llama3/tokenizer.json", "llama3/tokenizer.model"),
        ("qwen2.5/tokenizer.json", "qwen/qwen.tiktoken"),
    ];
    for (json, ranks) in cases {
        let (Some(json), Some(ranks)) =
            (shared(&format!("vocab/{json}")), shared(&format!("vocab/{ranks}")))
        else {
            return;
        };
        let mut model = Model { normalizer: None, ..load_json(&json) };
        // (some of Qwen's are tokens in any text, which the format cannot say)
        model.added_tokens.iter_mut().for_each(|token| token.special = true);
        assert!(save(&model, "tiktoken")[0] == ranks);
    }
}

#[test]
fn roberta_cannot_be_ranks() {
    let Some(bytes) = shared("vocab/roberta-base/tokenizer.json") else { return };
    let model = Model { post_processor: None, ..load_json(&bytes) };
    let message = write(&model, "tiktoken", None).expect_err("refused").to_string();
    assert!(message.contains("but an id is a rank there"), "{message}");
}

#[test]
fn vocab_json_and_merges_txt_say_the_same_as_tokenizer_json() {
    let cases = [
        ("gpt2", "encoder.json", "vocab.bpe", vec!["<|endoftext|>"]),
        (
            "roberta-base",
            "vocab.json",
            "merges.txt",
            vec!["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        ),
    ];
    for (folder, vocab, merges, special_tokens) in cases {
        let file = |name: &str| shared(&format!("vocab/{folder}/{name}"));
        let (Some(vocab), Some(merges)) = (file(vocab), file(merges)) else { return };
        let json = file("tokenizer.json").expect("it is where the others are");
        let special_tokens = special_tokens.into_iter().map(|s| (s.to_owned(), None)).collect();
        let known = Known { special_tokens, ..Known::default() };
        let files = Files::Two { vocab: &vocab, merges: &merges };
        let model = load(&files, &known).model;
        let other = load_json(&json);
        assert!(model.rule == other.rule, "{folder}");
        assert!(model.vocabulary.iter().eq(other.vocabulary.iter()), "{folder}");
        let saved = save(&model, "gpt2");
        assert!(saved[1] == merges, "{folder}");
        let files = Files::Two { vocab: &saved[0], merges: &saved[1] };
        assert_same(&load(&files, &known).model, &model);
    }
}

#[test]
fn codes_come_back_byte_for_byte() {
    let files = [
        "subword-nmt/bpe.ref",
        "subword-nmt/tinyshakespeare_5k.codes",
        "opennmt-bpe/bpe_code.v0.2",
        "opennmt-bpe/testcode.v0.1",
    ];
    for name in files {
        let Some(bytes) = shared(&format!("vocab/{name}")) else { return };
        assert_eq!(recognize(&bytes).map(|format| format.name), Some("subword-nmt"), "{name}");
        let known = Known { unk_token: Some("<unk>".into()), ..Known::default() };
        let model = load(&Files::One(&bytes), &known).model;
        assert!(save(&model, "subword-nmt")[0] == bytes, "{name}");
        let json = save(&model, "tokenizer.json").remove(0);
        assert_same(&load_json(&json), &model);
    }
}

#[test]
fn a_damaged_merge_is_named() {
    let Some(bytes) = shared("malformed/llama2-broken-merges.json") else { return };
    let message = refusal(&bytes);
    assert!(message.starts_with("merges[18917] is \"   \", not two tokens"), "{message}");
}

#[test]
fn a_token_without_bytes_is_read() {
    let Some(bytes) = shared("vocab/tiktoken/whisper_multilingual.tiktoken") else { return };
    let model = read(&Files::One(&bytes), None, &pattern()).expect("sound").model;
    assert_eq!(model.vocabulary.bytes(50256), b"");
    assert_eq!(model.vocabulary.len(), 50257);
}

#[test]
fn rules_are_those_of_the_files() {
    let Some(bytes) = shared("vocab/llama3/tokenizer.json") else { return };
    let model = load_json(&bytes);
    assert!(matches!(&model.rule, Rule::Merges(merges) if merges.len() == 280_147));
    assert!(model.ignore_merges && model.vocabulary.added_only(128_000));
}
