//! A character of ASCII replaced by a short text, everywhere: a space by what makes it visible.
//!
//! Where it stands in 64 bytes is told by 64 bits. What lies between is mostly a word, and copied as
//! sixteen bytes, of which those behind it are written over by what comes next.

use super::generic;

/// How many bytes are looked at together.
const BLOCK: usize = 64;
/// How many are copied at once, and the most of what stands instead.
pub(crate) const STEP: usize = 16;
/// Room for what a short text becomes, where a character of three bytes stands instead.
pub(crate) const ROOM: usize = 3 * BLOCK + STEP;

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
    let replacing = Replacing::new(content);
    // the most that a block becomes, and room to write sixteen bytes at its end
    let room = BLOCK * content.len().max(1) + STEP;
    let start = to.len();
    let mut at = start;
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    to.resize(at + blocks.len() * (BLOCK + BLOCK / 2) + room, 0);
    for (nth, block) in blocks.iter().enumerate() {
        let (begun, end) = (BLOCK * nth, BLOCK * (nth + 1));
        at = replacing.append(&text.as_bytes()[begun..], places(block, character), BLOCK, to, at);
        if at - start > most.saturating_add(3) {
            // the last character, if it goes on behind the block, was copied as it is
            return to.truncate(at - (end - text.floor_char_boundary(end)));
        }
        if to.len() < at + room {
            // half as much again as what was appended: what was there before may be long
            to.resize(at + (at - start) / 2 + room, 0);
        }
    }
    let mut padded = [!character; BLOCK];
    padded[..rest.len()].copy_from_slice(rest);
    at = replacing.append(&padded, places(&padded, character), rest.len(), to, at);
    to.truncate(at);
}

/// What is replaced by what.
struct Replacing {
    padded: [u8; STEP],
    length: usize,
}

impl Replacing {
    fn new(content: &[u8]) -> Self {
        let mut padded = [0; STEP];
        padded[..content.len()].copy_from_slice(content);
        Self { padded, length: content.len() }
    }

    /// Writes the first `length` bytes of a text to `at`, with the content at these places instead; returns
    /// where they end.
    #[inline]
    fn append(
        &self,
        text: &[u8],
        mut found: u64,
        length: usize,
        to: &mut [u8],
        mut at: usize,
    ) -> usize {
        let mut begun = 0;
        while found != 0 {
            let place = found.trailing_zeros() as usize;
            at = copy(text, begun, place, to, at);
            *sixteen(to, at) = self.padded;
            at += self.length;
            begun = place + 1;
            found &= found - 1;
        }
        copy(text, begun, length, to, at)
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
                for character in [b' ', b'a', 0] {
                    let mut made = "before ".to_owned();
                    append_replaced(&text, character, content, usize::MAX, &mut made);
                    let told = format!("before {}", text.replace(char::from(character), content));
                    assert_eq!(made, told);
                    let most = random(2 * told.len());
                    let mut some = "before ".to_owned();
                    append_replaced(&text, character, content, most, &mut some);
                    assert!(told.starts_with(&some), "it ends early, and within no character");
                    assert!(some == told || some.len() > "before ".len() + most);
                    assert!(some.len() <= most + "before ".len() + 3 + BLOCK * STEP);
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
