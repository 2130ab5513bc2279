"""The bytes of a corpus: files, folders, globs, stdin and addresses, unpacked where compressed."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator
from typing import IO, Any, Literal, cast

from digram._extras import missing
from digram._frames import unpacked
from digram.errors import FormatError, MissingFileError

__all__ = ["STDIN", "Format", "expanded", "format_of", "is_local", "is_plain", "opened"]

Format = Literal["text", "jsonl", "json", "csv", "tsv", "parquet", "arrow"]

STDIN = "-"
# What the files of a folder end with to be taken, and how they are read.
FORMATS: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
# Of files that are named, these too; in folders they are settings as often as texts.
NAMED: dict[str, Format] = {**FORMATS, ".json": "json"}
PACKED = (".gz", ".bz2", ".xz", ".zst")
# An address begins with its scheme; a drive of Windows is one letter and has one slash.
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
GLOB = re.compile(r"[*?\[]")


def expanded(given: str) -> list[str]:
    """List the files that a path, a folder, a glob or an address names.

    Those of a folder or glob are sorted by name. Of a folder, the files with known endings are
    taken, those in its folders too, and those that begin with a dot left out.
    """
    if given == STDIN:
        return [STDIN]
    if ADDRESS.match(given):
        return _remote(given)
    if os.path.isdir(given):
        return _in_folder(given)
    if os.path.exists(given):
        return [given]
    import glob

    found = sorted(name for name in glob.glob(given, recursive=True) if os.path.isfile(name))
    if not found:
        raise MissingFileError(f"no file matches {given!r}; give a path or a glob")
    return found


def format_of(name: str) -> Format:
    """Tell by its name how a file is read; what is not known is text.

    >>> format_of("a/b.jsonl.zst"), format_of("a.json"), format_of("s3://x/part-0.parquet")
    ('jsonl', 'json', 'parquet')
    >>> format_of("README")
    'text'
    """
    return NAMED.get(_ending(name), "text")


def is_local(name: str) -> bool:
    """Whether a file lies in the file system."""
    return name != STDIN and not ADDRESS.match(name)


def is_plain(name: str) -> bool:
    """Whether the engine can read a file itself: it is local and not compressed."""
    return is_local(name) and _unpacked(name) == name


@contextlib.contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Open a file, stdin or an address, unpacked where its name says that it is compressed.

    Raises `FormatError` where the compressed bytes are damaged or end too early.
    """
    try:
        with contextlib.ExitStack() as stack:
            stream = _raw(name, stack)
            yield stream if _unpacked(name) == name else _unpack(name, stream, stack)
    except damages() as error:
        # What the system says has a number; what an unpacker says has none.
        if isinstance(error, OSError) and (error.errno is not None or _unpacked(name) == name):
            raise
        raise FormatError(
            f"{name}: the compressed bytes are damaged or end too early ({error}); get the file"
            " again"
        ) from None


def damages() -> tuple[type[Exception], ...]:
    """List what unpacking raises where the bytes are not what they should be."""
    import lzma
    import zlib

    found: list[type[Exception]] = [EOFError, OSError, zlib.error, lzma.LZMAError]
    with contextlib.suppress(ImportError):
        import zstandard

        found.append(zstandard.ZstdError)
    return tuple(found)


def _raw(name: str, stack: contextlib.ExitStack) -> IO[bytes]:
    if name == STDIN:
        import sys

        if sys.stdin is None:
            raise OSError("stdin is closed, so there is nothing to read; name a file")
        return sys.stdin.buffer
    if ADDRESS.match(name):
        fsspec = _fsspec(name)
        return cast("IO[bytes]", stack.enter_context(fsspec.open(name, "rb")))
    return stack.enter_context(open(name, "rb"))


def _unpack(name: str, stream: IO[bytes], stack: contextlib.ExitStack) -> IO[bytes]:
    import bz2
    import gzip
    import lzma

    ending = os.path.splitext(name)[1].lower()
    if ending == ".gz":
        return cast("IO[bytes]", stack.enter_context(gzip.GzipFile(fileobj=stream)))
    if ending == ".bz2":
        return stack.enter_context(unpacked(stream, bz2.BZ2Decompressor))
    if ending == ".xz":
        frame = functools.partial(lzma.LZMADecompressor, lzma.FORMAT_XZ)
        return stack.enter_context(unpacked(stream, frame, padding=b"\0"))
    try:
        import zstandard
    except ImportError:
        raise missing("zstandard", "zstd", f"reading {name}") from None
    library = zstandard.ZstdDecompressor()
    return stack.enter_context(unpacked(stream, library.decompressobj))


def _unpacked(name: str) -> str:
    stem, ending = os.path.splitext(name)
    return stem if ending.lower() in PACKED else name


def _in_folder(folder: str) -> list[str]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        known = [n for n in names if not n.startswith(".") and _ending(n) in FORMATS]
        found += [os.path.join(place, name) for name in known]
    if not found:
        raise MissingFileError(
            f"no file in the folder {folder!r} ends with {', '.join(FORMATS)}, compressed or not;"
            f" to take others, name them, for example with {os.path.join(folder, '*')!r}"
        )
    return sorted(found)


def _ending(name: str) -> str:
    return os.path.splitext(_unpacked(name))[1].lower()


def _remote(address: str) -> list[str]:
    fsspec = _fsspec(address)
    system, path = fsspec.core.url_to_fs(address)
    if GLOB.search(path):
        found = system.glob(path)
    elif system.isdir(path):
        found = [p for p in system.find(path) if _ending(p) in FORMATS]
    else:
        return [address]
    if not found:
        raise MissingFileError(f"no file matches {address!r}; give an address or a glob")
    return sorted(system.unstrip_protocol(path) for path in found)


def _fsspec(name: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise missing("fsspec", "remote", f"reading {name}") from None
    return fsspec
