//! The automaton against the pattern as it is written, run by a backtracking engine.

use super::scanner::{ScanCache, Scanner};
use super::*;

/// One character of each class that the named patterns tell apart, and those they name.
const REPRESENTATIVES: [char; 17] = [
    'a', 's', 'A', 'é', 'ǅ', 'ʰ', '中', '\u{301}', '1', '٣', ' ', '\t', '\n', '\r', '\'', '/', '!',
];

/// The published patterns, as `digram.patterns` lists them.
const PATTERNS: [&str; 6] = [
    GPT2,
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
];

fn ends(scanner: &Scanner, text: &str) -> Vec<usize> {
    let (mut cache, mut position, mut ends) = (ScanCache::default(), 0, Vec::new());
    while position < text.len() {
        position = scanner.next(text, position, &mut cache).expect("these patterns run").end;
        ends.push(position);
    }
    ends
}

/// Compares the two engines on a text that holds every given string, apart from the others.
fn compare(strings: &[String]) {
    for pattern in PATTERNS {
        let fast = Scanner::new(pattern).expect("compiles");
        let oracle = Scanner::backtracking(pattern, 1).expect("compiles");
        for string in strings {
            assert_eq!(ends(&fast, string), ends(&oracle, string), "{pattern} on {string:?}");
        }
    }
}

#[test]
fn named_patterns_run_as_written_on_all_short_strings() {
    let mut strings = vec![String::new()];
    let mut longest = strings.clone();
    for _ in 0..3 {
        let longer = |s: &String| REPRESENTATIVES.map(|c| format!("{s}{c}"));
        longest = longest.iter().flat_map(longer).collect();
        strings.extend(longest.iter().cloned());
    }
    compare(&strings);
}

#[test]
fn named_patterns_run_as_written_on_long_strings() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut strings = Vec::new();
    for _ in 0..3_000 {
        let length = 1 + random(60);
        // Runs of one character are what the tail and the repeated classes are about.
        let mut string = String::new();
        while string.len() < length {
            let character = REPRESENTATIVES[random(REPRESENTATIVES.len())];
            string.extend(std::iter::repeat_n(character, 1 + random(4)));
        }
        strings.push(string);
    }
    compare(&strings);
}

#[test]
fn a_pattern_that_matches_nothing_of_a_text_leaves_it_whole() {
    let scanner = Scanner::new(r"\d+").expect("compiles");
    assert_eq!(ends(&scanner, "ab12cd"), [2, 4, 6]);
}

#[test]
fn patterns_that_match_nothing_at_all_are_refused_for_training() {
    for pattern in ["a*", "", "(?=a)|", r"x?+"] {
        let pattern = Pattern::Regex(pattern.into());
        let split = PreTokenizer::Split { pattern, behavior: Behavior::Isolated, invert: false };
        let error = Splitter::for_training(Some(&split)).err().expect("refused").to_string();
        assert!(error.contains("matches the empty text"), "{error}");
        assert!(Splitter::new(Some(&split)).is_ok());
    }
    let scanner = Scanner::new("a*").expect("compiles");
    assert_eq!(ends(&scanner, "baab"), [1, 3, 4]);
    let error = Scanner::new("(").err().expect("refused").to_string();
    assert!(error.contains("does not compile"), "{error}");
}

#[test]
fn words_of_stages_lie_where_they_were_found() {
    let stage = |pattern: &str, behavior| PreTokenizer::Split {
        pattern: Pattern::Regex(pattern.into()),
        behavior,
        invert: false,
    };
    let stages = PreTokenizer::Sequence {
        pretokenizers: vec![
            stage(r"\s+", Behavior::Removed),
            stage(r"\d", Behavior::Isolated),
            PreTokenizer::ByteLevel(crate::components::ByteLevel::alphabet_only()),
        ],
    };
    let splitter = Splitter::new(Some(&stages)).expect("compiles");
    let mut cache = SplitCache::default();
    let mut words = Vec::new();
    let text = "ab12 c";
    splitter
        .words(
            &splitter.prepare(text, true, &mut cache).expect("splits"),
            &mut SplitCache::default(),
            |start, end| {
                words.push(&text[start..end]);
                Ok(())
            },
        )
        .expect("these patterns run");
    assert_eq!(words, ["ab", "1", "2", "c"]);
}
