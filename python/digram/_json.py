"""JSON values, checked as they are read: each function returns the value or says what is wrong.

`place` tells where the value stands; every message begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from digram._kinds import shown
from digram.errors import FormatError

Reader = Callable[[object, str], Any]


def read_object(value: object, place: str) -> dict[str, Any]:
    """Read an object, as a dictionary that may be taken apart.

    >>> read_object([], "decoder")
    Traceback (most recent call last):
    digram.errors.FormatError: decoder is []; it must be an object
    """
    if not isinstance(value, Mapping):
        raise FormatError(f"{place} is {shown(value)}; it must be an object")
    return dict(value)


def read_list(value: object, place: str) -> list[Any]:
    """Read a list."""
    if not isinstance(value, list | tuple):
        raise FormatError(f"{place} is {value!r}; it must be a list")
    return list(value)


def read_flag(value: object, place: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise FormatError(f"{place} is {value!r}; it must be true or false")
    return value


def read_text(value: object, place: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise FormatError(f"{place} is {value!r}; it must be a text")
    return value


def optional(read: Reader) -> Reader:
    """Make a function that reads what `read` reads, or null.

    >>> optional(read_flag)(None, "strip_accents") is None
    True
    """

    def read_or_none(value: object, place: str) -> Any:
        return None if value is None else read(value, place)

    return read_or_none


def read_number(value: object, place: str) -> int:
    """Read a whole number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FormatError(f"{place} is {value!r}; it must be a whole number from 0 on")
    return value


def read_numbers(value: object, place: str) -> tuple[int, ...]:
    """Read a list of whole numbers from 0 on."""
    return tuple(read_number(each, place) for each in read_list(value, place))


def read_texts(value: object, place: str) -> tuple[str, ...]:
    """Read a list of texts."""
    return tuple(read_text(each, place) for each in read_list(value, place))


def one_of(*known: str) -> Reader:
    """Make a function that reads one of some texts.

    >>> one_of("A", "B")("C", "id")
    Traceback (most recent call last):
    digram.errors.FormatError: id is 'C'; supported are A, B
    """

    def read(value: object, place: str) -> str:
        if value not in known:
            raise FormatError(f"{place} is {value!r}; supported are {', '.join(known)}")
        return read_text(value, place)

    return read


def only_item(value: object, place: str, known: tuple[str, ...]) -> tuple[str, object]:
    """Read an object of one key, which tells what its value is.

    >>> only_item({"Regex": " +"}, "pattern", ("Regex", "String"))
    ('Regex', ' +')
    """
    match list(read_object(value, place).items()):
        case [(str(kind), found)] if kind in known:
            return kind, found
    keys = " or ".join(known)
    raise FormatError(f"{place} is {shown(value)}; it must be an object of one key: {keys}")


def take(values: dict[str, Any], name: str, place: str) -> Any:
    """Take a value out of an object; it must be there."""
    if name not in values:
        raise FormatError(f"{place} has no {name!r}; it needs one")
    return values.pop(name)


def finish(values: dict[str, Any], place: str) -> None:
    """Refuse what nobody took out of an object.

    >>> finish({"strict": True}, "normalizer NFC")
    Traceback (most recent call last):
    digram.errors.FormatError: normalizer NFC has 'strict', which is not supported
    """
    if values:
        unknown = ", ".join(map(repr, values))
        raise FormatError(f"{place} has {unknown}, which is not supported")
