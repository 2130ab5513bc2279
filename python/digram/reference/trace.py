"""Watching a word being encoded, round by round."""

from __future__ import annotations

from dataclasses import dataclass

from digram._model import Greedy, Model
from digram.reference.encode import By, check_order, encode_word, rounds
from digram.reference.spelling import Pair, Symbols, spell
from digram.reference.tables import Tables

Spelled = tuple[str, ...]


@dataclass(frozen=True)
class TracedRound:
    """A round, spelled: the pairs present, the one merged if any, the word after."""

    pairs: tuple[tuple[str, str], ...]
    candidate: tuple[str, str] | None
    state: Spelled


@dataclass(frozen=True)
class Trace:
    """How a word was encoded: its symbols at the start, every round, and why it stopped."""

    word: str
    start: Spelled
    rounds: tuple[TracedRound, ...]
    reason: str
    ids: Symbols

    def __str__(self) -> str:
        lines = [f"{self.word!r}: {' '.join(self.start)}"]
        for number, each in enumerate(self.rounds, start=1):
            pairs = ", ".join(" ".join(pair) for pair in each.pairs)
            merged = " + ".join(each.candidate) if each.candidate else "none"
            lines.append(f"{number}. of {pairs}: {merged} -> {' '.join(each.state)}")
        return "\n".join([*lines, f"stopped: {self.reason}"])


def trace_word(model: Model, word: str, *, by: By = "rank") -> Trace:
    """Encode a word and tell every round.

    >>> from digram._model import Merges
    >>> tokens = {0: b"b", 1: b"g", 2: b"u", 3: b"ug"}
    >>> print(trace_word(Model(tokens, Merges(((2, 1, 3),)), "chars"), "bug"))
    'bug': b u g
    1. of b u, u g: u + g -> b ug
    2. of b ug: none -> b ug
    stopped: no pair merges
    """
    tables = Tables(model)
    check_order(tables, by)
    ids = encode_word(tables, word, by)
    if isinstance(model.rule, Greedy):
        return Trace(word, spelled(model, ids), (), "longest match", ids)
    if tables.whole(word) is not None:
        return Trace(word, spelled(model, ids), (), "the whole word is a token", ids)
    start = tables.symbols(word)
    traced = tuple(
        TracedRound(
            tuple(spelled_pair(model, pair) for pair in each.pairs),
            each.candidate and spelled_pair(model, each.candidate),
            spelled(model, each.symbols),
        )
        for each in rounds(tables, start, by)
    )
    return Trace(word, spelled(model, start), traced, why_stopped(ids, by), ids)


def why_stopped(symbols: Symbols, by: By) -> str:
    """Say why merging came to an end.

    >>> why_stopped((7,), "rank"), why_stopped((7, 8), "order")
    ('one symbol is left', 'all merges have had their turn')
    """
    if len(symbols) == 1:
        return "one symbol is left"
    return "no pair merges" if by == "rank" else "all merges have had their turn"


def spelled(model: Model, symbols: Symbols) -> Spelled:
    """Spell symbols for people."""
    return tuple(spell(model, symbol) for symbol in symbols)


def spelled_pair(model: Model, pair: Pair) -> tuple[str, str]:
    """Spell a pair for people."""
    return spell(model, pair[0]), spell(model, pair[1])
