//! A table written from what is to be replaced.
//!
//! The texts that are looked for make a trie over their bytes. Of its subtries that are equal one
//! is kept, as most spellings of Hangul end alike. Then each gets a place in the double array: a
//! number `base` such that `base ^ byte` is free for each byte that goes on from it, and for 0
//! where a text ends. No two have the same, so that a unit's byte tells whose it is.

use std::collections::HashMap;

use super::rules::Rules;
use super::table::Table;
use crate::error::{Error, Result};
use crate::monitor::Monitor;

/// Offsets are written in 21 bits; longer ones, of multiples of 256, are not needed here.
const MOST_UNITS: usize = 1 << 21;
/// Longer texts are not looked for.
const LONGEST: usize = 255;
/// In how many of the last blocks of 256 units a place is looked for.
const OPEN_BLOCKS: usize = 16;
const BLOCK: usize = 256;
const HAS_LEAF: u32 = 1 << 8;
const IS_LEAF: u32 = 1 << 31;

/// What goes on from a place of the trie: by which byte to which other, and what stands for a text that ends here.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Node {
    children: Vec<(u8, usize)>,
    replacement: Option<u32>,
}

/// The table of some rules, which is empty if they are.
///
/// Fails for a text to look for that is empty, has a NUL or more than 255 bytes, and for too many.
pub fn written(rules: &Rules, monitor: &Monitor) -> Result<Table> {
    if rules.is_empty() {
        return Ok(Table::default());
    }
    rules.iter().try_for_each(|(from, to)| refuse(from, to))?;
    let (starts, replacements) = replacements(rules)?;
    let mut trie = Trie::default();
    let rules: Vec<(&[u8], u32)> =
        rules.iter().map(|(from, to)| (from.as_bytes(), starts[to.as_str()])).collect();
    let root = trie.of(&rules, 0);
    let units = DoubleArray::of(&trie.nodes, root, monitor)?.units;
    let mut bytes = Vec::with_capacity(4 + 4 * units.len() + replacements.len());
    let length = u32::try_from(4 * units.len()).map_err(|_| too_many())?;
    bytes.extend(length.to_le_bytes());
    bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    bytes.extend(replacements.as_bytes());
    Ok(Table::of(&bytes))
}

fn refuse(from: &str, to: &str) -> Result<()> {
    if from.is_empty() {
        return Err(Error::Value("rules replace the empty text; give a text to look for".into()));
    }
    if from.contains('\0') || to.contains('\0') {
        let rule = "the table cannot hold U+0000; leave it out";
        return Err(Error::Value(format!("rules replace {from:?} by {to:?}; {rule}")));
    }
    if from.len() > LONGEST {
        let shown: String = from.chars().take(20).collect();
        let rule = format!("at most {LONGEST} bytes can be looked for");
        return Err(Error::Limit(format!(
            "rules replace {shown:?}… of {} bytes; {rule}",
            from.len()
        )));
    }
    Ok(())
}

/// All replacements one behind the other, each with a NUL, and where each begins.
fn replacements(rules: &Rules) -> Result<(HashMap<&str, u32>, String)> {
    let (mut starts, mut all) = (HashMap::new(), String::new());
    for to in rules.values() {
        if !starts.contains_key(to.as_str()) {
            let start = u32::try_from(all.len()).ok().filter(|start| start & IS_LEAF == 0);
            starts.insert(to.as_str(), start.ok_or_else(too_many)?);
            all.push_str(to);
            all.push('\0');
        }
    }
    Ok((starts, all))
}

/// The nodes, those first that others lead to; equal ones are one.
#[derive(Default)]
struct Trie {
    nodes: Vec<Node>,
    known: HashMap<Node, usize>,
}

impl Trie {
    /// The node for texts, in order, that have the first `depth` bytes in common.
    fn of(&mut self, rules: &[(&[u8], u32)], depth: usize) -> usize {
        let mut node = Node::default();
        let mut rest = rules;
        if let [(text, replacement), others @ ..] = rest
            && text.len() == depth
        {
            node.replacement = Some(*replacement);
            rest = others;
        }
        for group in rest.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]) {
            node.children.push((group[0].0[depth], self.of(group, depth + 1)));
        }
        if let Some(&known) = self.known.get(&node) {
            return known;
        }
        self.known.insert(node.clone(), self.nodes.len());
        self.nodes.push(node);
        self.nodes.len() - 1
    }
}

