"""A finding: one thing that is wrong with a tokenizer, or worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from digram._check.codes import CODES, Severity

__all__ = ["Finding", "Findings", "finding"]


@dataclass(frozen=True)
class Finding:
    """One finding: `code` names the kind, `ids` the tokens, `place` where in the file.

    `severity` is `"error"` (some text gets wrong ids, is lost, or the file cannot be opened),
    `"warning"` (hardly meant so) or `"note"` (usual, and worth knowing).
    """

    code: str
    severity: Severity
    message: str
    ids: tuple[int, ...] = ()
    place: str | None = None

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return f"{self.severity} {self.code}: {where}{self.message}"


Findings = Iterator[Finding]


def finding(
    code: str,
    message: str,
    *,
    ids: tuple[int, ...] = (),
    place: str | None = None,
    severity: Severity | None = None,
) -> Finding:
    """Make a finding of a code of the table, which says how bad it is unless the case is milder.

    >>> print(finding("no-merges", "3 tokens", place="model.merges"))
    warning no-merges: model.merges: 3 tokens
    """
    return Finding(code, severity or CODES[code].severity, message, ids, place)
