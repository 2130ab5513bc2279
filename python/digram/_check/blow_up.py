r"""Patterns that can blow up: repetition within repetition, proven by a text that takes long.

digram's own engine is not concerned: it bounds its steps. Others backtrack, and so does Python's
`re`, which the proof is measured with; classes such as `\p{L}` stand there for ASCII alone.

>>> blow_up(r"(a+)+$")  # how many it takes, and how long, depends on the machine
"'aaaaaaaa...!' needs ..."
>>> blow_up(r"\s+(?!\S)|\s+") is None
True
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

__all__ = ["blow_up"]

# What other engines' classes hold of ASCII.
CLASSES = {
    "L": "a-zA-Z",
    "Lu": "A-Z",
    "Ll": "a-z",
    "N": "0-9",
    "Nd": "0-9",
    "P": "!-/",
    "M": "\u0300",
    "Alphabetic": "a-zA-Z",
    "Pc": "_",
}
QUANTIFIER = re.compile(r"[*+]|\{\d*,\}")
# Any of these can be what repeats; the literal characters of the pattern are tried too.
PUMPS = "a0 _-.\n"
# Lengths tried, and how much longer each must take than the last: exponential, not quadratic.
LENGTHS, FACTOR = range(8, 33, 4), 3.0
# Seconds: shorter than the first is noise, longer than the second is proof enough.
NOISE, ENOUGH = 0.002, 0.02


def blow_up(pattern: str) -> str | None:
    """Tell of a text that takes a backtracking engine exponential time; `None` without one."""
    if not _is_nested(pattern):
        return None
    try:
        compiled = re.compile(_translated(pattern))
    except (re.error, RecursionError, OverflowError):
        return None
    for pump in _pumps(pattern):
        for end in ("!", "", "\x00"):
            took = _growth(compiled, pump, end)
            if took is not None:
                times, seconds, before = took
                text = pump * times + end
                return (
                    f"{text!r} needs {seconds * 1000:.0f} ms of a backtracking engine,"
                    f" {seconds / before:.0f} times as much as {LENGTHS.step} repetitions less"
                )
    return None


def _growth(pattern: re.Pattern[str], pump: str, end: str) -> tuple[int, float, float] | None:
    """Return where time has grown exponentially: repetitions, seconds, and seconds before."""
    took = [_seconds(pattern, pump * LENGTHS.start + end)]
    for times in LENGTHS[1:]:
        took.append(_seconds(pattern, pump * times + end))
        if took[-1] > ENOUGH:
            grown = took[-1] > FACTOR * took[-2] and took[-2] > FACTOR * took[0]
            return (times, took[-1], took[-2]) if grown else None
    return None


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    """Measure a match at the beginning; what is quick is measured again, for the least."""
    least = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        pattern.match(text)
        least = min(least, time.perf_counter() - start)
        if least > NOISE:
            break
    return least


def _is_nested(pattern: str) -> bool:
    """Say whether a group repeats without bound, and something in it does, or can be chosen.

    >>> _is_nested("(a+)+"), _is_nested("(?:a|b)*"), _is_nested("[(+]+(a+)?"), _is_nested("(ab)+")
    (True, True, False, False)
    """
    inner: list[bool] = [False]
    place = 0
    for token, place in _tokens(pattern):
        if token == "(":
            inner.append(False)
        elif token == ")" and len(inner) > 1:
            varies = inner.pop()
            repeats = QUANTIFIER.match(pattern, place) is not None
            if varies and repeats:
                return True
            inner[-1] = inner[-1] or varies
        elif token == "|" or QUANTIFIER.fullmatch(token):
            inner[-1] = True
    return False


def _tokens(pattern: str) -> Iterator[tuple[str, int]]:
    r"""Cut a pattern into parts, each with the place after it; a class is one part.

    >>> [token for token, _ in _tokens(r"(?:[)+]\)a{2,})")]
    ['(', '?', ':', '[)+]', '\\)', 'a', '{2,}', ')']
    """
    part = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*,?\d*\}|.", re.DOTALL)
    for found in part.finditer(pattern):
        yield found.group(), found.end()


def _pumps(pattern: str) -> Iterator[str]:
    literal = [token for token, _ in _tokens(pattern) if len(token) == 1 and token.isalnum()]
    single = list(dict.fromkeys([*PUMPS, *literal]))[:16]
    yield from single
    yield from (one + other for one in literal[:4] for other in literal[:4] if one != other)


def _translated(pattern: str) -> str:
    r"""Write a pattern for Python's `re`.

    >>> _translated(r"[^\s\p{L}]+|\p{N}|\x{B2}\z")
    '[^\\sa-zA-Z]+|[0-9]|\\xB2\\Z'
    """
    text = re.sub(r"\\p\{(\w+)\}", r"\\p\1;", pattern)
    text = re.sub(r"\\x\{(\w\w)\}", r"\\x\1", text)
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", text)
    inside = re.sub(
        r"\[(?:\\.|[^\]\\])*\]", lambda found: _classes(found.group(), "{}"), text, flags=re.DOTALL
    )
    return _classes(inside, "[{}]")


def _classes(pattern: str, frame: str) -> str:
    return re.sub(
        r"\\p(\w+);", lambda found: frame.format(CLASSES.get(found.group(1), "a-z")), pattern
    )
