"""`digram encode`: texts in, ids out."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from digram import DigramError, Tokenizer
from digram.cli import options, output, progress
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, Batch, argument, batches, total_size
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
    joiner: Annotated[
        str | None,
        typer.Option(
            "--joiner",
            metavar="JOINER",
            parser=argument,
            help="Write tokens as text, JOINER (subword-nmt's @@) behind each that does not end"
            " a word; for codes, and mostly with --lines.",
        ),
    ] = None,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Turn texts into ids, one line of ids for each text.

    $ echo "hello world" | digram encode -t tokenizer.json
    $ digram encode -t cl100k_base.tiktoken --pattern cl100k *.txt
    $ digram encode -t codes.bpe --unk-token UNK --joiner @@ --lines < corpus.txt

    Each file is one text, and so is stdin; with --lines each line is one. --json writes an object
    for each text.
    """
    if tokens and joiner is not None:
        raise typer.BadParameter("--tokens and --joiner are two ways to write them; give one")
    tok = options.open_tokenizer(tokenizer, known)
    spell = None
    if tokens or joiner is not None:
        spell = functools.partial(tok.tokenize, special=special, joiner=joiner)
    named = files or [STDIN]
    # A bar and ids on one terminal would write over each other.
    watched = not output.is_terminal(sys.stdout)
    with progress.bytes_done("encoding", total_size(named), wanted=watched) as advance:
        for batch in batches(named, lines=lines):
            for text, record in _encoded(tok, batch, special, spell):
                if as_json:
                    output.write_json(record)
                elif joiner is not None:
                    output.write_line(_between_blanks(text, record["tokens"]))
                else:
                    _write_plainly(record)
            output.flush()  # what is done can be read while the rest is made
            advance(batch.size)


def _encoded(
    tok: Tokenizer,
    batch: Batch,
    special: options.Policy,
    spell: Callable[[str], list[str]] | None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        rows = tok.encode_batch(batch.texts, special=special)
    except DigramError as error:
        raise batch.told(error, 0) from None
    for text, ids in zip(batch.texts, rows, strict=True):
        record: dict[str, Any] = {"file": batch.file, "ids": ids}
        if spell is not None:
            record["tokens"] = spell(text)
        yield text, record


def _between_blanks(text: str, tokens: list[str]) -> str:
    r"""Join tokens with spaces, between the blanks of the text's ends, as subword-nmt does.

    >>> _between_blanks("  low er \n", ["low", "er"]), _between_blanks(" \n", [])
    ('  low er ', ' ')
    """
    line = text.removesuffix("\n")
    inner = line.strip("\r\n ")
    before, _, after = line.partition(inner) if inner else (line, "", "")
    return before + " ".join(tokens) + after


class _Numbers(dict[int, str]):
    """Numbers as text, each made once: most of the time that ids take to write is this."""

    def __missing__(self, number: int) -> str:
        text = self[number] = str(number)
        return text


NUMBERS = _Numbers()


def _write_plainly(record: dict[str, Any]) -> None:
    tokens = record.get("tokens")
    parts = map(NUMBERS.__getitem__, record["ids"]) if tokens is None else map(visible, tokens)
    output.write_line(" ".join(parts))
