"""Files as they stand, before anybody decides whether they can be opened.

What is listed twice, contradicts itself or is missing is still there to be seen: a reader that
builds a tokenizer keeps one of two, or gives up at the first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import UnionType
from typing import Any

from digram._check.findings import Finding, Findings, finding

__all__ = ["Json", "Shapes", "duplicate_keys", "read_json"]


class Pairs(dict[str, Any]):
    """An object of JSON with all of its keys, those that are there twice too."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


Json = Any


def read_json(content: bytes) -> Json:
    """Read JSON, and keep keys that are there twice. Raises `ValueError` for what is none."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=Pairs)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def pairs_of(value: Json) -> list[tuple[str, Any]]:
    """Return the keys and values of an object, as they are listed."""
    return value.pairs if isinstance(value, Pairs) else []


def duplicate_keys(value: Json, place: str = "") -> Findings:
    """Find the keys that an object has twice, anywhere but in a vocabulary."""
    if isinstance(value, Pairs) and place == VOCABULARY:
        return
    if isinstance(value, Pairs):
        for key, times in Counter(key for key, _ in value.pairs).items():
            if times > 1:
                yield finding("duplicate-key", f"{key!r} is there {times} times", place=place)
        for key, part in value.pairs:
            yield from duplicate_keys(part, f"{place}.{key}" if place else key)
    elif isinstance(value, list) and len(value) < FEW:
        for index, part in enumerate(value):
            yield from duplicate_keys(part, f"{place}[{index}]")


VOCABULARY = "model.vocab"
# Of a value that is wrong, so many characters are shown.
SHOWN = 60
# Longer lists than this are merges or tokens, which are not objects of many keys.
FEW = 50_000


@dataclass
class Shapes:
    """What was not as it must be, found on the way through a file."""

    found: list[Finding] = field(default_factory=list)

    def wrong(self, place: str, value: object, rule: str) -> None:
        """Remember a value that has not the shape it must have."""
        shown = repr(value)
        if len(shown) > SHOWN:
            shown = f"{shown[:SHOWN]}…"
        self.found.append(finding("malformed", f"{shown}; it must be {rule}", place=place))

    def ids(self, pairs: list[tuple[str, Any]], place: str) -> Iterator[tuple[str, int]]:
        """Read tokens and their ids."""
        for token, id_ in pairs:
            if isinstance(id_, int) and not isinstance(id_, bool):
                yield token, id_
            else:
                message = f"{token!r} has the id {id_!r}"
                self.found.append(finding("id-out-of-range", message, place=place))

    def merges(self, items: object, place: str) -> list[tuple[str, str]]:
        """Read merges, of either spelling."""
        if not isinstance(items, list):
            self.wrong(place, items, "a list")
            return []
        pairs = []
        for rank, item in enumerate(items):
            match item.split(" ") if isinstance(item, str) else item:
                case [str(left), str(right)] if left and right:
                    pairs.append((left, right))
                case _:
                    self.wrong(f"merges[{rank}]", item, "two tokens")
        return pairs

    def take(self, value: Json, key: str, kind: type | UnionType, place: str, default: Any) -> Any:
        """Return a value of an object; where it is of another kind, the default."""
        found = value.get(key)
        if found is None or isinstance(found, kind):
            return default if found is None else found
        self.wrong(f"{place}{key}", found, f"of type {getattr(kind, '__name__', kind)}")
        return default
