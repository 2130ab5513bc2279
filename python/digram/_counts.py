"""Word counts: what counting gives and training takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from digram import _core
from digram._arguments import listed, normalizer_of, thread_count
from digram._corpus import Source
from digram._feeding import Progress, feed
from digram.components import Normalizer, PreTokenizer, from_json, to_json
from digram.patterns import pre_tokenizer

__all__ = ["WordCounts", "count", "split_json"]


class WordCounts(Mapping[str, int]):
    """How often each word occurs, in the order in which the words were first seen.

    It remembers how text was split, so that a tokenizer trained from it splits alike. Counts of
    several corpora are added with `+`.

    >>> counts = count(["low lower low"], pattern="whitespace")
    >>> dict(counts), dict(counts + counts)
    ({'low': 2, 'lower': 1}, {'low': 4, 'lower': 2})
    """

    def __init__(self, counts: _core.WordCounts, split: str | None, normalizer: str | None) -> None:
        self._counts = counts
        self._split = split
        self._normalizer = normalizer

    @cached_property
    def _words(self) -> dict[str, int]:
        return {word.decode("utf-8"): count for word, count in self._counts.items()}

    def __getitem__(self, word: str) -> int:
        return self._words[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def split(self) -> PreTokenizer | None:
        """How text was split into these words; `None` for not at all."""
        if self._split is None:
            return None
        described: PreTokenizer = from_json(json.loads(self._split), "pre_tokenizer")
        return described

    @property
    def total(self) -> int:
        """All words together, each as often as it occurs."""
        return self._counts.total()

    def __add__(self, other: WordCounts) -> WordCounts:
        if not isinstance(other, WordCounts):
            return NotImplemented
        if (self._split, self._normalizer) != (other._split, other._normalizer):
            raise ValueError(
                "the counts were made with different patterns or normalizers,"
                f" {self._split} and {other._split}; count both alike, then add"
            )
        both = _core.WordCounts([*self._counts.items(), *other._counts.items()])
        return WordCounts(both, self._split, self._normalizer)

    def __repr__(self) -> str:
        return f"WordCounts({len(self)} words, {self.total} in all)"


def count(
    corpus: Source,
    *,
    pattern: str | PreTokenizer | None = None,
    normalizer: str | Normalizer | None = None,
    special_tokens: Iterable[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> WordCounts:
    """Count the words of a corpus; special tokens are cut out and not counted.

    The arguments are those of `digram.train`; `pattern` is o200k's unless given.

    >>> dict(count(["to be or not to be"], pattern="gpt2"))
    {'to': 1, ' be': 2, ' or': 1, ' not': 1, ' to': 1}
    """
    split, form = split_json(pattern, None), _json(normalizer_of(normalizer))
    counter = _core.Counter(
        split, form, listed("special_tokens", special_tokens), thread_count(threads)
    )
    feed(counter, corpus, progress)
    return WordCounts(counter.finish(), split, form)


def split_json(pattern: str | PreTokenizer | None, end_of_word: str | None) -> str | None:
    """Return how text is split, as JSON: what two counts must share to be added."""
    return _json(pre_tokenizer(pattern, "chars", end_of_word))


def _json(component: Any) -> str | None:
    return None if component is None else json.dumps(to_json(component))
