//! What ends where memory does: who reads or writes behind it ends the test.

#![expect(unsafe_code, reason = "memory is mapped, and one half of it closed")]

use super::Kernel;
use super::keys::{Key, MAX_WORD, Slot, Spans, TOO_LONG, compare, keys, of_part, place};
use super::transcode::{self, Unit};
use super::utf8;
use std::mem::MaybeUninit;
use std::ptr::{NonNull, null_mut};
use std::slice::from_raw_parts_mut;

/// As many bytes are pages on every machine.
const OPEN: usize = 64 << 10;

/// Memory, and as much behind it that nobody may touch.
struct Page(NonNull<libc::c_void>);

impl Page {
    fn new() -> Self {
        let (kind, none) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, libc::PROT_NONE);
        // SAFETY: new memory, wherever the system likes.
        let start = unsafe { libc::mmap(null_mut(), 2 * OPEN, none, kind, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: it is the first half of that memory.
        assert_eq!(unsafe { libc::mprotect(start, OPEN, libc::PROT_READ | libc::PROT_WRITE) }, 0);
        Self(NonNull::new(start).expect("nothing is mapped at zero"))
    }

    /// A copy of numbers, behind which the page ends.
    fn ending_with<T: Copy>(&mut self, numbers: &[T]) -> &mut [T] {
        let bytes = size_of_val(numbers);
        assert!(bytes <= OPEN);
        // SAFETY: so many bytes are open, they end at a border of all numbers, and this is borrowed.
        unsafe {
            let start = self.0.byte_add(OPEN - bytes).cast::<T>().as_ptr();
            start.copy_from_nonoverlapping(numbers.as_ptr(), numbers.len());
            from_raw_parts_mut(start, numbers.len())
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nobody borrows it any more.
        unsafe { libc::munmap(self.0.as_ptr(), 2 * OPEN) };
    }
}

/// The key of a word by its definition.
fn spelled(word: &[u8], is_part: bool) -> Key {
    if word.is_empty() || word.len() > MAX_WORD {
        return TOO_LONG;
    }
    let mut bytes = [0xFF; 16];
    bytes[..word.len()].copy_from_slice(word);
    of_part(Key::from_le_bytes(bytes), is_part)
}

/// Whether all kernels make the keys of these words, which may all be parts.
fn same_keys(pages: &mut [Page; 3], text: &[u8], words: &[[u32; 2]], is_part: bool) {
    let [page, made, there] = pages;
    let text: &[u8] = page.ending_with(text);
    let [starts, ends] = [0, 1].map(|side| words.iter().map(|word| word[side]).collect::<Vec<_>>());
    let parts = vec![true; if is_part { words.len() } else { 0 }];
    let spans = Spans { text, starts: &starts, ends: &ends, parts: &parts };
    let word = |&[start, end]: &[u32; 2]| spelled(&text[start as usize..end as usize], is_part);
    let expected: Vec<Key> = words.iter().map(word).collect();
    for kernel in Kernel::available() {
        let made = made.ending_with(&vec![0; words.len()]);
        let there = there.ending_with(&vec![0; words.len()]);
        keys(kernel, spans, 13, made, there);
        assert_eq!(made, expected, "{kernel:?}: {words:?} of {} bytes", text.len());
        assert!(expected.iter().zip(there).all(|(&key, at)| place(key, 13) == *at as usize));
    }
}

#[test]
fn words_of_all_lengths_up_to_the_end_of_a_page_have_their_keys() {
    let mut pages = [(); 3].map(|()| Page::new());
    for size in (0..=40).chain([63, 64, 65, 100]) {
        let text: Vec<u8> = (0..size).map(|at| (at * 5 % 251) as u8 + 1).collect();
        for length in 0..=size.min(40) {
            for start in 0..=size - length {
                let word = [start, start + length];
                // in a group with its like, and behind words that lie well before the end
                let words = [word, word, word, word, [0, size.min(3)], [0, 0], word, word, word];
                same_keys(&mut pages, &text, &words, start % 2 == 0);
            }
        }
    }
}

#[test]
fn the_last_places_of_a_table_are_looked_at_and_none_behind() {
    let mut pages = [(); 3].map(|()| Page::new());
    let [table, values, missing] = &mut pages;
    for size in 1..20_usize {
        let slots: Vec<Slot> = (0..size).map(|at| [at as u128 % 3, 1000 + at as u128]).collect();
        let slots: &[Slot] = table.ending_with(&slots);
        for count in 0..14 {
            let places: Vec<u32> = (0..count).map(|at| (size - 1 - at % size) as u32).collect();
            let keys: Vec<Key> = (0..count).map(|at| at as u128 % 2).collect();
            let is_there = |at: usize| slots[places[at] as usize][0] == keys[at];
            let others: Vec<u32> =
                (0..count).filter(|&at| !is_there(at)).map(|at| at as u32).collect();
            for kernel in Kernel::available() {
                let values = values.ending_with(&vec![0; count]);
                let missing = missing.ending_with(&vec![0; count]);
                let found = compare(kernel, slots, (&keys, &places), values, missing);
                assert_eq!(missing[..found], others, "{kernel:?}");
                assert!(
                    places.iter().zip(values).all(|(&at, value)| *value == 1000 + u128::from(at))
                );
            }
        }
    }
}

/// Whether code points that a page ends with are spelled as others are.
fn same_text<U: Unit>(page: &mut Page, units: &[U]) {
    let mut plain = String::new();
    let expected = transcode::append_plainly(units, &mut plain);
    for kernel in Kernel::available() {
        let mut text = String::new();
        assert_eq!(transcode::append_by(kernel, page.ending_with(units), &mut text), expected);
        assert_eq!(text, plain, "{kernel:?}");
    }
}

#[test]
fn code_points_up_to_the_end_of_a_page_are_spelled() {
    let mut page = Page::new();
    for length in (0..200).chain([1023, 1024, 1025]) {
        for other in [u32::MAX, 0, 1, 64, 150] {
            let one = |at: u32| if at == other { 0xE9 } else { 0x61 + at % 26 };
            let units: Vec<u32> = (0..length).rev().map(one).collect();
            same_text(&mut page, &units);
            same_text(&mut page, &units.iter().map(|&unit| unit as u16).collect::<Vec<_>>());
            same_text(&mut page, &units.iter().map(|&unit| unit as u8).collect::<Vec<_>>());
        }
    }
}

/// Whether all kernels read a text that ends with a page into room that does.
fn same_units<U: utf8::Unit + PartialEq>(pages: &mut [Page; 2], text: &str, units: &[U]) {
    let [first, second] = pages;
    let bytes: &[u8] = first.ending_with(text.as_bytes());
    for kernel in Kernel::available().filter(|&kernel| utf8::is_fast_by(kernel)) {
        let room = second.ending_with(&vec![MaybeUninit::new(U::default()); units.len()]);
        assert_eq!(utf8::decode_by(kernel, bytes, room), Some(units.len()), "{kernel:?}: {text}");
        // SAFETY: they are numbers from the beginning.
        assert!(room.iter().map(|unit| unsafe { unit.assume_init() }).eq(units.iter().copied()));
    }
}

#[test]
fn text_up_to_the_end_of_a_page_is_read() {
    let mut pages = [Page::new(), Page::new()];
    for length in 0..150 {
        for other in ['a', '\u{E9}', '\u{43F}', '\u{6F22}', '\u{1F600}'] {
            let one = |at: usize| if at % 3 == length % 3 { other } else { 'b' };
            for text in [(0..length).map(one).collect(), other.to_string().repeat(length)] {
                let text: String = text;
                let units: Vec<u32> = text.chars().map(u32::from).collect();
                same_units(&mut pages, &text, &units);
                if u32::from(other) <= 0xFFFF {
                    let units: Vec<u16> = units.iter().map(|&unit| unit as u16).collect();
                    same_units(&mut pages, &text, &units);
                }
                if u32::from(other) <= 0xFF {
                    let units: Vec<u8> = units.iter().map(|&unit| unit as u8).collect();
                    same_units(&mut pages, &text, &units);
                }
            }
        }
    }
}
