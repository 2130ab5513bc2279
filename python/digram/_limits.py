"""Limits: how much a file may ask for."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields

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

    file_size: int = 512 << 20
    """Bytes of a file."""
    vocabulary: int = 16 << 20
    """Tokens, the added ones included."""
    id: int = 1 << 20
    """How far ids may go beyond four times the number of tokens: tables are as long as the
    largest id."""
    token_length: int = 1 << 20
    """Bytes of a token."""
    nesting: int = 64
    """Brackets within brackets, in what describes components; at most 120."""
    regex_size: int = 64 << 10
    """Bytes of a regular expression."""
    padding: int = 1 << 24
    """The length that texts are padded to, or a multiple of."""
    expansion: int = 64
    """How many times longer a text may become while it is encoded or decoded, besides a
    megabyte."""
    components: int = 256
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
