"""The results as a whole: raw rounds, tables made of them, machine and versions."""

from __future__ import annotations

import itertools
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measure import ROOT, machine

from encoding.cells import Bench, Record
from encoding.losses import differing, left_out, losses
from encoding.plot import plot
from encoding.report import (
    FORMS,
    KEPT,
    KEY,
    Results,
    calls_table,
    kernels_table,
    load_table,
    middle,
    other_table,
    rate,
    requests_table,
    short,
    speed_table,
    threads_table,
    vocabulary_table,
)

NOTES = (
    "Ids of every text are compared with the tool that the vocabulary came with, all of them,"
    " before anything is timed; a peer that differs is not ranked. Every peer has a process of its"
    " own, on one core unless threads are said; rounds go in turn through all peers; medians."
    " *fresh process* imports, loads and encodes the whole text. Then a new object each round goes"
    " through the first half (*fresh object*), the second half, which holds no long line of the"
    " first (*unseen*), and the second half again (*same text again*, the quicker of two: what a"
    " full cache gives at most)."
)


def summarize(
    bench: Bench, earlier: dict[str, Any], *, cpu_time: bool, plotted: Path
) -> dict[str, Any]:
    """Put everything together, with what was measured before where it was not again."""
    records = merged(earlier.get("records", []), bench.records)
    known = {**earlier.get("versions", {}), **bench.versions}
    skipped = {**earlier.get("skipped", {}), **bench.skipped}
    clock = "cpu" if cpu_time else earlier.get("clock", "wall")
    results = Results(records)
    tables = [speed_table(results, form) for form in FORMS]
    tables += [vocabulary_table(results, x, form) for x, form in itertools.product(KEPT, FORMS)]
    tables.append(kernels_table(results))
    tables += [calls_table(results), threads_table(results), requests_table(results)]
    tables += [other_table(results), load_table(results), losses(results), differing(results)]
    tables.append(left_out(skipped))
    # earlier records may be kept beside new ones
    days = sorted(x["at"][:10] for x in records)
    return {
        "title": "Encoding, beside every peer that could be had",
        "notes": NOTES + (" **CPU time, not the clock.**" if clock == "cpu" else ""),
        "plot": drawn(results, plotted),
        "tables": [each for each in tables if each["rows"]],
        "machine": machine(),
        "versions": said(known),
        "day": " to ".join(sorted({days[0], days[-1]})) if days else "no day",
        "raw": {"records": records, "versions": known, "skipped": skipped, "clock": clock},
    }


def merged(earlier: Sequence[Record], now: Sequence[Record]) -> list[Record]:
    """Put records of cells that were measured again in the places of earlier ones."""
    cells: dict[tuple[Any, ...], list[Record]] = {}
    for record in earlier:
        cells.setdefault(cell_of(record), []).append(record)
    # A cell is measured whole: who is no longer in it has dropped out.
    cells.update({cell_of(record): [] for record in now})
    for record in now:
        cells[cell_of(record)].append(record)
    return [record for records in cells.values() for record in records]


def cell_of(record: Record) -> tuple[Any, ...]:
    """Name what a record and those of its peers measure."""
    return tuple(record[field] for field in KEY[:-1])


def said(known: dict[str, str]) -> str:
    """Name all versions."""
    return f"Python {platform.python_version()}, " + ", ".join(
        f"{name} {version}" for name, version in known.items() if "(" not in name
    )


def drawn(results: Results, path: Path) -> str | None:
    """Write the plot where there is something to plot."""
    if not results.where(vocabulary="cl100k", unit="text", form="array"):
        return None
    path.write_text(plot(results, "array"), encoding="utf-8")
    return Path(os.path.relpath(path, ROOT)).as_posix()


def line_of(records: Sequence[Record], key: dict[str, Any]) -> str:
    """Write a cell as a line: everybody's speed, quickest first."""
    unit = key["unit"]
    column = {"requests": "p99", "load": "process", "process": "process"}.get(unit, "unseen")
    parts = []
    for record in sorted(Results(records).where(**key), key=lambda x: middle(x, column)):
        milliseconds = f"{middle(record, column) * 1e3:.1f} ms"
        timed = unit in {"requests", "load"} or unit.isdigit()
        shown = milliseconds if timed else short(rate(column)(record))
        wrong = f" ≠{record['differ']}" if record.get("differ") else ""
        parts.append(f"{record['peer']}{wrong} {shown}")
    return f"{' '.join(str(x) for x in key.values())}: {', '.join(parts)}"
