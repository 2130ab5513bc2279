"""Inputs for models: what the template puts around ids, cut and filled up to a length.

Texts are cut before the template is put around them, so that its ids are never lost; they are
filled up after. Both as Hugging Face's tokenizers do, whose files say how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from digram._core import untracked
from digram._engine import padding_of, truncation_of
from digram._kinds import in_order
from digram._lengths import (
    refuse_long_padding,
    refuse_other_pad,
    refuse_padding,
    refuse_truncation,
)
from digram._places import of_pairs, of_texts
from digram._template import FIRST, SECOND, filled, frame, masks, plain_frame, types
from digram.components import Padding, Truncation
from digram.errors import DigramError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from digram._coding import Coder, Special
    from digram._core import Engine
    from digram._template import Frame

__all__ = ["Shape", "model_inputs"]

# The ids of a text, or where they stand in it.
_Ids: TypeAlias = "list[Any]"
_Texts: TypeAlias = "list[tuple[_Ids, _Ids | None]]"
# What stays of a text: its ids in so many, from one end on, the first of them in any case.
_Kept: TypeAlias = "Callable[[_Ids, int, Truncation], list[_Ids]]"
_Section = TypeVar("_Section", Truncation, Padding)

# Parts of two texts make a row for each two of them: so many, as each is lists of Python.
MOST_PARTS = 2**20

# What stands in no text stands nowhere.
NOWHERE = (0, 0)


@dataclass(frozen=True)
class Shape:
    """What is done to ids: template, cutting, filling up; and what goes with them."""

    template: bool = True
    truncation: Truncation | None = None
    padding: Padding | None = None
    offsets: bool = False
    overflowing: bool = False
    """Whether what is cut off makes rows of its own."""

    @classmethod
    def of(
        cls,
        settings: Mapping[str, Any],
        *,
        template: bool,
        truncation: bool | Truncation,
        padding: bool | Padding,
        offsets: bool,
        overflowing: bool,
    ) -> Shape:
        """Return the shape that a call asks for; True stands for what the file says."""
        if overflowing and truncation is False:
            raise ValueError(
                "overflowing is True, and nothing is cut off; give truncation too, or leave it out"
            )
        cut = _asked(Truncation, asked=truncation, filed=truncation_of(settings))
        filled = _asked(Padding, asked=padding, filed=padding_of(settings))
        if cut is not None:
            refuse_truncation(cut)
        if filled is not None:
            refuse_padding(filled)
            if filled is padding:  # what a file says it was allowed to say
                refuse_long_padding(filled)
                refuse_other_pad(filled, {t["content"]: t["id"] for t in settings["added_tokens"]})
        return cls(template, cut, filled, offsets, overflowing)


def _asked(
    kind: type[_Section], *, asked: bool | _Section, filed: _Section | None
) -> _Section | None:
    name = kind.__name__.lower()
    if isinstance(asked, kind):
        return asked
    if not isinstance(asked, bool):
        raise TypeError(
            f"{name} is {asked!r}; it is True, False or a digram.components.{kind.__name__}"
        )
    if asked and filed is None:
        raise ValueError(
            f"{name} is True, and the tokenizer's file does not say how;"
            f" give a digram.components.{kind.__name__}"
        )
    return filed if asked else None


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
        _check_pairs(texts, pairs, shape)
    ids, places = _encoded(tokenizer, texts, special, shape)
    if pairs is None:
        both = _beside(ids, None), _beside(places, None)
    else:
        try:
            more, more_places = _encoded(tokenizer, pairs, special, shape)
        except (DigramError, TypeError, UnicodeEncodeError) as error:
            raise of_pairs(error) from None
        both = _beside(ids, more), _beside(places, more_places)
    found = _inputs(tokenizer._engine, *both, shape, is_pair=pairs is not None)
    is_one = isinstance(texts, str) and not shape.overflowing
    return {name: rows[0] for name, rows in found.items()} if is_one else found


def _check_pairs(texts: str | Sequence[str], pairs: str | Sequence[str], shape: Shape) -> None:
    if not shape.template:
        raise ValueError("the template puts pairs together; leave out template=False, or pairs")
    one, other = isinstance(texts, str), isinstance(pairs, str)
    if one != other or not (one or len(texts) == len(pairs)):
        raise ValueError(
            "texts and pairs are both a text, or both sequences of as many texts; they are"
            f" {texts!r:.50} and {pairs!r:.50}"
        )


def _encoded(
    tokenizer: Coder, texts: str | Sequence[str], special: Special, shape: Shape
) -> tuple[list[_Ids], list[_Ids]]:
    """Return the ids of each text, and where they stand, which is none if nobody asks."""
    if shape.offsets:
        engine = tokenizer._engine
        if isinstance(texts, str):
            both = [engine.encode_with_pairs(texts, special)]
        else:
            both = _with_pairs(engine, texts, special)
        return [ids for ids, _ in both], [places for _, places in both]
    if isinstance(texts, str):
        return [tokenizer.encode(texts, special=special)], []
    return tokenizer.encode_batch(texts, special=special), []


def _with_pairs(engine: Engine, texts: Sequence[str], special: Special) -> list[tuple[_Ids, _Ids]]:
    try:
        return engine.encode_batch_with_pairs(texts, special)
    except (TypeError, UnicodeEncodeError) as error:
        raise of_texts(error, texts) from None


def _beside(first: list[_Ids], second: list[_Ids] | None) -> _Texts:
    return list(zip(first, repeat(None) if second is None else second, strict=False))


def _inputs(
    engine: Engine, texts: _Texts, places: _Texts, shape: Shape, *, is_pair: bool
) -> dict[str, list[Any]]:
    around = frame(engine, is_pair=is_pair) if shape.template else plain_frame(is_pair=is_pair)
    samples: list[int] = []
    if shape.truncation is not None:
        room = _room(around, shape.truncation, parts=shape.overflowing)
        kept = _parts if shape.overflowing else _kept
        cut = partial(_cut, room=room, truncation=shape.truncation, kept=kept)
        parts = _each_cut(texts, cut)
        samples = [sample for sample, rows in enumerate(parts) for _ in rows]
        texts = list(chain.from_iterable(parts))
        places = list(chain.from_iterable(cut(one, two) for one, two in places))
    rows = [filled(around, one, two) for one, two in texts]
    found: dict[str, list[Any]] = {"input_ids": rows, "attention_mask": masks(rows)}
    if is_pair:
        found["token_type_ids"] = [types(around, one, two) for one, two in texts]
    if shape.offsets:
        nowhere = [(id_ if id_ in (FIRST, SECOND) else NOWHERE, type_) for id_, type_ in around]
        found["offset_mapping"] = [filled(nowhere, one, two) for one, two in places]
    if shape.padding is not None:
        _fill_up(found, shape.padding)
    return {**found, "overflow_to_sample_mapping": samples} if shape.overflowing else found


def _fill_up(found: dict[str, list[_Ids]], padding: Padding) -> None:
    length = _length(found["input_ids"], padding)
    fills = {
        "input_ids": padding.pad_id,
        "attention_mask": 0,
        "token_type_ids": padding.pad_type_id,
        "offset_mapping": NOWHERE,
    }
    for name, rows in found.items():
        rows[:] = [_padded(row, length, fills[name], padding.direction) for row in rows]


def _room(around: Frame, truncation: Truncation, *, parts: bool) -> int:
    """How many ids of texts there may be: so many as the template's own leave."""
    own, most, stride = len(filled(around, [])), truncation.max_length, truncation.stride
    if own > most:
        raise ValueError(
            f"max_length is {most}, but the template alone puts {own} ids around a text; give more,"
            " or template=False"
        )
    if parts and own == most:
        raise ValueError(
            f"max_length is {most}, and so many ids the template puts around a text: nothing of it"
            " is left for parts; give more, or template=False"
        )
    if parts and stride >= most - own:
        raise ValueError(
            f"stride is {stride}, and the parts of a text have {most - own} ids; give a smaller"
            " stride, or a larger max_length"
        )
    return most - own


