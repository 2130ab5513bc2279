"""JSON files of records: one on each line, or all in an array; the first character tells."""

from __future__ import annotations

import codecs
import contextlib
import io
import itertools
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from digram._bad_records import BadRecord
from digram._records import BOM, Report, field_of, json_line_texts, unbroken

__all__ = ["json_texts"]

CHUNK = 1 << 20
# Most records are shorter.
WINDOW = 4096
# What JSON lets stand between values.
BLANKS = b" \t\n\r"
BLANK = re.compile(f"[{BLANKS.decode()}]*")
# Words and escapes of JSON are shorter: a fault so near to the end may be of a value that is cut.
NEAR = 16
SCAN = json.JSONDecoder().raw_decode
# The same, through line ends in texts, and through numbers longer than Python's int reads.
SCAN_ON = json.JSONDecoder(strict=False, parse_int=float).raw_decode


class _Array:
    """The items of an array as they come; of the file no more is held than the longest needs.

    Bytes that are no UTF-8 are read as lone surrogates, so that they spoil one item alone.
    """

    def __init__(self, stream: IO[bytes], head: bytes, name: str) -> None:
        self._stream, self._name = stream, name
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text, self._at, self._is_all = self._decode(head.removeprefix(BOM)), 0, False
        # As far as lines and bytes are counted, and how many they are.
        self._counted, self._line, self._byte = 0, 1, len(BOM) if head.startswith(BOM) else 0

    def items(self) -> Iterator[tuple[BadRecord, str, Any]]:
        """Read each item: where it begins, how it is written, and its value, or why it has none.

        Raises `ValueError` where the array is broken.
        """
        mark = self._mark()
        while mark != "]":
            self._at += 1
            if self._mark() == "]" and mark == "[":
                break
            place = self._place(self._at)
            value, end = self._item()
            written, self._at = self._text[self._at : end], end
            yield place, written, value
            mark = self._mark()
            if mark not in (",", "]"):
                raise self._broken(self._at, "is no JSON: Expecting ',' or ']'")
        self._at += 1
        if self._mark():
            raise self._broken(self._at, "is behind the end of the array")

    def _mark(self) -> str:
        """Go to what is not blank, and return its first character, or nothing at the end."""
        while True:
            if found := BLANK.match(self._text, self._at):
                self._at = found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _item(self) -> tuple[Any, int]:
        """Read the item that begins here, and tell where it ends."""
        while True:
            try:
                value, end = self._scanned()
            except json.JSONDecodeError as error:
                if self._is_cut(error) and self._more():
                    continue
                raise self._broken(error.pos, f"is no JSON: {error.msg}") from None
            except RecursionError as error:
                raise self._broken(self._at, f"begins JSON that is not read: {error}") from None
            # A number may go on behind what was read, and a dot before that be part of it.
            if end + NEAR < len(self._text) or not self._more():
                return value, end

    def _scanned(self) -> tuple[Any, int]:
        """Read the item; where the fault is in it, and its end can be told, return what is bad.

        First in a copy of the text nearby: an error counts the lines of all that it is given.
        """
        near = self._text[self._at : self._at + WINDOW]
        with contextlib.suppress(json.JSONDecodeError):
            value, end = self._scanned_in(near, 0)
            if end + NEAR < len(near):
                return value, self._at + end
        return self._scanned_in(self._text, self._at)

    def _scanned_in(self, text: str, begin: int) -> tuple[Any, int]:
        try:
            return SCAN(text, begin)
        except json.JSONDecodeError as error:
            at, reason = error.pos, f"is no JSON: {error.msg}"
        except ValueError as error:  # a number beyond Python's
            at, reason = begin, f"begins JSON that is not read: {error}"
        _, end = SCAN_ON(text, begin)
        return self._place(self._at + at - begin, reason), end

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the fault may be that the rest is not read yet."""
        return error.msg.startswith("Unterminated") or error.pos + NEAR > len(self._text)

    def _more(self) -> bool:
        """Read on, as much again as is held: so a long item is not looked through too often."""
        if self._is_all:
            return False
        self._count()
        rest = self._text[self._at :]
        chunk = self._stream.read(max(CHUNK, len(rest)))
        self._is_all = not chunk
        self._text = rest + self._decode(chunk, self._is_all)
        self._counted = self._at = 0
        return True

    def _count(self) -> None:
        passed = self._text[self._counted : self._at]
        self._line += passed.count("\n")
        self._byte += _size(passed)
        self._counted = self._at

    def _place(self, at: int, reason: str = "") -> BadRecord:
        self._count()
        here = BadRecord(self._name, self._line, self._byte, reason)
        return here if at == self._at else _behind(here, self._text[self._at : at], reason)

    def _broken(self, at: int, reason: str) -> ValueError:
        return ValueError(
            f"{self._place(at, reason)}; mend it, as behind a fault no record of an array can be"
            " told, or read the file with format='text' as plain text"
        )


def json_texts(stream: IO[bytes], name: str, field: str, report: Report) -> Iterator[str]:
    """Read a field of each record; of an array also the texts that stand in it as they are.

    >>> array = io.BytesIO(b'[{"text": "low"}, "lower"]')
    >>> list(json_texts(array, "a.json", "text", print))
    ['low', 'lower']
    >>> list(json_texts(io.BytesIO(b'{"text": "low"}'), "a.json", "text", print))
    ['low']
    """
    head = _beginning(stream)
    if head.removeprefix(BOM).lstrip(BLANKS).startswith(b"["):
        yield from _array_texts(_Array(stream, head, name), field, report)
    else:
        lines = itertools.chain(io.BytesIO(head + stream.readline()), stream)
        yield from json_line_texts(lines, name, field, report)


def _beginning(stream: IO[bytes]) -> bytes:
    """Read until something is not blank."""
    parts = [stream.read(len(BOM))]
    is_blank = not parts[0].removeprefix(BOM).strip(BLANKS)
    while is_blank and (chunk := stream.read(CHUNK)):
        parts.append(chunk)
        is_blank = not chunk.strip(BLANKS)
    return b"".join(parts)


def _array_texts(array: _Array, field: str, report: Report) -> Iterator[str]:
    for place, written, value in array.items():
        bad = value if isinstance(value, BadRecord) else _not_utf8(place, written)
        text = None
        if bad is not None:
            report(bad)
        elif isinstance(value, str):
            text = unbroken(value, "begins a text that", place, report)
        else:
            text = field_of(value, field, place, report)
        if text is not None:
            yield text


def _not_utf8(place: BadRecord, written: str) -> BadRecord | None:
    """Name the byte of an item that is not UTF-8, and was read as a lone surrogate."""
    if not written.isascii():
        try:
            written.encode()
        except UnicodeEncodeError as error:
            byte = ord(written[error.start]) - 0xDC00
            reason = f"is 0x{byte:02X}, which is not UTF-8"
            return _behind(place, written[: error.start], reason)
    return None


def _behind(place: BadRecord, before: str, reason: str) -> BadRecord:
    """Name what stands behind some characters."""
    line, byte = place.line or 1, place.byte or 0
    return BadRecord(place.file, line + before.count("\n"), byte + _size(before), reason)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
