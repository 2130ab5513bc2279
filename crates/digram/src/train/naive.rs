//! The learner that recounts everything after every merge: slow, obvious, and what the fast one
//! must equal.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use unicode_script::UnicodeScript;

use crate::aliases::ALIASES;
use crate::model::Units;

use super::constraints::compiled;
use super::options::{Alphabet, Apart, LearnOptions, Ties};
use super::report::StopReason;

/// Units, of which the last may be the marker: no text at all.
type Token = Vec<Vec<u8>>;

/// Stands for each unit that is left out of the alphabet.
const UNKNOWN: usize = usize::MAX;

/// What the naive learner found.
pub(super) struct Naive {
    pub specials: usize,
    /// How many characters the alphabet leaves out of all words.
    pub unknown: u64,
    /// The bytes of these, each as often as it occurs.
    pub bytes: Vec<(u8, u64)>,
    pub tokens: Vec<Token>,
    pub merges: Vec<(u32, u32)>,
    pub frequencies: Vec<u64>,
    pub live_frequencies: Vec<u64>,
    pub live_symbols: Vec<u32>,
    pub stopped: StopReason,
}

/// A token's text, the marker included.
pub(super) fn spelled(token: &Token, options: &LearnOptions) -> Vec<u8> {
    let marker = options.end_of_word.as_ref().map_or("", |end| &end.marker);
    let text = |unit: &Vec<u8>| {
        if unit.is_empty() { marker.into() } else { unit.clone() }
    };
    token.iter().flat_map(text).collect()
}

fn split(word: &[u8], units: Units) -> Token {
    match units {
        Units::Bytes => word.iter().map(|&byte| vec![byte]).collect(),
        Units::Chars => {
            let text = std::str::from_utf8(word).expect("tests give text");
            text.chars().map(|unit| unit.to_string().into_bytes()).collect()
        }
    }
}

fn symbols(word: &[u8], options: &LearnOptions) -> Vec<Token> {
    let mut symbols: Vec<Token> =
        split(word, options.units).into_iter().map(|unit| vec![unit]).collect();
    match &options.end_of_word {
        Some(end) if end.attached => {
            symbols.last_mut().expect("no word is empty").push(Vec::new());
        }
        Some(_) => symbols.push(vec![Vec::new()]),
        None => {}
    }
    symbols
}

/// The units that are left out of the alphabet: all behind those that are frequent enough.
#[expect(clippy::cast_precision_loss, reason = "as the fast learner has it")]
fn left_out(words: &[(Vec<u8>, u64)], options: &LearnOptions) -> BTreeSet<Vec<u8>> {
    if !options.limits_alphabet() {
        return BTreeSet::new();
    }
    let units = |word: &Vec<u8>| split(word, options.units);
    let given = match &options.initial_alphabet {
        Alphabet::Given(texts) => texts.iter().flat_map(units).collect(),
        _ => BTreeSet::new(),
    };
    let mut seen = BTreeMap::<Vec<u8>, u64>::new();
    for (word, count) in words {
        for unit in units(word) {
            *seen.entry(unit).or_default() += count;
        }
    }
    let all: u64 = seen.values().sum();
    let mut order: Vec<_> = seen.iter().filter(|(unit, _)| !given.contains(*unit)).collect();
    order.sort_by_key(|&(unit, count)| (Reverse(count), unit));
    let before = |place: usize| {
        let known: u64 = given.iter().filter_map(|unit| seen.get(unit)).sum();
        known + order[..place].iter().map(|(_, count)| **count).sum::<u64>()
    };
    let is_out = |place: usize| {
        options.limit_alphabet.is_some_and(|most| (given.len() + place) as u64 >= most)
            || options
                .character_coverage
                .is_some_and(|part| (before(place) as f64 / all as f64) as f32 >= part)
    };
    let first = (0..order.len()).find(|&place| is_out(place)).unwrap_or(order.len());
    order[first..].iter().map(|(unit, _)| (*unit).clone()).collect()
}

fn base(words: &[(Vec<u8>, u64)], options: &LearnOptions) -> Vec<Token> {
    let out = left_out(words, options);
    let mut base: BTreeSet<Token> = words
        .iter()
        .flat_map(|(word, _)| symbols(word, options))
        .filter(|symbol| !out.contains(&symbol[0]))
        .collect();
    let alone: Vec<Token> = base.iter().map(|symbol| symbol[..1].to_vec()).collect();
    base.extend(alone);
    let wanted: Vec<Vec<u8>> = match (&options.initial_alphabet, options.units) {
        (Alphabet::Default, Units::Bytes) => (0..=255).map(|byte| vec![byte]).collect(),
        (Alphabet::Given(texts), units) => {
            texts.iter().flat_map(|text| split(text, units)).collect()
        }
        _ => Vec::new(),
    };
    for unit in wanted {
        if options.end_of_word.as_ref().is_some_and(|end| end.attached) {
            base.insert(vec![unit.clone(), Vec::new()]);
        }
        base.insert(vec![unit]);
    }
    let mut base: Vec<Token> = base.into_iter().collect();
    base.sort_by_key(|symbol| (symbol.len(), order(symbol, options), symbol[0].is_empty()));
    base
}

