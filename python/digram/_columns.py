"""Texts in columns: parquet, Arrow files, Arrow streams of any library, Hugging Face datasets."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import IO, Any

from digram._bad_records import BadRecord
from digram._extras import missing
from digram._records import Report

__all__ = ["arrow_texts", "is_table", "parquet_texts", "table_texts"]

# Rows at a time: a thousand texts of some kilobytes each are a few megabytes.
ROWS = 1024


def is_table(value: Any) -> bool:
    """Whether a value has columns: an Arrow stream, or a dataset of Hugging Face."""
    return hasattr(value, "__arrow_c_stream__") or _is_dataset(value)


def table_texts(table: Any, field: str, report: Report) -> Iterator[str]:
    """Read a column of a table."""
    name = f"<{type(table).__name__}>"
    if _is_dataset(table):
        # Both kinds, the one in memory and the one that streams, give Arrow tables so.
        rows = table.select_columns([_top(field)]).with_format("arrow")
        return _batch_texts(_split_up(rows.iter(batch_size=ROWS)), name, field, report)
    pa = _pyarrow(f"reading a {type(table).__name__}")
    try:
        return _batch_texts(pa.RecordBatchReader.from_stream(table), name, field, report)
    except pa.ArrowInvalid:  # one column, and no table
        return _column_texts(pa.chunked_array(table), name, 0, field, report)


def parquet_texts(stream: IO[bytes], name: str, field: str, report: Report) -> Iterator[str]:
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
    return _batch_texts(batches, name, field, report)


def arrow_texts(stream: IO[bytes], name: str, field: str, report: Report) -> Iterator[str]:
    """Read a column of an Arrow file (Feather of version 2 too), or of a stream in a file."""
    pa = _pyarrow(f"reading {name}")
    source = _seekable(stream)
    options = pa.ipc.IpcReadOptions(use_threads=False)
    try:
        file = pa.ipc.open_file(source, options=options)
    except pa.ArrowInvalid:
        source.seek(0)
        try:
            return _batch_texts(pa.ipc.open_stream(source, options=options), name, field, report)
        except pa.ArrowInvalid as error:
            raise ValueError(f"{name}: this is no Arrow file ({error})") from None
    batches = (file.get_batch(index) for index in range(file.num_record_batches))
    return _batch_texts(batches, name, field, report)


def _is_dataset(value: Any) -> bool:
    return hasattr(value, "select_columns") and hasattr(value, "with_format")


def _split_up(tables: Iterable[Any]) -> Iterator[Any]:
    return (batch for table in tables for batch in table.to_batches())


def _batch_texts(batches: Iterable[Any], name: str, field: str, report: Report) -> Iterator[str]:
    row = 0
    for batch in batches:
        yield from _column_texts(_find(batch, field, name), name, row, field, report)
        row += batch.num_rows


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


def _column_texts(column: Any, name: str, row: int, field: str, report: Report) -> Iterator[str]:
    _refuse_other_types(column.type, name, field)
    try:
        values = column.to_pylist()
    except UnicodeDecodeError:  # Arrow takes what it is given for UTF-8
        import pyarrow as pa

        values = column.cast(pa.large_binary()).to_pylist()
    for index, value in enumerate(values, start=row + 1):
        if value is None:
            report(BadRecord(name, index, None, f"has no value in {field!r}"))
            continue
        if isinstance(value, str):
            yield value
            continue
        try:
            yield value.decode("utf-8")
        except UnicodeDecodeError as error:
            byte = f"0x{value[error.start]:02X}"
            reason = f"is not UTF-8: byte {error.start} of {field!r} is {byte}"
            report(BadRecord(name, index, None, reason))


def _refuse_other_types(kind: Any, name: str, field: str) -> None:
    import pyarrow as pa

    known = ("is_string", "is_large_string", "is_binary", "is_large_binary", "is_null")
    further = ("is_string_view", "is_binary_view")  # newer than the oldest pyarrow that serves
    tests = [getattr(pa.types, test) for test in (*known, *further) if hasattr(pa.types, test)]
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not any(test(value) for test in tests):
        raise ValueError(f"{name}: column {field!r} is {kind}, and a corpus is made of texts")


def _seekable(stream: IO[bytes]) -> IO[bytes]:
    return stream if stream.seekable() else io.BytesIO(stream.read())


def _pyarrow(use: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise missing("pyarrow", "arrow", use) from None
    return pa
