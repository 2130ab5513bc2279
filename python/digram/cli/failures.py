"""Failures as a person reads them: one line on stderr and an exit code, never a traceback."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import typer

from digram.cli import INTERRUPTED, output
from digram.errors import DigramError

__all__ = ["told"]

# A reader that has seen enough, as in `digram encode … | head -1`, is no failure.
PIPE_CLOSED = 0


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Tell what goes wrong inside, and leave with the exit code for it."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt as stop:
        output.say(": ".join(["digram: interrupted", *map(str, stop.args)]))
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        output.abandon()
        raise typer.Exit(PIPE_CLOSED) from None
    except (
        DigramError,
        ValueError,
        TypeError,
        OSError,
        MemoryError,
        RuntimeError,
        ImportError,
    ) as error:
        output.say(f"digram: error: {reason(error)}")
        _see_off()
        raise typer.Exit(1) from None


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    output.say(f"digram: warning: {message}")


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


def _see_off() -> None:
    """Write what is still held back; where that is what failed, let it go."""
    try:
        output.flush()
    except OSError:
        output.abandon()
