"""Reading tokenizers: any format, recognized by content; a file, a pair, or a directory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from digram._beside import additions, numbered, with_additions
from digram._core import Engine
from digram._directory import Directory
from digram._engine import engine_of, model_of
from digram._filter import allowed, counted
from digram._folder import PAIRS, chosen, is_ranks, known_to_settings, read_beside, regular
from digram._limits import Limits
from digram._save import OWN_FORMAT, record_to_report
from digram._tokenizer import Tokenizer
from digram.components import AddedToken, PreTokenizer, to_json
from digram.errors import FormatError, LimitError, MissingFileError
from digram.patterns import pre_tokenizer

__all__ = ["load", "load_directory"]

# How a file of llama.cpp begins; and more bytes than the largest vocabulary takes there.
GGUF, METADATA = b"GGUF", 64 << 20

Path_ = str | os.PathLike[str]

# For a file that may be anybody's.
DEFAULT = Limits()

# What the engine takes beside the files.
NOTHING_KNOWN: Mapping[str, Any] = {
    "format": None,
    "pattern": None,
    "special_tokens": [],
    "unk_token": None,
    "initial_alphabet": [],
    "vocabulary": None,
    "limits": DEFAULT,
}


def load(
    source: Path_ | tuple[Path_, Path_] | bytes | tuple[bytes, bytes],
    *,
    format: str | None = None,
    pattern: str | PreTokenizer | None = None,
    special_tokens: Iterable[str] | Mapping[str, int] = (),
    unk_token: str | None = None,
    initial_alphabet: str = "",
    vocabulary: Path_ | Mapping[str, int] | Iterable[str] | None = None,
    vocabulary_threshold: int | None = None,
    limits: Limits = DEFAULT,
) -> Tokenizer:
    """Read a tokenizer, of any format that digram knows.

    These are `tokenizer.json`, `.tiktoken`, `tekken.json`, `vocab.json` with `merges.txt`, and
    the codes of subword-nmt, OpenNMT and fastBPE, SentencePiece's `.model`, and llama.cpp's GGUF.
    The format is recognized by content unless `format` names it. `source` is a file, a pair of
    files (`vocab.json`, `merges.txt`), a directory, or the bytes of a file or of a pair. A
    directory is read with what stands beside the tokenizer, as `from_pretrained` does. What the
    format cannot hold is given by keyword: the `pattern` that splits text and the `special_tokens`
    (with their ids, or in the order of ids) of a `.tiktoken` file, for instance.

    `vocabulary` is for subword-nmt's codes, and filters as `subword-nmt apply-bpe --vocabulary`
    does: a token that is not in it, `@@` included where it does not end a word, is taken apart
    again. It is a file of tokens and counts, a mapping of tokens to counts, or the tokens; those
    with counts below `vocabulary_threshold` are left out of it.

    A file may be anybody's: whatever is in it, it gives a tokenizer, or an error, and asks for no
    more than `limits` allow.

    Raises `MissingFileError` for a missing file, and `FormatError`, naming the place and the
    reason, for one that cannot be read; `LimitError` for what is beyond `limits`; `ValueError` for
    a keyword that the format has no use for.

    >>> import digram, tempfile
    >>> tok = digram.train(["abc abc"], num_merges=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tok.save(folder + "/tokenizer.json")
    ...     digram.load(folder + "/tokenizer.json") == tok
    True
    """
    known: dict[str, Any] = {
        "format": format,
        "pattern": None if pattern is None else json.dumps(to_json(pre_tokenizer(pattern))),
        "special_tokens": list(_special(special_tokens)),
        "unk_token": unk_token,
        "initial_alphabet": list(initial_alphabet),
        "vocabulary": _vocabulary(vocabulary, vocabulary_threshold, limits),
        "limits": limits,
    }
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        return load_directory(Path(source), str(source), **known)
    names, files = _read(source, limits)
    engine, record = _opened(files, names, known)
    return Tokenizer._of(engine, record_to_report(record))


def load_directory(
    folder: Path, source: str, commit: str | None = None, within: Path | None = None, **known: Any
) -> Tokenizer:
    """Read the tokenizer of a directory, and what stands beside it.

    `source` and `commit` say where it came from; links must not lead out of `within`. `known` is
    what the format cannot hold, as the engine takes it.
    """
    files = regular(folder, within)
    paths = [files[name] for name in chosen(files, source)]
    known = dict(NOTHING_KNOWN) | known
    contents = [_bytes(path, known["limits"]) for path in paths]
    place = " + ".join(map(str, paths))
    beside = read_beside(files, source, commit)
    if is_ranks(contents[0]):
        known["special_tokens"] = known["special_tokens"] or list(known_to_settings(beside).items())
        if known["pattern"] is None:
            raise _without_pattern(place, folder, special=bool(known["special_tokens"]))
    engine, record = _opened(contents, place, known)
    file = contents[0] if paths[0].name == OWN_FORMAT else None
    followed = _followed(engine, beside, place, file, known["limits"])
    return Tokenizer._of(followed, record_to_report(record), beside)


def _opened(files: list[bytes], place: str, known: Mapping[str, Any]) -> tuple[Engine, Any]:
    limits = known["limits"].to_json()
    return Engine.load(files, place, **{**known, "limits": limits})


def _without_pattern(place: str, folder: Path, *, special: bool) -> FormatError:
    also = "" if special else ", special_tokens={…}"
    return FormatError(
        f"{place}: tiktoken's format does not hold how text is split, and what would tell is code"
        " of the model, which digram does not run; look the pattern up and call"
        f" digram.load({str(folder)!r}, pattern=…{also})"
    )


def _followed(
    engine: Engine, beside: Directory, place: str, file: bytes | None, limits: Limits
) -> Engine:
    """Add the tokens that the files beside a tokenizer add to it; `file` is its tokenizer.json."""
    own = json.loads(engine.settings())["added_tokens"]
    added = additions(own, beside)
    if not added:
        return engine
    if file is not None:
        content = with_additions(file, own, added)
        known = {**NOTHING_KNOWN, "format": OWN_FORMAT, "limits": limits}
        return _opened([content], place, known)[0]
    model = model_of(engine)
    ids = [id_ for id_ in engine.ids() if id_ not in model.added_only]
    tokens = numbered(own, added, dict(zip(engine.spell(ids, marker=True), ids, strict=True)))
    new = {t["id"]: t["content"].encode() for t in tokens if t["id"] not in model.tokens}
    return engine_of(
        replace(
            model,
            tokens={**model.tokens, **new},
            added_only=model.added_only | new.keys(),
            added_tokens=tuple(AddedToken(**token) for token in tokens),
        )
    )


def _read(source: Any, limits: Limits) -> tuple[str, list[bytes]]:
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
    return " + ".join(map(str, paths)), [_bytes(path, limits) for path in paths]


def _paths(path: Path) -> list[Path]:
    """Return the file, with the one that belongs to it, or those of a directory."""
    if path.is_dir():
        files = regular(path, None)
        return [files[name] for name in chosen(files, str(path))]
    for pair in PAIRS:
        other = [path.with_name(name) for name in pair]
        if path in other and all(part.is_file() for part in other):
            return other
    return [path]


def _bytes(path: Path, limits: Limits) -> bytes:
    try:
        with path.open("rb") as file:
            # of a whole model only the beginning is read: the tokenizer is there
            is_model = file.peek(len(GGUF)).startswith(GGUF)
            size = 0 if is_model else os.fstat(file.fileno()).st_size
            # what is no file on a disk has no size, and may have no end
            most = min(METADATA, limits.file_size) if is_model else limits.file_size + 1
            content = file.read(most) if size <= limits.file_size else b""
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {str(path)!r}") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from error
    if max(size, len(content)) > limits.file_size:
        raise LimitError(
            f"{path}: the file has {size or 'more'} bytes; the limit file_size is"
            f" {limits.file_size}; for a file that you trust, pass"
            f" limits=digram.Limits(file_size={size or '…'})"
        )
    return content


def _vocabulary(
    vocabulary: Path_ | Mapping[str, int] | Iterable[str] | None,
    threshold: int | None,
    limits: Limits,
) -> list[str] | None:
    if vocabulary is None:
        if threshold is not None:
            raise ValueError(f"vocabulary_threshold is {threshold}, but there is no vocabulary")
        return None
    if isinstance(vocabulary, str | os.PathLike):
        path = Path(vocabulary)
        vocabulary = counted(_bytes(path, limits), str(path))
    return allowed(vocabulary, threshold)


def _special(tokens: Iterable[str] | Mapping[str, int]) -> Iterable[tuple[str, int | None]]:
    if isinstance(tokens, Mapping):
        return tokens.items()
    if isinstance(tokens, str):
        raise TypeError("special_tokens is a list of texts, or a mapping text → id; pass [token]")
    return ((token, None) for token in tokens)
