"""The hostile files on other libraries: `python -m tests.hostile.peers [LIBRARY …]` prints a table.

Each file is met in a process of its own, with 4 GB of addresses and 8 seconds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.hostile.make import BOMBS, PROBES, write

SECONDS = 8
KINDS = ("ran", "refused", "exception", "panic", "abort", "segfault", "killed", "timeout")
# What ends a process: a signal's number, negative.
SIGNALS = {-6: "abort", -11: "segfault", -9: "killed"}


def kind(library: str, path: Path) -> str:
    """Return what came of a file."""
    command = [sys.executable, "-m", "tests.hostile.probe", library, str(path)]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "timeout"
    if ended.returncode:
        return SIGNALS.get(ended.returncode, f"exit {ended.returncode}")
    return str(json.loads(ended.stdout)["kind"])


def main(libraries: list[str]) -> None:
    """Print the table, and the files that were not taken well."""
    print("| library | files |", " | ".join(KINDS), "|")
    print("| --- | --- |", " | ".join("---" for _ in KINDS), "|")
    with tempfile.TemporaryDirectory() as folder:
        for label, files in (("probes", PROBES), ("bombs", BOMBS)):
            paths = write(Path(folder), {n: f for n, f in files.items() if "." not in n})
            for library in libraries:
                found = {path.stem: kind(library, path) for path in paths}
                counts = Counter(found.values())
                print(f"| {library} | {len(paths)} {label} |", end=" ")
                print(" | ".join(str(counts[kind]) for kind in KINDS), "|", flush=True)
                bad = [f"{n}: {k}" for n, k in found.items() if k in KINDS[3:]]
                print(f"  {', '.join(bad)}" if bad else "", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:] or ["digram", "tokenizers"])
