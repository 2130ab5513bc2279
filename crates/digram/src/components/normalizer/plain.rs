//! Which characters a normal form leaves as they are, told quickly.
//!
//! The libraries look for each character in two or three tables. Most texts hold nothing but
//! characters of a few stretches of Unicode which a form leaves alone; so for each stretch of 32 it
//! is noted, when it is first met, which they are.

use std::sync::atomic::{AtomicU64, Ordering};

use once_cell::race::OnceBox;

use super::forms::{Form, Unicode};

/// How many characters one number tells of.
const STRETCH: u32 = 32;
/// Set where it does.
const MET: u64 = 1 << STRETCH;
/// How many stretches there are.
const STRETCHES: usize = (char::MAX as usize + 1) / STRETCH as usize;
/// How much text is looked at together where it is ASCII.
const CHUNK: usize = 32;

/// The plain characters of a form: see [`Unicode::is_plain`].
pub(super) struct Plain {
    unicode: Unicode,
    form: Form,
    /// A bit for each, and [`MET`].
    bits: &'static [AtomicU64],
}

impl Plain {
    /// Those of a form, by a version of Unicode.
    pub fn of(unicode: Unicode, form: Form) -> Self {
        static KNOWN: [OnceBox<Box<[AtomicU64]>>; 8] = [const { OnceBox::new() }; 8];
        let bits = KNOWN[4 * unicode as usize + form as usize]
            .get_or_init(|| Box::new((0..STRETCHES).map(|_| AtomicU64::new(0)).collect()));
        Self { unicode, form, bits }
    }

    /// Where the first character stands, from `from` on, that is not plain.
    pub fn skip(&self, text: &str, from: usize) -> usize {
        let mut rest = text[from..].chars();
        loop {
            let left = rest.as_str();
            match rest.next() {
                None => return text.len(),
                // ASCII is in every normal form
                Some(..='\x7F') => rest = left[ascii(left.as_bytes())..].chars(),
                Some(character) if self.has(character) => {}
                Some(_) => return text.len() - left.len(),
            }
        }
    }

    /// How many bytes of a text come before the first plain character.
    pub fn others(&self, text: &str) -> usize {
        text.find(|character| self.has(character)).unwrap_or(text.len())
    }

    fn has(&self, character: char) -> bool {
        let (stretch, bit) = (character as u32 / STRETCH, character as u32 % STRETCH);
        let known = self.bits[stretch as usize].load(Ordering::Relaxed);
        let bits = if known & MET == 0 { self.note(stretch) } else { known };
        bits >> bit & 1 != 0
    }

    /// Notes the plain characters of a stretch. (Two threads may, and note the same.)
    #[cold]
    fn note(&self, stretch: u32) -> u64 {
        let first = stretch * STRETCH;
        let is_plain = |bit: u32| {
            char::from_u32(first + bit).is_some_and(|c| self.unicode.is_plain(self.form, c))
        };
        let bits = (0..STRETCH).fold(MET, |bits, bit| bits | u64::from(is_plain(bit)) << bit);
        self.bits[stretch as usize].store(bits, Ordering::Relaxed);
        bits
    }
}

/// How many bytes of ASCII a text begins with, looked at in chunks.
fn ascii(text: &[u8]) -> usize {
    let chunks = text.chunks_exact(CHUNK).take_while(|chunk| chunk.is_ascii()).count();
    let rest = text[CHUNK * chunks..].iter().take_while(|byte| byte.is_ascii());
    CHUNK * chunks + rest.count()
}
