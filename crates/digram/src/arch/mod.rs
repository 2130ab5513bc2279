//! Kernels: the smallest routines that are worth writing once per instruction set.
//!
//! [`classify`] turns text into one bit per byte and character class, [`flatten`] turns bits into
//! positions. Everything between the two is ordinary code on 64-bit words. [`find_rare`] finds characters
//! that are seldom there, [`runs`] small letters and visible spaces. `generic` holds the plain form of each
//! kernel, which every machine runs and every other form is tested against.
//! [`keys`] turns words into numbers and looks at their places in a table. [`transcode`] and [`utf8`]
//! turn code points into UTF-8 and back, [`replace`] writes a text with other characters, [`append`]
//! writes ids. [`pages`], [`prefetch`] and [`room`] are about where memory lies, when it is there and
//! whether there is some; [`high`] finds a bit in several numbers at once. [`compiled`] has ordinary code
//! compiled for each instruction set.

#[cfg(target_arch = "aarch64")]
mod aarch64;
pub(crate) mod append;
pub(crate) mod generic;
pub(crate) mod high;
pub(crate) mod keys;
mod mapped;
#[cfg(all(test, target_os = "linux"))]
mod page_end;
pub(crate) mod pages;
pub(crate) mod prefetch;
pub(crate) mod replace;
pub(crate) mod room;
pub(crate) mod spell;
#[cfg(test)]
mod tests;
pub mod transcode;
pub mod utf8;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use hashbrown::HashMap;
use once_cell::race::OnceBox;

/// How many bytes one mask covers.
pub(crate) const BLOCK: usize = 64;
/// How many bytes behind its last block [`classify`] may look at.
pub(crate) const BEHIND: usize = 4;

/// Which instructions the kernels use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kernel {
    /// Any machine's.
    Portable,
    /// Vectors of 16 bytes, and look-ups in tables of 64.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Vectors of 32 bytes, and bit extraction.
    Avx2,
    /// Vectors of 64 bytes, with permutation and compression of bytes.
    Avx512,
}

impl Kernel {
    /// The best that this machine runs, or a lower one that `DIGRAM_KERNEL` names.
    pub fn chosen() -> Self {
        static CHOSEN: OnceBox<Kernel> = OnceBox::new();
        *CHOSEN.get_or_init(|| {
            let wanted = match std::env::var("DIGRAM_KERNEL").as_deref() {
                Ok("portable") => Self::Portable,
                Ok("avx2") => Self::Avx2,
                _ => Self::Avx512,
            };
            Box::new(wanted.min(Self::best()))
        })
    }

    #[cfg(target_arch = "x86_64")]
    fn best() -> Self {
        x86_64::best()
    }

    #[cfg(target_arch = "aarch64")]
    fn best() -> Self {
        Self::Neon
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn best() -> Self {
        Self::Portable
    }

    /// Those that this machine runs.
    #[cfg(test)]
    pub fn available() -> impl Iterator<Item = Self> {
        let all = [
            Self::Portable,
            #[cfg(target_arch = "aarch64")]
            Self::Neon,
            Self::Avx2,
            Self::Avx512,
        ];
        all.into_iter().filter(|&kernel| kernel <= Self::best())
    }
}

/// Something to do that is worth compiling for the instructions of each kernel.
pub(crate) trait Work {
    /// What comes of it.
    type Done;
    /// Does it. To be inlined always, as everything that it calls and that matters.
    fn work(self) -> Self::Done;
}

/// Does some work as it was compiled for a kernel.
#[inline]
pub(crate) fn compiled<W: Work>(kernel: Kernel, work: W) -> W::Done {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => x86_64::compiled(kernel, work),
        _ => work.work(),
    }
}

/// The bits of a class byte: what a split pattern asks of a character.
pub(crate) mod class {
    pub const LETTER: u8 = 1;
    pub const NUMBER: u8 = 2;
    pub const BLANK: u8 = 4;
    /// A line's end; also a blank.
    pub const NEWLINE: u8 = 8;
    /// The space; also a blank.
    pub const SPACE: u8 = 16;
    pub const QUOTE: u8 = 32;
    /// A capital or title letter; without `LETTER`, the slash.
    pub const UPPER: u8 = 64;
    /// A letter without case; without `LETTER`, a mark.
    pub const CASELESS: u8 = 128;
}

