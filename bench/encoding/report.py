"""From raw rounds to tables: medians, who is best among the exact, and where digram is not.

A peer whose ids differ from the reference's is marked and never ranked. Ratios are speeds: above
one, digram is the quicker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from encoding.cells import Record

MAIN = "cl100k"
OURS = "digram"
KEY = ("vocabulary", "text", "unit", "form", "threads", "peer")
TWO_DIGITS = 10
SURE = 2  # times; below it, a second digit is shown
FORMS = {"array": "NumPy", "list": "lists"}
# What stands for a cell that was not measured.
NONE = "–"


@dataclass(frozen=True)
class Speeds:
    """Everybody's numbers in one cell and one column; more is better."""

    ours: float | None  # None: no such call, or answers that differ
    best: float | None  # the best peer's that is exact
    peer: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times as fast digram is."""
        return self.ours / self.best if self.ours and self.best else None


class Results:
    """All records, and what they say."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = list(records)

    def where(self, **wanted: Any) -> list[Record]:
        """Find records."""
        return [x for x in self.records if all(x.get(k) == v for k, v in wanted.items())]

    def speeds(
        self, number: Callable[[Record], float | None], who: str = OURS, **wanted: Any
    ) -> Speeds:
        """Compare digram, with all kernels or held to one, with the best exact peer."""
        found = {x["peer"]: number(x) for x in self.where(**wanted) if not x.get("differ")}
        peers = {k: v for k, v in found.items() if v and not k.startswith(OURS)}
        best = max(peers, key=lambda name: peers[name] or 0, default="")
        return Speeds(found.get(who), peers.get(best), best)

    def values(self, field: str, **wanted: Any) -> list[Any]:
        """List what a field holds, in the order of measuring, each once."""
        return list(dict.fromkeys(x[field] for x in self.where(**wanted)))


def middle(record: Record, column: str) -> float:
    """Take the median of the rounds."""
    return median(each[column] for each in record["rounds"])


def rate(column: str) -> Callable[[Record], float]:
    """Return the megabytes a second of a column."""

    def number(record: Record) -> float:
        first, second = record["bytes"]
        size = {"fresh": first, "process": first + second}.get(column, second)
        return float(size / middle(record, column) / 1e6)

    return number


def calls_rate(column: str) -> Callable[[Record], float]:
    """Return the number of calls in a microsecond, of which more is better as well."""
    return lambda record: record["rounds"][0]["calls"] / middle(record, column) / 1e6


def shown(speeds: Speeds, digits: Callable[[float], str] | None = None) -> str:
    """Write a cell: the ratio, both numbers, the peer."""
    digits = digits or short
    if speeds.ours is None:
        return NONE
    if speeds.best is None or speeds.ratio is None:
        return f"{digits(speeds.ours)}, no exact peer"
    bold = "**" if speeds.ratio >= 1 else ""
    pair = f"{digits(speeds.ours)} : {digits(speeds.best)} {speeds.peer}"
    return f"{bold}{times(speeds.ratio)}{bold} {pair}"


def short(number: float) -> str:
    """Write a number with two digits at least."""
    return f"{number:.0f}" if number >= TWO_DIGITS else f"{number:.2g}"


def times(ratio: float) -> str:
    """Write a ratio so that 0.98 does not look like 1.0."""
    return f"{ratio:.2f}×" if ratio < SURE else f"{ratio:.1f}×"


COLUMNS = {
    "process": "fresh process",
    "fresh": "fresh object, first pass",
    "unseen": "unseen",
    "again": "same text again",
}
# Of the other vocabularies, whose objects go through all texts and are never fresh.
KEPT = {"fresh": "first pass", "unseen": "unseen", "again": "same text again"}


