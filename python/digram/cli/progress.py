"""Progress of long work, told on stderr to whoever watches: on a terminal, or not at all."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TypeAlias

from digram.cli import output

__all__ = ["Told", "bytes_done", "training"]

Told: TypeAlias = Callable[[str, int, int], None]

# The stages of training: what a person calls them, and what is counted in them.
STAGES = {
    "count": ("counting words", "bytes"),
    "words": ("finding the alphabet", "words"),
    "symbols": ("splitting words", "words"),
    "pairs": ("counting pairs", "pairs"),
    "merges": ("learning", "merges"),
}


@contextlib.contextmanager
def training(*, wanted: bool) -> Iterator[Told | None]:
    """Give what `digram.train` tells its progress to: `None` where nobody watches."""
    if not (wanted and output.is_terminal(sys.stderr)):
        yield None
        return
    from digram.cli.bar import progress_bar

    with progress_bar() as bar:
        # Shown at once: the first word comes when there is something to tell.
        name, unit = STAGES["count"]
        tasks = {"count": bar.add_task(name, total=None, unit=unit)}

        def tell(stage: str, done: int, total: int) -> None:
            if stage == "distinct":
                bar.update(tasks["count"], distinct=done)
                return
            if stage not in tasks:
                name, unit = STAGES.get(stage, (stage, "steps"))
                tasks[stage] = bar.add_task(name, unit=unit)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield tell


@contextlib.contextmanager
def bytes_done(
    name: str, total: int | None, *, wanted: bool = True
) -> Iterator[Callable[[int], None]]:
    """Give what is told how many more bytes are done; nothing is drawn where nobody watches."""
    if not (wanted and output.is_terminal(sys.stderr)):
        yield lambda _: None
        return
    from digram.cli.bar import progress_bar

    with progress_bar() as bar:
        task = bar.add_task(name, total=total, unit="bytes")
        yield lambda done: bar.advance(task, done)
