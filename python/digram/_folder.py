"""A directory on disk: which of its files are the tokenizer, and which are kept beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from digram._directory import CONFIG, LARGEST, TEMPLATES, Directory, is_kept
from digram._files import PAIRS
from digram.errors import FormatError, LimitError, MissingFileError

__all__ = [
    "LOOKED_FOR",
    "chosen",
    "is_ranks",
    "known_to_settings",
    "read_beside",
    "regular",
]

# Files that hold all of a tokenizer, the one to be preferred first.
WHOLE = ("tokenizer.json", "tekken.json", "tokenizer.model")
# Ranks go by many names, and a directory has one of them.
RANKS = ".tiktoken"
OTHER_RANKS = "tiktoken.model"

LOOKED_FOR = (
    "tokenizer.json, tekken.json, tokenizer.model, vocab.json with merges.txt,"
    " encoder.json with vocab.bpe, tiktoken.model, and one *.tiktoken"
)
# A line of ranks: the bytes in base64, and a number.
RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?\n")


def chosen(names: Collection[str], place: str) -> tuple[str, ...]:
    """Choose the file or the files that hold the tokenizer, from those that a directory has.

    >>> chosen({"merges.txt", "tokenizer.json", "vocab.json"}, "model")
    ('tokenizer.json',)
    >>> chosen({"merges.txt", "vocab.json", "qwen.tiktoken"}, "model")
    ('vocab.json', 'merges.txt')
    """
    for name in WHOLE:
        if name in names:
            return (name,)
    for pair in PAIRS:
        if all(name in names for name in pair):
            return pair
    ranks = sorted(name for name in names if name.endswith(RANKS) and "/" not in name)
    if OTHER_RANKS in names:
        ranks = [OTHER_RANKS]
    if len(ranks) > 1:
        raise MissingFileError(f"{place!r} holds {', '.join(ranks)}; load the one that is meant")
    if not ranks:
        raise MissingFileError(f"{place!r} holds none of {LOOKED_FOR}")
    return (ranks[0],)


def regular(folder: str | os.PathLike[str], within: Path | None = None) -> dict[str, Path]:
    """Find the regular files that may be read in a directory, each by its name there.

    With `within`, whatever a link leads to must be below that.
    """
    found = {}
    for name, path in _entries(Path(folder)):
        if not path.is_file():
            continue  # a folder, a pipe, or a link that leads nowhere
        if within is not None and not path.resolve().is_relative_to(within.resolve()):
            raise FormatError(f"{path} is a link out of {within}; it is not followed")
        found[name] = path
    return found


def _entries(folder: Path) -> Iterator[tuple[str, Path]]:
    try:
        for name in sorted(os.listdir(folder)):
            yield name, folder / name
        if (folder / TEMPLATES).is_dir():
            for name in sorted(os.listdir(folder / TEMPLATES)):
                yield f"{TEMPLATES}/{name}", folder / TEMPLATES / name
    except OSError as error:
        raise MissingFileError(f"{str(folder)!r} cannot be read: {error.strerror}") from error


def read_beside(files: Mapping[str, Path], source: str, commit: str | None) -> Directory:
    """Read the files that are kept beside a tokenizer."""
    contents = {}
    for name, path in files.items():
        if is_kept(name):
            if (size := path.stat().st_size) > LARGEST:
                raise LimitError(f"{path} has {size} bytes; at most {LARGEST} are read")
            contents[name] = path.read_bytes()
    try:
        return Directory(contents, source, commit)
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from None


def is_ranks(content: bytes) -> bool:
    r"""Tell whether a file begins as one of tiktoken's does.

    >>> is_ranks(b"IQ== 0\nIg== 1\n"), is_ranks(b"{}")
    (True, False)
    """
    return RANK_LINE.match(content[:4096]) is not None


def known_to_settings(beside: Directory) -> dict[str, int]:
    """Return the added tokens with the ids that the settings give them."""
    listed = beside.config.get("added_tokens_decoder", {})
    try:
        return {str(token["content"]): int(id_) for id_, token in listed.items()}
    except (TypeError, ValueError, KeyError, AttributeError):
        raise FormatError(f"{CONFIG}: added_tokens_decoder is no mapping id → token") from None
