//! Small files, written by hand: what they mean, and what is refused about them.

use serde_json::{Value, json};

use crate::components::{ByteLevel, Decoder, PreTokenizer};
use crate::error::Result;
use crate::formats::{Files, Known, Loaded, read, special, write};
use crate::model::{EndOfWord, Merge, Model, Order, Rule, Units, Unknown};
use crate::vocabulary::{Token, Vocabulary};

/// A file with the model `a`, `b`, `ab`, where `changes` replace fields: `model.vocab`, `padding`.
fn file(changes: &[(&str, Value)]) -> String {
    let mut file = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
            "ignore_merges": false,
            "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]
        }
    });
    for (path, value) in changes {
        match path.strip_prefix("model.") {
            Some(field) => file["model"][field] = value.clone(),
            None => file[*path] = value.clone(),
        }
    }
    file.to_string()
}

fn load(file: &str) -> Result<Loaded> {
    read(&Files::One(file.as_bytes()), None, &Known::default())
}

fn model(changes: &[(&str, Value)]) -> Model {
    load(&file(changes)).expect("a sound file").model
}

fn refusal(changes: &[(&str, Value)]) -> String {
    load(&file(changes)).err().expect("refused").to_string()
}

fn saved(model: &Model) -> Value {
    let files = write(model, "tokenizer.json", None).expect("holds it");
    serde_json::from_slice(&files[0].1).expect("JSON")
}

fn added(id: u32, content: &str) -> Value {
    serde_json::to_value(special(id, content)).expect("JSON")
}

/// A model over characters of these tokens, where `_` at the end means the marker.
fn marked(tokens: &[&str], attached: bool, rule: Rule) -> Model {
    let token = |(id, text): (u32, &&str)| match text.strip_suffix('_') {
        Some(stem) => Token { ends_word: true, ..Token::new(id, stem) },
        None => Token::new(id, *text),
    };
    let vocabulary = Vocabulary::new((0..).zip(tokens).map(token).collect()).expect("unique ids");
    let end_of_word = Some(EndOfWord { marker: "</w>".into(), attached });
    Model { end_of_word, ..Model::new(vocabulary, Units::Chars, rule) }
}

fn byte_level() -> Value {
    json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true})
}

#[test]
fn merges_are_read_in_both_spellings_and_the_last_of_a_pair_counts() {
    let lines = [("model.merges", json!(["#version: 0.2", "a b", "b a", "a b"]))];
    let vocab = ("model.vocab", json!({"a": 0, "b": 1, "ab": 2, "ba": 3}));
    let first = model(&[lines[0].clone(), vocab]);
    let expected = [Merge { left: 1, right: 0, merged: 3 }, Merge { left: 0, right: 1, merged: 2 }];
    assert_eq!(first.rule, Rule::Merges(expected.to_vec()));
    assert_eq!(model(&[]).rule, Rule::Merges(expected[1..].to_vec()));
}

#[test]
fn the_old_layout_without_a_version_and_types_is_read() {
    let old = r#"{"model": {"vocab": {"a": 0, "aa": 1}, "merges": ["a a"],
        "end_of_word_suffix": "", "continuing_subword_prefix": ""}}"#;
    let model = load(old).expect("sound").model;
    assert_eq!((model.end_of_word.as_ref(), model.units), (None, Units::Chars));
}

