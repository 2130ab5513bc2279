//! The fast learner equals the naive one, and both say what the textbooks say.

use crate::error::Error;
use crate::model::{EndOfWord, Units};
use crate::monitor::{Caller, Monitor, Nobody};

use super::naive::{self, Naive, spelled};
use super::{Alphabet, LearnOptions, Learned, StopReason, Ties, TrainingReport, WordCounts, learn};

/// A small generator of numbers that look random: the cases are the same everywhere.
pub(super) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

pub(super) fn run(counts: &WordCounts, options: &LearnOptions) -> (Learned, TrainingReport) {
    learn(counts, options, &Monitor::new(&Nobody)).expect("the options are right")
}

fn marker(attached: bool) -> EndOfWord {
    let marker = "</w>".into();
    EndOfWord { marker, attached }
}

pub(super) fn random_words(random: &mut Random) -> WordCounts {
    let letters =
        random.pick(&[&["a"][..], &["a", "b"], &["a", "b", "c", "é"], &["<", "x", "字", "é", "!"]]);
    let mut counts = WordCounts::new();
    for _ in 0..=random.below(25) {
        let period: String = (0..=random.below(4)).map(|_| random.pick(letters)).collect();
        let mut word = period.repeat(1 + random.below(3));
        if random.below(4) == 0 {
            word += random.pick(letters);
        }
        let count = random.pick(&[1, 1, 1, 2, 3, (1 << 31) - 1, 1 << 31, 1 << 40]);
        counts.push(word.as_bytes(), count).expect("the counts are small");
    }
    counts
}

/// Now and then a marker that looks like a letter of the words.
fn random_marker(random: &mut Random) -> Option<EndOfWord> {
    let marker = random.pick(&["</w>", "</w>", "é"]).into();
    let attached = random.pick(&[true, false]);
    random.pick(&[None, Some(EndOfWord { marker, attached })])
}

pub(super) fn random_options(random: &mut Random) -> LearnOptions {
    let units = random.pick(&[Units::Bytes, Units::Chars]);
    let mut options = LearnOptions {
        units,
        ties: Ties::NAMES[random.below(5)].1,
        min_frequency: random.pick(&[0, 1, 2, 2, 3, 1 << 32]),
        end_of_word: random_marker(random),
        max_token_length: random.pick(&[None, None, Some(1), Some(2), Some(3), Some(5)]),
        num_merges: random.pick(&[None, Some(0), Some(3), Some(30)]),
        initial_alphabet: random.pick(&[
            Alphabet::Default,
            Alphabet::Seen,
            Alphabet::Given(vec!["zé".into(), "a".into()]),
        ]),
        unk_token: random.pick(&[None, Some("[UNK]".into())]),
        ..LearnOptions::default()
    };
    for special in ["ab", "aa", "ba</w>", "<x", "[UNK]"] {
        if random.below(3) == 0 {
            options.special_tokens.push(special.into());
        }
    }
    options
}

/// Leaves rare characters out of the alphabet now and then, and spells some in bytes.
pub(super) fn limit_alphabet(random: &mut Random, options: &mut LearnOptions) {
    let is_allowed = options.units == Units::Chars && options.end_of_word.is_none();
    options.byte_fallback = is_allowed && random.pick(&[true, false]);
    if options.units == Units::Chars && (options.unk_token.is_some() || options.byte_fallback) {
        options.limit_alphabet = random.pick(&[None, None, Some(1), Some(2), Some(4)]);
        options.character_coverage = random.pick(&[None, None, Some(0.5), Some(0.9), Some(1.0)]);
    }
}

