"""Tokenizers on their way out: to a file, replaced whole, or to stdout."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import typer

import digram
from digram import Tokenizer
from digram.cli import options, output

__all__ = [
    "STDOUT",
    "check_apart",
    "check_files",
    "check_target",
    "convert",
    "is_for_digram_alone",
    "needed_to_read",
    "save",
]

STDOUT = "-"
# What Hugging Face has no component for, as a file names it.
OWN_COMPONENT = '"type": "SentencePiece"'


def check_target(
    target: str, format: options.Format | None, *besides: str | None, as_json: bool
) -> None:
    """Refuse targets that nothing can be written to, before hours of work are spent on them."""
    check_files(*besides)
    if target == STDOUT:
        _check_stdout(as_json=as_json)
        return
    _check_name(target, format)
    check_files(target)


def _check_name(target: str, format: options.Format | None) -> None:
    """Refuse a name that `save` would, by saving a tokenizer without tokens under it, elsewhere."""
    if format is None and (target.endswith(os.sep) or Path(target or "?").is_dir()):
        return
    nothing = digram.from_merges([], units="chars")
    with (
        tempfile.TemporaryDirectory(prefix="digram-") as folder,
        contextlib.suppress(digram.FormatError),  # what is learned may be more than that
    ):
        nothing.save(target and Path(folder, Path(target).name), format=format)


def check_files(*targets: str | None) -> None:
    """Refuse paths that nothing can be written to."""
    for target in filter(None, targets):
        _check_file(target)


def check_apart(read: Iterable[str], **written: str | None) -> None:
    """Refuse to write to what is read, or twice to the same; `written` are options by name."""
    taken = {os.path.realpath(name): "is read" for name in read}
    for option, target in written.items():
        if target in (None, STDOUT):
            continue
        place = os.path.realpath(target)
        if place in taken:
            raise ValueError(
                f"--{option} is {target!r}, which {taken[place]} too; name another file"
            )
        taken[place] = f"--{option} writes"


def _check_file(target: str) -> None:
    path = Path(target)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise ValueError(
            f"{target}: neither a file nor a folder, so it cannot be replaced; name one"
        )
    folder = path if path.is_dir() else path.resolve().parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{target}: there is no folder {str(folder)!r}; make it first")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{target}: nothing can be written in the folder {str(folder)!r}")


def _check_stdout(*, as_json: bool) -> None:
    if as_json:
        raise typer.BadParameter("the tokenizer and --json cannot share stdout; name a file")
    if output.is_terminal(sys.stdout):
        raise typer.BadParameter(
            "a tokenizer would fill the terminal; name a file (--output), or pipe it into one"
        )


def save(tok: Tokenizer, target: str, format: options.Format | None) -> None:
    """Write a tokenizer to a file or a directory, or to stdout for `-`."""
    if target != STDOUT:
        tok.save(target, format=format)
        return
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        path = Path(folder, "tokenizer")
        tok.save(path, format=format)
        if path.is_dir():
            raise ValueError(f"the format {format!r} has several files; name a directory")
        output.write_bytes(path.read_bytes())


def convert(
    tok: Tokenizer, target: str, format: options.Format | None, texts: Iterable[str]
) -> digram.Proof:
    """Write a tokenizer with proof, to a file or a directory, or to stdout for `-`."""
    if target != STDOUT:
        return digram.convert(tok, target, format=format, texts=texts)
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        path = Path(folder, "tokenizer")
        proof = digram.convert(tok, path, format=format, texts=texts)
        if path.is_dir():
            raise ValueError(f"the format {format!r} has several files; name a directory")
        output.write_bytes(path.read_bytes())
    return proof


def is_for_digram_alone(tok: Tokenizer) -> bool:
    """Say whether Hugging Face refuses the tokenizer.json of a tokenizer."""
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        path = Path(folder, "tokenizer.json")
        try:
            tok.save(path)
        except digram.FormatError:
            return True
        file = json.loads(path.read_bytes())
    components = json.dumps([file["normalizer"], file["decoder"]])
    return file["model"]["type"] != "BPE" or OWN_COMPONENT in components


def needed_to_read(tok: Tokenizer, proof: digram.Proof) -> str | None:
    """Return the options without which what was written is not the same tokenizer again."""
    known = proof.options
    given = ["--pattern", tok.pattern] if "pattern" in known and tok.pattern is not None else []
    for name, id_ in known.get("special_tokens", {}).items():
        given += ["--special-token", f"{name}={id_}"]
    for name in ("unk_token", "initial_alphabet"):
        given += [f"--{name.replace('_', '-')}", known[name]] if name in known else []
    return shlex.join(given) or None
