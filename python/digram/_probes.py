"""Texts to try two tokenizers on: from a vocabulary itself, and from all over Unicode."""

from __future__ import annotations

import functools
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

from digram._model import Model

__all__ = ["special_probes", "unicode_probes", "vocabulary_probes"]

# Where a character stands: alone, beside a letter, after a blank, twice, and in a word.
CONTEXTS = ("{}", "a{}", "{}a", " {}", "{0}{0}", "a{}a ", "1{}\n")
# What some pattern or normalizer treats in its own way: letters of all cases, digits, marks,
# blanks, line ends, joiners, emoji, what Unicode leaves unassigned, private or no character.
ODD = (
    "aA0 \t\n\r'’._-/!?$<>|▁"
    "éßñſıİκΣς漢字かカ한अाกا١२Ⅷ²ªǅﬁ"
    "\u0301\u0323\u0345\u093c\u00a0\u2003\u2028\u2029\u3000\x85\x0b\x0c\x1c\x1f\u200b\u200d\ufeff"
    "😀🇩👩\u1112\u1161\u11ab\u212b\u2126\u0378\u07fd\u32ff\ue000\ufdd0\ufffe\uffff\U0010ffff\x00\x7f"
)
PHRASES = (
    "",
    "don't I'LL we've It’s",
    "HTTPServer2Go camelCase snake_case",
    "e\u0301 q\u0323\u0307 \u1112\u1161\u11ab ﬁ Å",
    "👩\u200d👩\u200d👧\u200d👦 🇩🇪🇫🇷 1\ufe0f\u20e3",
    "https://example.org/a?b=c#d 12345678 3.14 1,000 $5",
    "\u202eright to left\u202c שלום سلام\u200cدنیا",
    "if x:\n    return\t\n\n\n  y\r\n \r\n",
    "「東京」、タワー。한국어 ไทย हिन्दी",
)
RUNS = (" ", "\n", "\t", "\r\n", "0", "a", "=", "漢", "e\u0301")
LONGEST_RUN = 9
# What a character begins with before a part of it, and what can follow.
BEGINNINGS = (b"", b"\xc3", b"\xe5\x8d", b"\xe5", b"\xf1\x80\x80", b"\xf1\x80", b"\xf1")
ENDS = (b"", b"\x80", b"\xa0\x80", b"\x80\x80", b"\x90\x80\x80", b"\x80\x80\x80")
# Characters of a block are tried side by side, so many in a text.
ROW = 64


def vocabulary_probes(model: Model) -> Iterator[str]:
    """Make texts of the tokens: each alone, after a letter and a blank, and before the next one."""
    aside = {token.id for token in model.added_tokens}
    previous = ""
    for id_, token in model.tokens.items():
        text = "" if id_ in aside else completed(token)
        if text:
            yield from (text, f"a{text}", f" {text}", previous + text)
            previous = text


def completed(token: bytes) -> str:
    r"""Return a token as text, with the rest of the characters that it begins or ends inside.

    >>> completed(b" low"), completed(b"\xa9 a"), completed("é".encode()[:1])
    (' low', 'é a', 'À')
    """
    text = _text(token)
    if text is None:
        around = ((before, after) for before in BEGINNINGS for after in ENDS)
        whole = (_text(before + token + after) for before, after in around)
        text = next((found for found in whole if found is not None), "")  # no text holds it
    return text


def _text(token: bytes) -> str | None:
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return None


def special_probes(model: Model) -> Iterator[str]:
    """Make texts of the added tokens: each alone, within words, within blanks, and twice."""
    for token in model.added_tokens:
        content = token.content
        yield from (content, f"a{content}b", f" {content} ", content * 2, content.upper())


def unicode_probes() -> Iterator[str]:
    """Make texts from all over Unicode, and each assigned character beside others of its block."""
    yield from PHRASES
    for char in ODD:
        yield from (context.format(char) for context in CONTEXTS)
    yield from (run * times for run in RUNS for times in range(1, LONGEST_RUN + 1))
    for row in rows(assigned(), ROW):
        yield from ("".join(row), " ".join(row))


@functools.cache
def assigned() -> str:
    """Return all characters that Unicode assigns, private ones aside."""
    every = map(chr, range(sys.maxunicode + 1))
    return "".join(char for char in every if unicodedata.category(char) not in ("Cn", "Cs", "Co"))


def rows(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """Cut items into rows.

    >>> list(rows("abc", 2))
    [['a', 'b'], ['c']]
    """
    left = iter(items)
    while row := list(islice(left, size)):
        yield row