pub(super) fn assert_same(
    found: &(Learned, TrainingReport),
    naive: &Naive,
    options: &LearnOptions,
) {
    let (learned, report) = found;
    let merges: Vec<_> = learned.merges.iter().map(|merge| (merge.left, merge.right)).collect();
    assert_eq!(merges, naive.merges, "{options:?}");
    let mut specials = vec![0; naive.specials];
    let (mut left_out, mut live) = (naive.unknown, 0);
    if let Some(first) = options.first_byte() {
        for &(byte, count) in &naive.bytes {
            specials[first + usize::from(byte)] += count;
        }
        left_out = specials.iter().sum();
        live = specials.iter().filter(|&&count| count > 0).count() as u32;
        live -= u32::from(naive.unknown > 0);
    } else if let Some(unknown) = options.left_out() {
        specials[unknown as usize] = naive.unknown;
    }
    let live_symbols: Vec<u32> = naive.live_symbols.iter().map(|symbols| symbols + live).collect();
    assert_eq!(report.frequencies, [&specials[..], &naive.frequencies].concat());
    assert_eq!(report.live_frequencies, [&specials[..], &naive.live_frequencies].concat());
    assert_eq!(report.live_symbols, live_symbols);
    assert_eq!(report.stopped, naive.stopped, "{options:?}");
    assert_eq!(report.symbols_at_start, naive_start(naive) + left_out);
    assert_eq!(report.symbols_at_end, naive.live_frequencies.iter().sum::<u64>() + left_out);
    let marker = options.end_of_word.as_ref().map_or("", |end| &end.marker);
    for (token, expected) in learned.tokens[naive.specials..].iter().zip(&naive.tokens) {
        let mut bytes = token.bytes.clone();
        bytes.extend(if token.ends_word { marker.as_bytes() } else { b"" });
        assert_eq!(bytes, spelled(expected, options));
        assert_eq!(token.ends_word, expected.last().is_some_and(Vec::is_empty));
    }
    assert_eq!(learned.tokens.len(), naive.specials + naive.tokens.len());
}

fn naive_start(naive: &Naive) -> u64 {
    let base = &naive.frequencies[..naive.tokens.len() - naive.merges.len()];
    base.iter().sum()
}

#[test]
fn the_fast_learner_equals_the_naive_one_on_random_corpora() {
    let random = &mut Random(2026);
    for _ in 0..1_500 {
        let counts = random_words(random);
        let mut options = random_options(random);
        limit_alphabet(random, &mut options);
        let words: Vec<_> = counts.iter().map(|(word, count)| (word.to_vec(), count)).collect();
        let base = naive::learn(&words, &LearnOptions { num_merges: Some(0), ..options.clone() });
        if random.below(3) == 0 {
            let size = base.specials + base.tokens.len() + random.below(12);
            options.vocab_size = Some(size as u64);
        }
        assert_same(&run(&counts, &options), &naive::learn(&words, &options), &options);
    }
}

#[test]
fn long_periodic_words_equal_the_naive_learner() {
    let random = &mut Random(7);
    for _ in 0..60 {
        let period: String = (0..=random.below(6)).map(|_| random.pick(&["a", "b", "c"])).collect();
        let word = period.repeat(20 + random.below(80));
        let [one, other] = random.pick(&[[3, 2], [1, 1], [1, 2]]);
        let words =
            vec![(word.clone().into_bytes(), one), (format!("{word}a").into_bytes(), other)];
        let counts = WordCounts::from_pairs(words.clone()).expect("the counts are small");
        let (ties, min_frequency) = (Ties::NAMES[random.below(5)].1, random.pick(&[1, 2]));
        let units = Units::Chars;
        let options = LearnOptions { units, min_frequency, ties, ..LearnOptions::default() };
        assert_same(&run(&counts, &options), &naive::learn(&words, &options), &options);
    }
}