def _each_cut(texts: _Texts, cut: Callable[[_Ids, _Ids | None], _Texts]) -> list[_Texts]:
    """Cut each text; an error says which cannot be, where there are several."""
    parts: list[_Texts] = []
    try:
        parts.extend(cut(one, two) for one, two in texts)
    except ValueError as error:
        place = f"texts[{len(parts)}]: " if len(texts) > 1 else ""
        raise type(error)(f"{place}{error}") from None
    return parts


def _cut(
    first: _Ids, second: _Ids | None, *, room: int, truncation: Truncation, kept: _Kept
) -> _Texts:
    """Cut a text, or two, to what there is room for; further parts follow if those are kept.

    Those of the first come before the first itself with those of the second, as in Hugging Face.
    """
    one, two = len(first), len(second or ())
    excess = one + two - room
    if excess <= 0:
        return [(first, second)]
    if room == 0:
        one = two = 0
    elif truncation.strategy == "LongestFirst":
        one, two = (room, 0) if second is None else _longest_first(one, two, room)
    elif truncation.strategy == "OnlyFirst":
        one = _shortened("first", one, excess)
    elif second is None:
        raise ValueError("truncation cuts the second text alone (OnlySecond), and there is none")
    else:
        two = _shortened("second", two, excess)
    firsts = kept(first, one, truncation)
    seconds = [None] if second is None else kept(second, two, truncation)
    if len(firsts) * len(seconds) > MOST_PARTS:
        raise LimitError(
            f"{len(firsts)} parts of the first text and {len(seconds)} of the second are rows for"
            f" each two of them; at most {MOST_PARTS} are supported"
        )
    further = [(part, other) for part in firsts[1:] for other in seconds]
    return [(firsts[0], seconds[0]), *further, *((firsts[0], other) for other in seconds[1:])]


