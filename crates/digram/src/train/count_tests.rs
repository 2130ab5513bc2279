//! Counting on several threads against one scan from the beginning.

use super::*;
use crate::components::{Behavior, Pattern};
use crate::monitor::Nobody;

/// Words of letters by their case, as in the youngest of the published patterns.
const CASED: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

fn splitter(pattern: &str) -> PreTokenizer {
    PreTokenizer::Split {
        pattern: Pattern::Regex(pattern.into()),
        behavior: Behavior::Isolated,
        invert: false,
    }
}

fn count(texts: &[&str], pattern: &str, threads: usize, part: usize) -> Vec<(Vec<u8>, u64)> {
    count_within(None, texts, pattern, (threads, part)).0
}

/// The counts, and how many bytes went to files where memory is bounded.
fn count_within(
    memory: Option<u64>,
    texts: &[&str],
    pattern: &str,
    (threads, part): (usize, usize),
) -> (Vec<(Vec<u8>, u64)>, u64) {
    let split = splitter(pattern);
    let counter = Counter::new(Some(&split), None, &["<s>".into()], Some(threads));
    let mut counter = counter.expect("compiles").with_part(part);
    if let Some(bytes) = memory {
        counter = counter.with_memory(bytes).expect("enough");
    }
    counter.add(texts, &Monitor::new(&Nobody)).expect("counts");
    let spilled = counter.spilled();
    let counts = counter.finish(&Monitor::silent()).expect("no count is too large");
    (counts.iter().map(|(word, count)| (word.to_vec(), count)).collect(), spilled)
}

#[test]
fn distinct_words_are_told_alike_by_any_threads_parts_and_memory() {
    let word = |n: u64| format!(" {:a>width$}", n % 30_000, width = n as usize % 23);
    let text: String = (0..90_000).map(|n: u64| word(n * n * 7 + n % 11)).collect();
    let split = splitter(r" \w+");
    let mut all = Vec::new();
    for threads in [1, 2, 3] {
        for (part, memory) in [(1 << 18, None), (1 << 10, None), (1 << 12, Some(3 << 20))] {
            let counter = Counter::new(Some(&split), None, &[], Some(threads)).expect("compiles");
            let mut counter = counter.with_part(part);
            if let Some(bytes) = memory {
                counter = counter.with_memory(bytes).expect("enough");
            }
            for half in [&text[..text.len() / 2], &text[text.len() / 2..]] {
                counter.add(&[half], &Monitor::silent()).expect("counts");
            }
            assert_eq!(counter.spilled() > 0, memory.is_some());
            counter.told = None;
            counter.tell_distinct(&Monitor::silent()).expect("nobody stops it");
            let told = counter.distinct.words();
            let words = counter.finish(&Monitor::silent()).expect("counts").len() as u64;
            assert!(told.abs_diff(words) * 16 <= words, "{told} of {words}");
            all.push((told, words));
        }
    }
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
}

/// The words of a text, one by one, and how often each occurs.
fn one_by_one(text: &str, pattern: &str) -> Vec<(Vec<u8>, u64)> {
    let splitter = Splitter::new(Some(&splitter(pattern))).expect("compiles");
    let mut counts = WordCounts::new();
    let (mut position, mut cache) = (0, SplitCache::default());
    let mut pieces = splitter.outermost(text);
    while position < text.len() {
        position = pieces
            .step(position, &mut cache, &mut |start, end| {
                counts.push(&text.as_bytes()[start..end], 1)
            })
            .expect("splits");
    }
    counts.iter().map(|(word, count)| (word.to_vec(), count)).collect()
}

#[test]
fn batches_count_what_single_words_add_up_to() {
    // More words than the hot table has places, long ones among them, and each many times.
    let word = |n: u64| format!(" {:a>width$}", n % 40_000, width = n as usize % 23);
    let text: String = (0..90_000).map(|n: u64| word(n * n * 7 + n % 11)).collect();
    for pattern in [crate::pretokenize::GPT2, CASED] {
        let expected = one_by_one(&text, pattern);
        for (threads, part) in [(1, 1 << 20), (3, 10_000)] {
            assert_eq!(count(&[&text], pattern, threads, part), expected, "{pattern} {threads}");
        }
    }
}

/// Text whose words depend on where a scan begins: runs of letters, digits by threes, blanks.
fn text(seed: u64) -> String {
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let pieces = ["a", "bé", "中", " ", "  ", "\n", "1", "22", "'s", "<s>", "!"];
    (0..2_000).map(|_| pieces[random(pieces.len() as u64) as usize]).collect()
}

