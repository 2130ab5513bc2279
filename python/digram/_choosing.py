"""Part of a corpus: a sample that the texts themselves decide, and so many bytes of it.

The engine chooses texts in columns by the same rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

__all__ = ["SEEDS", "bound_of", "first_bytes", "sampled"]

SEEDS = 2**64


def bound_of(share: float) -> int:
    """Return what the hashes of a share of all texts are below.

    >>> bound_of(0.5) == 2**63, bound_of(1) == 2**64
    (True, True)
    """
    return round(share * SEEDS)


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
    bound = bound_of(share)
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
