//! What texts are shared out as: sections between special tokens, and parts of them.

use std::borrow::Cow;

/// Texts that are shorter go through the loops together.
const SHORT: usize = 1 << 10;

/// A stretch of text between special tokens, normalized.
pub(super) struct Section<'a> {
    pub text: Cow<'a, str>,
    /// Where it begins among all sections: places are the order of words.
    pub place: u64,
    /// How much of the texts was read before it, for progress.
    pub read: u64,
    /// Where it ends; what comes behind is only looked at, and counted another time.
    pub to: usize,
}

/// A part of a section; a word begins where it does, and where the next does.
pub(super) struct Share<'a> {
    pub section: &'a Section<'a>,
    pub from: usize,
    pub to: usize,
}

impl Share<'_> {
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    /// How much of the texts was read before it, for progress.
    pub fn read(&self) -> u64 {
        self.section.read + self.from as u64
    }

    /// Whether it is all of a short text.
    fn is_short(&self) -> bool {
        self.to < SHORT && self.len() == self.section.text.len()
    }
}

/// Shares in runs of some `bytes` each.
pub(super) fn runs<'a, 'b>(shares: &'b [Share<'a>], bytes: usize) -> Vec<&'b [Share<'a>]> {
    let mut room = bytes;
    let chunk = |_: &Share, next: &Share| {
        let fits = room > next.len();
        room = if fits { room - next.len() } else { bytes };
        fits
    };
    shares.chunk_by(chunk).collect()
}

/// The shares of a run one by one; where words `may` be counted so, many short ones together.
pub(super) fn together<'a, 'b>(
    run: &'b [Share<'a>],
    may: bool,
) -> impl Iterator<Item = &'b [Share<'a>]> {
    run.chunk_by(move |one, next| may && one.is_short() && next.is_short())
}
