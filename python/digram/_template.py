"""What the template puts around the ids of a text, or of two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from digram._core import Engine, untracked

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "FIRST",
    "PLAIN",
    "SECOND",
    "filled",
    "frame",
    "inputs",
    "inputs_of_one",
    "masks",
    "types",
]

# Stand for the ids of a first and of a second text: they are no ids.
FIRST, SECOND = -1, -2
# The largest id that a template may have.
LARGEST = 0xFFFF_FFFF

# Each id with its type, and the places of the texts with theirs.
Frame = Sequence[tuple["Any", "Any"]]

# That of one text without a template.
PLAIN: Frame = [(FIRST, 0)]


def frame(engine: Engine, *, is_pair: bool) -> Frame:
    """Return what stands around one text, or around two.

    Raises `ValueError` where a sequence of post-processors cannot go on.
    """
    own = {id_ for id_, _ in engine.process([], [] if is_pair else None)}
    first, second = islice((id_ for id_ in range(LARGEST, 0, -1) if id_ not in own), 2)
    texts = {first: FIRST, second: SECOND}
    around = engine.process([first], [second] if is_pair else None)
    return [(texts.get(id_, id_), type_) for id_, type_ in around]


def filled(frame: Frame, first: list[int], second: list[int] | None = None) -> list[int]:
    """Return the ids of texts with those of the frame around them."""
    if len(frame) == 1 and frame[0][0] == FIRST:
        return first
    ids: list[int] = []
    for id_, _ in frame:
        if id_ == FIRST:
            ids += first
        elif id_ == SECOND:
            ids += second or ()
        else:
            ids.append(id_)
    return untracked(ids)


def types(frame: Frame, first: list[int], second: list[int] | None = None) -> list[Any]:
    """Return the types of the ids that `filled` returns."""
    lengths = {FIRST: len(first), SECOND: len(second or ())}
    return untracked([kind for id_, type_ in frame for kind in [type_] * lengths.get(id_, 1)])


def inputs_of_one(frame: Frame, ids: list[int]) -> dict[str, list[int]]:
    """Return the inputs of a text, as a call of a tokenizer does."""
    ids = filled(frame, ids)
    return {"input_ids": ids, "attention_mask": [1] * len(ids)}


def inputs(frame: Frame, batch: list[list[int]]) -> dict[str, list[list[int]]]:
    """Return the inputs of many texts."""
    rows = [filled(frame, ids) for ids in batch]
    return {"input_ids": rows, "attention_mask": masks(rows)}


def masks(rows: list[list[int]]) -> list[list[int]]:
    """Return the masks of ids, all of which count.

    The collector is not told of such lists, nor of lists of ids: it would look through all of them
    again and again while many are made.
    """
    return [untracked([1] * len(row)) for row in rows]
