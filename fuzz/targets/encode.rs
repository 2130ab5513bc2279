//! Encoding beside the obvious way to do it, for a model and a text made of the bytes.

#![no_main]

use digram::components::Decoder;
use digram::encode::{Special, Tokenizer};
use digram::model::{Merge, Model, Rule, Units};
use digram::monitor::{Monitor, Nobody};
use digram::vocabulary::{Token, Vocabulary};

/// What texts are made of: letters of one, two and three bytes.
const LETTERS: [&str; 4] = ["a", "b", "é", "漢"];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&count, rest)) = data.split_first() else { return };
    let pairs = 2 * usize::from(count % 64);
    let (merges, text) = rest.split_at(pairs.min(rest.len()));
    let (model, merges) = model(merges);
    let text: String =
        text.iter().map(|&byte| LETTERS[usize::from(byte) % LETTERS.len()]).collect();
    let expected = obvious(&text, &merges);
    let tokenizer = Tokenizer::new(model).expect("the model is sound");
    let ids = tokenizer.encode(&text, &Special::Text, &Monitor::new(&Nobody)).expect("all bytes");
    assert_eq!(ids, expected, "{text:?} with {merges:?}");
    assert_eq!(tokenizer.decode(&ids, false, &Monitor::silent()).expect("known ids"), text.as_bytes());
});

/// A model over bytes: each two bytes of `choices` merge two of the tokens made so far.
fn model(choices: &[u8]) -> (Model, Vec<Merge>) {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let used: Vec<usize> = LETTERS.concat().bytes().map(usize::from).collect();
    let mut merges: Vec<Merge> = Vec::new();
    for choice in choices.chunks_exact(2) {
        let pick = |byte: u8| {
            let all = used.len() + tokens.len() - 256;
            let place = usize::from(byte) % all;
            used.get(place).copied().unwrap_or(256 + place.saturating_sub(used.len()))
        };
        let (left, right) = (pick(choice[0]), pick(choice[1]));
        let product = [tokens[left].as_slice(), &tokens[right]].concat();
        if product.len() > 256 || tokens.contains(&product) {
            continue;
        }
        let merged = tokens.len() as u32;
        merges.push(Merge { left: left as u32, right: right as u32, merged });
        tokens.push(product);
    }
    let tokens = (0..).zip(tokens).map(|(id, bytes)| Token::new(id, bytes)).collect();
    let vocabulary = Vocabulary::new(tokens).expect("ids are unique");
    let model = Model::new(vocabulary, Units::Bytes, Rule::Merges(merges.clone()));
    (Model { decoder: Some(Decoder::Fuse), ..model }, merges)
}

/// The lowest rank first, the leftmost of it first, one merge after the other.
fn obvious(text: &str, merges: &[Merge]) -> Vec<u32> {
    let mut ids: Vec<u32> = text.bytes().map(u32::from).collect();
    let rank = ranks(merges);
    loop {
        let places = ids.windows(2).enumerate();
        let ranks = places.filter_map(|(at, pair)| Some((rank(pair[0], pair[1])?, at)));
        let Some((rank, at)) = ranks.min() else { return ids };
        ids.splice(at..at + 2, [merges[rank].merged]);
    }
}

/// The rank of a pair, from a table of all pairs: looking through the merges for each took most of
/// the time, and left few runs.
fn ranks(merges: &[Merge]) -> impl Fn(u32, u32) -> Option<usize> {
    let size = 256 + merges.len();
    let mut table = vec![None; size * size];
    for (rank, merge) in merges.iter().enumerate() {
        table[merge.left as usize * size + merge.right as usize].get_or_insert(rank);
    }
    move |left, right| table[left as usize * size + right as usize]
}
