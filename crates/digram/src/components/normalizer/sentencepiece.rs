//! The normalizer of `SentencePiece`: its table, and what it does with blanks.

mod written;

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use once_cell::race::OnceBox;
use serde::{Deserialize, Serialize};

use super::charsmap::{Charsmap, Table};
use super::spots::Set;
use super::touched::touched;
use crate::arch::replace::room;
use crate::components::aligned::Aligned;
use crate::components::yes;
use crate::error::{Error, Result};
use crate::memory;
use crate::monitor::Monitor;
use written::{Traced, Written};

/// What stands for a space.
pub const VISIBLE_SPACE: &str = "\u{2581}";

/// What `SentencePiece` does to a text: the longest match of the table is replaced at each place,
/// then blanks are put before or behind, removed and made visible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the fields are those of the file")]
pub struct SentencePiece {
    /// The table, or none; in JSON it is base64.
    #[serde(default)]
    pub precompiled_charsmap: Table,
    /// Put a space before the text, or behind it.
    #[serde(default = "yes")]
    pub add_dummy_prefix: bool,
    /// Remove spaces at the ends, and all but one of those that follow each other.
    #[serde(default = "yes")]
    pub remove_extra_whitespaces: bool,
    /// Make spaces visible, as U+2581.
    #[serde(default = "yes")]
    pub escape_whitespaces: bool,
    /// The space that is added stands behind the text.
    #[serde(default)]
    pub treat_whitespace_as_suffix: bool,
    /// What the table does not touch: the user-defined pieces.
    #[serde(default)]
    pub untouched: Vec<String>,
}

/// The same, ready to run.
pub(super) struct Ready {
    described: SentencePiece,
    charsmap: Option<Charsmap>,
    untouched: Option<AhoCorasick>,
    /// Made when it is first asked for.
    touched: OnceBox<Set>,
    /// Whether nothing is changed but spaces.
    copies_all: bool,
}

impl Ready {
    /// Fails where the table is damaged.
    pub fn new(described: &SentencePiece) -> Result<Self> {
        let table = &described.precompiled_charsmap;
        let charsmap = (!table.is_empty()).then(|| Charsmap::of(table)).transpose()?;
        let untouched = matcher(&described.untouched)?;
        let (described, copies_all) =
            (described.clone(), charsmap.is_none() && untouched.is_none());
        let touched = OnceBox::new();
        Ok(Self { described, charsmap, untouched, touched, copies_all })
    }

    /// The text, normalized.
    pub fn normalize(&self, text: &str) -> String {
        let mut normalized = String::with_capacity(8 + room(text.len()));
        self.write(text, &mut normalized);
        normalized
    }

