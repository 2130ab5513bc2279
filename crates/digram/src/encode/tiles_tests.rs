//! Tokens that tile a text stand where they are placed, step by step.

use super::tests::{CL100K, Random, all_models, model, with_added};
use super::{Special, Tokenizer};
use crate::aliases::spell;
use crate::components::normalizer::SentencePiece;
use crate::components::special;
use crate::components::{Normalizer, Pattern, PreTokenizer, from_json};
use crate::model::Units;
use crate::monitor::Monitor;
use crate::vocabulary::{Token, Vocabulary};

#[test]
fn tokens_that_tile_a_text_stand_where_they_are_placed() {
    let (mut random, monitor) = (Random(23), Monitor::silent());
    for tokenizer in all_models(&mut random) {
        for pieces in [0, 1, 5, 60, 2_000] {
            let text = random.text(pieces);
            assert!(is_tiled(&tokenizer, &text, &Special::Text, &monitor));
        }
    }
}

/// Whether tokens tile a text. If so, they stand where they are placed.
fn is_tiled(tokenizer: &Tokenizer, text: &str, special: &Special, monitor: &Monitor) -> bool {
    let placed = tokenizer.encode_placed(text, special, monitor).expect("all bytes are there");
    let tiled = tokenizer.encode_tiled(text, special, monitor).expect("all bytes are there");
    assert_eq!(placed.0, tokenizer.encode(text, special, monitor).expect("as before"));
    if let Some(tiled) = &tiled {
        assert_eq!(*tiled, placed, "{text:?}");
    }
    tiled.is_some()
}

fn normalizers() -> Vec<Option<Normalizer>> {
    let both =
        |normalizers: [Normalizer; 2]| Normalizer::Sequence { normalizers: normalizers.into() };
    let prepend = || Normalizer::Prepend { prepend: "▁".into() };
    let replace = |pattern, content: &str| Normalizer::Replace { pattern, content: content.into() };
    let space = || Pattern::String(" ".into());
    let pieces = |removes: bool, is_suffix: bool| {
        let text = format!(
            r#"{{"add_dummy_prefix": true, "remove_extra_whitespaces": {removes},
                "treat_whitespace_as_suffix": {is_suffix}, "untouched": ["中a", "t"]}}"#
        );
        let described: SentencePiece = from_json(&text).expect("it is one");
        Normalizer::SentencePiece(described)
    };
    let mut all = vec![
        Normalizer::NFC,
        Normalizer::NFKD,
        Normalizer::Lowercase,
        Normalizer::ByteLevel,
        Normalizer::Strip { strip_left: true, strip_right: false },
        both([prepend(), replace(space(), "▁")]),
        both([Normalizer::NFD, prepend()]),
        both([prepend(), Normalizer::NFC]),
        replace(space(), "xyz"),
        replace(Pattern::Regex(r" +|a".into()), ""),
    ];
    all.extend([false, true].map(|removes| pieces(removes, false)));
    all.extend([false, true].map(|removes| pieces(removes, true)));
    all.into_iter().map(Some).chain([None]).collect()
}

#[test]
fn whatever_a_normalizer_does_tokens_stand_where_they_are_placed() {
    let (mut random, monitor) = (Random(29), Monitor::silent());
    let metaspace = r#"{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"}"#;
    let metaspace: PreTokenizer = from_json(metaspace).expect("it is one");
    let trims = r#"{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true}"#;
    let byte_level: PreTokenizer = from_json(trims).expect("it is one");
    let (mut tiled, mut all) = (0, 0);
    for normalizer in normalizers() {
        for pre_tokenizer in [None, Some(metaspace.clone()), Some(byte_level.clone())] {
            let mut model = model(&mut random, true, Some(CL100K));
            let first = model.vocabulary.ids() as u32;
            let added: Vec<_> = (first..).zip(["22", "é中", "\n", "the"]).collect();
            let mut added: Vec<_> = added.into_iter().map(|(id, text)| special(id, text)).collect();
            (added[1].rstrip, added[2].lstrip) = (true, random.below(2) == 0);
            added[3].normalized = true;
            model.normalizer.clone_from(&normalizer);
            if pre_tokenizer.is_some() {
                model.pre_tokenizer.clone_from(&pre_tokenizer);
                model.post_processor = Some(from_json(trims).expect("it is one"));
            }
            let tokenizer = Tokenizer::new(with_added(model, &added)).expect("it is sound");
            for pieces in (0..60).chain([700]) {
                let text = random.text(pieces % 30) + [" ", "", "\u{301}", "①"][pieces % 4];
                for special in [Special::Text, Special::Token] {
                    tiled += usize::from(is_tiled(&tokenizer, &text, &special, &monitor));
                    all += 1;
                }
            }
        }
    }
    assert!(tiled > all / 2, "only {tiled} of {all}");
}

#[test]
fn what_is_dropped_between_words_is_no_part_of_tokens() {
    let (mut random, monitor) = (Random(31), Monitor::silent());
    let described = [
        r#"{"type": "Split", "pattern": {"Regex": "\\p{L}+|[^\\s\\p{L}]"}, "behavior": "Removed", "invert": true}"#,
        r#"{"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Digits", "individual_digits": true}]}"#,
        r#"{"type": "BertPreTokenizer"}"#,
    ];
    for pre_tokenizer in described {
        for normalizer in normalizers() {
            let mut model = model(&mut random, true, None);
            model.pre_tokenizer = Some(from_json(pre_tokenizer).expect("it is one"));
            model.normalizer.clone_from(&normalizer);
            let added = special(model.vocabulary.ids() as u32, "22");
            let tokenizer = Tokenizer::new(with_added(model, &[added])).expect("it is sound");
            for pieces in (0..40).chain([900]) {
                let text = random.text(pieces);
                for special in [Special::Text, Special::Token] {
                    let tiled = is_tiled(&tokenizer, &text, &special, &monitor);
                    assert!(tiled || normalizer.is_some(), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn tokens_of_spelled_bytes_reach_as_far_as_these() {
    let (mut random, monitor) = (Random(37), Monitor::silent());
    let described = r#"{"type": "Sequence", "pretokenizers": [{"type": "Punctuation", "behavior": "Contiguous"},
        {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
        {"type": "Digits", "individual_digits": false}]}"#;
    for normalizer in [None, Some(Normalizer::NFC), Some(Normalizer::Lowercase)] {
        let mut model = model(&mut random, false, None);
        let known = (0..model.vocabulary.ids() as u32).filter(|&id| model.vocabulary.contains(id));
        let spelled =
            known.map(|id| Token::new(id, spell(model.vocabulary.bytes(id)).as_bytes())).collect();
        model.vocabulary = Vocabulary::new(spelled).expect("ids are distinct");
        (model.units, model.spelled) = (Units::Chars, true);
        model.pre_tokenizer = Some(from_json(described).expect("it is one"));
        model.normalizer = normalizer;
        let added = special(model.vocabulary.ids() as u32, "22");
        let tokenizer = Tokenizer::new(with_added(model, &[added])).expect("it is sound");
        for pieces in (0..60).chain([900]) {
            let text = random.text(pieces);
            for special in [Special::Text, Special::Token] {
                assert!(is_tiled(&tokenizer, &text, &special, &monitor), "{text:?}");
            }
        }
    }
}
