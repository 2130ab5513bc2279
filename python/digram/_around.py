"""What a tokenizer has beside its components: added tokens, truncation and padding."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Literal

__all__ = ["AddedToken", "Padding", "Truncation"]


@dataclass(frozen=True)
class AddedToken:
    """A token matched whole in the text, before merging; `special` ones only when asked for."""

    id: int
    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = True


# What needs no look: a union written in the call is made anew each time.
PLAIN = (int, str, type(None))


class _PlainInts:
    """A dataclass whose numbers are Python's, also where NumPy's are given."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, PLAIN) and hasattr(value, "__index__"):
                object.__setattr__(self, name, operator.index(value))


@dataclass(frozen=True)
class Truncation(_PlainInts):
    """How long texts are cut: `tok(..., truncation=True)` does it, `encode` does not.

    `stride` is how many ids the parts of a text share, with `tok(..., overflowing=True)`.
    """

    max_length: int
    strategy: Literal["LongestFirst", "OnlyFirst", "OnlySecond"] = "LongestFirst"
    stride: int = 0
    direction: Literal["Left", "Right"] = "Right"


@dataclass(frozen=True)
class Padding(_PlainInts):
    """How short texts are filled up: `tok(..., padding=True)` does it, `encode` does not.

    A `strategy` that is a number is the length; `"BatchLongest"` is that of the longest.
    """

    strategy: Literal["BatchLongest"] | int = "BatchLongest"
    direction: Literal["Left", "Right"] = "Right"
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"
