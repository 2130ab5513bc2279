//! Word masks against the automaton that is made from the pattern: the same words, everywhere.

use super::scanner::{ScanCache, Scanner};
use super::sweep::{Sweep, SweepCache};
use super::*;

/// Every combination of clauses in use, and each published spelling of one.
const PATTERNS: [&str; 12] = [
    GPT2,
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s+(?!\S)|\s+",
];

/// One or two characters of each class and each length in bytes, and those that patterns name.
const REPRESENTATIVES: [char; 26] = [
    'a', 's', 'l', 'A', 'S', ' ', '\n', '\'', '!', '1', '中', '\u{301}', '/', '\t', '\r', 'é', 'Я',
    'ǅ', 'ʰ', '٣', 'ſ', '\u{A0}', '\u{3000}', '，', '😀', '𐐀',
];
/// What longer texts are also made of.
const RARE: [char; 22] = [
    'd',
    't',
    'v',
    'e',
    'r',
    'm',
    'K',
    '\u{85}',
    '\u{180E}',
    '\u{200B}',
    '\u{200D}',
    '\u{FE0F}',
    '\u{2028}',
    'ไ',
    '\u{E31}',
    'क',
    '\u{93F}',
    '½',
    '𝟙',
    '𐐨',
    '\u{1D165}',
    '𠀀',
];

fn exhaustive() -> bool {
    std::env::var_os("DIGRAM_EXHAUSTIVE").is_some()
}

struct Pair {
    pattern: &'static str,
    scanner: Scanner,
    scan: ScanCache,
    sweep: SweepCache,
    batch: Batch,
}

impl Pair {
    fn all() -> impl Iterator<Item = Self> {
        PATTERNS.into_iter().map(|pattern| Self {
            pattern,
            scanner: Scanner::new(pattern).expect("compiles"),
            scan: ScanCache::default(),
            sweep: SweepCache::default(),
            batch: Batch::default(),
        })
    }

    /// Where the automaton ends words from a position on.
    fn ends(&mut self, text: &str, position: usize) -> Vec<u32> {
        let (mut position, mut ends) = (position, Vec::new());
        while position < text.len() {
            position = self.scanner.next(text, position, &mut self.scan).expect("runs").end;
            ends.push(position as u32);
        }
        ends
    }

    /// Checks that every kernel ends them there as well.
    fn check(&mut self, text: &str, position: usize, ends: &[u32]) {
        let rules = self.scanner.rules.expect("these patterns are known");
        for kernel in Kernel::available() {
            let sweep = Sweep { kernel, rules, scanner: &self.scanner, text };
            let (mut at, mut told) = (position, 0);
            while at < text.len() {
                self.batch.begin(at);
                let next = sweep.fill(at, &mut self.batch, &mut self.sweep, &mut self.scan);
                let next = next.expect("runs");
                let (found, rest) = (self.batch.ends(), &ends[told..]);
                let same = found == &rest[..found.len().min(rest.len())];
                let pattern = self.pattern;
                assert!(
                    same,
                    "{pattern} on {text:?} from {at}, {kernel:?}: {found:?} for {rest:?}"
                );
                assert_eq!((self.batch.starts()[0], self.batch.end()), (at as u32, next));
                (at, told) = (next, told + found.len());
            }
            assert_eq!(told, ends.len());
        }
    }

    fn compare(&mut self, text: &str, position: usize) {
        let ends = self.ends(text, position);
        self.check(text, position, &ends);
    }
}

fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    }
}

#[test]
fn masks_and_automaton_agree_on_all_short_texts() {
    let lengths: &[(usize, usize)] =
        if exhaustive() { &[(4, 26), (5, 18)] } else { &[(3, 26), (4, 12)] };
    for &(length, letters) in lengths {
        for mut pair in Pair::all() {
            let mut digits = vec![0; length];
            let mut text = String::new();
            'all: loop {
                text.clear();
                text.extend(digits.iter().map(|&digit: &usize| REPRESENTATIVES[digit]));
                pair.compare(&text, 0);
                let mut place = 0;
                while digits[place] == letters - 1 {
                    digits[place] = 0;
                    place += 1;
                    if place == length {
                        break 'all;
                    }
                }
                digits[place] += 1;
            }
        }
    }
}

