//! Keys of four words at a time, and four places of a table.

pub(super) mod avx2;
pub(super) mod avx512;

/// How many words go together.
const FOUR: usize = 4;
