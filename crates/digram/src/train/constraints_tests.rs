//! What is refused, by examples; and the fast learner equals the naive one under constraints.

use super::*;
use crate::model::{EndOfWord, Units};
use crate::monitor::{Monitor, Nobody};
use crate::train::tests::{Random, assert_same, random_options, run};
use crate::train::{WordCounts, learn, naive};

fn refuses(options: &LearnOptions, text: &[u8]) -> bool {
    let constraints = Constraints::new(options).expect("the patterns compile");
    constraints.expect("there are some").refuse(text, 0, false)
}

fn apart(class: Apart) -> LearnOptions {
    LearnOptions { apart: vec![class], ..LearnOptions::default() }
}

#[test]
fn whole_characters_or_a_part_of_one() {
    let options = apart(Apart::Characters);
    let kept: [&[u8]; 6] =
        ["字a é".as_bytes(), b"\xe5\xad", b"\xad\x97", b"\xf0\x9f\x98", b"\x9f\x98\x80", b"ab"];
    for text in kept {
        assert!(!refuses(&options, text), "{text:?}");
    }
    // a part and something more; too many bytes; what no character has
    let not: [&[u8]; 6] =
        [b" \xe5", b"\x97a", b"\xc3\xa9\xc3", b"\x80\x80\x80\x80", b"\xff\xff", b"\xe0\x80"];
    for text in not {
        assert!(refuses(&options, text), "{text:?}");
    }
}

#[test]
fn a_part_of_a_character_takes_no_marker_that_is_a_symbol() {
    for (attached, refused) in [(false, true), (true, false)] {
        let end_of_word = Some(EndOfWord { marker: "$".into(), attached });
        let options = LearnOptions { end_of_word, ..apart(Apart::Characters) };
        let constraints = Constraints::new(&options).expect("it compiles").expect("there is one");
        assert_eq!(constraints.refuse(b"\xad\x97$", 1, true), refused);
        assert!(!constraints.refuse("字$".as_bytes(), 1, true));
    }
}

#[test]
fn classes_are_kept_apart_whole() {
    let cases = [
        (Apart::Spaces, ["  ", "\u{3000}\n", "a1-"], [" a", "a ", "a b"]),
        (Apart::Digits, ["12", "1٣Ⅷ", "a b"], ["a1", "1 ", "٣x"]),
        (Apart::SentencePiece, ["▁ae\u{301}", "字カーか", "1-%"], ["a1", "a▁b", "\u{301}aя"]),
        (Apart::SentencePieceScripts, ["▁a▁e\u{301}", "▁字カー", "1-%"], ["a1", "я▁b", "a b"]),
        (Apart::SentencePieceScriptsWithDigits, ["a1▁2b", "я２a", "1-2"], ["a-1", "1я▁b", "a字"]),
        (Apart::Scripts, [" a1-e\u{301}", "字。", "ёж 2"], ["aя", "a, я", "字か"]),
    ];
    for (class, kept, not) in cases {
        assert!(kept.iter().all(|text| !refuses(&apart(class), text.as_bytes())), "{class:?}");
        assert!(not.iter().all(|text| refuses(&apart(class), text.as_bytes())), "{class:?}");
        assert!(refuses(&apart(class), b" \xe5"), "classes are of whole characters");
    }
}

#[test]
fn digits_are_counted_wherever_they_stand() {
    let options = LearnOptions { max_digits: Some(2), ..LearnOptions::default() };
    assert!(["12", "a1b٣", "-"].iter().all(|text| !refuses(&options, text.as_bytes())));
    assert!(["123", "1a2b٣"].iter().all(|text| refuses(&options, text.as_bytes())));
    assert!(!refuses(&options, b"12\xd9") && refuses(&options, b"12\xd9\xa3\xff"));
}

