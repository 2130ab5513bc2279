//! Writing a `.model`.

use hashbrown::HashSet;
use std::borrow::Cow;

use super::wire::Writer;
use super::{BPE, NAME, TOO_LONG, field};
use crate::components::normalizer::SentencePiece;
use crate::components::{AddedToken, Decoder, Normalizer, pieces};
use crate::error::{Error, Result};
use crate::formats::cannot::{self, Cannot};
use crate::formats::{Contents, by_scores};
use crate::model::{Kind, Model, Rule, Scores};

/// Writes a model by scores, or one by a list that gives the same ids by scores.
pub(in crate::formats) fn write(model: &Model, _: Option<&serde_json::Value>) -> Contents {
    let mut cannot = Cannot::new(NAME);
    cannot
        .add(cannot::post_processor(model))
        .add(cannot::dropout(model))
        .add(cannot::unused(model))
        .add(cannot::glossaries(model))
        .add(gap(model))
        .add(model.truncation.is_some().then_some("it says how texts are cut (truncation)"))
        .add(model.padding.is_some().then_some("it says how texts are filled up (padding)"));
    let model = scored(model, &mut cannot)?;
    cannot.check()?;
    let model = model.expect("a reason is given where there is none");
    let Rule::Scores(scores) = &model.rule else {
        return Err(Error::Format("the model is not by scores".into()));
    };
    cannot.add(odd_piece(&model, scores)).add(odd_added(&model, scores)).add(odd_parts(&model));
    cannot.check()?;
    Ok(vec![written(&model, scores)?])
}

fn scored<'a>(model: &'a Model, cannot: &mut Cannot) -> Result<Option<Cow<'a, Model>>> {
    if let Rule::Scores(_) = model.rule {
        return Ok(Some(Cow::Borrowed(model)));
    }
    let mut reasons = Vec::new();
    let scored = by_scores::scored(model, &mut reasons)?;
    for reason in reasons {
        cannot.add(Some(reason));
    }
    Ok(scored.map(Cow::Owned))
}

fn gap(model: &Model) -> Option<String> {
    let vocabulary = &model.vocabulary;
    let has_gap = vocabulary.len() != vocabulary.ids();
    has_gap.then(|| format!("of its {} ids {} have a token", vocabulary.ids(), vocabulary.len()))
}

/// A token that is no piece, or that `SentencePiece` would not open.
fn odd_piece(model: &Model, scores: &Scores) -> Option<String> {
    if scores.pieces.len() != model.vocabulary.len() {
        return Some(format!(
            "{} of its {} tokens are pieces",
            scores.pieces.len(),
            model.vocabulary.len()
        ));
    }
    let mut seen = HashSet::with_capacity(scores.pieces.len());
    let is_odd = |(_, bytes): &(u32, &[u8])| {
        let is_piece = !bytes.is_empty() && bytes.len() < TOO_LONG && !bytes.contains(&0);
        !is_piece || std::str::from_utf8(bytes).is_err()
    };
    let repeated = model.vocabulary.iter().find(|(_, bytes)| !seen.insert(*bytes));
    repeated.or_else(|| model.vocabulary.iter().find(is_odd)).map(|(id, _)| {
        let spelling = model.spelling(id);
        let shown = crate::formats::lines::shortened(&spelling);
        format!(
            "its token {id}, {shown:?}, is no piece: one has a text of its own, without NUL, of \
             less than {TOO_LONG} bytes"
        )
    })
}

/// Special tokens that are not the control pieces and the unknown one.
fn odd_added(model: &Model, scores: &Scores) -> Option<String> {
    let is_apart = |kind| matches!(kind, Kind::Control | Kind::Unknown);
    let apart = scores.pieces.iter().filter(|piece| is_apart(piece.kind));
    let expected = apart.map(|piece| {
        crate::components::special(
            piece.id,
            &String::from_utf8_lossy(model.vocabulary.bytes(piece.id)),
        )
    });
    let expected: Vec<AddedToken> = expected.collect();
    let mut own: Vec<&AddedToken> = model.added_tokens.iter().collect();
    own.sort_by_key(|token| token.id);
    let mut unlike = own.iter().filter(|token| !expected.contains(token));
    match unlike.next() {
        None if own.len() == expected.len() => None,
        None => Some("its special tokens are not all of its control pieces".into()),
        Some(token) => Some(format!(
            "the added token {:?} is no control piece, or is matched in a way of its own",
            token.content
        )),
    }
}

fn odd_parts(model: &Model) -> Option<&'static str> {
    let (Some(Normalizer::SentencePiece(spec)), Some(Decoder::SentencePiece(decoder))) =
        (&model.normalizer, &model.decoder)
    else {
        return Some("its normalizer and decoder are not SentencePiece's");
    };
    let Rule::Scores(scores) = &model.rule else { return None };
    let text = |id| String::from_utf8_lossy(model.vocabulary.bytes(id)).into_owned();
    let user_defined = scores.of_kind(Kind::UserDefined).map(text);
    let agree = spec.add_dummy_prefix == decoder.add_dummy_prefix
        && spec.remove_extra_whitespaces == decoder.remove_extra_whitespaces;
    let is_plain = |spec: &SentencePiece| {
        spec.untouched.is_empty()
            && !spec.treat_whitespace_as_suffix
            && !spec.precompiled_charsmap.is_empty()
    };
    if model.pre_tokenizer.is_some() {
        Some("it has a pre-tokenizer")
    } else if !model.unknown.as_ref().is_some_and(|unknown| unknown.fuse) {
        Some("it does not fuse unknown characters")
    } else if !user_defined.eq(spec.untouched.iter().cloned()) {
        Some("what its normalizer leaves untouched are not its user-defined pieces")
    } else if !agree {
        Some("its normalizer and its decoder do not agree about spaces")
    } else if !decoder.denormalizer.as_ref().is_none_or(is_plain) {
        Some("its denormalizer is more than a table and what it does with spaces")
    } else {
        None
    }
}