def speed_table(results: Results, form: str) -> dict[str, Any]:
    """Make the first table: texts by four columns."""
    rows = []
    for text in results.values("text", vocabulary=MAIN, unit="text", form=form, threads=1):
        cells = []
        for column in COLUMNS:
            unit = "process" if column == "process" else "text"
            where = {"vocabulary": MAIN, "text": text, "unit": unit, "form": form, "threads": 1}
            cells.append(shown(results.speeds(rate(column), **where)))
        sizes = results.where(vocabulary=MAIN, text=text, unit="text")[0]["bytes"]
        rows.append([text, f"{sum(sizes) / 1e6:.1f}", *cells])
    notes = "MB/s, digram : the best exact peer."
    columns = ["text", "MB", *COLUMNS.values()]
    return table(f"{MAIN}, one text, one thread, {FORMS[form]}", columns, rows, notes)


def kernels_table(results: Results) -> dict[str, Any]:
    """Make the table of digram held to fewer instructions than the machine has."""
    where = {"vocabulary": MAIN, "unit": "text", "form": "array", "threads": 1}
    rows = []
    for who in results.values("peer", **where):
        if who.startswith(f"{OURS} ("):
            for text in results.values("text", peer=who, **where):
                of = {"who": who, "text": text, **where}
                cells = [shown(results.speeds(rate(x), **of)) for x in ("fresh", "unseen", "again")]
                rows.append([who, text, *cells])
    columns = ["", "text", *(COLUMNS[x] for x in ("fresh", "unseen", "again"))]
    notes = "MB/s, digram held to fewer instructions : the best exact peer with all of them."
    return table(
        f"{MAIN}, one text, one thread, {FORMS['array']}, other machines", columns, rows, notes
    )


def vocabulary_table(results: Results, column: str, form: str) -> dict[str, Any]:
    """Make a table of the other vocabularies: a column of theirs."""
    found = results.values("vocabulary", unit="text", threads=1)
    others = [name for name in found if name != MAIN]
    rows = []
    for text in results.values("text", unit="text", threads=1):
        where = {"text": text, "unit": "text", "form": form, "threads": 1}
        rows.append([text, *(compact(results, column, vocabulary=x, **where) for x in others)])
    title = f"Other vocabularies, {KEPT[column]}, {FORMS[form]}"
    notes = "Times the best exact peer; an object goes through all texts."
    return table(title, ["text", *others], rows if others else [], notes)


def compact(results: Results, column: str, **where: Any) -> str:
    """Write a ratio and a name."""
    speeds = results.speeds(rate(column), **where)
    return NONE if speeds.ratio is None else f"{times(speeds.ratio)} {speeds.peer}"


def calls_table(results: Results) -> dict[str, Any]:
    """Make the table of short calls: microseconds for each."""
    rows = []
    texts = results.values("text", unit="20")
    for unit in ("20", "200", "4096"):
        for form, name in FORMS.items():
            cells = [
                shown(
                    results.speeds(calls_rate("unseen"), text=text, unit=unit, form=form),
                    lambda number: f"{1 / number:.2f}",
                )
                for text in texts
            ]
            rows.append([f"{unit} characters", name, *cells] if texts else [])
    columns = ["call", "result", *texts]
    notes = "Microseconds for a call, digram : the best exact peer; no text is sent twice."
    return table(f"{MAIN}, one call after another", columns, [x for x in rows if x], notes)


def threads_table(results: Results) -> dict[str, Any]:
    """Make the table of documents and threads."""
    rows = []
    kinds = [
        ("one text", "text", 1),
        ("on 2 threads", "text", 2),
        ("1–4 KB texts", "documents", 1),
        ("on 2 threads", "documents", 2),
        ("lines", "lines", 1),
    ]
    kinds = [kind for kind in kinds if results.values("text", unit=kind[1])]
    for text in results.values("text", unit="documents"):
        for form, name in FORMS.items():
            cells = [
                shown(
                    results.speeds(
                        rate("unseen"),
                        vocabulary=MAIN,
                        text=text,
                        unit=unit,
                        threads=threads,
                        form=form,
                    )
                )
                for _, unit, threads in kinds
            ]
            rows.append([text, name, *cells])
    columns = ["text", "result", *(name for name, _, _ in kinds)]
    notes = "Unseen text, MB/s, digram : the best exact peer."
    return table(f"{MAIN}, many documents and two threads", columns, rows, notes)