def _longest_first(one: int, two: int, room: int) -> tuple[int, int]:
    """How many stay of each: the shorter text is cut only where it is more than half."""
    shorter, longer = sorted((one, two))
    longer = shorter if shorter > room else max(shorter, room - shorter)
    if shorter + longer > room:
        shorter, longer = room // 2, room - room // 2
    return (longer, shorter) if one > two else (shorter, longer)


def _shortened(which: str, length: int, excess: int) -> int:
    if length <= excess:
        raise ValueError(
            f"truncation cuts the {which} text alone, which has {length} ids, and {excess} are too"
            " many; give a larger max_length, or the strategy 'LongestFirst'"
        )
    return length - excess


def _kept(ids: _Ids, count: int, truncation: Truncation) -> list[_Ids]:
    """Return so many ids from one end."""
    is_left = truncation.direction == "Left"
    return [untracked(ids[len(ids) - count :] if is_left else ids[:count])]


def _parts(ids: _Ids, count: int, truncation: Truncation) -> list[_Ids]:
    """Return all ids in parts of so many, which share `stride` with the next, from one end on."""
    length, step = len(ids), count - truncation.stride
    if length <= count:
        return [ids]
    if step <= 0:
        raise ValueError(
            f"stride is {truncation.stride}, and the parts of a text have {count} ids here; give a"
            " smaller stride, or a larger max_length"
        )
    further = -((count - length) // step)
    if truncation.direction == "Left":
        ends = (length - step * part for part in range(further + 1))
        return [untracked(ids[max(0, end - count) : end]) for end in ends]
    starts = (step * part for part in range(further + 1))
    return [untracked(ids[start : start + count]) for start in starts]


def _length(rows: Sequence[_Ids], padding: Padding) -> int:
    """To which length rows are filled up; those that are longer stay so."""
    longest = max(map(len, rows), default=0)
    length = longest if padding.strategy == "BatchLongest" else padding.strategy
    multiple = 1 if padding.pad_to_multiple_of is None else padding.pad_to_multiple_of
    if multiple < 1:
        raise ValueError(f"pad_to_multiple_of is {multiple}; give 1 or more, or None")
    return -(-length // multiple) * multiple


def _padded(row: _Ids, length: int, fill: Any, direction: str) -> _Ids:
    fills = [fill] * (length - len(row))
    return untracked(row + fills if direction == "Right" else fills + row)
