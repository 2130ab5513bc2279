//! What tables of words may grow by beyond what each may have in any case.

/// So many bytes: the table that first needs them has them.
///
/// Which table is too small depends on the text. Words of English or of Chinese are short, of Russian, Hindi
/// or programs in CamelCase many are long, and lines of a genome are longer still.
pub struct Spare(usize);

impl Spare {
    /// So many bytes.
    pub fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Whether there are so many.
    pub fn has(&self, bytes: usize) -> bool {
        self.0 >= bytes
    }

    /// How many are left.
    #[cfg(test)]
    pub fn left(&self) -> usize {
        self.0
    }

    /// Takes so many bytes, if there are.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_taken_than_there_is() {
        let mut spare = Spare::of(10);
        assert_eq!(
            [4, 7, 6, 1, 0].map(|bytes| spare.take(bytes)),
            [true, false, true, false, true]
        );
    }
}
