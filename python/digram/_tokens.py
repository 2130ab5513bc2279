"""The vocabulary of a tokenizer, looked up in the engine as it is asked for; and parts of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from digram._core import Engine
from digram.errors import UnknownTokenError

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["AddedIds", "Tokens", "added", "unknown"]


class Tokens(Mapping[int, bytes]):
    """id → bytes, looked up as asked for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __contains__(self, id_: object) -> bool:
        # what is no int is no id: a dict says so too
        return self.get(id_) is not None

    def get(self, id_: Any, default: Any = None) -> Any:
        """Return the bytes of an id, or `default` for what is none."""
        try:
            return self[id_]
        except (UnknownTokenError, TypeError):
            return default

    def __getitem__(self, id_: int) -> bytes:
        try:
            return self._engine.token_bytes(id_)
        except OverflowError:
            raise UnknownTokenError(f"id {id_} is not in the vocabulary") from None
        except TypeError:
            raise TypeError(
                f"tokens are found by their ids, which are ints, not by {id_!r}; tok.token_id"
                " tells the id of a token"
            ) from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._engine.ids())

    def __len__(self) -> int:
        return len(self._engine)

    def __copy__(self) -> Tokens:
        return self

    def __deepcopy__(self, _memo: object) -> Tokens:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, ((*self._engine.parts(), self._engine.bounds()),)

    def __repr__(self) -> str:
        first = [f"{id_}: {self[id_]!r}" for id_ in self._engine.ids()[:3]]
        return f"Tokens({{{', '.join(first)}, …}}, {len(self)} in all)"


def _unpickle(parts: tuple[Any, ...]) -> Tokens:
    return Tokens(Engine.from_parts(*parts))


class AddedIds(dict[str, int]):
    """Added tokens and their ids: a dict that nobody can change, as it is the tokenizer's own.

    >>> AddedIds({"<s>": 0})
    {'<s>': 0}
    """

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(
            "the added tokens of a tokenizer cannot be changed; with_(special_tokens=…) and"
            " without(…) make changed copies"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return AddedIds, (dict(self),)


def added(settings: Mapping[str, Any], *, special: bool) -> AddedIds:
    """Return the added tokens of an engine's settings: those that are special, or the others."""
    listed = settings["added_tokens"]
    return AddedIds(
        {token["content"]: token["id"] for token in listed if token["special"] is special}
    )


def unknown(engine: Engine, token: str | bytes) -> UnknownTokenError:
    """Return the error for what is no token; one that is the spelling of a token is told of it."""
    said = f"{token!r} is not a token of this vocabulary"
    meant = unspelled(token) if isinstance(token, str) else None
    found = None if meant is None else engine.token_id(meant)
    if meant is None or found is None or engine.spell([found], marker=True) != [token]:
        return UnknownTokenError(said)
    shown = repr(meant.decode()) if _is_text(meant) else repr(meant)
    return UnknownTokenError(
        f"{said}, but the spelling of one in files; call token_id({shown}), with what it stands for"
    )


def unspelled(token: str) -> bytes | None:
    """Return the bytes that a token is, spelled in GPT-2's alphabet; none if it is not.

    >>> unspelled("Ġis"), unspelled("is not")
    (b' is', None)
    """
    aliases = _aliases()
    return bytes(aliases[char] for char in token) if aliases.keys() >= set(token) else None


@functools.cache
def _aliases() -> Mapping[str, int]:
    """Return the bytes that the characters of GPT-2's alphabet stand for."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in own]
    # bytes that are no visible character of Latin-1 have those from U+0100 on
    further = {chr(0x100 + place): byte for place, byte in enumerate(others)}
    return {chr(byte): byte for byte in own} | further


def _is_text(token: bytes) -> bool:
    return token.decode("utf-8", "ignore").encode() == token
