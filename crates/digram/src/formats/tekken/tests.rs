use serde_json::{Value, json};

use super::*;
use crate::vocabulary::Token;

/// A file with two special tokens, the bytes, and four tokens more of which the last is not used.
fn file() -> Value {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.extend(["ab", "bc", "abc", "unused"].map(|token| token.as_bytes().to_vec()));
    let entry = |(rank, token): (usize, &Vec<u8>)| json!({"rank": rank, "token_bytes": STANDARD.encode(token), "token_str": null});
    json!({
        "config": {
            "pattern": r"\S+|\s+",
            "num_vocab_tokens": 260,
            "default_vocab_size": 262,
            "default_num_special_tokens": 3,
            "version": "v11",
        },
        "image": {"image_patch_size": 16},
        "vocab": tokens.iter().enumerate().map(entry).collect::<Vec<_>>(),
        "special_tokens": [
            {"rank": 0, "token_str": "<unk>", "is_control": true},
            {"rank": 1, "token_str": "<s>", "is_control": false},
        ],
    })
}

/// The same with the value at `place` changed.
fn changed(place: &str, value: Value) -> Value {
    let mut file = file();
    *file.pointer_mut(place).expect("a place of the file") = value;
    file
}

fn load(file: &Value) -> Result<Model> {
    let bytes = file.to_string();
    super::super::read(&Files::One(bytes.as_bytes()), None, &Known::default())
        .map(|loaded| loaded.model)
}

fn refusal(file: &Value) -> String {
    load(file).err().expect("refused").to_string()
}

#[test]
fn ids_begin_with_the_special_tokens_and_end_where_the_file_says() {
    let model = load(&file()).expect("sound");
    let specials: Vec<_> = model.added_tokens.iter().map(|token| token.content.as_str()).collect();
    assert_eq!(specials, ["<unk>", "<s>", "<SPECIAL_2>"]);
    assert_eq!(model.vocabulary.len(), 262);
    assert_eq!(model.vocabulary.id_of(b"a", false), Some(3 + 97));
    assert_eq!(model.vocabulary.bytes(261), b"abc");
    assert_eq!(model.vocabulary.id_of(b"unused", false), None);
    assert!(model.ignore_merges && model.rule == Rule::Ranks);
}

#[test]
fn what_is_written_is_read_as_the_same() {
    let model = load(&file()).expect("sound");
    let written = write(&model, None).expect("holds it").remove(0);
    let again = load(&serde_json::from_slice(&written).expect("JSON")).expect("sound");
    assert_eq!(again.added_tokens, model.added_tokens);
    assert_eq!(again.pre_tokenizer, model.pre_tokenizer);
    let tokens = |model: &Model| -> Vec<_> {
        model.vocabulary.iter().map(|(id, bytes)| (id, bytes.to_vec())).collect()
    };
    assert_eq!(tokens(&again), tokens(&model));
    assert_eq!(write(&again, None).expect("holds it"), [written]);
}

#[test]
fn early_files_need_not_list_their_special_tokens() {
    let mut file = changed("/config/default_num_special_tokens", json!(22));
    file["config"]["default_vocab_size"] = json!(280);
    file["special_tokens"] = Value::Null;
    let message = refusal(&file);
    assert!(message.starts_with("no special_tokens, which a file of version \"v11\""), "{message}");
    file["config"]["version"] = json!("v7");
    let model = load(&file).expect("sound");
    let content = |id: usize| model.added_tokens[id].content.as_str();
    assert_eq!(
        [content(1), content(19), content(20), content(21)],
        ["<s>", "[TOOL_CONTENT]", "<SPECIAL_20>", "<SPECIAL_21>"]
    );
    assert_eq!(model.vocabulary.bytes(22), [0]);
}

#[test]
fn contradictions_are_named() {
    let cases = [
        ("/config/default_vocab_size", json!(264), "config.default_vocab_size is 264, but there"),
        ("/config/default_vocab_size", json!(2), "config.default_vocab_size is 2, but there"),
        ("/config/default_vocab_size", json!(200), "the byte C5 is no token"),
        ("/config/default_num_special_tokens", json!(1), "2 special tokens, but config."),
        ("/config/default_num_special_tokens", json!(4_000_000), "config.default_num_special"),
        ("/config/pattern", json!(7), "invalid type: integer `7`"),
        ("/special_tokens/1/rank", json!(7), "special_tokens[1] has rank 7"),
        ("/special_tokens/1/token_str", json!("<unk>"), "two special tokens are \"<unk>\""),
        ("/special_tokens/1/token_str", json!("<SPECIAL_2>"), "two special tokens are"),
        ("/special_tokens/1/token_str", json!(""), "added token 1 is empty"),
        ("/vocab/256/rank", json!(257), "vocab[256] has rank 257"),
        ("/vocab/256/token_bytes", json!("?"), "vocab[256].token_bytes is \"?\", which"),
        ("/vocab/256/token_bytes", json!(""), "vocab[256].token_bytes is \"\", which"),
        ("/vocab/258/token_bytes", json!("YWI="), "the token \"ab\" has two ranks, 259 and 261"),
    ];
    for (place, value, expected) in cases {
        let message = refusal(&changed(place, value));
        assert!(message.starts_with(expected), "{place}: {message}");
    }
    let mut swapped = file();
    let (a, b) = (json!("YQ=="), json!("Yg=="));
    swapped["vocab"][97]["token_bytes"] = b;
    swapped["vocab"][98]["token_bytes"] = a;
    let message = refusal(&swapped);
    assert!(message.starts_with("the byte 61 has the id 101; after 3 special"), "{message}");
}

#[test]
fn what_it_cannot_hold_is_told() {
    let model = load(&file()).expect("sound");
    let told = |model: &Model| write(model, None).expect_err("refused").to_string();
    let mut stripped = model.clone();
    stripped.added_tokens[1].lstrip = true;
    stripped.pre_tokenizer = None;
    let message = told(&stripped);
    for part in ["not one regular expression", "the added token \"<s>\" is not special"] {
        assert!(message.contains(part), "{message}");
    }
    let tokens = model.vocabulary.iter().filter(|(id, _)| *id != 1);
    let tokens = tokens.map(|(id, bytes)| Token { added_only: id < 3, ..Token::new(id, bytes) });
    let vocabulary = Vocabulary::new(tokens.collect()).expect("unique ids");
    let mut missing = Model { vocabulary, ..model };
    missing.added_tokens.remove(1);
    let message = told(&missing);
    for part in ["do not have the first ids", "of its 262 ids 261 have a token"] {
        assert!(message.contains(part), "{message}");
    }
}