def requests_table(results: Results) -> dict[str, Any]:
    """Make the table of requests from eight threads."""
    rows = []
    for text in results.values("text", unit="requests"):
        for record in ranked(results.where(text=text, unit="requests"), "p99"):
            numbers = [f"{middle(record, each) * 1e6:,.0f} µs" for each in ("p50", "p99")]
            speed = f"{short(rate('seconds')(record))} MB/s"
            rows.append([text, marked(record), *numbers, speed])
    columns = ["text", "peer", "median", "99th percentile", "all together"]
    notes = "Eight threads ask at once for lists, 20 to 20,000 characters each, on two cores."
    return table(f"{MAIN}, requests from eight threads", columns, rows, notes)


def other_table(results: Results) -> dict[str, Any]:
    """Make the table of counting, offsets and decoding."""
    kinds = {
        "count": "count only",
        "offsets": "ids and offsets",
        "text": "decode a list",
        "text of array": "decode an array",
    }
    texts = results.values("text", unit="text", form="text")
    rows = []
    for form, name in kinds.items():
        if results.where(unit="text", form=form):
            where = {"vocabulary": MAIN, "unit": "text", "form": form, "threads": 1}
            cells = [shown(results.speeds(rate("unseen"), text=text, **where)) for text in texts]
            rows.append([name, *cells])
    notes = "Unseen text, MB/s, digram : the best exact peer that has such a call."
    return table(f"{MAIN}, other calls", ["call", *texts], rows, notes)


def load_table(results: Results) -> dict[str, Any]:
    """Make the table of loading and memory."""
    rows = []
    for vocabulary in results.values("vocabulary", unit="load"):
        if vocabulary not in (MAIN, "o200k", "llama3"):
            continue
        for record in ranked(results.where(vocabulary=vocabulary, unit="load"), "process"):
            numbers = [f"{middle(record, x) * 1e3:.0f}" for x in ("import", "load", "encode")]
            large = results.where(
                vocabulary=vocabulary,
                text="English",
                unit="process",
                form="list",
                peer=record["peer"],
            )
            sizes = [kilobytes(record, "loaded", 0), kilobytes(record, "loaded", 1)]
            sizes.append(kilobytes(large[0], "encoded", 1) if large else NONE)
            rows.append([vocabulary, marked(record), *numbers, *sizes])
    columns = ["vocabulary", "peer", "import ms", "load ms", "first call ms"]
    columns += ["resident MB", "peak MB", "peak MB after English"]
    notes = "New processes; files and modules were read before. A bare Python is counted in."
    return table("Starting, and memory", columns, rows, notes)


def kilobytes(record: Record, when: str, which: int) -> str:
    """Write the median of a size of memory, in MB."""
    return f"{median(x['memory'][when][which] for x in record['rounds']) / 1000:.0f}"


def ranked(records: Iterable[Record], column: str) -> list[Record]:
    """Put the quickest first, and those that differ last."""
    return sorted(records, key=lambda x: (bool(x.get("differ")), middle(x, column)))


def marked(record: Record) -> str:
    """Mark a name whose ids differ."""
    wrong = record.get("differ")
    name = f"**{record['peer']}**" if record["peer"].startswith("digram") else record["peer"]
    return f"{name} ≠" if wrong else name


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: str
) -> dict[str, Any]:
    """Describe a table, as bench/readme.py writes it, without what was not measured."""
    kept = [row for row in rows if set(row[1:]) != {NONE}]
    wanted = [at for at in range(len(columns)) if not kept or any(row[at] != NONE for row in kept)]
    return {
        "title": title,
        "columns": [columns[at] for at in wanted],
        "rows": [[row[at] for at in wanted] for row in kept],
        "notes": notes,
    }
