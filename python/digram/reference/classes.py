r"""Regular expressions that mean the same here and in the engine.

Python's `regex` follows a newer Unicode than the engine, and to it `$` also matches before a
final newline. So `\p{...}`, `\s`, `\w` and `\d` are replaced by the project's own tables, and
`$` by the end of the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from digram._extras import missing
from digram.reference._classes import CATEGORIES, PROPERTIES

try:
    import regex  # type: ignore[import-untyped]  # it ships no types; only this file sees it
except ImportError:
    raise missing("regex", "reference", "digram.reference") from None

Ranges = tuple[tuple[int, int], ...]
Compiled: TypeAlias = "regex.Pattern[str]"

LAST = 0x10FFFF
SHORTHANDS = {
    "s": ("White_Space",),
    "d": ("Nd",),
    "w": ("Alphabetic", "M", "Nd", "Pc", "Join_Control"),
}
# An escape (with the name of a property), a bracket with what can only follow it, or a character.
PIECES = regex.compile(r"\\(?:[pP](?:\{\^?(?<name>\w+)\}|(?<name>\w))|.)|\[\^?\]?|.", regex.DOTALL)


@cache
def categories() -> dict[str, Ranges]:
    """Return the ranges of code points of every two-letter general category.

    >>> categories()["Zs"][:2]
    ((32, 32), (160, 160))
    """
    ranges: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for run in CATEGORIES.split():
        end = start + int(run[2:])
        ranges.setdefault(run[:2], []).append((start, end - 1))
        start = end
    return {name: tuple(found) for name, found in ranges.items()}


@cache
def code_points(name: str) -> Ranges:
    """Return the sorted ranges of code points that a property holds.

    >>> code_points("White_Space")[:3], code_points("L")[:2]
    (((9, 13), (32, 32), (133, 133)), ((65, 90), (97, 122)))
    """
    if name == "Alphabetic":
        return union("L", "Nl", "Other_Alphabetic")
    if name in PROPERTIES:
        ends = (part.split("-") for part in PROPERTIES[name].split())
        return tuple((int(part[0], 16), int(part[-1], 16)) for part in ends)
    found = [category for category in categories() if category.startswith(name)]
    if not found or len(name) > len(found[0]):
        known = ", ".join([*categories(), "Alphabetic", *PROPERTIES])
        raise ValueError(f"property {name!r} is not known; the reference knows {known}")
    return merge_ranges([each for category in found for each in categories()[category]])


def union(*names: str) -> Ranges:
    """Return the ranges of several properties together."""
    return merge_ranges([each for name in names for each in code_points(name)])


def merge_ranges(ranges: list[tuple[int, int]]) -> Ranges:
    """Sort ranges and join those that touch.

    >>> merge_ranges([(5, 7), (1, 2), (3, 4)])
    ((1, 7),)
    """
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return the code points outside of sorted ranges.

    >>> complement(((0, 9), (11, 11)))
    ((10, 10), (12, 1114111))
    """
    starts = [0, *(end + 1 for _, end in ranges)]
    ends = [*(start - 1 for start, _ in ranges), LAST]
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start <= end)


def write_class(ranges: Ranges) -> str:
    r"""Write ranges as they stand inside of brackets in a regular expression.

    >>> write_class(((48, 57),))
    '\\U00000030-\\U00000039'
    """
    return "".join(rf"\U{start:08x}-\U{end:08x}" for start, end in ranges)


def translate(pattern: str) -> str:
    r"""Replace the classes of a pattern by the project's tables and `$` by the end of the text.

    >>> translate(r"\d$")[:24], translate(r"[^\d]")[:24]
    ('[\\U00000030-\\U00000039\\U', '[^\\U00000030-\\U00000039\\')
    >>> translate(r"a\.[$]$")
    'a\\.[$]\\Z'
    """
    out: list[str] = []
    inside = False
    for piece in PIECES.finditer(pattern):
        text = piece[0]
        ranges = escaped_class(text, piece["name"])
        if ranges is not None:
            out.append(write_class(ranges) if inside else f"[{write_class(ranges)}]")
        elif text in ("$", r"\z") and not inside:
            out.append(r"\Z")
        else:
            if inside and text[0] == "[":
                raise ValueError(
                    f"pattern {pattern!r} has '[' inside of brackets, which means another thing to"
                    r" every engine; write '\[' for the character"
                )
            inside = text[0] == "[" or (inside and text != "]")
            out.append(text)
    return "".join(out)


def escaped_class(escape: str, name: str | None) -> Ranges | None:
    r"""Return what an escape such as `\S` or `\p{L}` matches; None where it is no class."""
    if not escape.startswith("\\"):
        return None
    letter = escape[1]
    if name is not None:
        inverted = (letter == "P") != ("^" in escape)
        return complement(code_points(name)) if inverted else code_points(name)
    if letter.lower() not in SHORTHANDS:
        return None
    ranges = union(*SHORTHANDS[letter.lower()])
    return complement(ranges) if letter.isupper() else ranges


@cache
def compiled(pattern: str) -> Compiled:
    r"""Compile a pattern in the project's meaning.

    >>> compiled(r"\s+$").findall("a \n")
    [' \n']
    >>> compiled(r"(\w+").findall("a")
    Traceback (most recent call last):
    ValueError: pattern '(\\w+' does not compile: missing )
    """
    try:
        return regex.compile(translate(pattern))
    except regex.error as error:
        # the position is one in the translated pattern, which the user has never seen
        reason = str(error).partition(" at position")[0]
        raise ValueError(f"pattern {pattern!r} does not compile: {reason}") from None


def any_of(texts: Iterable[str]) -> Compiled:
    """Compile a pattern that finds the leftmost of some texts, and of those the longest.

    >>> any_of(["<s>", "<s>/"]).findall("<s> <s>/")
    ['<s>', '<s>/']
    """
    longest_first = sorted(texts, key=len, reverse=True)
    nothing = r"(?!)"
    return regex.compile("|".join(map(regex.escape, longest_first)) or nothing)
