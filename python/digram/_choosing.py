"""Part of a corpus: a sample that the texts themselves decide, and so many bytes of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

__all__ = ["first_bytes", "sampled"]

SEEDS = 2**64


def sampled(texts: Iterable[str], share: float, seed: int) -> Iterator[str]:
    """Keep about a share of the texts: those whose hash, keyed by the seed, is low enough.

    Whether a text is kept depends on it and the seed alone, not on its place, its file or the
    texts around it: equal texts are kept or left out together, and a smaller share keeps a part
    of what a larger one keeps. The hash is BLAKE2b of 64 bits.

    >>> texts = [str(n) for n in range(1000)]
    >>> tenth, half = [*sampled(texts, 0.1, seed=0)], [*sampled(texts, 0.5, seed=0)]
    >>> len(tenth), len(half), set(tenth) <= set(half)
    (103, 490, True)
    """
    bound = round(share * SEEDS)
    key = seed.to_bytes(8, "little")
    for text in texts:
        digest = hashlib.blake2b(text.encode(), digest_size=8, key=key).digest()
        if int.from_bytes(digest, "little") < bound:
            yield text


def first_bytes(texts: Iterable[str], most: int) -> Iterator[str]:
    """Give the first texts, of so many bytes together; the last is cut there, at a character.

    >>> [*first_bytes(["abc", "déf", "ghi"], 5)]
    ['abc', 'd']
    """
    left = most
    for text in texts:
        encoded = text.encode()
        if len(encoded) >= left:
            if cut := encoded[:left].decode("utf-8", "ignore"):
                yield cut
            return
        left -= len(encoded)
        yield text
