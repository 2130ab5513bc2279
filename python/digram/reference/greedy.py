"""Encoding without merging: the longest token wins."""

from __future__ import annotations

from collections.abc import Callable

from digram.reference.spelling import Units
from digram.reference.tables import Tables


def longest_first(units: Units, tables: Tables, unknown: Callable[[int], int]) -> list[int]:
    """Take the longest token anywhere, the leftmost of equals; then go on on both sides.

    A run in which no token is left is one unknown; `unknown` is told where it begins.

    >>> from digram._model import Greedy, Model
    >>> tokens = {0: b"bcd", 1: b"ab", 2: b"a", 3: b"c", 4: b"d"}
    >>> tables = Tables(Model(tokens, Greedy("longest-first"), "chars"))
    >>> [tokens[i] for i in longest_first(tables.units("abcd"), tables, ...)]
    [b'a', b'bcd']
    """

    def between(start: int, end: int) -> list[int]:
        for length in range(end - start, 0, -1):
            for first in range(start, end - length + 1):
                found = tables.ids.get(units[first : first + length])
                if found is not None:
                    return [*between(start, first), found, *between(first + length, end)]
        return [unknown(start)] if start < end else []

    return between(0, len(units))


def left_to_right(units: Units, tables: Tables, unknown: Callable[[int], int]) -> list[int]:
    """Take the longest token that begins here, then go on behind it.

    >>> from digram._model import Greedy, Model
    >>> tokens = {0: b"bcd", 1: b"ab", 2: b"a", 3: b"c", 4: b"d"}
    >>> tables = Tables(Model(tokens, Greedy("left-to-right"), "chars"))
    >>> [tokens[i] for i in left_to_right(tables.units("abcd"), tables, ...)]
    [b'ab', b'c', b'd']
    """
    ids: list[int] = []
    start, in_unknown = 0, False
    while start < len(units):
        ends = range(len(units), start, -1)
        end = next((end for end in ends if units[start:end] in tables.ids), None)
        if end is not None:
            ids.append(tables.ids[units[start:end]])
        elif not in_unknown:
            ids.append(unknown(start))
        start, in_unknown = end or start + 1, end is None
    return ids
