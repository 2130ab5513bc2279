//! However a text goes through the engine, its ids are those of its words, merged one by one.

use super::Run;
use super::news::News;
use super::words::Words;
use super::{Special, Tokenizer};
use crate::arch::append::Packing;
use crate::components::added::Matcher;
use crate::components::{AddedToken, Behavior, Pattern, PreTokenizer};
use crate::merge::Room;
use crate::model::{Merge, Model, Rule, Units};
use crate::monitor::{Monitor, Nobody};
use crate::vocabulary::{Token, Vocabulary};

pub(crate) const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s";

/// Pieces that texts are made of.
const PIECES: [&str; 24] = [
    " the",
    "the",
    " a",
    "1",
    "22",
    "4444",
    "\n",
    "  ",
    "\r\n\t",
    "'s",
    "...",
    "中文字",
    "中",
    "日本",
    "гла",
    "вода",
    "é",
    "ñandú",
    "😀",
    "क्षि",
    "aaaaaaaa",
    "abababab",
    "\0",
    "ไทย",
];

pub(crate) struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % end
    }

    pub fn text(&mut self, pieces: usize) -> String {
        (0..pieces).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

/// A byte model of some merges of what stands side by side in such texts. Ids of half of what is merged
/// have more than 16 bits.
pub(crate) fn model(random: &mut Random, by_rank: bool, pattern: Option<&str>) -> Model {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let mut merges = Vec::new();
    let number = |place: usize| place as u32 + if place < 400 { 0 } else { 70_000 };
    while merges.len() < 300 {
        let text = random.text(2).into_bytes();
        let from = random.below(text.len());
        let length = 2 + random.below(18);
        let part = &text[from..text.len().min(from + length)];
        let middle = 1 + random.below(part.len().max(2) - 1);
        let id = |bytes: &[u8]| tokens.iter().position(|token| token == bytes);
        let (Some((left, right)), None) = (part.split_at_checked(middle), id(part)) else {
            continue;
        };
        if let (Some(left), Some(right)) = (id(left), id(right)) {
            let [left, right, joined] = [left, right, tokens.len()].map(number);
            merges.push(Merge { left, right, merged: joined });
            tokens.push(part.to_vec());
        }
    }
    let tokens = (0..).zip(tokens).map(|(place, bytes)| Token::new(number(place), bytes)).collect();
    let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
    let rule = if by_rank { Rule::Ranks } else { Rule::Merges(merges) };
    let mut model = Model::new(vocabulary, Units::Bytes, rule);
    model.ignore_merges = by_rank;
    model.pre_tokenizer = pattern.map(|pattern| PreTokenizer::Split {
        pattern: Pattern::Regex(pattern.into()),
        behavior: Behavior::Isolated,
        invert: false,
    });
    model
}

/// The model with some added tokens.
pub(crate) fn with_added(model: Model, added: &[AddedToken]) -> Model {
    let known = (0..model.vocabulary.ids() as u32).filter(|&id| model.vocabulary.contains(id));
    let known = known.map(|id| Token::new(id, model.vocabulary.bytes(id)));
    let tokens = added
        .iter()
        .map(|token| Token { added_only: true, ..Token::new(token.id, token.content.as_bytes()) });
    let vocabulary = Vocabulary::new(known.chain(tokens).collect()).expect("ids are distinct");
    Model { vocabulary, added_tokens: added.to_vec(), ..model }
}

/// The ids of a text, word by word.
fn one_by_one(tokenizer: &Tokenizer, text: &str) -> Vec<u32> {
    let monitor = Monitor::new(&Nobody);
    let (mut ids, mut room) = (Vec::new(), Room::default());
    for (word, ..) in tokenizer.words(text, &monitor).expect("there are words") {
        let encoded =
            tokenizer.merger.encode(&word, &tokenizer.model, &mut room, &mut ids, &monitor);
        encoded.expect("all bytes are there");
    }
    ids
}

pub(super) fn all_models(random: &mut Random) -> Vec<Tokenizer> {
    let kinds = [(false, Some(CL100K)), (true, Some(CL100K)), (false, None), (true, None)];
    let made = kinds.map(|(by_rank, pattern)| Tokenizer::new(model(random, by_rank, pattern)));
    made.into_iter().map(|tokenizer| tokenizer.expect("the model is sound")).collect()
}

#[test]
fn tables_full_empty_and_as_small_as_can_be_give_the_same_ids() {
    let mut random = Random(3);
    let monitor = Monitor::new(&Nobody);
    for tokenizer in all_models(&mut random) {
        let sizes = [
            (1, 2, 0, 0),
            (2, 4, 8, 100),
            (64, 128, 64, 4000),
            (1 << 12, 1 << 13, 1 << 10, 1 << 20),
        ];
        let packed = |packing| sizes.map(|size| (packing, size));
        let all = [Packing::Three, Packing::Six, Packing::Seven].map(packed);
        for (packing, (near, far, wide, long)) in all.into_iter().flatten() {
            let mut scratch = tokenizer.scratch(1).expect("there is room");
            scratch.words = Words::with_room(packing, near, far, wide, long);
            for _ in 0..60 {
                let pieces = 1 + random.below(400);
                let text = random.text(pieces);
                let (mut ids, mut count) = (Vec::new(), 0_usize);
                for round in 0..2 {
                    ids.clear();
                    let given = (text.as_str(), true);
                    tokenizer
                        .encode_words(given, &mut scratch, &mut ids, &monitor)
                        .expect("encodes");
                    assert_eq!(ids, one_by_one(&tokenizer, &text), "round {round} of {text:?}");
                }
                let given = (text.as_str(), true);
                tokenizer.encode_words(given, &mut scratch, &mut count, &monitor).expect("encodes");
                assert_eq!(count, ids.len());
            }
        }
    }
}

#[test]
fn a_long_word_is_taken_whole_only_where_it_is_a_word() {
    let (long, monitor) = ("中文字日本語中文", Monitor::new(&Nobody));
    let bytes = (0..=255).map(|byte| vec![byte]);
    // merging never makes the last
    let tokens = bytes.chain(["本語", long].map(|text| text.as_bytes().to_vec()));
    let tokens = (0..).zip(tokens).map(|(id, text)| Token::new(id, text)).collect();
    let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
    let mut model = Model::new(vocabulary, Units::Bytes, Rule::Ranks);
    model.ignore_merges = true;
    model.pre_tokenizer = self::model(&mut Random(1), true, Some(CL100K)).pre_tokenizer;
    let tokenizer = Tokenizer::new(model).expect("the model is sound");
    let text = format!("{long} {long} 1{long}1 {long}字中文字中文字 文字中文字中文").repeat(3);
    let mut scratch = tokenizer.scratch(1).expect("there is room");
    for round in 0..3 {
        let mut ids = Vec::new();
        let given = (text.as_str(), true);
        tokenizer.encode_words(given, &mut scratch, &mut ids, &monitor).expect("encodes");
        assert_eq!(ids, one_by_one(&tokenizer, &text), "round {round}");
        // where the text begins, and between digits
        assert_eq!(ids.iter().filter(|&&id| id == 257).count(), 4);
    }
}

#[test]
fn threads_cannot_be_told_from_the_ids() {
    let mut random = Random(5);
    let monitor = Monitor::new(&Nobody);
    for tokenizer in all_models(&mut random) {
        let mut text = random.text(240_000);
        // one word of a megabyte, and blanks that no word ends
        text.push_str(&"中".repeat(350_000));
        text.push_str(&" ".repeat(300_000));
        let alone = tokenizer.encode_by(&text, &Special::Text, 1, &monitor).expect("encodes");
        for workers in [2, 3, 7] {
            let ids = tokenizer.encode_by(&text, &Special::Text, workers, &monitor);
            assert_eq!(ids.expect("encodes"), alone, "{workers} threads");
        }
        let batch = [text.as_str(), "", "a", &text[..1000]];
        let runs = tokenizer.encode_runs(&batch, &Special::Text, Some(3), &monitor);
        let runs = runs.expect("encodes");
        let ids: Vec<&[u32]> = runs.iter().flat_map(Run::rows).collect();
        assert_eq!((ids[0], ids[1].len()), (&alone[..], 0));
        let flat = tokenizer.encode_flat(&batch, &Special::Text, Some(3), &monitor);
        let flat = flat.expect("encodes");
        assert_eq!(flat.ids, ids.concat());
        let lengths: Vec<_> = flat.offsets.windows(2).map(|row| row[1] - row[0]).collect();
        assert_eq!(lengths, ids.iter().map(|row| row.len()).collect::<Vec<_>>());
        let one = tokenizer.encode_flat(&batch[..1], &Special::Text, Some(3), &monitor);
        assert_eq!(one.expect("encodes").ids, alone);
        assert_eq!(ids[3], one_by_one(&tokenizer, batch[3]));
    }
}

#[test]
fn ids_are_added_behind_those_that_a_list_has() {
    let (mut random, monitor) = (Random(61), Monitor::silent());
    for tokenizer in all_models(&mut random) {
        let (mut ids, mut expected) = (vec![7], vec![7]);
        for length in 0..60 {
            let text = random.text(length);
            let units: Vec<u32> = text.chars().map(u32::from).collect();
            let added = tokenizer.encode_onto(&text, &Special::Text, &mut ids, &monitor);
            added.expect("encodes");
            let added = tokenizer.encode_units_onto(&units, &Special::Text, &mut ids, &monitor);
            added.expect("encodes");
            expected.extend(one_by_one(&tokenizer, &text).repeat(2));
        }
        assert_eq!(ids, expected);
    }
}

#[test]
fn threads_tell_each_other_words_and_nobody_sees_it() {
    let (mut random, monitor) = (Random(31), Monitor::new(&Nobody));
    let tokenizer = Tokenizer::new(model(&mut random, true, Some(CL100K)));
    let tokenizer = tokenizer.expect("the model is sound");
    let plain = Tokenizer::new(model(&mut Random(31), true, Some(CL100K)));
    let plain = plain.expect("the model is sound");
    let word = |number: usize| {
        let letters = [number % 26, number / 26 % 26, number / 676].map(|n| b'a' + n as u8);
        let more = ["", "blank", "verylongword", "йцукенгшщ"][number % 4];
        format!(" {}{more}", String::from_utf8_lossy(&letters))
    };
    let texts: Vec<String> = (0..60)
        .map(|_| (0..3000).map(|_| word(random.below(70) * random.below(70))).collect())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let expected: Vec<Vec<u32>> = texts
        .iter()
        .map(|text| plain.encode(text, &Special::Text, &monitor).expect("encodes"))
        .collect();
    for threads in [3, 1, 4, 2] {
        let found = tokenizer.encode_runs(&texts, &Special::Text, Some(threads), &monitor);
        let rows: Vec<Vec<u32>> =
            found.expect("encodes").iter().flat_map(Run::rows).map(<[u32]>::to_vec).collect();
        assert_eq!(rows, expected, "{threads} threads");
    }
    let mut news = News::default();
    assert!(!tokenizer.board.exchange(&mut news, false).is_empty(), "nothing was told");
    assert!(plain.board.exchange(&mut news, false).is_empty(), "one thread told something");
}

#[test]
fn a_batch_that_failed_leaves_nothing_to_the_next() {
    let tokens = (0..).zip(b' '..b'z').map(|(id, byte)| Token::new(id, vec![byte])).collect();
    let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
    let mut model = Model::new(vocabulary, Units::Bytes, Rule::Merges(Vec::new()));
    model.pre_tokenizer = self::model(&mut Random(1), true, Some(CL100K)).pre_tokenizer;
    let tokenizer = Tokenizer::new(model).expect("the model is sound");
    let known = " words of many ids".repeat(5_000);
    // the last word has a byte that no token has
    let (other, fails) = ([" other"], [known.as_str(), " many many many words with z"]);
    let expected = one_by_one(&tokenizer, other[0]);
    let flat = |texts: &[&str], threads| {
        let monitor = Monitor::new(&Nobody);
        let flat = tokenizer.encode_flat(texts, &Special::Text, Some(threads), &monitor);
        flat.map(|flat| flat.ids)
    };
    for threads in [1, 2, 1, 2, 3, 3] {
        assert!(flat(&fails, threads).is_err());
        assert_eq!(flat(&other, threads).expect("encodes"), expected, "{threads} threads");
    }
}

/// The ids of a text cut at tokens, of whose stretches each has those that `each` gives.
fn cut_at(tokens: &[AddedToken], text: &str, each: impl Fn(&str) -> Vec<u32>) -> Vec<u32> {
    let matcher = Matcher::new(tokens.to_vec()).expect("they are few");
    let Some(matcher) = matcher else { return each(text) };
    let mut ids = Vec::new();
    let done = matcher.sections(text, &Monitor::silent(), |section| {
        match section.id {
            Some(id) => ids.push(id),
            None => ids.extend(each(&text[section.start..section.end])),
        }
        Ok(())
    });
    done.expect("nothing fails");
    ids
}

#[test]
fn a_text_cut_at_added_tokens_has_the_ids_that_its_stretches_have_alone() {
    let mut random = Random(53);
    let token = |(id, content): (u32, &str)| AddedToken {
        id,
        content: content.to_owned(),
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: id % 2 == 0,
        special: false,
    };
    let encode = |tokenizer: &Tokenizer, text: &str| {
        let silent = Monitor::silent();
        let ids = tokenizer.encode(text, &Special::Text, &silent).expect("all bytes are there");
        let count = tokenizer.count(text, &Special::Text, &silent);
        assert_eq!(count.expect("all bytes are there"), ids.len());
        ids
    };
    for pattern in [Some(CL100K), Some(r"(?<=a)b|(?<=\s)\S+"), Some(r"\s+"), None] {
        let plain = model(&mut random, true, pattern);
        let contents = ["  ", "   ", "    ", "22", "é中", "文", "the"];
        let all: Vec<_> = (80_000..).zip(contents).map(token).collect();
        let alone = Tokenizer::new(plain.clone()).expect("the model is sound");
        for (some, most) in
            [(&all[..5], 3), (&all[..], 300), (&all[3..5], 3000), (&all[4..5], 9000)]
        {
            let model = with_added(plain.clone(), some);
            let tokenizer = Tokenizer::new(model).expect("the model is sound");
            let (late, raw): (Vec<_>, _) = some.iter().cloned().partition(|one| one.normalized);
            for _ in 0..30 {
                let length = random.below(most);
                let text = random.text(length);
                let expected =
                    cut_at(&raw, &text, |text| cut_at(&late, text, |text| encode(&alone, text)));
                assert_eq!(encode(&tokenizer, &text), expected, "{pattern:?} {text:?}");
            }
        }
    }
}

#[test]
fn short_texts_and_parts_have_the_ids_of_their_words_whatever_splits_them() {
    let mut random = Random(59);
    let monitor = Monitor::silent();
    let digits = r#"{"type":"Digits","individual_digits":false}"#;
    let three = r#"{"type":"Split","pattern":{"Regex":"[0-9][0-9][0-9]"},"behavior":"Isolated","invert":false}"#;
    let bytes =
        r#"{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true}"#;
    let punctuation = r#"{"type":"Punctuation","behavior":"Contiguous"}"#;
    let words = r#"{"type":"Split","pattern":{"Regex":"\\p{L}+|\\d|[^\\s\\p{L}\\d]+"},"behavior":"Removed","invert":true}"#;
    let visible =
        r#"{"type":"Metaspace","replacement":"\u2581","prepend_scheme":"always","split":true}"#;
    let sequence =
        |all: &[&str]| format!(r#"{{"type":"Sequence","pretokenizers":[{}]}}"#, all.join(","));
    let kinds = [
        words.to_owned(),
        visible.to_owned(),
        r#"{"type":"CharDelimiterSplit","delimiter":"a"}"#.to_owned(),
        r#"{"type":"UnicodeScripts"}"#.to_owned(),
        r#"{"type":"FixedLength","length":3}"#.to_owned(),
        r#"{"type":"BertPreTokenizer"}"#.to_owned(),
        sequence(&[digits, words]),
        sequence(&[punctuation, bytes, digits, three]),
        sequence(&[words, bytes, three]),
        sequence(&[r#"{"type":"WhitespaceSplit"}"#, visible, punctuation]),
    ];
    for kind in &kinds {
        let mut model = model(&mut random, true, None);
        model.pre_tokenizer = Some(serde_json::from_str(kind).expect("it is one"));
        model.ignore_merges = false;
        let tokenizer = Tokenizer::new(model).expect("the model is sound");
        for most in [4, 40, 2_000] {
            let lengths: Vec<usize> =
                (0..120_usize.div_ceil(most / 4)).map(|_| random.below(most)).collect();
            let texts: Vec<String> = lengths.iter().map(|&one| random.text(one)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let runs = tokenizer.encode_runs(&texts, &Special::Text, Some(1), &monitor);
            let runs = runs.expect("all bytes are there");
            let rows = runs.iter().flat_map(Run::rows);
            for (text, row) in texts.iter().zip(rows) {
                let alone = tokenizer.encode(text, &Special::Text, &monitor);
                assert_eq!(alone.expect("all bytes are there"), row, "{kind} {text:?}");
                assert_eq!(one_by_one(&tokenizer, text), row, "{kind} {text:?}");
            }
        }
    }
}
