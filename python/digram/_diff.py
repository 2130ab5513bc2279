"""What has changed between two tokenizers: tokens and ids, merges, added tokens, components."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from digram._load import load
from digram._model import Greedy, Merges, Model
from digram._tokenizer import Tokenizer
from digram.components import AddedToken, to_json

__all__ = ["Change", "Difference", "diff"]

COMPONENTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
# Fields of a model that are no settings: they are compared in their own ways.
APART = frozenset(
    {"tokens", "rule", "added_tokens", "word_ends", "added_only", "literal", *COMPONENTS}
)
SETS = ("word_ends", "added_only", "literal")
SIGNS = {"removed": "-", "added": "+", "changed": "~", "moved": "~"}

Kind = Literal["removed", "added", "changed", "moved"]
Pair = tuple[bytes, bytes]


@dataclass(frozen=True)
class Change:
    """One change: in which part, of what kind, of what, and what it was and is.

    `part` is `"tokens"`, `"merges"`, `"added_tokens"`, `"settings"` or the name of a component. Of
    a token `before` and `after` are ids, of a merge ranks.
    """

    part: str
    kind: Kind
    subject: str
    before: Any
    after: Any

    def __str__(self) -> str:
        numbered = {"tokens": "id ", "merges": "rank "}.get(self.part, "")
        told = [f"{numbered}{v}" if numbered else repr(v) for v in (self.before, self.after)]
        if self.kind == "removed":
            told = told[:1]
        elif self.kind == "added":
            told = told[1:]
        return f"{SIGNS[self.kind]} {self.part}: {self.subject}: {' → '.join(told)}"


@dataclass(frozen=True)
class Difference:
    """All that has changed between two tokenizers; false where nothing has.

    `same_ids` says whether the fingerprints are equal, so that every text has the same ids.
    """

    changes: tuple[Change, ...]
    same_ids: bool

    def __bool__(self) -> bool:
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes))


def diff(
    first: Tokenizer | str | os.PathLike[str], second: Tokenizer | str | os.PathLike[str]
) -> Difference:
    """Tell what has changed from the first tokenizer to the second, or to a file of it.

    Tokens are told by their bytes, merges by the bytes of their parts: two ids that are swapped
    are two changes, however many merges name them. Of merges in another order, the fewest are told
    that had to move. What is kept of training is not compared. O(n log n) for n merges.

    >>> import digram
    >>> tok = digram.train(["low lower lowest"], num_merges=3)
    >>> print(digram.diff(tok, tok.with_(rule=digram.Merges(tok.merges[:-1]))))
    - merges: ' ' + 'low': rank 2
    >>> bool(digram.diff(tok, tok))
    False
    """
    one, two = (tok if isinstance(tok, Tokenizer) else load(tok) for tok in (first, second))
    before, after = one.model, two.model
    changes = (
        *_tokens(before, after),
        *_merges(before, after),
        *_added(before, after),
        *_settings(before, after),
        *(c for slot in COMPONENTS for c in _components(before, after, slot)),
    )
    return Difference(changes, same_ids=one.fingerprint == two.fingerprint)


def _tokens(before: Model, after: Model) -> Iterator[Change]:
    """Compare the tokens that are not added ones."""
    old, new = _ids_of(before), _ids_of(after)
    for token, ids in old.items():
        if token not in new:
            yield Change("tokens", "removed", shown(token), _number(ids), None)
        elif new[token] != ids:
            yield Change("tokens", "changed", shown(token), _number(ids), _number(new[token]))
    for token, ids in new.items():
        if token not in old:
            yield Change("tokens", "added", shown(token), None, _number(ids))


def _ids_of(model: Model) -> Mapping[bytes, list[int]]:
    aside = {token.id for token in model.added_tokens}
    ids: dict[bytes, list[int]] = defaultdict(list)
    for id_, token in model.tokens.items():
        if id_ not in aside:
            ids[token].append(id_)
    return ids


def _number(ids: Sequence[int]) -> Any:
    """Return an id, or the ids where the same bytes have several."""
    return ids[0] if len(ids) == 1 else list(ids)


def _merges(before: Model, after: Model) -> Iterator[Change]:
    if not (isinstance(before.rule, Merges) and isinstance(after.rule, Merges)):
        if before.rule != after.rule:
            yield Change("settings", "changed", "rule", _rule(before), _rule(after))
        return
    old, new = _ranks(before, before.rule), _ranks(after, after.rule)
    for pair, rank in old.items():
        if pair not in new:
            yield Change("merges", "removed", _joined(pair), rank, None)
    for pair, rank in new.items():
        if pair not in old:
            yield Change("merges", "added", _joined(pair), None, rank)
    common = [pair for pair in old if pair in new]
    for pair in _moved(common, [new[pair] for pair in common]):
        yield Change("merges", "moved", _joined(pair), old[pair], new[pair])


def _rule(model: Model) -> str:
    if isinstance(model.rule, Greedy):
        return f"greedy, {model.rule.order}"
    if isinstance(model.rule, Merges):
        return f"{len(model.rule.pairs)} merges"
    return type(model.rule).__name__.lower()


def _ranks(model: Model, rule: Merges) -> dict[Pair, int]:
    tokens = model.tokens
    return {(tokens[left], tokens[right]): r for r, (left, right, _) in enumerate(rule.pairs)}


def _moved(items: Sequence[Pair], ranks: Sequence[int]) -> list[Pair]:
    """Return the fewest items without which the ranks ascend.

    >>> _moved("abcde", [0, 4, 1, 2, 3])
    ['b']
    """
    if all(ranks[i] < ranks[i + 1] for i in range(len(ranks) - 1)):
        return []
    # the longest ascending part: what it ends with at each length, and what came before each
    ends: list[int] = []
    places: list[int] = []
    previous: list[int] = []
    for place, rank in enumerate(ranks):
        length = bisect_left(ends, rank)
        previous.append(places[length - 1] if length else -1)
        ends[length : length + 1] = [rank]
        places[length : length + 1] = [place]
    kept, place = set(), places[-1]
    while place >= 0:
        kept.add(place)
        place = previous[place]
    return [item for place, item in enumerate(items) if place not in kept]


def _added(before: Model, after: Model) -> Iterator[Change]:
    """Compare the added tokens, field by field where an id has one in both."""
    old = {token.id: token for token in before.added_tokens}
    new = {token.id: token for token in after.added_tokens}
    for id_, token in old.items():
        if id_ not in new:
            yield Change("added_tokens", "removed", f"id {id_}", token.content, None)
            continue
        for field in fields(AddedToken):
            was, is_ = getattr(token, field.name), getattr(new[id_], field.name)
            if was != is_:
                subject = f"id {id_} {token.content!r}: {field.name}"
                yield Change("added_tokens", "changed", subject, was, is_)
    for id_, token in new.items():
        if id_ not in old:
            yield Change("added_tokens", "added", f"id {id_}", None, token.content)


def _settings(before: Model, after: Model) -> Iterator[Change]:
    for field in fields(Model):
        was, is_ = getattr(before, field.name), getattr(after, field.name)
        if field.name not in APART and was != is_:
            yield Change("settings", "changed", field.name, was, is_)
    same = {id_ for id_, token in before.tokens.items() if after.tokens.get(id_) == token}
    for name in SETS:
        was, is_ = getattr(before, name) & same, getattr(after, name) & same
        if was != is_:
            yield Change("settings", "changed", name, sorted(was - is_), sorted(is_ - was))


def _components(before: Model, after: Model, slot: str) -> Iterator[Change]:
    was, is_ = (
        None if getattr(model, slot) is None else to_json(getattr(model, slot))
        for model in (before, after)
    )
    for path, one, two in _fields(was, is_, ""):
        yield Change(slot, "changed", path or slot, one, two)


def _fields(was: Any, is_: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """List what differs in two values of JSON, with the path of each.

    >>> list(_fields({"a": [1, 2]}, {"a": [1, 3]}, ""))
    [('a[1]', 2, 3)]
    """
    if isinstance(was, dict) and isinstance(is_, dict) and was.get("type") == is_.get("type"):
        for key in [*was, *(key for key in is_ if key not in was)]:
            inner = f"{path}.{key}" if path else key
            yield from _fields(was.get(key), is_.get(key), inner)
    elif isinstance(was, list) and isinstance(is_, list) and len(was) == len(is_):
        for index, (one, two) in enumerate(zip(was, is_, strict=True)):
            yield from _fields(one, two, f"{path}[{index}]")
    elif was != is_:
        yield path, was, is_


def shown(token: bytes) -> str:
    r"""Return a token as it is told: as text where it is one.

    >>> shown(b" low"), shown(b"\xc3")
    ("' low'", "b'\\xc3'")
    """
    try:
        return repr(token.decode("utf-8"))
    except UnicodeDecodeError:
        return repr(token)


def _joined(pair: Pair) -> str:
    return f"{shown(pair[0])} + {shown(pair[1])}"
