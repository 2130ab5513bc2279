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
use crate::monitor::Monitor;
use crate::threads;

/// How many tokens are merged together.
const TOGETHER: usize = 64;
/// So many tokens of one length are worth a thread's start.
const EACH: usize = 1 << 10;

/// What merging the texts of tokens begins with.
pub trait Texts: Sync {
    /// How long the text of a token is.
    fn length(&self, token: u32) -> usize;
    /// Writes what merging a token's text begins with.
    fn write(&self, token: u32, symbols: &mut Vec<u32>) -> Result<()>;
}

/// Tokens of several symbols, and the two that merging leaves of each.
type Halves = Vec<([u32; 2], Product)>;

/// Adds the pair that makes each of these tokens to `pairs`, and gives it to `found`; by so many threads at
/// most.
pub fn find(
    order: &[Product],
    tokens: &impl Texts,
    pairs: &mut Pairs,
    workers: usize,
    mut found: impl FnMut(u32, [u32; 2]),
) -> Result<()> {
    let length = |product: &Product| tokens.length(product.merged);
    // tokens of one length are no parts of each other
    for alike in order.chunk_by(|one, other| length(one) == length(other)) {
        for halves in halves(alike, tokens, pairs, workers)? {
            pairs.add_all(halves.iter().copied());
            for (two, product) in halves {
                found(product.merged, two);
            }
        }
    }
    Ok(())
}

/// The halves of tokens that are no parts of each other, as each thread found them.
fn halves(
    some: &[Product],
    tokens: &impl Texts,
    pairs: &Pairs,
    workers: usize,
) -> Result<Vec<Halves>> {
    let workers = workers.min(some.len() / EACH).max(1);
    let border = |worker| some.len() * worker / workers;
    threads::run(workers, &Monitor::silent(), |worker| {
        let some = &some[border(worker)..border(worker + 1)];
        compiled(Kernel::chosen(), Halving { some, tokens, pairs })
    })
}

struct Halving<'a, T> {
    some: &'a [Product],
    tokens: &'a T,
    pairs: &'a Pairs,
}

impl<T: Texts> Work for Halving<'_, T> {
    type Done = Result<Halves>;

    #[expect(clippy::inline_always, reason = "it is compiled for each kernel")]
    #[inline(always)]
    fn work(self) -> Result<Halves> {
        let Self { some, tokens, pairs } = self;
        let (mut group, mut symbols, mut halves) = (Group::default(), Vec::new(), Vec::new());
        for some in some.chunks(TOGETHER) {
            let mut keep = |place: usize, symbols: &[u32]| {
                halves.extend(<[u32; 2]>::try_from(symbols).ok().map(|two| (two, some[place])));
            };
            for (place, product) in some.iter().enumerate() {
                tokens.write(product.merged, &mut symbols)?;
                if symbols.len() <= 2 {
                    keep(place, &symbols);
                } else if !group.take(place, &symbols, pairs) {
                    by_rank(&mut symbols, pairs, &Monitor::silent())?;
                    keep(place, &symbols);
                }
            }
            group.merge(pairs, |place, symbols| keep(place, symbols.all));
        }
        Ok(halves)
    }
}
