"""Fields that hold what their annotations declare, checked when a value is made."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from digram._kinds import choice, of_kind, shown, unbroken, whole, wrong_kind

__all__ = ["Declared"]

# How to say what a field holds.
RULES = {bool: "True or False", int: "an int", str: "a str", NoneType: "None"}
# So many kinds are said in words, and more are listed.
FEW = 2


class Declared:
    """A dataclass whose fields are checked; a list where a tuple is declared becomes one.

    Numbers are whole, from 0 on.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Cut(Declared):
    ...     length: int
    >>> Cut("5")
    Traceback (most recent call last):
    TypeError: Cut.length must be an int, not str: '5'
    """

    def __post_init__(self) -> None:
        kind: type = type(self)
        for name, declared in _declared(kind).items():
            given = getattr(self, name)
            held = _held(f"{kind.__name__}.{name}", given, declared)
            if held is not given:
                object.__setattr__(self, name, held)


@functools.cache
def _declared(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _held(name: str, value: Any, declared: Any) -> Any:
    """Return a value as a field of a declared type holds it."""
    origin, arguments = get_origin(declared), get_args(declared)
    if isinstance(value, str):
        unbroken(name, value)
    if origin is Literal:
        rule = f"one of {', '.join(map(repr, arguments))}"
        return choice(name, of_kind(name, value, str, rule), arguments)
    if origin is tuple:
        return _tuple(name, value, arguments)
    if origin in (Union, UnionType):
        return of_kind(name, value, arguments, _either(arguments))
    if declared is int:
        return whole(name, value)
    return of_kind(name, value, declared, _said(declared))


def _tuple(name: str, value: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise wrong_kind(name, value, "a tuple")
    if arguments[-1] is ...:
        declared: Collection[Any] = arguments[:1] * len(value)
    else:
        declared = arguments
    if len(value) != len(declared):
        said = ", ".join(map(_said, arguments))
        raise ValueError(f"{name} is {shown(value)}; it has {len(declared)} parts: {said}")
    parts = zip(value, declared, strict=True)
    return tuple(_held(f"{name}[{place}]", *part) for place, part in enumerate(parts))


def _either(kinds: tuple[type, ...]) -> str:
    if len(kinds) > FEW:
        return f"one of {', '.join(kind.__name__ for kind in kinds)}"
    return " or ".join(map(_said, kinds))


def _said(kind: type) -> str:
    return RULES.get(kind) or f"a {kind.__name__}"
