"""How a corpus shrinks as the vocabulary grows: a picture for the terminal, and one for a file."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from digram import TrainingReport
from digram.cli import output
from digram.cli.figures import big

__all__ = ["drawn", "svg", "write"]

Point: TypeAlias = tuple[int, float]
"""A vocabulary size, and bytes per token."""

BARS = " ▁▂▃▄▅▆▇█"
FULL = len(BARS) - 1
HEIGHT = 12
WIDEST = 100
# Pixels of the picture in a file, and of its margins.
SIZE, MARGINS = (720, 420), (64, 24, 24, 48)
FONT = ' font-family="sans-serif" font-size="13" fill="#888"'
# More points than pixels show nothing more.
POINTS = 600
TICKS = 4


def write(report: TrainingReport, table: str | None, picture: str | None, *, plot: bool) -> None:
    """Write the table of merges and draw the curve, where they are wanted."""
    if table is not None:
        is_parquet = table.lower().endswith(".parquet")
        (report.to_parquet if is_parquet else report.to_csv)(table)
    points = [(point.vocab_size, point.bytes_per_token) for point in report.compression()]
    if picture is not None:
        Path(picture).write_text(svg(points), encoding="utf-8")
    if plot:
        width = min(shutil.get_terminal_size().columns, WIDEST)
        for line in drawn(points, width):
            output.say(line)


def drawn(points: Sequence[Point], width: int) -> list[str]:
    r"""Draw bytes per token by vocabulary size with bars of text.

    >>> picture = drawn([(256, 1.0), (257, 2.0), (258, 2.5), (259, 2.75)], width=25)
    >>> print("\n".join([*picture[:4], *picture[-3:]]))
    bytes per token
    2.75 │                  █
         │            ▂▂▂▂▂▂█
         │            ███████
    1.00 │▁▁▁▁▁▁█████████████
         └───────────────────
          256      259 tokens
    """
    top, bottom = max(y for _, y in points), min(y for _, y in points)
    labels = [f"{top:.2f}", *[""] * (HEIGHT - 2), f"{bottom:.2f}"]
    margin = max(map(len, labels))
    first, last = f"{points[0][0]}", f"{big(points[-1][0])} tokens"
    columns = max(width - margin - 2, len(first) + len(last) + 1)
    steps = [
        round((y - bottom) / (top - bottom or 1) * HEIGHT * FULL) for y in _over(points, columns)
    ]
    lines = ["bytes per token"]
    for row, label in enumerate(labels):
        under = (HEIGHT - 1 - row) * FULL
        # The lowest value is a line, not nothing.
        bars = "".join(BARS[min(max(step - under, under == 0), FULL)] for step in steps)
        lines.append(f"{label:>{margin}} │{bars}".rstrip())
    lines.append(" " * (margin + 1) + "└" + "─" * columns)
    between = " " * (columns - len(first) - len(last))
    return [*lines, f"{' ' * (margin + 2)}{first}{between}{last}"]


def svg(points: Sequence[Point]) -> str:
    """Draw bytes per token by vocabulary size as a picture that needs nothing beside it.

    >>> svg([(256, 1.0), (300, 2.0)]).count("<polyline")
    1
    """
    (width, height), (left, up, right, down) = SIZE, MARGINS
    sizes, values = [x for x, _ in points], [y for _, y in points]

    def x(size: float) -> float:
        span = (sizes[-1] - sizes[0]) or 1
        return round(left + (size - sizes[0]) / span * (width - left - right), 1)

    def y(value: float) -> float:
        span = (max(values) - min(values)) or 1
        return round(height - down - (value - min(values)) / span * (height - up - down), 1)

    every = max(len(points) // POINTS, 1)
    shown = [*points[:-1:every], points[-1]]
    line = " ".join(f"{x(size)},{y(value)}" for size, value in shown)
    marks = []
    for step in range(TICKS + 1):
        size = sizes[0] + (sizes[-1] - sizes[0]) * step // TICKS
        value = min(values) + (max(values) - min(values)) * step / TICKS
        marks += [
            _text(x(size), height - down + 20, big(size), "middle"),
            _text(left - 8, y(value) + 4, f"{value:.2f}", "end"),
            f'<path d="M{left} {y(value)}H{width - right}" stroke="#8884"/>',
        ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"{FONT}>',
            _text(left, 16, "bytes per token", "start"),
            _text(width - right, height - 8, "tokens", "end"),
            *marks,
            f'<polyline points="{line}" fill="none" stroke="#2a7de1" stroke-width="2"/>',
            "</svg>\n",
        ]
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'


def _over(points: Sequence[Point], columns: int) -> list[float]:
    """Choose a point for each column: the last that is not to the right of it."""
    places = (column * (len(points) - 1) // (columns - 1) for column in range(columns))
    return [points[place][1] for place in places]
