//! Tables and stages against what the pre-tokenizer says: each of its parts run by itself, over
//! all pieces that the part before it leaves, patterns by a backtracking engine.

use super::scanner::{ScanCache, Scanner};
use super::*;
use crate::aliases;
use crate::components::ByteLevel;
use hashbrown::HashMap;
use std::cell::RefCell;
use std::rc::Rc;
use unicode_categories::UnicodeCategories;

const DEEPSEEK: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const QWEN3_5: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const KIMI: &str = r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CLIP: &str =
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";
const BLOOM: &str = r" ?[^(\s|[.,!?…。，、।۔،])]+";
const HAN: &str = "[一-龥ࠀ-一가-퟿]+";
/// Patterns that match nothing for long, that take back more than a character, or look behind.
const STRANGE: [&str; 6] =
    [r"a1*!|中\s*\n", r"[a-z]+(?:'s)?|\s+\z|\s*\n", r"1{2}", r"\bs|\s", r"a(?=中)|\p{L}+", "a*"];

/// One or two characters of each class that these patterns tell apart.
const REPRESENTATIVES: [char; 24] = [
    'a', ' ', '1', '!', '中', '\n', '\'', 's', 'A', '\u{301}', '٣', '\t', 'の', '・', '，',
    '\u{7}', '\u{3099}', '가', 'é', '😀', '\u{A0}', '²', '<', '|',
];

fn split(pattern: &str, behavior: Behavior, invert: bool) -> PreTokenizer {
    PreTokenizer::Split { pattern: Pattern::Regex(pattern.into()), behavior, invert }
}

fn isolated(pattern: &str) -> PreTokenizer {
    split(pattern, Behavior::Isolated, false)
}

fn gpt2() -> PreTokenizer {
    PreTokenizer::ByteLevel(ByteLevel { use_regex: true, ..ByteLevel::alphabet_only() })
}

/// What published tokenizers have, and what is strange.
fn pre_tokenizers() -> Vec<PreTokenizer> {
    let digits = |individual_digits| PreTokenizer::Digits { individual_digits };
    let punctuation = |behavior| PreTokenizer::Punctuation { behavior };
    let triples = || isolated("[0-9][0-9][0-9]");
    let mut all: Vec<Vec<PreTokenizer>> = vec![
        vec![digits(true), gpt2()],
        vec![digits(false), gpt2()],
        vec![isolated(r"\p{N}{1,3}"), isolated("[一-龥\u{3040}-ゟ゠-ヿ]+"), isolated(DEEPSEEK)],
        vec![
            isolated(r"[\r\n]"),
            isolated(r"\s?\p{L}+"),
            isolated(r"\s?\p{P}+"),
            isolated(HAN),
            digits(true),
        ],
        vec![punctuation(Behavior::Contiguous), gpt2(), digits(false), triples()],
        vec![split(CLIP, Behavior::Removed, true)],
        vec![isolated(BLOOM)],
        vec![isolated(QWEN3_5)],
        vec![isolated(KIMI)],
        vec![PreTokenizer::WhitespaceSplit, punctuation(Behavior::Isolated)],
        vec![PreTokenizer::Whitespace, digits(true)],
        vec![PreTokenizer::BertPreTokenizer, isolated(r"\p{N}{1,3}")],
        vec![PreTokenizer::CharDelimiterSplit { delimiter: ' ' }, isolated(GPT2)],
        vec![digits(true), isolated(STRANGE[3])],
        vec![split(CLIP, Behavior::Removed, true), gpt2()],
        vec![split(CLIP, Behavior::Removed, true), digits(false), isolated(STRANGE[1])],
        vec![PreTokenizer::WhitespaceSplit, gpt2(), triples()],
        vec![PreTokenizer::Whitespace, isolated(STRANGE[0]), isolated(STRANGE[3])],
        vec![punctuation(Behavior::Removed), gpt2()],
    ];
    all.extend(
        [r"\s+", r"(\s)", "(?:1|!){1,3}?", "中+?"]
            .map(|pattern| vec![split(pattern, Behavior::Removed, false), isolated(QWEN3_5)]),
    );
    for invert in [false, true] {
        all.extend(STRANGE.map(|pattern| vec![split(pattern, Behavior::Removed, invert)]));
        all.extend(
            STRANGE.map(|pattern| vec![split(pattern, Behavior::Removed, invert), digits(true)]),
        );
    }
    for behavior in [Behavior::MergedWithPrevious, Behavior::MergedWithNext, Behavior::Contiguous] {
        all.push(vec![punctuation(behavior)]);
        all.push(vec![split(r"\s", behavior, false), isolated(GPT2)]);
        all.push(vec![split(r"\p{L}+", behavior, true), isolated(DEEPSEEK)]);
    }
    all.extend(STRANGE.map(|pattern| vec![isolated(pattern)]));
    all.extend(STRANGE.map(|pattern| vec![digits(false), isolated(pattern)]));
    all.into_iter().map(|pretokenizers| PreTokenizer::Sequence { pretokenizers }).collect()
}

