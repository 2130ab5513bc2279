"""What a tokenizer's ids depend on, in one canonical form, and its hash."""

from __future__ import annotations

import json
from typing import Any

from digram._core import Engine
from digram._model import Kind
from digram._template import FIRST, SECOND, frame

__all__ = ["fingerprint_of", "settings_affecting_ids"]

# What a model keeps that changes no id.
KEPT = frozenset({"decoder", "truncation", "padding", "bos", "eos", "pad", "self_test"})
# The kinds of pieces that merging makes.
MERGED = ("normal", "unused")
# Fields of normalizers and pre-tokenizers that say what offsets are, not what ids are.
OFFSETS_ONLY = frozenset({"trim_offsets"})


def fingerprint_of(engine: Engine) -> str:
    """Hash what affects ids, and nothing else, with SHA-256.

    The canonical form is, in this order: each token as its id, length and bytes, ascending by id;
    the ids that end a word; the ids that are only added; the ids of plain text; the merges as
    (left, right, merged) in rank order; the settings as compact JSON with sorted keys. Numbers
    are 4 bytes, little endian, and each list begins with its length.

    By scores, the settings hold the pieces too, as (id, rank, kind): equal scores have one rank,
    the best is 0, and what is never merged has none.

    The settings are those of the model without the decoder, truncation and padding, with the
    added tokens in the order of their ids. Of a post-processor stands what it puts around a text
    and around two, null where it refuses that, not how its parts are called; of the other
    components, all but what concerns offsets.
    """
    import hashlib  # only here: it loads a library of its own

    tokens, word_ends, added_only, literal, merges, pieces, _ = engine.parts()
    digest = hashlib.sha256()
    digest.update(_u32(len(tokens)))
    for token_id, token in tokens:
        digest.update(_u32(token_id) + _u32(len(token)) + token)
    for ids in (word_ends, added_only, literal, [id_ for merge in merges for id_ in merge]):
        digest.update(_u32(len(ids)))
        digest.update(b"".join(map(_u32, ids)))
    affecting = settings_affecting_ids(engine)
    if pieces:
        affecting["pieces"] = _ranked(pieces)
    digest.update(json.dumps(affecting, sort_keys=True, separators=(",", ":")).encode())
    return digest.hexdigest()


def settings_affecting_ids(engine: Engine) -> dict[str, Any]:
    """Return the settings of a model as far as ids depend on them, as `fingerprint_of` says."""
    settings = {k: v for k, v in json.loads(engine.settings()).items() if k not in KEPT}
    for slot in ("normalizer", "pre_tokenizer"):
        settings[slot] = _without_offsets(settings[slot])
    settings["added_tokens"].sort(key=lambda token: (token["id"], token["content"]))
    settings["post_processor"] = _around(engine)
    return settings


def _around(engine: Engine) -> list[list[int] | None] | None:
    """Return what stands around one text and around two; `None` for nothing."""
    framed = [_framed(engine, is_pair=is_pair) for is_pair in (False, True)]
    return None if framed == [[FIRST], [FIRST, SECOND]] else framed


def _framed(engine: Engine, *, is_pair: bool) -> list[int] | None:
    try:
        return [id_ for id_, _ in frame(engine, is_pair=is_pair)]
    except ValueError:  # as a call that puts a template around such texts says
        return None


def _ranked(pieces: list[tuple[int, float, Kind]]) -> list[tuple[int, int | None, Kind]]:
    merged = {score for _, score, kind in pieces if kind in MERGED}
    ranks = {score: rank for rank, score in enumerate(sorted(merged, reverse=True))}
    return [(id_, ranks[s] if kind in MERGED else None, kind) for id_, s, kind in pieces]


def _without_offsets(described: Any) -> Any:
    if isinstance(described, dict):
        return {k: _without_offsets(v) for k, v in described.items() if k not in OFFSETS_ONLY}
    if isinstance(described, list):
        return [_without_offsets(part) for part in described]
    return described


def _u32(number: int) -> bytes:
    return number.to_bytes(4, "little")
