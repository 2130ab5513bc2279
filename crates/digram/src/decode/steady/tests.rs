use super::*;
use crate::components::{AddedToken, ByteLevel, Decoder};
use crate::encode::tests::Random;
use crate::merge::fallback;
use crate::model::{EndOfWord, Kind, Model, Piece, Rule, Scores, Units, Unknown};
use crate::vocabulary::{Token, Vocabulary};

/// What decoders look for, and what they do not.
const TEXTS: [&str; 26] = [
    "?",
    "▁",
    "▁▁",
    "▁a",
    "a",
    "b",
    "ab▁",
    " ",
    " ▁ ",
    "é",
    "##c",
    "[PAD]",
    "|",
    "n't",
    " .",
    ".",
    "Ġ",
    "xyz",
    "▁abcdefghijklmnopqrstuvwxyz",
    "Ġword",
    "Ã",
    "©",
    "<0xC3",
    "<0x0a>",
    "<0x20>",
    "<s>",
];
/// Bytes: one of ASCII, some of characters, and some of none.
const BYTES: [u8; 11] = [b'\n', b' ', 0xC3, 0xA9, 0xE4, 0xB8, 0xAD, 0xE2, 0x96, 0x81, 0xFF];

fn tokens(marked: bool, bytes: &[u8]) -> Vec<Token> {
    let bytes = bytes.iter().map(|byte| format!("<0x{byte:02X}>"));
    let texts = TEXTS.into_iter().map(String::from).chain(bytes);
    let mut tokens: Vec<Token> = (0..).zip(texts).map(|(id, text)| Token::new(id, text)).collect();
    // and a gap
    for token in &mut tokens[20..] {
        token.id += 3;
    }
    for token in tokens.iter_mut().filter(|token| marked && token.id % 3 == 0) {
        token.ends_word = true;
    }
    tokens
}

fn decoder(random: &mut Random) -> Decoder {
    let parts = [
        r#"{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}"#,
        r#"{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}"#,
        r#"{"type": "Replace", "pattern": {"Regex": "[ab]+"}, "content": ""}"#,
        r#"{"type": "Replace", "pattern": {"String": "b"}, "content": "▁▁long▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁"}"#,
        r#"{"type": "Replace", "pattern": {"String": "<0x20>"}, "content": "<0xC3>"}"#,
        r#"{"type": "ByteFallback"}"#,
        r#"{"type": "ByteFallback"}"#,
        r#"{"type": "Fuse"}"#,
        r#"{"type": "Fuse"}"#,
        r#"{"type": "Strip", "content": " ", "start": 1, "stop": 0}"#,
        r#"{"type": "Strip", "content": "a", "start": 2, "stop": 1}"#,
        r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false}"#,
        r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": false}"#,
        r###"{"type": "WordPiece", "prefix": "##", "cleanup": true}"###,
        r#"{"type": "CTC", "pad_token": "[PAD]", "word_delimiter_token": "|", "cleanup": true}"#,
        r#"{"type": "BPEDecoder", "suffix": "▁"}"#,
    ];
    let part = |random: &mut Random| match random.below(parts.len() + 2) {
        0 | 1 => Decoder::ByteLevel(ByteLevel::alphabet_only()),
        nth => serde_json::from_str(parts[nth - 2]).expect("it is a decoder"),
    };
    let decoders = (0..=random.below(5)).map(|_| part(random)).collect();
    Decoder::Sequence { decoders }
}

/// A model whose decoder changes tokens as texts, or joins them with what a file without one asks for.
fn chained(random: &mut Random) -> Model {
    let marked = random.below(3) == 0;
    let vocabulary = Vocabulary::new(tokens(marked, &BYTES)).expect("ids are distinct");
    let mut model = Model::new(vocabulary, Units::Chars, Rule::Merges(Vec::new()));
    model.end_of_word = marked.then(|| EndOfWord { marker: "▁".into(), attached: true });
    model.decoder = match random.below(8) {
        0 => None,
        1 => Some(Decoder::BPEDecoder { suffix: "▁".into() }),
        2 => Some(Decoder::ByteLevel(ByteLevel::alphabet_only())),
        _ => Some(decoder(random)),
    };
    let added = |(id, special): (u32, bool)| AddedToken {
        id,
        content: String::from_utf8_lossy(model.vocabulary.bytes(id)).into_owned(),
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special,
    };
    model.added_tokens = [(4, true), (17, false)].map(added).into();
    model
}

