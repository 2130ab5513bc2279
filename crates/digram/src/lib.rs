//! Byte-pair encoding, whole: train, encode, decode, read and write every format, exactly.
//!
//! Text is normalized, split into words, and each word is merged into tokens: the pair with the
//! lowest rank first. Training finds the merges: the most frequent pair first.

pub mod aliases;
pub mod arch;
pub mod components;
mod cores;
pub mod decode;
pub mod encode;
pub mod error;
pub mod formats;
pub mod limits;
mod memory;
pub mod merge;
pub mod model;
pub mod monitor;
pub mod parts;
pub mod pretokenize;
mod threads;
pub mod train;
pub mod vocabulary;

pub use error::{Error, Result};
pub use limits::Limits;
