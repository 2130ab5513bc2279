"""What a person sees on stdout: colours and trees, as readable without colours."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from digram.cli import output
from digram.cli.visible import readable

__all__ = ["screen", "token_line"]

# Black on light grounds reads on dark and light terminals, and needs 16 colours only.
GROUNDS = ("cyan", "yellow", "green", "magenta")
# What stands between tokens without colours: the first that is in none of them.
BARS = ("|", "¦", "│", "‖")
# No line of a pipe or a file is broken: whoever reads it decides.
UNBROKEN = 1_000_000


def screen() -> Console:
    """Return stdout to draw on: colours on a terminal unless NO_COLOR is set, else plain text."""
    watched = output.is_terminal(sys.stdout)
    coloured = watched and not os.environ.get("NO_COLOR")
    return Console(
        file=output.stdout(),
        color_system="auto" if coloured else None,
        force_terminal=watched,
        width=None if watched else UNBROKEN,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def token_line(tokens: Iterable[bytes], console: Console) -> Text:
    """Return tokens side by side, told apart by their grounds, or by bars where there is no colour.

    >>> str(token_line([b"low", b"est", b" low"], Console(color_system=None)))
    'low|est|␣low'
    >>> str(token_line([b"<|", b"end", b"|>"], Console(color_system=None)))
    '<|¦end¦|>'
    """
    seen = [readable(token) for token in tokens]
    if console.color_system is None:
        bar = next((bar for bar in BARS if not any(bar in token for token in seen)), BARS[0])
        return Text(bar.join(seen))
    grounds = [f"black on {GROUNDS[index % len(GROUNDS)]}" for index in range(len(seen))]
    return Text.assemble(*zip(seen, grounds, strict=True))
