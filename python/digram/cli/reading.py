"""What enters the command line: files and stdin, as strict UTF-8."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import typer

from digram import DigramError
from digram.cli import output

__all__ = ["STDIN", "Batch", "argument", "batches", "decoded", "opened", "spooled", "total_size"]

STDIN = "-"
# Enough for all cores to have work, little enough to go on while more arrives.
CHUNK = 4 << 20


# What compressed files begin with, and what writes what they hold.
UNPACK = {
    b"\x1f\x8b": "gzip -dc",
    b"BZh": "bzip2 -dc",
    b"\xfd7zXZ\x00": "xz -dc",
    b"\x28\xb5\x2f\xfd": "zstd -dc",
}

# How the library tells which of many texts an error is of.
PLACE = re.compile(r"texts\[(\d+)\]: ")


@dataclass(frozen=True)
class Batch:
    """Texts of one file, how many bytes they were, and, if they are lines, which is the first."""

    file: str
    texts: list[str]
    size: int
    first: int | None = None

    def place(self, index: int) -> str:
        r"""Say where one of the texts stands.

        >>> Batch("-", ["a"], 1).place(0), Batch("a.txt", ["a\n", "b\n"], 4, first=7).place(1)
        ('stdin', 'a.txt, line 8')
        """
        name = "stdin" if self.file == STDIN else self.file
        return name if self.first is None else f"{name}, line {self.first + index}"

    def told(self, error: DigramError, index: int) -> DigramError:
        """Return an error with the place of the text that it says, or else of this one.

        >>> Batch("a.txt", ["a", "b"], 2).told(DigramError("texts[1]: the text holds"), 0)
        DigramError('a.txt: the text holds')
        """
        said = str(error)
        if found := PLACE.match(said):
            index, said = int(found[1]), said[found.end() :]
        return type(error)(f"{self.place(index)}: {said}")


def batches(files: Sequence[str], *, lines: bool) -> Iterator[Batch]:
    """Read texts: each file is one, or each of its lines with its line end."""
    for file in files:
        with opened(file) as stream:
            if lines:
                yield from _lines(stream, file)
            else:
                content = stream.read()
                yield Batch(file, [decoded(content, file)], len(content))


@contextlib.contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """Open a file, or stdin for `-`."""
    if not file:
        raise ValueError("a name of a file is empty; give that of a file, or '-' for stdin")
    if file != STDIN:
        with Path(file).open("rb") as stream:
            yield stream
        return
    if sys.stdin is None:
        raise OSError("stdin is closed, so there is nothing to read; name a file")
    if output.is_terminal(sys.stdin) and output.is_terminal(sys.stderr):
        output.say("digram: reading from the terminal; Ctrl-D ends the text")
    yield sys.stdin.buffer


def decoded(content: bytes, file: str, place: int = 0) -> str:
    r"""Return the text of bytes that began at `place` of a file.

    >>> decoded(b"a\xff", "a.txt")
    Traceback (most recent call last):
    ValueError: a.txt: byte 1 is 0xFF, which is not UTF-8; convert the file to UTF-8 first
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        name = "stdin" if file == STDIN else file
        unpack = [] if place else [way for sign, way in UNPACK.items() if content.startswith(sign)]
        remedy = (
            f"unpack it first, with {unpack[0]}" if unpack else "convert the file to UTF-8 first"
        )
        raise ValueError(
            f"{name}: byte {place + error.start} is 0x{content[error.start]:02X}, which is not"
            f" UTF-8; {remedy}"
        ) from None


def argument(given: str) -> str:
    """Return an argument of the command line as the UTF-8 that it is, whatever the locale."""
    try:
        return os.fsencode(given).decode("utf-8")
    except UnicodeError:
        raise typer.BadParameter(f"{given!a} is not UTF-8") from None


def total_size(files: Sequence[str]) -> int | None:
    """Return the bytes of all files together, where that can be known."""
    with contextlib.suppress(OSError):
        found = [Path(file).stat() for file in files if file != STDIN]
        if len(found) == len(files) and all(stat.S_ISREG(each.st_mode) for each in found):
            return sum(each.st_size for each in found)
    return None


@contextlib.contextmanager
def spooled(files: Sequence[str]) -> Iterator[list[str]]:
    """Give stdin, where it is among the files, a file of its own for a while."""
    if STDIN not in files:
        yield list(files)
        return
    if files.count(STDIN) > 1:
        raise ValueError("'-' is given twice, and stdin can be read once; name it once")
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        path = Path(folder, "stdin")
        with opened(STDIN) as stream, path.open("wb") as file:
            shutil.copyfileobj(stream, file)
        try:
            yield [str(path) if name == STDIN else name for name in files]
        except ValueError as error:  # of its text: nobody knows the file by this name
            if str(path) not in str(error):
                raise
            raise ValueError(str(error).replace(str(path), "stdin")) from None


def _lines(stream: BinaryIO, file: str) -> Iterator[Batch]:
    """Read whole lines as they arrive."""
    place, line = 0, 1
    unfinished: list[bytes] = []
    while chunk := _some(stream):
        end = chunk.rfind(b"\n") + 1
        if not end:
            unfinished.append(chunk)
            continue
        content = b"".join([*unfinished, chunk[:end]])
        unfinished = [chunk[end:]]
        texts = _split(decoded(content, file, place))
        yield Batch(file, texts, len(content), line)
        place, line = place + len(content), line + len(texts)
    if content := b"".join(unfinished):
        yield Batch(file, [decoded(content, file, place)], len(content), line)


def _some(stream: BinaryIO) -> bytes:
    """Read what is there already, up to a chunk; wait only where nothing is."""
    read1 = getattr(stream, "read1", stream.read)
    return bytes(read1(CHUNK))


def _split(text: str) -> list[str]:
    """Split after each line feed and nowhere else, unlike `splitlines`."""
    return [line + "\n" for line in text.split("\n")[:-1]]
