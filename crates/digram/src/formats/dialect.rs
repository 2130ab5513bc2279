//! Files of merges that are written alike and mean different things: which one a file is.
//!
//! | the file begins with | from | a word's end | which merges are listed |
//! | --- | --- | --- | --- |
//! | `#version: 0.2` | subword-nmt | attached to the last character | pairs |
//! | nothing, or `#version: 0.1` | subword-nmt | a symbol of its own | pairs |
//! | nothing, and counts behind the merges | fastBPE | attached | pairs |
//! | `v3;false;true;false;<w>;</w>` | OpenNMT | a symbol of its own | what two symbols join to |
//! | `v3;false;false;false;<w>;</w>` | OpenNMT | nothing | what two symbols join to |
//! | `v3;true;false;false;<w>;</w>` | OpenNMT | a symbol before the next word | what two symbols join to |
//! | `v3;true;true;false;<w>;</w>` | OpenNMT | symbols on both sides | what two symbols join to |
//!
//! A symbol before a word is a visible space here, whatever the file calls it: OpenNMT itself lets
//! no text hold that character.
//!
//! In a text, OpenNMT takes a letter with its combining marks as one symbol; here each character
//! is one. Text in composed form (NFC) of most scripts holds none, and comes out the same.

use hashbrown::HashSet;
use std::borrow::Cow;

use super::lines::{self, MergeLine};
use super::spelled::Index;
use crate::error::{Error, Result};
use crate::model::{EndOfWord, Merge};

/// The marker of all but OpenNMT, which tells its own.
pub(super) const MARKER: &str = "</w>";
/// What stands for OpenNMT's mark of a word's beginning.
pub(super) const BEGINNING: char = '\u{2581}';
/// How OpenNMT's header begins; the version is the only one there is.
const OPENNMT: &str = "v3;";

/// What a file of merges means.
pub(super) struct Dialect {
    /// The mark of a word's end.
    pub end: Option<EndOfWord>,
    /// How the file spells the mark of a word's beginning.
    pub begin: Option<String>,
    /// Whether two symbols merge because of what they join to, however it is split.
    pub by_product: bool,
    header: bool,
    counts: bool,
}

/// Whether a text begins with what stands before merges.
pub(super) fn has_header(text: &str) -> bool {
    lines::has_version(text) || text.starts_with(OPENNMT)
}

/// Whether a file looks like this, by its first lines: two symbols each, with a marker somewhere
/// or a header.
pub(super) fn recognizes(lines: &[&str]) -> bool {
    let has_header = has_header(lines[0]);
    let has_marker = lines.iter().any(|line| line.contains(MARKER));
    let merges = &lines[usize::from(has_header)..];
    let counts = !has_header && counted(lines[0]).is_some();
    let is_merge = |line: &&str| {
        let merge = if counts { counted(line) } else { Some(*line) };
        line.is_empty() || merge.and_then(lines::pair).is_some()
    };
    (has_header || has_marker) && merges.iter().all(is_merge)
}

impl Dialect {
    /// The dialect of a text.
    pub fn of(text: &str) -> Result<Self> {
        let first = lines::numbered(text).next().map_or("", |(_, line)| line);
        let marker = |attached| Some(EndOfWord { marker: MARKER.into(), attached });
        if first.starts_with(OPENNMT) {
            let (begin, end) = opennmt(first).map_err(|error| error.at("line 1"))?;
            return Ok(Self { end, begin, by_product: true, header: true, counts: false });
        }
        let header = lines::has_version(first);
        let counts = !header && counted(first).is_some();
        let attached = if header { is_attached(first)? } else { counts };
        Ok(Self { end: marker(attached), begin: None, by_product: false, header, counts })
    }

    /// The text with [`BEGINNING`] where a symbol begins with the mark of a word's beginning.
    pub fn respelled<'a>(&self, text: &'a str) -> Result<Cow<'a, str>> {
        let Some(begin) = &self.begin else { return Ok(Cow::Borrowed(text)) };
        let mut respelled = String::with_capacity(text.len());
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let behind = line.strip_prefix(begin.as_str());
            if behind.unwrap_or(line).contains(BEGINNING) {
                return Err(Error::Format(format!(
                    "line {number}: a symbol holds {BEGINNING:?}, which stands for {begin:?}"
                )));
            }
            respelled.extend(behind.map(|_| BEGINNING));
            respelled.push_str(behind.unwrap_or(line));
        }
        Ok(Cow::Owned(respelled))
    }

    /// The merges of a text.
    pub fn merges<'a>(&self, text: &'a str) -> Result<Vec<MergeLine<'a>>> {
        let merges = lines::numbered(text).skip(usize::from(self.header)).map(|(line, merge)| {
            let pair = if self.counts { counted(merge) } else { Some(merge) };
            let Some((left, right)) = pair.and_then(lines::pair) else {
                let count = if self.counts { ", and then a count" } else { "" };
                return Err(Error::Format(format!(
                    "line {line}: {:?} is not two symbols with one space between{count}",
                    lines::shortened(merge)
                )));
            };
            Ok(MergeLine { line, left, right })
        });
        merges.collect()
    }
}

/// Whether the marker is attached in the version that a line tells.
fn is_attached(line: &str) -> Result<bool> {
    match line.split_whitespace().last() {
        Some("0.2") => Ok(true),
        Some("0.1") => Ok(false),
        _ => Err(Error::Format(format!(
            "line 1: {:?} is not one of the versions that are known, \"#version: 0.1\" and \
             \"#version: 0.2\"",
            lines::shortened(line)
        ))),
    }
}

