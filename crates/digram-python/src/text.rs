//! Text as Python holds it, read where it lies, and written where it stays.
//!
//! A `str` holds code points in one, two or four bytes each. ASCII is UTF-8 already. Of other
//! texts Python would make UTF-8 and keep it as long as the object lives, a second copy in memory;
//! here it is made in room of our own, and faster.

#![expect(unsafe_code, reason = "the buffer of a str: held, or new and nobody else's")]

use std::mem::MaybeUninit;
use std::slice;

use digram::arch::utf8;
use digram::decode::Size;
use digram::encode::{Encoder, LONE_SURROGATE, Offsets, Source, Special, Tokenizer};
use digram::error::Result;
use digram::monitor::Monitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::types::string::PyStringData;

use crate::call::sized;

/// Shorter texts are left to Python's own decoder: measuring them costs as much.
const MEASURED: usize = 128;

/// The text of a `str`, which outlives it.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    Utf8(&'a str),
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

impl<'a> Text<'a> {
    /// The text of a `str`, not copied.
    pub fn of(text: &'a Bound<'_, PyString>) -> PyResult<Self> {
        if is_utf8(text) {
            return Ok(Self::Utf8(text.to_str()?));
        }
        // SAFETY: a `str` does not change, and lives as long as what is borrowed from it.
        Ok(match unsafe { text.data() }? {
            PyStringData::Ucs1(units) => Self::One(units),
            PyStringData::Ucs2(units) => Self::Two(units),
            PyStringData::Ucs4(units) => Self::Four(units),
        })
    }

    /// How many units it has: at most so many characters, and at least.
    pub fn len(self) -> usize {
        match self {
            Self::Utf8(text) => text.len(),
            Self::One(units) => units.len(),
            Self::Two(units) => units.len(),
            Self::Four(units) => units.len(),
        }
    }

    /// Whether it is of characters: no unit is half of one.
    fn is_text(self) -> bool {
        let is_surrogate = |unit: u32| unit & !0x7FF == 0xD800;
        match self {
            Self::Utf8(_) | Self::One(_) => true,
            Self::Two(units) => !units.iter().any(|&unit| is_surrogate(unit.into())),
            Self::Four(units) => !units.iter().any(|&unit| is_surrogate(unit)),
        }
    }
}

impl Source for Text<'_> {
    fn size(&self) -> usize {
        self.len()
    }

    fn give_to(&self, encoder: &mut Encoder) -> Result<()> {
        match self {
            Self::Utf8(text) => encoder.text(text),
            Self::One(units) => encoder.units(units),
            Self::Two(units) => encoder.units(units),
            Self::Four(units) => encoder.units(units),
        }
    }

    fn with_offsets(
        &self,
        tokenizer: &Tokenizer,
        special: &Special,
        monitor: &Monitor,
    ) -> Result<Offsets> {
        match self {
            Self::Utf8(text) => tokenizer.encode_with_offsets(text, special, monitor),
            Self::One(units) => tokenizer.encode_units_with_offsets(units, special, monitor),
            Self::Two(units) => tokenizer.encode_units_with_offsets(units, special, monitor),
            Self::Four(units) => tokenizer.encode_units_with_offsets(units, special, monitor),
        }
    }
}

/// An error of a call on `texts`: Python's own where one of them holds a lone surrogate.
pub fn explained(error: PyErr, texts: &[Bound<'_, PyString>]) -> PyErr {
    let Some(first) = texts.first() else { return error };
    let is_text = |text| Text::of(text).is_ok_and(Text::is_text);
    match error.value(first.py()).str() {
        Ok(said) if said == LONE_SURROGATE => {}
        Ok(_) => return error,        // a signal's, perhaps
        Err(signal) => return signal, // Python asks for signals before it spells anything
    }
    texts.iter().find(|&text| !is_text(text)).map_or(error, lone_surrogate)
}

/// What Python says of a text with a lone surrogate.
fn lone_surrogate(text: &Bound<'_, PyString>) -> PyErr {
    text.to_str().err().unwrap_or_else(|| PyRuntimeError::new_err(LONE_SURROGATE))
}

/// A `str` of UTF-8, made where it stays; `None` where Python's own decoder does better (ASCII,
/// short texts, machines without a kernel) or has to say what is wrong.
pub fn made<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    if bytes.len() < MEASURED || !utf8::is_fast() || bytes.is_ascii() {
        return Ok(None);
    }
    let (count, bound) = utf8::measure(bytes);
    let text = new(py, count, bound)?;
    // SAFETY: nobody else has the `str`.
    let is_text = match unsafe { room_of(&text, bound, count) } {
        Room::One(units) => utf8::decode(bytes, units),
        Room::Two(units) => utf8::decode(bytes, units),
        Room::Four(units) => utf8::decode(bytes, units),
    };
    if is_text { Ok(Some(text)) } else { Ok(None) }
}