/// Stretches of a text, and whether each is a match.
type Found = Vec<(usize, usize, bool)>;

fn matches_of(pattern: &str, text: &str) -> Found {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Rc<Scanner>>> = RefCell::default();
    }
    let compile = || Rc::new(Scanner::backtracking(pattern, 1).expect("compiles"));
    let known = |known: &RefCell<HashMap<_, _>>| {
        Rc::clone(known.borrow_mut().entry(pattern.to_owned()).or_insert_with(compile))
    };
    let scanner = COMPILED.with(known);
    let (mut cache, mut position, mut found) = (ScanCache::default(), 0, Vec::new());
    while position < text.len() {
        let piece = scanner.next(text, position, &mut cache).expect("runs");
        found.push((piece.start, piece.end, piece.pattern.is_some()));
        position = piece.end;
    }
    found
}

fn characters_of(text: &str, is: impl Fn(char) -> bool) -> Found {
    let mut found: Found = Vec::new();
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        match found.last_mut() {
            Some((_, last, false)) if !is(character) => *last = end,
            _ => found.push((start, end, is(character))),
        }
    }
    found
}

/// What becomes of what was found, as the behaviors are described.
fn behave(found: Found, behavior: Behavior, invert: bool) -> Vec<(usize, usize)> {
    let mut pieces: Found = Vec::new();
    for (start, end, is_match) in found {
        let is_match = is_match != invert;
        let joins = pieces.last().is_some_and(|&(.., last)| match behavior {
            Behavior::Contiguous => last == is_match && is_match != invert,
            Behavior::MergedWithPrevious => is_match && !last,
            Behavior::MergedWithNext => last && !is_match,
            Behavior::Isolated | Behavior::Removed => false,
        });
        match pieces.last_mut() {
            Some(last) if joins => {
                // a piece takes one neighbour
                let of_next = behavior != Behavior::Contiguous;
                *last = (
                    last.0,
                    end,
                    if of_next { behavior == Behavior::MergedWithPrevious } else { is_match },
                );
            }
            _ => pieces.push((start, end, is_match)),
        }
    }
    pieces.retain(|&(.., is_match)| behavior != Behavior::Removed || !is_match);
    pieces.into_iter().map(|(start, end, _)| (start, end)).collect()
}

