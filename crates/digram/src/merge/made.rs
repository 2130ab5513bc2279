//! Which tokens merging makes of their own text.

/// Tokens that merging makes of their own text, as far as is known: a word of that text need not be merged.
#[derive(Default)]
pub struct Made(Vec<u64>);

impl Made {
    /// None of so many ids.
    pub fn of_ids(ids: usize) -> Self {
        Self(vec![0; ids.div_ceil(64)])
    }

    /// Adds a token.
    pub fn add(&mut self, token: u32) {
        self.0[token as usize / 64] |= 1 << (token % 64);
    }

    /// Whether it is known of no token.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether merging makes this token.
    #[inline]
    pub fn has(&self, token: u32) -> bool {
        self.0.get(token as usize / 64).is_some_and(|bits| bits >> (token % 64) & 1 != 0)
    }
}
