"""How a text became its ids, as a value that prints as a tree."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from digram._core import Engine

__all__ = ["ExplainedMerge", "ExplainedWord", "Explanation", "explanation"]


@dataclass(frozen=True)
class ExplainedMerge:
    """One merge in a word: where, what, and its rank."""

    position: int
    left: str
    right: str
    merged: str
    rank: int

    def __str__(self) -> str:
        return f"{self.left} + {self.right} = {self.merged}  (rank {self.rank})"


@dataclass(frozen=True)
class ExplainedWord:
    """One word: its symbols, the merges in order, what they leave, and why there are no more."""

    text: str
    symbols: Sequence[str]
    merges: Sequence[ExplainedMerge]
    tokens: Sequence[str]
    ids: Sequence[int]
    stopped: str


@dataclass(frozen=True)
class Explanation:
    """How a text became its ids, word by word; `print` shows it as a tree."""

    words: Sequence[ExplainedWord]

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return [id_ for word in self.words for id_ in word.ids]

    def __str__(self) -> str:
        return "\n".join(line for word in self.words for line in _tree(word))


def _tree(word: ExplainedWord) -> list[str]:
    found = "  ".join(f"{t} {i}" for t, i in zip(word.tokens, word.ids, strict=True))
    lines = [f"{word.text!r}", f"├── {' '.join(word.symbols)}"]
    lines += [f"├── {merge}" for merge in word.merges]
    return [*lines, f"└── {found}  ({word.stopped})"]


def explanation(engine: Engine, text: str, special: Any) -> Explanation:
    """Have the engine explain a text."""
    spell = functools.partial(engine.spell, marker=True)
    words = []
    for word, symbols, steps, ids, stopped in engine.explain(text, special):
        merges = []
        for position, *parts, rank in steps:
            left, right, merged = spell(parts)
            merges.append(ExplainedMerge(position, left, right, merged, rank))
        spelled = (tuple(spell(symbols)), tuple(merges), tuple(spell(ids)))
        words.append(ExplainedWord(word, *spelled, tuple(ids), stopped))
    return Explanation(tuple(words))
