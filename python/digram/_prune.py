"""Pruning: a smaller vocabulary without the tokens that a corpus uses least."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from digram._corpus import Source
from digram._counts import WordCounts
from digram._engine import engine_of
from digram._extending import counted_for
from digram._feeding import Progress
from digram._kinds import of_kind, whole
from digram._model import Merges, Model
from digram._smaller import merges_of, needed, only
from digram._tokenizer import Tokenizer

__all__ = ["Pruned", "prune"]

# Words encoded at a time.
WORDS = 1 << 16


class Pruned(NamedTuple):
    """A smaller tokenizer, and the new id of each token that was kept, by its old one."""

    tokenizer: Tokenizer
    ids: Mapping[int, int]

    def __repr__(self) -> str:
        return f"Pruned({self.tokenizer!r}, ids of {len(self.ids)} tokens)"


def prune(
    tok: Tokenizer,
    corpus: Source | Mapping[str, int] | Mapping[bytes, int],
    *,
    vocab_size: int,
    threads: int | None = None,
    progress: Progress | None = None,
    max_memory: int | str | None = None,
) -> Pruned:
    """Remove the tokens that a corpus uses least, until the vocabulary has a size.

    The corpus is what `train` takes, split into words as `tok` splits, or counted words; so are
    `threads`, `progress` and `max_memory`.

    Removed is, again and again, the least frequent of the tokens that are part of no merge still
    there; of equally frequent ones that with the largest id. Its merges go with it. Special and
    other added tokens, the unknown token and single units stay. A token's frequency is how often
    `tok` makes it of the words, and how often tokens removed before fell apart into it. Words are
    never split again; those of a `WordCounts` must have been split as `tok` splits.

    New ids are 0, 1, 2 … in the order of the old ones. Encoding changes only where a removed
    token was used. Raises `ValueError` for a size below what must stay, for a tokenizer that
    merges nothing, for one that splits no text unless words are given, and for pieces of characters
    that are no pieces; `UnknownTokenError` for a character outside a vocabulary that has no
    unknown token. O(m log m) in the tokens,
    beside encoding the words.

    >>> import digram
    >>> tok = digram.train({"low": 5, "new": 9, "newer": 2}, units="chars")
    >>> [tok.tokens[merged] for *_, merged in tok.merges]
    [b'ew', b'new', b'lo', b'low', b'er', b'newer']
    >>> small, ids = digram.prune(tok, {"new": 9, "low": 5, "err": 1}, vocab_size=10)
    >>> [small.tokens[merged] for *_, merged in small.merges]
    [b'ew', b'new', b'lo', b'low']
    >>> [ids[id_] for id_ in tok.encode("lownew")] == small.encode("lownew")
    True
    """
    of_kind("tok", tok, Tokenizer, "a Tokenizer")
    vocab_size = whole("vocab_size", vocab_size)
    model = tok.model
    pairs = merges_of(tok._engine, model.rule)
    if not len(needed(model)) <= vocab_size <= tok.vocab_size:
        raise ValueError(
            f"vocab_size is {vocab_size}; this vocabulary has {tok.vocab_size} tokens, and"
            f" {len(needed(model))} of them must stay: units, special and other added tokens"
        )
    counting = {"threads": threads, "progress": progress, "max_memory": max_memory}
    counts = counted_for(tok, corpus, counting, "the tokenizer to prune")
    used = _used(model, counts)
    tree = _Tree(pairs, used, model.tokens.keys() - needed(model))
    gone = set(tree.removed(tok.vocab_size - vocab_size))
    kept = sorted(model.tokens.keys() - gone)
    ids = {old: new for new, old in enumerate(kept)}
    if isinstance(model.rule, Merges):
        left = tuple(merge for merge in pairs if gone.isdisjoint(merge))
        model = replace(model, rule=Merges(left))
    smaller = only(model, kept, ids)
    return Pruned(Tokenizer._of(engine_of(smaller), directory=tok.directory), ids)


@dataclass
class _Tree:
    """What is made of what, and how often it is used."""

    pairs: tuple[tuple[int, int, int], ...]
    used: Counter[int]
    removable: set[int]

    def removed(self, many: int) -> Iterator[int]:
        """Yield the tokens to remove, in the order in which they go."""
        parts: dict[int, list[tuple[int, int]]] = {}
        for left, right, merged in self.pairs:
            parts.setdefault(merged, []).append((left, right))
        part_of = Counter(id_ for left, right, _ in self.pairs for id_ in {left, right})
        leaves = [self._entry(id_) for id_ in self.removable if not part_of[id_]]
        heapq.heapify(leaves)
        for done in range(many):
            if not leaves:
                raise ValueError(
                    f"only {done} tokens can be removed, and not {many}: what is left is part of"
                    " added tokens that merges make; give a larger vocab_size"
                )
            _, negative = heapq.heappop(leaves)
            yield -negative
            made_of = parts.get(-negative, [])
            for id_ in made_of[0] if made_of else ():  # the first merge is the one that was made
                self.used[id_] += self.used[-negative]
            for pair in made_of:
                for id_ in set(pair):
                    part_of[id_] -= 1
                    if not part_of[id_] and id_ in self.removable:
                        heapq.heappush(leaves, self._entry(id_))

    def _entry(self, id_: int) -> tuple[int, int]:
        # Its frequency is final: it grows by the tokens it is part of, and they are all gone.
        return self.used[id_], -id_


def _used(model: Model, counts: WordCounts) -> Counter[int]:
    """Count the tokens of the words, each word as it stands."""
    bare = replace(model, pre_tokenizer=None, normalizer=None, post_processor=None, added_tokens=())
    encoder = Tokenizer._of(engine_of(bare))
    used: Counter[int] = Counter()
    for words in _parts(counts):
        for ids, word in zip(encoder.encode_batch(words), words, strict=True):
            for id_ in ids:
                used[id_] += counts[word]
    return used


def _parts(words: Iterable[str]) -> Iterator[list[str]]:
    listed = list(words)
    return (listed[start : start + WORDS] for start in range(0, len(listed), WORDS))
