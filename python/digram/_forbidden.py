"""What training may not make, as the engine takes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from digram._arguments import listed
from digram._kinds import many, shown

__all__ = ["Apart", "Forbidden", "constraints"]

Apart: TypeAlias = Literal[
    "characters",
    "digits",
    "scripts",
    "sentencepiece",
    "sentencepiece-scripts",
    "sentencepiece-scripts-with-digits",
    "spaces",
]
Forbidden: TypeAlias = str | bytes | re.Pattern[str] | re.Pattern[bytes]

# The flags that mean to the engine what they mean to Python, and the letters for them.
FLAGS = {re.IGNORECASE: "i", re.MULTILINE: "m", re.DOTALL: "s", re.VERBOSE: "x"}


def constraints(forbidden: Iterable[Forbidden], apart: Iterable[str]) -> dict[str, Any]:
    r"""Return the keywords of the engine for what no merge may make.

    >>> constraints(["ab", re.compile("(?i)z"), re.compile(rb"\xff")], ["digits"])["forbidden"]
    [b'ab']
    """
    if isinstance(forbidden, str | bytes | re.Pattern):
        raise TypeError(f"forbidden is {forbidden!r} alone; give a list: [{forbidden!r}]")
    texts: list[bytes] = []
    patterns: list[str] = []
    for item in many("forbidden", forbidden, "an iterable of str, bytes and compiled patterns"):
        if isinstance(item, re.Pattern):
            patterns.append(written(item))
        elif isinstance(item, str | bytes):
            texts.append(item.encode() if isinstance(item, str) else item)
        else:
            kind = type(item).__name__
            raise TypeError(
                f"forbidden holds str, bytes and compiled patterns, not {kind}: {shown(item)}"
            )
    return {
        "forbidden": texts,
        "forbidden_patterns": patterns,
        "apart": listed("apart", apart),
    }


def written(pattern: re.Pattern[str] | re.Pattern[bytes]) -> str:
    r"""Write a compiled pattern for the engine, with its flags; one of bytes searches bytes.

    >>> written(re.compile("a b", re.IGNORECASE | re.VERBOSE)), written(re.compile(b"[\x80-\xff]"))
    ('(?ix)a b', '(?-u)[\\x80-\\xff]')
    """
    text = pattern.pattern
    flags = re.RegexFlag(pattern.flags) & ~re.UNICODE
    letters = "".join(letter for flag, letter in FLAGS.items() if flags & flag)
    for flag in FLAGS:
        flags &= ~flag
    if flags:
        raise ValueError(
            f"the forbidden pattern {text!r} has the flag {flags!r}, which means nothing to the"
            " engine; leave it out, and write out the classes that it changes"
        )
    if isinstance(text, bytes):
        letters += "-u"
        text = re.sub("[^\0-\x7f]", lambda byte: f"\\x{ord(byte[0]):02x}", text.decode("latin-1"))
    return f"(?{letters}){text}" if letters else text
