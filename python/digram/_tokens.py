"""The vocabulary of a tokenizer, looked up in the engine as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from digram._core import Engine
from digram.errors import UnknownTokenError

__all__ = ["Tokens"]


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
