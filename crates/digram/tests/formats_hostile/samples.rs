//! Sound files that are easier made than written down.

use serde_json::{Value, json};

/// All single bytes, with ranks from 1000.
pub fn alphabet() -> String {
    use base64::Engine;
    let base64 = |byte: u8| base64::engine::general_purpose::STANDARD.encode([byte]);
    let lines: Vec<_> =
        (0..=255).map(|b| format!("{} {}", base64(b), 1000 + u32::from(b))).collect();
    lines.join("\n") + "\n"
}

/// A small `tekken.json`, what may be damaged with the most effect before the bytes.
pub fn tekken() -> Value {
    use base64::Engine;
    let base64 = |token: &[u8]| base64::engine::general_purpose::STANDARD.encode(token);
    let bytes = (0..=255_u8).map(|byte| base64(&[byte]));
    let tokens = bytes.chain(["ab", "bc", "abc", "unused"].map(|token| base64(token.as_bytes())));
    let entry = |(rank, bytes)| json!({"rank": rank, "token_bytes": bytes, "token_str": null});
    json!({
        "config": {
            "pattern": "\\S+|\\s+",
            "num_vocab_tokens": 260,
            "default_vocab_size": 262,
            "default_num_special_tokens": 3,
            "version": "v3",
        },
        "special_tokens": [
            {"rank": 0, "token_str": "<unk>", "is_control": true},
            {"rank": 1, "token_str": "<s>", "is_control": true},
        ],
        "vocab": tokens.enumerate().map(entry).collect::<Vec<_>>(),
    })
}

/// A small GGUF file; all of it is ASCII but for the spelling of a space.
pub fn gguf() -> String {
    let text = |text: &str| format!("{}{text}", length(text.len()));
    let list = |items: &[&str]| {
        let items_text: String = items.iter().map(|item| text(item)).collect();
        format!("\t\0\0\0\u{8}\0\0\0{}{items_text}", length(items.len()))
    };
    let key = |key: &str| text(&format!("tokenizer.ggml.{key}"));
    [
        format!("GGUF\u{3}\0\0\0{}{}", length(0), length(5)),
        format!("{}\u{8}\0\0\0{}", key("model"), text("gpt2")),
        format!("{}\u{8}\0\0\0{}", key("pre"), text("gpt-2")),
        format!("{}{}", key("tokens"), list(&["a", "b", "Ġ", "ab", "Ġab", "<s>"])),
        format!("{}{}", key("merges"), list(&["a b", "Ġ ab"])),
        format!("{}\t\0\0\0\u{5}\0\0\0{}", key("token_type"), length(6)),
        ["\u{1}\0\0\0"; 5].concat(),
        "\u{3}\0\0\0".into(),
    ]
    .concat()
}

/// A small number as eight bytes.
fn length(length: usize) -> String {
    let first = u8::try_from(length).ok().filter(u8::is_ascii).expect("small");
    format!("{}\0\0\0\0\0\0\0", char::from(first))
}