#[test]
fn masks_and_automaton_agree_on_long_texts_from_every_word() {
    let count = if exhaustive() { 40_000 } else { 600 };
    for (seed, mut pair) in Pair::all().enumerate() {
        let mut random = random(seed as u64 + 1);
        for round in 0..count {
            let length = 1 + random(200);
            // Few characters make long runs and strange neighbours likely.
            let alphabet: Vec<char> = (0..=random(12))
                .map(|_| match random(4) {
                    0 => RARE[random(RARE.len())],
                    1 => ['a', ' ', '\'', '1'][random(4)],
                    _ => REPRESENTATIVES[random(REPRESENTATIVES.len())],
                })
                .collect();
            let mut text = "x".repeat(random(64));
            while text.chars().count() < length {
                let character = alphabet[random(alphabet.len())];
                let times = if random(3) == 0 { 1 + random(40) } else { 1 + random(2) };
                text.extend(std::iter::repeat_n(character, times));
            }
            let ends = pair.ends(&text, 0);
            pair.check(&text, 0, &ends);
            if round % 8 == 0 {
                for (index, &end) in ends.iter().enumerate().take(64) {
                    pair.check(&text, end as usize, &ends[index + 1..]);
                }
            }
        }
    }
}

#[test]
fn masks_and_automaton_agree_on_texts_of_many_batches() {
    for (seed, mut pair) in Pair::all().enumerate() {
        let mut random = random(seed as u64 + 77);
        let mut text = String::new();
        while text.len() < 60_000 {
            match random(50) {
                0 => {
                    text.extend(std::iter::repeat_n([' ', 'a', '!', '中', '\n'][random(5)], 6_000));
                }
                1..6 => text.push(RARE[random(RARE.len())]),
                6..20 => text.push(REPRESENTATIVES[random(REPRESENTATIVES.len())]),
                20..30 => text.push_str(&"word".repeat(1 + random(10))[random(4)..]),
                _ => text.push_str(&" some plain, short words 12345"[random(30)..]),
            }
        }
        pair.compare(&text, 0);
    }
}

#[test]
fn masks_and_automaton_agree_on_every_character() {
    let every = if exhaustive() { 1 } else { 37 };
    for mut pair in Pair::all() {
        for (before, behind) in
            [("", ""), ("a", "a"), (" ", " "), ("1", "1"), ("!", "!"), ("A'", "B")]
        {
            let mut text = String::new();
            for character in
                ('\0'..=char::MAX).filter(|&c| c < '\u{3100}' || (c as u32).is_multiple_of(every))
            {
                text.extend(before.chars().chain([character]).chain(behind.chars()));
            }
            pair.compare(&text, 0);
        }
    }
}

#[test]
fn words_of_a_visible_space_are_told_alike_one_by_one_and_many_at_a_time() {
    let metaspace = PreTokenizer::Metaspace(Metaspace {
        replacement: '▁',
        prepend_scheme: crate::components::PrependScheme::Never,
        split: true,
    });
    let splitter = Splitter::new(Some(&metaspace)).expect("compiles");
    let (mut cache, mut batch, mut random) = (SplitCache::default(), Batch::default(), random(5));
    for length in 0..3_000 {
        let character = |_| ['▁', 'a', '中', ' ', '\u{2580}', '\n'][random(6)];
        let text: String = (0..length).map(character).collect();
        let (mut step, mut fill) = (0, 0);
        let mut outermost = splitter.outermost(&text);
        while fill < text.len() {
            fill = splitter.fill(&text, fill, &mut cache, &mut batch).expect("runs");
            for (&start, &end) in batch.starts().iter().zip(batch.ends()) {
                let mut told = (0, 0);
                let mut tell = |start, end| {
                    told = (start as u32, end as u32);
                    Ok(())
                };
                step = outermost.step(step, &mut cache, &mut tell).expect("runs");
                assert_eq!((start, end), told, "{text:?}");
            }
        }
        assert_eq!(step, text.len());
    }
}