/// The units of a double array, and what of it is free.
#[derive(Default)]
struct DoubleArray {
    units: Vec<u32>,
    blocks: Vec<Block>,
}

/// Of so many units, and of the bases among them, a bit for each that is free.
struct Block {
    units: Bits,
    bases: Bits,
}

type Bits = [u64; BLOCK / 64];

impl DoubleArray {
    fn of(nodes: &[Node], root: usize, monitor: &Monitor) -> Result<Self> {
        let mut made = Self::default();
        made.grow()?;
        made.blocks[0].units[0] &= !1; // the root's own
        let bases = nodes.iter().map(|node| {
            monitor.check()?;
            made.place(node)
        });
        let bases = bases.collect::<Result<Vec<_>>>()?;
        made.units[0] = reference(0, bases[root], 0) | leaf_flag(&nodes[root]);
        for (node, &base) in nodes.iter().zip(&bases) {
            if let Some(replacement) = node.replacement {
                made.units[base] = IS_LEAF | replacement;
            }
            for &(byte, child) in &node.children {
                let place = base ^ usize::from(byte);
                made.units[place] = reference(place, bases[child], byte) | leaf_flag(&nodes[child]);
            }
        }
        Ok(made)
    }

    /// Takes what a node needs, and returns its base.
    fn place(&mut self, node: &Node) -> Result<usize> {
        let end = node.replacement.map(|_| 0);
        let bytes: Vec<u8> =
            end.into_iter().chain(node.children.iter().map(|&(byte, _)| byte)).collect();
        let open = self.blocks.len().saturating_sub(OPEN_BLOCKS);
        let found =
            (open..self.blocks.len()).find_map(|at| Some((at, self.blocks[at].base(&bytes)?)));
        let (at, base) = match found {
            Some(found) => found,
            None => (self.grow()?, 0),
        };
        self.blocks[at].take(base, &bytes);
        Ok(BLOCK * at + base)
    }

    /// Adds a block, and returns which.
    fn grow(&mut self) -> Result<usize> {
        let more = self.units.len() + BLOCK;
        if more > MOST_UNITS {
            return Err(too_many());
        }
        self.units.resize(more, 0);
        self.blocks.push(Block { units: [u64::MAX; 4], bases: [u64::MAX; 4] });
        Ok(self.blocks.len() - 1)
    }
}

impl Block {
    /// The first base where all of these bytes are free: bit `base` of the bits moved by a byte
    /// tells whether `base ^ byte` is.
    fn base(&self, bytes: &[u8]) -> Option<usize> {
        let free = bytes.iter().fold(self.bases, |free, &byte| {
            let moved = moved(self.units, byte);
            std::array::from_fn(|word| free[word] & moved[word])
        });
        let word = free.iter().position(|&bits| bits != 0)?;
        Some(64 * word + free[word].trailing_zeros() as usize)
    }

    fn take(&mut self, base: usize, bytes: &[u8]) {
        self.bases[base / 64] &= !(1 << (base % 64));
        for &byte in bytes {
            let place = base ^ usize::from(byte);
            self.units[place / 64] &= !(1 << (place % 64));
        }
    }
}

/// Each bit where that with the number `^ byte` was.
fn moved(bits: Bits, byte: u8) -> Bits {
    /// Bits of which the number has no 1, no 2, …
    const WITHOUT: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0F0F_0F0F_0F0F_0F0F,
        0x00FF_00FF_00FF_00FF,
        0x0000_FFFF_0000_FFFF,
        0x0000_0000_FFFF_FFFF,
    ];
    std::array::from_fn(|word| {
        let source = bits[word ^ usize::from(byte >> 6)];
        WITHOUT.iter().enumerate().filter(|(power, _)| byte >> power & 1 == 1).fold(
            source,
            |moved, (power, without)| {
                let step = 1 << power;
                (moved & without) << step | moved >> step & without
            },
        )
    })
}

/// The unit at a place that leads to a base.
fn reference(place: usize, base: usize, byte: u8) -> u32 {
    u32::try_from(place ^ base).unwrap_or_default() << 10 | u32::from(byte)
}

fn leaf_flag(node: &Node) -> u32 {
    if node.replacement.is_some() { HAS_LEAF } else { 0 }
}

fn too_many() -> Error {
    Error::Limit("rules need a table beyond what its format holds; give fewer".into())
}