#[test]
fn each_word_counts_as_often_as_it_occurs_whatever_its_length() {
    let random = &mut Random(11);
    for _ in 0..40 {
        let mut words = std::collections::BTreeMap::new();
        for _ in 0..12 {
            let length = random.pick(&[1, 2, 7, 8, 9, 62, 63, 64, 65, 66, 130]);
            let word: String = (0..length).map(|_| random.pick(&["a", "b", "c", "d"])).collect();
            let count = random.pick(&[1, 2, 5, (1 << 30) - 1, 1 << 30, 1 << 31, 1 << 40]);
            words.insert(word.into_bytes(), count);
        }
        let words: Vec<_> = words.into_iter().collect();
        let counts = WordCounts::from_pairs(words.clone()).expect("the counts are small");
        let (ties, min_frequency) = (Ties::NAMES[random.below(5)].1, random.pick(&[1, 2]));
        let units = Units::Chars;
        let options = LearnOptions { units, min_frequency, ties, ..LearnOptions::default() };
        assert_same(&run(&counts, &options), &naive::learn(&words, &options), &options);
    }
}

pub(super) fn toy() -> WordCounts {
    let words = [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)];
    WordCounts::from_pairs(words).expect("the counts are small")
}

/// The merges as text: `e s|es t`.
fn spell_merges((learned, _): &(Learned, TrainingReport)) -> String {
    let spell = |id: u32| {
        let token = &learned.tokens[id as usize];
        let text = String::from_utf8_lossy(&token.bytes).into_owned();
        text + if token.ends_word { "</w>" } else { "" }
    };
    let merges = learned.merges.iter();
    merges.map(|m| format!("{} {}", spell(m.left), spell(m.right))).collect::<Vec<_>>().join("|")
}

fn learn_toy(ties: Ties, attached: bool) -> (Learned, TrainingReport) {
    let options = LearnOptions {
        ties,
        units: Units::Chars,
        end_of_word: Some(marker(attached)),
        num_merges: Some(15),
        ..LearnOptions::default()
    };
    run(&toy(), &options)
}

#[test]
fn the_textbook_example_has_its_fifteen_merges() {
    let found = learn_toy(Ties::FirstSeen, false);
    assert_eq!(
        spell_merges(&found),
        "e s|es t|est </w>|l o|lo w|n e|ne w|new est</w>|low </w>|w i|wi d|wid est</w>|low e\
         |lowe r|lower </w>"
    );
    let report = &found.1;
    assert_eq!(report.merge_frequencies(), [9, 9, 9, 7, 7, 6, 6, 6, 5, 3, 3, 3, 2, 2, 2]);
    let live = [11, 11, 10, 10, 9, 9, 9, 9, 9, 10, 9, 8, 7, 6, 5, 4];
    assert_eq!(report.live_symbols, live);
    let changes = [0, -1, 0, -1, 0, 0, 0, 0, 1, -1, -1, -1, -1, -1, -1];
    assert_eq!(report.changes().collect::<Vec<_>>(), changes);
    assert_eq!((report.words, report.occurrences), (4, 16));
    assert_eq!((report.symbols_at_start, report.symbols_at_end), (95, 16));
}

#[test]
fn the_textbook_example_under_the_rules_that_compare_strings() {
    assert_eq!(
        spell_merges(&learn_toy(Ties::SmallestStrings, false)),
        "e s|es t|est </w>|l o|lo w|e w|ew est</w>|n ewest</w>|low </w>|d est</w>|i dest</w>\
         |w idest</w>|e r|er </w>|low er</w>"
    );
    assert_eq!(
        spell_merges(&learn_toy(Ties::LargestStrings, false)),
        "t </w>|s t</w>|e st</w>|o w|l ow|w est</w>|n e|ne west</w>|low </w>|w i|wi d|wid est</w>\
         |r </w>|low e|lowe r</w>"
    );
}

#[test]
fn first_seen_is_by_rescan_and_not_by_when_a_pair_was_made() {
    let counts = WordCounts::from_pairs([("acbc", 3)]).expect("a small count");
    let options =
        LearnOptions { ties: Ties::FirstSeen, units: Units::Chars, ..LearnOptions::default() };
    assert_eq!(spell_merges(&run(&counts, &options)), "a c|ac b|acb c");
}

