"""Counting comparisons and differences, and showing both."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# More differences than these are counted, and not shown.
SHOWN = 3
# What is shown of two sequences: where they part, and a little before and after.
BEFORE, AFTER = 3, 8


@dataclass
class Row:
    """One line of the table: what was compared with whom, and what came of it."""

    name: str
    comparisons: int = 0
    differences: int = 0
    seconds: float = 0.0
    note: str = ""


class Tally:
    """The table as it grows."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    @contextmanager
    def row(self, name: str, note: str = ""):
        """Open a row; what is compared inside counts for it."""
        row = Row(name, note=note)
        self.rows.append(row)
        start = time.perf_counter()
        yield row
        row.seconds = time.perf_counter() - start
        print(line(row), flush=True)

    def same(self, what: str, ours: Any, theirs: Any) -> None:
        """Count one comparison."""
        row = self.rows[-1]
        row.comparisons += 1
        if ours != theirs:
            row.differences += 1
            if row.differences <= SHOWN:
                print(f"  DIFFERENT {what}: {parting(ours, theirs)}", flush=True)

    def all_same(self, what: Sequence[str], ours: Sequence[Any], theirs: Sequence[Any]) -> None:
        """Count one comparison for each of `what`."""
        if len(what) == len(ours) and ours == theirs:
            self.rows[-1].comparisons += len(what)
            return
        for each in zip(what, ours, theirs, strict=True):
            self.same(*each)

    @property
    def differences(self) -> int:
        """All differences of all rows."""
        return sum(row.differences for row in self.rows)

    def table(self) -> str:
        """The whole table, with its sums."""
        total = Row(
            "all",
            sum(row.comparisons for row in self.rows),
            self.differences,
            sum(row.seconds for row in self.rows),
        )
        head = f"{'compared':<68} {'comparisons':>12} {'differences':>12} {'seconds':>8}"
        rule = "-" * len(head)
        return "\n".join([head, rule, *map(line, self.rows), rule, line(total)])


def line(row: Row) -> str:
    """Write a row."""
    numbers = f"{row.comparisons:>12,} {row.differences:>12,} {row.seconds:>8.1f}"
    return f"{row.name:<68} {numbers}  {row.note}".rstrip()


def parting(ours: Any, theirs: Any) -> str:
    """Show two values where they part."""
    if not isinstance(ours, Sequence) or not isinstance(theirs, Sequence):
        return f"ours {ours!r}, theirs {theirs!r}"
    place = common(ours, theirs)
    shown = slice(max(place - BEFORE, 0), place + AFTER)
    return f"at {place} of {len(theirs)}: ours {ours[shown]!r}, theirs {theirs[shown]!r}"


def common(ours: Sequence[Any], theirs: Sequence[Any]) -> int:
    """Count the items that both begin with."""
    pairs: Iterable[tuple[Any, Any]] = zip(ours, theirs, strict=False)
    return next(
        (place for place, (mine, other) in enumerate(pairs) if mine != other),
        min(len(ours), len(theirs)),
    )
