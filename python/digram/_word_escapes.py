r"""Escapes in TSV: `\t`, `\n`, `\r`, `\\` for a backslash, `\xHH` for a byte that is no UTF-8."""

from __future__ import annotations

from digram.errors import FormatError

__all__ = ["escaped", "unescaped"]

ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
MEANINGS = {escape: text for text, escape in ESCAPES.items()}
# A byte that is no UTF-8 is read as a lone surrogate, 0xDC00 above it.
SURROGATES = {chr(0xDC00 + byte): f"\\x{byte:02X}" for byte in range(0x80, 0x100)}
ESCAPED = str.maketrans(ESCAPES | SURROGATES)


def escaped(word: bytes) -> str:
    """Return a word as it stands in a file."""
    return word.decode("utf-8", "surrogateescape").translate(ESCAPED)


def unescaped(word: bytes, place: str) -> bytes:
    """Return a word as it was before it was written; `place` is named where it cannot be."""
    if b"\\" not in word:
        return word
    import re  # only here: it takes longer to import than most files of words to read

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

    escape = r"\\(?:x[0-9A-Fa-f]{2}|.|$)"
    return re.sub(escape, meaning, word.decode("latin-1")).encode("latin-1")
