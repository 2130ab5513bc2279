//! Reading a `.model`.

use super::wire::{Fields, Value};
use super::{BPE, NAME, TOO_LONG, field};
use crate::components::normalizer::{SentencePiece, Table};
use crate::components::{Decoder, Normalizer, pieces};
use crate::error::{Error, Result};
use crate::formats::{Files, Known, Loaded, lines, only, special};
use crate::model::{Kind, Model, Piece, Rule, Scores, Units, Unknown};
use crate::vocabulary::{Tokens, Traits, Vocabulary};

/// Reads a file.
pub(in crate::formats) fn read(files: &Files, _: &Known) -> Result<Loaded> {
    let file = File::of(only(files, NAME)?)?;
    file.trainer.check_type()?;
    Ok(Loaded { model: model(file)?, training: None })
}

/// About how many bytes of a file are one piece; few files have more pieces.
const BYTES_PER_PIECE: usize = 16;

/// What the file holds.
struct File<'a> {
    /// The texts of pieces, which are checked when all are together.
    texts: Tokens,
    pieces: Vec<Piece>,
    trainer: Trainer<'a>,
    normalizer: Spec<'a>,
    denormalizer: Option<Spec<'a>>,
    self_test: Vec<(&'a str, &'a str)>,
}

impl<'a> File<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self> {
        let about = bytes.len() / BYTES_PER_PIECE;
        let mut file = Self {
            texts: Tokens::with_room(about, bytes.len()),
            pieces: Vec::with_capacity(about),
            trainer: Trainer::default(),
            normalizer: Spec::default(),
            denormalizer: None,
            self_test: Vec::new(),
        };
        let mut fields = Fields::of(bytes);
        loop {
            while let Some((text, score)) = fields.usual_piece() {
                file.add(text, score, Kind::Normal);
            }
            let Some(found) = fields.next() else { break };
            let (number, value) = found?;
            match (number, value.message()) {
                (field::PIECES, Some(fields)) => {
                    let place = file.pieces.len();
                    let read = piece(fields).map_err(|error| error.at(format!("pieces[{place}]")));
                    let (text, score, kind) = read?;
                    file.add(text, score, kind);
                }
                (field::TRAINER, Some(fields)) => {
                    file.trainer.read(fields).map_err(|error| error.at("trainer_spec"))?;
                }
                (field::NORMALIZER, Some(fields)) => {
                    file.normalizer.read(fields).map_err(|error| error.at("normalizer_spec"))?;
                }
                (field::SELF_TEST, Some(fields)) => {
                    samples(fields, &mut file.self_test)
                        .map_err(|error| error.at("self_test_data"))?;
                }
                (field::DENORMALIZER, Some(fields)) => file
                    .denormalizer
                    .get_or_insert_default()
                    .read(fields)
                    .map_err(|error| error.at("denormalizer_spec"))?,
                (1..=field::LAST, None) => {
                    return Err(Error::Format(format!("field {number} is no message")));
                }
                _ => {}
            }
        }
        Ok(file)
    }

    #[inline]
    fn add(&mut self, text: &[u8], score: f32, kind: Kind) {
        let id = self.pieces.len() as u32;
        self.pieces.push(Piece { id, score, kind });
        self.texts.push(id, Traits::LITERAL.only_if(!kind.merges()), text);
    }
}

fn piece(fields: Fields<'_>) -> Result<(&[u8], f32, Kind)> {
    let (mut spelling, mut score, mut kind) = (&[][..], 0.0, Kind::Normal);
    for found in fields {
        match found? {
            (field::piece::TEXT, Value::Bytes(bytes)) => spelling = bytes,
            (field::piece::SCORE, Value::Four(bits)) => score = f32::from_bits(bits),
            (field::piece::KIND, Value::Number(number)) => kind = kind_of(number)?,
            _ => {}
        }
    }
    if spelling.is_empty() || spelling.len() >= TOO_LONG {
        return Err(no_piece(spelling));
    }
    Ok((spelling, score, kind))
}

