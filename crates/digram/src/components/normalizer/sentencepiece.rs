//! The normalizer of `SentencePiece`: its table, and what it does with blanks.

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use serde::{Deserialize, Serialize};

use super::charsmap::{Charsmap, Table};
use crate::arch::replace::{ROOM, append_replaced};
use crate::components::yes;
use crate::error::{Error, Result};

/// What stands for a space.
pub(in crate::components) const VISIBLE_SPACE: &str = "\u{2581}";

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

/// How a byte may be copied, without asking the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// Nothing that is changed begins with it.
    Always,
    /// Nothing that is changed begins with it and a byte of ASCII, or is it alone.
    BeforeAscii,
    /// It is a space, or may begin what is changed.
    Never,
}

/// The same, ready to run.
pub(super) struct Ready {
    described: SentencePiece,
    charsmap: Option<Charsmap>,
    untouched: Option<AhoCorasick>,
    copied: Box<[Copied; 256]>,
    /// Whether nothing but a space alone begins with a space.
    plain_space: bool,
    /// Of each byte, whether it is ASCII that before ASCII stays as it is, or is such a space.
    plain: Box<[bool; 256]>,
    /// Whether nothing is changed but spaces.
    copies_all: bool,
}

/// How many bytes are looked at together for plain text.
const PLAIN_BLOCK: usize = 32;

impl Ready {
    /// Fails where the table is damaged.
    pub fn new(described: &SentencePiece) -> Result<Self> {
        let table = &described.precompiled_charsmap;
        let charsmap = (!table.is_empty()).then(|| Charsmap::of(table)).transpose()?;
        let untouched = matcher(&described.untouched)?;
        let copied = copied(charsmap.as_ref(), &described.untouched);
        let plain_space = charsmap.as_ref().is_none_or(|charsmap| !charsmap.begins(b" "))
            && !described.untouched.iter().any(|text| text.starts_with(' '));
        let plain = Box::new(std::array::from_fn(|byte| {
            let is_space = plain_space && byte == usize::from(b' ');
            byte < 0x80 && (is_space || copied[byte] != Copied::Never)
        }));
        let (described, copies_all) =
            (described.clone(), charsmap.is_none() && untouched.is_none());
        Ok(Self { described, charsmap, untouched, copied, plain_space, plain, copies_all })
    }

    /// The text, normalized.
    pub fn normalize(&self, text: &str) -> String {
        let removes = self.described.remove_extra_whitespaces;
        let mut rest = text;
        while removes && !rest.is_empty() {
            let (part, length) = self.first(rest);
            if part != " " {
                break;
            }
            rest = &rest[length..];
        }
        if rest.is_empty() {
            return String::new();
        }
        let mut normalized = String::with_capacity(rest.len() + rest.len() / 2 + 8 + ROOM);
        self.add_dummy(false, &mut normalized);
        let mut follows_space = removes;
        if self.copies_all && !removes {
            append_replaced(rest, b' ', self.space(), usize::MAX, &mut normalized);
            rest = "";
        }
        while !rest.is_empty() {
            let plain = self.plain_run(rest.as_bytes());
            if plain > 0 && !(follows_space && rest.starts_with(' ')) {
                append_replaced(&rest[..plain], b' ', self.space(), usize::MAX, &mut normalized);
                follows_space = removes && rest.as_bytes()[plain - 1] == b' ';
                rest = &rest[plain..];
                continue;
            }
            let run = self.run(rest.as_bytes());
            if run > 0 {
                normalized.push_str(&rest[..run]);
                rest = &rest[run..];
                follows_space = false;
                continue;
            }
            if self.plain_space && rest.starts_with(' ') {
                normalized.push_str(if follows_space { "" } else { self.space() });
                rest = &rest[1..];
                follows_space = removes;
                continue;
            }
            let (part, length) = self.first(rest);
            let part = if follows_space { part.trim_start_matches(' ') } else { part };
            self.push(part, &mut normalized);
            follows_space = removes && (part.ends_with(' ') || follows_space && part.is_empty());
            rest = &rest[length..];
        }
        while removes && normalized.ends_with(self.space()) {
            normalized.truncate(normalized.len() - self.space().len());
        }
        self.add_dummy(true, &mut normalized);
        normalized
    }

    fn space(&self) -> &'static str {
        if self.described.escape_whitespaces { VISIBLE_SPACE } else { " " }
    }

    fn add_dummy(&self, at_end: bool, normalized: &mut String) {
        if self.described.add_dummy_prefix && self.described.treat_whitespace_as_suffix == at_end {
            normalized.push_str(self.space());
        }
    }

    fn push(&self, part: &str, normalized: &mut String) {
        let mut pieces = part.split(' ');
        normalized.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            normalized.push_str(self.space());
            normalized.push_str(piece);
        }
    }

    /// How many bytes, in whole blocks but for the last byte, are ASCII of which nothing changes but
    /// spaces, each by itself.
    fn plain_run(&self, bytes: &[u8]) -> usize {
        let removes = self.described.remove_extra_whitespaces;
        let is_plain = |&block: &&[u8; PLAIN_BLOCK]| {
            let all = block.iter().fold(true, |all, &byte| all & self.plain[usize::from(byte)]);
            all && !(removes && (block[0] == b' ' || block.windows(2).any(|two| two == b"  ")))
        };
        let (blocks, _) = bytes.as_chunks();
        let length = PLAIN_BLOCK * blocks.iter().take_while(is_plain).count();
        // what begins with the last byte may go on
        if bytes.get(length).is_some_and(|byte| !byte.is_ascii()) {
            return length.saturating_sub(1);
        }
        length
    }

    /// How many bytes are copied as they are. They end where a character does, as the first byte
    /// of one and those that follow it are copied always or never.
    fn run(&self, bytes: &[u8]) -> usize {
        let is_copied = |at: usize| match self.copied[usize::from(bytes[at])] {
            Copied::Always => true,
            Copied::BeforeAscii => bytes.get(at + 1).is_none_or(u8::is_ascii),
            Copied::Never => false,
        };
        (0..bytes.len()).position(|at| !is_copied(at)).unwrap_or(bytes.len())
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

fn copied(charsmap: Option<&Charsmap>, untouched: &[String]) -> Box<[Copied; 256]> {
    let mut copied = Box::new([Copied::Always; 256]);
    let Some(charsmap) = charsmap else {
        for text in untouched {
            copied[usize::from(text.as_bytes()[0])] = Copied::Never;
        }
        // a byte that follows in a character begins none, and goes as the first one does
        copied[usize::from(b' ')] = Copied::Never;
        return copied;
    };
    for byte in 0..=u8::MAX {
        let ascii = || (0..0x80).any(|next| charsmap.begins(&[byte, next]));
        let alone = || charsmap.longest(char::from(byte).encode_utf8(&mut [0; 4])).is_some();
        copied[usize::from(byte)] = if !byte.is_ascii() || byte == b' ' {
            Copied::Never
        } else if !charsmap.begins(&[byte]) {
            Copied::Always
        } else if alone() || ascii() {
            Copied::Never
        } else {
            Copied::BeforeAscii
        };
    }
    for text in untouched {
        copied[usize::from(text.as_bytes()[0])] = Copied::Never;
    }
    copied
}
