"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from digram.errors import MissingFileError

__all__ = ["replace_files"]


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write each file beside its place, then move all into place.

    Each file is replaced at once and whole: whoever reads it meets the old content or the new,
    even if the machine stops. Its permissions stay as they were. Where writing fails, nothing is
    replaced and nothing is left behind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.txt")
    ...     replace_files({path: b"new"})
    ...     path.read_bytes()
    b'new'
    """
    written: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            target = Path(os.path.realpath(path))  # a link stays a link; its target is replaced
            _refuse_impossible(target)
            with _told_of(target):
                written[target] = _write_beside(target, content)
        for path, temporary in written.items():
            with _told_of(path):
                os.replace(temporary, path)
    finally:
        for temporary in written.values():
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    for folder in {path.parent for path in written}:
        _sync_folder(folder)


@contextlib.contextmanager
def _told_of(target: Path) -> Iterator[None]:
    """Tell what the system refuses by the file to be written: nobody knows the one beside it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error


def _refuse_impossible(target: Path) -> None:
    if not target.parent.is_dir():
        raise MissingFileError(f"there is no folder {str(target.parent)!r}; make it first")
    if target.exists() and not target.is_file():
        raise ValueError(f"{str(target)!r} is no regular file, so it cannot be replaced")


def _write_beside(path: Path, content: bytes) -> Path:
    import tempfile  # only here: it loads much that reading and encoding never need

    descriptor, name = tempfile.mkstemp(
        prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent
    )
    temporary = Path(name)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(path))
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _mode(path: Path) -> int:
    """Return the permissions that the file has, or that a new one would get."""
    with contextlib.suppress(FileNotFoundError):
        return path.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the move itself last; some systems cannot, and then it lasts when it lasts."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
