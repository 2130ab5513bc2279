"""Texts cut to the room that a template leaves them, as Hugging Face's tokenizers cut them."""

from __future__ import annotations

from functools import partial
from operator import add
from typing import TYPE_CHECKING, Any, TypeAlias

from digram._core import untracked
from digram.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from digram.components import Truncation

__all__ = ["Columns", "Ids", "Text", "all_parts", "each_cut", "longest", "one_end"]

# The ids of a text, or where they stand in it.
Ids: TypeAlias = "list[Any]"
# A text, and its second or None.
Text: TypeAlias = "tuple[Ids, Any]"
# The ids of texts; behind them, of pairs, those of the second texts.
Columns: TypeAlias = "list[list[Ids]]"
# What stays of a text: its ids in so many, from one end on, the first of them in any case.
Kept: TypeAlias = "Callable[[Ids, int, Truncation], list[Ids]]"

# Parts of two texts make a row for each two of them: so many, as each is lists of Python.
MOST_PARTS = 2**20


def longest(texts: Columns) -> int:
    """How many ids the longest text has, or the longest two have together."""
    if len(texts) == 1:
        return max(map(len, texts[0]), default=0)
    return max(map(add, *(map(len, column) for column in texts)), default=0)


def each_cut(texts: Columns, room: int, truncation: Truncation, kept: Kept) -> list[list[Text]]:
    """Return what stays of each text; an error says which cannot be cut, of several."""
    cut = partial(_cut, room=room, truncation=truncation, kept=kept)
    parts: list[list[Text]] = []
    try:
        parts.extend(map(cut, *texts))
    except ValueError as error:
        place = f"texts[{len(parts)}]: " if len(texts[0]) > 1 else ""
        raise type(error)(f"{place}{error}") from None
    return parts


def _cut(
    first: Ids, second: Ids | None = None, *, room: int, truncation: Truncation, kept: Kept
) -> list[Text]:
    """Cut a text, or two, to what there is room for; further parts follow if those are kept.

    Those of the first come before the first itself with those of the second, as in Hugging Face.
    """
    one, two = len(first), len(second or ())
    excess = one + two - room
    if excess <= 0:
        return [(first, second)]
    if room == 0:
        one = two = 0
    elif truncation.strategy == "LongestFirst":
        one, two = (room, 0) if second is None else _longest_first(one, two, room)
    elif truncation.strategy == "OnlyFirst":
        one = _shortened("first", one, excess)
    elif second is None:
        raise ValueError("truncation cuts the second text alone (OnlySecond), and there is none")
    else:
        two = _shortened("second", two, excess)
    firsts = kept(first, one, truncation)
    seconds = [None] if second is None else kept(second, two, truncation)
    if len(firsts) * len(seconds) > MOST_PARTS:
        raise LimitError(
            f"{len(firsts)} parts of the first text and {len(seconds)} of the second are rows for"
            f" each two of them; at most {MOST_PARTS} are supported"
        )
    further = [(part, other) for part in firsts[1:] for other in seconds]
    return [(firsts[0], seconds[0]), *further, *((firsts[0], other) for other in seconds[1:])]


def _longest_first(one: int, two: int, room: int) -> tuple[int, int]:
    """How many stay of each: the shorter text is cut only where it is more than half."""
    shorter, longer = sorted((one, two))
    longer = shorter if shorter > room else max(shorter, room - shorter)
    if shorter + longer > room:
        shorter, longer = room // 2, room - room // 2
    return (longer, shorter) if one > two else (shorter, longer)


def _shortened(which: str, length: int, excess: int) -> int:
    if length <= excess:
        raise ValueError(
            f"truncation cuts the {which} text alone, which has {length} ids, and {excess} are too"
            " many; give a larger max_length, or the strategy 'LongestFirst'"
        )
    return length - excess


def one_end(ids: Ids, count: int, truncation: Truncation) -> list[Ids]:
    """Return so many ids from one end."""
    is_left = truncation.direction == "Left"
    return [untracked(ids[len(ids) - count :] if is_left else ids[:count])]


def all_parts(ids: Ids, count: int, truncation: Truncation) -> list[Ids]:
    """Return all ids in parts of so many, which share `stride` with the next, from one end on."""
    length, step = len(ids), count - truncation.stride
    if length <= count:
        return [ids]
    if step <= 0:
        raise ValueError(
            f"stride is {truncation.stride}, and the parts of a text have {count} ids here; give a"
            " smaller stride, or a larger max_length"
        )
    further = -((count - length) // step)
    if truncation.direction == "Left":
        ends = (length - step * part for part in range(further + 1))
        return [untracked(ids[max(0, end - count) : end]) for end in ends]
    starts = (step * part for part in range(further + 1))
    return [untracked(ids[start : start + count]) for start in starts]
