"""Corpora of any size, made up: words as often as in real text, and always new ones among them.

Words are drawn from those of a text of ../shared, each as often as it occurs there (Zipf's law).
New words come as they do in real text (Heaps' law): of the first n words, K * n**0.6 or so are
distinct. They are made of syllables of the text's own words, so that merges have work to do. The
same seed gives the same bytes on any machine.

    python bench/corpora.py 1GB corpus.txt --seed 3
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from measure import corpus

# How many words are made at once.
BATCH = 1 << 20
# Heaps' law as the English corpus of ../shared has it: distinct = K * n**BETA.
K, BETA = 38.0, 0.56
# A paragraph has so many words on average.
PARAGRAPH = 60
# Such a share of the words made together are others of them once more, as names come again.
AGAIN = 0.4
UNITS = {"MB": 10**6, "GB": 10**9}


def main() -> None:
    """Make a corpus."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("size", help="such as 64MB or 1GB")
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    size = int(float(given.size[:-2]) * UNITS[given.size[-2:]])
    make(given.path, size, given.seed)


def make(path: Path, size: int, seed: int = 0) -> None:
    """Write a corpus of `size` bytes, or a word more."""
    words = Words(corpus("english_prose.txt", 4_000_000), seed)
    written = 0
    with path.open("wb") as file:
        while written < size:
            piece = words.batch()[: size - written]
            if written + len(piece) >= size and b" " in piece:
                piece = piece[: piece.rindex(b" ")] + b"\n"
                file.write(piece)
                return
            written += file.write(piece)


class Words:
    """An endless stream of words."""

    def __init__(self, text: str, seed: int) -> None:
        counts = Counter(text.split())
        known = sorted(counts, key=lambda word: (-counts[word], word))
        weights = np.array([counts[word] for word in known], dtype=np.float64)
        self.random = np.random.default_rng(seed)
        self.known = np.array([word.encode() for word in known], dtype=object)
        self.chances = np.cumsum(weights) / weights.sum()
        self.syllables = syllables(known)
        self.seen = 0

    def batch(self) -> bytes:
        """Give the next words."""
        drawn = np.searchsorted(self.chances, self.random.random(BATCH), side="right")
        words = self.known[np.minimum(drawn, len(self.known) - 1)]
        places = np.flatnonzero(self.random.random(BATCH) < self.newness())
        words[places] = self.new(len(places))
        ends = np.where(self.random.random(BATCH) < 1 / PARAGRAPH, b"\n\n", b" ").astype(object)
        self.seen += BATCH
        return b"".join((words + ends).tolist())

    def newness(self) -> np.ndarray:
        """Return how likely each of the next words is a new one: the slope of Heaps' law."""
        nth = np.arange(self.seen + 1, self.seen + BATCH + 1, dtype=np.float64)
        return K * BETA * nth ** (BETA - 1)

    def new(self, count: int) -> np.ndarray:
        """Make so many words, hardly one twice; a few come again, as names do."""
        parts = [self.syllables[self.random.integers(0, len(self.syllables), count)] for _ in "123"]
        made = parts[0] + parts[1] + parts[2]
        again = self.random.random(count) < AGAIN
        made[again] = made[self.random.integers(0, count, int(again.sum()))]
        return made


def syllables(words: list[str]) -> np.ndarray:
    """Cut words into pieces behind each vowel, and list the pieces."""
    found: set[bytes] = set()
    for word in words:
        piece = ""
        for letter in filter(str.isalpha, word.lower()):
            piece += letter
            if letter in "aeiouy":
                found.add(piece.encode())
                piece = ""
    return np.array(sorted(found), dtype=object)


if __name__ == "__main__":
    sys.exit(main())
