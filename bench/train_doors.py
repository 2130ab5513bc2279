"""Counting by the doors that text comes in by, with one thread and with two: megabytes a second.

The lines of an English text are counted from its file, an Arrow table, parquet, and lists of `str`
and of `bytes`; the file is counted as one text too, and so is a made-up one (bench/corpora.py).
Before anything is timed, the words of all doors are compared. Seconds are the least of some rounds
in turn, beside those of all processors (CPU).

    python bench/train_doors.py
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from corpora import make
from measure import check, corpus, times, write

import digram

LARGE = 140 * 10**6
THREADS = (1, 2)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rows, raw = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for door, (source, size) in doors(Path(folder)).items():
            found = measured(source, rounds)
            raw[door] = found
            speeds = [size / found[threads]["seconds"] / 1e6 for threads in THREADS]
            cpu = [f"{found[threads]['cpu']:.3f} s" for threads in THREADS]
            shown = [f"{speed:.0f} MB/s" for speed in speeds]
            rows.append([door, *shown, times(speeds[1] / speeds[0]), *cpu])
            print(rows[-1], flush=True)
    write(
        "train_doors",
        "Counting, by the doors that text comes in by",
        ("text", "1 thread", "2 threads", "ratio", "CPU, 1 thread", "CPU, 2 threads"),
        rows,
        peers=("pyarrow",),
        notes=(
            f"o200k's pattern; english_prose.txt, 16 MB; the least of {rounds} rounds in turn. The"
            " words of all doors to its lines are the same, and counted equally often."
        ),
        raw=raw,
    )


def doors(folder: Path) -> dict[str, tuple[Any, int]]:
    """Make what is counted, each with its size; the doors to lines give the same words."""
    text = corpus("english_prose.txt")
    size = len(text.encode())
    plain, parquet, large = folder / "a.txt", folder / "a.parquet", folder / "large.txt"
    plain.write_text(text, encoding="utf-8", newline="")
    # after each line feed and nowhere else
    lines = [*digram.corpus(plain, documents="line")]
    encoded = [line.encode() for line in lines]
    table = pa.table({"text": lines})
    pq.write_table(table, parquet)
    make(large, LARGE)
    by_lines = digram.corpus(plain, documents="line")
    to_lines = {
        "lines of a file": by_lines,
        "lines in an Arrow table": table,
        "lines in parquet": parquet,
        "lines as str": lines,
        "lines as bytes": encoded,
    }
    expected = [*digram.count(by_lines).items()]
    for door, source in to_lines.items():
        check(door, expected, [*digram.count(source).items()])
    found: dict[str, tuple[Any, int]] = {"a file": (plain, size)}
    found |= {door: (source, size) for door, source in to_lines.items()}
    found["a file, 140 MB"] = (large, large.stat().st_size)
    return found


def measured(source: Any, rounds: int) -> dict[int, dict[str, float]]:
    """Count with each number of threads in turn; return the least seconds."""
    found: dict[int, list[tuple[float, float]]] = {threads: [] for threads in THREADS}
    for _ in range(rounds):
        for threads in THREADS:
            start, cpu = time.perf_counter(), time.process_time()
            digram.count(source, threads=threads)
            taken = time.perf_counter() - start, time.process_time() - cpu
            found[threads].append(taken)
    return {
        threads: {"seconds": min(one[0] for one in each), "cpu": min(one[1] for one in each)}
        for threads, each in found.items()
    }


if __name__ == "__main__":
    main()
