//! Learning in two steps is learning in one; and what cannot be extended says so.

use super::*;
use crate::encode::{Special, Tokenizer};
use crate::model::{EndOfWord, Order, Scores};
use crate::monitor::Nobody;
use crate::train::options::Ties;
use crate::train::tests::{Random, random_options, random_words, run, toy};
use crate::train::{Around, build};

fn more(counts: &WordCounts, merges: Option<u64>, options: &LearnOptions, model: &Model) -> Model {
    extended(counts, merges, options, model).0
}

/// Extends a model under the options that it was learned with.
fn extended(
    counts: &WordCounts,
    merges: Option<u64>,
    options: &LearnOptions,
    model: &Model,
) -> (Model, TrainingReport) {
    let options = LearnOptions {
        num_merges: merges,
        special_tokens: Vec::new(),
        unk_token: None,
        ..options.clone()
    };
    extend(counts, &options, model, &Monitor::new(&Nobody)).expect("the options are right")
}

fn model_of(learned: crate::train::Learned, options: &LearnOptions) -> Model {
    build(learned, options, Around::default()).expect("what was learned is a model")
}

fn tokens(model: &Model) -> Vec<(u32, Vec<u8>, bool, bool)> {
    let vocabulary = &model.vocabulary;
    let token = |(id, bytes): (u32, &[u8])| {
        (id, bytes.to_vec(), vocabulary.ends_word(id), vocabulary.literal(id))
    };
    vocabulary.iter().map(token).collect()
}

#[test]
fn learning_in_two_steps_is_learning_in_one() {
    let random = &mut Random::new(77);
    let mut learned_later = 0;
    for _ in 0..400 {
        let counts = random_words(random);
        let (first, second) = (random.below(12) as u64, random.below(12) as u64);
        let options = LearnOptions { num_merges: Some(first + second), ..random_options(random) };
        let (learned, report) = run(&counts, &options);
        let at_once = model_of(learned, &options);
        let begun = LearnOptions { num_merges: Some(first), ..options.clone() };
        let begun = model_of(run(&counts, &begun).0, &begun);
        let (model, later) = extended(&counts, Some(second), &options, &begun);
        assert_eq!(tokens(&model), tokens(&at_once), "{options:?}");
        assert_eq!(model.rule, at_once.rule);
        let own = report.merge_frequencies().len() - later.merge_frequencies().len();
        assert_eq!(later.merge_frequencies(), &report.merge_frequencies()[own..]);
        assert_eq!(later.live_frequencies, report.live_frequencies);
        assert_eq!(later.live_symbols, report.live_symbols[own..]);
        assert_eq!(later.symbols_at_end, report.symbols_at_end);
        learned_later += later.merges.len();
    }
    assert!(learned_later > 400, "only {learned_later} merges were learned in second steps");
}

#[test]
fn long_words_and_words_that_are_no_text_go_on_too() {
    let words = [(b"ab\xff\xfe".repeat(300), 3), (b"abc".repeat(200), 2), (b"\xff\xfe".into(), 5)];
    let counts = WordCounts::from_pairs(words).expect("small counts");
    for (_, ties) in Ties::NAMES {
        let options = |merges| LearnOptions { ties, num_merges: merges, ..LearnOptions::default() };
        let at_once = model_of(run(&counts, &options(None)).0, &options(None));
        for first in [0, 1, 3, 6] {
            let begun = model_of(run(&counts, &options(Some(first))).0, &options(Some(first)));
            let model = more(&counts, None, &options(None), &begun);
            assert_eq!((tokens(&model), &model.rule), (tokens(&at_once), &at_once.rule));
        }
    }
}

#[test]
fn old_ids_are_kept_and_new_characters_get_tokens() {
    let options = LearnOptions {
        units: Units::Chars,
        special_tokens: vec!["<s>".into()],
        ..LearnOptions::default()
    };
    let old = model_of(run(&toy(), &options).0, &options);
    let counts = WordCounts::from_pairs([("жук", 5), ("жуки", 3), ("low", 2)]).expect("small");
    let model = more(&counts, None, &options, &old);
    assert_eq!(tokens(&model)[..old.vocabulary.len()], tokens(&old));
    let new: Vec<_> = model.vocabulary.iter().skip(old.vocabulary.len()).collect();
    let new: Vec<_> = new.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    assert_eq!(new, ["ж", "и", "к", "у", "жу", "жук", "жуки"]);
    let encode = |model: &Model, text: &str| {
        let tokenizer = Tokenizer::new(model.clone()).expect("is a model");
        tokenizer.encode(text, &Special::Text, &Monitor::new(&Nobody)).expect("encodes")
    };
    assert_eq!(encode(&model, "lower"), encode(&old, "lower"));
    assert_eq!(encode(&model, "жуки"), [model.vocabulary.ids() as u32 - 1]);
}