/// The words of a text by what the parts of a pre-tokenizer say.
fn told(pre_tokenizer: &PreTokenizer, text: &str) -> Vec<(usize, usize)> {
    let is_punctuation = |c: char| c.is_ascii_punctuation() || c.is_punctuation();
    match pre_tokenizer {
        PreTokenizer::Sequence { pretokenizers } => {
            let mut pieces = vec![(0, text.len())];
            for part in pretokenizers {
                let inner = |(start, end)| {
                    let moved = move |(from, to)| (start + from, start + to);
                    told(part, &text[start..end]).into_iter().map(moved)
                };
                pieces = pieces.into_iter().flat_map(inner).collect();
            }
            pieces
        }
        PreTokenizer::Split { pattern: Pattern::Regex(pattern), behavior, invert } => {
            behave(matches_of(pattern, text), *behavior, *invert)
        }
        PreTokenizer::ByteLevel(_) => behave(matches_of(GPT2, text), Behavior::Isolated, false),
        PreTokenizer::Digits { individual_digits } => {
            let behavior =
                if *individual_digits { Behavior::Isolated } else { Behavior::Contiguous };
            behave(characters_of(text, char::is_numeric), behavior, false)
        }
        PreTokenizer::Punctuation { behavior } => {
            behave(characters_of(text, is_punctuation), *behavior, false)
        }
        PreTokenizer::CharDelimiterSplit { delimiter } => {
            behave(characters_of(text, |c| c == *delimiter), Behavior::Removed, false)
        }
        PreTokenizer::Whitespace => {
            behave(matches_of(r"\w+|[^\w\s]+", text), Behavior::Removed, true)
        }
        PreTokenizer::WhitespaceSplit => behave(matches_of(r"\S+", text), Behavior::Removed, true),
        PreTokenizer::BertPreTokenizer => {
            let words = behave(characters_of(text, char::is_whitespace), Behavior::Removed, false);
            let inner = |(start, end): (usize, usize)| {
                let found = characters_of(&text[start..end], is_punctuation);
                let pieces = behave(found, Behavior::Isolated, false).into_iter();
                pieces.map(move |(from, to)| (start + from, start + to))
            };
            words.into_iter().flat_map(inner).collect()
        }
        _ => unreachable!("no other is in use here"),
    }
}

struct Subject {
    pre_tokenizer: PreTokenizer,
    splitter: Splitter,
    cache: SplitCache,
    batch: Batch,
}

impl Subject {
    fn all() -> impl Iterator<Item = Self> {
        pre_tokenizers().into_iter().map(|pre_tokenizer| Self {
            splitter: Splitter::new(Some(&pre_tokenizer)).expect("compiles"),
            pre_tokenizer,
            cache: SplitCache::default(),
            batch: Batch::default(),
        })
    }

    fn check(&mut self, text: &str) {
        let told = told(&self.pre_tokenizer, text);
        let same = |found: &[(usize, usize)], way: &str| {
            assert_eq!(found, told, "{:?} on {text:?}, {way}", self.pre_tokenizer);
        };
        let mut found = Vec::new();
        let prepared = Prepared::of(text);
        let mut tell = |start, end| {
            found.push((start, end));
            Ok(())
        };
        self.splitter.words(&prepared, &mut self.cache, &mut tell).expect("runs");
        same(&found, "one by one");
        for kernel in Kernel::available() {
            let (mut found, mut position) = (Vec::new(), 0);
            while position < text.len() {
                let Splitter { stages: split, together, .. } = &self.splitter;
                let SplitCache { stages, sweep, .. } = &mut self.cache;
                stages.resize_with(8, ScanCache::default);
                self.batch.begin(position);
                let mut filling = Filling { kernel, batch: &mut self.batch, sweep, together };
                position = filling.fill(split, stages, text, position).expect("runs");
                let words = self.batch.starts().iter().zip(self.batch.ends());
                found.extend(words.map(|(&start, &end)| (start as usize, end as usize)));
            }
            same(&found, &format!("{kernel:?}"));
        }
    }
}

fn exhaustive() -> bool {
    std::env::var_os("DIGRAM_EXHAUSTIVE").is_some()
}

fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    }
}

#[test]
fn stages_and_their_description_agree_on_all_short_texts() {
    let lengths: &[(u32, usize)] =
        if exhaustive() { &[(3, 24), (4, 16), (5, 8)] } else { &[(2, 24), (3, 14)] };
    for mut subject in Subject::all() {
        for &(length, letters) in lengths {
            for number in 0..letters.pow(length) {
                let letter = |place| REPRESENTATIVES[number / letters.pow(place) % letters];
                subject.check(&(0..length).map(letter).collect::<String>());
            }
        }
    }
}

#[test]
fn stages_and_their_description_agree_on_long_texts() {
    let count = if exhaustive() { 4_000 } else { 300 };
    for (seed, mut subject) in Subject::all().enumerate() {
        let mut random = random(seed as u64 + 3);
        for _ in 0..count {
            let alphabet: Vec<char> =
                (0..=random(9)).map(|_| REPRESENTATIVES[random(REPRESENTATIVES.len())]).collect();
            let mut text = "x".repeat(random(64));
            for _ in 0..random(200) {
                let times = if random(9) == 0 { random(90) } else { 1 };
                text.extend(std::iter::repeat_n(alphabet[random(alphabet.len())], times));
            }
            subject.check(&text);
        }
    }
}

