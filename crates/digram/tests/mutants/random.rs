//! A small generator of random numbers, so that mutants are the same everywhere.

/// A generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `below`, which is not 0.
    pub fn below(&mut self, below: usize) -> usize {
        // SplitMix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as usize
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Texts that are likely to break things.
pub const SPITE: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "é",
    "Ġ",
    "</w>",
    "##",
    " ",
    "\0",
    "\u{10FFFF}",
    "\u{FEFF}",
    "<0xFF>",
    "A",
    "[UNK]",
    "?",
    "BPE",
    "(",
    "a*",
    "(?=a)",
    "(a+)+$",
    r"\p{L}{9000}",
    r"(?<=a)b",
    "IQ==",
    "AAAA",
    "=",
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "#version: 0.2",
    "<s>",
];