fn order(symbol: &Token, options: &LearnOptions) -> String {
    match options.units {
        Units::Bytes if !symbol[0].is_empty() => ALIASES[usize::from(symbol[0][0])].to_string(),
        _ => String::from_utf8(spelled(symbol, options)).expect("tests give text"),
    }
}

fn limit(naive: &Naive, options: &LearnOptions) -> Option<StopReason> {
    let size = (naive.specials + naive.tokens.len()) as u64;
    if options.vocab_size == Some(size) {
        return Some(StopReason::VocabSize);
    }
    (options.num_merges == Some(naive.merges.len() as u64)).then_some(StopReason::NumMerges)
}

/// Learns by definition. Tokens and merges are numbered after the special tokens.
pub(super) fn learn(words: &[(Vec<u8>, u64)], options: &LearnOptions) -> Naive {
    let specials = options.reserved().len();
    let tokens = base(words, options);
    let id = |symbol| tokens.iter().position(|token| *token == symbol).unwrap_or(UNKNOWN);
    let mut segmented: Vec<(Vec<usize>, u64)> = words
        .iter()
        .map(|(word, count)| (symbols(word, options).into_iter().map(id).collect(), *count))
        .collect();
    let live = live_frequencies(&segmented, tokens.len());
    let unknown = segmented
        .iter()
        .map(|(word, count)| {
            word.iter().filter(|&&symbol| symbol == UNKNOWN).count() as u64 * count
        })
        .sum();
    let left_out = words.iter().flat_map(|(word, count)| {
        let split = symbols(word, options).into_iter();
        split.filter(|symbol| !tokens.contains(symbol)).map(move |symbol| (symbol, *count))
    });
    let bytes = left_out
        .flat_map(|(symbol, count)| symbol.concat().into_iter().map(move |byte| (byte, count)));
    let bytes = bytes.collect();
    let mut naive = Naive {
        specials,
        unknown,
        bytes,
        tokens,
        merges: Vec::new(),
        frequencies: live.clone(),
        live_symbols: vec![count_live(&live, unknown)],
        live_frequencies: live,
        stopped: StopReason::NoPairs,
    };
    loop {
        if let Some(reached) = limit(&naive, options) {
            naive.stopped = reached;
            return naive;
        }
        let counts = count_pairs(&segmented, &naive.tokens, options);
        let Some(best) = counts.values().map(|(count, _)| *count).max() else {
            return naive;
        };
        if best < options.min_frequency {
            naive.stopped = StopReason::MinFrequency;
            return naive;
        }
        let tied = counts.iter().filter(|(_, (count, _))| *count == best);
        let pair = choose(tied.map(|(&pair, &(_, first))| (pair, first)), &naive.tokens, options);
        merge(&mut naive, &mut segmented, pair, best);
    }
}

fn merge(naive: &mut Naive, words: &mut [(Vec<usize>, u64)], pair: (usize, usize), count: u64) {
    let merged = naive.tokens.len();
    let product = [&naive.tokens[pair.0][..], &naive.tokens[pair.1]].concat();
    assert!(!naive.tokens.contains(&product), "no token is made twice");
    naive.tokens.push(product);
    naive.merges.push(((naive.specials + pair.0) as u32, (naive.specials + pair.1) as u32));
    naive.frequencies.push(count);
    for (word, _) in words.iter_mut() {
        *word = replace(word, pair, merged);
    }
    naive.live_frequencies = live_frequencies(words, merged + 1);
    naive.live_symbols.push(count_live(&naive.live_frequencies, naive.unknown));
}

fn replace(word: &[usize], pair: (usize, usize), merged: usize) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::new();
    for &symbol in word {
        match out.last_mut() {
            Some(last) if (*last, symbol) == pair => *last = merged,
            _ => out.push(symbol),
        }
    }
    out
}

/// Each pair that may be merged, its count, and when it was first seen.
fn count_pairs(
    words: &[(Vec<usize>, u64)],
    tokens: &[Token],
    options: &LearnOptions,
) -> BTreeMap<(usize, usize), (u64, usize)> {
    let mut counts = BTreeMap::new();
    let pairs = words.iter().flat_map(|(word, count)| word.windows(2).map(move |two| (two, count)));
    for (seen, (two, count)) in pairs.enumerate() {
        if two.contains(&UNKNOWN) {
            continue;
        }
        let product = [&tokens[two[0]][..], &tokens[two[1]]].concat();
        let is_special = |special: &Cow<str>| special.as_bytes() == spelled(&product, options);
        if product.len() > options.max_token_length.unwrap_or(usize::MAX)
            || options.reserved().iter().any(is_special)
            || options.forbidden.contains(&spelled(&product, options))
            || is_refused(&product, options)
        {
            continue;
        }
        counts.entry((two[0], two[1])).or_insert((0, seen)).0 += count;
    }
    counts
}