#[test]
fn the_byte_level_makes_bytes_alone_or_last_in_a_sequence() {
    let vocab = ("model.vocab", json!({"Ġ": 0, "é": 1, "Ġé": 2}));
    let merges = ("model.merges", json!([["Ġ", "é"]]));
    let sequence =
        json!({"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, byte_level()]});
    for pre_tokenizer in [byte_level(), sequence] {
        let model = model(&[vocab.clone(), merges.clone(), ("pre_tokenizer", pre_tokenizer)]);
        assert_eq!((model.units, model.vocabulary.bytes(2)), (Units::Bytes, &b" \xE9"[..]));
    }
    let early =
        json!({"type": "Sequence", "pretokenizers": [byte_level(), {"type": "Whitespace"}]});
    let model = model(&[vocab, merges, ("pre_tokenizer", early)]);
    // what follows sees the spelling, and may split within a character
    assert!(model.spelled && model.units == Units::Chars);
    assert_eq!(model.vocabulary.bytes(2), "Ġé".as_bytes());
}

#[test]
fn a_file_that_is_no_model_of_this_kind_is_refused_by_its_type() {
    let unigram = json!({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]]});
    let message = refusal(&[("model", unigram)]);
    assert!(message.starts_with("model of type 'Unigram' is not supported"), "{message}");
    for kind in ["WordPiece", "WordLevel"] {
        let message = refusal(&[("model.type", json!(kind))]);
        assert!(
            message.starts_with(&format!("model of type '{kind}' is not supported")),
            "{message}"
        );
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    let cases = [
        ("version", json!("2.0"), "version is \"2.0\"; the one supported is \"1.0\""),
        ("padding", json!({"strategy": "BatchLongest"}), "missing field `direction`"),
        ("truncation", json!({"max_length": 5}), "missing field `strategy`"),
        ("chat", json!(1), "unknown field `chat`"),
        ("model.dropout", json!("0.1"), "invalid type: string \"0.1\", expected f64"),
        ("model.digram", json!({"colour": 1}), "unknown field `colour`"),
        (
            "normalizer",
            json!({"type": "Precompiled"}),
            "normalizer of type 'Precompiled': missing field `precompiled_charsmap`",
        ),
        ("normalizer", json!({"lowercase": true}), "normalizer: it has no type"),
        ("decoder", json!({"type": "Magic"}), "decoder of type 'Magic' is not supported"),
        (
            "post_processor",
            json!({"type": "Sequence", "processors": [{"type": "Magic"}]}),
            "post_processor of type 'Magic' is not supported",
        ),
        (
            "pre_tokenizer",
            json!({"type": "Split", "pattern": {"String": "a"}, "behavior": "Kept", "invert": false}),
            "pre_tokenizer of type 'Split': unknown variant `Kept`",
        ),
        (
            "pre_tokenizer",
            json!({"type": "ByteLevel", "trim_offsets": true}),
            "pre_tokenizer of type 'ByteLevel': missing field `add_prefix_space`",
        ),
    ];
    for (path, value, expected) in cases {
        let message = refusal(&[(path, value)]);
        assert!(message.starts_with(expected), "{path}: {message}");
    }
}

#[test]
fn what_contradicts_itself_is_named_with_its_place() {
    let cases = [
        (
            "model.merges",
            json!([["a", "b"], ["b", "b"]]),
            "model.merges[1]: \"b\" + \"b\": \"bb\" is not in the vocabulary",
        ),
        ("model.merges", json!(["a b", "a  b"]), "merges[1] is \"a  b\", not two tokens"),
        ("model.merges", json!([["a", "b", "c"]]), "invalid length 3"),
        ("model.merges", json!([["a"]]), "invalid length 1"),
        ("model.vocab", json!({"a": 0, "b": 0, "ab": 2}), "model.vocab: id 0 is given to"),
        (
            "model.vocab",
            json!({"a": 0, "b": 1, "ab": 4_000_000_000_u32}),
            "model.vocab: \"ab\" has id 4000000000; the largest supported is 67108863",
        ),
        ("model.vocab", json!({"a": 0, "b": -1, "ab": 2}), "invalid value: integer `-1`"),
    ];
    for (path, value, expected) in cases {
        let message = refusal(&[(path, value)]);
        assert!(message.starts_with(expected), "{path}: {message}");
    }
    let message =
        load(&file(&[]).replace("\"b\":1", "\"a\":1")).err().expect("refused").to_string();
    assert_eq!(message, "model.vocab: \"a\" is listed twice, as 0 and 1");
    let message =
        load("{\"version\": \"1.0\", \n \"model\": {").err().expect("refused").to_string();
    assert!(message.contains("at line 2 column"), "{message}");
}

#[test]
fn added_tokens_get_the_ids_that_hugging_face_gives_them() {
    let tokens = json!([added(9, "<x>"), added(7, "ab"), added(12, "<y>"), added(5, "b")]);
    let model = model(&[("added_tokens", tokens)]);
    let ids: Vec<_> = model.added_tokens.iter().map(|a| (a.content.as_str(), a.id)).collect();
    assert_eq!(ids, [("b", 1), ("ab", 2), ("<x>", 3), ("<y>", 4)]);
    assert!(model.vocabulary.added_only(3) && model.vocabulary.merges(1));
    let hole = json!({"a": 0, "b": 1, "ab": 3});
    let message = refusal(&[("model.vocab", hole), ("added_tokens", json!([added(2, "<x>")]))]);
    let expected =
        "added_tokens: \"<x>\" gets id 3, which is that of \"ab\"; whatever a file says (2), ";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn a_repeated_save_is_the_same_file() {
    let vocab = json!({"[UNK]": 0, "a": 1, "b": 2, "ab": 3});
    let model = model(&[
        ("model.vocab", vocab),
        ("model.unk_token", json!("[UNK]")),
        ("model.fuse_unk", json!(true)),
        ("added_tokens", json!([added(0, "[UNK]"), added(4, "<x>")])),
        ("pre_tokenizer", json!({"type": "Whitespace"})),
        ("decoder", json!({"type": "Fuse"})),
    ]);
    assert_eq!(model.unknown, Some(Unknown { id: 0, fuse: true }));
    assert!(model.vocabulary.literal(0) && model.vocabulary.added_only(4));
    let first = saved(&model);
    assert_eq!(saved(&load(&first.to_string()).expect("sound").model), first);
    assert_eq!(first["model"]["vocab"], json!({"[UNK]": 0, "a": 1, "b": 2, "ab": 3}));
}

/// A byte model of `<s>`, `a` and the special token `second`, both special ones outside.
fn with_specials(second: &str, more: &[Token]) -> Model {
    let outside = |id, text: &str| Token { added_only: true, ..Token::new(id, text) };
    let tokens = [outside(0, "<s>"), Token::new(1, "a"), outside(2, second)];
    let vocabulary = Vocabulary::new(tokens.iter().chain(more).cloned().collect());
    let level = ByteLevel::alphabet_only();
    Model {
        added_tokens: vec![special(0, "<s>"), special(2, second)],
        pre_tokenizer: Some(PreTokenizer::ByteLevel(level.clone())),
        decoder: Some(Decoder::ByteLevel(level)),
        ..Model::new(vocabulary.expect("unique ids"), Units::Bytes, Rule::Merges(Vec::new()))
    }
}

#[test]
fn added_tokens_stand_in_the_vocabulary_where_hugging_face_would_count_otherwise() {
    let file = saved(&with_specials("«é»", &[]));
    assert_eq!(file["model"]["vocab"], json!({"<s>": 0, "a": 1, "«é»": 2}));
}

#[test]
fn an_added_token_that_is_spelled_as_a_byte_is_refused() {
    let refusal =
        |model: &Model| write(model, "tokenizer.json", None).expect_err("refused").to_string();
    let message = refusal(&with_specials("é", &[]));
    assert!(message.starts_with("token 2 is plain text, which its spelling \"é\""), "{message}");
    let message = refusal(&with_specials("é", &[Token::new(3, [0xE9])]));
    assert!(message.starts_with("tokens 2 and 3 are both spelled \"é\""), "{message}");
}

#[test]
fn an_attached_marker_is_hugging_faces_and_a_separate_one_is_not() {
    let merge = |left, right, merged| Rule::Merges(vec![Merge { left, right, merged }]);
    let attached = marked(&["a", "b_", "ab_"], true, merge(0, 1, 2));
    let file = saved(&attached);
    assert_eq!(
        (&file["model"]["type"], &file["model"]["end_of_word_suffix"]),
        (&json!("BPE"), &json!("</w>"))
    );
    assert_eq!(file["model"]["vocab"], json!({"a": 0, "b</w>": 1, "ab</w>": 2}));
    let separate = marked(&["a", "_", "a_"], false, merge(0, 1, 2));
    let file = saved(&separate);
    assert_eq!(file["model"]["type"], "DigramBPE");
    assert_eq!(file["model"]["digram"], json!({"marker": "separate", "unknown": "error"}));
    for model in [attached, separate] {
        let again = load(&saved(&model).to_string()).expect("sound").model;
        assert_eq!(
            (again.end_of_word.clone(), again.rule.clone()),
            (model.end_of_word.clone(), model.rule.clone())
        );
        let ends = |m: &Model| (0..3).map(|id| m.vocabulary.ends_word(id)).collect::<Vec<_>>();
        assert_eq!(ends(&again), ends(&model));
    }
}

#[test]
fn text_that_looks_like_the_marker_is_told_apart_or_refused() {
    let clash = marked(&["a_", "a</w>"], true, Rule::Merges(Vec::new()));
    let message = write(&clash, "tokenizer.json", None).expect_err("refused").to_string();
    assert!(message.starts_with("tokens 0 and 1 are both spelled \"a</w>\""), "{message}");
    assert!(message.ends_with("with tok.with_(end_of_word=…)"), "{message}");
    let alike = marked(&["a</w>"], true, Rule::Merges(Vec::new()));
    let message = write(&alike, "tokenizer.json", None).expect_err("refused").to_string();
    assert!(message.starts_with("token 0 does not end a word, which its spelling"), "{message}");
    let merged = Rule::Merges(vec![Merge { left: 0, right: 1, merged: 2 }]);
    let told = marked(&["a", "</w>", "a</w>"], true, merged);
    let again = load(&saved(&told).to_string()).expect("sound").model;
    assert!((0..3).all(|id| !again.vocabulary.ends_word(id)));
}

#[test]
fn rules_that_hugging_face_lacks_are_refused_there_and_come_back_here() {
    for (order, name) in
        [(Order::LongestFirst, "longest-first"), (Order::LeftToRight, "left-to-right")]
    {
        let greedy = marked(&["a", "b", "_", "ab_"], false, Rule::Greedy(order));
        let file = saved(&greedy);
        assert_eq!(file["model"]["type"], "DigramBPE");
        assert_eq!(
            file["model"]["digram"],
            json!({"rule": name, "marker": "separate", "unknown": "error"})
        );
        let again = load(&file.to_string()).expect("sound").model;
        assert_eq!(again.rule, Rule::Greedy(order));
        assert!(again.vocabulary.ends_word(3) && !again.vocabulary.ends_word(1));
        let pretends = file.to_string().replace("DigramBPE", "BPE");
        let message = load(&pretends).err().expect("refused").to_string();
        assert!(message.starts_with("model.digram.rule needs the type 'DigramBPE'"), "{message}");
    }
}

#[test]
fn ranks_are_written_as_all_splits() {
    let tokens = |texts: &[&str]| {
        let tokens = (0..).zip(texts).map(|(id, text)| Token::new(id, *text)).collect();
        Vocabulary::new(tokens).expect("unique ids")
    };
    let in_order = Model::new(tokens(&["a", "b", "ab", "ba", "aba"]), Units::Chars, Rule::Ranks);
    let file = saved(&in_order);
    assert_eq!(file["model"]["type"], "BPE");
    let splits = json!([["a", "b"], ["b", "a"], ["a", "ba"], ["ab", "a"]]);
    assert_eq!(file["model"]["merges"], splits);
    assert_eq!(load(&file.to_string()).expect("sound").model.rule, Rule::Ranks);
    let mut fewer = file.clone();
    fewer["model"]["merges"] = json!([["a", "b"]]);
    let message = load(&fewer.to_string()).err().expect("refused").to_string();
    assert!(message.starts_with("model.digram.rule does not go with the merges"), "{message}");
}

#[test]
fn units_that_the_pre_tokenizer_does_not_tell_are_kept() {
    let vocabulary = Vocabulary::new(vec![Token::new(0, [0xE9])]).expect("unique ids");
    let bytes = Model::new(vocabulary, Units::Bytes, Rule::Merges(Vec::new()));
    let file = saved(&bytes);
    assert_eq!(file["model"]["digram"], json!({"units": "bytes", "unknown": "error"}));
    let again = load(&file.to_string()).expect("sound").model;
    assert_eq!((again.units, again.vocabulary.bytes(0)), (Units::Bytes, &[0xE9][..]));
}

#[test]
fn a_word_is_looked_up_as_it_is_spelled() {
    let looked_up =
        Model { ignore_merges: true, ..marked(&["a_"], true, Rule::Merges(Vec::new())) };
    let file = saved(&looked_up);
    assert_eq!(file["model"]["type"], "BPE");
    let again = load(&file.to_string()).expect("sound").model;
    let whole = |word| crate::merge::whole(word, &again);
    assert_eq!((whole("a</w>"), whole("a")), (Some(0), None));
}

#[test]
fn older_spellings_are_told_by_their_fields() {
    let told = |slot: &str, value: Value| saved(&model(&[(slot, value)]))[slot]["type"].clone();
    assert_eq!(told("normalizer", json!({"prepend": "x"})), "Prepend");
    assert_eq!(told("decoder", json!({"type": "Old", "suffix": "_"})), "BPEDecoder");
    let roberta = json!({"type": "RobertaProcessing", "sep": ["a", 0], "cls": ["b", 1]});
    assert_eq!(told("post_processor", roberta), "BertProcessing");
    let parts = json!({"normalizers": [{"type": "NFC", "new": 1}, {"prepend": "x"}]});
    let file = saved(&model(&[("normalizer", parts), ("model.new", json!(1))]));
    let parts = json!([{"type": "NFC"}, {"type": "Prepend", "prepend": "x"}]);
    assert_eq!(file["normalizer"], json!({"type": "Sequence", "normalizers": parts}));
}

#[test]
fn of_added_tokens_of_one_content_the_last_counts_and_empty_ones_are_none() {
    let mut last = special(9, "<x>");
    last.lstrip = true;
    let listed = json!([added(3, "<x>"), added(4, "<y>"), added(5, ""), last]);
    let model = model(&[("added_tokens", listed)]);
    let found: Vec<_> =
        model.added_tokens.iter().map(|a| (a.content.as_str(), a.id, a.lstrip)).collect();
    assert_eq!(found, [("<x>", 3, true), ("<y>", 4, false)]);
}

#[test]
fn an_unknown_token_that_is_in_no_vocabulary_is_none() {
    let model = model(&[("model.unk_token", json!("[UNK]"))]);
    assert!(model.unknown.is_none() && !model.drops_unknown);
}

#[test]
fn merges_of_plain_text_before_a_byte_level_merge_its_spelling() {
    let vocab = json!({"▁": 0, "a": 1, "▁a": 2});
    let changes = [
        ("model.vocab", vocab),
        ("model.merges", json!([["▁", "a"]])),
        ("pre_tokenizer", byte_level()),
    ];
    let model = model(&changes);
    assert!(model.units == Units::Chars && model.spelled);
    let file = saved(&model);
    assert_eq!((&file["model"]["type"], file["model"].get("digram")), (&json!("BPE"), None));
}

#[test]
fn the_training_record_is_kept_where_others_drop_it() {
    let record = json!({"ties": "shortest", "frequencies": [3, 2]});
    let files = write(&model(&[]), "tokenizer.json", Some(&record)).expect("holds it");
    let loaded = read(&Files::One(&files[0].1), None, &Known::default()).expect("sound");
    let kept: Value = serde_json::from_str(loaded.training.expect("kept").get()).expect("JSON");
    assert_eq!(kept, record);
}