fn no_piece(spelling: &[u8]) -> Error {
    let spelling = String::from_utf8_lossy(spelling);
    let shown = lines::shortened(&spelling);
    Error::Format(format!(
        "{shown:?} is no piece: one has a text, without NUL, of less than {TOO_LONG} bytes"
    ))
}

/// Checks the text of a piece by itself.
fn check_text(spelling: &[u8]) -> Result<()> {
    text(spelling, "its text")?;
    if spelling.contains(&0) { Err(no_piece(spelling)) } else { Ok(()) }
}

fn kind_of(number: u64) -> Result<Kind> {
    Ok(match number {
        1 => Kind::Normal,
        2 => Kind::Unknown,
        3 => Kind::Control,
        4 => Kind::UserDefined,
        5 => Kind::Unused,
        6 => Kind::Byte,
        _ => return Err(Error::Format(format!("its type is {number}, which is none of 1 to 6"))),
    })
}

fn text<'a>(bytes: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| Error::Format(format!("{what}: {error}")))
}

/// The texts of a self-test, each with its pieces, behind those of messages before.
fn samples<'a>(fields: Fields<'a>, all: &mut Vec<(&'a str, &'a str)>) -> Result<()> {
    use field::self_test as number;
    for found in fields {
        let (number::SAMPLE, Some(sample)) =
            found.map(|(number, value)| (number, value.message()))?
        else {
            continue;
        };
        let (mut input, mut pieces) = ("", "");
        for found in sample {
            match found? {
                (number::TEXT, Value::Bytes(bytes)) => input = text(bytes, "its text")?,
                (number::PIECES, Value::Bytes(bytes)) => pieces = text(bytes, "its pieces")?,
                _ => {}
            }
        }
        all.push((input, pieces));
    }
    Ok(())
}

/// What the trainer's specification says about encoding.
struct Trainer<'a> {
    model_type: u64,
    suffix: bool,
    byte_fallback: bool,
    unk_surface: Option<&'a str>,
    bos: &'a str,
    eos: &'a str,
    pad: &'a str,
}

impl Default for Trainer<'_> {
    fn default() -> Self {
        Self {
            model_type: 1,
            suffix: false,
            byte_fallback: false,
            unk_surface: None,
            bos: "<s>",
            eos: "</s>",
            pad: "<pad>",
        }
    }
}

impl<'a> Trainer<'a> {
    fn read(&mut self, fields: Fields<'a>) -> Result<()> {
        use field::trainer as number;
        for found in fields {
            match found? {
                (number::MODEL_TYPE, Value::Number(kind)) => self.model_type = kind,
                (number::SUFFIX, Value::Number(flag)) => self.suffix = flag != 0,
                (number::BYTE_FALLBACK, Value::Number(flag)) => self.byte_fallback = flag != 0,
                (number::UNK_SURFACE, Value::Bytes(bytes)) => {
                    self.unk_surface = Some(text(bytes, "unk_surface")?);
                }
                (number::BOS_PIECE, Value::Bytes(bytes)) => self.bos = text(bytes, "bos_piece")?,
                (number::EOS_PIECE, Value::Bytes(bytes)) => self.eos = text(bytes, "eos_piece")?,
                (number::PAD_PIECE, Value::Bytes(bytes)) => self.pad = text(bytes, "pad_piece")?,
                _ => {}
            }
        }
        Ok(())
    }

    fn check_type(&self) -> Result<()> {
        let name = match self.model_type {
            BPE => return Ok(()),
            1 => "unigram",
            3 => "word",
            4 => "char",
            other => {
                return Err(Error::Format(format!(
                    "trainer_spec: model_type is {other}; 2 is BPE"
                )));
            }
        };
        Err(Error::Format(format!(
            "model of type '{name}' is not supported; digram is for byte-pair encoding (BPE)"
        )))
    }
}

/// What is done to a text.
struct Spec<'a> {
    charsmap: &'a [u8],
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
    escape_whitespaces: bool,
}

impl Default for Spec<'_> {
    fn default() -> Self {
        Self {
            charsmap: &[],
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            escape_whitespaces: true,
        }
    }
}

