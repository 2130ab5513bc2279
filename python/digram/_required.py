"""What training must make a token of: checked before anything is learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from digram import _core
from digram._arguments import listed

__all__ = ["refuse_split", "required_tokens", "splitter"]


def required_tokens(required: Iterable[str]) -> list[str]:
    """Return the tokens that must be there, each once, in the order given.

    >>> required_tokens(["low", "est", "low"])
    ['low', 'est']
    """
    return list(dict.fromkeys(listed("required", required)))


def splitter(pre_tokenizer: str | None, normalizer: str | None) -> Callable[[str], list[str]]:
    """Return what splits a text into words as counting does, by the engine's descriptions."""

    def split(text: str) -> list[str]:
        counter = _core.Counter(pre_tokenizer, normalizer, [], 1)
        counter.add([text], 0, None)
        items = counter.finish().items()
        return [word.decode() for word, n in items for _ in range(n)]

    return split


def refuse_split(
    required: Iterable[str], end_of_word: str | None, split: Callable[[str], list[str]]
) -> None:
    """Refuse a token that no word can be, because text is split inside it, or changed.

    >>> refuse_split(["the", "the cat"], None, str.split)
    Traceback (most recent call last):
    ValueError: the required token 'the cat' is never one word: the text is split into 'the', \
'cat'; require these, or give another pattern
    """
    for token in required:
        text = token.removesuffix(end_of_word or "")
        words = split(text) if text else [text]
        if words != [text]:
            pieces = ", ".join(map(repr, words)) or "nothing"
            raise ValueError(
                f"the required token {token!r} is never one word: the text is split into {pieces};"
                " require these, or give another pattern"
            )
