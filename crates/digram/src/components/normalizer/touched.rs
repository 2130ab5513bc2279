//! Which characters a table of `SentencePiece` may touch, told quickly.
//!
//! What is replaced is mostly one character, or a letter with the mark behind it. So a character is *touched*
//! if it is replaced, or stands behind the first of those that are replaced together. Where none is, nothing is
//! replaced, but maybe from the character before the next touched one on: which are found many bytes at a time.

use std::ops::ControlFlow;

use super::charsmap::Charsmap;
use super::spots::{Points, Set};

/// So many steps in the trie tell of all characters in a sound table; those of another count as touched.
const MOST_STEPS: usize = 1 << 23;

/// The characters that a table touches, and those that the texts begin with which it leaves alone.
pub(super) fn touched(charsmap: Option<&Charsmap>, untouched: &[String]) -> Set {
    let mut touched = Points::none();
    let mut steps = MOST_STEPS;
    if charsmap.is_some_and(|charsmap| add_all(&mut touched, charsmap, &mut steps).is_break()) {
        touched = Points::all();
    }
    untouched.iter().filter_map(|text| text.chars().next()).for_each(|first| touched.add(first));
    Set::of(&touched)
}

/// Adds what a table touches, if that takes no more steps.
fn add_all(touched: &mut Points, charsmap: &Charsmap, steps: &mut usize) -> ControlFlow<()> {
    charsmap.characters_from(charsmap.root(), steps, &mut |first, behind, is_replaced, steps| {
        if is_replaced {
            touched.add(first);
        }
        charsmap.characters_from(behind, steps, &mut |second, _, _, _| {
            touched.add(second);
            ControlFlow::Continue(())
        })
    })
}
