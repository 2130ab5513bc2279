"""Findings on added tokens, special ones among them."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict

from digram._check.findings import Findings, finding
from digram._check.listing import Listing

__all__ = ["check_added"]


def check_added(listing: Listing) -> Findings:
    """Look at the added tokens beside the vocabulary."""
    in_vocabulary = dict(listing.tokens)
    name_of = {id_: token for token, id_ in listing.tokens}
    for place, token in enumerate(listing.added):
        where = f"added_tokens[{place}]"
        named, own = in_vocabulary.get(token.content), name_of.get(token.id)
        if not token.content:
            yield finding("added-empty", "its content is ''", ids=(token.id,), place=where)
        if named is not None and named != token.id:
            message = f"{token.content!r} has the id {token.id} here, and {named} in the vocabulary"
            yield finding("added-id-mismatch", message, ids=(token.id, named), place=where)
        elif own is not None and own != token.content:
            message = f"{token.content!r} has the id {token.id}, which is that of {own!r}"
            yield finding("added-id-taken", message, ids=(token.id,), place=where)
    yield from _twice(listing)
    yield from _alike(listing)


def _twice(listing: Listing) -> Findings:
    for content, times in Counter(token.content for token in listing.added).items():
        if times > 1:
            yield finding("duplicate-added", f"{content!r} is listed {times} times")
    names: dict[int, list[str]] = defaultdict(list)
    for token in listing.added:
        names[token.id].append(token.content)
    for id_, contents in names.items():
        if len({*contents}) > 1:
            named = " and ".join(map(repr, contents))
            yield finding("duplicate-added", f"{named} have the id {id_}", ids=(id_,))


def _alike(listing: Listing) -> Findings:
    specials = [token for token in listing.added if token.special and token.content]
    whole = "\n".join(sorted({token.content for token in specials}, key=len))
    for token in specials:
        # once it stands there itself, and again where it is within another
        others = (o for o in specials if o.content != token.content and token.content in o.content)
        if whole.count(token.content) > 1 and (outer := next(others, None)):
            message = f"{token.content!r} is within {outer.content!r}"
            yield finding("special-contained", message, ids=(token.id, outer.id))
    looks: dict[str, list[int]] = defaultdict(list)
    by_id = {token.id: token.content for token in specials}
    for token in specials:
        looks[_look(token.content)].append(token.id)
    for ids in looks.values():
        if len({by_id[id_] for id_ in ids}) > 1:
            named = " and ".join(repr(by_id[id_]) for id_ in ids)
            yield finding("special-look-alike", f"{named} look the same", ids=tuple(ids))


def _look(text: str) -> str:
    """Return what two texts that look the same have in common.

    >>> _look("<｜END｜>") == _look("<|end|>")
    True
    """
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
