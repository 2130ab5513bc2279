//! Lines that come back, beside their words one by one.

use super::super::tests::{CL100K, Random, model};
use super::super::{Special, Tokenizer};
use super::*;
use crate::monitor::Monitor;
use crate::pretokenize::GPT2;

/// A text of lines, most of them of a few.
fn text(random: &mut Random, kinds: usize, lines: usize) -> String {
    let kinds: Vec<String> = (0..kinds)
        .map(|_| {
            let pieces = 20 + random.below(120);
            let end = ["\n", "\n", "\n\n", " \n", "\r\n", "\n  ", "!\n", "\n/"];
            random.text(pieces) + end[random.below(8)]
        })
        .collect();
    (0..lines).map(|_| &*kinds[random.below(kinds.len())]).collect()
}

#[test]
fn lines_that_come_back_have_the_ids_that_their_words_have() {
    let (mut random, monitor) = (Random(61), Monitor::silent());
    let patterns = [Some(CL100K), Some(GPT2), Some(CL100K), None, Some(r"\p{L}+|\s")];
    for (round, pattern) in patterns.into_iter().enumerate() {
        let model = model(&mut random, true, pattern);
        let plain = Tokenizer::new(model.clone()).expect("it is sound").remembering(0);
        let tokenizer = Tokenizer::new(model).expect("it is sound");
        let kinds = [400, 400, 20, 400, 400][round];
        let texts: Vec<String> = (0..3).map(|_| text(&mut random, kinds, 900)).collect();
        let mut expected = [0; 2];
        for nth in [0, 0, 0, 0, 1, 0, 2, 2, 2, 1, 0] {
            let left_out = random.below(2);
            let (from, _) = texts[nth].char_indices().nth(left_out).expect("it is long");
            let text = &texts[nth][from..];
            let own = |tokenizer: &Tokenizer| {
                tokenizer.encode_by(text, &Special::Text, 1, &monitor).expect("encodes")
            };
            assert!(own(&tokenizer) == own(&plain), "{pattern:?} {text:?}");
            let shared = tokenizer.encode_by(text, &Special::Text, 3, &monitor);
            assert!(shared.expect("encodes") == own(&plain), "{pattern:?} {text:?}");
            let scratch = tokenizer.scratch(1).expect("there is memory");
            expected[usize::from(scratch.lines.are_expected())] += 1;
            tokenizer.give_back(scratch);
        }
        assert_eq!(expected[1] > 3, round < 4, "{pattern:?} {expected:?}");
    }
}

#[test]
fn of_lines_that_there_is_no_room_for_some_stay() {
    let (mut lines, mut spare) = (Lines::default(), Spare::of(1 << 30));
    let texts: Vec<String> = (0..12_000_u32).map(|nth| format!("{nth:0300}\n")).collect();
    for round in 0..20 {
        let mut found = 0;
        for text in &texts {
            let long = Long::new(text.as_bytes(), false);
            if !lines.are_expected() {
                lines.note(long.hash(), &mut spare);
            } else if !lines.find(long, &mut spare) {
                lines.ids.extend([1; 300]);
                lines.remember(&[long], &[300], &mut spare);
            } else {
                found += 1;
            }
            lines.ids.clear();
        }
        assert_eq!((3_000..6_000).contains(&found), round > 1, "{found} in round {round}");
    }
    assert_eq!((1 << 30) - spare.left(), MOST_BYTES);
    // what is new comes to be known once most of it is found
    let others: Vec<String> = (0..3_000_u32).map(|nth| format!("{nth:0301}\n")).collect();
    let mut found = 0;
    for text in others.iter().cycle().take(250_000) {
        let long = Long::new(text.as_bytes(), false);
        if !lines.find(long, &mut spare) {
            lines.ids.extend([1; 50]);
            lines.remember(&[long], &[50], &mut spare);
            found = 0;
        }
        found += 1;
        lines.ids.clear();
    }
    assert!(found > 3_000, "{found} since the last that was not");
}

#[test]
fn lines_that_begin_and_end_alike_are_told_apart() {
    let (mut lines, mut spare) = (Lines::default(), Spare::of(1 << 30));
    for round in 0..3 {
        let texts = (0..4_000).map(|nth| {
            format!("{0}{nth:09} and more {0}\n", "so it begins and ends, always".repeat(5))
        });
        for text in texts {
            let long = Long::new(text.as_bytes(), false);
            lines.note(long.hash(), &mut spare);
        }
        assert_eq!(lines.are_expected(), round > 0);
    }
}

#[test]
fn new_lines_are_not_expected_and_no_memory_is_none() {
    let hashes = |round: u64| {
        (0..4_000).map(move |nth| (round << 32 | nth).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    };
    for left in [0, FIRST] {
        let (mut lines, mut spare) = (Lines::default(), Spare::of(left));
        for (round, back) in [(0, false), (0, true), (1, false), (1, true), (2, false)] {
            for hash in hashes(round) {
                lines.note(hash, &mut spare);
            }
            assert_eq!(lines.are_expected(), back && left > 0, "{round} {left}");
        }
    }
}

#[test]
fn a_text_that_comes_back_is_told_by_its_first_lines() {
    let (mut lines, mut spare) = (Lines::default(), Spare::of(1 << 30));
    let hash = |text, line| Long::new(format!("{text}, line {line}").as_bytes(), false).hash();
    for text in 0..500_u32 {
        lines.begin(|| None);
        (0..4_u32).for_each(|line| lines.note(hash(text, line), &mut spare));
        assert!(!lines.are_expected(), "{text} is new");
    }
    let told = (0..500).filter(|&text| {
        // what is met in between
        (0..16).for_each(|line| lines.note(hash(text + 10_000, line), &mut spare));
        lines.begin(|| None);
        (0..4).for_each(|line| lines.note(hash(text, line), &mut spare));
        lines.are_expected()
    });
    let told = told.count();
    assert!(told > 490, "only {told}");
}

#[test]
fn a_known_beginning_is_known_at_once_and_a_new_line_behind_it_ends_that() {
    let (mut lines, mut spare) = (Lines::default(), Spare::of(1 << 30));
    let text = |nth: u32| format!("line {nth}");
    let beginning: Vec<String> = (0..4).map(text).collect();
    let beginning: Vec<Long> =
        beginning.iter().map(|line| Long::new(line.as_bytes(), false)).collect();
    for round in 0..3 {
        let mut known = 0;
        lines.begin(|| Some(beginning[0]));
        assert_eq!(lines.are_expected(), round == 2, "there are lines since the round before");
        for &line in &beginning {
            if !lines.are_expected() {
                lines.note(line.hash(), &mut spare);
            } else if lines.find(line, &mut spare) {
                known += 1;
            } else {
                assert!(lines.may_come_back(line), "it was met");
            }
        }
        assert_eq!(lines.are_expected(), round > 0);
        if round == 1 {
            lines.ids.extend([1; 4]);
            lines.remember(&beginning, &[1, 2, 3, 4], &mut spare);
        }
        // of those that are new, some are told to be so in any case; all of them behind known ones
        let new = (100 * (round + 1)..).map(text).take(80);
        let may = new.filter(|line| lines.may_come_back(Long::new(line.as_bytes(), false)));
        let may = may.count();
        assert_eq!((known, may > 20), [(0, true), (0, true), (4, false)][round as usize]);
        assert!(round < 2 || may == 0, "{may} of 80 may come back");
    }
}
