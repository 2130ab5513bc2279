//! Small files, made by hand.

use super::wire::Writer;
use super::{BPE, field};
use crate::encode::{Special, Tokenizer};
use crate::error::Result;
use crate::formats::{Files, Known, Loaded, read, write};
use crate::model::{Kind, Model, Rule};
use crate::monitor::{Monitor, Nobody};

/// A file of pieces with scores and types, without a space before, and with all blanks. As from
/// `SentencePiece`, pieces of the usual type do not say it.
fn file(pieces: &[(&str, f32, u64)], model_type: u64) -> Vec<u8> {
    let mut file = Writer::default();
    for &(text, score, kind) in pieces {
        let mut piece = Writer::default();
        piece.bytes(field::piece::TEXT, text.as_bytes());
        piece.float(field::piece::SCORE, score);
        if kind != 1 {
            piece.number(field::piece::KIND, kind);
        }
        file.message(field::PIECES, &piece);
    }
    let mut trainer = Writer::default();
    trainer.number(field::trainer::MODEL_TYPE, model_type);
    let mut normalizer = Writer::default();
    normalizer.flag(field::normalizer::DUMMY_PREFIX, false);
    normalizer.flag(field::normalizer::EXTRA_WHITESPACES, false);
    file.message(field::TRAINER, &trainer).message(field::NORMALIZER, &normalizer);
    file.finish()
}

fn load(file: &[u8]) -> Result<Loaded> {
    read(&Files::One(file), None, &Known::default())
}

fn model(pieces: &[(&str, f32, u64)]) -> Model {
    load(&file(pieces, BPE)).expect("a sound file").model
}

fn ids(model: &Model, text: &str) -> Vec<u32> {
    let tokenizer = Tokenizer::new(model.clone()).expect("sound");
    tokenizer.encode(text, &Special::Text, &Monitor::new(&Nobody)).expect("nothing is refused")
}

const UNKNOWN: (&str, f32, u64) = ("<unk>", 0.0, 2);

#[test]
fn characters_that_are_no_pieces_merge_by_their_text_or_are_unknown() {
    let model = model(&[UNKNOWN, ("ab", -1.0, 1)]);
    assert_eq!(ids(&model, "abxaab"), [1, 0, 1]);
}

#[test]
fn equal_scores_go_from_the_left() {
    let tied = [UNKNOWN, ("a", 0.0, 1), ("b", 0.0, 1), ("ab", -1.0, 1), ("ba", -1.0, 1)];
    assert_eq!(ids(&model(&tied), "bab"), [4, 2]);
    assert_eq!(ids(&model(&tied), "aba"), [3, 1]);
}

#[test]
fn unused_pieces_are_given_back() {
    let pieces = [UNKNOWN, ("a", -1.0, 1), ("b", -1.0, 1), ("ab", -2.0, 5), ("abab", -3.0, 1)];
    assert_eq!(ids(&model(&pieces), "ababab"), [4, 1, 2]);
}

#[test]
fn user_defined_pieces_are_matched_first_and_stay() {
    let pieces = [UNKNOWN, ("ab", 0.0, 4), ("a", -1.0, 1), ("bc", -1.0, 1), ("c", -1.0, 1)];
    assert_eq!(ids(&model(&pieces), "abcbc"), [1, 4, 3]);
}

#[test]
fn other_types_of_models_are_refused_by_name() {
    let error = load(&file(&[UNKNOWN], 1)).err().expect("refused");
    assert!(error.to_string().contains("model of type 'unigram' is not supported"), "{error}");
}

#[test]
fn what_is_written_is_read_as_it_was() {
    let pieces = [UNKNOWN, ("<s>", 0.0, 3), ("a", -1.5, 1), ("ab", -0.25, 5), ("x", 0.0, 4)];
    let first = model(&pieces);
    let files = write(&first, "sentencepiece", None).expect("holds it");
    let again = load(&files[0].1).expect("sound").model;
    assert_eq!((&again.rule, &again.normalizer), (&first.rule, &first.normalizer));
    assert!(again.vocabulary.iter().eq(first.vocabulary.iter()));
    assert_eq!(ids(&again, "abax"), ids(&first, "abax"));
}

#[test]
fn pieces_are_read_however_they_are_spelled() {
    let long = "a".repeat(113);
    let mut whole = file(&[UNKNOWN, ("a", -1.0, 1), (&long, -2.0, 1)], BPE);
    let mut behind = Writer::default();
    behind.number(field::piece::KIND, 1).number(9, 7);
    behind.float(field::piece::SCORE, -3.0).bytes(field::piece::TEXT, "é".as_bytes());
    let mut unscored = Writer::default();
    unscored.bytes(field::piece::TEXT, b"b").number(9, 1 << 28);
    let mut more = Writer::default();
    more.message(field::PIECES, &behind).message(field::PIECES, &unscored);
    whole.extend(more.finish());
    let model = load(&whole).expect("a sound file").model;
    let spelled: Vec<_> = model.vocabulary.iter().map(|(_, text)| text).collect();
    assert_eq!(spelled, [b"<unk>", b"a".as_slice(), long.as_bytes(), "é".as_bytes(), b"b"]);
    let Rule::Scores(scores) = model.rule else { panic!("it merges by scores") };
    let told: Vec<_> = scores.pieces.iter().map(|piece| (piece.score, piece.kind)).collect();
    let usual = [-1.0, -2.0, -3.0, 0.0].map(|score| (score, Kind::Normal));
    assert_eq!(told[0], (0.0, Kind::Unknown));
    assert_eq!(told[1..], usual);
}

#[test]
fn every_beginning_of_a_file_is_read_or_refused() {
    let whole = file(&[UNKNOWN, ("a", -1.0, 1), ("b", 0.0, 1)], BPE);
    for end in 0..whole.len() {
        let format = Some("sentencepiece");
        if let Ok(loaded) = read(&Files::One(&whole[..end]), format, &Known::default()) {
            assert!(Tokenizer::new(loaded.model).is_ok());
        }
    }
}

#[test]
fn kinds_have_one_name_each() {
    for kind in [Kind::Normal, Kind::Unknown, Kind::Control, Kind::UserDefined, Kind::Byte] {
        assert_eq!(Kind::named(kind.as_str()).expect("its own name"), kind);
    }
    assert!(Kind::named("odd").is_err());
}
