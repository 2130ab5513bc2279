"""The vocabulary of a tokenizer, looked up in the engine as it is asked for; and parts of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from digram._core import Engine
from digram.errors import UnknownTokenError

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NoReturn

__all__ = ["AddedIds", "Tokens", "added"]


class Tokens(Mapping[int, bytes]):
    """id → bytes, looked up as asked for."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getitem__(self, id_: int) -> bytes:
        try:
            return self._engine.token_bytes(id_)
        except OverflowError:
            raise UnknownTokenError(f"id {id_} is not in the vocabulary") from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._engine.ids())

    def __len__(self) -> int:
        return len(self._engine)

    def __repr__(self) -> str:
        first = [f"{id_}: {self[id_]!r}" for id_ in self._engine.ids()[:3]]
        return f"Tokens({{{', '.join(first)}, …}}, {len(self)} in all)"


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
