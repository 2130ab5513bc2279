"""Files on disk: which belong together, and the content of one, within limits."""

from __future__ import annotations

import os

from digram._bounds import BOUNDS
from digram.errors import LimitError, MissingFileError

# As typing's, which takes longer to import than all this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from digram._limits import Limits

__all__ = ["PAIRS", "content_of", "with_partner"]

# Files that belong together: tokens with their ids, and merges.
PAIRS = (
    ("vocab.json", "merges.txt"),
    ("encoder.json", "vocab.bpe"),
    ("encoder_bpe_40000.json", "vocab_40000.bpe"),
)
# How a file of llama.cpp begins; and more bytes than the largest vocabulary takes there.
GGUF, METADATA = b"GGUF", 64 << 20


def with_partner(path: str) -> tuple[str, ...]:
    """Return the file, with the one that belongs to it and stands beside it."""
    folder, name = os.path.split(path)
    for pair in PAIRS:
        both = tuple(os.path.join(folder, each) for each in pair)
        if name in pair and all(map(os.path.isfile, both)):
            return both
    return (path,)


def content_of(path: str | os.PathLike[str], limits: Limits | None) -> bytes:
    """Return what a file holds; of a whole model, the beginning, where the tokenizer is."""
    file_size = BOUNDS["file_size"] if limits is None else limits.file_size
    try:
        with open(path, "rb") as file:
            is_model = file.peek(len(GGUF)).startswith(GGUF)
            size = 0 if is_model else os.fstat(file.fileno()).st_size
            # what is no file on a disk has no size, and may have no end
            most = min(METADATA, file_size) if is_model else file_size + 1
            # a file is read at once, and what has been added to it since it was measured
            content = file.read(size + 1 if size > 0 else most) if size <= file_size else b""
            if 0 < size < len(content):
                content += file.read(most - len(content))
    except FileNotFoundError:
        name = os.fsdecode(path)
        raise MissingFileError(f"there is no file {os.fspath(path)!r}{_elsewhere(name)}") from None
    except OSError as error:
        if error.filename is None:  # it was opened, and reading failed
            error.filename = os.fspath(path)
        raise
    if max(size, len(content)) > file_size:
        raise LimitError(
            f"{path}: the file has {size or 'more'} bytes; the limit file_size is {file_size};"
            f" for a file that you trust, pass limits=digram.Limits(file_size={size or '…'})"
        )
    return content


def _elsewhere(name: str) -> str:
    """Say where else something of such a name may be.

    >>> _elsewhere("cl100k_base"), _elsewhere("tokenizer.json")
    ('; encodings of tiktoken are opened by digram.get_encoding', '')
    """
    name = name.removeprefix("hub:")
    folder, slash, rest = name.partition("/")
    if not slash and "." not in name:
        return "; encodings of tiktoken are opened by digram.get_encoding"
    if folder and rest and "/" not in rest and not os.path.exists(folder):
        return f"; a tokenizer of the hub is digram.from_pretrained({name!r})"
    return ""
