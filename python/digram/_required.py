"""What training must make a token of: checked before anything is learned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from digram import _core
from digram._arguments import listed

__all__ = ["refuse_split", "refuse_split_in_text", "required_tokens"]

# Normalizers that never put anything behind a text that they leave as it is.
PLAIN = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase"})


def required_tokens(required: Iterable[str]) -> list[str]:
    """Return the tokens that must be there, each once, in the order given.

    >>> required_tokens(["low", "est", "low"])
    ['low', 'est']
    """
    return list(dict.fromkeys(listed("required", required)))


def splitter(pre_tokenizer: str | None, normalizer: str | None) -> Callable[[list[str]], list[str]]:
    """Return what splits texts into words as counting does, by the engine's descriptions."""

    def split(texts: list[str]) -> list[str]:
        counter = _core.Counter(pre_tokenizer, normalizer, [], 1)
        counter.add(texts, 0, None)
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


def refuse_split_in_text(
    required: Iterable[str],
    end_of_word: str | None,
    pre_tokenizer: str | None,
    normalizer: str | None,
) -> None:
    """Do the same as counting splits text, by the engine's descriptions.

    All tokens are split at once, and each on its own only where that does not tell enough: a
    splitter is made anew for each time.
    """
    bare = dict.fromkeys(token.removesuffix(end_of_word or "") for token in required)
    texts = [text for text in bare if text]
    is_plain = normalizer is None or json.loads(normalizer).get("type") in PLAIN
    split = splitter(pre_tokenizer, normalizer)
    # as many words as texts, the same ones and in the same order: none is split, dropped or changed
    if not is_plain or split(texts) != texts:
        refuse_split(required, end_of_word, lambda text: split([text]))
