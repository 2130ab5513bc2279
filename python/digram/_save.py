"""A tokenizer as files, and what a file keeps about its training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from digram._atomic import replace_files
from digram._core import Engine
from digram._report import TrainingReport

__all__ = ["record_to_report", "save"]

OWN_FORMAT = "tokenizer.json"

# Names that belong to a format.
NAMES: Mapping[str, str] = {"tekken.json": "tekken"}

# What other names end with → their format; everything else is tokenizer.json.
ENDINGS: Mapping[str, str] = {
    ".tiktoken": "tiktoken",
    ".codes": "subword-nmt",
    ".bpe": "subword-nmt",
}


def save(engine: Engine, training: TrainingReport | None, path: Path, format: str | None) -> None:
    """Write the files of a format at `path`: a file, or a directory for formats of several."""
    chosen = format or NAMES.get(path.name) or ENDINGS.get(path.suffix, OWN_FORMAT)
    files = engine.files(chosen, _record(training) if chosen == OWN_FORMAT else None)
    replace_files(_placed(files, path))


def record_to_report(record: str | None) -> TrainingReport | None:
    """Read the training record that a file holds beside its model."""
    if record is None:
        return None
    found = json.loads(record)
    known = {field.name for field in fields(TrainingReport)}
    if not isinstance(found, dict) or set(found) != known:
        return None  # another version's record, or another tool's: it affects nothing
    pairs = [tuple(pair) for pair in found.pop("pairs")]
    return TrainingReport(pairs=pairs, **found)


def _record(training: TrainingReport | None) -> str | None:
    if training is None:
        return None
    values: dict[str, Any] = {f.name: getattr(training, f.name) for f in fields(training)}
    return json.dumps(values, ensure_ascii=False)


def _placed(files: list[tuple[str, bytes]], path: Path) -> dict[Path, bytes]:
    if len(files) == 1 and not path.is_dir():
        return {path: files[0][1]}
    path.mkdir(parents=False, exist_ok=True)
    return {path / name: content for name, content in files}
