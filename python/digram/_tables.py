"""Columns of plain values as tables that other programs read: Arrow, parquet, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from digram._extras import missing

__all__ = ["Columns", "arrow_table", "csv_bytes", "parquet_bytes"]

Columns = Mapping[str, tuple[str, Iterable[Any]]]
"""Each column's name, what Arrow calls its type, and its values."""


def arrow_table(columns: Columns, use: str) -> Any:
    """Return an Arrow table; `use` says what for, where pyarrow is missing."""
    try:
        import pyarrow as pa
    except ImportError:
        raise missing("pyarrow", "arrow", use) from None
    return pa.table(
        {
            name: pa.array(values, pa.type_for_alias(kind))
            for name, (kind, values) in columns.items()
        }
    )


def parquet_bytes(table: Any) -> bytes:
    """Return an Arrow table as a parquet file."""
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    return out.getvalue()


def csv_bytes(columns: Columns) -> bytes:
    r"""Return columns as CSV with a first row of names.

    >>> csv_bytes({"token": ("string", ["a", ","]), "count": ("uint64", [2, 1])})
    b'token,count\na,2\n",",1\n'
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(values for _, values in columns.values()), strict=True))
    return out.getvalue().encode()
