//! Scripts whose letters join nearly everywhere, so that their words are seldom cut.
//!
//! Which they are depends on the vocabulary: the more tokens it has of an alphabet, the more of
//! its pairs of letters stand in some token. Scripts with thousands of characters never come near.
//! So the pairs are counted by the page of the left letter, 64 code points that share all bytes
//! but the last. Only pages of small alphabets are counted: those of two bytes (Cyrillic, Greek,
//! Arabic, Hebrew), and those of the scripts of India, which begin with `E0`. Thai, which begins
//! so too, writes no spaces: its letters join, but what stands between two spaces never comes back.

/// From so many pairs on, letters of a page count as joined. In vocabularies of 100,000 tokens and
/// more, a page of a script that the texts were rich in has 90 to 850, another fewer than 20.
const MANY: u16 = 64;
/// From so many on among four pages of two bytes, all of their letters count as joined where nothing splits. Llama 2's
/// 32,000 tokens have 677 of Cyrillic, and 6 of any others.
const NEARLY_ALL: u16 = 256;
/// 32 pages of two bytes, and 64 of three, of which 24 are in use.
const PAGES: usize = 32 + 64;

/// How many pairs of characters join, by the page of the left one.
pub(super) struct Scripts {
    pairs: [u16; PAGES],
}

impl Scripts {
    pub fn new() -> Self {
        Self { pairs: [0; PAGES] }
    }

    /// Counts a pair, which is new, by its left character.
    pub fn add(&mut self, left: &[u8]) {
        if let Some(page) = page(left) {
            self.pairs[page] = self.pairs[page].saturating_add(1);
        }
    }

    /// The pages of two bytes, four by four, whose letters all count as joined: a bit for each four.
    pub fn joined(&self) -> u8 {
        let pairs =
            |four: usize| self.pairs[4 * four..][..4].iter().copied().map(u32::from).sum::<u32>();
        (0..8).filter(|&four| pairs(four) >= u32::from(NEARLY_ALL)).map(|four| 1 << four).sum()
    }

    /// Whether the letters of the script that a word ends in join nearly everywhere.
    #[inline]
    pub fn joins(&self, word: &[u8]) -> bool {
        page(word).is_some_and(|page| self.pairs[page] >= MANY)
    }
}

/// The page of the last character; `None` for one that is not counted.
#[inline]
fn page(text: &[u8]) -> Option<usize> {
    match *text {
        [.., first @ 0xC0..=0xDF, _] => Some(usize::from(first & 0x1F)),
        [.., 0xE0, second @ 0xA0..=0xB7, _] => Some(32 + usize::from(second & 0x3F)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_joins_once_it_has_many_pairs() {
        let mut scripts = Scripts::new();
        let texts = ["да", "ক", "สวัสดี", "中", "😀", "yes", ""];
        for _ in 0..MANY {
            assert!(texts.iter().all(|text| !scripts.joins(text.as_bytes())));
            for left in ["б", "খ", "ส", "中", "😀", "b"] {
                scripts.add(left.as_bytes());
            }
        }
        let joined: Vec<_> = texts.iter().filter(|text| scripts.joins(text.as_bytes())).collect();
        assert_eq!(joined, [&"да", &"ক"]);
        assert_eq!(scripts.joined(), 0);
        (0..256).for_each(|_| scripts.add("я".as_bytes()));
        assert_eq!(scripts.joined(), 1 << 4);
    }
}
