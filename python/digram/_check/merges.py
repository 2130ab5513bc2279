"""Findings on merges, as they are listed."""

from __future__ import annotations

from collections.abc import Sequence

from digram._check.findings import Findings, finding
from digram._check.listing import Listing

__all__ = ["check_merges"]


def check_merges(listing: Listing) -> Findings:
    """Look at the merges of a list."""
    if listing.merges is None:
        return
    products = [listing.product(*merge) for merge in listing.merges]
    yield from _tokens(listing, listing.merges, products)
    yield from _twice(listing.merges)
    yield from _order(listing.merges, products)
    if not listing.merges:
        longer = [token for token, _ in listing.ordinary if len(token) > 1]
        if longer and not listing.byte_fallback:
            message = f"{len(longer):,} tokens of several symbols, {longer[0]!r} for one"
            yield finding("no-merges", message, place="model.merges")


def _tokens(
    listing: Listing, merges: Sequence[tuple[str, str]], products: Sequence[str]
) -> Findings:
    """Find what merges join or make and is no token."""
    names = {token for token, _ in listing.tokens}
    if names.issuperset(part for merge in merges for part in merge) and names.issuperset(products):
        return
    for rank, (merge, product) in enumerate(zip(merges, products, strict=True)):
        if missing := [part for part in merge if part not in names]:
            message = f"{_shown(merge)}: {missing[0]!r} is no token"
            yield finding("merge-part-missing", message, place=_place(rank))
        if product not in names:
            message = f"{_shown(merge)} makes {product!r}, which is no token"
            yield finding("merge-product-missing", message, place=_place(rank))


def _twice(merges: Sequence[tuple[str, str]]) -> Findings:
    if len({*merges}) == len(merges):
        return
    ranks: dict[tuple[str, str], int] = {}
    for rank, merge in enumerate(merges):
        if merge in ranks:
            message = f"{_shown(merge)} is merge {ranks[merge]}, and merge {rank}"
            yield finding("duplicate-merge", message, place=_place(rank))
        ranks.setdefault(merge, rank)


def _order(merges: Sequence[tuple[str, str]], products: Sequence[str]) -> Findings:
    """Find merges that stand before one that makes a part of theirs.

    That is a fault in a list as training writes it, one merge for each token. Files made from
    ranks or scores list every way to make a token, in the order of what is made; there it is not.
    """
    rank_of: dict[str, int] = {}
    for rank, product in enumerate(products):
        rank_of.setdefault(product, rank)
    if len(rank_of) < len({*merges}):
        return
    for rank, merge in enumerate(merges):
        later = [part for part in merge if rank_of.get(part, -1) > rank]
        if later:
            message = f"{_shown(merge)}: {later[0]!r} is made by merge {rank_of[later[0]]} only"
            yield finding("merge-order", message, place=_place(rank))


def _place(rank: int) -> str:
    return f"merges[{rank}]"


def _shown(merge: tuple[str, str]) -> str:
    return f"{merge[0]!r} + {merge[1]!r}"
