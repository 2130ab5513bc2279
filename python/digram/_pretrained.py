"""Tokenizers of models: a directory, or the name of a model on the hub."""

from __future__ import annotations

import os

from digram._folder import LOOKED_FOR, chosen, regular
from digram._hub import Snapshot, cached, check_name, check_revision, download, is_offline
from digram._limits import Limits
from digram._load_directory import load_directory
from digram._tokenizer import Tokenizer
from digram.errors import MissingFileError

__all__ = ["from_pretrained"]

# What tells a name on the hub from a directory that happens to be there.
HUB = "hub:"


def from_pretrained(
    name: str | os.PathLike[str],
    *,
    revision: str | None = None,
    token: str | bool | None = None,
    local_files_only: bool | None = None,
    limits: Limits | None = None,
) -> Tokenizer:
    """Read the tokenizer of a model: a directory, or its name on the hub (`org/model`).

    A directory that exists goes first; `hub:org/model` is never one, and a `Path` is nothing else.
    A model of the hub is read from the cache of Hugging Face's libraries, without any request, and
    if it is not there through huggingface_hub (`pip install "digram[hub]"`), which follows
    `HF_TOKEN` and `HF_ENDPOINT`; `revision` is a branch, a tag or a commit. `local_files_only` is
    False to ask the hub in any case, as for a branch that has moved on, and True to never ask it;
    so does `HF_HUB_OFFLINE` or `TRANSFORMERS_OFFLINE`. `token` is one of the hub, for models that
    need one, or False to send none. No code of a model is run.

    `tok.directory` holds what stood beside the tokenizer, `tokenizer_config.json` and chat
    templates; the tokens that these add to the tokenizer are added.

    Raises `MissingFileError` where there is no such model, or no tokenizer in it, `ValueError` for
    what cannot be a name, `FormatError` for files that cannot be read, and `LimitError` for what is
    beyond `limits`.

    >>> import digram, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     digram.train(["abc abc"], num_merges=2).save(folder)
    ...     digram.from_pretrained(folder).tokenize("abc")
    ['abc']
    """
    given = os.fspath(name) if isinstance(name, os.PathLike) else name
    if not isinstance(given, str):
        raise TypeError(f"from_pretrained takes a path or a name, not {type(given).__name__}")
    if not given.startswith(HUB) and "\0" not in given and os.path.isdir(given):
        return _of_directory(given, revision, limits)
    if not given.startswith(HUB) and os.path.isfile(given):
        raise MissingFileError(
            f"{given!r} is a file, and from_pretrained takes a directory or the name of a model;"
            f" digram.load opens files, and {HUB!r} before a name says that it is one of the hub"
        )
    if not isinstance(name, str):
        raise MissingFileError(f"there is no directory {given!r}")
    model = check_name(given.removeprefix(HUB))
    snapshot = _found(
        model, check_revision(revision), token=token, local_files_only=local_files_only
    )
    folder, commit = snapshot.folder, snapshot.commit
    return load_directory(folder, model, commit, snapshot.cache, limits=limits)


def _of_directory(given: str, revision: str | None, limits: Limits | None) -> Tokenizer:
    if revision is not None:
        raise ValueError(
            f"{given!r} is a directory, which has no revision {revision!r}; for the model of"
            f" that name on the hub write {HUB + given!r}"
        )
    return load_directory(given, given, limits=limits)


def _found(
    model: str, revision: str, *, token: str | bool | None, local_files_only: bool | None
) -> Snapshot:
    """Find a model in the cache, or download it if that may be done."""
    may_ask = not (is_offline() if local_files_only is None else local_files_only)
    kept = None if local_files_only is False else cached(model, revision)
    if kept is not None and _has_tokenizer(kept):
        if kept.is_whole or not may_ask:
            return kept
        try:
            return download(model, kept.commit, token=token)
        except MissingFileError:
            return kept  # whatever else there may be, the tokenizer is there
    if may_ask:
        return download(model, revision, token=token)
    if kept is not None:
        raise MissingFileError(
            f"{str(kept.folder)!r}, the cache of {model!r} at {revision!r}, holds none of"
            f" {LOOKED_FOR}, or only links that lead nowhere, and the hub may not be asked"
        )
    raise MissingFileError(
        f"{model!r} at {revision!r} is no directory, and not in the cache of the hub, which may"
        " not be asked: local_files_only is True, or HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE is set"
    )


def _has_tokenizer(snapshot: Snapshot) -> bool:
    try:
        chosen(regular(snapshot.folder, snapshot.cache), str(snapshot.folder))
    except MissingFileError:
        return False
    return True
