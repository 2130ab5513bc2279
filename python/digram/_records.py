"""Texts in a stream of bytes: whole, between separators, lines, JSON lines, rows of CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import IO, Any

from digram._bad_records import BadRecord

__all__ = [
    "Report",
    "field_of",
    "json_line_texts",
    "line_texts",
    "row_texts",
    "split_texts",
    "unbroken",
    "whole_text",
]

Report = Callable[[BadRecord], None]
"""Told of each bad record; it returns where the record is to be skipped."""

CHUNK = 1 << 20
BOM = b"\xef\xbb\xbf"


def whole_text(stream: IO[bytes], name: str, report: Report, most: int | None) -> Iterator[str]:
    """Read a stream as one text; of a longer one than `most` bytes, at least so many."""
    # A character that the limit cuts has at most three bytes behind it.
    content = stream.read() if most is None else stream.read(most + 3)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        if most is None or error.start < most:
            report(BadRecord(name, None, error.start, _not_utf8(content, error)))
            return
        text = content[: error.start].decode("utf-8")
    if text:
        yield text


def line_texts(stream: IO[bytes], name: str, report: Report) -> Iterator[str]:
    """Read each line, its end included, as a text."""
    line, byte = 1, 0
    for block in _whole_lines(stream):
        try:
            yield from _split_lines(block.decode("utf-8"))
        except UnicodeDecodeError:
            for within, start, content in _lines(io.BytesIO(block)):
                place = BadRecord(name, line + within - 1, byte + start, "")
                text = _decoded(content, place, report)
                if text is not None:
                    yield text
        line += block.count(b"\n")
        byte += len(block)


def split_texts(stream: IO[bytes], name: str, separator: str, report: Report) -> Iterator[str]:
    """Read what stands between separators as texts; empty ones are none."""
    line, byte = 1, 0
    mark = separator.encode()
    for content in _split(stream, mark):
        if content:
            text = _decoded(content, BadRecord(name, line, byte, ""), report)
            if text is not None:
                yield text
        line += content.count(b"\n") + mark.count(b"\n")
        byte += len(content) + len(mark)


def json_line_texts(lines: Iterable[bytes], name: str, field: str, report: Report) -> Iterator[str]:
    """Read a field of each line's JSON object; empty lines are none."""
    is_first = True
    for line, byte, content in _lines(lines):
        if line == 1:
            content = content.removeprefix(BOM)  # noqa: PLW2901 - the rest of the same line
        if not content.strip():
            continue
        place = BadRecord(name, line, byte, "")
        begins_array = is_first and content.lstrip().startswith(b"[")
        tell = partial(_tell_array, report) if begins_array else report
        is_first = False
        text = _decoded(content, place, tell)
        value = None if text is None else _json_text(text, field, place, tell)
        if value is not None:
            yield value


def _json_text(text: str, field: str, place: BadRecord, report: Report) -> str | None:
    try:
        found: Any = json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        within = len(text[: error.pos].encode())
        byte = (place.byte or 0) + within
        report(_at(place, byte, f"is no JSON: {error.msg}"))
        return None
    except (ValueError, RecursionError) as error:  # a number, or nesting, beyond Python's
        report(_at(place, place.byte, f"begins JSON that is not read: {error}"))
        return None
    return field_of(found, field, place, report)


def _tell_array(report: Report, bad: BadRecord) -> None:
    """Report a bad record of a file that begins as an array does, and say so."""
    report(_at(bad, bad.byte, f"{bad.reason} (the file begins an array: format='json' reads one)"))


def row_texts(
    stream: IO[bytes], name: str, field: str, report: Report, *, tabs: bool
) -> Iterator[str]:
    """Read a column, named in the first row, of comma-separated or tab-separated values.

    Commas as RFC 4180 says: a quoted field may hold commas, quotes (doubled) and line ends. Tabs
    as most tools write them: no quoting.
    """
    rows = _rows(stream, name, report, tabs=tabs)
    header = next(rows, None)
    if header is None:
        return
    names = [each.encode("latin-1").decode("utf-8", "replace") for each in header[1]]
    if field not in names:
        raise ValueError(
            f"{name}: no column is named {field!r}; the first row names {', '.join(names)}, and"
            " field= takes one of them"
        )
    column = names.index(field)
    for place, row in rows:
        if column >= len(row):
            report(_at(place, place.byte, f"begins a row without the column {field!r}"))
            continue
        content = row[column].encode("latin-1")
        try:
            yield content.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = f"byte {error.start} of {field!r} {_not_utf8(content, error)}"
            report(_at(place, place.byte, f"begins a row: {wrong}"))