    /// The same, with where all of it comes from.
    pub fn align(&self, from: &Aligned, monitor: &Monitor) -> Result<Aligned<'static>> {
        memory::expect(2 * from.text.len())?;
        let normalized = String::with_capacity(8 + room(from.text.len()));
        let mut traced = Traced::of(normalized, monitor);
        self.write(&from.text, &mut traced);
        traced.aligned(from)
    }

    fn write(&self, text: &str, to: &mut impl Written) {
        let removes = self.described.remove_extra_whitespaces;
        let mut rest = text;
        while removes && !rest.is_empty() {
            let (part, length) = self.first(rest);
            if part != " " {
                break;
            }
            to.leave_out(&rest[..length]);
            rest = &rest[length..];
        }
        if rest.is_empty() {
            return;
        }
        self.add_dummy(false, to);
        if self.copies_all && !removes {
            to.keep(rest, self.space());
        } else {
            self.replace(rest, to);
        }
        while removes && to.text().ends_with(self.space()) {
            to.take_back(self.space());
        }
        self.add_dummy(true, to);
    }

    fn space(&self) -> &'static str {
        if self.described.escape_whitespaces { VISIBLE_SPACE } else { " " }
    }

    fn add_dummy(&self, at_end: bool, to: &mut impl Written) {
        if self.described.add_dummy_prefix && self.described.treat_whitespace_as_suffix == at_end {
            to.insert(self.space());
        }
    }

    /// Writes what becomes of a text that does not begin with a space which is removed.
    fn replace(&self, text: &str, to: &mut impl Written) {
        let removes = self.described.remove_extra_whitespaces;
        let touched = self.touched();
        let (mut places, mut position, mut follows_space) = (touched.places(text), 0, removes);
        while position < text.len() {
            let place = places.next(position);
            let before = if place < text.len() {
                text.floor_char_boundary(place.saturating_sub(1))
            } else {
                place
            };
            if before > position {
                let run = &text[position..before];
                follows_space = self.keep_run(run, follows_space, to);
                position = before;
                continue;
            }
            let (part, length) = self.first(&text[position..]);
            let part = if follows_space { part.trim_start_matches(' ') } else { part };
            let some = &text[position..position + length];
            if part.contains(' ') {
                to.replace(some, &part.replace(' ', self.space()));
            } else {
                to.replace(some, part);
            }
            follows_space = removes && (part.ends_with(' ') || follows_space && part.is_empty());
            position += length;
        }
    }

    /// Keeps a stretch of text in which nothing is replaced but spaces; returns whether spaces that follow it
    /// are removed.
    fn keep_run(&self, run: &str, follows_space: bool, to: &mut impl Written) -> bool {
        if !self.described.remove_extra_whitespaces {
            to.keep(run, self.space());
            return false;
        }
        let (mut rest, mut follows_space) = (run, follows_space);
        loop {
            if follows_space {
                let behind = rest.trim_start_matches(' ');
                to.leave_out(&rest[..rest.len() - behind.len()]);
                rest = behind;
            }
            if rest.is_empty() {
                return follows_space;
            }
            let Some(two) = memchr::memmem::find(rest.as_bytes(), b"  ") else { break };
            to.keep(&rest[..=two], self.space());
            (rest, follows_space) = (&rest[two + 1..], true);
        }
        to.keep(rest, self.space());
        rest.ends_with(' ')
    }

    /// The characters that are not copied as they are.
    fn touched(&self) -> &Set {
        let Self { charsmap, described, .. } = self;
        let make = || Box::new(touched(charsmap.as_ref(), &described.untouched));
        self.touched.get_or_init(make)
    }

    /// What stands for the beginning of `text`, which is not empty, and how long that is.
    fn first<'a>(&'a self, text: &'a str) -> (&'a str, usize) {
        if let Some(length) = self.untouched_at(text) {
            return (&text[..length], length);
        }
        let found = self.charsmap.as_ref().and_then(|charsmap| charsmap.longest(text));
        if let Some((length, replacement)) = found {
            return (replacement, length);
        }
        let length = text.chars().next().map_or(0, char::len_utf8);
        (&text[..length], length)
    }

    fn untouched_at(&self, text: &str) -> Option<usize> {
        let input = Input::new(text).anchored(Anchored::Yes);
        self.untouched.as_ref()?.find(input).map(|found| found.end())
    }
}

