//! Any bytes as a SentencePiece model, and as the pieces of a sound one, which must merge the
//! obvious way: with its table of pairs and without.

#![no_main]

use digram::encode::{Special, Tokenizer};
use digram::formats::{self, Files, Known};
use digram::monitor::{Monitor, Nobody};

/// What pieces and texts are made of, of one to four bytes.
const LETTERS: [&str; 6] = ["a", "b", "c", "é", "▁", "😀"];
const UNKNOWN: &str = "<unk>";

/// A text and its score; the first is the unknown one.
type Pieces = Vec<(String, f32)>;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    digram_fuzz::load(data, Some("sentencepiece"));
    let Some((&count, rest)) = data.split_first() else { return };
    let (pieces, text) = pieces(usize::from(count % 48), rest);
    let file = file(&pieces);
    digram_fuzz::load(&file, None);
    let loaded = formats::read(&Files::One(&file), None, &Known::default()).expect("it is sound");
    let tokenizer = Tokenizer::new(loaded.model).expect("it is sound");
    let letters: Vec<&str> = text.iter().take(60).map(letter).collect();
    // longer and longer texts: some are merged before there is a table, some after
    for length in 0..=letters.len() {
        let text = letters[..length].concat();
        let ids = tokenizer.encode(&text, &Special::Text, &Monitor::new(&Nobody));
        assert_eq!(ids.expect("all is known"), obvious(&letters[..length], &pieces), "{pieces:?}");
    }
});

fn letter(byte: &u8) -> &'static str {
    LETTERS[usize::from(*byte) % LETTERS.len()]
}

/// Up to `count` pieces that the bytes describe, each by a length, a score and letters; and the
/// bytes that are left.
fn pieces(count: usize, mut bytes: &[u8]) -> (Pieces, &[u8]) {
    let mut pieces = vec![(UNKNOWN.to_owned(), 0.0)];
    for _ in 0..count {
        let [shape, score, rest @ ..] = bytes else { break };
        let (own, rest) = rest.split_at(rest.len().min(1 + usize::from(shape % 6)));
        bytes = rest;
        let text: String = own.iter().map(letter).collect();
        if !text.is_empty() && pieces.iter().all(|(other, _)| *other != text) {
            // few scores, so that there are ties
            pieces.push((text, f32::from(score % 16) - 8.0));
        }
    }
    (pieces, bytes)
}

/// The pieces as a file that leaves text as it is.
fn file(pieces: &Pieces) -> Vec<u8> {
    let mut file = Vec::new();
    for (text, score) in pieces {
        let mut piece = field(1, text.as_bytes());
        piece.push(2 << 3 | 5);
        piece.extend(score.to_le_bytes());
        if text == UNKNOWN {
            piece.extend([3 << 3, 2]);
        }
        file.extend(field(1, &piece));
    }
    file.extend(field(2, &[3 << 3, 2])); // byte-pair encoding
    file.extend(field(3, &[3 << 3, 0, 4 << 3, 0, 5 << 3, 0])); // spaces stay as they are
    file
}

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("pieces are short");
    assert!(length < 0x80, "pieces are short");
    [&[number << 3 | 2, length], content].concat()
}

/// The best score first, the leftmost of it first, one merge after the other.
fn obvious(letters: &[&str], pieces: &Pieces) -> Vec<u32> {
    let id = |text: &str| pieces[1..].iter().position(|piece| piece.0 == text).map(|at| at + 1);
    let mut symbols: Vec<String> = letters.iter().map(|&letter| letter.to_owned()).collect();
    loop {
        let joined = symbols.windows(2).map(|pair| pair.concat());
        let found = joined.enumerate().filter_map(|(at, text)| Some((id(&text)?, at)));
        let best = found.reduce(|a, b| if pieces[b.0].1 > pieces[a.0].1 { b } else { a });
        let Some((whole, at)) = best else { break };
        symbols.splice(at..at + 2, [pieces[whole].0.clone()]);
    }
    let mut ids: Vec<u32> = symbols.iter().map(|text| id(text).unwrap_or(0) as u32).collect();
    ids.dedup_by(|a, b| *a == 0 && *b == 0);
    ids
}
