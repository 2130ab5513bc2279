"""Smaller vocabularies out of one: the first merges, and only some tokens."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from digram._core import Engine
from digram._engine import engine_of, model_of
from digram._model import Merges, Model
from digram._post_processors import ids_around, renumbered
from digram._report import check_merges

__all__ = ["merges_at", "merges_of", "needed", "only", "with_first"]


def merges_at(engine: Engine, n: int | None, vocab_size: int | None) -> int:
    """Return how many merges are wanted, told as their number or as the size they lead to."""
    if (n is None) == (vocab_size is None):
        raise TypeError("at takes the number of merges, or else vocab_size=, one of them")
    most = len(engine.merges())
    if vocab_size is not None:
        n = most - (len(engine) - vocab_size)
        if not 0 <= n <= most:
            raise ValueError(
                f"vocab_size is {vocab_size}, but the first merges of this tokenizer give sizes"
                f" from {len(engine) - most} to {len(engine)}"
            )
    if n is None:
        raise TypeError("n is missing")
    check_merges(n, most)
    return n


def with_first(engine: Engine, n: int) -> Engine:
    """Return a copy with the first n merges, and without the tokens that only others make."""
    model = model_of(engine)
    pairs = merges_of(model)
    made = {merged for _, _, merged in pairs[:n]} | needed(model)
    gone = {merged for _, _, merged in pairs[n:]} - made
    return engine_of(only(replace(model, rule=Merges(pairs[:n])), model.tokens.keys() - gone))


def merges_of(model: Model) -> tuple[tuple[int, int, int], ...]:
    """Return the merges of a model. Raises `ValueError` where its rule lists none."""
    if isinstance(model.rule, Merges):
        return model.rule.pairs
    raise ValueError(
        f"this tokenizer has the rule {model.rule!r}, and no list of merges; training makes one,"
        " and tokenizer.json has one"
    )


def needed(model: Model) -> set[int]:
    """Return the ids that no smaller vocabulary can be without: units, added and unknown tokens."""
    unknown = (model.unk_token or "").encode()
    listed = {token.id for token in model.added_tokens} | ids_around(model.post_processor)
    units = {id_ for id_, token in model.tokens.items() if _is_unit(model, id_, token)}
    named = {id_ for id_, token in model.tokens.items() if unknown and token == unknown}
    return listed | units | named | model.added_only


def only(model: Model, kept: Collection[int], ids: Mapping[int, int] | None = None) -> Model:
    """Return a model with some of the tokens, whose ids may be other ones.

    Its merges must need no token that is not kept.
    """
    new = {id_: id_ for id_ in kept} if ids is None else ids
    pairs = merges_of(model)
    return replace(
        model,
        tokens={new[id_]: token for id_, token in model.tokens.items() if id_ in new},
        rule=Merges(tuple((new[left], new[right], new[made]) for left, right, made in pairs)),
        word_ends=_mapped(model.word_ends, new),
        added_only=_mapped(model.added_only, new),
        literal=_mapped(model.literal, new),
        unused=_mapped(model.unused, new),
        added_tokens=tuple(replace(token, id=new[token.id]) for token in model.added_tokens),
        post_processor=renumbered(model.post_processor, new),
    )


def _mapped(ids: frozenset[int], new: Mapping[int, int]) -> frozenset[int]:
    return frozenset(new[id_] for id_ in ids if id_ in new)


def _is_unit(model: Model, id_: int, token: bytes) -> bool:
    """Whether a word may begin as this token: a byte or character, a marker, or both in one."""
    most = 1
    if id_ in model.word_ends and model.end_of_word is not None:
        token = token.removesuffix(model.end_of_word.encode())
        most = 1 if model.marker == "attached" else 0
    if model.units == "bytes":
        return len(token) <= most
    # A token of a file may hold bytes that are no text; no character is one.
    return len(token.decode("utf-8", "surrogateescape")) <= most
