"""Findings on tokens and their ids."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeVar

from digram._check.findings import Finding, Findings, finding
from digram._check.listing import ALPHABET, Listing, unspelled

__all__ = ["check_vocabulary"]

Key = TypeVar("Key")
Value = TypeVar("Value")

LARGEST_ID = 2**26 - 1
# A table of twice as many rows as there are tokens is still usual in small vocabularies.
FEW, TIMES = 10_000, 4
BYTE_TOKEN = re.compile(r"<0x([0-9A-F]{2})>")
BYTE_TOKENS = frozenset(f"<0x{byte:02X}>" for byte in range(256))

# Bytes that some UTF-8 text holds in a row: the end of a character, characters, the beginning of
# one (Unicode 16.0, table 3-7).
TAIL = rb"[\x80-\xbf]"
WITHIN_TEXT = re.compile(
    rb"[\x80-\xbf]{0,3}"
    rb"(?:[\x00-\x7f]|[\xc2-\xdf]T|\xe0[\xa0-\xbf]T|\xed[\x80-\x9f]T|[\xe1-\xec\xee\xef]TT"
    rb"|\xf0[\x90-\xbf]TT|[\xf1-\xf3]TTT|\xf4[\x80-\x8f]TT)*"
    rb"(?:[\xc2-\xf4]|\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef]T"
    rb"|\xf0[\x90-\xbf]T?|[\xf1-\xf3]T{1,2}|\xf4[\x80-\x8f]T?)?".replace(b"T", TAIL)
)


# The bytes of everything that is printed or typed: not the controls but tab and line ends, not what
# UTF-8 never has, nor what begins the planes where nothing is assigned (Unicode 16.0).
NEEDED = frozenset({*b"\t\n\r", *range(0x20, 0x7F), *range(0x80, 0xC0), *range(0xC2, 0xF1), 0xF3})


def check_vocabulary(listing: Listing) -> Findings:
    """Look at the tokens and their ids."""
    yield from _ids(listing)
    yield from _duplicates(listing)
    if listing.byte_level:
        yield from _bytes(listing)
    else:
        yield from _fallback(listing)
    yield from _named(listing)
    for token, id_ in listing.ordinary:
        if token == "":
            yield finding("empty-token", f"id {id_} stands for no bytes", ids=(id_,))


def _ids(listing: Listing) -> Findings:
    ids = sorted({*listing.ids.values()})
    for token, id_ in listing.tokens:
        if not 0 <= id_ <= LARGEST_ID:
            yield finding("id-out-of-range", f"{token!r} has the id {id_}", ids=(id_,))
    if not ids or not 0 <= ids[-1] <= LARGEST_ID:
        return
    if ids[-1] > FEW + TIMES * len(ids):
        message = f"{len(ids):,} tokens, and the largest id is {ids[-1]:,}"
        yield finding("id-outlier", message, ids=(ids[-1],))
    missing = ids[-1] - ids[0] + 1 - len(ids)
    if missing:
        before = next(a for a, b in pairwise(ids) if b != a + 1)
        yield finding("id-gap", f"{missing:,} ids are no token's, the first is {before + 1}")


def _duplicates(listing: Listing) -> Findings:
    distinct = [{*column} for column in zip(*listing.tokens, strict=True)]
    if all(len(column) == len(listing.tokens) for column in distinct):
        return
    for token, ids in _gathered(listing.tokens).items():
        if len(ids) > 1:
            yield finding("duplicate-token", f"{token!r} has the ids {_and(ids)}", ids=tuple(ids))
    tokens_of = _gathered((id_, token) for token, id_ in listing.tokens)
    for id_, tokens in tokens_of.items():
        if len({*tokens}) > 1:
            named = _and(map(repr, tokens))
            yield finding("duplicate-id", f"{named} have the id {id_}", ids=(id_,))


def _bytes(listing: Listing) -> Findings:
    ids_of: dict[bytes, list[int]] = defaultdict(list)
    for token, id_ in {*listing.ordinary}:
        found = unspelled(token)
        if found is None:
            yield _outside(listing, token, id_)
            found = token.encode("utf-8", "surrogatepass")
        elif found:
            yield from _broken(listing, found, id_)
        ids_of[found].append(id_)
    for found, ids in ids_of.items():
        if len({*ids}) > 1:
            message = f"ids {_and(sorted(ids))} all stand for {found!r}"
            yield finding("duplicate-bytes", message, ids=tuple(sorted(ids)))
    names = {token for token, _ in listing.tokens}
    missing = sorted(byte for byte, char in ALPHABET.items() if char not in names)
    if missing and names:
        needed = [byte for byte in missing if byte in NEEDED]
        first = needed[0] if needed else missing[0]
        message = f"{len(missing)} of 256 bytes are no token, 0x{first:02X} for one"
        yield finding("byte-missing", message, severity=None if needed else "note")


def _outside(listing: Listing, token: str, id_: int) -> Finding:
    char = next(char for char in token if unspelled(char) is None)
    where = "unknown to merges" if listing.merges is None else "and merges never meet it"
    message = f"{token!r} has {char!r}, which spells no byte, {where}"
    return finding("outside-alphabet", message, ids=(id_,))


def _broken(listing: Listing, token: bytes, id_: int) -> Findings:
    """Tell of a token that is no text by itself, and of one that no text holds."""
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        stem = token.removesuffix((listing.suffix or "").encode())
        if len(stem) > 1 and not WITHIN_TEXT.fullmatch(stem):
            yield finding("impossible-bytes", f"{token!r} is within no UTF-8 text", ids=(id_,))
        elif len(stem) > 1:
            message = f"{token!r} begins or ends inside a character"
            yield finding("broken-character", message, ids=(id_,))


def _fallback(listing: Listing) -> Findings:
    names = {token for token, _ in listing.tokens}
    there = BYTE_TOKENS & names
    if listing.byte_fallback and len(there) < len(BYTE_TOKENS):
        first = min(BYTE_TOKENS - names)
        message = f"{len(BYTE_TOKENS) - len(there)} of 256 byte tokens are missing: {first} …"
        yield finding("byte-fallback-incomplete", message)
    if not listing.byte_fallback and len(there) == len(BYTE_TOKENS):
        yield finding("byte-fallback-off", "byte_fallback is false", place="model")


def _named(listing: Listing) -> Findings:
    """Look at what the model names, and whether it is there."""
    if listing.unk_token is not None and listing.unk_token not in listing.ids:
        message = f"{listing.unk_token!r} is no token"
        yield finding("unk-missing", message, place="model.unk_token")
    if not listing.lists_ids:
        return  # nor does it name what stands before or behind tokens
    names = [token for token, _ in listing.tokens]
    if listing.prefix and not any(name.startswith(listing.prefix) for name in names):
        message = f"no token begins with continuing_subword_prefix {listing.prefix!r}"
        yield finding("affix-unused", message, place="model")
    if listing.suffix and not any(name.endswith(listing.suffix) for name in names):
        message = f"no token ends with end_of_word_suffix {listing.suffix!r}"
        yield finding("affix-unused", message, place="model")


def _gathered(entries: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    gathered: dict[Key, list[Value]] = defaultdict(list)
    for key, value in entries:
        gathered[key].append(value)
    return gathered


def _and(values: Iterable[object]) -> str:
    """Name several values.

    >>> _and([1, 2, 3])
    '1, 2 and 3'
    """
    *first, last = map(str, values)
    return f"{', '.join(first)} and {last}" if first else last
