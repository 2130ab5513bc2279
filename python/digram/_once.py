"""Sources that can be read once: read again they are refused, and never give nothing in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

__all__ = ["Once"]

Item = TypeVar("Item")

STDIN = "-"
REMEDY = (
    "pass what can be read again: a list, a table, or an object whose __iter__ makes a new iterator"
)


class Once:
    """Whether a source was read, of which a second reading may give nothing.

    >>> once, numbers = Once(), iter([1, 2])
    >>> list(once.items(once.source(numbers)))
    [1, 2]
    >>> once.source(numbers)
    Traceback (most recent call last):
    ValueError: this corpus is read from a list_iterator, which gives its texts once, and it was \
read; pass what can be read again: a list, a table, or an object whose __iter__ makes a new iterator
    """

    def __init__(self) -> None:
        self._begun: list[Any] = []
        self._gave = False

    def source(self, source: Any) -> Any:
        """Return a source that is to be read. Raises `ValueError` for an iterator that was."""
        if isinstance(source, Iterator):
            self._begin(source, f"a {type(source).__name__}, which gives its texts", REMEDY)
        return source

    def stdin(self) -> None:
        """Begin to read stdin."""
        self._begin(STDIN, "stdin, which can be read", "write it to a file, and name that")

    def _begin(self, source: Any, what: str, remedy: str) -> None:
        if any(source is begun for begun in self._begun):
            raise ValueError(f"this corpus is read from {what} once, and it was read; {remedy}")
        self._begun.append(source)

    def items(self, items: Iterable[Item]) -> Iterator[Item]:
        """Give items. Raises `ValueError` where there are none, and some were given before.

        That is how an object is found that hands out one iterator again and again.
        """
        gave, empty = self._gave, True
        for item in items:
            empty = False
            self._gave = True
            yield item
        if empty and gave:
            raise ValueError(
                "this corpus gave texts before, and now it gives none: it can be read once, or was"
                f" emptied; {REMEDY}"
            )
