//! `BLAKE2b` of 64 bits, keyed by a seed (RFC 7693): what decides whether a text is in a sample.
//!
//! The key fills a block of its own before the text, so what that makes of the state is worked out
//! once for all texts.

const BLOCK: usize = 128;
const ROUNDS: usize = 12;
/// The digest and the key have 8 bytes each; one leaf, one level.
const PARAMETERS: u64 = 0x0101_0000 | 8 << 8 | 8;

const START: [u64; 8] = [
    0x6A09_E667_F3BC_C908,
    0xBB67_AE85_84CA_A73B,
    0x3C6E_F372_FE94_F82B,
    0xA54F_F53A_5F1D_36F1,
    0x510E_527F_ADE6_82D1,
    0x9B05_688C_2B3E_6C1F,
    0x1F83_D9AB_FB41_BD6B,
    0x5BE0_CD19_137E_2179,
];

/// Which words of a block each round takes, in turn; the last two rounds are the first two again.
const ORDER: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/// Where the words that are mixed with each other lie: columns, then diagonals.
const MIXED: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// Digests of texts by one key.
pub(super) struct Digest {
    key: [u8; BLOCK],
    /// Before the key, and behind it.
    states: [[u64; 8]; 2],
}

impl Digest {
    /// Digests keyed by a seed.
    pub fn new(seed: u64) -> Self {
        let mut key = [0; BLOCK];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut start = START;
        start[0] ^= PARAMETERS;
        Self { key, states: [start, compressed(start, &key, BLOCK, false)] }
    }

    /// The digest of `bytes`.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        let [start, mut state] = self.states;
        let Some(whole) = bytes.len().checked_sub(1).map(|last| last / BLOCK) else {
            return compressed(start, &self.key, BLOCK, true)[0];
        };
        let (blocks, rest) = bytes.split_at(whole * BLOCK);
        for (nth, block) in blocks.as_chunks().0.iter().enumerate() {
            state = compressed(state, block, (nth + 2) * BLOCK, false);
        }
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        compressed(state, &last, BLOCK + bytes.len(), true)[0]
    }
}

/// The state behind a block; `read` bytes end with it.
fn compressed(state: [u64; 8], block: &[u8; BLOCK], read: usize, is_last: bool) -> [u64; 8] {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mut mixed = [0; 16];
    mixed[..8].copy_from_slice(&state);
    mixed[8..].copy_from_slice(&START);
    mixed[12] ^= read as u64;
    mixed[14] ^= if is_last { u64::MAX } else { 0 };
    for round in 0..ROUNDS {
        let order = &ORDER[round % ORDER.len()];
        for (nth, &places) in MIXED.iter().enumerate() {
            mix(&mut mixed, places, words[order[2 * nth]], words[order[2 * nth + 1]]);
        }
    }
    std::array::from_fn(|nth| state[nth] ^ mixed[nth] ^ mixed[nth + 8])
}

#[inline]
fn mix(words: &mut [u64; 16], [a, b, c, d]: [usize; 4], one: u64, other: u64) {
    words[a] = words[a].wrapping_add(words[b]).wrapping_add(one);
    words[d] = (words[d] ^ words[a]).rotate_right(32);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_right(24);
    words[a] = words[a].wrapping_add(words[b]).wrapping_add(other);
    words[d] = (words[d] ^ words[a]).rotate_right(16);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_right(63);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by Python's `hashlib.blake2b(…, digest_size=8, key=seed.to_bytes(8, "little"))`.
    #[test]
    fn digests_are_those_of_other_programs() {
        for (seed, length, digest) in EXPECTED {
            let bytes: Vec<u8> = (0..length).map(|n| (n * 7 % 251) as u8).collect();
            assert_eq!(Digest::new(seed).of(&bytes), digest, "{seed} {length}");
        }
    }

    const EXPECTED: [(u64, usize, u64); 10] = [
        (0, 0, 0x3C1B_4FBF_D8FF_AFC3),
        (0, 1, 0x237C_DB85_B461_2B3C),
        (1, 127, 0xC77F_047D_A4F4_DEC1),
        (0, 128, 0xCBE5_C493_F78C_19E8),
        (3, 129, 0x30F0_17A1_C1F1_6DF3),
        (0xFFFF_FFFF_FFFF_FFFF, 255, 0xDBC2_7E60_A9BC_8CBE),
        (7, 256, 0x9436_1642_A131_77A4),
        (7, 257, 0x1607_392F_68E2_C4FD),
        (0xAB54_A98C_EB1F_0AD2, 1000, 0xF096_CEE0_229C_355D),
        (0, 5000, 0xAACF_FD8D_619B_2996),
    ];
}
