//! Which characters a pattern tells apart: it asks only which of its classes a character is in.
//!
//! Characters that are in the same classes are one *atom*. A pattern has a few dozen at most, so
//! an atom is a byte, and the pattern over characters becomes one over bytes: its automaton reads
//! one byte for each character, whatever its length.

use hashbrown::HashMap;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
    Repetition,
};

use crate::arch::{Classes, generic};

/// The most classes that are told apart: a bit for each.
const MOST_CLASSES: usize = 128;
/// Atoms are bytes.
const MOST_ATOMS: usize = 256;
/// Code points of which each page is told.
const PAGE: usize = 64;
const PAGES: usize = (char::MAX as usize + 1) / PAGE;

/// The atom of each character.
pub(super) struct Atoms {
    of: Classes,
    count: usize,
}

impl Atoms {
    /// The atom of the character that begins at `at`, and where the next one begins.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a call for each character takes a tenth of short texts"
    )]
    pub fn next(&self, bytes: &[u8], at: usize) -> (u8, usize) {
        let byte = bytes[at];
        if byte < 0x80 {
            return (self.of.ascii[usize::from(byte)], at.wrapping_add(1));
        }
        let four = match bytes.get(at..at + 4) {
            Some(four) => u32::from_be_bytes(four.try_into().expect("four bytes")),
            None => last(&bytes[at..]),
        };
        (generic::class_of(&self.of, four), at + (!four).leading_zeros() as usize)
    }

    /// The atoms of characters that are told apart by any of some patterns, and which atom of each they are;
    /// `None` where there are too many.
    pub fn joint(all: &[&Self]) -> Option<(Self, Vec<Vec<u8>>)> {
        let (mut parts, mut known) = (Vec::new(), HashMap::new());
        let (mut leaves, mut known_leaves) = (Vec::new(), HashMap::new());
        let mut pages = Vec::with_capacity(PAGES);
        for page in 0..PAGES {
            let own: Vec<u16> = all.iter().map(|atoms| atoms.of.pages[page]).collect();
            let leaf = *known_leaves.entry(own).or_insert_with_key(|own| {
                let leaf = std::array::from_fn(|at| {
                    let leaf =
                        |(atoms, &leaf): (&&Self, &u16)| atoms.of.leaves[usize::from(leaf)][at];
                    let atoms: Vec<u8> = all.iter().zip(own).map(leaf).collect();
                    *known.entry(atoms).or_insert_with_key(|atoms| {
                        parts.push(atoms.clone());
                        parts.len() - 1
                    }) as u8
                });
                leaves.push(leaf);
                leaves.len() - 1
            });
            pages.push(leaf as u16);
        }
        let of = Classes { ascii: ascii(&pages, &leaves), pages, leaves };
        (parts.len() <= MOST_ATOMS).then_some((Self { of, count: parts.len() }, parts))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The atom of each byte that is a character.
    pub fn ascii(&self) -> &[u8; 256] {
        &self.of.ascii
    }
}

/// The last bytes of a text as four.
#[cold]
fn last(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |four, &byte| four >> 8 | u32::from(byte) << 24)
}

/// The atoms of some patterns, and the patterns over atoms; `None` where they ask for more than
/// the classes of characters, or for too many.
pub(super) fn over_atoms(patterns: &[Hir]) -> Option<(Atoms, Vec<Hir>)> {
    let mut classes = Vec::new();
    patterns.iter().try_for_each(|pattern| collect(pattern, &mut classes))?;
    let (ranges, signatures) = stretches(&classes)?;
    let rewriting = Rewriting { classes: &classes, signatures: &signatures };
    let rewritten = patterns.iter().map(|pattern| rewriting.of(pattern)).collect();
    Some((Atoms { of: paint(&ranges), count: signatures.len() }, rewritten))
}

/// Adds each class that a pattern names.
fn collect(pattern: &Hir, classes: &mut Vec<ClassUnicode>) -> Option<()> {
    let mut add = |class: ClassUnicode| {
        if !classes.contains(&class) {
            classes.push(class);
        }
        (classes.len() <= MOST_CLASSES).then_some(())
    };
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(Look::End) => Some(()),
        // bytes that are no characters, and places that depend on what stands before
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
        HirKind::Class(Class::Unicode(class)) => add(class.clone()),
        HirKind::Literal(literal) => {
            str::from_utf8(&literal.0).ok()?.chars().try_for_each(|c| add(single(c)))
        }
        HirKind::Repetition(repetition) => collect(&repetition.sub, classes),
        HirKind::Capture(capture) => collect(&capture.sub, classes),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().try_for_each(|part| collect(part, classes))
        }
    }
}

fn single(character: char) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(character, character)])
}

/// The code points from one on that are of one atom.
type Stretch = (usize, u8);

