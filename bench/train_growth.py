"""Training as the corpus grows: seconds, and the most memory of its own that the program had.

Corpora are made up (bench/corpora.py); each training is a program of its own, and its anonymous
memory (RssAnon, what is not the page cache) is looked at all the time. Without and with a limit the
tokenizer is the same, or nothing is written.

    python bench/train_growth.py --sizes 16MB 64MB 256MB 1GB
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpora import UNITS, make
from measure import ROOT, check, write

SIZES = ("16MB", "64MB", "256MB", "1GB")
LIMITS = ("none", "128MB")
VOCABULARY = 32_000
# How often memory is looked at, in seconds.
EVERY = 0.005
PLOT = ROOT / "docs" / "train-growth.svg"

CHILD = """
import json, sys, time
import digram
path, size, limit, threads, flag = sys.argv[1:]
start = time.perf_counter()
memory = None if limit == "none" else limit
counts = digram.count(digram.corpus(path), threads=int(threads), max_memory=memory)
counted = time.perf_counter()
open(flag, "w").close()
tok = digram.train(counts, vocab_size=int(size))
print(json.dumps({
    "counting": counted - start, "learning": time.perf_counter() - counted,
    "words": len(counts), "fingerprint": tok.fingerprint,
}))
"""


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES)
    parser.add_argument("--limits", nargs="+", default=LIMITS, help="none, or as 512MB")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where corpora are, or are made and kept")
    given = parser.parse_args()
    rows, raw = [], []
    for size in given.sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(given.folder or folder, f"corpus-{size}.txt")
            if not path.exists():
                make(path, int(float(size[:-2]) * UNITS[size[-2:]]))
            found = [measured(path, limit, given.threads) for limit in given.limits]
        for one in found:
            check(size, one["fingerprint"], found[0]["fingerprint"])
            raw.append({"size": size, **one})
            rows.append(row(size, one))
            print(rows[-1], flush=True)
    write(
        "train_growth",
        "Training as the corpus grows",
        ("corpus", "max_memory", "distinct words", "counting", "memory", "learning", "memory"),
        rows,
        peers=["numpy"],
        notes=(
            f"o200k's pattern, {VOCABULARY:,} tokens, {given.threads} threads, made-up corpora"
            " (bench/corpora.py), one training each. Memory is anonymous (RssAnon), the most at any"
            " time. The tokenizer is the same with a limit and without."
        ),
        raw=raw,
    )
    PLOT.write_text(plot(raw), encoding="utf-8")


def row(size: str, found: dict[str, Any]) -> list[str]:
    """Return what is shown of a training."""
    took = [f"{found[stage]:.1f} s" for stage in ("counting", "learning")]
    most = [f"{found[stage] / 1e6:.0f} MB" for stage in ("counting_bytes", "bytes")]
    return [size, found["limit"], f"{found['words']:,}", took[0], most[0], took[1], most[1]]


def measured(path: Path, limit: str, threads: int) -> dict[str, Any]:
    """Train in a program of its own; return what it tells, and its most memory."""
    most = {"counting_bytes": 0, "bytes": 0}
    with tempfile.TemporaryDirectory() as folder:
        flag = Path(folder, "counted")
        command = [sys.executable, "-c", CHILD, path, str(VOCABULARY), limit, str(threads), flag]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            while child.poll() is None:
                stages = ("bytes",) if flag.exists() else tuple(most)
                now = anonymous(child.pid)
                most |= {stage: max(most[stage], now) for stage in stages}
                time.sleep(EVERY)
            told = child.stdout.read() if child.stdout else ""
    if child.returncode:
        sys.exit(f"{path}: training ended with {child.returncode}")
    return {**json.loads(told), "limit": limit, **most}


def anonymous(pid: int) -> int:
    """Return the bytes of anonymous memory that a program has now."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = [line.split()[1] for line in lines if line.startswith("RssAnon:")]
    return int(found[0]) * 1024 if found else 0


# Pixels of the picture, and of the bars in it.
WIDTH, LEFT, BAR, GAP, TOP = 720, 150, 14, 10, 50
COLORS = ("#2a6f97", "#f4a259", "#8cb369")


def plot(raw: list[dict[str, Any]]) -> str:
    """Draw a bar of memory for each training, and its seconds beside it."""
    most = max(found["counting_bytes"] for found in raw)
    limits = list(dict.fromkeys(found["limit"] for found in raw))
    parts = [
        label(10, 20, "counting: anonymous memory at most, and seconds; shorter is better", "start")
    ]
    for number, limit in enumerate(limits):
        parts.append(rect(LEFT + number * 170, 30, 10, COLORS[number % len(COLORS)]))
        parts.append(label(LEFT + number * 170 + 15, 40, f"max_memory: {limit}", "start"))
    y = TOP
    for at, found in enumerate(raw):
        first = at == 0 or raw[at - 1]["size"] != found["size"]
        y += GAP if first else 0
        if first:
            parts.append(label(LEFT - 8, y + BAR - 3, found["size"], "end"))
        length = (WIDTH - LEFT - 220) * found["counting_bytes"] / most
        parts.append(rect(LEFT, y, length, COLORS[limits.index(found["limit"]) % len(COLORS)]))
        told = f"{found['counting_bytes'] / 1e6:.0f} MB, {found['counting']:.1f} s"
        parts.append(label(LEFT + length + 5, y + BAR - 3, told, "start"))
        y += BAR
    y += GAP
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}"'
        f' height="{y}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n{body}\n</svg>\n'
    )


def rect(x: float, y: float, width: float, color: str) -> str:
    """Draw a bar."""
    return f'<rect x="{x}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{color}"/>'


def label(x: float, y: float, text: str, anchor: str) -> str:
    """Write a text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#333">{text}</text>'


if __name__ == "__main__":
    main()
