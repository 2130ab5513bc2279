"""What training did, merge by merge: the report that both engines fill in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, NamedTuple

from digram._atomic import replace_files
from digram._kinds import wrong_kind
from digram._tables import Columns, arrow_table, csv_bytes, parquet_bytes

__all__ = [
    "Compression",
    "Merge",
    "StopReason",
    "TrainingReport",
    "check_merges",
]

StopReason = Literal["vocab_size", "num_merges", "min_frequency", "no-pairs"]

REASONS: dict[str, str] = {
    "vocab_size": "the vocabulary size is reached",
    "num_merges": "the number of merges is reached",
    "min_frequency": "the best pair is rarer than min_frequency",
    "no-pairs": "no pair is left",
}
# A report of 32,000 merges must still print as one screen.
SHOWN_FIRST, SHOWN_LAST = 20, 5
# What Arrow calls the types of a merge's fields.
TYPES = {
    "rank": "uint32",
    "left": "uint32",
    "right": "uint32",
    "merged": "uint32",
    "left_token": "string",
    "right_token": "string",
    "merged_token": "string",
    "frequency": "uint64",
    "live_symbols": "uint32",
    "change": "int8",
    "places": "uint64",
    "tied": "uint32",
}
# What of a report are sequences.
SEQUENCES = ("tokens", "frequencies", "live_frequencies", "live_symbols", "places", "tied")


@dataclass(frozen=True)
class Merge:
    """One merge: the pair, what it became, and what that did to the symbols in the words.

    `frequency` is the pair's count when it was chosen. `live_symbols` is how many symbols still
    occur after the merge and `change` how many more that is than before: +1 where both parts
    live on, 0 where one of them is used up, -1 where both are. `places` is in how many places of
    the distinct words the pair was merged, which is the work that it took. `tied` is
    how many pairs were as frequent when it was chosen, itself included; 0 for the merges of
    required tokens, which are chosen among those.
    """

    rank: int
    left: int
    right: int
    merged: int
    left_token: str
    right_token: str
    merged_token: str
    frequency: int
    live_symbols: int
    change: int
    places: int
    tied: int

    def __str__(self) -> str:
        pair = f"{self.left_token} + {self.right_token} = {self.merged_token}"
        return (
            f"{self.rank:>6}  {pair:<32} {self.frequency:>12}x"
            f"  {self.live_symbols:>6} live ({self.change:+d})"
        )


class Compression(NamedTuple):
    """What a vocabulary of some size makes of the corpus that it was learned from."""

    vocab_size: int
    tokens: int
    bytes_per_token: float


@dataclass(frozen=True, repr=False)
class TrainingReport:
    """Every merge and its frequency, the vocabulary with frequencies, and why training stopped.

    Everything indexed by id is indexed from 0, as training gives ids: special tokens, base
    symbols, merges in order. Sequences are kept as tuples, whatever they are given as.

    >>> report = TrainingReport(
    ...     tokens=["a", "b", "ab"], pairs=[(0, 1, 2)], frequencies=[3, 2, 2],
    ...     live_frequencies=[1, 0, 2], live_symbols=[2, 2], places=[1], tied=[1],
    ...     stopped="no-pairs", words=2, occurrences=3, text_bytes=5)
    >>> report
    TrainingReport(merges=1, stopped='no-pairs', words=2, occurrences=3)
    >>> print(report)
    1 merge learned from 3 words, 2 of them different: 5 symbols became 3
    stopped because no pair is left
         0  a + b = ab                                  2x       2 live (+0)
    """

    tokens: Sequence[str]
    """Each token as `tokenizer.json` spells it, by id."""
    pairs: Sequence[tuple[int, int, int]]
    """(left id, right id, merged id) in the order learned."""
    frequencies: Sequence[int]
    """Each token's frequency when it was made, by id: a base symbol's occurrences at the start,
    the count of a merge's pair when it was chosen; 0 for special tokens, but of the unknown one and
    those of bytes as often as they stand for what the alphabet leaves out."""
    live_frequencies: Sequence[int]
    """How often each token stands in the words after the last merge, by id."""
    live_symbols: Sequence[int]
    """How many symbols occur in the words: at the start, then after each merge."""
    places: Sequence[int]
    """In how many places of the distinct words each merge was made, in the order learned."""
    tied: Sequence[int]
    """How many pairs were as frequent as that of each merge when it was chosen, itself included."""
    stopped: StopReason
    """Why training stopped."""
    words: int
    """How many different words there were."""
    occurrences: int
    """How many words there were in all."""
    text_bytes: int
    """How many bytes all words had together, markers not counted."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(map(tuple, self.pairs)))
        for name in SEQUENCES:
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def base_size(self) -> int:
        """How many ids there were before the first merge, those of special tokens included.

        As many as tokens, unless a vocabulary was extended of which some ids have no token.
        """
        return len(self.tokens) - len(self.pairs)

    @property
    def merges(self) -> tuple[Merge, ...]:
        """Every merge, in the order learned."""
        return tuple(self._merge(rank) for rank in range(len(self.pairs)))

    @property
    def live_symbols_at_start(self) -> int:
        """How many symbols occurred before the first merge."""
        return self.live_symbols[0]

    @property
    def symbols_at_start(self) -> int:
        """How many symbols all words together had before the first merge."""
        return sum(self.frequencies[: self.base_size])

    @property
    def symbols_at_end(self) -> int:
        """How many symbols all words together have after the last merge."""
        return sum(self.live_frequencies)

    @cached_property
    def applied(self) -> tuple[int, ...]:
        """How often each merge was made, which is how many symbols it saved, exactly.

        That is its pair's frequency, unless its parts are equal: then occurrences overlap, and of
        three equal symbols in a row only two are merged, though the pair occurs twice. What became
        of those tells: a symbol that was there at the start, or was made, is there at the end, or
        was merged.

        >>> import digram
        >>> report = digram.train({"aaa": 5, "aaaab": 2}, units="chars", num_merges=2).training
        >>> [merge.frequency for merge in report.merges], report.applied
        ([16, 5], (9, 5))
        """
        made = list(self.frequencies)
        merged_otherwise = [0] * len(self.tokens)
        for left, right, merged in self.pairs:
            if left != right:
                merged_otherwise[left] += made[merged]
                merged_otherwise[right] += made[merged]
        # A merge of equal parts makes a later token than they are: in order, all needed is known.
        for part, right, merged in self.pairs:
            if part == right:
                gone = made[part] - self.live_frequencies[part] - merged_otherwise[part]
                made[merged] = gone // 2
        return tuple(made[self.base_size :])

    @cached_property
    def corpus_tokens(self) -> tuple[int, ...]:
        """How many tokens all words were together: at the start, then after each merge."""
        return tuple(accumulate((-n for n in self.applied), initial=self.symbols_at_start))

    def compression(self) -> list[Compression]:
        """Return what every smaller vocabulary of this training made of the corpus.

        >>> import digram
        >>> report = digram.train({"low": 5, "lower": 2}, units="chars", num_merges=2).training
        >>> for point in report.compression():
        ...     print(point)
        Compression(vocab_size=5, tokens=25, bytes_per_token=1.0)
        Compression(vocab_size=6, tokens=18, bytes_per_token=1.3888888888888888)
        Compression(vocab_size=7, tokens=11, bytes_per_token=2.272727272727273)
        """
        base = sum(map(bool, self.tokens[: self.base_size]))  # an id without a token has no text
        return [
            Compression(size, tokens, self.text_bytes / tokens)
            for size, tokens in enumerate(self.corpus_tokens, start=base)
        ]

    def at(self, n: int) -> TrainingReport:
        """Return the report of the first n merges: what training with `num_merges=n` reports.

        >>> import digram
        >>> words = {"low": 5, "lower": 2}
        >>> report = digram.train(words, num_merges=4).training
        >>> report.at(2) == digram.train(words, num_merges=2).training
        True
        """
        check_merges(n, len(self.pairs))
        if n == len(self.pairs):
            return self
        live = [*self.frequencies[: self.base_size], *self.applied[:n]]
        for (left, right, _), times in zip(self.pairs[:n], self.applied, strict=False):
            live[left] -= times
            live[right] -= times
        return replace(
            self,
            tokens=self.tokens[: self.base_size + n],
            pairs=self.pairs[:n],
            frequencies=self.frequencies[: self.base_size + n],
            live_frequencies=live,
            live_symbols=self.live_symbols[: n + 1],
            places=self.places[:n],
            tied=self.tied[:n],
            stopped="num_merges",
        )

    def to_arrow(self) -> Any:
        """Return a table with a row for each merge; needs pyarrow.

        Its columns are those of `Merge`, and `applied`, how often the pair was merged (see
        `applied`), `corpus_tokens`, how many tokens all words are after the merge, and
        `bytes_per_token`.
        """
        return arrow_table(self._columns(), "a report as Arrow or parquet")

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table of `to_arrow` as parquet; needs pyarrow."""
        replace_files({Path(path): parquet_bytes(self.to_arrow())})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the table of `to_arrow` as comma-separated values with a first row of names."""
        replace_files({Path(path): csv_bytes(self._columns())})

    def _columns(self) -> Columns:
        rows = zip(*map(astuple, self.merges), strict=True) if self.pairs else [()] * len(TYPES)
        points = self.compression()[1:]
        return {
            **{
                name: (kind, values)
                for (name, kind), values in zip(TYPES.items(), rows, strict=True)
            },
            "applied": ("uint64", self.applied),
            "corpus_tokens": ("uint64", [point.tokens for point in points]),
            "bytes_per_token": ("float64", [point.bytes_per_token for point in points]),
        }

    def _merge(self, rank: int) -> Merge:
        left, right, merged = self.pairs[rank]
        before, after = self.live_symbols[rank], self.live_symbols[rank + 1]
        spelled = (self.tokens[left], self.tokens[right], self.tokens[merged])
        return Merge(
            rank,
            left,
            right,
            merged,
            *spelled,
            self.frequencies[merged],
            after,
            after - before,
            self.places[rank],
            self.tied[rank],
        )

    def __repr__(self) -> str:
        return (
            f"TrainingReport(merges={len(self.pairs)}, stopped={self.stopped!r},"
            f" words={self.words}, occurrences={self.occurrences})"
        )

    def __str__(self) -> str:
        count = len(self.pairs)
        learned = f"{count} {'merge' if count == 1 else 'merges'} learned"
        words = f"{self.occurrences} words, {self.words} of them different"
        lines = [
            f"{learned} from {words}: {self.symbols_at_start} symbols became {self.symbols_at_end}",
            f"stopped because {REASONS[self.stopped]}",
        ]
        hidden = range(SHOWN_FIRST, count - SHOWN_LAST)
        for rank in range(count):
            if rank not in hidden:
                lines.append(str(self._merge(rank)))
            elif rank == hidden.start:
                lines.append(f"   ...  {len(hidden)} more")
        return "\n".join(lines)


def check_merges(n: int, most: int) -> None:
    """Refuse a number of merges that were not made."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise wrong_kind("n", n, "an int")
    if not 0 <= n <= most:
        raise ValueError(f"n is {n}, but there are {most} merges; give 0 to {most}")
