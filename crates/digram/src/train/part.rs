//! Part of a corpus: a sample that the texts themselves decide, and so many bytes of it.
//!
//! The package chooses texts from iterators by the same rules (`_choosing.py`); the tests hold the
//! two equal.

use super::digest::Digest;

/// What of the texts to come is kept.
pub struct Part {
    sample: Option<Sample>,
    left: Option<u64>,
}

/// Keeps texts whose digest is below a bound.
struct Sample {
    digest: Digest,
    /// 2⁶⁴ keeps all.
    bound: u128,
}

impl Part {
    /// All texts; or those whose digest, keyed by a seed, is below a bound, of 64 bits and given
    /// before it. Of these the first, of `left` bytes together.
    pub fn new(sample: Option<(u128, u64)>, left: Option<u64>) -> Self {
        let sample = sample.map(|(bound, seed)| Sample { digest: Digest::new(seed), bound });
        Self { sample, left }
    }

    /// How many bytes are still to come; nothing where there is no limit.
    pub fn left(&self) -> Option<u64> {
        self.left
    }

    /// Whether no text is wanted any more.
    pub fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    /// What is kept of a text: all of it, nothing, or, of the last one, what there is room for.
    pub(super) fn keep<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if let Some(Sample { digest, bound }) = &self.sample
            && u128::from(digest.of(text.as_bytes())) >= *bound
        {
            return None;
        }
        let Some(left) = &mut self.left else { return Some(text) };
        let length = text.len() as u64;
        if length < *left {
            *left -= length;
            return Some(text);
        }
        let to = text.floor_char_boundary(usize::try_from(*left).unwrap_or(usize::MAX));
        *left = 0;
        (to > 0).then_some(&text[..to])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_cuts_the_text_that_reaches_it_at_a_character() {
        let kept = |left| {
            let mut part = Part::new(None, Some(left));
            let mut kept = Vec::new();
            for text in ["abc", "", "déf", "ghi"] {
                if part.is_full() {
                    break;
                }
                kept.extend(part.keep(text));
            }
            kept.join("|")
        };
        assert_eq!(kept(1), "a");
        assert_eq!(kept(3), "abc");
        assert_eq!(kept(4), "abc||d");
        assert_eq!(kept(5), "abc||d");
        assert_eq!(kept(6), "abc||dé");
        assert_eq!(kept(100), "abc||déf|ghi");
    }

    #[test]
    fn a_sample_of_all_keeps_all_and_one_of_none_nothing() {
        assert_eq!(Part::new(Some((1 << 64, 3)), None).keep("low"), Some("low"));
        assert_eq!(Part::new(Some((0, 3)), None).keep("low"), None);
    }
}
