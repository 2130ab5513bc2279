r"""Escapes in TSV: `\t`, `\n`, `\r`, `\\` for a backslash, `\xHH` for a byte that is no UTF-8."""

from __future__ import annotations

import re

from digram.errors import FormatError

__all__ = ["escaped", "unescaped"]

ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
ESCAPED = re.compile("[\\\\\t\n\r]")
MEANINGS = {escape: text for text, escape in ESCAPES.items()}
ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|.|$)")


def escaped(word: bytes) -> str:
    """Return a word as it stands in a file."""
    text = word.decode("utf-8", "surrogateescape")
    text = ESCAPED.sub(lambda found: ESCAPES[found[0]], text)
    if text.isascii():
        return text
    # A byte that is no UTF-8 was read as a lone surrogate, 0xDC00 above it.
    return re.sub("[\udc80-\udcff]", lambda found: f"\\x{ord(found[0]) - 0xDC00:02X}", text)


def unescaped(word: bytes, place: str) -> bytes:
    """Return a word as it was before it was written; `place` is named where it cannot be."""
    if b"\\" not in word:
        return word

    def meaning(found: re.Match[str]) -> str:
        escape = found[0]
        if escape in MEANINGS:
            return MEANINGS[escape]
        if not escape[2:]:
            known = ", ".join([*MEANINGS, "\\xHH"])
            raise FormatError(
                f"{place} holds {escape!r}, which is none of {known}; where a backslash stands"
                " for itself, read the file with escapes=False"
            )
        return chr(int(escape.removeprefix("\\x"), 16))

    return ESCAPE.sub(meaning, word.decode("latin-1")).encode("latin-1")
