"""How a text became its ids, as a value that prints as a tree."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from digram._core import Engine

__all__ = ["ExplainedMerge", "ExplainedWord", "Explanation", "explanation"]

# Of a word, so many characters stand in a repr, which is a line.
SHOWN = 40


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

    def __repr__(self) -> str:
        cut = "…" if len(self.text) > SHOWN else ""
        return (
            f"ExplainedWord({self.text[:SHOWN] + cut!r}, {_several(self.merges, 'merge')},"
            f" {_several(self.ids, 'token')}, stopped={self.stopped!r})"
        )


@dataclass(frozen=True)
class Explanation:
    """How a text became its ids, word by word; `print` shows it as a tree.

    >>> import digram
    >>> explanation = digram.train({"low": 5, "lower": 2}, num_merges=2).explain("lowly")
    >>> explanation
    Explanation(1 word, 3 tokens)
    >>> explanation.words[0]
    ExplainedWord('lowly', 2 merges, 3 tokens, stopped='no pair merges')
    """

    words: Sequence[ExplainedWord]

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text."""
        return [id_ for word in self.words for id_ in word.ids]

    def __str__(self) -> str:
        return "\n".join(line for word in self.words for line in _tree(word))

    def __repr__(self) -> str:
        # The whole of it is a screen or a megabyte, and str shows it.
        return f"Explanation({_several(self.words, 'word')}, {_several(self.ids, 'token')})"


def _several(values: Sequence[Any], name: str) -> str:
    return f"{len(values)} {name}{'' if len(values) == 1 else 's'}"


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
