"""What a call asks for, checked; and what it needs to know of the tokenizer, found out once."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from digram._engine import padding_of, truncation_of
from digram._kinds import of_kind, shown
from digram._lengths import (
    refuse_long_padding,
    refuse_other_pad,
    refuse_padding,
    refuse_truncation,
)
from digram._template import FIRST, PLAIN, SECOND, frame
from digram.components import Padding, Truncation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from digram._core import Engine
    from digram._template import Frame

__all__ = ["NOWHERE", "Shape", "Shapes"]

_Section = TypeVar("_Section", Truncation, Padding)

# So many shapes a tokenizer keeps: a program has few, or makes new ones for each call.
MOST_KEPT = 8

# What a call says with True or False and nothing else.
FLAGS = ("template", "offsets", "overflowing", "special_tokens_mask", "sequence_ids")

# What stands in no text stands nowhere.
NOWHERE = (0, 0)


class Around(NamedTuple):
    """What stands around a text, or around two."""

    ids: Frame
    places: Frame
    """Where each id stands in its text."""
    marks: Frame
    """The same ids, of a type that tells whether they are of a text: 0, or 1 if not."""
    sequences: Frame
    """The same ids, of a type that tells of which text they are: 0, 1, or None if of none."""
    own: int
    """How many ids are of none."""

    @classmethod
    def of(cls, ids: Frame) -> Around:
        """Return a frame of ids with what is told of each."""
        texts = (FIRST, SECOND)
        places = [(id_ if id_ in texts else NOWHERE, type_) for id_, type_ in ids]
        marks = [(id_, int(id_ not in texts)) for id_, _ in ids]
        sequences = [(id_, texts.index(id_) if id_ in texts else None) for id_, _ in ids]
        return cls(ids, places, marks, sequences, sum(mark for _, mark in marks))


# Of one text, without the template.
BARE = Around.of(PLAIN)


class Asked(NamedTuple):
    """What a call says of its inputs."""

    is_pair: bool
    template: bool
    truncation: bool | Truncation
    padding: bool | Padding
    offsets: bool
    overflowing: bool
    special_tokens_mask: bool
    sequence_ids: bool


class Shape(NamedTuple):
    """What is done to ids: template, cutting, filling up; and what goes with them."""

    around: Around
    truncation: Truncation | None
    room: int
    """How many ids of texts there may be, where they are cut."""
    padding: Padding | None
    offsets: bool
    overflowing: bool
    """Whether what is cut off makes rows of its own."""
    special_tokens_mask: bool
    sequence_ids: bool


class Shapes:
    """The shapes of one tokenizer's inputs; it never changes, so what is found out stays true."""

    def __init__(self, engine: Engine, settings: Mapping[str, Any]) -> None:
        self._engine = engine
        self._settings = settings
        self._kept: dict[tuple[int, ...], tuple[Shape, Asked]] = {}

    def of(
        self,
        *,
        is_pair: bool,
        template: bool,
        truncation: bool | Truncation,
        padding: bool | Padding,
        offsets: bool,
        overflowing: bool,
        special_tokens_mask: bool,
        sequence_ids: bool,
    ) -> Shape:
        """Return the shape that a call asks for; True stands for what the file says.

        Some are kept, for calls that give the very same values: equal ones may be of other types.
        """
        first = is_pair, template, truncation, padding
        asked = *first, offsets, overflowing, special_tokens_mask, sequence_ids
        key = tuple(map(id, asked))
        found = self._kept.get(key)
        return self._keep(key, Asked(*asked)) if found is None else found[0]

    def _keep(self, key: tuple[int, ...], asked: Asked) -> Shape:
        """Make a shape, and keep it with what was asked, so that nothing else gets those ids."""
        shape = self._made(asked)
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[key] = shape, asked
        return shape

    def _made(self, asked: Asked) -> Shape:
        for name in FLAGS:
            flag = getattr(asked, name)
            if not hasattr(flag, "dtype"):  # NumPy's are as good
                of_kind(name, flag, bool, "True or False")
        if asked.overflowing and asked.truncation is False:
            raise ValueError(
                "overflowing is True, and nothing is cut off; give truncation too, or leave it out"
            )
        if asked.is_pair and not asked.template:
            raise ValueError("the template puts pairs together; leave out template=False, or pairs")
        cut = None if asked.truncation is False else self._truncation(asked=asked.truncation)
        filled = None if asked.padding is False else self._padding(asked=asked.padding)
        around = self._surroundings(asked)
        room = 0 if cut is None else room_in(around, cut, parts=asked.overflowing)
        beside = asked.offsets, asked.overflowing, asked.special_tokens_mask, asked.sequence_ids
        return Shape(around, cut, room, filled, *beside)

    def _surroundings(self, asked: Asked) -> Around:
        if not asked.template:
            return BARE
        return self._around_pair if asked.is_pair else self._around

    def _truncation(self, *, asked: bool | Truncation) -> Truncation:
        cut = _given(Truncation, asked, self._filed_truncation if asked is True else asked)
        refuse_truncation(cut)
        return cut

    def _padding(self, *, asked: bool | Padding) -> Padding:
        filled = _given(Padding, asked, self._filed_padding if asked is True else asked)
        refuse_padding(filled)
        if filled is asked:  # what a file says it was allowed to say
            refuse_long_padding(filled)
            refuse_other_pad(filled, self._added)
        return filled

    @functools.cached_property
    def _filed_truncation(self) -> Truncation | None:
        return truncation_of(self._settings)

    @functools.cached_property
    def _filed_padding(self) -> Padding | None:
        return padding_of(self._settings)

    @functools.cached_property
    def _added(self) -> Mapping[str, int]:
        return {token["content"]: token["id"] for token in self._settings["added_tokens"]}

    @functools.cached_property
    def _around(self) -> Around:
        return Around.of(frame(self._engine, is_pair=False))

    @functools.cached_property
    def _around_pair(self) -> Around:
        return Around.of(frame(self._engine, is_pair=True))


def _given(kind: type[_Section], asked: object, found: object) -> _Section:
    """Return what a call gives, or the file has where it says True; there must be one."""
    if isinstance(found, kind):
        return found
    name = kind.__name__.lower()
    if asked is True:
        raise ValueError(
            f"{name} is True, and the tokenizer's file does not say how;"
            f" give a digram.components.{kind.__name__}"
        )
    raise TypeError(
        f"{name} is {shown(asked)}; it is True, False or a digram.components.{kind.__name__}"
    )


def room_in(around: Around, truncation: Truncation, *, parts: bool) -> int:
    """How many ids of texts there may be: so many as the template's own leave."""
    own, most, stride = around.own, truncation.max_length, truncation.stride
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
