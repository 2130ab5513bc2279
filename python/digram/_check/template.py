"""Findings on the template that stands around a text."""

from __future__ import annotations

from functools import partial

from digram._check.findings import Findings, finding
from digram._check.listing import Listing
from digram._parts import parts_of
from digram.components import (
    BertProcessing,
    RobertaProcessing,
    TemplateProcessing,
    TemplateText,
    TemplateToken,
)

__all__ = ["check_template"]

PLACE = "post_processor"


def check_template(listing: Listing) -> Findings:
    """Look at the ids that the post-processor puts around a text."""
    for part in parts_of(listing.post_processor):
        if isinstance(part, BertProcessing | RobertaProcessing):
            for name, id_ in (part.cls, part.sep):
                yield from _id(listing, name, id_)
        if isinstance(part, TemplateProcessing):
            yield from _template(listing, part)


def _template(listing: Listing, template: TemplateProcessing) -> Findings:
    pieces = (*template.single, *template.pair)
    used = {piece.id for piece in pieces if isinstance(piece, TemplateToken)}
    defined = {special.id for special in template.special_tokens}
    for name in sorted(used - defined):
        yield finding("template-name-undefined", f"{name!r} is not defined", place=PLACE)
    for special in template.special_tokens:
        if special.id not in used:
            message = f"{special.id!r} is defined and not used"
            yield finding("template-name-unused", message, place=PLACE)
        for name, id_ in zip(special.tokens, special.ids, strict=False):
            yield from _id(listing, name, id_)
    for what, pieces, texts in (("single", template.single, "A"), ("pair", template.pair, "AB")):
        there = {piece.id for piece in pieces if isinstance(piece, TemplateText)}
        for text in texts:
            if text not in there:
                message = f"{what} has no place for the text {text}"
                yield finding("template-without-text", message, place=f"{PLACE}.{what}")


def _id(listing: Listing, name: str, id_: int) -> Findings:
    """Look at one id that stands for a name."""
    if listing.ids.get(name) == id_:
        return
    here = partial(finding, ids=(id_,), place=PLACE)
    added = {token.id: token.content for token in listing.added}
    names = {token_id: token for token, token_id in listing.tokens}
    known = listing.ids.get(name) if name in listing.added_names else None
    own = "" if known is None else f"; the special token {name!r} has the id {known}"
    if id_ in added:
        message = f"{name!r} is said to be id {id_}, which is {added[id_]!r}{own}"
        yield here("template-id-mismatch", message)
    elif id_ in names:
        message = f"{name!r} is said to be id {id_}, which is the ordinary token {names[id_]!r}"
        yield here("template-id-ordinary", message + own)
    else:
        message = f"{name!r} is said to be id {id_}, which is no token{own}"
        yield here("template-id-unknown", message)