/// The class byte of every character, in two levels.
pub(crate) struct Classes {
    /// Of each byte that is a character; 0 for the others.
    pub ascii: [u8; 256],
    /// Which leaf describes each 64 code points.
    pub pages: Vec<u16>,
    /// The class bytes of 64 code points each.
    pub leaves: Vec<[u8; 64]>,
}

impl Classes {
    /// The table of all pages, of which those that are alike are kept once; `None` is one without classes.
    pub fn of_pages(pages: impl Iterator<Item = Option<[u8; 64]>>) -> Self {
        let mut leaves = vec![[0; 64]];
        let mut known: HashMap<_, u16> = [(leaves[0], 0)].into_iter().collect();
        let mut number = |leaf| {
            *known.entry(leaf).or_insert_with(|| {
                leaves.push(leaf);
                leaves.len() as u16 - 1
            })
        };
        let pages: Vec<u16> = pages.map(|leaf| leaf.map_or(0, &mut number)).collect();
        let ascii = std::array::from_fn(|byte| match byte {
            ..128 => leaves[usize::from(pages[byte / 64])][byte % 64],
            _ => 0,
        });
        Self { ascii, pages, leaves }
    }
}

/// Characters beyond ASCII that few texts hold many of.
pub(crate) struct Rare {
    /// Not 0 for them, and for none of ASCII.
    pub classes: Classes,
    /// For each first byte of characters of three, by its lower half, `0xFF` if they are none of them.
    pub absent: [u8; 16],
}

/// One bit for each of 64 bytes and each class. All bytes of a character have its class, so that
/// the byte before a character tells of the character before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    pub letter: u64,
    pub number: u64,
    pub blank: u64,
    pub newline: u64,
    pub space: u64,
    pub quote: u64,
    pub upper: u64,
    pub caseless: u64,
    /// Bytes that do not begin a character.
    pub inner: u64,
}

/// Classifies the blocks of `bytes`, whole UTF-8 but for its ends; `before` is the class of a
/// character that begins before it. `bytes` goes on for [`BEHIND`] bytes after the last block.
pub(crate) fn classify(
    kernel: Kernel,
    classes: &Classes,
    bytes: &[u8],
    before: u8,
    masks: &mut [Masks],
) {
    assert!(bytes.len() >= masks.len() * BLOCK + BEHIND, "the last block has bytes behind it");
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => x86_64::classify(kernel, classes, bytes, before, masks),
        #[cfg(target_arch = "aarch64")]
        Kernel::Neon => aarch64::classify(classes, bytes, before, masks),
        _ => generic::classify(classes, bytes, before, masks),
    }
}

/// What the bytes of a block are where runs of small letters are looked for, and visible spaces, U+2581.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    /// Small letters of ASCII.
    pub small: u64,
    /// Bytes that are not ASCII.
    pub high: u64,
    /// The first bytes of visible spaces that end in the block.
    pub spaces: u64,
}

/// One bit for each byte of a block and each kind.
#[inline]
pub(crate) fn runs(kernel: Kernel, block: &[u8; BLOCK]) -> Runs {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => x86_64::runs(kernel, block),
        _ => generic::runs(block),
    }
}

/// A bit for each byte of a block that begins a rare character.
pub(crate) fn find_rare(kernel: Kernel, rare: &Rare, bytes: &[u8; BLOCK + BEHIND]) -> u64 {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => x86_64::find_rare(kernel, rare, bytes),
        _ => generic::find_rare(rare, bytes),
    }
}

/// Writes the position of each bit that is set, counted from `base`, and returns how many there
/// are. `positions` has room for all that could be set.
pub(crate) fn flatten(kernel: Kernel, bits: &[u64], base: u32, positions: &mut [u32]) -> usize {
    assert!(positions.len() >= bits.len() * BLOCK, "there is room for every bit");
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx2 | Kernel::Avx512 => x86_64::flatten(kernel, bits, base, positions),
        _ => generic::flatten(bits, base, positions),
    }
}