fn matcher(texts: &[String]) -> Result<Option<AhoCorasick>> {
    if texts.is_empty() {
        return Ok(None);
    }
    if texts.iter().any(String::is_empty) {
        return Err(Error::Format("normalizer: an untouched text is empty".into()));
    }
    let matcher = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .start_kind(StartKind::Anchored)
        .build(texts)
        .map_err(|error| Error::Limit(format!("too many untouched texts: {error}")))?;
    Ok(Some(matcher))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::spots::Points;
    use super::*;

    /// What stands for one text and another, as a table: each place of the trie has 256 units of its own.
    fn table(pairs: &[(&str, &str)]) -> Table {
        let (mut replacements, mut children) = (Vec::new(), vec![BTreeMap::new()]);
        let mut leaves = BTreeMap::new();
        for (text, replacement) in pairs {
            let mut node = 0;
            for byte in text.bytes() {
                let new = children.len();
                node = *children[node].entry(byte).or_insert(new);
                children.resize(children.len().max(node + 1), BTreeMap::new());
            }
            leaves.insert(node, replacements.len() as u32);
            replacements.extend(replacement.bytes().chain([0]));
        }
        // the units of a node begin behind the first 256, among which the root is
        let base = |node: usize| 256 * (node + 1);
        let mut units = vec![0_u32; base(children.len())];
        units[0] = (base(0) as u32) << 10;
        for (node, own) in children.iter().enumerate() {
            for (&byte, &child) in own {
                let position = base(node) ^ usize::from(byte);
                let leaf = u32::from(leaves.contains_key(&child)) << 8;
                units[position] = ((position ^ base(child)) as u32) << 10 | leaf | u32::from(byte);
            }
        }
        for (node, start) in leaves {
            units[base(node)] = 1 << 31 | start;
        }
        let length = 4 * units.len() as u32;
        let bytes =
            length.to_le_bytes().into_iter().chain(units.iter().flat_map(|u| u.to_le_bytes()));
        Table::of(&bytes.chain(replacements).collect::<Vec<_>>())
    }

    /// What a table may replace, and by what.
    const PAIRS: [(&str, &str); 13] = [
        ("\t", " "),
        ("a\u{301}", "á"),
        ("，", ","),
        ("か\u{3099}", "が"),
        ("é", "e"),
        ("😀", ""),
        ("bc", "x y"),
        ("中文字", "C"),
        ("\u{3000}", " "),
        (" z", "Z"),
        ("  ", "_"),
        ("й", " й "),
        ("e", "éé"),
    ];

    /// Any of what may be told of normalization.
    fn described(random: &mut impl FnMut(usize) -> usize) -> SentencePiece {
        let pairs: Vec<_> = PAIRS.into_iter().filter(|_| random(3) == 0).collect();
        let untouched = [" z", "中", "aa", "😀", "\t"].into_iter().filter(|_| random(6) == 0);
        SentencePiece {
            untouched: untouched.map(str::to_owned).collect(),
            precompiled_charsmap: if pairs.is_empty() { Table::default() } else { table(&pairs) },
            add_dummy_prefix: random(2) == 0,
            remove_extra_whitespaces: random(2) == 0,
            escape_whitespaces: random(2) == 0,
            treat_whitespace_as_suffix: random(2) == 0,
        }
    }

    #[test]
    fn a_text_is_normalized_as_if_each_character_were_asked_for() {
        let mut state = 11_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let characters: Vec<char> =
            "aabcez   \txéй\u{301}中文字か\u{3099}，\u{3000}😀語一".chars().collect();
        let mut changed = 0;
        for round in 0..600 {
            let described = described(&mut random);
            let [own, plain] =
                [(); 2].map(|()| Ready::new(&described).expect("the table is sound"));
            assert!(plain.touched.set(Box::new(Set::of(&Points::all()))).is_ok());
            let kinds = 2 + random(characters.len() - 1);
            for length in [0, 1, 3, 20, 63, 64, 65, 300] {
                let run = 1 + random(40);
                let mut character = |at: usize| match at % run {
                    0 => characters[random(kinds)],
                    _ => ['a', '語', ' '][random(3)],
                };
                let text: String = (0..length).map(&mut character).collect();
                let normalized = own.normalize(&text);
                changed += usize::from(normalized != text);
                assert_eq!(normalized, plain.normalize(&text), "{round}: {described:?} {text:?}");
                let aligned =
                    own.align(&Aligned::of(&text, 0).expect("there is room"), &Monitor::silent());
                let aligned = aligned.expect("there is room");
                assert_eq!(aligned.text, normalized, "{round}: {described:?} {text:?}");
                let places = aligned.places(&Monitor::silent()).expect("there is room");
                assert!(places.windows(2).all(|two| two[0][1] == two[1][0]));
            }
        }
        assert!(changed > 1_000, "only {changed} texts changed");
    }
}