/// A model by scores, whose decoder is that of pieces.
fn by_scores(random: &mut Random) -> Model {
    let all: Vec<u8> = (0..=255).collect();
    let mut tokens = tokens(false, &all);
    let kind = |id: u32| match id {
        0 => Kind::Unknown,
        6 | 28 => Kind::Control,
        7..10 => Kind::UserDefined,
        1..28 => Kind::Normal,
        _ => Kind::Byte,
    };
    let mut pieces = Vec::new();
    for token in &mut tokens {
        let kind = kind(token.id);
        token.literal = kind != Kind::Normal;
        pieces.push(Piece { id: token.id, score: -f32::from(token.id as u16), kind });
    }
    let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
    let described = format!(
        r#"{{"type": "SentencePiece", "add_dummy_prefix": {}, "remove_extra_whitespaces": {}}}"#,
        random.below(2) == 0,
        random.below(2) == 0
    );
    Model {
        unknown: Some(Unknown { id: 0, fuse: true }),
        byte_fallback: true,
        decoder: Some(serde_json::from_str(&described).expect("it is a decoder")),
        ..Model::new(vocabulary, Units::Chars, Rule::Scores(Scores { pieces, ..Scores::default() }))
    }
}

/// The bytes of ids of which each passes through all decoders.
fn one_by_one(tokenizer: &Tokenizer, ids: &[u32], text: bool) -> Option<Vec<u8>> {
    let (mut bytes, mut pending) = (Vec::new(), Pending::new(text));
    for &id in ids {
        let shown = tokenizer.shown(id);
        tokenizer.joiner.push(&tokenizer.model, id, shown, &mut pending, &mut bytes).ok()?;
    }
    tokenizer.joiner.finish(&mut pending, &mut bytes).ok()?;
    Some(bytes)
}

#[test]
fn what_is_copied_is_what_the_decoders_make() {
    let (mut random, monitor) = (Random(5), Monitor::silent());
    let (mut copied, mut runs) = (0, 0);
    for round in 0..600 {
        let is_by_scores = round % 4 == 0;
        let model = if is_by_scores { by_scores(&mut random) } else { chained(&mut random) };
        let tokenizer = Tokenizer::new(model).expect("the model is sound");
        let steady =
            tokenizer.steady.now(|| Steady::of(&tokenizer, &monitor)).expect("nobody stops");
        copied += steady.shorts.iter().filter(|short| short.is_text()).count();
        runs += steady.shorts.iter().filter(|short| short.byte().is_some()).count();
        let vocabulary = &tokenizer.model.vocabulary;
        let is_drawn = |id: &u32| {
            let byte = fallback::byte_of(vocabulary.bytes(*id));
            vocabulary.contains(*id) && byte.is_none_or(|byte| BYTES.contains(&byte))
        };
        let known: Vec<u32> = (0..vocabulary.ids() as u32).filter(is_drawn).collect();
        for length in [0, 1, 2, 3, 9, 40, 300, 5_000] {
            // texts of few different tokens, too
            let some = 1 + random.below(known.len());
            let first = random.below(known.len());
            // characters of several bytes, too
            let in_order = random.below(2) == 0;
            let mut place = |at: usize| if in_order { at } else { random.below(some) };
            let ids: Vec<u32> =
                (0..length).map(|at| known[(first + place(at)) % known.len()]).collect();
            for text in [false, true] {
                let found = tokenizer.pass(&ids, text, &monitor).ok();
                let expected = one_by_one(&tokenizer, &ids, text);
                assert!(found == expected, "{:?}: {ids:?}", tokenizer.model.decoder);
            }
            let kept: Vec<u32> =
                ids.iter().copied().filter(|&id| !tokenizer.is_special(id)).collect();
            let found = tokenizer.decode_text(&ids, true, &monitor).ok();
            assert!(found == tokenizer.decode_text(&kept, false, &monitor).ok());
        }
    }
    assert!(copied > 8_000 && runs > 1_000, "{copied} texts and {runs} bytes");
}

#[test]
fn what_grows_beyond_measure_is_not_kept_and_fails_as_before() {
    let monitor = Monitor::silent();
    let content = "y".repeat(100_000);
    let decoder = format!(
        r#"{{"type": "Sequence", "decoders": [{{"type": "Replace", "pattern": {{"String": "b"}},
            "content": "{content}"}}, {{"type": "Fuse"}}]}}"#
    );
    let vocabulary = Vocabulary::new(tokens(false, &BYTES)).expect("ids are distinct");
    let mut model = Model::new(vocabulary, Units::Chars, Rule::Merges(Vec::new()));
    model.decoder = Some(serde_json::from_str(&decoder).expect("it is a decoder"));
    let tokenizer = Tokenizer::new(model).expect("the model is sound");
    let steady = tokenizer.steady.now(|| Steady::of(&tokenizer, &monitor)).expect("nobody stops");
    assert!(steady.arena.len() < 1_000);
    for count in [1, 5, 40] {
        let ids = [&[4, 5][..]; 40][..count].concat();
        let found = tokenizer.pass(&ids, true, &monitor).map_err(|error| error.to_string());
        assert_eq!(found.is_ok(), count < 20);
        assert_eq!(found.ok(), one_by_one(&tokenizer, &ids, true));
    }
}
