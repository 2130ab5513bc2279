"""The record of training that `tokenizer.json` keeps beside the model: written, and read again.

No id depends on it, so that a file opens whatever its record is. One that is damaged, or tells of
other tokens or merges than the model has, tells nothing: `digram.check` says why.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from operator import lt
from typing import Any

from digram._core import Engine
from digram._report import REASONS, TrainingReport

__all__ = ["fault", "fitting", "to_record"]

FIELDS = tuple(field.name for field in fields(TrainingReport))
LISTS = ("frequencies", "live_frequencies", "live_symbols", "places", "tied")
NUMBERS = ("words", "occurrences", "text_bytes")
# What counts have: 64 bits.
MOST = (1 << 64) - 1
KINDS = {str: "text", list: "list", int: "count"}
# Of a value that is wrong, so many characters are shown.
SHOWN = 40


def to_record(training: TrainingReport) -> str:
    """Write a report as `tokenizer.json` keeps it beside the model."""
    values: dict[str, Any] = {name: getattr(training, name) for name in FIELDS}
    return json.dumps(values, ensure_ascii=False)


def fitting(record: str, engine: Engine) -> TrainingReport | None:
    """Return the report that a record holds, if it is whole and of this model."""
    try:
        return _read(record, engine)
    except ValueError:
        return None


def fault(record: str, engine: Engine) -> str | None:
    """Say why a record tells nothing of a model; `None` where it does."""
    try:
        _read(record, engine)
    except ValueError as error:
        return str(error)
    return None


def _read(record: str, engine: Engine) -> TrainingReport:
    """Read what `to_record` wrote. Raises `ValueError`, with the reason, for anything else."""
    found = json.loads(record)
    if not isinstance(found, dict) or found.keys() != set(FIELDS):
        raise ValueError(f"it has not the fields {', '.join(FIELDS)}")
    _refuse_kinds(found)
    _refuse_lengths(found)
    _refuse_pairs(found["pairs"], len(found["tokens"]))
    report = TrainingReport(**found)
    _refuse_sums(report)
    _refuse_other_model(report, engine)
    return report


def _refuse_kinds(found: dict[str, Any]) -> None:
    for name, kind in {**dict.fromkeys(LISTS, int), "tokens": str, "pairs": list}.items():
        _refuse_others(list, name, [found[name]])
        _refuse_others(kind, name, found[name])
    for name in NUMBERS:
        _refuse_others(int, name, [found[name]])
    if not isinstance(found["stopped"], str) or found["stopped"] not in REASONS:
        raise ValueError(f"stopped is {found['stopped']!r:.{SHOWN}}, which is no reason")


def _refuse_others(kind: type, name: str, values: Sequence[Any]) -> None:
    """Refuse values of other kinds, and numbers that are no counts."""
    if set(map(type, values)) - {kind}:
        wrong = [value for value in values if type(value) is not kind]
    elif kind is int and values and not 0 <= min(values) <= max(values) <= MOST:
        wrong = [value for value in values if not 0 <= value <= MOST]
    else:
        return
    raise ValueError(f"{name} has {wrong[0]!r:.{SHOWN}}, which is no {KINDS[kind]}")


def _refuse_lengths(found: dict[str, Any]) -> None:
    tokens, merges = len(found["tokens"]), len(found["pairs"])
    lengths = (tokens, tokens, merges + 1, merges, merges)
    for name, length in zip(LISTS, lengths, strict=True):
        if len(found[name]) != length:
            raise ValueError(
                f"{name} is of length {len(found[name])}; with {tokens} tokens and {merges} merges"
                f" it must be of length {length}"
            )


def _refuse_pairs(pairs: list[list[Any]], tokens: int) -> None:
    """Refuse merges that do not make the last tokens, in order, of tokens before them."""
    if set(map(len, pairs)) - {3}:
        raise ValueError("pairs are not three ids each")
    lefts, rights, merged = ([pair[place] for pair in pairs] for place in range(3))
    for ids in (lefts, rights, merged):
        _refuse_others(int, "pairs", ids)
    are_earlier = all(map(lt, lefts, merged)) and all(map(lt, rights, merged))
    if not are_earlier or merged != list(range(tokens - len(pairs), tokens)):
        raise ValueError("pairs do not make the last tokens, in order, of those before them")


def _refuse_sums(report: TrainingReport) -> None:
    """Refuse numbers that no training gives: what becomes of all symbols adds up."""
    changes = {after - before for before, after in pairwise(report.live_symbols)}
    left = report.corpus_tokens[-1]
    adds_up = min(report.applied, default=0) >= 0 and 0 < left == report.symbols_at_end
    if not adds_up or changes - {-1, 0, 1}:
        raise ValueError("its frequencies do not add up")


def _refuse_other_model(report: TrainingReport, engine: Engine) -> None:
    """Refuse other tokens than the model has by the same ids, and other merges than its last."""
    ids = engine.ids()
    spelled = dict(zip(ids, engine.spell(ids, marker=True), strict=True))
    for id_, token in enumerate(report.tokens):
        if spelled.get(id_, "") != token:
            there = f"it is {spelled[id_]!r:.{SHOWN}}" if id_ in spelled else "it is none"
            raise ValueError(f"id {id_} is {token!r:.{SHOWN}}, and in the vocabulary {there}")
    if json.loads(engine.settings())["rule"] == "merges":
        merges = engine.merges()
        if tuple(merges[max(len(merges) - len(report.pairs), 0) :]) != report.pairs:
            raise ValueError(
                f"its {len(report.pairs)} merges are not the last of the model's {len(merges)}"
            )