#[test]
fn counts_beyond_32_bits_decide() {
    let counts = WordCounts::from_pairs([("ab", (1 << 32) + 1), ("cd", (1 << 32) + 2), ("ef", 7)])
        .expect("they fit 64 bits");
    let found = run(&counts, &LearnOptions::default());
    assert_eq!(spell_merges(&found), "c d|a b|e f");
    assert_eq!(found.1.merge_frequencies(), [(1 << 32) + 2, (1 << 32) + 1, 7]);
}

#[test]
fn more_symbols_than_63_bits_count_are_refused_by_the_word() {
    let counts = WordCounts::from_pairs([("the", 1 << 62)]).expect("it fits 64 bits");
    let found = learn(&counts, &LearnOptions::default(), &Monitor::new(&Nobody));
    assert!(matches!(found, Err(Error::Limit(message)) if message.contains("\"the\"")));
}

fn refusal(counts: &WordCounts, options: &LearnOptions) -> String {
    let found = learn(counts, options, &Monitor::new(&Nobody));
    found.expect_err("the options are wrong").to_string()
}

#[test]
fn wrong_options_are_refused_with_the_value_and_the_rule() {
    let special = |tokens: &[&str]| LearnOptions {
        special_tokens: tokens.iter().map(ToString::to_string).collect(),
        ..LearnOptions::default()
    };
    let small = LearnOptions { vocab_size: Some(100), ..special(&["<s>"]) };
    assert_eq!(
        refusal(&toy(), &small),
        "vocab_size is 100, but the bytes and special tokens alone need 257"
    );
    assert!(refusal(&toy(), &special(&["<s>", "<s>"])).contains("\"<s>\" is listed twice"));
    assert!(refusal(&toy(), &special(&[""])).contains("a special token is empty"));
    assert!(refusal(&toy(), &special(&["a"])).contains("\"a\" is also a base symbol"));
    let end_of_word = Some(EndOfWord { marker: String::new(), attached: true });
    let unmarked = LearnOptions { end_of_word, ..LearnOptions::default() };
    assert!(refusal(&toy(), &unmarked).contains("end_of_word is empty"));
    let short = LearnOptions { max_token_length: Some(0), ..LearnOptions::default() };
    assert!(refusal(&toy(), &short).contains("max_token_length is 0"));
    assert!(refusal(&WordCounts::new(), &special(&[])).contains("no words to learn from"));
    let words = WordCounts::from_pairs([(b"a\xff", 1)]).expect("a small count");
    let chars = LearnOptions { units: Units::Chars, ..LearnOptions::default() };
    assert!(refusal(&words, &chars).contains("not UTF-8 at byte 1"));
    assert!(Ties::from_name("random").is_err_and(|error| error.to_string().contains("first-seen")));
}

#[test]
fn an_unknown_token_not_listed_gets_the_first_id() {
    let unk = |listed: &[&str]| {
        let options = LearnOptions {
            unk_token: Some("[UNK]".into()),
            special_tokens: listed.iter().map(ToString::to_string).collect(),
            ..LearnOptions::default()
        };
        run(&toy(), &options).0.unknown
    };
    assert_eq!((unk(&["<s>"]), unk(&["<s>", "[UNK]"])), (Some(0), Some(1)));
}

#[test]
fn a_limit_reached_together_with_the_last_pair_is_the_reason() {
    let counts = WordCounts::from_pairs([("ab", 2)]).expect("a small count");
    let stopped = |num_merges| {
        run(&counts, &LearnOptions { num_merges, ..LearnOptions::default() }).1.stopped
    };
    assert_eq!(stopped(Some(1)), StopReason::NumMerges);
    assert_eq!(stopped(Some(2)).as_str(), "no-pairs");
}

/// Wants to stop at once.
struct Impatient;

impl Caller for Impatient {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn learning_stops_when_the_caller_wants() {
    let counts = WordCounts::from_pairs([("ab".repeat(4_000_000), 2)]).expect("a small count");
    let found = learn(&counts, &LearnOptions::default(), &Monitor::new(&Impatient));
    assert!(matches!(found, Err(Error::Interrupted)));
}
