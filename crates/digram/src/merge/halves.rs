//! The one pair that makes each token.
//!
//! A token of nine bytes can be cut in two at eight places, and each cut may leave two tokens. But
//! merging meets only one of these pairs. Take a text in which `m` is made of `l` and `r`. Until
//! then nothing merged across the ends of `m`, so what merged inside it did so as it does in the
//! text of `m` alone: the lowest rank first, leftmost first within a rank, and the leftmost of a
//! stretch of text is the leftmost of it alone. Alone, it is in a state of two symbols only once.
//! So `l` and `r` are always the same two.
//!
//! They are found by merging the text of each token, the short ones first: all that can merge
//! inside a token is shorter than it. Where that leaves two symbols, those are the pair; where it
//! leaves more, merging never makes the token.

use super::by_rank;
use super::group::Group;
use super::pairs::{Pairs, Product};
use crate::arch::{Kernel, Work, compiled};
use crate::error::Result;
use crate::monitor::{Monitor, Nobody};

/// How many tokens are merged together.
const TOGETHER: usize = 64;

/// What merging the texts of tokens begins with.
pub trait Texts {
    /// How long the text of a token is.
    fn length(&self, token: u32) -> usize;
    /// Writes what merging a token's text begins with.
    fn write(&self, token: u32, symbols: &mut Vec<u32>) -> Result<()>;
}

/// Adds the pair that makes each of these tokens to `pairs`, and gives it to `found`.
pub fn find(
    order: &[Product],
    tokens: &impl Texts,
    pairs: &mut Pairs,
    found: impl FnMut(u32, [u32; 2]),
) -> Result<()> {
    compiled(Kernel::chosen(), Halving { order, tokens, pairs, found })
}

struct Halving<'a, T, F> {
    order: &'a [Product],
    tokens: &'a T,
    pairs: &'a mut Pairs,
    found: F,
}

impl<T: Texts, F: FnMut(u32, [u32; 2])> Work for Halving<'_, T, F> {
    type Done = Result<()>;

    #[expect(clippy::inline_always, reason = "it is compiled for each kernel")]
    #[inline(always)]
    fn work(self) -> Result<()> {
        let Self { order, tokens, pairs, mut found } = self;
        let (mut group, mut symbols, mut halves) = (Group::default(), Vec::new(), Vec::new());
        let length = |product: &Product| tokens.length(product.merged);
        // tokens of one length are no parts of each other
        for alike in order.chunk_by(|one, other| length(one) == length(other)) {
            for some in alike.chunks(TOGETHER) {
                let mut keep = |place: usize, symbols: &[u32]| {
                    halves.extend(<[u32; 2]>::try_from(symbols).ok().map(|two| (some[place], two)));
                };
                for (place, product) in some.iter().enumerate() {
                    tokens.write(product.merged, &mut symbols)?;
                    if symbols.len() <= 2 {
                        keep(place, &symbols);
                    } else if !group.take(place, &symbols, pairs) {
                        by_rank(&mut symbols, pairs, &Monitor::new(&Nobody))?;
                        keep(place, &symbols);
                    }
                }
                group.merge(pairs, |place, symbols| keep(place, symbols.all));
            }
            pairs.add_all(halves.iter().map(|&(product, two)| (two, product)));
            halves.drain(..).for_each(|(product, two)| found(product.merged, two));
        }
        Ok(())
    }
}
