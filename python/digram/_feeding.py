"""A corpus to a counter: files by the engine where it can, other texts in batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from digram._columns import is_table
from digram._core import Counter
from digram._corpus import MAX_PATH, Corpus, Source, Text, corpus, refuse_text

__all__ = ["Progress", "feed"]

Progress: TypeAlias = Callable[[str, int, int], object]
"""Called with `(stage, done, total)`; the total is 0 where it is not known."""

# Texts are handed to the engine in batches of some characters, so that all cores have work.
BATCH = 8 << 20


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
        _feed_texts(counter, found, progress)
        return
    found.skipped.forget()
    done = 0
    # Of other files nobody knows beforehand how much text they hold.
    total = found.size if all(map(found.is_for_the_engine, found.files)) else 0
    for file in found.files:
        if found.is_for_the_engine(file):
            _feed_file(counter, found, file, total, progress)
            done += Path(file).stat().st_size
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


def _feed_items(counter: Counter, items: Iterable[Text], progress: Progress | None) -> None:
    if isinstance(items, Mapping):
        raise TypeError(
            "these are words that are counted already; digram.WordCounts.of takes them, and so"
            " does digram.train"
        )
    if isinstance(items, bytes | bytearray) or not isinstance(items, Iterable):
        kind = type(items).__name__
        raise TypeError(f"a corpus is a path, texts, or a mapping word → count, not {kind}")
    names: list[str] | None = []
    for batch in _batches(items):
        texts = []
        for item in batch:
            if isinstance(item, str):
                names = _still_names(names, item)
                texts.append(item)
                continue
            # In order: what was read before the file is counted before it.
            counter.add(texts, 0, progress)
            texts = []
            _feed_corpus(counter, corpus(item), progress)
        counter.add(texts, 0, progress)
    if names:
        raise ValueError(
            f"every text is the name of a file ({names[0]!r} …): to read the files, pass"
            " digram.corpus(names) or Path objects; to learn from the names themselves, pass a"
            " mapping word → count"
        )


def _still_names(names: list[str] | None, item: str) -> list[str] | None:
    """Remember texts for as long as each of them is the name of a file; then `None`."""
    if names is None or len(item) > MAX_PATH or "\0" in item or not os.path.isfile(item):
        return None
    return [*names[:1], item]


def _batches(items: Iterable[Text]) -> Iterator[list[Text]]:
    batch: list[Text] = []
    size = 0
    for item in items:
        if not isinstance(item, str | os.PathLike):
            kind = type(item).__name__
            raise TypeError(
                f"a corpus holds str (texts) and Path (files), not {kind}: {item!r:.50};"
                " digram.corpus(texts=…, field=…) takes records"
            )
        batch.append(item)
        size += len(item) if isinstance(item, str) else 0
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    yield batch
