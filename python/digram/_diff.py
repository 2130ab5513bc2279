"""What has changed between two tokenizers: tokens and ids, merges, added tokens, components."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from digram._load import load
from digram._model import Greedy, Merges, Model, Scores
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
# A token's bytes, and which one it is of the ids that stand for them.
Name = tuple[bytes, int]
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Change:
    """One change: in which part, of what kind, of what, and what it was and is.

    `part` is `"tokens"`, `"merges"`, `"scores"`, `"kinds"`, `"added_tokens"`, `"settings"` or the
    name of a component. Of a token `before` and `after` are ids, of a merge ranks, of a piece of
    SentencePiece's what its score or its kind was and is.
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
        *_rules(before, after),
        *_added(before, after),
        *_settings(before, after),
        *(c for slot in COMPONENTS for c in _components(before, after, slot)),
    )
    return Difference(changes, same_ids=one.fingerprint == two.fingerprint)


def _tokens(before: Model, after: Model) -> Iterator[Change]:
    """Compare the tokens that are not added ones."""
    if before.tokens == after.tokens and _aside(before) == _aside(after):
        return
    old, new = _ids_of(before), _ids_of(after)
    for token, ids in old.items():
        if token not in new:
            yield Change("tokens", "removed", shown(token), _number(ids), None)
        elif new[token] != ids:
            yield Change("tokens", "changed", shown(token), _number(ids), _number(new[token]))
    for token, ids in new.items():
        if token not in old:
            yield Change("tokens", "added", shown(token), None, _number(ids))


def _aside(model: Model) -> set[int]:
    return {token.id for token in model.added_tokens}


def _ids_of(model: Model) -> Mapping[bytes, list[int]]:
    aside = _aside(model)
    ids: dict[bytes, list[int]] = defaultdict(list)
    for id_, token in model.tokens.items():
        if id_ not in aside:
            ids[token].append(id_)
    return ids


def _number(ids: Sequence[int]) -> Any:
    """Return an id, or the ids where the same bytes have several."""
    return ids[0] if len(ids) == 1 else list(ids)


def _rules(before: Model, after: Model) -> Iterator[Change]:
    """Compare the rules by which tokens are made."""
    old, new = before.rule, after.rule
    if old == new and before.tokens == after.tokens:
        return
    if isinstance(old, Merges) and isinstance(new, Merges):
        yield from _merges(_ranks(before, old), _ranks(after, new))
    elif isinstance(old, Scores) and isinstance(new, Scores):
        yield from _scores(_names(before), old, {name: i for i, name in _names(after).items()}, new)
    elif old != new:
        yield Change("settings", "changed", "rule", _rule(before), _rule(after))


def _merges(old: Mapping[Merge, int], new: Mapping[Merge, int]) -> Iterator[Change]:
    for merge, rank in old.items():
        if merge not in new:
            yield Change("merges", "removed", str(merge), rank, None)
    for merge, rank in new.items():
        if merge not in old:
            yield Change("merges", "added", str(merge), None, rank)
    common = [merge for merge in old if merge in new]
    for merge in _moved(common, [new[merge] for merge in common]):
        yield Change("merges", "moved", str(merge), old[merge], new[merge])


def _scores(
    names: Mapping[int, Name], old: Scores, ids: Mapping[Name, int], new: Scores
) -> Iterator[Change]:
    """Compare the pieces that both have, given the names of the old and the ids of the new."""
    for id_, name in names.items():
        if name in ids:
            score, other = old.values.get(id_), new.values.get(ids[name])
            if score != other:
                yield Change("scores", "changed", _told(name), score, other)
            kind, other_kind = (r.kinds.get(i, "normal") for r, i in ((old, id_), (new, ids[name])))
            if kind != other_kind:
                yield Change("kinds", "changed", _told(name), kind, other_kind)
    for field in ("bos", "eos", "pad", "self_test"):
        was, is_ = getattr(old, field), getattr(new, field)
        if was != is_:
            yield Change("settings", "changed", field, was, is_)


@dataclass(frozen=True)
class Merge:
    """A merge by the names of its parts and of what they become."""

    left: Name
    right: Name
    made: Name

    def __str__(self) -> str:
        becomes = f" = {_told(self.made)}" if self.made[1] else ""
        return f"{_told(self.left)} + {_told(self.right)}{becomes}"


def _rule(model: Model) -> str:
    if isinstance(model.rule, Greedy):
        return f"greedy, {model.rule.order}"
    if isinstance(model.rule, Merges):
        return f"{len(model.rule.pairs)} merges"
    return type(model.rule).__name__.lower()


def _ranks(model: Model, rule: Merges) -> dict[Merge, int]:
    names = _names(model)
    return {Merge(*(names[id_] for id_ in pair)): rank for rank, pair in enumerate(rule.pairs)}


def _names(model: Model) -> dict[int, Name]:
    """Name each token by its bytes, and by which it is of the ids that stand for these."""
    met: dict[bytes, int] = defaultdict(int)
    names = {}
    for id_, token in model.tokens.items():
        names[id_] = token, met[token]
        met[token] += 1
    return names


def _moved(items: Sequence[_Item], ranks: Sequence[int]) -> list[_Item]:
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


def _told(name: Name) -> str:
    """Return a token as it is told, with its number where others have the same bytes.

    >>> _told((b"low", 0)), _told((b"low", 1))
    ("'low'", "'low' (2nd id)")
    """
    token, place = name
    ordinal = {2: "2nd", 3: "3rd"}.get(place + 1, f"{place + 1}th")
    return shown(token) + (f" ({ordinal} id)" if place else "")
