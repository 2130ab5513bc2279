"""Packages that only some calls need: what to say where one is missing."""

from __future__ import annotations

__all__ = ["missing"]


def missing(package: str, extra: str, use: str) -> ImportError:
    """Return the error for a package that a call needs and that is not installed.

    >>> raise missing("pyarrow", "arrow", "reading x.parquet")
    Traceback (most recent call last):
    ImportError: reading x.parquet needs pyarrow, which is missing: pip install "digram[arrow]"
    """
    return ImportError(
        f'{use} needs {package}, which is missing: pip install "digram[{extra}]"',
        name=package,
    )
