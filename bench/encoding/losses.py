"""What the tables must not hide: cells where a peer is better, and answers that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from encoding.cells import Record
from encoding.report import (
    COLUMNS,
    KEPT,
    KEY,
    MAIN,
    Results,
    Speeds,
    calls_rate,
    middle,
    rate,
    times,
)

CELL = KEY[:-1]
UNITS = {
    "documents": "1–4 KB texts",
    "lines": "lines",
    "requests": "requests",
    "process": "",
    "text": "",
}


def cells(results: Results) -> Iterator[tuple[dict[str, Any], str, Speeds]]:
    """Go through all that was compared, column by column."""
    known = dict.fromkeys(tuple(x[field] for field in CELL) for x in results.records)
    for key in known:
        where = dict(zip(CELL, key, strict=True))
        for column, number in columns(where).items():
            yield where, column, results.speeds(number, **where)


def columns(where: dict[str, Any]) -> dict[str, Callable[[Record], float]]:
    """Say what is compared in a cell, as numbers of which more is better."""
    unit = where["unit"]
    inverse = lambda column: lambda record: 1 / middle(record, column)  # noqa: E731
    if unit == "load":
        memory: Callable[[Record], float] = lambda record: 1 / resident(record)  # noqa: E731
        return {"import and load": lambda x: 1 / starting(x), "resident memory": memory}
    if unit == "requests":
        return {"99th percentile": inverse("p99"), "all together": inverse("seconds")}
    if unit == "process":
        return {COLUMNS["process"]: rate("process")}
    number = calls_rate if unit.isdigit() else rate
    if where["form"].startswith("text"):
        return {COLUMNS["unseen"]: number("unseen")}
    named = COLUMNS if where["vocabulary"] == MAIN else KEPT
    return {named[each]: number(each) for each in KEPT}


def starting(record: Record) -> float:
    """Return the seconds until the first ids."""
    return middle(record, "process")


def resident(record: Record) -> float:
    """Return the kilobytes after loading."""
    found = sorted(each["memory"]["loaded"][0] for each in record["rounds"])
    return float(found[len(found) // 2])


def losses(results: Results) -> dict[str, Any]:
    """List every cell where a peer is better, by vocabulary and kind, with its texts."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    total = lost = 0
    for where, column, speeds in cells(results):
        if speeds.best is None:
            continue
        total += 1
        if speeds.ratio is None or speeds.ratio < 1:
            lost += 1
            ratio = "no call, or ≠;" if speeds.ratio is None else times(speeds.ratio)
            key = (where["vocabulary"], kind(where), column)
            groups.setdefault(key, []).append(f"{where['text']} {ratio} {speeds.peer}")
    rows = [[*key, ", ".join(found)] for key, found in groups.items()]
    return {
        "title": "Where a peer is better",
        "columns": ["vocabulary", "what", "column", "texts, with digram's ratio to the peer"],
        "rows": rows,
        "notes": f"{lost} of {total} cells, all of them here.",
    }


def kind(where: dict[str, Any]) -> str:
    """Name what is done in a cell."""
    unit = where["unit"]
    if unit == "load":
        return "starting"
    said = f"{unit} characters" if unit.isdigit() else UNITS[unit]
    threads = f"{where['threads']} threads" if where["threads"] > 1 else ""
    form = {"text": "decode a list", "text of array": "decode an array", "array": "NumPy"}.get(
        where["form"], where["form"]
    )
    return ", ".join(part for part in (form, said, threads) if part)


def differing(results: Results) -> dict[str, Any]:
    """List whose answers differ, where, and how many of them."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for record in results.records:
        if record.get("differ") and record["unit"] != "process":
            key = (record["peer"], record["vocabulary"], kind(record))
            said = f"{record['text']} {record['differ']:,} of {record['of']:,}"
            groups.setdefault(key, []).append(said)
    return {
        "title": "Not ranked, because the answers differ (≠)",
        "columns": ["peer", "vocabulary", "what", "ids that differ"],
        "rows": [[*key, ", ".join(found)] for key, found in groups.items()],
        "notes": "Compared with the tool that the vocabulary came with, up to 1,000 places.",
    }


def left_out(skipped: dict[str, str]) -> dict[str, Any]:
    """List who could not be measured, and why."""
    groups: dict[tuple[str, str], list[str]] = {}
    for what, reason in skipped.items():
        name, _, rest = what.partition(", " if ", " in what.partition(":")[0] else ": ")
        groups.setdefault((name, reason.removeprefix("Unfit: ")), []).append(rest)
    return {
        "title": "Not measured",
        "columns": ["peer", "why", "what"],
        "rows": [[*key, "; ".join(found)] for key, found in groups.items()],
        "notes": "A peer lacks a vocabulary, or fails at it.",
    }
