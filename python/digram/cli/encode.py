"""`digram encode`: texts in, ids out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from digram import DigramError, Tokenizer
from digram.cli import options, output, progress
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, Batch, batches, total_size
from digram.cli.visible import visible

__all__ = ["encode"]


@with_known
def encode(
    tokenizer: options.TokenizerFile,
    files: options.Files = None,
    *,
    special: options.Special = "text",
    lines: options.Lines = False,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Write tokens, as tokenizer.json spells them.")
    ] = False,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Turn texts into ids, one line of ids for each text.

    $ echo "hello world" | digram encode -t tokenizer.json
    $ digram encode -t cl100k_base.tiktoken --pattern cl100k *.txt

    Each file is one text, and so is stdin; with --lines each line is one. --json writes an object
    for each text.
    """
    tok = options.open_tokenizer(tokenizer, known)
    named = files or [STDIN]
    write = output.write_json if as_json else _write_plainly
    # A bar and ids on one terminal would write over each other.
    watched = not output.is_terminal(sys.stdout)
    with progress.bytes_done("encoding", total_size(named), wanted=watched) as advance:
        for batch in batches(named, lines=lines):
            for record in _encoded(tok, batch, special, tokens=tokens):
                write(record)
            output.flush()  # what is done can be read while the rest is made
            advance(batch.size)


def _encoded(
    tok: Tokenizer, batch: Batch, special: options.Policy, *, tokens: bool
) -> Iterator[dict[str, Any]]:
    try:
        rows = tok.encode_batch(batch.texts, special=special)
    except DigramError as error:
        raise batch.told(error, 0) from None
    for text, ids in zip(batch.texts, rows, strict=True):
        record: dict[str, Any] = {"file": batch.file, "ids": ids}
        if tokens:
            record["tokens"] = tok.tokenize(text, special=special)
        yield record


def _write_plainly(record: dict[str, Any]) -> None:
    tokens = record.get("tokens")
    parts = map(str, record["ids"]) if tokens is None else map(visible, tokens)
    output.write_line(" ".join(parts))
