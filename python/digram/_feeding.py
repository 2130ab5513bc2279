"""A corpus to a counter: files by the engine where it can, other texts in batches."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from digram._columns import Column, is_table
from digram._core import Counter
from digram._corpus import MAX_PATH, Bytes, Corpus, Source, Text, corpus, refuse_text
from digram._kinds import shown, wrong_kind

__all__ = ["Progress", "feed"]

Progress: TypeAlias = Callable[[str, int, int], object]
"""Called with `(stage, done, total)`; the total is 0 where it is not known.

`digram.train` says what the stages are.
"""

# Texts are handed to the engine in batches of some characters or bytes, so that all cores have
# work.
BATCH = 8 << 20
# What a text may be, and what a corpus holds.
BYTES = (bytes, bytearray, memoryview)
TEXTS = (str, *BYTES)
KINDS = (*TEXTS, os.PathLike)


def progress_of(given: Progress | None) -> Progress | None:
    """Return what is told of progress.

    >>> progress_of(True)
    Traceback (most recent call last):
    TypeError: progress must be a function that is called with (stage, done, total), or None, \
not bool: True
    """
    if given is None or callable(given):
        return given
    rule = "a function that is called with (stage, done, total), or None"
    raise wrong_kind("progress", given, rule)


def feed(counter: Counter, source: Source, progress: Progress | None) -> None:
    """Count all texts of `source`."""
    if isinstance(source, str):
        refuse_text(source)
    if isinstance(source, str | os.PathLike) or is_table(source):
        source = corpus(source)
    if isinstance(source, Corpus):
        _feed_corpus(counter, source, progress)
        return
    _feed_items(counter, source, progress)


def _feed_corpus(counter: Counter, found: Corpus, progress: Progress | None) -> None:
    if not found.is_whole:
        columns = found.columns()
        if columns is None:
            _feed_texts(counter, found, progress)
        else:
            found.skipped.forget()
            _feed_columns(counter, found, columns, progress)
        return
    found.skipped.forget()
    done = 0
    # Of other files nobody knows beforehand how much text they hold.
    total = found.size if all(map(found.is_for_the_engine, found.files)) else 0
    for file in found.files:
        if found.is_for_the_engine(file):
            _feed_file(counter, found, file, total, progress)
            done += Path(file).stat().st_size
        elif found.has_columns(file):
            _feed_columns(counter, found, found.columns_of(file), progress)
        else:
            _feed_texts(counter, found.texts_of(file), progress)
        if progress is not None and total:
            progress("count", done, total)


def _feed_file(
    counter: Counter, found: Corpus, file: str, total: int, progress: Progress | None
) -> None:
    by_lines = found.documents == "line"
    try:
        counter.add_file(file, by_lines, total, progress)
    except ValueError:
        # The engine names the byte that is no UTF-8; reading line by line, the line too.
        for _ in found.texts_of(file) if by_lines else ():
            pass
        raise


def _feed_texts(counter: Counter, texts: Iterable[str], progress: Progress | None) -> None:
    batch, size = [], 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BATCH:
            counter.add(batch, 0, progress)
            batch, size = [], 0
    counter.add(batch, 0, progress)


def _feed_columns(
    counter: Counter, found: Corpus, columns: Iterable[Column], progress: Progress | None
) -> None:
    """Count columns from their own memory, of which the engine copies some megabytes at a time."""
    batch: list[Column] = []
    size, left = 0, found.limit_bytes
    for column in itertools.chain.from_iterable(map(Column.pieces, columns)):
        batch.append(column)
        size += column.values.nbytes
        # What is behind the limit is not read at all.
        if size >= (BATCH if left is None else min(BATCH, left)):
            left = _add_columns(counter, found, batch, left, progress)
            if left == 0:
                return
            batch, size = [], 0
    _add_columns(counter, found, batch, left, progress)


def _add_columns(
    counter: Counter,
    found: Corpus,
    columns: list[Column],
    left: int | None,
    progress: Progress | None,
) -> int | None:
    """Count columns up to the bytes that are left of a limit; return how many are left then."""
    buffers = [column.buffers() for column in columns]
    bad, left = counter.add_columns(buffers, progress, found.chosen, left)
    for number, row, byte in bad:
        found.skipped.meet(columns[number].bad(row, byte), found.errors)
    return left


def _feed_items(counter: Counter, items: Iterable[Text | Bytes], progress: Progress | None) -> None:
    if isinstance(items, Mapping):
        raise TypeError(
            "these are words that are counted already; digram.WordCounts.of takes them, and so"
            " does digram.train"
        )
    if isinstance(items, bytes | bytearray) or not isinstance(items, Iterable):
        kind = type(items).__name__
        raise TypeError(f"a corpus is a path, texts, or a mapping word → count, not {kind}")
    names: list[str] | None = []
    number = 1
    for batch in _batches(items):
        texts: list[str | bytes | bytearray] = []
        for item in batch:
            if isinstance(item, str):
                names = _still_names(names, item)
                texts.append(item)
            elif isinstance(item, BYTES):
                names = None
                texts.append(bytes(item) if isinstance(item, memoryview) else item)
            else:
                # In order: what was read before the file is counted before it.
                _add_texts(counter, texts, number, progress)
                number += len(texts) + 1
                texts = []
                _feed_corpus(counter, corpus(item), progress)
        _add_texts(counter, texts, number, progress)
        number += len(texts)
    if names:
        raise ValueError(
            f"every text is the name of a file ({names[0]!r} …): to read the files, pass"
            " digram.corpus(names) or Path objects; to learn from the names themselves, pass a"
            " mapping word → count"
        )


def _add_texts(
    counter: Counter,
    texts: list[str | bytes | bytearray],
    first: int,
    progress: Progress | None,
) -> None:
    try:
        bad = counter.add(texts, 0, progress)
    except UnicodeEncodeError as error:
        error.reason += f", in text {first + texts.index(error.object)}"
        raise
    for _, row, byte in bad:
        place, value = byte or (0, 0)
        raise ValueError(
            f"text {first + row} is not UTF-8: byte {place} is 0x{value:02X}; convert it to UTF-8,"
            " or leave such texts out with digram.corpus(texts=…, errors='skip')"
        )


def _still_names(names: list[str] | None, item: str) -> list[str] | None:
    """Remember texts for as long as each of them is the name of a file; then `None`."""
    if names is None or len(item) > MAX_PATH or "\0" in item or not os.path.isfile(item):
        return None
    return [*names[:1], item]


def _batches(items: Iterable[Text | Bytes]) -> Iterator[list[Text | Bytes]]:
    batch: list[Text | Bytes] = []
    size = 0
    for number, item in enumerate(items, 1):
        if not isinstance(item, KINDS):
            kind = type(item).__name__
            raise TypeError(
                f"a corpus holds str or bytes (texts) and Path (files), not {kind}:"
                f" {shown(item, 50)}, as text {number} is; {_remedy(item)}"
            )
        batch.append(item)
        size += len(item) if isinstance(item, TEXTS) else 0
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _remedy(item: object) -> str:
    if isinstance(item, list | tuple):
        return "to learn from lists of texts, pass itertools.chain.from_iterable(lists)"
    return "digram.corpus(texts=…, field=…) takes records"
