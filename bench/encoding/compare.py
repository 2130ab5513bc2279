"""Comparing a peer's answers with the reference's, id by id, and counting where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.uint32]
WINDOW = 64  # ids that may be inserted or missing at one place
AGREED = 4  # ids in a row after which two lists are in step again
MOST_PLACES = 1_000  # after which nothing more is counted


@dataclass(frozen=True)
class Answers:
    """The ids of many pieces, flat, and how many each has."""

    ids: Array
    lengths: npt.NDArray[np.int64]

    @staticmethod
    def of(lists: Sequence[Any]) -> Answers:
        """Join lists of ids."""
        arrays = [np.asarray(each, dtype=np.uint32) for each in lists]
        flat = np.concatenate([np.empty(0, np.uint32), *arrays])
        return Answers(flat, np.array([len(each) for each in arrays], dtype=np.int64))

    def write(self, path: Path) -> None:
        """Write them to a file."""
        np.savez(path, ids=self.ids, lengths=self.lengths)

    @staticmethod
    def read(path: Path) -> Answers:
        """Read them from a file."""
        with np.load(path) as found:
            return Answers(found["ids"], found["lengths"])


def difference(
    form: str, found: Sequence[Any], expected: Answers, parts: Sequence[str]
) -> dict[str, int]:
    """Count what differs: ids, or for texts and counts, the pieces that came out wrong."""
    if form.startswith("text"):
        return {"differ": sum(a != b for a, b in zip(found, parts, strict=True)), "of": len(parts)}
    if form == "count":
        wrong = np.count_nonzero(np.array(found) != expected.lengths)
        return {"differ": int(wrong), "of": len(parts)}
    spans_missing = 0
    if form == "offsets":
        spans_missing = sum(abs(len(ids) - len(spans)) for ids, spans in found)
        found = [ids for ids, _ in found]
    ours = Answers.of(found)
    differ = differing(ours.ids, expected.ids)
    if not differ and not np.array_equal(ours.lengths, expected.lengths):
        differ = int(np.count_nonzero(ours.lengths != expected.lengths))
    return {"differ": differ + spans_missing, "of": len(expected.ids)}


def differing(found: Array, expected: Array) -> int:
    """Count ids that differ, finding the step again after each place.

    >>> differing(np.array([1, 2, 9, 9, 5, 6, 7, 8]), np.array([1, 2, 3, 5, 6, 7, 8]))
    2
    """
    total, a, b = 0, 0, 0
    for _ in range(MOST_PLACES):
        same = min(len(found) - a, len(expected) - b)
        wrong = np.flatnonzero(found[a : a + same] != expected[b : b + same])
        if not len(wrong):
            return total + max(len(found) - a, len(expected) - b) - same
        a, b = a + int(wrong[0]), b + int(wrong[0])
        skip_a, skip_b = resume(found[a : a + WINDOW], expected[b : b + WINDOW])
        total += max(skip_a, skip_b)
        a, b = a + skip_a, b + skip_b
    return total


def resume(found: Array, expected: Array) -> tuple[int, int]:
    """Return how many ids to skip in each until some in a row agree."""
    for skipped in range(1, len(found) + len(expected)):
        for a in range(skipped + 1):
            ahead, there = found[a : a + AGREED], expected[skipped - a : skipped - a + AGREED]
            if len(ahead) and np.array_equal(ahead, there):
                return a, skipped - a
    return len(found), len(expected)
