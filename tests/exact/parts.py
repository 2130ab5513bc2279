"""What is compared, part by part, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from tests.exact.shared import Shared
from tests.exact.tally import Row, Tally

# The modules that compare, in the order of the table.
PARTS = (
    "vocabularies",
    "encoding",
    "named",
    "random_words",
    "mistral",
    "pieces",
    "offsets",
    "training",
    "saved",
    "converted",
    "characters",
)
# Those that take long and stand last begin first, so that none is waited for alone.
LONG = ("saved", "converted", "characters")
# So many at a time at most: each holds a corpus, its ids, and what the peers keep.
PROCESSES = 4


def compare(data: Shared, tally: Tally) -> Iterator[tuple[str, Any]]:
    """Compare all parts; yield the name of each in order, and what it makes besides."""
    processes = min(os.cpu_count() or 1, PROCESSES)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        begun = sorted(PARTS, key=lambda name: name not in LONG)
        made = {name: pool.submit(compared, data, name) for name in begun}
        for name in PARTS:
            rows, besides = made[name].result()
            tally.rows += rows
            yield name, besides


def compared(data: Shared, name: str) -> tuple[list[Row], Any]:
    """Compare one part."""
    tally = Tally()
    besides = import_module(f"tests.exact.{name}").compare(data, tally)
    return tally.rows, besides
