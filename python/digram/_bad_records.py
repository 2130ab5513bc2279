"""Records of a corpus that cannot be read: named, and refused or skipped, as the caller chose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["BadRecord", "Errors", "Skipped"]

Errors = Literal["refuse", "skip"]

# Of those skipped, so many are kept to be shown; the others are counted.
KEPT = 100


@dataclass(frozen=True)
class BadRecord:
    """One record that cannot be read, where it stands and what is wrong.

    `line` counts from 1 and `byte` from 0, both from the beginning of the file, unpacked where it
    is compressed. What has no bytes of its own, a row of a table, has a `line` alone; a file that
    is one text has a `byte` alone.

    >>> print(BadRecord("a.jsonl", 7, 812, "begins no JSON"))
    a.jsonl: line 7, byte 812 begins no JSON
    """

    file: str
    line: int | None
    byte: int | None
    reason: str

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        if self.byte is None:
            return f"{self.file}: row {self.line} {self.reason}"
        place = ", ".join(filter(None, [line, f"byte {self.byte}"]))
        return f"{self.file}: {place} {self.reason}"


@dataclass
class Skipped:
    """How many records were skipped in the last pass over a corpus, and the first 100 of them."""

    count: int = 0
    first: list[BadRecord] = field(default_factory=list)

    def forget(self) -> None:
        """Begin again, for another pass."""
        self.count = 0
        self.first.clear()

    def meet(self, bad: BadRecord, errors: Errors, further: str = "") -> None:
        """Refuse a bad record, or count it; `further` is what else may help.

        Raises `ValueError` where it is refused.
        """
        if errors == "refuse":
            remedy = "mend it, or leave such records out with errors='skip'"
            raise ValueError(f"{bad}; {remedy}{further}")
        self.count += 1
        if len(self.first) < KEPT:
            self.first.append(bad)

    def __bool__(self) -> bool:
        return self.count > 0