fn splitter_of(pattern: &str) -> Splitter {
    let pre_tokenizer = PreTokenizer::Split {
        pattern: Pattern::Regex(pattern.into()),
        behavior: Behavior::Isolated,
        invert: false,
    };
    Splitter::new(Some(&pre_tokenizer)).expect("compiles")
}

#[test]
fn words_begin_at_certain_places_whatever_stands_around() {
    let mut random = random(7);
    for mut pair in Pair::all() {
        let splitter = splitter_of(pair.pattern);
        let mut found = 0;
        for _ in 0..20_000 {
            let length = 2 + random(7);
            let text: String = (0..length).map(|_| REPRESENTATIVES[random(26)]).collect();
            let ends = pair.ends(&text, 0);
            for place in 1..text.len() {
                if splitter.certain_place(&text, place, place + 1).is_some() {
                    assert!(ends.contains(&(place as u32)), "{} {text:?} {place}", pair.pattern);
                    found += 1;
                }
            }
        }
        assert!(found > 1_000, "only {found} places");
    }
}

#[test]
fn the_words_of_a_line_are_the_same_whatever_follows() {
    let mut random = random(8);
    for mut pair in Pair::all() {
        let splitter = splitter_of(pair.pattern);
        let rules = splitter.stages[0].sweeps().expect("it sweeps").1;
        let mut found = [0; 2];
        for _ in 0..30_000 {
            let length = 3 + random(9);
            let signs = (0..length).map(|_| match random(3) {
                0 => ['\n', '\n', ' ', ' ', '。'][random(5)],
                _ => REPRESENTATIVES[random(26)],
            });
            let text: String = signs.collect();
            let bounds = Bounds { least: 1 + random(2), near: [3, 40][random(2)], most: 40 };
            let Some(line) = splitter.line(&text, 0, &bounds, text.len()) else { continue };
            assert!(line.end >= bounds.least);
            let until = |text: &str, pair: &mut Pair| {
                let mut ends = pair.ends(text, 0);
                let border = ends.iter().position(|&end| end as usize == line.end);
                let border = border.unwrap_or_else(|| panic!("{} {text:?}", pair.pattern));
                ends.truncate(border + 1);
                ends
            };
            let words = until(&text, &mut pair);
            assert_eq!(until(&text[..line.seen], &mut pair), words, "{} {text:?}", pair.pattern);
            let (before, rest) = text.split_at(line.end);
            let is_letter = before.chars().next_back().is_some_and(char::is_alphabetic);
            let kind = rest.starts_with('。') || is_letter && rest.starts_with(' ');
            let follows = match (kind, rules.lines) {
                (true, _) => [" ", "。"][random(2)],
                (false, true) => ["", " ", "\t", "  \t"][random(4)],
                (false, false) => ["\n", " ", "\t"][random(3)],
            };
            let next = ['a', '1', '!', '中', '\'', 'S'][random(6)];
            let more = ["", "/", "\n", "x y"][random(4)];
            let other = format!("{before}{follows}{next}{more}");
            assert_eq!(until(&other, &mut pair), words, "{} {text:?} {other:?}", pair.pattern);
            if !kind && (rules.lines || rest.starts_with(follows)) {
                let again = splitter.line(&other, 0, &bounds, other.len()).expect("it is one");
                assert_eq!(again.end, line.end, "{} {text:?} {other:?}", pair.pattern);
            }
            found[usize::from(kind)] += 1;
        }
        assert!(found[0] > 500 && found[1] > 500, "{found:?}");
    }
}