def _rows(
    stream: IO[bytes], name: str, report: Report, *, tabs: bool
) -> Iterator[tuple[BadRecord, list[str]]]:
    """Read rows, each with the place where it begins; empty lines are none."""
    starts = [(1, 0)]
    rules: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {}
    reader = csv.reader(_byte_lines(stream, starts), strict=True, **rules)
    row: list[str] | None = []
    while row is not None:
        place = BadRecord(name, *starts[-1], "")
        del starts[:-1]
        try:
            row = next(reader, None)
        except csv.Error as error:
            _refuse_limit(error, place)
            report(_at(place, place.byte, f"begins no row ({error})"))
            continue
        if row:
            yield place, row


def field_of(found: Any, path: str, place: BadRecord, report: Report) -> str | None:
    """Return the text at a dotted path; where there is none, report it and return `None`.

    >>> field_of({"a": {"b": "text"}}, "a.b", BadRecord("x", 1, 0, ""), print)
    'text'
    >>> field_of({"a": 3}, "a", BadRecord("x", 1, 0, ""), print)
    x: line 1, byte 0 begins a record whose field 'a' is int, not a text
    """
    if isinstance(found, Mapping) and path in found:
        found = found[path]
    else:
        for name in path.split("."):
            if not isinstance(found, Mapping) or name not in found:
                report(_at(place, place.byte, _begins(place, f"without the field {path!r}")))
                return None
            found = found[name]
    if not isinstance(found, str):
        kind = "null" if found is None else type(found).__name__
        reason = _begins(place, f"whose field {path!r} is {kind}, not a text")
        report(_at(place, place.byte, reason))
        return None
    return unbroken(found, _begins(place, f"whose field {path!r}"), place, report)


def unbroken(text: str, what: str, place: BadRecord, report: Report) -> str | None:
    """Return a text; where it holds half a character, report it and return `None`."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            reason = f"{what} holds a lone surrogate, which no text has"
            report(_at(place, place.byte, reason))
            return None
    return text


def _begins(place: BadRecord, what: str) -> str:
    return f"is a record {what}" if place.byte is None else f"begins a record {what}"


def _lines(stream: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    byte = 0
    for line, content in enumerate(stream, start=1):
        yield line, byte, content
        byte += len(content)


def _whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Read some lines at once: decoding them together costs less than one by one."""
    unfinished: list[bytes] = []
    while chunk := stream.read(CHUNK):
        end = chunk.rfind(b"\n") + 1
        if not end:
            unfinished.append(chunk)
            continue
        yield b"".join([*unfinished, chunk[:end]])
        unfinished = [chunk[end:]]
    if rest := b"".join(unfinished):
        yield rest


def _split_lines(text: str) -> Iterator[str]:
    """Split after each line feed and nowhere else, unlike `splitlines`."""
    *whole, last = text.split("\n")
    yield from (line + "\n" for line in whole)
    if last:
        yield last


def _split(stream: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """Split at each mark; a text of many chunks is put together once."""
    parts: list[bytes] = []
    tail = b""
    while chunk := stream.read(CHUNK):
        *whole, last = (tail + chunk).split(mark)
        for content in whole:
            yield b"".join([*parts, content])
            parts.clear()
        # The last bytes may be the beginning of a mark.
        cut = max(len(last) - len(mark) + 1, 0)
        parts.append(last[:cut])
        tail = last[cut:]
    yield b"".join([*parts, tail])


def _byte_lines(stream: IO[bytes], starts: list[tuple[int, int]]) -> Iterator[str]:
    """Give lines whose characters are bytes, and note where the line after each begins.

    Quotes and commas are bytes of their own in UTF-8, so a field can be cut out before it is
    known to be UTF-8, and a bad one spoils its row alone.
    """
    for line, byte, content in _lines(stream):
        starts.append((line + 1, byte + len(content)))
        yield (content.removeprefix(BOM) if line == 1 else content).decode("latin-1")


def _decoded(content: bytes, place: BadRecord, report: Report) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = (place.byte or 0) + error.start
        report(_at(place, byte, _not_utf8(content, error)))
        return None


def _not_utf8(content: bytes, error: UnicodeDecodeError) -> str:
    return f"is 0x{content[error.start]:02X}, which is not UTF-8"


def _at(place: BadRecord, byte: int | None, reason: str) -> BadRecord:
    return BadRecord(place.file, place.line, byte, reason)


def _refuse_limit(error: csv.Error, place: BadRecord) -> None:
    if "field limit" in str(error):
        raise ValueError(
            f"{place.file}: line {place.line} holds a longer field than the csv module reads"
            f" ({csv.field_size_limit()} characters); allow more with csv.field_size_limit(…)"
        )
