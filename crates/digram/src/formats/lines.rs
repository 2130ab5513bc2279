//! Files of lines: text, its lines with their numbers, and merges among them.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// A merge as a file spells it, and the number of its line.
pub(super) struct MergeLine<'a> {
    pub line: usize,
    pub left: &'a str,
    pub right: &'a str,
}

/// The bytes as text.
pub(super) fn text(bytes: &[u8]) -> Result<&str> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| {
        str::from_utf8(bytes).map_err(|error| {
            Error::Format(format!("byte {} is not valid UTF-8", error.valid_up_to()))
        })
    })
}

/// The lines of a text, numbered from 1, without what ends them.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.trim_end_matches(['\r', '\n']);
    let ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let ends = ends.chain((!text.is_empty()).then_some(text.len()));
    let lines = ends.scan(0, |start, end| {
        let line = &text[std::mem::replace(start, end + 1)..end];
        Some(line.strip_suffix('\r').unwrap_or(line))
    });
    (1..).zip(lines)
}

/// Whether the first line tells a version.
pub(super) fn has_version(text: &str) -> bool {
    text.starts_with("#version")
}

/// The merges of a file, one a line: two symbols with a space between, after an optional version.
pub(super) fn merges(text: &str) -> Result<Vec<MergeLine<'_>>> {
    let versions = usize::from(has_version(text));
    numbered(text)
        .skip(versions)
        .map(|(line, merge)| match pair(merge) {
            Some((left, right)) => Ok(MergeLine { line, left, right }),
            None => Err(Error::Format(format!(
                "line {line}: {:?} is not two symbols with one space between",
                shortened(merge)
            ))),
        })
        .collect()
}

/// The two symbols of a merge that is spelled `left right`.
pub(super) fn pair(merge: &str) -> Option<(&str, &str)> {
    let (left, right) = merge.split_once(' ')?;
    (!left.is_empty() && !right.is_empty() && !right.contains(' ')).then_some((left, right))
}

/// The first lines of a file, for recognizing it; `None` where they are not text.
pub(super) fn beginning(bytes: &[u8]) -> Option<Vec<&str>> {
    /// Enough to tell formats apart.
    const LINES: usize = 20;
    /// No line of a merge or a token is as long.
    const LONGEST: usize = 1 << 16;
    let lines = bytes.split(|&byte| byte == b'\n').take(LINES);
    lines
        .map(|line| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = Some(line).filter(|line| line.len() < LONGEST)?;
            std::str::from_utf8(line).ok()
        })
        .collect()
}

/// At most 60 characters of a text, for a message.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_lf_or_crlf_and_keep_their_numbers() {
        let lines: Vec<_> = numbered("a b\r\nc d\n\ne f\n\n").collect();
        assert_eq!(lines, [(1, "a b"), (2, "c d"), (3, ""), (4, "e f")]);
        assert_eq!(numbered("").count(), 0);
    }

    #[test]
    fn a_merge_is_two_symbols() {
        assert_eq!(pair("#version x"), Some(("#version", "x")));
        for wrong in ["", "a", "a ", " a", "a b c", "a  b"] {
            assert_eq!(pair(wrong), None, "{wrong:?}");
        }
        let error = merges("#version: 0.2\na b\na b c\n").err().expect("refused");
        assert_eq!(
            error.to_string(),
            "line 3: \"a b c\" is not two symbols with one space between"
        );
    }
}