#[test]
fn ids_with_gaps_and_merges_by_rank_are_extended_behind_the_last_id() {
    let bytes = (0..=255_u8).map(|byte| Token::new(u32::from(byte), [byte]));
    let rest = [Token::new(300, "lo"), Token { literal: true, ..Token::new(400, "low") }];
    let vocabulary = Vocabulary::new(bytes.chain(rest).collect()).expect("ids differ");
    let old = Model::new(vocabulary, Units::Bytes, Rule::Ranks);
    let options = LearnOptions::default();
    let model = more(&toy(), Some(3), &options, &old);
    let new: Vec<_> = model.vocabulary.iter().skip(258).collect();
    // "low" is a token already, though none that merging makes: it is not made again.
    let texts = [(401, &b"es"[..]), (402, b"est"), (403, b"ew")];
    assert_eq!(new, texts);
    // the size is that of the vocabulary, of which ids without a token are no part
    let size = LearnOptions { vocab_size: Some(260), ..options };
    let (model, _) = extend(&toy(), &size, &old, &Monitor::new(&Nobody)).expect("it extends");
    assert_eq!((model.vocabulary.len(), model.vocabulary.ids()), (260, 403));
}

/// The same by scores: each token's falls below that before.
fn by_scores(mut model: Model) -> Model {
    let mut scores = Scores::default();
    scores.append(model.vocabulary.iter().map(|(id, _)| id));
    scores.pieces[0].kind = Kind::Unknown;
    model.rule = Rule::Scores(scores);
    model.added_tokens.clear();
    model
}

#[test]
fn pieces_by_scores_are_learned_as_by_rank() {
    let random = &mut Random::new(78);
    let mut learned_later = 0;
    for _ in 0..200 {
        let counts = random_words(random);
        let (first, second) = (random.below(12) as u64, random.below(12) as u64);
        let options = LearnOptions {
            units: Units::Chars,
            end_of_word: None,
            special_tokens: Vec::new(),
            unk_token: Some("<unk>".into()),
            num_merges: Some(first + second),
            ..random_options(random)
        };
        let at_once = by_scores(model_of(run(&counts, &options).0, &options));
        let begun = LearnOptions { num_merges: Some(first), ..options.clone() };
        let begun = by_scores(model_of(run(&counts, &begun).0, &begun));
        let (model, later) = extended(&counts, Some(second), &options, &begun);
        assert_eq!(tokens(&model), tokens(&at_once), "{options:?}");
        assert_eq!(model.rule, at_once.rule);
        learned_later += later.merges.len();
    }
    assert!(learned_later > 200, "only {learned_later} merges were learned in second steps");
}

#[test]
fn seldom_characters_fall_back_to_bytes_and_merge_with_nothing() {
    let bytes = (0..=255).map(|byte| format!("<0x{byte:02X}>"));
    let options = LearnOptions {
        units: Units::Chars,
        special_tokens: std::iter::once("<unk>".into()).chain(bytes).collect(),
        unk_token: Some("<unk>".into()),
        ..LearnOptions::default()
    };
    let old = model_of(run(&toy(), &options).0, &options);
    let mut listed = Model { byte_fallback: true, ..old };
    listed.added_tokens.truncate(1);
    let mut scored = by_scores(listed.clone());
    let Rule::Scores(rule) = &mut scored.rule else { unreachable!() };
    rule.pieces[1..257].iter_mut().for_each(|piece| piece.kind = Kind::Byte);
    let text = [("жук", 5), ("жуки", 3), ("жуклыжук", 1), ("low", 2)];
    let counts = WordCounts::from_pairs(text).expect("small");
    for old in [listed, scored] {
        let model = more(&counts, None, &options, &old);
        let new: Vec<_> = model.vocabulary.iter().skip(old.vocabulary.len()).collect();
        let new: Vec<_> = new.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
        assert_eq!(new, ["ж", "и", "к", "у", "жу", "жук", "жуки"]);
        let tokenizer = Tokenizer::new(model).expect("is a model");
        let ids = tokenizer.encode("жуклыжук", &Special::Text, &Monitor::new(&Nobody));
        let (whole, byte) = (tokenizer.model().vocabulary.id_of("жук".as_bytes(), false), 1);
        let fallen = [0xD0, 0xBB, 0xD1, 0x8B].map(|each| byte + each);
        let expected =
            [&[whole.expect("learned")][..], &fallen, &[whole.expect("learned")]].concat();
        assert_eq!(ids.expect("encodes"), expected);
    }
}

#[test]
fn what_cannot_be_extended_is_refused_with_the_reason() {
    let old = model_of(run(&toy(), &LearnOptions::default()).0, &LearnOptions::default());
    let refusal = |options: &LearnOptions, model: &Model| {
        let found = extend(&toy(), options, model, &Monitor::new(&Nobody));
        found.err().expect("it is refused").to_string()
    };
    let options = LearnOptions::default();
    let greedy = Model { rule: Rule::Greedy(Order::LeftToRight), ..old.clone() };
    assert!(refusal(&options, &greedy).contains("cuts words greedily"));
    let end_of_word = Some(EndOfWord { marker: "</w>".into(), attached: true });
    let fallback = Model { byte_fallback: true, end_of_word, ..old.clone() };
    assert!(refusal(&options, &fallback).contains("falls back to bytes and has an end-of-word"));
    let small = LearnOptions { vocab_size: Some(100), ..LearnOptions::default() };
    let taken = format!("to be extended are {} already", old.vocabulary.ids());
    assert!(refusal(&small, &old).contains(&taken), "{}", refusal(&small, &old));
    let special = LearnOptions { special_tokens: vec!["<s>".into()], ..LearnOptions::default() };
    assert!(refusal(&special, &old).contains("leave special_tokens"));
}
