"""Findings on settings that change what readers of the file do."""

from __future__ import annotations

from digram._check.findings import Findings, finding
from digram._check.listing import Listing

__all__ = ["check_settings"]


def check_settings(listing: Listing) -> Findings:
    """Look at dropout, truncation and padding."""
    if listing.dropout:
        yield finding("dropout-on", f"it is {listing.dropout}", place="model.dropout")
    if listing.truncation is not None:
        message = f"texts are cut to {listing.truncation.max_length} ids"
        yield finding("truncation-on", message, place="truncation")
    if listing.padding is not None:
        named, id_ = listing.padding.pad_token, listing.padding.pad_id
        if listing.ids.get(named) != id_:
            other = listing.ids.get(named)
            said = "no token" if other is None else f"id {other}"
            message = f"pad_id is {id_}, and pad_token {named!r} is {said}"
            yield finding("padding-id-mismatch", message, ids=(id_,), place="padding")
