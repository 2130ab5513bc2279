"""Limits: how much a file may ask for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

from digram._bounds import BOUNDS

__all__ = ["Limits"]

# Nothing is read recursively deeper than this: the stack is not endless.
DEEPEST = 120
# What the engine counts with.
LARGEST = (1 << 63) - 1


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much a file may ask for before it is refused with `LimitError`.

    The defaults hold every published tokenizer with room to spare. Raise one for a file that you
    trust: `digram.load(path, limits=digram.Limits(file_size=2 << 30))`.

    Raises `TypeError` and `ValueError` for what is no size.

    >>> import digram
    >>> digram.load(b"IQ== 0", pattern="gpt2", limits=digram.Limits(file_size=5))
    Traceback (most recent call last):
    digram.errors.LimitError: <bytes>: the file has 6 bytes; the limit file_size is 5; ...
    """

    file_size: int = BOUNDS["file_size"]
    """Bytes of a file."""
    vocabulary: int = BOUNDS["vocabulary"]
    """Tokens, the added ones included."""
    id: int = BOUNDS["id"]
    """How far ids may go beyond four times the number of tokens: tables are as long as the
    largest id."""
    token_length: int = BOUNDS["token_length"]
    """Bytes of a token."""
    nesting: int = BOUNDS["nesting"]
    """Brackets within brackets, in what describes components; at most 120."""
    regex_size: int = BOUNDS["regex_size"]
    """Bytes of a regular expression."""
    padding: int = BOUNDS["padding"]
    """The length that texts are padded to, or a multiple of."""
    expansion: int = BOUNDS["expansion"]
    """How many times longer a text may become while it is encoded or decoded, besides a
    megabyte."""
    components: int = BOUNDS["components"]
    """Components in one slot, and pieces of a template."""

    def __post_init__(self) -> None:
        """Refuse what is no size."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError(f"{field.name} must be an int, not {type(value).__name__}")
            most = DEEPEST if field.name == "nesting" else LARGEST
            if not 0 <= value <= most:
                raise ValueError(f"{field.name} is {value}; it is from 0 to {most}")

    def to_json(self) -> str:
        """Return the limits as the engine takes them."""
        return json.dumps(asdict(self))