#[test]
fn threads_and_parts_cannot_be_observed() {
    let patterns = [crate::pretokenize::GPT2, CASED, r"\p{N}{1,3}|\p{L}+|\s+", r"..", r"\bé|\s"];
    for (seed, pattern) in patterns.into_iter().enumerate() {
        let (one, other) = (text(seed as u64), text(seed as u64 + 100));
        let texts = [one.as_str(), "", "a b", other.as_str()];
        let expected = count(&texts, pattern, 1, 1 << 20);
        for threads in [1, 2, 3, 7] {
            for part in [1, 7, 64, 1000, 100_000] {
                assert_eq!(
                    count(&texts, pattern, threads, part),
                    expected,
                    "{pattern} {threads} {part}"
                );
            }
        }
    }
}

#[test]
fn scans_that_never_meet_are_repeated_from_the_right_place() {
    // Pairs of characters: a scan that begins at an odd place never meets the true one.
    let text = "abcdefg".repeat(10_000);
    let expected = count(&[&text], "..", 1, 1 << 20);
    assert_eq!(count(&[&text], "..", 2, 10_001), expected);
}

#[test]
fn special_tokens_are_cut_out_and_words_come_in_the_order_seen() {
    let counts = count(&["b a<s>a b", "c"], r"\s|\w+", 1, 1 << 20);
    let words: Vec<_> = counts.iter().map(|(word, n)| (&word[..], *n)).collect();
    assert_eq!(words, [(&b"b"[..], 2), (b" ", 2), (b"a", 2), (b"c", 1)]);
}

/// Many words of all lengths, often and seldom.
fn many_words(words: u64) -> String {
    let word = |n: u64| {
        let number = n.wrapping_mul(n).wrapping_mul(2_654_435_761) % (1 + n % words);
        format!(" {:a>width$}", radix(number), width = (n % 37) as usize)
    };
    (0..3 * words).map(word).collect()
}

/// A number in letters.
fn radix(mut number: u64) -> String {
    let mut letters = String::new();
    while number > 0 {
        letters.push((b'a' + (number % 26) as u8) as char);
        number /= 26;
    }
    letters
}

#[test]
fn what_went_to_files_cannot_be_observed() {
    let text = many_words(60_000);
    let texts = [text.as_str(), "", "a b<s> b", &text[text.len() / 2..]];
    for pattern in [CASED, r"\p{L}+|\s"] {
        let expected = count(&texts, pattern, 1, 1 << 20);
        for threads in [1, 2, 3, 7] {
            for part in [4_000, 100_000] {
                for memory in [1, 2] {
                    let memory = memory * threads as u64 * (1 << 20);
                    let (found, spilled) =
                        count_within(Some(memory), &texts, pattern, (threads, part));
                    assert!(spilled > 0 || threads > 1, "{threads} {part} {memory}");
                    assert!(found == expected, "{pattern} {threads} {part} {memory}");
                }
            }
        }
    }
}

#[test]
fn too_little_memory_is_refused_with_the_least() {
    let counter = Counter::new(None, None, &[], Some(3)).expect("no pattern");
    let refused = counter.with_memory(3 << 20 | 1).and(Ok(())).is_ok();
    assert!(refused);
    let counter = Counter::new(None, None, &[], Some(3)).expect("no pattern");
    let error = counter.with_memory((3 << 20) - 1).err().expect("too little").to_string();
    assert!(error.contains("3145727 bytes") && error.contains("needs 3145728"), "{error}");
}

#[test]
fn short_texts_that_are_counted_together_count_as_they_do_one_by_one() {
    let whole = text(5).repeat(9);
    let mut texts: Vec<&str> = whole.split_inclusive(['\n', '2']).collect();
    // between them one that is too long for it, and one without a byte
    texts.insert(40, &whole);
    texts.insert(900, "");
    for pattern in [crate::pretokenize::GPT2, CASED, r"\p{N}{1,3}|\p{L}+|\s+", r"\bé|\s"] {
        let split = splitter(pattern);
        let counter = |threads| Counter::new(Some(&split), None, &["bé".into()], Some(threads));
        let words = |mut counter: Counter, some: &[&[&str]]| {
            for texts in some {
                counter.add(texts, &Monitor::new(&Nobody)).expect("counts");
            }
            let counts = counter.finish(&Monitor::silent()).expect("no count is too large");
            counts.iter().map(|(word, count)| (word.to_vec(), count)).collect::<Vec<_>>()
        };
        let one_by_one: Vec<&[&str]> = texts.chunks(1).collect();
        let expected = words(counter(1).expect("compiles"), &one_by_one);
        for threads in [1, 2, 3] {
            let together = words(counter(threads).expect("compiles"), &[&texts]);
            assert_eq!(together, expected, "{pattern} {threads}");
        }
    }
}
