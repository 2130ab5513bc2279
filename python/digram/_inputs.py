"""Inputs for models: what the template puts around ids, cut and filled up to a length.

Texts are cut before the template is put around them, so that its ids are never lost; they are
filled up after. Both as Hugging Face's tokenizers do, whose files say how.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from digram._core import untracked
from digram._cutting import all_parts, each_cut, longest, one_end
from digram._kinds import in_order, shown
from digram._places import of_pairs, of_texts
from digram._shapes import NOWHERE
from digram._template import filled, masks, types
from digram.errors import DigramError

if TYPE_CHECKING:
    from collections.abc import Callable

    from digram._coding import Coder, Special
    from digram._cutting import Columns, Ids, Text
    from digram._shapes import Shape
    from digram.components import Padding

__all__ = ["model_inputs"]


def model_inputs(
    tokenizer: Coder,
    texts: str | Sequence[str],
    pairs: str | Sequence[str] | None,
    special: Special,
    shape: Shape,
) -> dict[str, Any]:
    """Return what `Tokenizer.__call__` does: a row of each input, or as many as there are texts."""
    texts = texts if isinstance(texts, str) else list(texts)
    if pairs is not None:
        rule = "a str, or a sequence of them, or None"
        pairs = pairs if isinstance(pairs, str) else list(in_order("pairs", pairs, rule))
        _check_pairs(texts, pairs)
    ids, places = _encoded(tokenizer, texts, special, shape)
    columns, place_columns = [ids], [places]
    if pairs is not None:
        try:
            ids, places = _encoded(tokenizer, pairs, special, shape)
        except (DigramError, TypeError, UnicodeEncodeError) as error:
            raise of_pairs(error) from None
        columns.append(ids)
        place_columns.append(places)
    found = _inputs(columns, place_columns, shape)
    is_one = isinstance(texts, str) and not shape.overflowing
    return {name: rows[0] for name, rows in found.items()} if is_one else found


def _check_pairs(texts: str | Sequence[str], pairs: str | Sequence[str]) -> None:
    one, other = isinstance(texts, str), isinstance(pairs, str)
    if one != other or not (one or len(texts) == len(pairs)):
        raise ValueError(
            "texts and pairs are both a text, or both sequences of as many texts; they are"
            f" {shown(texts, 50)} and {shown(pairs, 50)}"
        )


def _encoded(
    tokenizer: Coder, texts: str | Sequence[str], special: Special, shape: Shape
) -> tuple[list[Ids], list[Ids]]:
    """Return the ids of each text, and where they stand, which is none if nobody asks."""
    engine = tokenizer._engine
    if shape.offsets:
        if isinstance(texts, str):
            both = [engine.encode_with_pairs(texts, special)]
        else:
            both = _of_batch(engine.encode_batch_with_pairs, texts, special)
        return [ids for ids, _ in both], [places for _, places in both]
    if isinstance(texts, str):
        return [tokenizer.encode(texts, special=special)], []
    return _of_batch(engine.encode_batch, texts, special, None), []


def _of_batch(encode: Callable[..., list[Any]], texts: Sequence[str], *how: object) -> list[Any]:
    try:
        return encode(texts, *how)
    except (TypeError, UnicodeEncodeError) as error:
        raise of_texts(error, texts) from None


def _inputs(texts: Columns, places: Columns, shape: Shape) -> dict[str, list[Any]]:
    samples: Sequence[int] = range(len(texts[0]))
    if shape.truncation is not None and longest(texts) > shape.room:
        how = shape.room, shape.truncation, all_parts if shape.overflowing else one_end
        parts = each_cut(texts, *how)
        samples = [sample for sample, rows in enumerate(parts) for _ in rows]
        texts, places = _columns(texts, parts), _columns(places, each_cut(places, *how))
    frame = shape.around.ids
    rows = list(map(filled, repeat(frame), *texts))
    found: dict[str, list[Any]] = {"input_ids": rows, "attention_mask": masks(rows)}
    if len(texts) > 1:
        found["token_type_ids"] = list(map(types, repeat(frame), *texts))
    if shape.offsets:
        found["offset_mapping"] = list(map(filled, repeat(shape.around.places), *places))
    if shape.special_tokens_mask:
        found["special_tokens_mask"] = list(map(types, repeat(shape.around.marks), *texts))
    if shape.sequence_ids:
        found["sequence_ids"] = list(map(types, repeat(shape.around.sequences), *texts))
    if shape.padding is not None:
        _fill_up(found, shape.padding)
    if shape.overflowing:
        found["overflow_to_sample_mapping"] = list(samples)
    return found


def _columns(texts: Columns, parts: list[list[Text]]) -> Columns:
    """Return all parts one below the other, in as many columns as the texts were."""
    rows = list(chain.from_iterable(parts))
    return [[row[column] for row in rows] for column in range(len(texts))]


def _fill_up(found: dict[str, list[Ids]], padding: Padding) -> None:
    lengths = list(map(len, found["input_ids"]))
    length = _length(max(lengths, default=0), padding)
    if min(lengths, default=length) >= length:
        return
    fills = {
        "input_ids": padding.pad_id,
        "attention_mask": 0,
        "token_type_ids": padding.pad_type_id,
        "offset_mapping": NOWHERE,
        "special_tokens_mask": 1,
        "sequence_ids": None,
    }
    for name, rows in found.items():
        rows[:] = [_padded(row, length, fills[name], padding.direction) for row in rows]


def _length(longest: int, padding: Padding) -> int:
    """To which length rows are filled up; those that are longer stay so."""
    length = longest if padding.strategy == "BatchLongest" else padding.strategy
    multiple = padding.pad_to_multiple_of
    if multiple is None:
        return length
    if multiple < 1:
        raise ValueError(f"pad_to_multiple_of is {multiple}; give 1 or more, or None")
    return -(-length // multiple) * multiple


def _padded(row: Ids, length: int, fill: Any, direction: str) -> Ids:
    if len(row) >= length:
        return row
    fills = [fill] * (length - len(row))
    return untracked(row + fills if direction == "Right" else fills + row)
