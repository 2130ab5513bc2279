"""Where text comes from: files, globs, iterables of texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from digram._core import Counter
from digram.errors import MissingFileError

__all__ = ["Corpus", "Progress", "Source", "Text", "corpus", "feed"]

Progress: TypeAlias = Callable[[str, int, int], object]
"""Called with `(stage, done, total)`; the total is 0 where it is not known."""
Text: TypeAlias = str | os.PathLike[str]

# Longer than any path that systems allow: a longer string is text.
MAX_PATH = 4096
# Texts are handed to the engine in batches of some characters, so that all cores have work.
BATCH = 8 << 20


@dataclass(frozen=True)
class Corpus:
    """Files of text, and what counts as one text in them; `digram.corpus` makes one."""

    paths: tuple[Path, ...]
    documents: Literal["file", "line"] = "file"

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(path.stat().st_size for path in self.paths)


Source: TypeAlias = Text | Corpus | Iterable[Text]


def corpus(paths: Text | Iterable[Text], *, documents: Literal["file", "line"] = "file") -> Corpus:
    """Name files to learn from: a path, a glob (`**` goes into folders), or several of them.

    `documents` says what one text is: a whole file, or a line with its line end. It decides what
    the pattern sees, and so the merges. Files are taken in the order of the arguments, those of
    one glob by name; a file given twice counts twice.

    Raises `MissingFileError` where nothing matches.

    >>> corpus("/no/such/*.txt")
    Traceback (most recent call last):
    ...
    digram.errors.MissingFileError: no file matches '/no/such/*.txt'; give a path or a glob
    """
    if documents not in ("file", "line"):
        raise ValueError(f"documents is {documents!r}; it is 'file' or 'line'")
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    found = [path for given in paths for path in _expand(os.fspath(given))]
    if not found:
        raise ValueError("the corpus is empty: no path was given")
    return Corpus(tuple(found), documents)


def feed(counter: Counter, source: Source, progress: Progress | None) -> None:
    """Count all texts of `source`."""
    if isinstance(source, str):
        _refuse_text(source)
    if isinstance(source, str | os.PathLike):
        source = corpus(source)
    if isinstance(source, Corpus):
        _feed_files(counter, source, progress)
        return
    _feed_items(counter, source, progress)


def _feed_files(counter: Counter, files: Corpus, progress: Progress | None) -> None:
    sizes = [path.stat().st_size for path in files.paths]
    done, total = 0, sum(sizes)
    for path, size in zip(files.paths, sizes, strict=True):
        counter.add_file(path, files.documents == "line", total, progress)
        done += size
        if progress is not None:
            progress("count", done, total)


def _feed_items(counter: Counter, items: Iterable[Text], progress: Progress | None) -> None:
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
            _feed_files(counter, corpus(item), progress)
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
                f"a corpus holds str (texts) and Path (files), not {kind}: {item!r:.50}"
            )
        batch.append(item)
        size += len(item) if isinstance(item, str) else 0
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _refuse_text(path: str) -> None:
    if "\n" in path or len(path) > MAX_PATH:
        raise ValueError(
            f"{path[:40]!r}… looks like text, and a lone str is a path;"
            " to learn from it, pass [text]"
        )


def _expand(path: str) -> list[Path]:
    _refuse_text(path)
    if os.path.isdir(path):
        raise ValueError(f"{path!r} is a folder; name its files, for example with {path + '/*'!r}")
    if os.path.exists(path):
        return [Path(path)]
    import glob

    found = sorted(name for name in glob.glob(path, recursive=True) if os.path.isfile(name))
    if not found:
        raise MissingFileError(f"no file matches {path!r}; give a path or a glob")
    return [Path(name) for name in found]
