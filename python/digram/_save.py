"""A tokenizer as files, or as a directory, and what a file keeps about its training."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from digram._atomic import replace_files
from digram._beside import additions
from digram._core import Engine
from digram._directory import CONFIG, LARGEST, TEMPLATES, Directory, is_kept
from digram._ends import ends_of
from digram._engine import model_of
from digram._files import PAIRS
from digram._kinds import choice, of_kind
from digram._report import TrainingReport
from digram._training_record import to_record
from digram.errors import FormatError

__all__ = ["FORMATS", "OWN_FORMAT", "content", "format_of", "is_directory", "save"]

OWN_FORMAT = "tokenizer.json"

# Names that belong to a format.
NAMES: Mapping[str, str] = {"tekken.json": "tekken"}

# The settings that digram writes where there are none, and what some of them are.
LEAST_OF = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
LEAST = {
    *LEAST_OF,
    "bos_token",
    "eos_token",
    "pad_token",
    "unk_token",
    "additional_special_tokens",
}

# What a path ends with that can only be a directory.
SEPARATORS = tuple(filter(None, {"/", os.sep, os.altsep}))

# What other names end with → their format; everything else is tokenizer.json.
ENDINGS: Mapping[str, str] = {
    ".tiktoken": "tiktoken",
    ".codes": "subword-nmt",
    ".bpe": "subword-nmt",
    ".model": "sentencepiece",
}

# What is written; a name that says another format, and nothing of these, is refused.
FORMATS = ("tokenizer.json", "tiktoken", "tekken", "gpt2", "subword-nmt", "sentencepiece")
READ_ONLY = "gguf"  # the engine says what to do instead
PACKED = (".gz", ".bz2", ".xz", ".zst")
OF_PAIRS = {name for pair in PAIRS for name in pair}


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a directory, or can be nothing else.

    >>> is_directory("llama-3.1/"), is_directory("llama-3.1")
    (True, False)
    """
    return os.path.isdir(path) or os.fspath(path).endswith(SEPARATORS)


def format_of(place: str | os.PathLike[str], format: str | None) -> str | None:
    """Return the format to write at a place, the one given or that of its name; none: a directory.

    Raises `ValueError` where the name is that of something else.

    >>> format_of("a.tiktoken", None), format_of("a.json", None), format_of("a.json", "tekken")
    ('tiktoken', 'tokenizer.json', 'tekken')
    """
    rule = "a str or an os.PathLike (to_bytes gives the content of a file without writing one)"
    path = Path(of_kind("path", place, (str, os.PathLike), rule))
    if not os.fspath(place):
        raise ValueError("the name to write is ''; give that of a file or a directory")
    if format is not None:
        return format if format == READ_ONLY else choice("format", format, FORMATS)
    if is_directory(place):
        return None
    ending = path.suffix.lower()
    found = NAMES.get(path.name) or ENDINGS.get(ending)
    if found is None and (other := _other_format(path.name, ending)):
        raise ValueError(
            f"{path.name!r} is the name of {other}; give another name, such as 'tokenizer.json',"
            f" or say that the format is {OWN_FORMAT} in spite of it"
        )
    return found or OWN_FORMAT


def _other_format(name: str, ending: str) -> str | None:
    """Return what a name says that is not written under it."""
    if ending == ".gguf":
        return "a GGUF file, which is read and not written"
    if ending in PACKED:
        return "a compressed file, and files are written as they are"
    if name in OF_PAIRS:
        return "one file of a pair, and the format gpt2 writes both into a directory"
    return None


def save(
    engine: Engine,
    training: TrainingReport | None,
    beside: Directory | None,
    place: str | os.PathLike[str],
    format: str | None,
) -> None:
    """Write a tokenizer at a place: in a format, or without one, where it is one, a directory."""
    chosen = format_of(place, format)
    if chosen is None:
        _save_directory(engine, training, beside, Path(place))
    else:
        files = engine.files(chosen, _record(training) if chosen == OWN_FORMAT else None)
        replace_files(_placed(files, Path(place)))


