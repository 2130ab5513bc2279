"""Failures as a person reads them: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import typer

from digram.cli import INTERRUPTED, output
from digram.cli.spoken import spoken
from digram.errors import DigramError

__all__ = ["answering", "told", "verdict"]

FAILED = 1
# A reader that has seen enough, as in `digram encode … | head -1`, is no failure.
PIPE_CLOSED = 0
# Where the exit code is the answer, 0 and 1 are answers. A failure is neither, as with cmp and
# diff; nor is a pipe that is closed before the answer is known: 128 + SIGPIPE, as shells count.
TROUBLE = 2
UNANSWERED = 141


@contextlib.contextmanager
def told(*, failed: int = FAILED, pipe_closed: int = PIPE_CLOSED) -> Iterator[None]:
    """Tell what goes wrong inside, and leave with the exit code for it."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt as stop:
        _see_off(": ".join(["digram: interrupted", *map(str, stop.args)]))
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        output.abandon()
        raise typer.Exit(pipe_closed) from None
    except (
        DigramError,
        ValueError,
        TypeError,
        OSError,
        MemoryError,
        RuntimeError,
        ImportError,
    ) as error:
        _see_off(f"digram: error: {spoken(reason(error))}")
        raise typer.Exit(failed) from None


def answering(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command whose exit code is its answer other codes for what goes wrong."""

    @functools.wraps(command)
    def asked(**given: Any) -> None:
        with told(failed=TROUBLE, pipe_closed=UNANSWERED):
            command(**given)

    return asked


@contextlib.contextmanager
def verdict(code: int) -> Iterator[None]:
    """Leave with an answer when it is written, or when nobody reads on."""
    try:
        yield
        output.flush()
    except BrokenPipeError:
        output.abandon()
    raise typer.Exit(code)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    output.say(f"digram: warning: {spoken(str(message))}")


def reason(error: BaseException) -> str:
    """Say what an error says; the system's errors as `file: what is wrong`.

    >>> reason(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        # The engine's errors carry the system's words with its own number behind.
        words = error.strerror.partition(" (os error ")[0]
        return f"{error.filename}: {words}" if error.filename is not None else words
    if isinstance(error, MemoryError):
        return "out of memory"
    return str(error) or type(error).__name__


def _see_off(message: str) -> None:
    """Say why it ends, and write what is still held back; where that fails too, let it go."""
    try:
        output.say(message)
        output.flush()
    except OSError:
        output.abandon()