/// The stretches of code points of one atom each, and of each atom the classes that it is in.
fn stretches(classes: &[ClassUnicode]) -> Option<(Vec<Stretch>, Vec<u128>)> {
    let mut changes: Vec<(usize, u128)> = Vec::new();
    for (index, class) in classes.iter().enumerate() {
        for range in class.iter() {
            changes.push((range.start() as usize, 1 << index));
            changes.push((range.end() as usize + 1, 1 << index));
        }
    }
    changes.sort_unstable_by_key(|&(place, _)| place);
    let mut signatures = vec![0];
    let mut atoms: HashMap<u128, usize> = HashMap::from([(0, 0)]);
    let (mut stretches, mut signature): (Vec<Stretch>, u128) = (vec![(0, 0)], 0);
    for (place, class) in changes {
        signature ^= class;
        if stretches.last().is_some_and(|&(start, _)| start == place) {
            stretches.pop();
        }
        let atom = *atoms.entry(signature).or_insert_with(|| {
            signatures.push(signature);
            signatures.len() - 1
        });
        stretches.push((place, atom as u8));
    }
    (signatures.len() <= MOST_ATOMS).then_some((stretches, signatures))
}

/// The table of atoms. Pages that are alike are kept once, as far as they lie in one stretch.
fn paint(stretches: &[Stretch]) -> Classes {
    let mut pages = vec![0; PAGES];
    let mut leaves: Vec<[u8; PAGE]> = Vec::new();
    let mut uniform: HashMap<u8, u16> = HashMap::new();
    let mut at = 0;
    for (page, leaf) in pages.iter_mut().enumerate() {
        let (first, end) = (page * PAGE, (page + 1) * PAGE);
        while stretches.get(at + 1).is_some_and(|&(start, _)| start <= first) {
            at += 1;
        }
        let atom = stretches[at].1;
        let is_uniform = stretches.get(at + 1).is_none_or(|&(start, _)| start >= end);
        if let Some(&known) = uniform.get(&atom).filter(|_| is_uniform) {
            *leaf = known;
            continue;
        }
        *leaf = leaves.len() as u16;
        let mut own = [atom; PAGE];
        for &(start, atom) in stretches[at + 1..].iter().take_while(|&&(start, _)| start < end) {
            own[start - first..].fill(atom);
        }
        leaves.push(own);
        if is_uniform {
            uniform.insert(atom, *leaf);
        }
    }
    Classes { ascii: ascii(&pages, &leaves), pages, leaves }
}

/// The atom of each byte that is a character.
fn ascii(pages: &[u16], leaves: &[[u8; PAGE]]) -> [u8; 256] {
    let mut ascii = [0; 256];
    for (page, part) in ascii[..128].chunks_exact_mut(PAGE).enumerate() {
        part.copy_from_slice(&leaves[usize::from(pages[page])]);
    }
    ascii
}

/// What makes patterns over characters ones over atoms.
struct Rewriting<'a> {
    classes: &'a [ClassUnicode],
    /// The classes that each atom is in.
    signatures: &'a [u128],
}

impl Rewriting<'_> {
    fn of(&self, pattern: &Hir) -> Hir {
        match pattern.kind() {
            HirKind::Class(Class::Unicode(class)) => self.class(class),
            HirKind::Literal(literal) => {
                let characters = String::from_utf8_lossy(&literal.0);
                Hir::concat(characters.chars().map(|c| self.class(&single(c))).collect())
            }
            HirKind::Repetition(repetition) => {
                let sub = Box::new(self.of(&repetition.sub));
                Hir::repetition(Repetition { sub, ..repetition.clone() })
            }
            HirKind::Capture(capture) => self.of(&capture.sub),
            HirKind::Concat(parts) => Hir::concat(parts.iter().map(|p| self.of(p)).collect()),
            HirKind::Alternation(parts) => {
                Hir::alternation(parts.iter().map(|p| self.of(p)).collect())
            }
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => pattern.clone(),
        }
    }

    fn class(&self, class: &ClassUnicode) -> Hir {
        let index = self.classes.iter().position(|known| known == class);
        let index = index.expect("each class was collected");
        let atoms =
            (0..self.signatures.len()).filter(|&atom| self.signatures[atom] >> index & 1 == 1);
        let ranges = atoms.map(|atom| ClassBytesRange::new(atom as u8, atom as u8));
        Hir::class(Class::Bytes(ClassBytes::new(ranges)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_one_atom_are_in_the_same_classes_and_others_are_not() {
        let pattern = regex_syntax::parse(r"(?i:'s|ré)|[\p{Lu}\d]?\p{L}{2,3}|\s+\z|[^\s\p{L}中]")
            .expect("parses");
        let mut classes = Vec::new();
        collect(&pattern, &mut classes).expect("few");
        let (atoms, _) = over_atoms(std::slice::from_ref(&pattern)).expect("classes alone");
        let mut known: HashMap<u8, Vec<bool>> = HashMap::new();
        for character in '\0'..=char::MAX {
            let is_in = |class: &ClassUnicode| {
                class.iter().any(|r| (r.start()..=r.end()).contains(&character))
            };
            let own: Vec<bool> = classes.iter().map(is_in).collect();
            let text = character.to_string();
            let (atom, end) = atoms.next(text.as_bytes(), 0);
            assert_eq!(
                (end, known.entry(atom).or_insert(own.clone())),
                (text.len(), &mut own.clone())
            );
        }
        let mut signatures: Vec<_> = known.values().collect();
        signatures.sort();
        signatures.dedup();
        assert_eq!(signatures.len(), known.len());
    }

    #[test]
    fn what_depends_on_more_than_classes_is_not_taken() {
        for pattern in [r"\bword", "^a", r"(?m)a$", r"(?-u:a\B)"] {
            let pattern = regex_syntax::parse(pattern).expect("parses");
            assert!(over_atoms(&[pattern]).is_none());
        }
    }
}
