r"""Word counts in files: parquet, which says how text was split, and TSV, which others read too.

A parquet file has a column `word` (bytes) and a column `count` (64 bits), one row for each word in
the order first seen, and under the key `digram.words` of its schema JSON with `version`,
`pre_tokenizer`, `normalizer` and `sha256`, the fingerprint of the latter two. Files of others
need the two columns only.

A line of TSV is a word, a tab and its count. In a word `\t`, `\n` and `\r` stand for a tab, a line
feed and a carriage return, `\\` for a backslash, and `\xHH` for a byte that belongs to no UTF-8. A
line without a tab is read as subword-nmt's: a word, one space and its count, without escapes.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from digram._extras import missing
from digram._tables import arrow_table, parquet_bytes
from digram._word_escapes import escaped, unescaped
from digram.errors import FormatError

__all__ = ["Item", "Splitting", "from_parquet", "from_tsv", "to_parquet", "to_tsv"]

Item = tuple[bytes, int]

VERSION = 1
KEY = b"digram.words"
LARGEST = 2**64 - 1
IS_COUNT = re.compile(rb"[0-9]{1,99}")  # Python refuses thousands of digits


@dataclass(frozen=True)
class Splitting:
    """How text became words: the pre-tokenizer and the normalizer, as JSON, or `None`."""

    pre_tokenizer: str | None
    normalizer: str | None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of both, however their JSON is laid out.

        >>> Splitting('{"type": "Whitespace"}', None).fingerprint[:16]
        'ef45a90f2b85b251'
        """
        parts = (self.pre_tokenizer, self.normalizer)
        said = [None if part is None else json.loads(part) for part in parts]
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()


def to_parquet(items: Sequence[Item], splitting: Splitting) -> bytes:
    """Write words, counts and how the words came about."""
    words, counts = zip(*items, strict=True) if items else ((), ())
    columns = {"word": ("large_binary", words), "count": ("uint64", counts)}
    table = arrow_table(columns, "writing counts as parquet")
    said = {
        "version": VERSION,
        "pre_tokenizer": splitting.pre_tokenizer and json.loads(splitting.pre_tokenizer),
        "normalizer": splitting.normalizer and json.loads(splitting.normalizer),
        "sha256": splitting.fingerprint,
    }
    return parquet_bytes(table.replace_schema_metadata({KEY: json.dumps(said).encode()}))


def from_parquet(content: bytes, name: str) -> tuple[list[Item], Splitting | None]:
    """Read words and counts; and how the words came about, where the file says it."""
    try:
        import pyarrow as pa
    except ImportError:
        raise missing("pyarrow", "arrow", f"reading {name}") from None
    import pyarrow.parquet as pq

    try:
        # in this thread alone: one of pyarrow's that still ends when the process does aborts it
        table = pq.ParquetFile(io.BytesIO(content), pre_buffer=False).read(use_threads=False)
        columns = [table.column(column) for column in ("word", "count")]
        words = columns[0].cast(pa.large_binary()).to_pylist()
        counts = columns[1].cast(pa.uint64()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, KeyError) as error:
        raise FormatError(
            f"{name}: this is no parquet file with a column word (text or bytes) and a column"
            f" count (whole numbers, not negative): {error}"
        ) from None
    if None in words or None in counts:
        row = min(column.index(None) for column in (words, counts) if None in column)
        raise FormatError(f"{name}: row {row + 1} has no word or no count")
    said = (table.schema.metadata or {}).get(KEY)
    return list(zip(words, counts, strict=True)), None if said is None else _described(said, name)


def to_tsv(items: Iterable[Item]) -> bytes:
    r"""Write a line for each word.

    >>> to_tsv([(b"low", 5), (b"a\tb\\", 2), (b"\xff", 1)])
    b'low\t5\na\\tb\\\\\t2\n\\xFF\t1\n'
    """
    return b"".join(f"{escaped(word)}\t{count}\n".encode() for word, count in items)


def from_tsv(content: bytes, name: str, *, escapes: bool = True) -> list[Item]:
    r"""Read what `to_tsv` writes; without `escapes` a backslash is one.

    >>> from_tsv(b"low\t5\na\\tb\\\\\t2\n\\xff\t1\n", "a.tsv")
    [(b'low', 5), (b'a\tb\\', 2), (b'\xff', 1)]
    >>> from_tsv(b"low 5\na\\tb 2\n", "of subword-nmt")
    [(b'low', 5), (b'a\\tb', 2)]
    """
    items = []
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, raw in enumerate(lines, start=1):
        line = raw.removesuffix(b"\r")
        word, between, count = line.rpartition(b"\t" if b"\t" in line else b" ")
        is_plain = between == b" "
        if (
            not word
            or (is_plain and between in word)
            or not (IS_COUNT.fullmatch(count) and 0 < int(count) <= LARGEST)
        ):
            raise FormatError(
                f"{name}: line {number} is {raw[:50]!r}; it must be a word, a tab, and a count"
                " from 1 to 2**64 - 1, or a word without blanks, a space, and such a count"
            )
        if escapes and not is_plain:
            word = unescaped(word, f"{name}: line {number}")
        items.append((word, int(count)))
    return items


def _described(said: bytes, name: str) -> Splitting:
    try:
        found: dict[str, Any] = json.loads(said)
        version = found["version"]
        parts = [found["pre_tokenizer"], found["normalizer"]]
        digest = found["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{name}: what it says of its words is damaged: {error}") from None
    if version != VERSION:
        raise FormatError(f"{name}: its version is {version!r}, and this digram reads {VERSION}")
    splitting = Splitting(*(None if part is None else json.dumps(part) for part in parts))
    if splitting.fingerprint != digest:
        raise FormatError(
            f"{name}: the pre-tokenizer and the normalizer that it names are not those that its"
            " sha256 is of; it was changed after it was written"
        )
    return splitting
