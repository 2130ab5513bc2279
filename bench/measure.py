"""Measuring: rounds in turn, A B A B, their medians, and where all of it was measured."""

from __future__ import annotations

import datetime as dt
import gc
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
# The peers are made as `make exact` makes them.
sys.path.insert(0, str(ROOT))

ROUNDS = 5


def shared() -> Path:
    """Return the folder of vocabularies and corpora, or say what is needed and exit."""
    folder = Path(os.environ.get("DIGRAM_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        sys.exit(
            "nothing is measured: the corpora and vocabularies are not in ../shared/data;"
            " set DIGRAM_SHARED to the folder that holds data/"
        )
    return folder


def corpus(name: str, most: int | None = None) -> str:
    """Read a corpus, its line ends as they are, or as much of it as `most` bytes hold."""
    content = (shared() / "corpus" / name).read_bytes()[:most]
    return content.decode("utf-8", "ignore")


def medians(work: Mapping[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, float]:
    """Time each callable once a round, in turn; return the median seconds of each.

    A callable that returns a callable is preparation: only what it returns is timed.
    """
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, prepare in work.items():
            run = prepare()
            gc.collect()
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def ready(work: Callable[[], Any]) -> Callable[[], Callable[[], Any]]:
    """Make work that needs no preparation."""
    return lambda: work


def machine() -> str:
    """Describe the machine: its processor, cores and system."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        model = named[0] if named else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def versions(*packages: str) -> str:
    """Name versions: Python's, ours, and those of peers."""
    named = ", ".join(f"{package} {version(package)}" for package in ("digram", *packages))
    return f"Python {platform.python_version()}, {named}"


def write(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    peers: Sequence[str],
    notes: str,
    raw: Any = None,
) -> None:
    """Write what was measured to `results`, and show it."""
    RESULTS.mkdir(exist_ok=True)
    result = {
        "title": title,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
        "notes": notes,
        "machine": machine(),
        "versions": versions(*peers),
        "day": dt.datetime.now(tz=dt.timezone.utc).date().isoformat(),
        "raw": raw,
    }
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(f"\n{title} ({result['machine']}; {result['versions']})")
    for row in (columns, *rows):
        print("  ".join(f"{cell!s:>16}" for cell in row))


def check(what: str, ours: Any, theirs: Any) -> None:
    """Compare answers before they are timed; exit if they differ."""
    if ours != theirs:
        sys.exit(f"{what}: the answers differ, so there is nothing to time; see make exact")


def times(ratio: float) -> str:
    """Write how many times quicker something is."""
    return f"{ratio:.1f}×"
