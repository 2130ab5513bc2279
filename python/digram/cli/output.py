"""What leaves the command line: data on stdout, messages on stderr, both in UTF-8."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, TextIO

from digram.cli.figures import big
from digram.cli.visible import printable

__all__ = [
    "abandon",
    "flush",
    "is_terminal",
    "say",
    "speak_utf8",
    "stdout",
    "write_bytes",
    "write_first",
    "write_json",
    "write_line",
]


def speak_utf8() -> None:
    """Make the standard streams UTF-8 with plain line ends, whatever the locale says."""
    # Names of files may be no UTF-8: they pass as they are; in messages they are escaped.
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout, as they are."""
    stdout().buffer.write(data)


def write_line(text: str) -> None:
    """Write a line to stdout."""
    write_bytes(text.encode("utf-8", "surrogateescape") + b"\n")


def write_first(most: int, lines: Sequence[tuple[str, object]]) -> None:
    """Write the first lines of each kind, and how many more there are; each comes with its kind."""
    total = Counter(kind for kind, _ in lines)
    seen = Counter[str]()
    for kind, line in lines:
        seen[kind] += 1
        if seen[kind] <= most:
            write_line(printable(str(line)).replace("\n", "\\n"))
        if seen[kind] == total[kind] > most:
            write_line(f"{kind}: … and {big(total[kind] - most)} more (--all)")


def write_json(value: Any) -> None:
    """Write a value to stdout as one line of JSON."""
    # A surrogate, from the name of a file, becomes \udcXX, which JSON reads back.
    text = json.dumps(value, ensure_ascii=False)
    write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def say(message: str) -> None:
    """Write a message to stderr, where nothing in it can drive the terminal."""
    if sys.stderr is not None:
        sys.stderr.write(printable(message) + "\n")
        sys.stderr.flush()


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person reads a stream, on a terminal that can redraw a line."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def flush() -> None:
    """Hand everything to the reader of stdout; fails where there is none any more."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon() -> None:
    """Give up the standard streams, so that closing them at the end cannot fail again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def stdout() -> TextIO:
    """Return stdout; fails where it is closed."""
    if sys.stdout is None:
        raise OSError("stdout is closed, so there is nowhere to write; give it a file or a pipe")
    return sys.stdout
