"""What a tokenizer has beside its components: added tokens, truncation and padding."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Truncation:
    """How long texts are cut. It is kept with a model; encoding does not apply it."""

    max_length: int
    strategy: Literal["LongestFirst", "OnlyFirst", "OnlySecond"]
    stride: int
    direction: Literal["Left", "Right"] = "Right"


@dataclass(frozen=True)
class Padding:
    """How short texts are filled up. It is kept with a model; encoding does not apply it."""

    strategy: Literal["BatchLongest"] | int
    direction: Literal["Left", "Right"]
    pad_to_multiple_of: int | None
    pad_id: int
    pad_type_id: int
    pad_token: str
