"""How texts are cut and filled up: what no file could say either is refused."""

from __future__ import annotations

from collections.abc import Mapping

from digram._around import Padding, Truncation
from digram._bounds import BOUNDS
from digram._kinds import choice, of_kind, whole
from digram.errors import LimitError

__all__ = ["refuse_long_padding", "refuse_other_pad", "refuse_padding", "refuse_truncation"]

SIDES = ("Left", "Right")
STRATEGIES = ("LongestFirst", "OnlyFirst", "OnlySecond")
# What files keep ids and their types in.
LARGEST = 2**32 - 1


def refuse_truncation(cut: Truncation) -> None:
    """Raise `ValueError`, or `TypeError`, where texts cannot be cut so."""
    choice("direction", cut.direction, SIDES)
    choice("strategy", cut.strategy, STRATEGIES)
    whole("max_length", cut.max_length)
    whole("stride", cut.stride)


def refuse_padding(padding: Padding) -> None:
    """Raise `ValueError`, or `TypeError`, where texts cannot be filled up so."""
    choice("direction", padding.direction, SIDES)
    if padding.strategy != "BatchLongest":
        whole("strategy", padding.strategy, or_else=", or 'BatchLongest'")
    if padding.pad_to_multiple_of is not None:
        whole("pad_to_multiple_of", padding.pad_to_multiple_of, or_else=", or None")
    whole("pad_id", padding.pad_id, most=LARGEST)
    whole("pad_type_id", padding.pad_type_id, most=LARGEST)
    of_kind("pad_token", padding.pad_token, str, "a str")


def refuse_other_pad(padding: Padding, added: Mapping[str, int]) -> None:
    """Raise `ValueError` where rows would be filled with id 0, and the token named is another.

    >>> refuse_other_pad(Padding(pad_token="<pad>"), {"<s>": 0, "<pad>": 1})
    Traceback (most recent call last):
    ValueError: pad_token is '<pad>', which has id 1, and pad_id is 0; give pad_id=1
    """
    known = added.get(padding.pad_token, 0)
    if known and padding.pad_id == 0:
        raise ValueError(
            f"pad_token is {padding.pad_token!r}, which has id {known}, and pad_id is 0;"
            f" give pad_id={known}"
        )


def refuse_long_padding(padding: Padding) -> None:
    """Raise `LimitError` where a file that says so is refused as long as no limits are given.

    >>> refuse_long_padding(Padding(20_000_000))
    Traceback (most recent call last):
    digram.errors.LimitError: texts are filled up to 20000000 ids; at most 16777216 are supported
    """
    fixed = 0 if padding.strategy == "BatchLongest" else padding.strategy
    length = max(fixed, padding.pad_to_multiple_of or 0)
    if length > BOUNDS["padding"]:
        raise LimitError(
            f"texts are filled up to {length} ids; at most {BOUNDS['padding']} are supported"
        )
