use super::*;
use crate::arch::utf8::is_fast;
use crate::arch::utf8::tests::written;
use crate::components::{ByteLevel, Decoder};
use crate::encode::Special;
use crate::encode::tests::{CL100K, Random, model};
use crate::model::{Model, Rule, Units};
use crate::monitor::Nobody;
use crate::vocabulary::Token;

/// A tokenizer whose tokens are bytes, and are joined.
fn tokenizer(random: &mut Random) -> Tokenizer {
    let decoder = Some(Decoder::ByteLevel(ByteLevel::alphabet_only()));
    let model = Model { decoder, ..model(random, true, Some(CL100K)) };
    Tokenizer::new(model).expect("it is sound")
}

/// The text of `ids`, written where there is room for as many characters as were counted.
fn text_of<U: Unit + Into<u32>>(tokenizer: &Tokenizer, ids: &[u32], size: Size) -> Option<String> {
    let units = written::<U>(size.characters, |units| {
        tokenizer
            .write_text(ids, (units, size.bound), &Monitor::new(&Nobody))
            .expect("the ids are known")
    });
    let character = |unit: U| char::from_u32(unit.into()).expect("it is a character");
    units.map(|units| units.into_iter().map(character).collect())
}

fn same(tokenizer: &Tokenizer, ids: &[u32]) -> bool {
    let monitor = Monitor::new(&Nobody);
    let bytes = tokenizer.decode(ids, false, &Monitor::silent()).expect("known");
    let Some(size) = tokenizer.size_of_text(ids, false, &monitor).expect("known") else {
        assert!(ids.len() < LEAST || !is_fast());
        return false;
    };
    let expected = String::from_utf8(bytes).ok();
    if let Some(text) = &expected {
        let largest = text.chars().max().map_or(0, u32::from);
        let bound = [0x7F, 0xFF, 0xFFFF, 0x10_FFFF].into_iter().find(|&bound| largest <= bound);
        assert_eq!((text.chars().count(), bound), (size.characters, Some(size.bound)));
    }
    let found = match size.bound {
        ..=0xFF => text_of::<u8>(tokenizer, ids, size),
        0x100..=0xFFFF => text_of::<u16>(tokenizer, ids, size),
        _ => text_of::<u32>(tokenizer, ids, size),
    };
    assert_eq!(found, expected);
    expected.is_some()
}

#[test]
fn texts_of_all_widths_are_written_as_they_are_decoded() {
    let (mut random, monitor) = (Random(17), Monitor::new(&Nobody));
    let tokenizer = tokenizer(&mut random);
    let mut texts = 0;
    for largest in ['\u{7F}', '\u{FF}', '\u{FFFF}', '\u{10FFFF}'] {
        for _ in 0..60 {
            let length = random.below(20_000);
            let some: String = (0..length)
                .map(|_| match random.below(9) {
                    0 => char::from_u32(random.below(largest as usize + 1) as u32),
                    _ => Some((b'a' + random.below(26) as u8) as char),
                })
                .map(|character| character.unwrap_or(' '))
                .collect();
            let ids = tokenizer.encode(&some, &Special::Text, &monitor).expect("encodes");
            texts += usize::from(same(&tokenizer, &ids));
        }
    }
    assert!(!is_fast() || texts > 120, "only {texts} texts");
}

#[test]
fn what_is_no_text_is_told_wherever_it_stands() {
    let (mut random, monitor) = (Random(18), Monitor::new(&Nobody));
    let tokenizer = tokenizer(&mut random);
    let text = "wörter und 漢字 😀 ".repeat(700);
    let ids = tokenizer.encode(&text, &Special::Text, &monitor).expect("encodes");
    assert!(ids.len() > 6_000 && same(&tokenizer, &ids) == is_fast());
    for _ in 0..300 {
        // bytes are tokens, so that a character may be cut anywhere, or lack some of them
        let mut cut = ids.clone();
        let at = random.below(cut.len());
        match random.below(3) {
            0 => cut.truncate(at),
            1 => cut[at] = random.below(256) as u32,
            _ => drop(cut.remove(at)),
        }
        same(&tokenizer, &cut);
    }
    let mut beyond = ids;
    beyond.push(u32::MAX);
    assert!(!is_fast() || tokenizer.size_of_text(&beyond, false, &monitor).is_err());
    let short = tokenizer.size_of_text(&beyond[..LEAST - 1], false, &monitor);
    assert_eq!(short.expect("they are known"), None);
}

#[test]
fn long_tokens_count_as_many_characters_as_they_have() {
    let long = ["a", "é", "漢", "😀"].map(|character| character.repeat(9_000));
    let bytes = (0..=255).map(|byte| vec![byte]).chain(long.map(String::into_bytes));
    let tokens = (0..).zip(bytes).map(|(id, bytes)| Token::new(id, bytes)).collect();
    let vocabulary = Vocabulary::new(tokens).expect("ids are distinct");
    let decoder = Some(Decoder::ByteLevel(ByteLevel::alphabet_only()));
    let model = Model { decoder, ..Model::new(vocabulary, Units::Bytes, Rule::Ranks) };
    let tokenizer = Tokenizer::new(model).expect("it is sound");
    for long in 256..260 {
        let mut ids = vec![u32::from(b'x'); LEAST];
        ids[700] = long;
        assert_eq!(same(&tokenizer, &ids), is_fast());
    }
}

#[test]
fn ids_that_are_written_to_meanwhile_are_not_taken_for_what_they_were() {
    let tokenizer = tokenizer(&mut Random(19));
    let monitor = Monitor::new(&Nobody);
    let mut ids = vec![u32::from(b'a'); LEAST];
    let Some(size) = tokenizer.size_of_text(&ids, false, &monitor).expect("known") else { return };
    // as many characters, but wider ones; and the other way round
    ids[9..11].copy_from_slice(&[0xC3, 0xA9]);
    ids.push(u32::from(b'a'));
    assert_eq!(text_of::<u8>(&tokenizer, &ids, size), None);
    let wide = tokenizer.size_of_text(&ids, false, &monitor).expect("known").expect("long");
    assert_eq!((wide.characters, wide.bound), (size.characters, 0xFF));
    assert_eq!(text_of::<u8>(&tokenizer, &[u32::from(b'a'); LEAST], wide), None);
}
