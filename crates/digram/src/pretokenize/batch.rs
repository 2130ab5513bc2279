//! Words, many at a time: where each begins and ends.

/// How many words make a batch: their positions, and what is looked up for them, stay in the
/// first-level cache.
pub const WORDS: usize = 1024;

/// The words of a stretch of text, in order.
///
/// Most pre-tokenizers leave no gaps: there a word begins where the one before it ends, and only
/// the borders are kept.
#[derive(Default)]
pub struct Batch {
    /// Where words end; the first entry is where the first word begins.
    borders: Vec<u32>,
    /// Where words begin, if that is not where the one before ends.
    starts: Vec<u32>,
}

impl Batch {
    /// Where each word begins.
    pub fn starts(&self) -> &[u32] {
        if self.starts.is_empty() { &self.borders[..self.len()] } else { &self.starts }
    }

    /// Where each word ends.
    pub fn ends(&self) -> &[u32] {
        self.borders.get(1..).unwrap_or_default()
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.borders.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Empties the batch; the next word begins at `start`, or behind it.
    pub(super) fn begin(&mut self, start: usize) {
        self.starts.clear();
        self.borders.clear();
        self.borders.push(start as u32);
    }

    /// Adds a word.
    pub(super) fn push(&mut self, start: usize, end: usize) {
        let (start, end) = (start as u32, end as u32);
        if !self.starts.is_empty() {
            self.starts.push(start);
        } else if self.borders.last() != Some(&start) {
            self.starts.extend_from_slice(&self.borders[..self.borders.len() - 1]);
            self.starts.push(start);
        }
        self.borders.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places_with_gaps_and_without() {
        for gap in [0, 1] {
            let mut batch = Batch::default();
            batch.begin(5);
            assert!(batch.is_empty());
            let words = [(5, 7), (7 + gap, 9), (9 + gap, 10)];
            words.iter().for_each(|&(start, end)| batch.push(start, end));
            let read: Vec<_> = batch.starts().iter().zip(batch.ends()).collect();
            let told: Vec<_> = words.map(|(start, end)| (start as u32, end as u32)).to_vec();
            assert_eq!(read, told.iter().map(|(start, end)| (start, end)).collect::<Vec<_>>());
        }
    }
}
