"""Where text comes from: files of many kinds, tables, streams, iterables of texts."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, get_args

from digram import _records as records
from digram._arguments import byte_count
from digram._bad_records import BadRecord, Errors, Skipped
from digram._choosing import SEEDS, bound_of, first_bytes, sampled
from digram._columns import (
    Column,
    arrow_columns,
    column_texts,
    is_table,
    parquet_columns,
    table_columns,
)
from digram._json_records import json_texts
from digram._kinds import many, of_kind, shown, whole
from digram._once import Once
from digram._streams import STDIN, Format, expanded, format_of, is_local, is_plain, opened

__all__ = ["Bytes", "Corpus", "Documents", "Source", "Text", "corpus", "refuse_text"]

Text: TypeAlias = str | os.PathLike[str]
Bytes: TypeAlias = bytes | bytearray | memoryview
Documents: TypeAlias = Literal["file", "line"]

# Longer than any path that systems allow: a longer string is text.
MAX_PATH = 4096
# What may be amiss where a file named .json is not what is read.
IN_JSON = (
    "; a JSON file is an array of records, or has one on each line; others are read with"
    " format='text' as plain text"
)


@dataclasses.dataclass(frozen=True)
class Corpus:
    """Texts and how they are read; `digram.corpus` makes one, and iterating gives the texts.

    >>> list(corpus(texts=["one", "two"]))
    ['one', 'two']
    """

    files: tuple[str, ...] = ()
    """Paths and addresses; `-` is stdin."""
    source: Any = dataclasses.field(default=None, repr=False)
    """A table, or an iterable of texts, in the place of files."""
    documents: Documents = "file"
    separator: str | None = None
    field: str = "text"
    format: Format | None = None
    errors: Errors = "refuse"
    sample: float | None = None
    seed: int = 0
    limit_bytes: int | None = None
    skipped: Skipped = dataclasses.field(default_factory=Skipped, compare=False)
    """What was left out for `errors="skip"` when the corpus was last read."""
    _once: Once = dataclasses.field(default_factory=Once, compare=False, repr=False)

    @property
    def size(self) -> int:
        """The bytes of all files, as they are stored; of stdin and addresses unknown, and 0."""
        return sum(Path(file).stat().st_size for file in self.files if is_local(file))

    @property
    def is_whole(self) -> bool:
        """Whether all of its files is read, so that one file can be read without the others."""
        return self.source is None and self.sample is None and self.limit_bytes is None

    def __iter__(self) -> Iterator[str]:
        self.skipped.forget()
        texts = self._all_texts()
        if self.sample is not None:
            texts = sampled(texts, self.sample, self.seed)
        return texts if self.limit_bytes is None else first_bytes(texts, self.limit_bytes)

    def is_for_the_engine(self, file: str) -> bool:
        """Whether the engine reads a file as this corpus wants it read."""
        return (
            self.is_whole
            and is_plain(file)
            and self.format_of(file) == "text"
            and self.separator is None
            and self.errors == "refuse"
        )

    def texts_of(self, file: str) -> Iterator[str]:
        """Read the texts of one of the files."""
        kind = self.format_of(file)
        name = "stdin" if file == STDIN else file
        with self._opened(file) as stream:
            if kind == "text":
                yield from self._plain_texts(stream, name)
            elif kind == "jsonl":
                yield from records.json_line_texts(stream, name, self.field, self._meet)
            elif kind == "json":
                yield from json_texts(stream, name, self.field, self._meet_in_json)
            elif kind in ("csv", "tsv"):
                tabs = kind == "tsv"
                yield from records.row_texts(stream, name, self.field, self._meet, tabs=tabs)
            else:
                columns = parquet_columns if kind == "parquet" else arrow_columns
                for column in columns(stream, name, self.field):
                    yield from column_texts(column, self._meet)

    def has_columns(self, file: str) -> bool:
        """Whether texts of a file lie in columns, which the engine reads where they are."""
        return self.format_of(file) in ("parquet", "arrow")

    def columns_of(self, file: str) -> Iterator[Column]:
        """Read the columns of one of the files that have them."""
        columns = parquet_columns if self.format_of(file) == "parquet" else arrow_columns
        with self._opened(file) as stream:
            yield from columns(stream, "stdin" if file == STDIN else file, self.field)

    def columns(self) -> Iterator[Column] | None:
        """Read the columns that are all of the corpus, if it is nothing else."""
        if is_table(self.source):
            return self._table_columns()
        if self.files and all(map(self.has_columns, self.files)):
            return (column for file in self.files for column in self.columns_of(file))
        return None

    @property
    def chosen(self) -> tuple[int, int] | None:
        """What the hashes of a sample are below, and its seed, as the engine takes them."""
        return None if self.sample is None else (bound_of(self.sample), self.seed)

    def _plain_texts(self, stream: Any, name: str) -> Iterator[str]:
        if self.separator is not None:
            return records.split_texts(stream, name, self.separator, self._meet)
        if self.documents == "line":
            return records.line_texts(stream, name, self._meet)
        # A sample needs the whole text, which decides by its hash.
        most = self.limit_bytes if self.sample is None else None
        return records.whole_text(stream, name, self._meet, most)

    def format_of(self, file: str) -> Format:
        """Tell how a file is read."""
        return self.format or format_of(file)

    def _all_texts(self) -> Iterator[str]:
        if self.source is None:
            return (text for file in self.files for text in self.texts_of(file))
        if is_table(self.source):
            columns = self._table_columns()
            return (text for column in columns for text in column_texts(column, self._meet))
        return self._item_texts()

    def _opened(self, file: str) -> contextlib.AbstractContextManager[IO[bytes]]:
        if file == STDIN:
            self._once.stdin()
        return opened(file)

    def _table_columns(self) -> Iterator[Column]:
        table = self._once.source(self.source)
        yield from self._once.items(table_columns(table, self.field))

    def _item_texts(self) -> Iterator[str]:
        items = self._once.items(self._once.source(self.source))
        for place, item in enumerate(items, start=1):
            if isinstance(item, str):
                yield item
            elif isinstance(item, Mapping):
                row = BadRecord("<texts>", place, None, "")
                text = records.field_of(item, self.field, row, self._meet)
                if text is not None:
                    yield text
            elif isinstance(item, Bytes):
                content = bytes(item)
                try:
                    yield content.decode("utf-8")
                except UnicodeDecodeError as error:
                    reason = f"is not UTF-8: byte {error.start} is 0x{content[error.start]:02X}"
                    self._meet(BadRecord("<texts>", place, None, reason))
            else:
                kind = type(item).__name__
                raise TypeError(f"texts holds str, bytes, or records with a field, not {kind}")

    def _meet(self, bad: BadRecord) -> None:
        self.skipped.meet(bad, self.errors)

    def _meet_in_json(self, bad: BadRecord) -> None:
        self.skipped.meet(bad, self.errors, IN_JSON)


Source: TypeAlias = Text | Corpus | Iterable[Text | Bytes]


def corpus(
    source: Any = None,
    *,
    texts: Iterable[str | Bytes | Mapping[str, Any]] | None = None,
    documents: Documents = "file",
    separator: str | None = None,
    field: str = "text",
    format: Format | None = None,
    errors: Errors = "refuse",
    sample: float | None = None,
    seed: int = 0,
    limit_bytes: int | str | None = None,
) -> Corpus:
    """Say what to learn from and how to read it; nothing is read yet.

    Args:
        source: A path, a folder, a glob (`**` goes into folders), an address such as
            `s3://bucket/*.jsonl.gz` (with fsspec), `-` for stdin, or several of them; or a table:
            a dataset of Hugging Face, or anything with `__arrow_c_stream__`. Files are taken in
            the order of the arguments, those of one glob or folder by name; one given twice
            counts twice. Of a folder those with known endings are taken.
        texts: Texts instead, as `str` or as bytes of UTF-8, or records (mappings) with a field
            that is the text. Of an iterator the corpus can be read once, of what makes iterators
            (a list) as often as you like.
        documents: What one text is in a file of plain text: the whole file, or a line with its
            end. It decides what the pattern sees, and so the merges.
        separator: What stands between two texts in a file of plain text, as `<|endoftext|>`.
        field: The field of JSON's records or the column of a table that is the text; `a.b` goes
            into a record.
        format: How files are read: `"text"`, `"jsonl"`, `"json"` (an array of records or texts,
            or else lines), `"csv"`, `"tsv"`, `"parquet"` or `"arrow"`. Without it the name tells,
            before `.gz`, `.bz2`, `.xz` or `.zst`; a name that tells nothing is text.
        errors: What becomes of a record that is no UTF-8, no JSON, or has no text: it is refused,
            or skipped, counted and kept in `skipped`.
        sample: Learn from about this share of the texts; each text's hash and `seed` decide, so
            neither order nor files do.
        seed: Another seed chooses another sample.
        limit_bytes: Read until so many bytes of text are there, as a number or as `"512MB"` or
            `"2GiB"`, after sampling; the last text is cut at a character.

    Raises `MissingFileError` where nothing matches, `ImportError` where a package is missing.

    >>> corpus("/no/such/*.txt")
    Traceback (most recent call last):
    ...
    digram.errors.MissingFileError: no file matches '/no/such/*.txt'; give a path or a glob
    >>> records = [{"body": {"en": "low"}}, {"body": {}}]
    >>> found = corpus(texts=records, field="body.en", errors="skip")
    >>> list(found), found.skipped.count
    (['low'], 1)
    """
    _check(documents, separator, format, errors)
    limit_bytes = _check_part(sample, seed, limit_bytes)
    if (source is None) == (texts is None):
        raise TypeError("a corpus is made of files or of a table, or else of texts=, one of them")
    if texts is not None:
        _check_texts(texts)
    files: tuple[str, ...] = ()
    held: Any = texts
    if source is not None and is_table(source):
        held = source
    elif source is not None:
        files = _files(source)
    found = Corpus(
        files, held, documents, separator, field, format, errors, sample, seed, limit_bytes
    )
    _refuse_unused(found)
    return found


def refuse_text(path: str) -> None:
    """Refuse a string that must be text where a path is meant."""
    if "\n" in path or len(path) > MAX_PATH:
        raise ValueError(
            f"{path[:40]!r}… looks like text, and a lone str is a path;"
            " to learn from it, pass [text]"
        )


def _files(source: Text | Iterable[Text]) -> tuple[str, ...]:
    if isinstance(source, str | os.PathLike):
        given = [source]
    else:
        given = list(many("source", source, "a path, or an iterable of paths"))
    if not given:
        raise ValueError("the corpus is empty: no path was given")
    paths = [os.fspath(each) for each in given]
    for path in paths:
        refuse_text(path)
    return tuple(file for path in paths for file in expanded(path))


def _check(documents: str, separator: str | None, format: str | None, errors: str) -> None:
    if documents not in get_args(Documents):
        raise ValueError(f"documents is {shown(documents)}; it is 'file' or 'line'")
    if separator == "":
        raise ValueError("separator is empty; give the text that stands between two texts")
    if separator is not None and documents == "line":
        raise ValueError(f"documents is 'line', and separator {separator!r}; give one of them")
    if format is not None and format not in get_args(Format):
        known = ", ".join(map(repr, get_args(Format)))
        raise ValueError(f"format is {shown(format)}; it is one of {known}")
    if errors not in get_args(Errors):
        raise ValueError(f"errors is {shown(errors)}; it is 'refuse' or 'skip'")


def _refuse_unused(found: Corpus) -> None:
    """Refuse what says how to read a kind of file that the corpus does not hold."""
    kinds = {found.format_of(file) for file in found.files}
    if found.format is not None and not found.files:
        raise ValueError(f"format is {found.format!r}, and there is no file to be read so")
    if "text" not in kinds and (found.separator is not None or found.documents == "line"):
        instead = "" if found.format else ", or read files as plain text with format='text'"
        raise ValueError(
            "documents and separator are for files of plain text, and the corpus holds none;"
            f" leave them out{instead}"
        )
    if kinds == {"text"} and found.field != "text":
        raise ValueError(
            f"field is {found.field!r}, but all files are read as plain text, which has none;"
            " format= says how to read them instead"
        )


def _check_texts(texts: Any) -> None:
    if isinstance(texts, str | Bytes):
        raise TypeError(f"texts is {shown(texts)}, one; give a list of texts: [text]")
    if isinstance(texts, Mapping):
        raise TypeError(
            f"texts is a mapping, {shown(texts)}, and its keys are not what to learn from; pass a"
            " column of it, as batch['text'], or a record in a list: [record]"
        )
    if not is_table(texts):
        many("texts", texts, "an iterable of str, bytes or records")


def _check_part(sample: float | None, seed: int, limit_bytes: int | str | None) -> int | None:
    """Refuse a part that is none; return how many bytes it has at most."""
    if sample is not None and not 0 < of_kind("sample", sample, Real, "a share") <= 1:
        raise ValueError(f"sample is {sample!r}; it is a share, above 0 and at most 1")
    whole("seed", seed, most=SEEDS - 1)
    if isinstance(limit_bytes, str):
        limit_bytes = byte_count("limit_bytes", limit_bytes)
    return None if limit_bytes is None else whole("limit_bytes", limit_bytes, 1)
