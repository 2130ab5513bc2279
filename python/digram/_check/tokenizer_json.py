"""`tokenizer.json`, read as it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from digram._check.components import refusal
from digram._check.findings import Finding, finding
from digram._check.listing import Listing, is_byte_level
from digram._check.reading import Json, Shapes, duplicate_keys, pairs_of
from digram.components import AddedToken, Padding, Truncation, from_json
from digram.errors import FormatError

__all__ = ["Read", "list_tokenizer_json"]

KINDS = ("BPE", "DigramBPE", None)
SLOTS = ("normalizer", "pre_tokenizer", "decoder")
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


@dataclass(frozen=True)
class Read:
    """What a file lists, and what was found on the way."""

    listing: Listing
    found: tuple[Finding, ...]


def list_tokenizer_json(value: Json) -> Read:
    """Read a file; components that cannot be made are found, and left out."""
    shapes = Shapes(list(duplicate_keys(value)))
    model = shapes.take(value, "model", dict, "", {})
    if model.get("type") not in KINDS:
        message = f"the type is {model['type']!r}"
        listing = Listing(())
        return Read(listing, (*shapes.found, finding("not-bpe", message, place="model.type")))
    vocab = shapes.take(model, "vocab", dict, "model.", {})
    if not vocab:
        shapes.wrong("model.vocab", vocab, "an object of tokens and ids")
    parts = {slot: _component(value.get(slot), slot, shapes) for slot in SLOTS}
    listing = Listing(
        tokens=tuple(shapes.ids(pairs_of(vocab), "model.vocab")),
        merges=_merges(model, shapes),
        byte_level=is_byte_level(parts["normalizer"], parts["pre_tokenizer"]),
        added=_added(value, shapes),
        unk_token=shapes.take(model, "unk_token", str, "model.", None),
        byte_fallback=shapes.take(model, "byte_fallback", bool, "model.", default=False),
        dropout=shapes.take(model, "dropout", float | int, "model.", None),
        prefix=shapes.take(model, "continuing_subword_prefix", str, "model.", None) or None,
        suffix=shapes.take(model, "end_of_word_suffix", str, "model.", None) or None,
        post_processor=_post_processor(value.get("post_processor"), shapes),
        truncation=_truncation(shapes.take(value, "truncation", dict, "", None), shapes),
        padding=_padding(shapes.take(value, "padding", dict, "", None), shapes),
    )
    return Read(listing, tuple(shapes.found))


def _merges(model: dict[str, Any], shapes: Shapes) -> tuple[tuple[str, str], ...] | None:
    if "merges" not in model:
        # digram's own spelling of a model that merges by rank, or not at all
        by_rank = isinstance(model.get("digram"), dict) and model["digram"].get("rule")
        return None if by_rank else ()
    return tuple(shapes.merges(model["merges"], "model.merges"))


def _component(described: Json, slot: str, shapes: Shapes) -> Any:
    """Read a component as the engine does, which knows older spellings too."""
    if described is None:
        return None
    found = refusal(slot, described)
    if found is not None:
        shapes.found.append(found)
        return None
    try:
        return from_json(described, slot)
    except FormatError:
        return None  # spelled as in older files; the open tokenizer says what it is


def _post_processor(described: Json, shapes: Shapes) -> Any:
    if described is None:
        return None
    try:
        return from_json(described, "post_processor")
    except FormatError as error:
        shapes.found.append(finding("component-refused", str(error), place="post_processor"))
        return None


def _added(value: Json, shapes: Shapes) -> tuple[AddedToken, ...]:
    added = []
    for place, item in enumerate(shapes.take(value, "added_tokens", list, "", [])):
        match item:
            case {"id": int(id_), "content": str(content)}:
                flags = {flag: item[flag] is True for flag in FLAGS if flag in item}
                added.append(AddedToken(id_, content, **flags))
            case _:
                shapes.wrong(f"added_tokens[{place}]", item, "an object with id and content")
    return tuple(added)


def _truncation(value: Json, shapes: Shapes) -> Truncation | None:
    if value is None:
        return None
    most = shapes.take(value, "max_length", int, "truncation.", 0)
    return Truncation(most, "LongestFirst", 0)


def _padding(value: Json, shapes: Shapes) -> Padding | None:
    if value is None:
        return None
    named = shapes.take(value, "pad_token", str, "padding.", "")
    id_ = shapes.take(value, "pad_id", int, "padding.", -1)
    return Padding("BatchLongest", "Right", None, id_, 0, named)