def content(engine: Engine, training: TrainingReport | None, format: str) -> bytes:
    """Return what a file of a format holds. Raises `ValueError` for a format of several files."""
    chosen = format if format == READ_ONLY else choice("format", format, FORMATS)
    files = engine.files(chosen, _record(training) if chosen == OWN_FORMAT else None)
    if len(files) > 1:
        raise ValueError(
            f"format is {format!r}, which is {len(files)} files: {', '.join(n for n, _ in files)};"
            " save writes them into a directory, or give another format"
        )
    return files[0][1]


def _save_directory(
    engine: Engine, training: TrainingReport | None, beside: Directory | None, folder: Path
) -> None:
    """Write `tokenizer.json` and what stands beside it, so that transformers opens both alike.

    Raises `FormatError`, before anything is written, where the files beside it would make it
    another tokenizer.
    """
    kept = {} if beside is None else dict(beside.files)
    _refuse_strangers(engine, beside, folder, kept)
    files = engine.files(OWN_FORMAT, _record(training))
    contents = dict(files) | kept
    contents.setdefault(CONFIG, _least_config(engine))
    folder.mkdir(exist_ok=True)
    if any(name.startswith(TEMPLATES) for name in kept):
        (folder / TEMPLATES).mkdir(exist_ok=True)
    replace_files({folder / name: content for name, content in contents.items()})


def _refuse_strangers(
    engine: Engine, beside: Directory | None, folder: Path, kept: Mapping[str, bytes]
) -> None:
    own = json.loads(engine.settings())["added_tokens"]
    added = [] if beside is None else additions(own, beside)
    if added:
        raise FormatError(
            f"{CONFIG}, kept since loading, speaks of {added[0]['content']!r}, which is no added"
            " token of this tokenizer, or one with other flags, so that whoever reads the"
            " directory adds it; save tok.with_(directory=None), or with a Directory that fits"
        )
    there = [*folder.glob("*"), *folder.glob(f"{TEMPLATES}/*")]
    names = {path.relative_to(folder).as_posix() for path in there if not _is_least(path)}
    if strangers := sorted(name for name in names - kept.keys() if is_kept(name)):
        raise FormatError(
            f"{str(folder)!r} holds {', '.join(strangers)} of another tokenizer, which would be"
            " lost, or taken for this one's; remove that, or save to another directory"
        )


def _least_config(engine: Engine) -> bytes:
    """Make the settings that are true of any tokenizer: what digram knows, and no more."""
    settings = json.loads(engine.settings())
    special = [token["content"] for token in settings["added_tokens"] if token["special"]]
    config: dict[str, Any] = dict(LEAST_OF)
    names: dict[str, str | None] = {"unk_token": settings["unk_token"]}
    if settings["rule"] == "scores":
        names |= ends_of(model_of(engine))
    # one that is not added must not become so
    config |= {name: text for name, text in names.items() if text in special}
    if further := [text for text in special if text not in config.values()]:
        config["additional_special_tokens"] = further
    return json.dumps(config, ensure_ascii=False, indent=2).encode() + b"\n"


def _is_least(path: Path) -> bool:
    """Tell whether a file holds the least settings, which digram may replace as it made them."""
    if path.name != CONFIG or not path.is_file() or path.stat().st_size > LARGEST:
        return False
    try:
        config = Directory({CONFIG: path.read_bytes()}).config
    except FormatError:
        return False
    return config.keys() <= LEAST and all(config.get(name) == LEAST_OF[name] for name in LEAST_OF)


def _record(training: TrainingReport | None) -> str | None:
    return None if training is None else to_record(training)


def _placed(files: list[tuple[str, bytes]], path: Path) -> dict[Path, bytes]:
    if len(files) == 1 and not path.is_dir():
        return {path: files[0][1]}
    path.mkdir(parents=False, exist_ok=True)
    return {path / name: content for name, content in files}
