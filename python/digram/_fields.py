"""The fields of a model: values of the wrong kind, told by the names of the fields.

The tables have as many ids as there are tokens; they are looked through once the engine refuses
them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, get_args

from digram._kinds import LARGEST_ID, choice, id_of, of_kind, unbroken, whole, wrong_kind
from digram._lengths import refuse_padding, refuse_truncation
from digram._model import Merges, Model, Rule, Scores
from digram.components import SLOTS, AddedToken, Padding, Truncation

__all__ = ["refuse_fields", "refuse_tables"]

FLAGS = ("ignore_merges", "fuse_unk", "drops_unknown", "spelled", "byte_fallback")
TEXTS = ("unk_token", "end_of_word", "continuing_prefix")
# What a field is an instance of, and how to say so.
KINDS: dict[str, tuple[Any, str]] = {
    "tokens": (Mapping, "a mapping of ids to bytes"),
    "rule": (get_args(Rule), "Merges, Ranks, Scores or Greedy of digram"),
    "units": (str, "'bytes' or 'chars'"),
    **dict.fromkeys(FLAGS, (bool, "True or False")),
    **dict.fromkeys(TEXTS, (str | None, "a str, or None")),
    **{
        slot: ((*kinds, type(None)), f"a {slot} of digram.components, or None")
        for slot, (kinds, *_) in SLOTS.items()
    },
    "dropout": (int | float | None, "a number, or None"),
    "truncation": (Truncation | None, "a digram.components.Truncation, or None"),
    "padding": (Padding | None, "a digram.components.Padding, or None"),
}
CHOICES = {"marker": ("separate", "attached"), "unicode": ("9.0", "16.0")}
TABLES = ("word_ends", "added_only", "literal", "unused")
# What the items of a field are.
ITEMS: dict[str, tuple[type, str]] = {
    **dict.fromkeys(TABLES, (object, "ids")),
    "glossaries": (str, "a str"),
    "added_tokens": (AddedToken, "a digram.components.AddedToken"),
}


def refuse_fields(model: Model) -> None:
    """Raise `TypeError` or `ValueError` for a field that holds what it cannot."""
    for name, (kinds, rule) in KINDS.items():
        of_kind(name, getattr(model, name), kinds, rule)
    for name, known in CHOICES.items():
        choice(name, getattr(model, name), known)
    for name, (kind, rule) in ITEMS.items():
        _refuse_items(name, getattr(model, name), kind, rule)
    for added in model.added_tokens:
        id_of(added.content, added.id)
    _refuse_broken(model)
    if not math.isfinite(model.dropout or 0):
        raise ValueError(f"dropout is {model.dropout}; it is a probability, from 0 to 1")
    if model.padding is not None:
        refuse_padding(model.padding)
    if model.truncation is not None:
        refuse_truncation(model.truncation)


def _refuse_broken(model: Model) -> None:
    """Refuse texts that hold half a character."""
    texts = [(name, getattr(model, name)) for name in TEXTS]
    texts += [("each of glossaries", glossary) for glossary in model.glossaries]
    texts += [("an added token", added.content) for added in model.added_tokens]
    for name, text in texts:
        if isinstance(text, str):
            unbroken(name, text)


def _refuse_items(name: str, items: object, kind: type, rule: str) -> None:
    if isinstance(items, str) or not isinstance(items, Collection):
        raise wrong_kind(name, items, "a collection")
    if kind is not object:
        for item in items:
            of_kind(f"each of {name}", item, kind, rule)


def refuse_tables(model: Model) -> None:
    """Raise `TypeError` or `ValueError` for an id in a table that no token can have."""
    for id_, token in model.tokens.items():
        of_kind(f"the token of id {id_!r}", token, bytes, "bytes")
        id_of(token, id_)
    tables: dict[str, Iterable[object]] = {f"an id of {n}": getattr(model, n) for n in TABLES}
    if isinstance(model.rule, Merges):
        tables |= {f"an id of merge {rank}": ids for rank, ids in enumerate(model.rule.pairs)}
    if isinstance(model.rule, Scores):
        tables["an id of the scores"] = model.rule.values
    for name, ids in tables.items():
        for each in ids:
            whole(name, each, most=LARGEST_ID)