#[test]
fn patterns_are_found_in_what_is_spelled_be_it_text_or_not() {
    let patterns = ["^th$".into(), r"(?-u:\xff)".into(), "(?i)z".into()];
    let options = LearnOptions { forbidden_patterns: patterns.into(), ..LearnOptions::default() };
    let not: [&[u8]; 4] = [b"th", b"a\xffb", b"aZ", b"\xc3z"];
    assert!(not.iter().all(|text| refuses(&options, text)));
    let kept: [&[u8]; 2] = [b"the", "ÿ".as_bytes()];
    assert!(kept.iter().all(|text| !refuses(&options, text)));
}

#[test]
fn a_pattern_that_does_not_compile_or_is_too_large_is_named() {
    let fails = |pattern: &str| {
        let forbidden_patterns = vec!["a".into(), pattern.into()];
        let options = LearnOptions { forbidden_patterns, ..LearnOptions::default() };
        let counts = WordCounts::from_pairs([("ab", 2)]).expect("a small count");
        learn(&counts, &options, &Monitor::new(&Nobody)).expect_err("it is wrong")
    };
    let message = "forbidden pattern \"(?=b)\" does not compile";
    assert!(matches!(fails("(?=b)"), Error::Value(told) if told.starts_with(message)));
    assert!(matches!(fails(r"\w{999}{999}"), Error::Limit(_)));
}

fn random_words(random: &mut Random) -> WordCounts {
    let letters = ["a", "é", " ", "▁", "1", "２", "٣", "я", "字", "か", "\u{301}", "\u{a0}", "😀"];
    let few: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(&letters)).collect();
    let mut counts = WordCounts::new();
    for _ in 0..=random.below(12) {
        let part: String = (0..=random.below(5)).map(|_| random.pick(&few)).collect();
        let word = part.repeat(1 + random.below(3));
        let count = random.pick(&[1, 1, 2, 3, 1 << 40]);
        counts.push(word.as_bytes(), count).expect("the counts are small");
    }
    counts
}

#[test]
fn the_fast_learner_equals_the_naive_one_under_constraints() {
    let random = &mut Random::new(31);
    let mut refused = 0;
    for _ in 0..250 {
        let counts = random_words(random);
        let words: Vec<_> = counts.iter().map(|(word, count)| (word.to_vec(), count)).collect();
        let mut options = random_options(random);
        for (_, class) in Apart::NAMES {
            if random.below(4) == 0 {
                options.apart.push(class);
            }
        }
        options.min_frequency = options.min_frequency.min(2);
        options.num_merges = options.num_merges.filter(|&merges| merges > 3);
        options.max_token_length = options.max_token_length.filter(|&most| most > 3);
        options.max_digits = random.pick(&[None, None, Some(0), Some(1), Some(2)]);
        for pattern in ["1.*2", "^.{4}$", "é$", r"(?-u:^[\xa9\xad])"] {
            if random.below(6) == 0 {
                options.forbidden_patterns.push(pattern.into());
            }
        }
        for text in ["aa", "1 ", "é</w>", "字"] {
            if random.below(6) == 0 {
                options.forbidden.push(text.into());
            }
        }
        let free = LearnOptions {
            forbidden: Vec::new(),
            forbidden_patterns: Vec::new(),
            apart: Vec::new(),
            max_digits: None,
            ..options.clone()
        };
        let found = run(&counts, &options);
        assert_same(&found, &naive::learn(&words, &options), &options);
        refused += usize::from(found.0.merges != run(&counts, &free).0.merges);
    }
    assert!(refused > 150, "constraints must matter in many cases, not in {refused}");
}

#[test]
fn what_is_forbidden_as_a_text_may_be_a_part_of_a_token_and_a_base_symbol() {
    let counts = WordCounts::from_pairs([("abab", 5)]).expect("a small count");
    let forbidden = vec![b"ab".to_vec(), b"a".to_vec()];
    let options = LearnOptions { forbidden, units: Units::Chars, ..LearnOptions::default() };
    let (learned, _) = run(&counts, &options);
    let tokens: Vec<&[u8]> = learned.tokens.iter().map(|token| &token.bytes[..]).collect();
    assert_eq!(tokens, [&b"a"[..], b"b", b"ba", b"aba", b"abab"]);
}
