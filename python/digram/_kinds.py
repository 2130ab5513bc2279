"""Values of the wrong kind or size, refused by name before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping

from digram.errors import LimitError

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from types import UnionType
    from typing import Any

    Kinds = type | UnionType | tuple[type, ...]

__all__ = [
    "LARGEST",
    "LARGEST_ID",
    "choice",
    "id_of",
    "in_order",
    "many",
    "of_kind",
    "shown",
    "unbroken",
    "whole",
    "wrong_kind",
]

# What the engine counts with, and its `MAX_ID`.
LARGEST = (1 << 63) - 1
LARGEST_ID = (1 << 26) - 1
# So many bits a number has that is shown.
LONG = 4096
# Of a value that is refused, so many characters are shown.
SHOWN = 80


def wrong_kind(name: str, value: object, rule: str) -> TypeError:
    """Return the error for a value of the wrong kind.

    >>> wrong_kind("unk_token", 5, "a str, or None")
    TypeError('unk_token must be a str, or None, not int: 5')
    """
    return TypeError(f"{name} must be {rule}, not {type(value).__name__}: {shown(value)}")


def shown(value: object, most: int = SHOWN) -> str:
    """Return a value as a message shows it, or its type where it cannot be shown.

    >>> shown("a" * 100, 10)
    "'aaaaaaaaa"
    """
    try:
        return repr(value)[:most]
    except Exception:  # noqa: BLE001  whatever a value's own code raises, or one too deep
        return f"<{type(value).__name__}>"


def of_kind(name: str, value: Any, kinds: Kinds, rule: str) -> Any:
    """Return a value of one of some kinds; `rule` says what they are.

    >>> of_kind("fuse_unk", "no", bool, "True or False")
    Traceback (most recent call last):
    TypeError: fuse_unk must be True or False, not str: 'no'
    """
    if isinstance(value, kinds):
        return value
    raise wrong_kind(name, value, rule)


def unbroken(name: str, text: str) -> str:
    r"""Return a text, refusing one that holds half a character.

    >>> unbroken("pattern", "a\ud800")
    Traceback (most recent call last):
    ValueError: pattern is 'a\ud800', and its character 1 is a lone surrogate, which ...
    """
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"{name} is {text!r:.{SHOWN}}, and its character {error.start} is a lone surrogate,"
                " which no text has; leave it out, or give the whole character"
            ) from None
    return text


def many(name: str, values: Any, rule: str) -> Any:
    """Return what can be iterated over, bytes apart; `rule` says what there shall be many of.

    >>> many("special_tokens", 5, "an iterable of str")
    Traceback (most recent call last):
    TypeError: special_tokens must be an iterable of str, not int: 5
    """
    is_iterable = hasattr(values, "__iter__") or hasattr(values, "__getitem__")
    if not is_iterable or isinstance(values, bytes | bytearray):
        raise wrong_kind(name, values, rule)
    return values


def in_order(name: str, values: Any, rule: str, column: str = "text") -> Any:
    """Return what can be iterated over, but no columns, which give their names, and no set.

    >>> in_order("texts", {"text": ["low"]}, "an iterable of str")
    Traceback (most recent call last):
    TypeError: texts must be an iterable of str, not dict: {'text': ['low']}; pass a column of it, \
as batch['text']
    """
    if type(values) is list:  # as nearly always
        return values
    # Data frames of every library have the attribute.
    if isinstance(values, Mapping) or hasattr(values, "__dataframe__"):
        error = wrong_kind(name, values, rule)
        raise TypeError(f"{error}; pass a column of it, as batch[{column!r}]")
    if isinstance(values, set | frozenset):
        error = wrong_kind(name, values, rule)
        raise TypeError(f"{error}; the order of a set is by chance: pass a list")
    return many(name, values, rule)


def choice(name: str, value: Any, known: tuple[str, ...]) -> Any:
    """Return one of some texts.

    >>> choice("units", "words", ("bytes", "chars"))
    Traceback (most recent call last):
    ValueError: units is 'words'; it is one of 'bytes', 'chars'
    """
    if value in known:
        return value
    raise ValueError(f"{name} is {shown(value)}; it is one of {', '.join(map(repr, known))}")


def whole(
    name: str,
    value: Any,
    least: int = 0,
    most: int = LARGEST,
    *,
    or_else: str = "",
    beyond: type[ValueError] = ValueError,
) -> int:
    """Return a whole number within bounds, also one of NumPy, as an int.

    >>> whole("threads", 0, 1, or_else=", or None for one per core")
    Traceback (most recent call last):
    ValueError: threads is 0; give 1 or more, or None for one per core
    """
    if type(value) is int and least <= value <= most:  # as nearly always
        return value
    try:
        number = None if isinstance(value, bool) else value.__index__()
    except (AttributeError, TypeError):
        number = None
    if number is None:
        raise wrong_kind(name, value, f"an int{or_else}")
    if number < least:
        raise ValueError(f"{name} is {_figure(number)}; give {least} or more{or_else}")
    if number > most:
        raise beyond(f"{name} is {_figure(number)}; give {most} or less{or_else}")
    return int(number)


def _figure(number: int) -> str:
    """Return a number as a message shows it: Python writes none of thousands of digits."""
    bits = number.bit_length()
    return str(number) if bits <= LONG else f"a number of {bits} bits"


def id_of(token: object, id_: object) -> int:
    """Return the id that a token is given.

    >>> id_of("<s>", -1)
    Traceback (most recent call last):
    ValueError: the id of '<s>' is -1; give 0 or more
    """
    if type(id_) is int and 0 <= id_ <= LARGEST_ID:  # as nearly all are, of many
        return id_
    return whole(f"the id of {shown(token)}", id_, most=LARGEST_ID, beyond=LimitError)
