//! Required tokens are there, and each stands for itself.

use super::*;
use crate::encode::{Special, Tokenizer};
use crate::model::{EndOfWord, Units};
use crate::train::options::Alphabet;
use crate::train::tests::{Random, random_options, random_words, run};
use crate::train::{Around, WordCounts, build};

fn requiring(required: &[&str]) -> LearnOptions {
    let required = required.iter().map(|&text| text.to_owned()).collect();
    LearnOptions { required, units: Units::Chars, ..LearnOptions::default() }
}

fn refused(counts: &WordCounts, options: &LearnOptions) -> String {
    let monitor = Monitor::silent();
    crate::train::learn(counts, options, &monitor).expect_err("it must be refused").to_string()
}

fn small() -> WordCounts {
    WordCounts::from_pairs([("low", 5), ("lower", 2)]).expect("small counts")
}

#[test]
fn every_required_token_is_one_id_as_a_word() {
    let random = &mut Random::new(41);
    for _ in 0..300 {
        let counts = random_words(random);
        let attached = random.pick(&[true, false]);
        let end = EndOfWord { marker: "</w>".into(), attached };
        let mut options = LearnOptions {
            num_merges: None,
            max_token_length: None,
            special_tokens: Vec::new(),
            unk_token: None,
            end_of_word: random.pick(&[None, Some(end)]),
            initial_alphabet: Alphabet::Seen,
            ..random_options(random)
        };
        let wanted: Vec<String> = (0..=random.below(6))
            .map(|_| (0..=random.below(7)).map(|_| random.pick(&["a", "b", "é", "z"])).collect())
            .collect();
        options.required = wanted.iter().map(|word| word.clone() + options.marker()).collect();
        let (learned, _) = run(&counts, &options);
        let model = build(learned, &options, Around::default()).expect("it is a model");
        let tokenizer = Tokenizer::new(model).expect("it is a tokenizer");
        for word in &wanted {
            let ids = tokenizer.encode(word, &Special::Text, &Monitor::silent()).expect("text");
            assert_eq!(ids.len(), 1, "{word} {options:?}");
        }
    }
}

#[test]
fn the_rest_is_learned_from_what_the_required_tokens_left() {
    let (learned, report) = run(&small(), &requiring(&["lo", "xyz"]));
    let made: Vec<_> = learned.tokens.iter().skip(8).map(|token| &*token.bytes).collect();
    assert_eq!(made, [&b"lo"[..], b"xy", b"xyz", b"low", b"er", b"lower"]);
    assert_eq!(report.merge_frequencies(), [7, 0, 0, 7, 2, 2]);
    assert_eq!(report.places, [2, 0, 0, 2, 1, 1]);
}

#[test]
fn what_cannot_be_made_is_refused_by_name() {
    let forbidden = LearnOptions { forbidden: vec!["ow".into()], ..requiring(&["ow"]) };
    assert!(refused(&small(), &forbidden).contains("the required token \"ow\" cannot be made"));
    let forbidden = LearnOptions { forbidden: vec!["lo".into()], ..requiring(&["low"]) };
    assert_eq!(run(&small(), &forbidden).1.merges.len(), 4); // by another way
    let short = LearnOptions { max_token_length: Some(2), ..requiring(&["low"]) };
    assert!(refused(&small(), &short).contains("its parts \"lo\", \"w\""));
    let size = LearnOptions { vocab_size: Some(6), ..requiring(&["low"]) };
    assert!(refused(&small(), &size).contains("vocab_size is 6, but with the required tokens"));
    assert!(refused(&small(), &size).contains("7 is the least"));
    let merges = LearnOptions { num_merges: Some(1), ..requiring(&["low"]) };
    assert!(refused(&small(), &merges).contains("which take 2 merges, 2 is the least"));
    assert!(refused(&small(), &requiring(&[""])).contains("without a character"));
}
