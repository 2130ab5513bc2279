"""Training on text that nothing splits: seconds, and memory of its own for each base symbol.

DNA in one line (made up, seeded), Chinese split at blanks alone, and English lines as they are, so
that tokens go across words. Each training is a program of its own, one after the other in turn, on
one thread; one that is not done in time is stopped, and not begun again. The merges of Hugging Face
are compared with ours. SentencePiece refuses words of 65,536 characters, and learns by other rules.

    python bench/train_unsegmented.py
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measure import check, corpus, times, write
from train_growth import EVERY, anonymous

PEERS = ("tokenizers", "sentencepiece", "rustbpe")
# Of repeats so many letters are others.
MUTATED = 0.1
# Name, how the text is split, units, size of the vocabulary, who is measured.
RUNS: tuple[tuple[str, str, str, int, tuple[str, ...]], ...] = (
    ("DNA, 1 MB", "none", "chars", 4_096, ("tokenizers", "rustbpe")),
    ("DNA, 16 MB", "none", "bytes", 4_096, ("rustbpe",)),
    ("DNA, 64 MB", "none", "bytes", 4_096, ()),
    ("multi_zh.txt", "blanks", "chars", 32_000, PEERS),
    ("multi_zh.txt", "blanks", "bytes", 32_000, PEERS[::2]),
    ("english_prose.txt", "lines", "chars", 8_000, PEERS),
    ("english_prose.txt", "lines", "chars", 32_000, PEERS),
)

START = """
import hashlib, io, json, sys, time
path, split, units, size = *sys.argv[1:4], int(sys.argv[4])

def resident():
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:")) * 1024

def tell(merges, symbols=0):
    seconds, cpu = time.perf_counter() - start, time.process_time() - before
    told = hashlib.sha256(repr(merges()).encode()).hexdigest()
    figures = {"seconds": seconds, "cpu": cpu, "begun": begun, "symbols": symbols, "merges": told}
    print(json.dumps(figures))

text = open(path, encoding="utf-8", newline="").read()
texts = {"none": lambda: [text], "lines": lambda: [line for line in text.split("\\n") if line],
         "blanks": text.split}[split]()
del text
"""
BEGIN = "begun, start, before = resident(), time.perf_counter(), time.process_time()\n"
CHILDREN = {
    "digram": f"""
from collections import Counter
from digram import train
{BEGIN}
tok = train(Counter(texts), vocab_size=size, units=units)
tell(lambda: [(tok.tokens[left], tok.tokens[right]) for left, right, _ in tok.merges],
     sum(map(len, set(texts) if units == "chars" else {{text.encode() for text in texts}})))
""",
    "tokenizers": f"""
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
{BEGIN}
made = Tokenizer(models.BPE())
options = dict(vocab_size=size, min_frequency=2, show_progress=False)
bytes_of = str.encode
if units == "bytes":
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    options["initial_alphabet"] = pre_tokenizers.ByteLevel.alphabet()
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    alias = {{chr(byte): byte for byte in kept}}
    alias |= {{chr(256 + nth): byte for nth, byte in enumerate(others)}}
    bytes_of = lambda part: bytes(map(alias.get, part))
made.train_from_iterator(texts, trainers.BpeTrainer(**options))
tell(lambda: [tuple(map(bytes_of, two)) for two in json.loads(made.to_str())["model"]["merges"]])
""",
    "sentencepiece": f"""
import sentencepiece
{BEGIN}
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(texts), model_writer=io.BytesIO(), vocab_size=size, model_type="bpe",
    num_threads=1, minloglevel=2, max_sentence_length=10**6, character_coverage=1.0,
    normalization_rule_name="identity", split_by_whitespace=False, split_by_unicode_script=False,
    split_by_number=False, add_dummy_prefix=False, remove_extra_whitespaces=False)
tell(list)
""",
    "rustbpe": f"""
import rustbpe
{BEGIN}
made = rustbpe.Tokenizer()
made.train_from_iterator(iter(texts), size, pattern="(?s).+")
tell(list)
""",
    "gigatoken": f"""