/// Whether a constraint is against a product; told character by character.
fn is_refused(product: &Token, options: &LearnOptions) -> bool {
    let spelled = spelled(product, options);
    let found = |pattern| compiled(&[pattern]).expect("it compiles").is_match(&spelled);
    if options.forbidden_patterns.iter().any(found) {
        return true;
    }
    let text = product.concat();
    let lossy = String::from_utf8_lossy(&text);
    let digits = lossy.chars().filter(|unit| unit.is_numeric()).count();
    if options.max_digits.is_some_and(|most| digits > most) {
        return true;
    }
    let apart = |class| options.apart.contains(&class);
    let differs = |class: fn(char) -> bool| {
        lossy.chars().any(|unit| class(unit) != class(lossy.chars().next().unwrap_or(unit)))
    };
    let scripts: BTreeSet<_> = lossy
        .chars()
        .map(|unit| unit.script().full_name())
        .filter(|name| !["Common", "Inherited", "Unknown"].contains(name))
        .collect();
    // of the texts that tests give, a part of a character is one that some character has
    let marked = product.iter().any(Vec::is_empty) && options.is_separate();
    let within = ["é", "▁", "２", "٣", "я", "字", "か", "\u{301}", "\u{a0}", "😀"]
        .iter()
        .any(|unit| !marked && unit.as_bytes().windows(text.len()).any(|part| part == text));
    !options.apart.is_empty() && !within && std::str::from_utf8(&text).is_err()
        || apart(Apart::Spaces) && differs(char::is_whitespace)
        || apart(Apart::Digits) && differs(char::is_numeric)
        || apart(Apart::Scripts) && scripts.len() > 1
        || apart(Apart::SentencePiece) && !is_piece(&lossy)
        || apart(Apart::SentencePieceScripts) && !is_piece(&lossy.replace('\u{2581}', ""))
        || apart(Apart::SentencePieceScriptsWithDigits)
            && !lossy
                .replace('\u{2581}', "")
                .split(|unit: char| "0123456789０１２３４５６７８９".contains(unit))
                .all(is_piece)
}

/// Whether `SentencePiece` takes a text for a piece: told by neighbours, each with a script or that
/// of what it stands on.
fn is_piece(text: &str) -> bool {
    let rest = text.strip_prefix('\u{2581}').unwrap_or(text);
    let name = |unit: char| match (unit, unit.script().full_name()) {
        ('ー', _) | (_, "Hiragana" | "Katakana") => "Han",
        (_, "Unknown") => "Common",
        (_, name) => name,
    };
    let stands_on: Vec<&str> =
        rest.chars().map(name).skip_while(|&name| name == "Inherited").collect();
    let scripts: BTreeSet<_> = stands_on.iter().filter(|&&name| name != "Inherited").collect();
    scripts.len() < 2 && !rest.contains(['\u{2581}', '\u{2585}', '\0', ' '])
}

fn choose(
    tied: impl Iterator<Item = ((usize, usize), usize)>,
    tokens: &[Token],
    options: &LearnOptions,
) -> (usize, usize) {
    let text = |id: usize| spelled(&tokens[id], options);
    let strings = |pair: (usize, usize)| (text(pair.0), text(pair.1));
    let best = match options.ties {
        Ties::SmallestIds => tied.min_by_key(|&(pair, _)| pair),
        Ties::FirstSeen => tied.min_by_key(|&(_, first)| first),
        Ties::SmallestStrings => tied.min_by_key(|&(pair, _)| (strings(pair), pair)),
        Ties::LargestStrings => tied.min_by_key(|&(pair, _)| (Reverse(strings(pair)), pair)),
        Ties::Shortest => tied.min_by_key(|&(pair, _)| {
            let product = [text(pair.0), text(pair.1)].concat();
            (tokens[pair.0].len() + tokens[pair.1].len(), product, pair)
        }),
    };
    best.expect("some pair has the best count").0
}

fn live_frequencies(words: &[(Vec<usize>, u64)], tokens: usize) -> Vec<u64> {
    let mut live = vec![0; tokens];
    for (word, count) in words {
        for &symbol in word.iter().filter(|&&symbol| symbol != UNKNOWN) {
            live[symbol] += count;
        }
    }
    live
}

fn count_live(frequencies: &[u64], unknown: u64) -> u32 {
    let all = frequencies.iter().chain([&unknown]);
    all.filter(|&&frequency| frequency > 0).count() as u32
}
