"""Texts in columns: parquet, Arrow files, Arrow streams of any library, Hugging Face datasets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from digram._bad_records import BadRecord
from digram._extras import missing
from digram._records import Report

__all__ = [
    "Buffers",
    "Column",
    "arrow_columns",
    "column_texts",
    "is_table",
    "parquet_columns",
    "table_columns",
]

# Rows at a time: a thousand texts of some kilobytes each are a few megabytes.
ROWS = 1024
# What tells that a value is a stream of Arrow, or one array: a batch of records, or one column.
STREAM, ARRAY = "__arrow_c_stream__", "__arrow_c_array__"

Buffers: TypeAlias = tuple[memoryview | None, memoryview | None, memoryview | None, bool, int, int]
"""Validity, offsets and data, whether an offset has 8 bytes, rows before the first, and rows."""


@dataclass(frozen=True)
class Column:
    """Rows of a column of texts."""

    name: str
    """What they are rows of: a file, or the kind of a table."""
    field: str
    row: int
    """How many rows come before."""
    values: Any
    """An Arrow array."""

    def pieces(self) -> Iterator[Column]:
        """Lay the rows out as texts one behind the other, some at a time if they are not so yet."""
        kind = self.values.type
        if not _is_laid_out(kind):
            for start in range(0, len(self.values), ROWS):
                values = _laid_out(self.values.slice(start, ROWS))
                yield Column(self.name, self.field, self.row + start, values)
        else:
            yield self

    def buffers(self) -> Buffers:
        """Return the memory of rows that are laid out, as the engine reads it."""
        values = self.values
        held = (None if buffer is None else memoryview(buffer) for buffer in values.buffers())
        validity, offsets, data = (view if view is None else view.cast("B") for view in held)
        return validity, offsets, data, _is_large(values.type), values.offset, len(values)

    def bad(self, row: int, byte: tuple[int, int] | None) -> BadRecord:
        """Name a row that has no text: no value, or a byte at a place that is not UTF-8."""
        reason = f"has no value in {self.field!r}"
        if byte is not None:
            reason = f"is not UTF-8: byte {byte[0]} of {self.field!r} is 0x{byte[1]:02X}"
        return BadRecord(self.name, self.row + row + 1, None, reason)


def is_table(value: Any) -> bool:
    """Whether a value has columns: an Arrow stream or array, or a dataset of Hugging Face."""
    return any(hasattr(value, name) for name in (STREAM, ARRAY)) or _is_dataset(value)


def table_columns(table: Any, field: str) -> Iterator[Column]:
    """Read a column of a table."""
    name = f"<{type(table).__name__}>"
    if _is_dataset(table):
        # Both kinds, the one in memory and the one that streams, give Arrow tables so.
        rows = table.select_columns([_top(field)]).with_format("arrow")
        return _columns(_split_up(rows.iter(batch_size=ROWS)), name, field)
    pa = _pyarrow(f"reading a {type(table).__name__}")
    if not hasattr(table, STREAM):
        values = pa.array(table)
        if not pa.types.is_struct(values.type):
            return _chunks(values, name, field, 0)
        return _columns([pa.RecordBatch.from_struct_array(values)], name, field)
    try:
        return _columns(pa.RecordBatchReader.from_stream(table), name, field)
    except pa.ArrowInvalid:  # one column, and no table
        return _chunks(pa.chunked_array(table), name, field, 0)


def parquet_columns(stream: IO[bytes], name: str, field: str) -> Iterator[Column]:
    """Read a column of a parquet file, some rows at a time."""
    pa = _pyarrow(f"reading {name}")
    import pyarrow.parquet as pq

    try:
        # in this thread alone: one of pyarrow's that still ends when the process does aborts it
        file = pq.ParquetFile(_seekable(stream), pre_buffer=False)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{name}: this is no parquet file ({error})") from None
    names = file.schema_arrow.names
    _refuse_missing(field, names, name)
    top = field if field in names else _top(field)
    batches = file.iter_batches(batch_size=ROWS, columns=[top], use_threads=False)
    return _columns(batches, name, field)


def arrow_columns(stream: IO[bytes], name: str, field: str) -> Iterator[Column]:
    """Read a column of an Arrow file (Feather of version 2 too), or of a stream in a file."""
    pa = _pyarrow(f"reading {name}")
    source = _seekable(stream)
    options = pa.ipc.IpcReadOptions(use_threads=False)
    try:
        file = pa.ipc.open_file(source, options=options)
    except pa.ArrowInvalid:
        source.seek(0)
        try:
            return _columns(pa.ipc.open_stream(source, options=options), name, field)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{name}: this is no Arrow file ({error})") from None
    batches = (file.get_batch(index) for index in range(file.num_record_batches))
    return _columns(batches, name, field)


def column_texts(column: Column, report: Report) -> Iterator[str]:
    """Read the texts of a column one by one."""
    try:
        values = column.values.to_pylist()
    except UnicodeDecodeError:  # Arrow takes what it is given for UTF-8
        import pyarrow as pa

        values = column.values.cast(pa.large_binary()).to_pylist()
    for row, value in enumerate(values):
        if isinstance(value, str):
            yield value
        elif value is None:
            report(column.bad(row, None))
        else:
            try:
                yield value.decode("utf-8")
            except UnicodeDecodeError as error:
                report(column.bad(row, (error.start, value[error.start])))


def _is_dataset(value: Any) -> bool:
    return hasattr(value, "select_columns") and hasattr(value, "with_format")


def _split_up(tables: Iterable[Any]) -> Iterator[Any]:
    return (batch for table in tables for batch in table.to_batches())


def _columns(batches: Iterable[Any], name: str, field: str) -> Iterator[Column]:
    row = 0
    for batch in batches:
        yield from _chunks(_find(batch, field, name), name, field, row)
        row += batch.num_rows


def _chunks(column: Any, name: str, field: str, row: int) -> Iterator[Column]:
    _refuse_other_types(column.type, name, field)
    for values in getattr(column, "chunks", [column]):
        yield Column(name, field, row, values)
        row += len(values)


def _top(path: str) -> str:
    return path.partition(".")[0]


def _refuse_missing(path: str, names: list[str], name: str) -> None:
    if path not in names and ("." not in path or _top(path) not in names):
        raise ValueError(
            f"{name}: no column is named {path!r}; there are {', '.join(map(repr, names))}, and"
            " field= takes one of them"
        )


def _find(batch: Any, path: str, name: str) -> Any:
    """Return the column at a dotted path."""
    names = batch.schema.names
    _refuse_missing(path, names, name)
    if path in names:
        return batch.column(path)
    head, _, rest = path.partition(".")
    import pyarrow as pa
    import pyarrow.compute as pc

    column = batch.column(head)
    for part in rest.split("."):
        kind = column.type
        if not pa.types.is_struct(kind) or kind.get_field_index(part) < 0:
            raise ValueError(f"{name}: column {head!r} has no field {part!r}; it is {kind}")
        column = pc.struct_field(column, part)
    return column


def _refuse_other_types(kind: Any, name: str, field: str) -> None:
    import pyarrow as pa

    known = ("is_string", "is_large_string", "is_binary", "is_large_binary", "is_null")
    further = ("is_string_view", "is_binary_view")  # newer than the oldest pyarrow that serves
    tests = [getattr(pa.types, test) for test in (*known, *further) if hasattr(pa.types, test)]
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not any(test(value) for test in tests):
        raise ValueError(f"{name}: column {field!r} is {kind}, and a corpus is made of texts")


def _is_laid_out(kind: Any) -> bool:
    from pyarrow import types

    return types.is_string(kind) or types.is_binary(kind) or _is_large(kind)


def _is_large(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_large_string(kind) or types.is_large_binary(kind))


def _laid_out(values: Any) -> Any:
    """Lay out what is not: dictionaries, views, and columns of nulls alone."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if _is_laid_out(values.type):
        return values
    try:
        return values.cast(pa.large_binary())
    except pa.ArrowNotImplementedError:  # views, where pyarrow is older
        return pa.array(values.to_pylist(), pa.large_binary())


def _seekable(stream: IO[bytes]) -> IO[bytes]:
    return stream if stream.seekable() else io.BytesIO(stream.read())


def _pyarrow(use: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise missing("pyarrow", "arrow", use) from None
    return pa