/// The text of `ids`, made where it stays; `None` where that is not for the engine to do, or it is no
/// UTF-8.
pub fn decoded<'py>(
    py: Python<'py>,
    tokenizer: &Tokenizer,
    ids: &[u32],
    skip_special_tokens: bool,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let size = |monitor: &Monitor| tokenizer.size_of_text(ids, skip_special_tokens, monitor);
    let Some(Size { characters, bound }) = sized(py, 4 * ids.len(), size)? else {
        return Ok(None);
    };
    let text = new(py, characters, bound)?;
    // SAFETY: nobody else has the `str`.
    let room = unsafe { room_of(&text, bound, characters) };
    let is_text = sized(py, 4 * ids.len(), |monitor| match room {
        Room::One(units) => tokenizer.write_text(ids, (units, bound), monitor),
        Room::Two(units) => tokenizer.write_text(ids, (units, bound), monitor),
        Room::Four(units) => tokenizer.write_text(ids, (units, bound), monitor),
    })?;
    if is_text { Ok(Some(text)) } else { Ok(None) }
}

/// A new `str` of so many characters up to a bound, none of which is written.
fn new(py: Python<'_>, count: usize, bound: u32) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: a new `str`, or an error.
    let text = unsafe {
        Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(count.cast_signed(), bound))
    }?;
    Ok(text.cast_into()?)
}

/// Room for the characters of a `str`, in as many bytes as their bound says.
enum Room<'a> {
    One(&'a mut [MaybeUninit<u8>]),
    Two(&'a mut [MaybeUninit<u16>]),
    Four(&'a mut [MaybeUninit<u32>]),
}

/// The room of a `str` that was made for so many characters up to a bound.
///
/// # Safety
/// It was made for them, and nobody but the caller looks at it as long as its room is borrowed.
unsafe fn room_of<'a>(text: &'a Bound<'_, PyString>, bound: u32, count: usize) -> Room<'a> {
    // SAFETY: it is a `str`.
    let room = unsafe { ffi::PyUnicode_DATA(text.as_ptr()) };
    // SAFETY: a bound decides the width; it has room for so many, which need not be written.
    unsafe {
        match bound {
            ..=0xFF => Room::One(slice::from_raw_parts_mut(room.cast(), count)),
            0x100..=0xFFFF => Room::Two(slice::from_raw_parts_mut(room.cast(), count)),
            _ => Room::Four(slice::from_raw_parts_mut(room.cast(), count)),
        }
    }
}

/// Whether the object has its text as UTF-8: it is ASCII, or somebody has asked before.
fn is_utf8(text: &Bound<'_, PyString>) -> bool {
    let object = text.as_ptr();
    // what is ASCII follows the shorter head, or is pointed to by both fields of a subclass's object
    let behind = object.cast::<ffi::PyASCIIObject>().wrapping_add(1);
    // SAFETY: it is a `str`, all of which have these fields but for what is ASCII; UTF-8 that is there
    // stays, and is read as an atomic, as another thread may be putting it there.
    unsafe {
        if ffi::PyUnicode_DATA(object).cast_const() == behind.cast() {
            return true;
        }
        let utf8 = &raw mut (*object.cast::<ffi::PyCompactUnicodeObject>()).utf8;
        !std::sync::atomic::AtomicPtr::from_ptr(utf8)
            .load(std::sync::atomic::Ordering::Acquire)
            .is_null()
    }
}
