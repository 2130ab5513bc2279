//! `SentencePiece`'s `.model`: a protocol buffer of pieces with scores, and what is done to text.
//!
//! Ids are places in the list of pieces. What only concerned the training is not kept.

mod read;
mod wire;
mod write;

pub(super) use read::read;
pub(super) use write::write;

use wire::Fields;

const NAME: &str = "sentencepiece";
/// `SentencePiece` refuses pieces of so many bytes.
const TOO_LONG: usize = 8_000;

/// The fields of the file, by their numbers.
mod field {
    pub const PIECES: u32 = 1;
    pub const TRAINER: u32 = 2;
    pub const NORMALIZER: u32 = 3;
    pub const SELF_TEST: u32 = 4;
    pub const DENORMALIZER: u32 = 5;
    /// The largest of them.
    pub const LAST: u32 = 5;
    /// Of a piece.
    pub mod piece {
        pub const TEXT: u32 = 1;
        pub const SCORE: u32 = 2;
        pub const KIND: u32 = 3;
    }
    /// Of the self-test: its samples, and of each the text and its pieces.
    pub mod self_test {
        pub const SAMPLE: u32 = 1;
        pub const TEXT: u32 = 1;
        pub const PIECES: u32 = 2;
    }
    /// Of the trainer's specification.
    pub mod trainer {
        pub const MODEL_TYPE: u32 = 3;
        pub const VOCAB_SIZE: u32 = 4;
        pub const SUFFIX: u32 = 24;
        pub const CONTROL_SYMBOLS: u32 = 30;
        pub const USER_DEFINED_SYMBOLS: u32 = 31;
        pub const BYTE_FALLBACK: u32 = 35;
        pub const UNK_ID: u32 = 40;
        pub const BOS_ID: u32 = 41;
        pub const EOS_ID: u32 = 42;
        pub const PAD_ID: u32 = 43;
        pub const UNK_SURFACE: u32 = 44;
        pub const UNK_PIECE: u32 = 45;
        pub const BOS_PIECE: u32 = 46;
        pub const EOS_PIECE: u32 = 47;
        pub const PAD_PIECE: u32 = 48;
    }
    /// Of a normalizer's specification.
    pub mod normalizer {
        pub const NAME: u32 = 1;
        pub const CHARSMAP: u32 = 2;
        pub const DUMMY_PREFIX: u32 = 3;
        pub const EXTRA_WHITESPACES: u32 = 4;
        pub const ESCAPE: u32 = 5;
    }
}

/// Byte-pair encoding, among the types of models.
const BPE: u64 = 2;

/// Whether a file looks like this: it begins with a whole piece that has a text, and another
/// field of the file follows.
pub(super) fn recognizes(bytes: &[u8]) -> bool {
    let mut fields = Fields::of(bytes);
    let Some(Ok((field::PIECES, first))) = fields.next() else { return false };
    let Some(mut piece) = first.message() else { return false };
    let has_text = matches!(
        piece.next(),
        Some(Ok((field::piece::TEXT, text)))
            if text.bytes().is_some_and(|text| !text.is_empty() && std::str::from_utf8(text).is_ok())
    );
    has_text && matches!(fields.next(), Some(Ok((number, _))) if number <= field::LAST)
}

#[cfg(test)]
mod tests;
