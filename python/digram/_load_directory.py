"""Reading the tokenizer of a directory, and what stands beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from digram._beside import additions, numbered, with_additions
from digram._core import Engine
from digram._directory import Directory
from digram._ends import asked, with_ends
from digram._engine import engine_of, model_of
from digram._files import content_of
from digram._folder import chosen, is_ranks, known_to_settings, read_beside, regular
from digram._foreseen import foreseen, is_foreseen
from digram._limits import Limits
from digram._opening import NOTHING_KNOWN, opened
from digram._save import OWN_FORMAT
from digram._tokenizer import Tokenizer
from digram.components import NFC, AddedToken
from digram.errors import FormatError
from digram.patterns import as_the_engine_takes_it

__all__ = ["load_directory"]

# Classes that split otherwise than GPT-2 what vocab.json and merges.txt hold, and normalize it.
QWEN2 = ("Qwen2Tokenizer", "Qwen2TokenizerFast")


def load_directory(
    folder: str | os.PathLike[str],
    source: str,
    commit: str | None = None,
    within: Path | None = None,
    **known: Any,
) -> Tokenizer:
    """Read the tokenizer of a directory, and what stands beside it.

    `source` and `commit` say where it came from; links must not lead out of `within`. `known` is
    what the format cannot hold, as the engine takes it.
    """
    files = regular(folder, within)
    paths = [files[name] for name in chosen(files, source)]
    known = dict(NOTHING_KNOWN) | known
    contents = [content_of(path, known["limits"]) for path in paths]
    place = " + ".join(map(str, paths))
    beside = read_beside(files, source, commit)
    if is_ranks(contents[0]):
        known["special_tokens"] = known["special_tokens"] or list(known_to_settings(beside).items())
        if known["pattern"] is None:
            raise _without_pattern(place, folder, special=bool(known["special_tokens"]))
    is_qwen2 = len(paths) > 1 and beside.config.get("tokenizer_class") in QWEN2
    if is_qwen2 and known["pattern"] is None:
        known["pattern"] = as_the_engine_takes_it("qwen2")
    file = contents[0] if paths[0].name == OWN_FORMAT else None
    if file is not None and (found := _at_once(file, beside, place, known)):
        return Tokenizer._of(*found, beside)
    engine, training = opened(contents, place, known)
    if is_qwen2:
        engine = engine_of(replace(model_of(engine), normalizer=NFC()), engine.bounds())
    followed = _followed(engine, beside, place, file, known["limits"])
    if file is None and asked(beside):  # where there is one, its template counts
        followed = engine_of(with_ends(model_of(followed), beside), followed.bounds())
    return Tokenizer._of(followed, training, beside)


def _at_once(
    file: bytes, beside: Directory, place: str, known: Mapping[str, Any]
) -> tuple[Engine, str | None] | None:
    """Read a tokenizer.json with the tokens that are added to it, where they can be foreseen."""
    try:
        expected = foreseen(file, beside)
        found = None if expected is None else opened([expected[0]], place, known)
    except (ValueError, RecursionError):
        return None  # told of the file as it stands
    if expected is None or found is None:
        return None
    own = json.loads(found[0].settings())["added_tokens"]
    return found if is_foreseen(own, expected[1]) else None


def _without_pattern(place: str, folder: str | os.PathLike[str], *, special: bool) -> FormatError:
    also = "" if special else ", special_tokens={…}"
    return FormatError(
        f"{place}: tiktoken's format does not hold how text is split, and what would tell is code"
        " of the model, which digram does not run; look the pattern up and call"
        f" digram.load({os.fspath(folder)!r}, pattern=…{also})"
    )


def _followed(
    engine: Engine, beside: Directory, place: str, file: bytes | None, limits: Limits | None
) -> Engine:
    """Add the tokens that the files beside a tokenizer add to it; `file` is its tokenizer.json."""
    own = json.loads(engine.settings())["added_tokens"]
    added = additions(own, beside)
    if not added:
        return engine
    if file is not None:
        content = with_additions(file, own, added)
        known = {**NOTHING_KNOWN, "format": OWN_FORMAT, "limits": limits}
        return opened([content], place, known)[0]
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
        ),
        engine.bounds(),
    )
