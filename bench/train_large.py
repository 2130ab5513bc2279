"""Training on large corpora, beside the peers: seconds, and the most memory of its own each took.

The corpora are made up (bench/corpora.py). Each training is a program of its own, one after the
other in turn, and its anonymous memory (RssAnon, what is not the page cache) is looked at all the
time. Digram and gigatoken are given the file, the others its paragraphs, some together, so that
they need not hold all of it; they are cut where no word is. The merges of gigatoken and of Hugging
Face are compared with ours.

    python bench/train_large.py --sizes 140MB 1GB
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from corpora import UNITS, make
from measure import check, times, write
from train import GPT2
from train_growth import EVERY, anonymous

VOCABULARY = 32_000
PEERS = ("gigatoken", "rustbpe", "tokenizers")
# Hugging Face's trainer takes minutes, and ten times the memory of the text.
MOST_FOR = {"tokenizers": 200 * 10**6}

START = """
import hashlib, json, sys, time
path, pattern, size, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

def pieces():
    with open(path, encoding="utf-8", newline="") as file:
        rest = ""
        while read := file.read(1 << 20):
            rest += read
            end = rest.rfind("\\n\\n")
            if end > 0:
                yield rest[:end]
                rest = rest[end:]
        yield rest

def tell(pairs):
    seconds, cpu = time.perf_counter() - start, time.process_time()
    told = hashlib.sha256(repr([(bytes(a), bytes(b)) for a, b in pairs()]).encode()).hexdigest()
    print(json.dumps({"seconds": seconds, "cpu": cpu, "merges": told}))
"""
CHILDREN = {
    "digram": """
import digram
start = time.perf_counter()
tok = digram.train(path, vocab_size=size, pattern="gpt2", min_frequency=0, threads=threads)
tell(lambda: ((tok.tokens[left], tok.tokens[right]) for left, right, _ in tok.merges))
""",
    "gigatoken": """
import gigatoken
start = time.perf_counter()
_, merges = gigatoken.train_bpe(gigatoken.TextFileSource([path]), size, [])
tell(lambda: merges)
""",
    "rustbpe": """
import rustbpe
start = time.perf_counter()
made = rustbpe.Tokenizer()
made.train_from_iterator(pieces(), size, pattern=pattern)
tell(lambda: [])
""",
    "tokenizers": """
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
start = time.perf_counter()
made = Tokenizer(models.BPE())
made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
made.train_from_iterator(pieces(), trainers.BpeTrainer(
    vocab_size=size, min_frequency=0, show_progress=False,
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
def pairs():
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    bytes_of = {chr(byte): byte for byte in kept}
    bytes_of |= {chr(256 + nth): byte for nth, byte in enumerate(others)}
    for two in json.loads(made.to_str())["model"]["merges"]:
        yield [bytes(map(bytes_of.get, part)) for part in two]
tell(pairs)
""",
}


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=["140MB", "1GB"])
    parser.add_argument("--rounds", nargs="+", type=int, default=[5, 3], help="for each size")
    parser.add_argument("--folder", type=Path, help="where corpora are, or are made and kept")
    parser.add_argument("--said", default="", help="a sentence about the machine")
    given = parser.parse_args()
    rows: list[list[str]] = []
    raw: list[dict[str, Any]] = []
    for size, rounds in zip(given.sizes, given.rounds, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(given.folder or folder, f"corpus-{size}.txt")
            if not path.exists():
                make(path, int(float(size[:-2]) * UNITS[size[-2:]]))
            for threads in (1, 2):
                found = in_turn(path, threads, rounds)
                rows.append(row(size, threads, found))
                raw.append({"size": size, "threads": threads, "rounds": rounds, **found})
                print(rows[-1], flush=True)
    write(
        "train_large",
        "Training on large corpora, beside the peers",
        ("corpus", "threads", "digram", *PEERS, "× the best"),
        rows,
        peers=PEERS,
        notes=(
            f"GPT-2's pattern, {VOCABULARY:,} tokens, made-up corpora (bench/corpora.py), each"
            " training a program of its own, from file to merges: seconds, those of all processors"
            " (CPU), and the most anonymous memory (RssAnon); medians in turn, of"
            f" {rounds_of(given.sizes, given.rounds)}. {given.said} The merges are those of"
            " gigatoken and of Hugging Face's BpeTrainer, one by one."
        ),
        raw=raw,
    )


def rounds_of(sizes: list[str], rounds: list[int]) -> str:
    """Say how many rounds there were of each size."""
    return ", ".join(f"{count} ({size})" for size, count in zip(sizes, rounds, strict=True))


def in_turn(path: Path, threads: int, rounds: int) -> dict[str, Any]:
    """Train with each, one after the other, and return the medians."""
    names = [name for name in CHILDREN if path.stat().st_size <= MOST_FOR.get(name, sys.maxsize)]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            found[name].append(measured(name, path, threads))
    for name in {"gigatoken", "tokenizers"} & found.keys():
        check(f"{path.name}, {name}", found["digram"][0]["merges"], found[name][0]["merges"])
    return {
        name: {
            key: statistics.median(one[key] for one in each) for key in ("seconds", "cpu", "bytes")
        }
        for name, each in found.items()
    }


def measured(name: str, path: Path, threads: int) -> dict[str, Any]:
    """Train in a program of its own; return its seconds, and its most memory."""
    arguments = [str(path), GPT2, str(VOCABULARY), str(threads)]
    environment = {
        **os.environ,
        "RAYON_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "true" if threads > 1 else "false",
    }
    command = [sys.executable, "-c", START + CHILDREN[name], *arguments]
    most = 0
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as child:
        while child.poll() is None:
            most = max(most, anonymous(child.pid))
            time.sleep(EVERY)
        told = child.stdout.read() if child.stdout else ""
    if child.returncode:
        sys.exit(f"{path}: {name} ended with {child.returncode}")
    # gigatoken prints too
    return {**json.loads(told.splitlines()[-1]), "bytes": most}


def row(size: str, threads: int, found: dict[str, Any]) -> list[str]:
    """Return what is shown of one corpus: seconds and memory of each, and how much quicker."""
    shown = [
        "{seconds:.1f} s, {cpu:.1f} s CPU, {megabytes:.0f} MB".format(
            **found[name], megabytes=found[name]["bytes"] / 1e6
        )
        if name in found
        else "–"
        for name in ("digram", *PEERS)
    ]
    best = min(found[name]["seconds"] for name in PEERS if name in found)
    return [size, str(threads), *shown, times(best / found["digram"]["seconds"])]


if __name__ == "__main__":
    main()
