r"""Text that is shown, not obeyed: nothing in a token can move a cursor or turn a line around.

>>> visible("a b\n"), visible("\x1b[31m")
('a␣b\\n', '\\x1b[31m')
"""

from __future__ import annotations

import unicodedata

__all__ = ["isolated", "printable", "readable", "shown", "unspelled", "visible"]

# First strong isolate, and its end: what is between cannot reorder what is around it.
ISOLATE, POP = "\u2068", "\u2069"
# Scripts and emoji need these two between letters, where they cannot be mistaken.
JOINERS = "\u200c\u200d"
RIGHT_TO_LEFT = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI"})
CONTROLS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# How tokenizer.json spells bytes: the printable ones of Latin-1 as themselves, the other 68 as
# U+0100 and on (GPT-2's table).
PRINTABLE = (*range(33, 127), *range(161, 173), *range(174, 256))
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
SPELLED = {chr(byte): bytes([byte]) for byte in PRINTABLE} | {
    chr(0x100 + index): bytes([byte]) for index, byte in enumerate(OTHERS)
}


def printable(text: str) -> str:
    r"""Escape what drives a terminal; spaces and line ends stay.

    >>> printable("a\tb\x07\u202e\n")
    'a\\tb\\x07\\u202e\n'
    """
    return "".join(
        char if char == "\n" or _is_shown(text, at) else _escaped(char)
        for at, char in enumerate(text)
    )


def visible(text: str) -> str:
    r"""Escape what drives a terminal, line ends too, and make blanks and stray accents seen.

    >>> visible(" x\u00a0"), visible("\u0301a")
    ('␣x\\xa0', '◌́a')
    """
    seen = printable(text).replace("\n", "\\n").replace(" ", "␣")
    seen = "".join(_escaped(c) if unicodedata.category(c) == "Zs" else c for c in seen)
    return "◌" + seen if seen and unicodedata.category(seen[0]).startswith("M") else seen


def isolated(text: str) -> str:
    """Keep right-to-left text from reordering the line that it stands in."""
    if any(unicodedata.bidirectional(char) in RIGHT_TO_LEFT for char in text):
        return ISOLATE + text + POP
    return text


def shown(text: str) -> str:
    """Return a piece of text as it can stand in a line."""
    return isolated(visible(text))


def readable(token: bytes) -> str:
    r"""Return a token as it can stand in a line; bytes that are no character as `\xNN`.

    >>> readable(b" the"), readable("é".encode()[:1])
    ('␣the', '\\xc3')
    """
    return shown(token.decode("utf-8", "backslashreplace"))


def unspelled(token: str, units: str) -> bytes:
    """Return the bytes of a token that is spelled as in `tokenizer.json`.

    >>> unspelled("Ġis", "bytes")
    b' is'
    """
    if units == "chars":
        return token.encode()
    return b"".join(SPELLED.get(char, char.encode()) for char in token)


def _is_shown(text: str, at: int) -> bool:
    char = text[at]
    if char in JOINERS:
        return 0 < at < len(text) - 1
    return unicodedata.category(char) not in CONTROLS


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
