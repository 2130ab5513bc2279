"""What must hold of a model before it is used."""

from __future__ import annotations

from collections.abc import Iterable

from digram._model import Merges, Model
from digram.errors import FormatError
from digram.reference.spelling import END, spell, token_units


def check(model: Model) -> Model:
    """Return the model if each merge is an ordered pair whose product is its parts joined.

    >>> tokens = {0: b"a", 1: b"b", 2: b"ab"}
    >>> check(Model(tokens, Merges(((0, 1, 2),)))).rule
    Merges(1 pair)
    >>> check(Model(tokens, Merges(((1, 0, 2),))))
    Traceback (most recent call last):
    digram.errors.FormatError: merge 0: 'b' + 'a' is not 'ab'; a product is its parts joined
    """
    if not isinstance(model.rule, Merges):
        return model
    seen: set[tuple[int, int]] = set()
    for rank, merge in enumerate(model.rule.pairs):
        if not isinstance(merge, tuple):
            raise TypeError(f"merge {rank} is {merge!r}; give an ordered tuple of three ids")
        check_merge(model, rank, *merge)
        if merge[:2] in seen:
            left, right = (spell(model, part) for part in merge[:2])
            raise FormatError(f"merge {rank}: the pair {left!r} {right!r} is listed twice")
        seen.add(merge[:2])
    return model


def check_merge(model: Model, rank: int, left: int, right: int, merged: int) -> None:
    """Refuse a merge of ids that have no token, or whose product is not its parts joined."""
    for token_id in (left, right, merged):
        if token_id not in model.tokens:
            raise FormatError(f"merge {rank}: id {token_id} is not in the vocabulary")
    first, second = token_units(model, left), token_units(model, right)
    if END in first or first + second != token_units(model, merged):
        names = [spell(model, token_id) for token_id in (left, right, merged)]
        raise FormatError(
            f"merge {rank}: {names[0]!r} + {names[1]!r} is not {names[2]!r};"
            " a product is its parts joined"
        )


def in_learned_order(merges: Iterable[tuple[int, int, int]]) -> bool:
    """Say whether every merge's parts are made before it, by whichever merges make them.

    Only then do "in learned order" and "lowest rank first" always agree: a merge can then give
    no work to a merge before it.

    >>> in_learned_order([(0, 1, 2), (2, 1, 3)]), in_learned_order([(2, 1, 3), (0, 1, 2)])
    (True, False)
    """
    merges = list(merges)
    made = {merged: rank for rank, (_, _, merged) in enumerate(merges)}  # the last that makes it
    return all(made.get(part, -1) < rank for rank, merge in enumerate(merges) for part in merge[:2])
