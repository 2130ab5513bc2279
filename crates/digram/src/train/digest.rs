//! `BLAKE2b` of 64 bits, keyed by a seed (RFC 7693): what decides whether a text is in a sample.

use blake2b_simd::{Params, State};

/// How many bytes a digest has.
const BYTES: usize = 8;

/// Digests of texts by one key.
pub(super) struct Digest {
    /// What the key makes of it, before a text.
    keyed: State,
}

impl Digest {
    /// Digests keyed by a seed.
    pub fn new(seed: u64) -> Self {
        let keyed = Params::new().hash_length(BYTES).key(&seed.to_le_bytes()).to_state();
        Self { keyed }
    }

    /// The digest of `bytes`.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        let digest = self.keyed.clone().update(bytes).finalize();
        u64::from_le_bytes(digest.as_bytes().try_into().expect("it has eight bytes"))
    }
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
