"""Reading tokenizers: any format, recognized by content, and whole directories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from digram._core import Engine
from digram._save import record_to_report
from digram._tokenizer import Tokenizer
from digram.components import PreTokenizer, to_json
from digram.errors import FormatError, MissingFileError
from digram.patterns import pre_tokenizer

__all__ = ["from_pretrained", "load"]

# Files that hold all of a tokenizer, the one to be preferred first.
WHOLE = ("tokenizer.json", "tekken.json")
# Files that belong together: tokens with their ids, and merges.
PAIRS = (
    ("vocab.json", "merges.txt"),
    ("encoder.json", "vocab.bpe"),
    ("encoder_bpe_40000.json", "vocab_40000.bpe"),
)

# How a file of llama.cpp begins; and more bytes than the largest vocabulary takes there.
GGUF, METADATA = b"GGUF", 64 << 20

Path_ = str | os.PathLike[str]


def load(
    source: Path_ | tuple[Path_, Path_] | bytes | tuple[bytes, bytes],
    *,
    format: str | None = None,
    pattern: str | PreTokenizer | None = None,
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    unk_token: str | None = None,
    initial_alphabet: str = "",
) -> Tokenizer:
    """Read a tokenizer, of any format that digram knows.

    These are `tokenizer.json`, `.tiktoken`, `tekken.json`, `vocab.json` with `merges.txt`, and
    the codes of subword-nmt, OpenNMT and fastBPE, and llama.cpp's GGUF. The format is recognized
    by content unless `format` names it. `source` is a file, a pair of files (`vocab.json`,
    `merges.txt`), a directory, or the bytes of a file or of a pair. What the format cannot hold is
    given by keyword: the `pattern` that splits text and the `special_tokens` (with their ids, or
    in the order of ids) of a `.tiktoken` file, for instance.

    Raises `MissingFileError` for a missing file, and `FormatError`, naming the place and the
    reason, for one that cannot be read; `ValueError` for a keyword that the format has no use
    for.

    >>> import digram, tempfile
    >>> tok = digram.train(["abc abc"], num_merges=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/tokenizer.json")
    ...     digram.load(folder + "/tokenizer.json") == tok
    True
    """
    names, files = _read(source)
    split = None if pattern is None else pre_tokenizer(pattern)
    engine, record = Engine.load(
        files,
        names,
        format,
        None if split is None else json.dumps(to_json(split)),
        list(_special(special_tokens)),
        unk_token,
        list(initial_alphabet),
    )
    return Tokenizer._of(engine, record_to_report(record))


def from_pretrained(name: Path_) -> Tokenizer:
    """Read the tokenizer of a local directory.

    It is the first of `tokenizer.json`, `tekken.json`, and `vocab.json` with `merges.txt`.
    Raises `MissingFileError` where the directory does not exist or holds none of them.
    """
    if not os.path.isdir(name):
        raise MissingFileError(
            f"{os.fspath(name)!r} is no directory; give one that holds tokenizer.json,"
            " tekken.json, or vocab.json and merges.txt (models are not downloaded)"
        )
    return load(name)


def _read(source: Any) -> tuple[str, list[bytes]]:
    """Return how to name the source in errors, and the content of its file or files."""
    if isinstance(source, bytes | bytearray | memoryview):
        return "<bytes>", [bytes(source)]
    if isinstance(source, tuple):
        if len(source) != len(PAIRS[0]):
            raise ValueError(
                f"a pair of files is vocab.json and merges.txt, not {len(source)} files"
            )
        if all(isinstance(content, bytes) for content in source):
            return "<bytes>", list(source)
        paths = [Path(path) for path in source]
    elif isinstance(source, str | os.PathLike):
        paths = _paths(Path(source))
    else:
        kind = type(source).__name__
        raise TypeError(f"load takes a path, a pair of paths, or bytes, not {kind}")
    return " + ".join(map(str, paths)), [_bytes(path) for path in paths]


def _paths(path: Path) -> list[Path]:
    """Return the file, with the one that belongs to it, or those of a directory."""
    if path.is_dir():
        return _in_directory(path)
    for pair in PAIRS:
        other = [path.with_name(name) for name in pair]
        if path in other and all(part.is_file() for part in other):
            return other
    return [path]


def _in_directory(folder: Path) -> list[Path]:
    for name in WHOLE:
        if (folder / name).is_file():
            return [folder / name]
    for pair in PAIRS:
        if all((folder / name).is_file() for name in pair):
            return [folder / name for name in pair]
    raise MissingFileError(
        f"{str(folder)!r} holds none of tokenizer.json, tekken.json, and vocab.json with merges.txt"
    )


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # of a whole model only the beginning is read: the tokenizer is there
            is_model = file.peek(len(GGUF)).startswith(GGUF)
            return file.read(METADATA if is_model else -1)
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error


def _special(tokens: Iterable[str] | Mapping[str, int]) -> Iterable[tuple[str, int | None]]:
    if isinstance(tokens, Mapping):
        return tokens.items()
    if isinstance(tokens, str):
        raise TypeError("special_tokens is a list of texts, or a mapping text → id; pass [token]")
    return ((token, None) for token in tokens)
