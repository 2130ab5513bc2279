"""`digram inspect`: what a tokenizer is, or how it makes tokens of a text."""

from __future__ import annotations

from typing import Annotated

import typer

from digram import MissingFileError, Tokenizer
from digram.cli import inspect_text, inspect_tokenizer, options
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, argument, batches

__all__ = ["inspect"]


@with_known
def inspect(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="TOKENIZER|TEXT", help="A tokenizer; with -t, a text ('-' is stdin)."
        ),
    ] = None,
    *,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer",
            "-t",
            metavar="PATH",
            help="The tokenizer for the text: a file, a directory, or a name.",
        ),
    ] = None,
    special: options.Special = "text",
    merges: Annotated[
        bool, typer.Option("--merges", help="Show every merge, and what it did in training.")
    ] = False,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Show what a tokenizer is; or, with -t, the words, tokens and merges of a text.

    $ digram inspect tokenizer.json
    $ digram inspect --merges tokenizer.json | less
    $ digram inspect -t tokenizer.json "the lowest of the low"

    With -t the argument is always text, and stdin is read without one; without -t it is always a
    tokenizer. ␣ is a space; what cannot be printed is escaped.
    """
    if merges and (tokenizer is not None or subject is None):
        raise typer.BadParameter(
            "--merges goes with a tokenizer alone: digram inspect --merges PATH"
        )
    if tokenizer is not None:
        text = _text(subject)
        tok = options.open_tokenizer(tokenizer, known)
        inspect_text.show(tok, text, special, as_json=as_json)
    elif subject is not None:
        if special != "text":
            raise typer.BadParameter("--special goes with a text, and so with -t")
        tok = _opened(subject, known)
        show = inspect_tokenizer.show_merges if merges else inspect_tokenizer.show
        show(tok, subject, as_json=as_json)
    else:
        raise typer.BadParameter("name a tokenizer, or -t TOKENIZER and a text")


def _text(subject: str | None) -> str:
    if subject is None or subject == STDIN:
        return "".join(text for batch in batches([STDIN], lines=False) for text in batch.texts)
    return argument(subject)


def _opened(path: str, known: Known) -> Tokenizer:
    try:
        return options.open_tokenizer(path, known)
    except MissingFileError as error:
        if options.is_named(path):
            raise
        raise MissingFileError(
            f"{error}; to look into a text, name the tokenizer with -t: digram inspect -t PATH TEXT"
        ) from None
