"""Starting: a fresh process imports, loads a vocabulary and encodes a line, beside the peers."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import ROOT, ROUNDS, shared, write

from digram.patterns import NAMED
from tests.exact.owners import SENTENCEPIECE
from tests.exact.peers import HUGGING_FACE

# Each prints the seconds of import, of loading, and the ids of one line. What loads is imported by
# name, so that modules that come when they are first used count as imported.
PROGRAMS = {
    "digram": """
import sys, time
start = time.perf_counter()
from digram import load
imported = time.perf_counter()
path, pattern = sys.argv[1:]
tok = load(path, **({"pattern": pattern} if pattern else {}))
ids = tok.encode("Hello, world: 12345 lines!")
print(imported - start, time.perf_counter() - imported, ids)
""",
    "tiktoken": """
import base64, sys, time
start = time.perf_counter()
import tiktoken
imported = time.perf_counter()
path, pattern = sys.argv[1:]
lines = (line.split() for line in open(path, "rb"))
ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
tok = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
ids = tok.encode_ordinary("Hello, world: 12345 lines!")
print(imported - start, time.perf_counter() - imported, ids)
""",
    "sentencepiece": """
import sys, time
start = time.perf_counter()
from sentencepiece import SentencePieceProcessor
imported = time.perf_counter()
path, pattern = sys.argv[1:]
tok = SentencePieceProcessor(model_file=path)
ids = tok.encode("Hello, world: 12345 lines!")
print(imported - start, time.perf_counter() - imported, ids)
""",
    "tokenizers": """
import sys, time
start = time.perf_counter()
from tokenizers import Tokenizer
imported = time.perf_counter()
path, pattern = sys.argv[1:]
tok = Tokenizer.from_file(path)
ids = tok.encode("Hello, world: 12345 lines!", add_special_tokens=False).ids
print(imported - start, time.perf_counter() - imported, ids)
""",
}
FILES = (
    ("tiktoken/r50k_base.tiktoken", "gpt2", "tiktoken"),
    ("tiktoken/p50k_base.tiktoken", "gpt2", "tiktoken"),
    ("tiktoken/cl100k_base.tiktoken", "cl100k", "tiktoken"),
    ("tiktoken/o200k_base.tiktoken", "o200k", "tiktoken"),
    ("tiktoken/whisper_multilingual.tiktoken", "gpt2", "tiktoken"),
    ("llama3/tokenizer.model", "cl100k-converted", "tiktoken"),
    ("llama4/tokenizer.model", "o200k", "tiktoken"),
    ("qwen/qwen.tiktoken", "qwen2", "tiktoken"),
    *((f"{name}/tokenizer.json", "", "tokenizers") for name in HUGGING_FACE),
    *((name, "", "sentencepiece") for name in SENTENCEPIECE),
)
# docs/benchmarks.md has room for these; the results hold all.
SHOWN = ("cl100k", "o200k", "gpt2/", "llama3/tokenizer.json", "whisper-large", "llama2", "bpemb")


# Modules are compiled once, as after any installation, whatever this environment says.
COMPILED = tempfile.TemporaryDirectory()
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPYCACHEPREFIX"] = COMPILED.name


def sample(program: str, path: Path, pattern: str) -> tuple[float, float, str]:
    """Run a program; return seconds of import and of loading, and the ids."""
    if program == "tiktoken":
        pattern = NAMED[pattern]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAMS[program], str(path), pattern],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=ROOT,
        env=ENVIRONMENT,
    )
    imported, loaded, ids = done.stdout.split(maxsplit=2)
    return float(imported), float(loaded), ids


def main() -> None:
    """Measure, and write the results."""
    rows, raw = [], []
    for name, pattern, peer in FILES:
        path = shared() / "vocab" / name
        for program in ("digram", peer):
            sample(program, path, pattern)  # not counted: it compiles modules
        found = [
            (sample("digram", path, pattern), sample(peer, path, pattern)) for _ in range(ROUNDS)
        ]
        if any(ours[2] != theirs[2] for ours, theirs in found):
            sys.exit(f"{name}: the answers differ, so there is nothing to time")
        ours, theirs = (
            [statistics.median(each[who][part] for each in found) * 1000 for part in (0, 1)]
            for who in (0, 1)
        )
        shown = [f"{ours[0]:.0f} ms", f"{ours[1]:.0f} ms", f"{theirs[0]:.0f} ms"]
        ratio = f"{sum(theirs) / sum(ours):.1f}×"
        row = [name, peer, *shown, f"{theirs[1]:.0f} ms", ratio]
        rows += [row] if any(part in name for part in SHOWN) else []
        raw.append([name, peer, ours, theirs])
        print(row, flush=True)
    write(
        "load",
        "A fresh process, until the first ids",
        ("file", "peer", "import", "load", "peer's import", "peer's load", "times as fast"),
        rows,
        peers=["tiktoken", "tokenizers", "sentencepiece"],
        notes=f"Medians of {ROUNDS} processes each, in turn; the files were read before. All"
        f" {len(FILES)} files are in bench/results/load.json.",
        raw=raw,
    )


if __name__ == "__main__":
    main()
