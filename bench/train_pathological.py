"""Training where counts tie, or where all is one word: seconds, and whether peers come to an end.

Two million distinct words of one count each (made up, seeded), one letter a million times, and one
line of ten million letters. Each training is a program of its own, one after the other in turn, on
one thread; one that is not done in time is stopped, and not begun again. The merges of Hugging Face
and of gigatoken are compared with ours.

    python bench/train_pathological.py
"""

from __future__ import annotations

import argparse
import random
import string
import tempfile
from pathlib import Path
from typing import Any

from measure import times, write
from train_unsegmented import in_turn

PEERS = ("gigatoken", "rustbpe", "tokenizers", "sentencepiece")
LETTERS = string.ascii_lowercase
WORDS = 2_000_000
# Name, how the text is split, size of the vocabulary, who is measured. SentencePiece refuses words
# of 65,536 characters.
RUNS: tuple[tuple[str, str, int, tuple[str, ...]], ...] = (
    ("one letter, a million times", "none", 270, PEERS[:3]),
    ("one line of 10 million letters", "none", 4_096, PEERS[:3]),
    ("2 million words, each once", "blanks", 8_000, PEERS),
    ("2 million words, each once", "blanks", 32_000, PEERS),
)


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--given", type=float, default=60, help="seconds of the processor for each")
    given = parser.parse_args()
    rows, raw = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text")
        for name, split, size, peers in RUNS:
            path.write_text(text_of(name), encoding="utf-8", newline="")
            arguments = [str(path), split, "bytes", str(size)]
            found = in_turn(("digram", *peers), arguments, given.rounds, given.given)
            rows.append([name, f"{size:,}", *shown(found, peers, given.given)])
            raw.append({"text": name, "split": split, "size": size, **found})
            print(rows[-1], flush=True)
    write(
        "train_pathological",
        "Training where counts tie, or all is one word",
        ("text", "vocabulary", "digram", *PEERS, "× the best"),
        rows,
        peers=PEERS,
        notes=(
            "One thread, bytes, each training a program of its own, from texts in memory, of"
            " gigatoken from a file, to merges: seconds of the processor, medians of"
            f" {given.rounds} rounds in turn, of {given.given:.0f} s each at most. The words are"
            " random letters, 6 to 12. The merges are those of Hugging Face's BpeTrainer and of"
            " gigatoken, one by one, where they came to an end. SentencePiece learns by other"
            " rules, and takes no word of 65,536 characters."
        ),
        raw=raw,
    )


def text_of(name: str) -> str:
    """Make up a text."""
    rng = random.Random(1)
    if name.startswith("one letter"):
        return "a" * 10**6
    if name.startswith("one line"):
        return "".join(rng.choices(LETTERS, k=10**7))
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(rng.choices(LETTERS, k=rng.randint(6, 12)))] = None
    return "\n".join(words)


def shown(found: dict[str, Any], peers: tuple[str, ...], most: float) -> list[str]:
    """Return what is shown of one text: what each took, and how much quicker ours is."""
    cells = []
    for name in ("digram", *PEERS):
        late = f"over {most:.0f} s" if name in peers else "–"
        cells.append(f"{found[name]['cpu']:.2f} s" if found.get(name) else late)
    took = [found[name]["cpu"] for name in peers if found[name]]
    return [*cells, times(min(took) / found["digram"]["cpu"]) if took else "–"]


if __name__ == "__main__":
    main()
