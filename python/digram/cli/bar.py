"""The progress bar: what, how far, how fast, how much longer, and how many distinct words."""

from __future__ import annotations

import os
import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from digram.cli.figures import big, size

__all__ = ["Distinct", "Rate", "progress_bar"]


class Rate(ProgressColumn):
    """How fast it goes: MB/s, or whatever is counted."""

    def render(self, task: Task) -> Text:
        """Draw the rate, once there is one."""
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("")
        if task.fields["unit"] == "bytes":
            return Text(f"{size(speed)}/s")
        return Text(f"{big(round(speed))} {task.fields['unit']}/s")


class Distinct(ProgressColumn):
    """How many distinct words there are so far, where words are counted."""

    def render(self, task: Task) -> Text:
        """Draw the number, once there is one."""
        words = task.fields.get("distinct")
        return Text("" if words is None else f"{big(words)} distinct words")


def progress_bar() -> Progress:
    """Make a bar on stderr that is gone when the work is done."""
    console = Console(
        file=sys.stderr,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        force_terminal=True,
        legacy_windows=False,
    )
    return Progress(
        TextColumn("{task.description:<20}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%", markup=False),
        Rate(),
        TimeRemainingColumn(compact=True),
        Distinct(),
        console=console,
        transient=True,
    )
