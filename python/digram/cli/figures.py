"""Numbers as people read them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["big", "facts", "rate", "seconds", "several", "size"]

# Of bytes, as disks and networks count them: a kB is 1000 B.
STEP = 1000
MINUTE = 60


def big(number: int) -> str:
    """Return a number with its thousands apart.

    >>> big(1234567)
    '1,234,567'
    """
    return f"{number:,}"


def several(count: int, noun: str) -> str:
    """Return a number of things.

    >>> several(1, "word"), several(2000, "word")
    ('1 word', '2,000 words')
    """
    return f"{big(count)} {noun}{'' if count == 1 else 's'}"


def size(count: float) -> str:
    """Return a number of bytes.

    >>> size(999), size(12_345), size(999_999), size(123_456_789)
    ('999 B', '12.3 kB', '1.0 MB', '123.5 MB')
    """
    units = ["GB", "MB", "kB"]
    if round(count) < STEP:
        return f"{count:.0f} B"
    while round(count, 1) >= STEP and units:
        count, unit = count / STEP, units.pop()
    return f"{count:.1f} {unit}"


def seconds(duration: float) -> str:
    """Return a duration.

    >>> seconds(0.1234), seconds(83.4)
    ('0.12 s', '1 min 23 s')
    """
    if duration < MINUTE:
        return f"{duration:.2f} s"
    return f"{duration // MINUTE:.0f} min {duration % MINUTE:.0f} s"


def rate(count: float, duration: float) -> str:
    """Return how many bytes went by in a second.

    >>> rate(5_000_000, 2.0)
    '2.5 MB/s'
    """
    return f"{size(count / max(duration, 1e-9))}/s"


def facts(rows: Sequence[tuple[str, str]]) -> str:
    """Return names and values, the values below one another.

    >>> print(facts([("tokens", "8,000"), ("units", "bytes")]))
    tokens  8,000
    units   bytes
    """
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)