/// A merge without the count that follows it.
fn counted(line: &str) -> Option<&str> {
    let (merge, count) = line.rsplit_once(' ')?;
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    (is_count && lines::pair(merge).is_some()).then_some(merge)
}

/// The marks of a word's beginning and end that OpenNMT's header tells:
/// `v3;prefix;suffix;case-insensitive;begin marker;end marker`.
fn opennmt(header: &str) -> Result<(Option<String>, Option<EndOfWord>)> {
    let options: Vec<_> = header.split(';').collect();
    let ["v3", prefix, suffix, case, begin, end] = options[..] else {
        return Err(Error::Format(format!(
            "{:?} is not OpenNMT's header, v3;prefix;suffix;case-insensitive;begin;end",
            lines::shortened(header)
        )));
    };
    for (name, value) in [("prefix", prefix), ("suffix", suffix), ("case-insensitive", case)] {
        if !matches!(value, "true" | "false") {
            return Err(Error::Format(format!("{name} is {value:?}; it is true or false")));
        }
    }
    if case == "true" {
        return Err(Error::Format(
            "the codes ignore case, which is not supported: tokens would keep the case of the \
             text and be no part of the vocabulary; for text in lower case, write false there \
             and add the normalizer Lowercase"
                .into(),
        ));
    }
    for (name, flag, marker) in [("begin", prefix, begin), ("end", suffix, end)] {
        if flag == "true" && marker.is_empty() {
            return Err(Error::Format(format!("the {name} marker is empty")));
        }
    }
    let marker = EndOfWord { marker: end.to_owned(), attached: false };
    Ok(((prefix == "true").then(|| begin.to_owned()), (suffix == "true").then_some(marker)))
}

/// Refuses symbols that begin as several characters: a letter with its combining marks is one
/// for OpenNMT.
pub(super) fn check_characters(lines: &[MergeLine], marker: Option<&str>) -> Result<()> {
    let products: HashSet<String> =
        lines.iter().map(|line| [line.left, line.right].concat()).collect();
    let is_cluster = |symbol: &str| {
        symbol.chars().nth(1).is_some() && Some(symbol) != marker && !products.contains(symbol)
    };
    for line in lines {
        if let Some(symbol) = [line.left, line.right].into_iter().find(|&s| is_cluster(s)) {
            return Err(Error::Format(format!(
                "line {}: {:?} is made by no merge; a letter that is one symbol with its \
                 combining marks is not supported",
                line.line,
                lines::shortened(symbol)
            )));
        }
    }
    Ok(())
}

/// All pairs of symbols that join to a product, in the order in which products are listed.
pub(super) fn splits(index: &Index, lines: &[MergeLine]) -> Result<Vec<Merge>> {
    /// No token is as long; what is spent on a product grows with its square.
    const LONGEST: usize = 1 << 10;
    let mut merges = Vec::with_capacity(lines.len());
    for line in lines {
        let product = [line.left, line.right].concat();
        if product.len() > LONGEST {
            return Err(Error::Limit(format!(
                "line {}: {} bytes are too long for a token; at most {LONGEST} are supported",
                line.line,
                product.len()
            )));
        }
        let Some(id) = index.get(&product) else { continue };
        for (middle, _) in product.char_indices().skip(1) {
            let (left, right) = product.split_at(middle);
            if let (Some(left), Some(right)) = (index.get(left), index.get(right)) {
                merges.push(Merge { left, right, merged: id });
            }
        }
    }
    Ok(merges)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Dialect::of(text).and_then(|d| d.merges(text)).err().expect("refused").to_string()
    }

    #[test]
    fn the_first_line_tells() {
        let cases = [
            ("#version: 0.2\na b\n", Some((MARKER, true)), false, 1),
            ("#version: 0.1\na b\n", Some((MARKER, false)), false, 1),
            ("a b\nab </w>\n", Some((MARKER, false)), false, 2),
            ("a b 17\nab c</w> 3\n", Some((MARKER, true)), false, 2),
            ("v3;false;true;false;<w>;_\na b\n", Some(("_", false)), true, 1),
            ("v3;false;false;false;<w>;_\na b\n", None, true, 1),
            ("", Some((MARKER, false)), false, 0),
        ];
        for (text, end, by_product, merges) in cases {
            let dialect = Dialect::of(text).expect("known");
            let found = dialect.end.as_ref().map(|end| (end.marker.as_str(), end.attached));
            assert_eq!((found, dialect.by_product), (end, by_product), "{text:?}");
            assert_eq!(dialect.merges(text).expect("merges").len(), merges, "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_followed_is_refused_by_name() {
        let cases = [
            ("v3;true;true;false;;</w>", "line 1: the begin marker is empty"),
            ("v3;false;true;true;<w>;</w>", "line 1: the codes ignore case"),
            ("v3;false;yes;false;<w>;</w>", "line 1: suffix is \"yes\"; it is true or false"),
            ("v3;false;true;false;<w>;", "line 1: the end marker is empty"),
            ("v3;false;true;false;<w>", "line 1: \"v3;false;true;false;<w>\" is not OpenNMT's"),
            ("#version: 0.3\na b\n", "line 1: \"#version: 0.3\" is not one of the versions"),
            ("a b 17\na b\n", "line 2: \"a b\" is not two symbols with one space between, and"),
            ("a b\na b 17\n", "line 2: \"a b 17\" is not two symbols with one space between"),
        ];
        for (text, expected) in cases {
            let message = refusal(text);
            assert!(message.starts_with(expected), "{text:?}: {message}");
        }
    }
}