impl<'a> Spec<'a> {
    fn read(&mut self, fields: Fields<'a>) -> Result<()> {
        use field::normalizer as number;
        for found in fields {
            match found? {
                (number::CHARSMAP, Value::Bytes(bytes)) => self.charsmap = bytes,
                (number::DUMMY_PREFIX, Value::Number(flag)) => self.add_dummy_prefix = flag != 0,
                (number::EXTRA_WHITESPACES, Value::Number(flag)) => {
                    self.remove_extra_whitespaces = flag != 0;
                }
                (number::ESCAPE, Value::Number(flag)) => self.escape_whitespaces = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }

    fn normalizer(&self, suffix: bool, untouched: Vec<String>) -> SentencePiece {
        SentencePiece {
            precompiled_charsmap: Table::of(self.charsmap),
            add_dummy_prefix: self.add_dummy_prefix,
            remove_extra_whitespaces: self.remove_extra_whitespaces,
            escape_whitespaces: self.escape_whitespaces,
            treat_whitespace_as_suffix: suffix,
            untouched,
        }
    }
}

fn model(file: File) -> Result<Model> {
    let vocabulary = checked(file.texts.vocabulary()?)?;
    let trainer = &file.trainer;
    let text = |piece: &Piece| String::from_utf8_lossy(vocabulary.bytes(piece.id)).into_owned();
    let control = |name: &str| {
        let is_it = |piece: &&Piece| {
            piece.kind == Kind::Control && vocabulary.bytes(piece.id) == name.as_bytes()
        };
        file.pieces.iter().find(is_it).map(|piece| piece.id)
    };
    let (bos, eos, pad) = (control(trainer.bos), control(trainer.eos), control(trainer.pad));
    let of_kind = |kind| file.pieces.iter().filter(move |piece| piece.kind == kind);
    let Some(unknown) = of_kind(Kind::Unknown).next() else {
        return Err(Error::Format("no piece is the unknown one; every model has it".into()));
    };
    let unknown = Some(Unknown { id: unknown.id, fuse: true });
    let is_added = |piece: &&Piece| matches!(piece.kind, Kind::Control | Kind::Unknown);
    let added = file.pieces.iter().filter(is_added);
    let added_tokens = added.map(|piece| special(piece.id, &text(piece))).collect();
    let user_defined = of_kind(Kind::UserDefined).map(text).collect();
    let normalizer = file.normalizer.normalizer(trainer.suffix, user_defined);
    let denormalizer = file.denormalizer.as_ref().filter(|spec| !spec.charsmap.is_empty());
    let decoder = pieces::SentencePiece {
        unk_surface: trainer.unk_surface.map_or_else(pieces::unk_surface, str::to_owned),
        add_dummy_prefix: normalizer.add_dummy_prefix,
        remove_extra_whitespaces: normalizer.remove_extra_whitespaces,
        denormalizer: denormalizer.map(|spec| spec.normalizer(false, Vec::new())),
    };
    let self_test = file.self_test.iter().map(|&(text, pieces)| (text.into(), pieces.into()));
    let scores = Scores { bos, eos, pad, self_test: self_test.collect(), pieces: file.pieces };
    Ok(Model {
        unknown,
        added_tokens,
        byte_fallback: trainer.byte_fallback,
        normalizer: Some(Normalizer::SentencePiece(normalizer)),
        decoder: Some(Decoder::SentencePiece(decoder)),
        ..Model::new(vocabulary, Units::Chars, Rule::Scores(scores))
    })
}

/// The vocabulary, if all its tokens are texts without NUL and no two are the same.
fn checked(vocabulary: Vocabulary) -> Result<Vocabulary> {
    if !vocabulary.is_text() || vocabulary.holds(0) {
        for (id, text) in vocabulary.iter() {
            check_text(text).map_err(|error| error.at(format!("pieces[{id}]")))?;
        }
    }
    match vocabulary.repeated() {
        None => Ok(vocabulary),
        Some(id) => {
            let text = String::from_utf8_lossy(vocabulary.bytes(id));
            Err(Error::Format(format!("pieces[{id}]: {text:?} is listed before")))
        }
    }
}
