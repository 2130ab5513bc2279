"""What training did, merge by merge: the report that both engines fill in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

__all__ = ["Merge", "StopReason", "TrainingReport", "from_record", "to_record"]

StopReason = Literal["vocab_size", "num_merges", "min_frequency", "no-pairs"]

REASONS: dict[str, str] = {
    "vocab_size": "the vocabulary size is reached",
    "num_merges": "the number of merges is reached",
    "min_frequency": "the best pair is rarer than min_frequency",
    "no-pairs": "no pair is left",
}
# A report of 32,000 merges must still print as one screen.
SHOWN_FIRST, SHOWN_LAST = 20, 5
# What of a record are lists.
LISTS = ("tokens", "pairs", "frequencies", "live_frequencies", "live_symbols")


@dataclass(frozen=True)
class Merge:
    """One merge: the pair, what it became, and what that did to the symbols in the words.

    `frequency` is the pair's count when it was chosen. `live_symbols` is how many symbols still
    occur after the merge and `change` how many more that is than before: +1 where both parts
    live on, 0 where one of them is used up, -1 where both are.
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

    def __str__(self) -> str:
        pair = f"{self.left_token} + {self.right_token} = {self.merged_token}"
        return (
            f"{self.rank:>6}  {pair:<32} {self.frequency:>12}x"
            f"  {self.live_symbols:>6} live ({self.change:+d})"
        )


@dataclass(frozen=True, repr=False)
class TrainingReport:
    """Every merge and its frequency, the vocabulary with frequencies, and why training stopped.

    Everything indexed by id is indexed from 0, as training gives ids: special tokens, base
    symbols, merges in order.

    >>> report = TrainingReport(
    ...     tokens=["a", "b", "ab"], pairs=[(0, 1, 2)], frequencies=[3, 2, 2],
    ...     live_frequencies=[1, 0, 2], live_symbols=[2, 2], stopped="no-pairs", words=2,
    ...     occurrences=3)
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
    the count of a merge's pair when it was chosen, 0 for special tokens."""
    live_frequencies: Sequence[int]
    """How often each token stands in the words after the last merge, by id."""
    live_symbols: Sequence[int]
    """How many symbols occur in the words: at the start, then after each merge."""
    stopped: StopReason
    """Why training stopped."""
    words: int
    """How many different words there were."""
    occurrences: int
    """How many words there were in all."""

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
        return sum(self.frequencies[: len(self.tokens) - len(self.pairs)])

    @property
    def symbols_at_end(self) -> int:
        """How many symbols all words together have after the last merge."""
        return sum(self.live_frequencies)

    def _merge(self, rank: int) -> Merge:
        left, right, merged = self.pairs[rank]
        before, after = self.live_symbols[rank], self.live_symbols[rank + 1]
        spelled = (self.tokens[left], self.tokens[right], self.tokens[merged])
        return Merge(
            rank, left, right, merged, *spelled, self.frequencies[merged], after, after - before
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


def to_record(training: TrainingReport) -> str:
    """Write a report as `tokenizer.json` keeps it beside the model."""
    values: dict[str, Any] = {f.name: getattr(training, f.name) for f in fields(training)}
    return json.dumps(values, ensure_ascii=False)


def from_record(record: str) -> TrainingReport | None:
    """Read what `to_record` wrote; what is another's, or of another version, affects nothing."""
    found = json.loads(record)
    known = {field.name for field in fields(TrainingReport)}
    if not isinstance(found, dict) or set(found) != known:
        return None
    if not all(isinstance(found[name], list) for name in LISTS):
        return None
    if not all(isinstance(pair, list) for pair in found["pairs"]):
        return None
    pairs = [tuple(pair) for pair in found.pop("pairs")]
    return TrainingReport(pairs=pairs, **found)