#[test]
fn stages_and_their_description_agree_on_texts_of_many_batches() {
    let mut random = random(11);
    let mut text = String::new();
    while text.len() < 40_000 {
        match random(60) {
            0..6 => text.push(REPRESENTATIVES[random(REPRESENTATIVES.len())]),
            6 => text.extend(std::iter::repeat_n(REPRESENTATIVES[random(24)], random(400))),
            7..12 => text.push_str(&"don't 1234567\n\n    中文の字, "[..random(2) * 14 + 5]),
            _ => text.push_str(&" some plain, short words of text"[random(28)..]),
        }
    }
    for mut subject in Subject::all() {
        subject.check(&text);
    }
}

/// The words of a text whose bytes are spelled on the way, as the parts say one after the other.
fn told_spelled(before: &PreTokenizer, behind: &PreTokenizer, text: &str) -> Vec<String> {
    let spelled = told(before, text).into_iter();
    let spelled = spelled.map(|(start, end)| aliases::spell(&text.as_bytes()[start..end]));
    let words = |text: String| {
        let words = told(behind, &text).into_iter();
        words.map(|(start, end)| text[start..end].to_owned()).collect::<Vec<_>>()
    };
    spelled.flat_map(words).collect()
}

#[test]
fn words_are_spelled_and_split_on_as_the_parts_say() {
    let digits = |individual_digits| PreTokenizer::Digits { individual_digits };
    let spell = || PreTokenizer::ByteLevel(ByteLevel::alphabet_only());
    let sequence = |pretokenizers| PreTokenizer::Sequence { pretokenizers };
    let befores = [
        vec![PreTokenizer::Punctuation { behavior: Behavior::Contiguous }, isolated(GPT2)],
        vec![PreTokenizer::Whitespace],
        vec![isolated(r"\p{L}+")],
        vec![],
    ];
    let behinds = [
        vec![digits(false), isolated("[0-9][0-9][0-9]")],
        vec![digits(true)],
        vec![isolated("Ġ[a-c]+|å.")],
        vec![split("1", Behavior::Removed, false)],
        vec![PreTokenizer::Punctuation { behavior: Behavior::MergedWithNext }],
        vec![],
    ];
    let mut random = random(12);
    for (before, behind) in befores.iter().flat_map(|one| behinds.each_ref().map(|two| (one, two)))
    {
        let all = [&before[..], &[spell()], &behind[..]].concat();
        let splitter = Splitter::spelling(Some(&sequence(all))).expect("compiles");
        assert!(splitter.spells());
        let (before, behind) = (sequence(before.clone()), sequence(behind.clone()));
        let mut cache = SplitCache::default();
        for _ in 0..200 {
            let mut text = String::new();
            for _ in 0..=random(300) {
                match random(8) {
                    0 => text.push(REPRESENTATIVES[random(REPRESENTATIVES.len())]),
                    1 => text.push_str("².³ 一二 ¹12345"[random(2) * 5..].trim_start_matches('³')),
                    _ => text.push_str(&" some abc, words"[random(14)..]),
                }
            }
            let (mut found, mut position) = (Vec::new(), 0);
            let (mut spelled, mut batch) = (Spelled::default(), Batch::default());
            while position < text.len() {
                let from = (&*text, position);
                position = splitter
                    .fill_spelled(from, &mut cache, &mut spelled, &mut batch)
                    .expect("runs");
                let places = batch.starts().iter().zip(batch.ends());
                let places = places.map(|(&start, &end)| start as usize..end as usize);
                found.extend(places.map(|place| spelled.text()[place].to_owned()));
            }
            let told = told_spelled(&before, &behind, &text);
            assert_eq!(found, told, "{before:?}, {behind:?} on {text:?}");
            let prepared = splitter.prepare(&*text, true, &mut cache).expect("does not grow");
            let mut one_by_one = Vec::new();
            let mut tell = |start: usize, end| {
                one_by_one.push(prepared.text[start..end].to_owned());
                Ok(())
            };
            splitter.words(&prepared, &mut cache, &mut tell).expect("runs");
            assert_eq!(one_by_one, told);
        }
    }
}
