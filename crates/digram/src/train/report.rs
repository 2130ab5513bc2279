//! What learning tells about itself.

use std::fmt;

use crate::model::Merge;

/// Why learning stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// There are as many tokens as asked for.
    VocabSize,
    /// There are as many merges as asked for.
    NumMerges,
    /// Every pair that is left occurs too seldom.
    MinFrequency,
    /// No pair is left that may be merged.
    NoPairs,
}

impl StopReason {
    /// The reason's name, as users see it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VocabSize => "vocab_size",
            Self::NumMerges => "num_merges",
            Self::MinFrequency => "min_frequency",
            Self::NoPairs => "no-pairs",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What learning tells about itself: every merge, every frequency, and why it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainingReport {
    /// The merges, in the order learned.
    pub merges: Vec<Merge>,
    /// How often each token occurred when it was made, by id: a base symbol at the start, a
    /// merge's pair (overlapping occurrences counted) when it was chosen, a special token never, but
    /// for the unknown one and those of bytes: as often as they stand for what the alphabet leaves out.
    pub frequencies: Vec<u64>,
    /// How often each token occurs in the words after the last merge, by id.
    pub live_frequencies: Vec<u64>,
    /// How many symbols occur at all: at the start, then after each merge.
    pub live_symbols: Vec<u32>,
    /// In how many places of the distinct words each merge was made, in the order learned.
    pub places: Vec<u64>,
    /// How many pairs were as frequent as that of each merge when it was chosen, itself included; 0
    /// for the merges of required tokens, which are chosen among those.
    pub tied: Vec<u32>,
    /// Why learning stopped.
    pub stopped: StopReason,
    /// Distinct words.
    pub words: u64,
    /// Occurrences of all words together.
    pub occurrences: u64,
    /// Occurrences of all symbols together at the start.
    pub symbols_at_start: u64,
    /// Occurrences of all symbols together after the last merge.
    pub symbols_at_end: u64,
}

impl TrainingReport {
    /// The same, where characters that were left out, for which the first byte's token stood, are spelled in
    /// their bytes: as often as each occurs in them, from the first of their tokens on.
    pub(super) fn with_bytes(mut self, first: Option<usize>, bytes: &[u64; 256]) -> Self {
        let Some(first) = first else { return self };
        let more = bytes.iter().sum::<u64>() - self.frequencies[first];
        self.symbols_at_start += more;
        self.symbols_at_end += more;
        let live = bytes.iter().filter(|&&count| count > 0).count() as u32;
        let more = live - u32::from(self.frequencies[first] > 0);
        self.live_symbols.iter_mut().for_each(|symbols| *symbols += more);
        for frequencies in [&mut self.frequencies, &mut self.live_frequencies] {
            frequencies[first..][..bytes.len()].copy_from_slice(bytes);
        }
        self
    }

    /// By how much each merge changed the number of live symbols: +1, 0 or -1.
    pub fn changes(&self) -> impl Iterator<Item = i8> {
        let change = |two: &[u32]| (i64::from(two[1]) - i64::from(two[0])) as i8;
        self.live_symbols.windows(2).map(change)
    }

    /// How often the pair of each merge occurred when it was chosen.
    pub fn merge_frequencies(&self) -> &[u64] {
        &self.frequencies[self.frequencies.len() - self.merges.len()..]
    }
}
