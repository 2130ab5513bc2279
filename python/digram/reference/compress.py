"""Where byte-pair encoding comes from: Philip Gage's compression of 1994.

The most frequent pair of bytes is replaced by a byte that does not occur, again and again. The
replacements made are kept in a table; undoing them in reverse order restores the data.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

# A table entry costs three bytes, so a replacement pays if the pair occurs four times.
PAYS = 4


@dataclass(frozen=True)
class Compressed:
    """Compressed data, and what each replacing byte stands for, in the order made."""

    data: bytes
    table: tuple[tuple[int, bytes], ...]

    def __len__(self) -> int:
        return len(self.data) + 3 * len(self.table)

    def __str__(self) -> str:
        rows = [f"{bytes([byte])!r} = {pair!r}" for byte, pair in self.table]
        return "\n".join([repr(self.data), *rows])


def compress(data: bytes, *, min_frequency: int = PAYS) -> Compressed:
    r"""Replace the most frequent byte pair by an unused byte until none pays or none is unused.

    Of equally frequent pairs the smallest goes first, of unused bytes the largest.

    >>> print(compress(b"aaabdaaabac", min_frequency=2))
    b'\xfdd\xfdac'
    b'\xff' = b'aa'
    b'\xfe' = b'ab'
    b'\xfd' = b'\xff\xfe'
    """
    if min_frequency <= 1:
        raise ValueError(f"min_frequency is {min_frequency}; a single pair gains nothing, give 2")
    table: list[tuple[int, bytes]] = []
    while unused := set(range(256)) - set(data) - {byte for byte, _ in table}:
        pair, frequency = most_frequent_pair(data)
        if frequency < min_frequency:
            break
        table.append((max(unused), pair))
        data = data.replace(pair, bytes([max(unused)]))
    return Compressed(data, tuple(table))


def most_frequent_pair(data: bytes) -> tuple[bytes, int]:
    """Return the most frequent pair of bytes and how often it can be replaced.

    >>> most_frequent_pair(b"aaaab")
    (b'aa', 2)
    """
    pairs = {data[start : start + 2] for start in range(len(data) - 1)}
    counts = Counter({pair: data.count(pair) for pair in sorted(pairs)})
    return counts.most_common(1)[0] if counts else (b"", 0)


def expand(compressed: Compressed) -> bytes:
    """Restore the data.

    >>> expand(compress(b"aaabdaaabac", min_frequency=2))
    b'aaabdaaabac'
    """
    data = compressed.data
    for byte, pair in reversed(compressed.table):
        data = data.replace(bytes([byte]), pair)
    return data
