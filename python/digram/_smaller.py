"""Smaller vocabularies out of one: the first merges, and only some tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import accumulate

from digram._core import Engine
from digram._engine import engine_of, model_of
from digram._kinds import whole
from digram._model import Greedy, Merges, Model, Rule, Scores
from digram._post_processors import ids_around, renumbered
from digram._report import TrainingReport, check_merges

__all__ = ["first_merges", "is_unit", "merges_of", "needed", "only", "report_of_first"]

Merged = tuple[tuple[int, int, int], ...]

# How a token is spelled that stands for a byte.
BYTE = re.compile(rb"<0x[0-9A-Fa-f]{2}>")


def first_merges(engine: Engine, n: int | None, vocab_size: int | None) -> tuple[Engine, int]:
    """Return a copy with the first merges, told as their number or as the size they lead to.

    Tokens that only the other merges make are not in it. Returns the number of merges too.
    """
    if (n is None) == (vocab_size is None):
        raise TypeError("at takes the number of merges, or else vocab_size=, one of them")
    model = model_of(engine)
    pairs = merges_of(engine, model.rule)
    first = _first_kept(model, pairs)
    if n is None:
        n = _merges_for(Counter(first.values()), whole("vocab_size", vocab_size))
    check_merges(n, len(pairs))
    if isinstance(model.rule, Merges):
        model = replace(model, rule=Merges(pairs[:n]))
    return engine_of(only(model, [id_ for id_, least in first.items() if least <= n])), n


def report_of_first(report: TrainingReport, n: int, merges: int) -> TrainingReport | None:
    """Return what a report of so many merges tells of the first n, if it does.

    Where a tokenizer was extended, its report tells of the merges since then alone.
    """
    before = merges - len(report.pairs)
    return report.at(n - before) if n >= before else None


def _merges_for(new: Counter[int], vocab_size: int) -> int:
    """Return with how many merges a vocabulary has a size: with the most, where several do."""
    sizes = list(accumulate(new[n] for n in range(max(new, default=0) + 1)))
    found = bisect_right(sizes, vocab_size) - 1
    if found < 0 or sizes[found] != vocab_size:
        raise ValueError(
            f"vocab_size is {vocab_size}, but the first merges of this tokenizer give sizes from"
            f" {sizes[0]} to {sizes[-1]}" + ("" if found < 0 else f", such as {sizes[found]}")
        )
    return found


def _first_kept(model: Model, pairs: Merged) -> dict[int, int]:
    """Return how many of the merges, at least, each token is kept with.

    What no merge makes stays if the merges are listed; else it has a place between them.
    """
    first = dict.fromkeys(needed(model), 0)
    if isinstance(model.rule, Merges):
        made = {merged for _, _, merged in pairs}
        first |= dict.fromkeys(model.tokens.keys() - made, 0)
    else:
        places = _places(model)
        order = [places[merged] for _, _, merged in pairs]
        for id_, place in places.items():
            first.setdefault(id_, bisect_right(order, place))
    # In files of others a merge may come before the one that makes its part.
    for n, merge in enumerate(pairs, 1):
        for id_ in merge:
            first[id_] = min(first.get(id_, n), n)
    return first


def _places(model: Model) -> dict[int, tuple[float, int]]:
    """Return what goes first, where no merges are listed: the least rank, or the best score."""
    scores = model.rule.values if isinstance(model.rule, Scores) else {}
    return {id_: (-scores.get(id_, 0.0), id_) for id_ in model.tokens}


def merges_of(engine: Engine, rule: Rule) -> Merged:
    """Return the merges of a model. Raises `ValueError` where its rule has none."""
    if not isinstance(rule, Greedy):
        return tuple(engine.merges())
    raise ValueError(f"this tokenizer has the rule {rule!r}, and no merges")


def needed(model: Model) -> set[int]:
    """Return the ids that no smaller vocabulary can be without: units, added and unknown tokens.

    A unit is what a word may begin as, and where bytes stand for what has no token, each of them.
    """
    unknown = (model.unk_token or "").encode()
    listed = {token.id for token in model.added_tokens} | ids_around(model.post_processor)
    units = {id_ for id_, token in model.tokens.items() if is_unit(model, id_, token)}
    named = {id_ for id_, token in model.tokens.items() if unknown and token == unknown}
    kinds = model.rule.kinds if isinstance(model.rule, Scores) else {}
    apart = {id_ for id_, kind in kinds.items() if kind not in ("normal", "unused")}
    return listed | units | named | apart | model.added_only


def only(model: Model, kept: Collection[int], ids: Mapping[int, int] | None = None) -> Model:
    """Return a model with some of the tokens, whose ids may be other ones.

    Its merges must need no token that is not kept.
    """
    new = {id_: id_ for id_ in kept} if ids is None else ids
    return replace(
        model,
        tokens={new[id_]: token for id_, token in model.tokens.items() if id_ in new},
        rule=_renumbered(model.rule, new),
        word_ends=_mapped(model.word_ends, new),
        added_only=_mapped(model.added_only, new),
        literal=_mapped(model.literal, new),
        unused=_mapped(model.unused, new),
        added_tokens=tuple(replace(token, id=new[token.id]) for token in model.added_tokens),
        post_processor=renumbered(model.post_processor, new),
    )


def _renumbered(rule: Rule, new: Mapping[int, int]) -> Rule:
    """Return a rule with other ids. What a trainer made of texts may be something else then."""
    if isinstance(rule, Merges):
        return Merges(tuple((new[left], new[right], new[made]) for left, right, made in rule.pairs))
    if not isinstance(rule, Scores):
        return rule
    kept = [id_ for id_ in rule.values if id_ in new]
    return Scores(
        {new[id_]: rule.values[id_] for id_ in kept},
        {new[id_]: rule.kinds[id_] for id_ in kept if id_ in rule.kinds},
        bos=None if rule.bos is None else new[rule.bos],
        eos=None if rule.eos is None else new[rule.eos],
        pad=None if rule.pad is None else new[rule.pad],
    )


def _mapped(ids: frozenset[int], new: Mapping[int, int]) -> frozenset[int]:
    return frozenset(new[id_] for id_ in ids if id_ in new)


def is_unit(model: Model, id_: int, token: bytes) -> bool:
    """Whether a word may begin as this token: a byte or character, a marker, or both in one."""
    if model.byte_fallback and BYTE.fullmatch(token):
        return True
    most = 1
    if id_ in model.word_ends and model.end_of_word is not None:
        token = token.removesuffix(model.end_of_word.encode())
        most = 1 if model.marker == "attached" else 0
    token = token.removeprefix((model.continuing_prefix or "").encode())
    if model.units == "bytes":
        return len(token) <= most
    # A token of a file may hold bytes that are no text; no character is one.
    return len(token.decode("utf-8", "surrogateescape")) <= most
