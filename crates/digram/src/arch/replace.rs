//! A character of ASCII replaced by a short text, everywhere: a space by what makes it visible.
//!
//! Where it stands in 64 bytes is told by 64 bits. What lies between is mostly a word, and copied as
//! sixteen bytes, of which those behind it are written over by what comes next.

use super::{BLOCK, Kernel, generic};

/// How many blocks are written before it is looked whether there is room.
const BLOCKS: usize = 16;
/// How many are copied at once, and the most of what stands instead.
pub(crate) const STEP: usize = 16;
/// Room for what so many bytes become where characters of three bytes stand instead of some, as it is taken at first.
pub(crate) fn room(bytes: usize) -> usize {
    bytes + bytes / 2 + most_of(bytes.min(BLOCKS * BLOCK), 3)
}

/// The most that so many bytes become where `length` bytes stand instead of one, and what is written over behind them.
fn most_of(bytes: usize, length: usize) -> usize {
    bytes * length.max(1) + STEP
}

/// Appends `text`, with `content` instead of each `character`, which is ASCII: all of it where that is at
/// most `most` bytes, and else some more than `most`.
///
/// # Panics
///
/// Where the content is longer than [`STEP`].
#[expect(unsafe_code, reason = "what is made of UTF-8 is not checked again")]
pub(crate) fn append_replaced(
    text: &str,
    character: u8,
    content: &str,
    most: usize,
    to: &mut String,
) {
    assert!(character.is_ascii(), "no other byte is a character");
    let mut bytes = std::mem::take(to).into_bytes();
    append(text, character, content.as_bytes(), most, &mut bytes);
    // SAFETY: it was UTF-8, what is appended was, and whole characters of it are replaced by UTF-8.
    *to = unsafe { String::from_utf8_unchecked(bytes) };
}

fn append(text: &str, character: u8, content: &[u8], most: usize, to: &mut Vec<u8>) {
    append_by(Kernel::chosen(), text, (character, content), most, to);
}

/// The same by a kernel that this machine runs.
fn append_by(
    kernel: Kernel,
    text: &str,
    (character, content): (u8, &[u8]),
    most: usize,
    to: &mut Vec<u8>,
) {
    let replacing = Replacing::new(character, content);
    let start = to.len();
    let mut at = start;
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    let expected = text.len() + text.len() / 2;
    to.resize(at + expected + most_of(text.len().min(BLOCKS * BLOCK), content.len()), 0);
    // half as much again as what was appended: what was there before may be long
    let have_room = |to: &mut Vec<u8>, at: usize, bytes: usize| {
        let most = most_of(bytes, content.len());
        if to.len() < at + most {
            to.resize(at + (at - start) / 2 + most, 0);
        }
    };
    let mut end = 0;
    for some in blocks.chunks(BLOCKS) {
        let bytes = some.as_flattened().len();
        have_room(to, at, bytes);
        at += replacing.write(kernel, some, &mut to[at..]);
        end += bytes;
        if at - start > most.saturating_add(3) {
            // the last character, if it goes on behind the block, was copied as it is
            return to.truncate(at - (end - text.floor_char_boundary(end)));
        }
    }
    have_room(to, at, rest.len());
    let mut padded = [!character; BLOCK];
    padded[..rest.len()].copy_from_slice(rest);
    at += replacing.write_one(&padded, rest.len(), &mut to[at..]);
    to.truncate(at);
}

/// What is replaced by what.
struct Replacing {
    character: u8,
    padded: [u8; STEP],
    length: usize,
}

impl Replacing {
    fn new(character: u8, content: &[u8]) -> Self {
        let mut padded = [0; STEP];
        padded[..content.len()].copy_from_slice(content);
        Self { character, padded, length: content.len() }
    }

    /// Writes some blocks with the content instead of the character, and maybe up to sixteen bytes behind
    /// them; returns where they end.
    fn write(&self, kernel: Kernel, blocks: &[[u8; BLOCK]], to: &mut [u8]) -> usize {
        match (kernel, self.padded) {
            #[cfg(target_arch = "x86_64")]
            (Kernel::Avx2 | Kernel::Avx512, [a, b, c, ..]) if self.length == 3 => {
                super::x86_64::replace(blocks, self.character, [a, b, c], to)
            }
            _ => {
                blocks.iter().fold(0, |at, block| at + self.write_one(block, BLOCK, &mut to[at..]))
            }
        }
    }

    /// The same of the first `length` bytes of one.
    fn write_one(&self, block: &[u8; BLOCK], length: usize, to: &mut [u8]) -> usize {
        let mut found = places(block, self.character);
        let (mut begun, mut at) = (0, 0);
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            at = copy(block, begun, place, to, at);
            *sixteen(to, at) = self.padded;
            at += self.length;
            begun = place + 1;
            found &= found - 1;
        }
        copy(block, begun, length, to, at)
    }
}

/// Sixteen bytes from a place on.
#[inline]
fn sixteen(bytes: &mut [u8], at: usize) -> &mut [u8; STEP] {
    bytes[at..].first_chunk_mut().expect("there is room for so many")
}

/// Copies the bytes between two places, and maybe some behind them; returns where they end.
#[inline]
fn copy(text: &[u8], begun: usize, end: usize, to: &mut [u8], at: usize) -> usize {
    let length = end - begun;
    match text[begun..].first_chunk() {
        Some(first) if length <= STEP => *sixteen(to, at) = *first,
        _ => to[at..][..length].copy_from_slice(&text[begun..end]),
    }
    at + length
}

/// A bit for each place of a byte.
fn places(block: &[u8; BLOCK], byte: u8) -> u64 {
    let eights = block.as_chunks::<8>().0.iter().map(|&eight| u64::from_le_bytes(eight));
    eights.rev().fold(0, |found, eight| found << 8 | generic::places(eight, byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_are_as_the_library_replaces_them() {
        let mut state = 5_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let pieces = [" ", "  ", "a", "word", "é", "中", "😀", "averylongwordofmanyletters", "\0"];
        for content in ["", "_", "\u{2581}", "sixteen bytes !!"] {
            for length in (0..300).chain([1000, 5000]) {
                let spaces = 1 + random(9);
                let text: String =
                    (0..length).map(|_| pieces[random(pieces.len()) / spaces]).collect();
                for (character, kernel) in [b' ', b'a', 0]
                    .into_iter()
                    .flat_map(|one| Kernel::available().map(move |kernel| (one, kernel)))
                {
                    let told = format!("before {}", text.replace(char::from(character), content));
                    let most = random(2 * told.len());
                    let replaced = |most| {
                        let mut made = b"before ".to_vec();
                        append_by(kernel, &text, (character, content.as_bytes()), most, &mut made);
                        String::from_utf8(made).expect("whole characters")
                    };
                    assert_eq!(replaced(usize::MAX), told, "{kernel:?}");
                    let some = replaced(most);
                    assert!(told.starts_with(&some), "it ends early, and within no character");
                    assert!(some == told || some.len() > "before ".len() + most);
                    assert!(some.len() <= most + "before ".len() + 3 + BLOCKS * BLOCK * STEP);
                }
            }
        }
    }

    #[test]
    fn places_are_those_of_the_byte() {
        for byte in [0, 1, b' ', 0x7F] {
            for other in 0..=u8::MAX {
                let block: [u8; BLOCK] =
                    std::array::from_fn(|at| if at % 5 == 3 { byte } else { other });
                let told: u64 = (0..BLOCK).filter(|&at| block[at] == byte).map(|at| 1 << at).sum();
                assert_eq!(places(&block, byte), told, "{byte} among {other}");
            }
        }
    }
}
