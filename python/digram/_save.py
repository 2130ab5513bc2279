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
from digram._report import TrainingReport, to_record
from digram.errors import FormatError

__all__ = ["OWN_FORMAT", "is_directory", "save"]

OWN_FORMAT = "tokenizer.json"

# Names that belong to a format.
NAMES: Mapping[str, str] = {"tekken.json": "tekken"}

# The settings that digram writes where there are none.
LEAST = {
    "tokenizer_class",
    "clean_up_tokenization_spaces",
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


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a directory, or can be nothing else.

    >>> is_directory("llama-3.1/"), is_directory("llama-3.1")
    (True, False)
    """
    return os.path.isdir(path) or os.fspath(path).endswith(SEPARATORS)


def save(
    engine: Engine,
    training: TrainingReport | None,
    beside: Directory | None,
    place: str | os.PathLike[str],
    format: str | None,
) -> None:
    """Write a tokenizer at a place: in a format, or without one, where it is one, a directory."""
    if format is None and is_directory(place):
        _save_directory(engine, training, beside, Path(place))
    else:
        _save_files(engine, training, Path(place), format)


def _save_files(
    engine: Engine, training: TrainingReport | None, path: Path, format: str | None
) -> None:
    """Write the files of a format at `path`: a file, or a directory for formats of several."""
    chosen = format or NAMES.get(path.name) or ENDINGS.get(path.suffix, OWN_FORMAT)
    files = engine.files(chosen, _record(training) if chosen == OWN_FORMAT else None)
    replace_files(_placed(files, path))


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
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    if settings["unk_token"] in special:  # one that is not added must not become so
        config["unk_token"] = settings["unk_token"]
    if further := [text for text in special if text != settings["unk_token"]]:
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
    return config.keys() <= LEAST


def _record(training: TrainingReport | None) -> str | None:
    return None if training is None else to_record(training)


def _placed(files: list[tuple[str, bytes]], path: Path) -> dict[Path, bytes]:
    if len(files) == 1 and not path.is_dir():
        return {path: files[0][1]}
    path.mkdir(parents=False, exist_ok=True)
    return {path / name: content for name, content in files}
