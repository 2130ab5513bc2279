"""Which pair is merged when several are equally frequent: the five rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from digram.reference.spelling import Pair, Units, join

Ties = Literal["smallest-ids", "first-seen", "largest-strings", "smallest-strings", "shortest"]


def choose(
    tied: Sequence[Pair], ties: Ties, tokens: Mapping[int, Units], marker: str | None
) -> Pair:
    """Choose among equally frequent pairs, which are listed in the order of first occurrence.

    Strings are compared as bytes, with the marker's text; where even they are equal, smaller
    ids go first.

    >>> tokens = {0: (b"s",), 1: (b"t",), 2: (b"e",)}
    >>> choose([(2, 0), (0, 1)], "first-seen", tokens, None)  # e s
    (2, 0)
    >>> choose([(2, 0), (0, 1)], "largest-strings", tokens, None)  # s t
    (0, 1)
    """

    def strings(pair: Pair) -> tuple[bytes, bytes]:
        return join(tokens[pair[0]], marker), join(tokens[pair[1]], marker)

    def product(pair: Pair) -> tuple[int, bytes]:
        token = tokens[pair[0]] + tokens[pair[1]]
        return len(token), join(token, marker)

    by_ids = sorted(tied)  # min and max take the first of equals
    rules: dict[Ties, Callable[[], Pair]] = {
        "first-seen": lambda: tied[0],
        "smallest-ids": lambda: by_ids[0],
        "largest-strings": lambda: max(by_ids, key=strings),
        "smallest-strings": lambda: min(by_ids, key=strings),
        "shortest": lambda: min(by_ids, key=product),
    }
    return rules[ties]()
