"""Word counts: what counting gives and training takes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from digram import _core
from digram._arguments import byte_count, listed, thread_count
from digram._atomic import replace_files
from digram._corpus import Source
from digram._feeding import Progress, feed, progress_of
from digram._kinds import of_kind, whole
from digram._splitting import refuse_other_splitting, splitting_of
from digram._word_files import (
    LARGEST,
    Item,
    Splitting,
    from_parquet,
    from_tsv,
    to_parquet,
    to_tsv,
)
from digram.components import Normalizer, PreTokenizer, from_json
from digram.errors import LimitError, MissingFileError

__all__ = ["WordCounts", "count"]

# Weights are whole multiples of 1/SCALE: sums of them are exact, in any order.
SCALE = 2**20
# Names that say another format than the two that counts are written in.
OTHERS = frozenset({".gz", ".zst", ".bz2", ".xz", ".zip", ".json", ".jsonl", ".csv", ".arrow"})


class WordCounts(Mapping[str, int]):
    """How often each word occurs, in the order in which the words were first seen.

    It remembers how text was split, so that a tokenizer trained from it splits alike. Counts of
    several corpora are added with `+`. It never changes: what filters or weighs it returns
    another. Counts have 64 bits; sums beyond are refused with `LimitError`.

    >>> counts = count(["low lower low"], pattern="whitespace")
    >>> dict(counts), dict(counts + counts)
    ({'low': 2, 'lower': 1}, {'low': 4, 'lower': 2})
    """

    def __init__(self, counts: _core.WordCounts, split: str | None, normalizer: str | None) -> None:
        self._counts = counts
        self._split = split
        self._normalizer = normalizer

    @classmethod
    def of(
        cls,
        words: Mapping[str, int] | Mapping[bytes, int],
        *,
        pattern: str | PreTokenizer | None = None,
        normalizer: str | Normalizer | None = None,
        end_of_word: str | None = None,
    ) -> WordCounts:
        """Take words that were counted elsewhere, by a program that split text alike.

        >>> WordCounts.of({"low": 5, "lower": 2}, pattern="whitespace").total
        7
        """
        of_kind("words", words, Mapping, "a mapping of words to counts")
        items = [(word, _occurrences(word, n)) for word, n in words.items()]
        splitting = splitting_of(pattern, normalizer, end_of_word)
        return cls(_core.WordCounts(items), splitting.pre_tokenizer, splitting.normalizer)

    @cached_property
    def _words(self) -> dict[str, int]:
        return {_text(word): count for word, count in self._counts.items()}

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
    def fingerprint(self) -> str:
        """SHA-256 of how text became words: two counts with one fingerprint can be added."""
        return self._splitting.fingerprint

    @property
    def total(self) -> int:
        """All words together, each as often as it occurs."""
        return self._counts.total()

    def __add__(self, other: WordCounts) -> WordCounts:
        if not isinstance(other, WordCounts):
            return NotImplemented
        _refuse_others([self, other])
        return self._with([*self._counts.items(), *other._counts.items()])

    def __radd__(self, other: int) -> WordCounts:
        """Let `sum` add counts up, which begins with 0."""
        return self if other == 0 and isinstance(other, int) else NotImplemented

    # Choosing and weighing

    def filter(
        self,
        *,
        min_count: int = 1,
        matching: str | re.Pattern[str] | None = None,
        where: Callable[[str, int], object] | None = None,
    ) -> WordCounts:
        """Keep the words that occur so often, hold a match of a pattern, and satisfy a predicate.

        The pattern is one of Python's `re` and found anywhere in the word.

        >>> counts = WordCounts.of({"low": 5, "lower": 2, "42": 9})
        >>> dict(counts.filter(min_count=3, matching="[a-z]"))
        {'low': 5}
        >>> dict(counts.filter(where=lambda word, count: len(word) > 3))
        {'lower': 2}
        """
        least = whole("min_count", min_count)
        kept = [item for item in self._counts.items() if item[1] >= least]
        if matching is not None:
            search = re.compile(matching).search
            kept = [item for item in kept if search(_text(item[0]))]
        if where is not None:
            kept = [item for item in kept if where(_text(item[0]), item[1])]
        return self._with(kept)

    def top(self, n: int) -> WordCounts:
        """Keep the n most frequent words; of words with one count, those seen first.

        >>> dict(WordCounts.of({"c": 1, "b": 2, "a": 3, "d": 2}).top(2))
        {'b': 2, 'a': 3}
        """
        n, items = whole("n", n), self._counts.items()
        first = sorted(range(len(items)), key=lambda place: -items[place][1])[:n]
        return self._with([items[place] for place in sorted(first)])

    def weighted(self, weight: float | Fraction) -> WordCounts:
        """Count every occurrence `weight` times: `WordCounts.mix` of these counts alone.

        >>> dict(WordCounts.of({"a": 3, "b": 2, "c": 1}).weighted(0.25))
        {'a': 1, 'b': 1}
        """
        return WordCounts.mix((self, weight))

    @classmethod
    def mix(cls, *sources: tuple[WordCounts, float | Fraction]) -> WordCounts:
        """Add counts of several sources, each with a weight.

        A weight is rounded to the next multiple of 2**-20 (halves to even), once. Weighted counts
        are then added exactly, and each sum is rounded to the next whole number, halves up; a word
        whose sum is below a half is left out. So the result is the same on any machine, and
        does not depend on the order of the sources, except for the order of the words.

        >>> a, b = WordCounts.of({"low": 8, "new": 1}), WordCounts.of({"low": 3, "old": 2})
        >>> dict(WordCounts.mix((a, 0.25), (b, 2)))
        {'low': 8, 'old': 4}
        """
        if not sources:
            raise ValueError("there is nothing to mix; give pairs of counts and a weight")
        _refuse_others([counts for counts, _ in sources])
        sums: dict[bytes, int] = {}
        for counts, weight in sources:
            scaled = _scaled(weight)
            for word, n in counts._counts.items():
                sums[word] = sums.get(word, 0) + n * scaled
        rounded = ((word, (n + SCALE // 2) // SCALE) for word, n in sums.items())
        return sources[0][0]._with([item for item in rounded if item[1]])

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Write the counts to a file, replaced at once and whole.

        A name that ends with `.parquet` gets parquet (with pyarrow), which also says how text was
        split. Any other gets TSV, which does not: a line is a word, a tab and its count, and in a
        word `\t`, `\n`, `\r`, `\\` and `\xHH` stand for a tab, line ends, a backslash, and a byte
        that belongs to no UTF-8. Names of other kinds (`.gz`, `.json`) are refused.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordCounts.of({"low": 5, "new": 2}).save(folder + "/a.tsv")
        ...     Path(folder, "a.tsv").read_bytes(), dict(WordCounts.load(folder + "/a.tsv"))
        (b'low\t5\nnew\t2\n', {'low': 5, 'new': 2})
        """
        items = self._counts.items()
        is_parquet = _is_parquet(path)
        if Path(path).suffix.lower() in OTHERS:
            raise ValueError(
                f"{os.fspath(path)!r} is the name of another kind of file; counts are saved as"
                " .parquet, or as TSV"
            )
        content = to_parquet(items, self._splitting) if is_parquet else to_tsv(items)
        replace_files({Path(path): content})

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        pattern: str | PreTokenizer | None = None,
        normalizer: str | Normalizer | None = None,
        end_of_word: str | None = None,
        escapes: bool = True,
    ) -> WordCounts:
        """Read what `save` wrote, or parquet and TSV of others.

        Where the file does not say how text was split, the arguments do, as those of
        `digram.train`. Where it does, they may be left out; others than the file's are refused.
        Parquet of others needs a column `word` and a column `count`; a word in several rows gets
        their sum. `escapes=False` is for TSV in which a backslash is one.

        Raises `FormatError` for a file that is none of these, `MissingFileError` where none is.
        """
        name, said = os.fspath(path), None
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise MissingFileError(f"there is no file {name!r}") from None
        if _is_parquet(path):
            items, said = from_parquet(content, name)
        else:
            items = from_tsv(content, name, escapes=escapes)
        if said is not None:
            refuse_other_splitting(said, pattern, normalizer, end_of_word)
        found = said or splitting_of(pattern, normalizer, end_of_word)
        return cls(_core.WordCounts(items), found.pre_tokenizer, found.normalizer)

    # Inside

    @property
    def _splitting(self) -> Splitting:
        return Splitting(self._split, self._normalizer)

    def _with(self, items: Iterable[Item]) -> WordCounts:
        """Return other counts of words that came about alike; equal words are added up."""
        items = list(items)
        for word, n in items:
            if n > LARGEST:
                raise LimitError(f"the count of {_text(word)!r} is {n}, beyond 2**64 - 1")
        return WordCounts(_core.WordCounts(items), self._split, self._normalizer)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._counts.items(), self._split, self._normalizer)

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
    max_memory: int | str | None = None,
) -> WordCounts:
    """Count the words of a corpus; special tokens are cut out and not counted.

    The arguments are those of `digram.train`; `pattern` is o200k's unless given.

    Raises `OSError` where `max_memory` is given and the folder of temporary files is full.

    >>> dict(count(["to be or not to be"], pattern="gpt2"))
    {'to': 1, ' be': 2, ' or': 1, ' not': 1, ' to': 1}
    """
    progress_of(progress)
    splitting = splitting_of(pattern, normalizer)
    counter = _core.Counter(
        splitting.pre_tokenizer,
        splitting.normalizer,
        listed("special_tokens", special_tokens),
        thread_count(threads),
        max_memory=byte_count("max_memory", max_memory),
    )
    feed(counter, corpus, progress)
    return WordCounts(counter.finish(progress), splitting.pre_tokenizer, splitting.normalizer)


def _refuse_others(sources: list[WordCounts]) -> None:
    """Refuse counts of words that came about in different ways."""
    first = sources[0]
    for other in sources[1:]:
        if other.fingerprint != first.fingerprint:
            raise ValueError(
                "the counts were made with different patterns or normalizers,"
                f" {first._splitting} and {other._splitting}; count both alike, then add"
            )


def _occurrences(word: Any, count: Any) -> int:
    return whole(f"the count of {word!r}", count, 1, LARGEST)


def _scaled(weight: float | Fraction) -> int:
    try:
        scaled = round(Fraction(weight) * SCALE)
    except (TypeError, ValueError, OverflowError):
        scaled = 0
    if scaled < 1:
        raise ValueError(f"a weight is {weight!r}; it is a number from 2**-20 on")
    return scaled


def _text(word: bytes) -> str:
    # Words counted elsewhere may be bytes of any kind.
    return word.decode("utf-8", "surrogateescape")


def _is_parquet(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith(".parquet")


def _unpickled(items: list[Item], split: str | None, normalizer: str | None) -> WordCounts:
    return WordCounts(_core.WordCounts(items), split, normalizer)