fn written(model: &Model, scores: &Scores) -> Result<Vec<u8>> {
    let mut file = Writer::default();
    for piece in &scores.pieces {
        let mut entry = Writer::default();
        entry.bytes(field::piece::TEXT, model.vocabulary.bytes(piece.id));
        entry.float(field::piece::SCORE, piece.score);
        if piece.kind != Kind::Normal {
            entry.number(field::piece::KIND, number_of(piece.kind));
        }
        file.message(field::PIECES, &entry);
    }
    let (Some(Normalizer::SentencePiece(spec)), Some(Decoder::SentencePiece(decoder))) =
        (&model.normalizer, &model.decoder)
    else {
        return Err(Error::Format("its normalizer and decoder are not SentencePiece's".into()));
    };
    file.message(field::TRAINER, &trainer(model, scores, spec, decoder));
    file.message(field::NORMALIZER, &normalizer(spec)?);
    if !scores.self_test.is_empty() {
        file.message(field::SELF_TEST, &self_test(&scores.self_test));
    }
    if let Some(denormalizer) = &decoder.denormalizer {
        file.message(field::DENORMALIZER, &normalizer(denormalizer)?);
    }
    Ok(file.finish())
}

fn self_test(samples: &[(String, String)]) -> Writer {
    use field::self_test as number;
    let mut test = Writer::default();
    for (text, pieces) in samples {
        let mut sample = Writer::default();
        sample.bytes(number::TEXT, text.as_bytes()).bytes(number::PIECES, pieces.as_bytes());
        test.message(number::SAMPLE, &sample);
    }
    test
}

fn number_of(kind: Kind) -> u64 {
    match kind {
        Kind::Normal => 1,
        Kind::Unknown => 2,
        Kind::Control => 3,
        Kind::UserDefined => 4,
        Kind::Unused => 5,
        Kind::Byte => 6,
    }
}

fn trainer(
    model: &Model,
    scores: &Scores,
    spec: &SentencePiece,
    decoder: &pieces::SentencePiece,
) -> Writer {
    use field::trainer as number;
    let bytes = |id| model.vocabulary.bytes(id);
    let unknown = model.unknown.as_ref().map(|unknown| unknown.id);
    let roles = [
        (number::UNK_ID, number::UNK_PIECE, unknown, "<unk>"),
        (number::BOS_ID, number::BOS_PIECE, scores.bos, "<s>"),
        (number::EOS_ID, number::EOS_PIECE, scores.eos, "</s>"),
        (number::PAD_ID, number::PAD_PIECE, scores.pad, "<pad>"),
    ];
    let mut trainer = Writer::default();
    trainer.number(number::MODEL_TYPE, BPE);
    trainer.number(number::VOCAB_SIZE, scores.pieces.len() as u64);
    trainer.flag(number::SUFFIX, spec.treat_whitespace_as_suffix);
    for id in scores.of_kind(Kind::Control) {
        if roles.iter().all(|(_, _, role, _)| *role != Some(id)) {
            trainer.bytes(number::CONTROL_SYMBOLS, bytes(id));
        }
    }
    for id in scores.of_kind(Kind::UserDefined) {
        trainer.bytes(number::USER_DEFINED_SYMBOLS, bytes(id));
    }
    trainer.flag(number::BYTE_FALLBACK, model.byte_fallback);
    for (number, _, id, _) in roles {
        trainer.id(number, id);
    }
    trainer.bytes(number::UNK_SURFACE, decoder.unk_surface.as_bytes());
    for (_, number, id, usual) in roles {
        // a name that no piece has stands for none
        trainer.bytes(number, id.map_or(absent(model, usual), bytes));
    }
    trainer
}

/// The usual name where no piece has it, or else one that none has: `SentencePiece` finds the
/// control pieces by their names.
fn absent<'a>(model: &Model, usual: &'a str) -> &'a [u8] {
    let is_there = model.added_tokens.iter().any(|token| token.content == usual);
    if is_there { b"\x00" } else { usual.as_bytes() }
}

fn normalizer(spec: &SentencePiece) -> Result<Writer> {
    use field::normalizer as number;
    let charsmap = spec.precompiled_charsmap.bytes()?;
    let mut normalizer = Writer::default();
    normalizer.bytes(number::NAME, if charsmap.is_empty() { b"identity" } else { b"user_defined" });
    normalizer.bytes(number::CHARSMAP, charsmap);
    normalizer.flag(number::DUMMY_PREFIX, spec.add_dummy_prefix);
    normalizer.flag(number::EXTRA_WHITESPACES, spec.remove_extra_whitespaces);
    normalizer.flag(number::ESCAPE, spec.escape_whitespaces);
    Ok(normalizer)
}