import gigatoken
{BEGIN}
_, merges = gigatoken.train_bpe(gigatoken.TextFileSource([path]), size, [])
tell(lambda: [(bytes(left), bytes(right)) for left, right in merges])
""",
}
# Who learns by the rules that are ours.
ALIKE = ("tokenizers", "gigatoken")


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--given", type=float, default=60, help="seconds of the processor for each")
    given = parser.parse_args()
    rows, raw = [], []
    for name, split, units, size, peers in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "text")
            if name.startswith("DNA"):
                path.write_bytes(dna(int(name.split()[1]) * 10**6))
            else:
                path.write_text(corpus(name), encoding="utf-8", newline="")
            arguments = [str(path), split, units, str(size)]
            found = in_turn(("digram", *peers), arguments, given.rounds, given.given)
        rows.append([name, split, units, f"{size:,}", *shown(found, peers)])
        raw.append({"text": name, "split": split, "units": units, "size": size, **found})
        print(rows[-1], flush=True)
    write(
        "train_unsegmented",
        "Training on text that nothing splits",
        ("text", "split at", "units", "vocabulary", "digram", *PEERS, "× the best"),
        rows,
        peers=PEERS,
        notes=(
            "One thread, each training a program of its own, from texts in memory to merges:"
            " seconds of the processor, and the most anonymous memory (RssAnon) that training"
            " added, of digram also for each symbol of the distinct words; medians of"
            f" {given.rounds} rounds in turn, of {given.given:.0f} s each at most. The merges are"
            " those of Hugging Face's BpeTrainer, one by one, where it came to an end."
            " SentencePiece learns by other rules."
        ),
        raw=raw,
    )


def dna(size: int) -> bytes:
    """Make up DNA: each letter by the three before, and families of repeats with mutations."""
    random = np.random.default_rng(1)
    chains, steps = 4096, size // 4096 + 1
    chances = random.dirichlet(np.full(4, 3.0), size=64).cumsum(axis=1)[:, :3]
    letters = np.empty((chains, steps), dtype=np.uint8)
    before = random.integers(0, 64, chains)
    for step in range(steps):
        letters[:, step] = (random.random(chains)[:, None] >= chances[before]).sum(axis=1)
        before = (4 * before + letters[:, step]) % 64
    line = letters.reshape(-1)[:size]
    families = [line[at : at + 3_000].copy() for at in random.integers(0, size - 3_000, 100)]
    for at in repeats(random, size):
        copy = families[int(random.zipf(1.5)) % len(families)].copy()
        mutated = random.random(len(copy)) < MUTATED
        copy[mutated] = random.integers(0, 4, int(mutated.sum()))
        line[at : at + len(copy)] = copy
    return np.frombuffer(b"ACGT", dtype=np.uint8)[line].tobytes()


def repeats(random: np.random.Generator, size: int) -> Iterator[int]:
    """Tell where repeats of 3,000 letters begin: of a third of all letters."""
    at = int(random.integers(1, 12_000))
    while at + 3_000 <= size:
        yield at
        at += 3_000 + int(random.integers(1, 12_000))


def in_turn(
    names: tuple[str, ...], arguments: list[str], rounds: int, most: float
) -> dict[str, Any]:
    """Train with each, one after the other, and return the medians, or None for who is not done."""
    found: dict[str, list[dict[str, Any] | None]] = {name: [] for name in names}
    for _ in range(rounds):
        for name, each in found.items():
            if None not in each:
                each.append(measured(name, arguments, most))
    done = {name: [one for one in each if one] for name, each in found.items() if None not in each}
    if "digram" not in done:
        sys.exit(f"{arguments}: digram is not done in {most:.0f} s of the processor; give more")
    for peer in filter(done.get, ALIKE):
        ours, theirs = (done[name][0]["merges"] for name in ("digram", peer))
        check(" ".join([peer, *arguments[1:]]), ours, theirs)
    keys = ("seconds", "cpu", "bytes", "symbols")
    return {
        name: {key: statistics.median(one[key] for one in done[name]) for key in keys}
        if name in done
        else None
        for name in names
    }


def processor_seconds(pid: int) -> float:
    """Return what a program has taken of the processor, so that pauses of it do not count."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(name: str, arguments: list[str], most_seconds: float) -> dict[str, Any] | None:
    """Train in a program of its own; return what it took, or None if that is too long."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    command = [sys.executable, "-c", START + CHILDREN[name], *arguments]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    most = 0
    with subprocess.Popen(command, text=True, env=environment, **pipes) as child:
        while child.poll() is None:
            most = max(most, anonymous(child.pid))
            time.sleep(EVERY)
            if processor_seconds(child.pid) > most_seconds:
                child.kill()
                return None
        told = child.stdout.read() if child.stdout else ""
    if child.returncode:
        sys.exit(f"{arguments}: {name} ended with {child.returncode}")
    figures: dict[str, Any] = json.loads(told.splitlines()[-1])
    return {**figures, "bytes": most - figures["begun"]}


def shown(found: dict[str, Any], peers: tuple[str, ...]) -> list[str]:
    """Return what is shown of one text: what each took, and how much quicker ours is."""
    cells = []
    for name in ("digram", *PEERS):
        one = found.get(name)
        if one is None:
            cells.append("not done" if name in peers else "–")
            continue
        cell = f"{one['cpu']:.2f} s, {one['bytes'] / 1e6:.0f} MB"
        each = f" ({one['bytes'] / one['symbols']:.0f} B)" if name == "digram" else ""
        cells.append(cell + each)
    took = [found[name]["cpu"] for name in peers if found[name]]
    return [*cells, times(min(took) / found["digram"]["cpu"]) if took else "–"]


if __name__ == "__main__":
    main()
