"""`digram convert`: one format in, another out."""

from __future__ import annotations

from typing import Annotated

import typer

from digram.cli import options, output, saving
from digram.cli.figures import big
from digram.cli.reading import STDIN, opened

__all__ = ["convert"]


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="The tokenizer: a file, its directory, or '-'.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="OUT", help="The file or directory to write, or '-'.")
    ],
    *,
    to: Annotated[
        options.Format | None,
        typer.Option("--to", help="The format to write; without it OUT's name tells."),
    ] = None,
    read_as: Annotated[
        options.ReadFormat | None,
        typer.Option("--from", help="The format to read; without it the content tells."),
    ] = None,
    as_json: options.Json = False,
    pattern: options.KnownPattern = None,
    special_token: options.KnownSpecialTokens = None,
    unk_token: options.KnownUnkToken = None,
    initial_alphabet: options.KnownAlphabet = None,
) -> None:
    """Write a tokenizer in another format, or refuse where that cannot hold it.

    $ digram convert cl100k_base.tiktoken tokenizer.json --pattern cl100k
    $ digram convert tokenizer.json folder --to gpt2
    """
    saving.check_target(target, as_json=as_json)
    known = options.Known(pattern, special_token, unk_token, initial_alphabet)
    tok = options.open_tokenizer(_content(source), known, format=read_as)
    saving.save(tok, target, to)
    needed = saving.options_to_read(tok, target, to)
    if as_json:
        output.write_json(
            {"file": target, "format": to, "vocab_size": tok.vocab_size, "needed_to_read": needed}
        )
        return
    name = "stdout" if target == saving.STDOUT else target
    output.say(f"{name}: written, {big(tok.vocab_size)} tokens")
    if needed:
        output.say(f"the format does not hold everything; to read it again, add {needed}")


def _content(source: str) -> str | bytes:
    """Return the path as it is, or what stdin holds for `-`."""
    if source != STDIN:
        return source
    with opened(STDIN) as stream:
        return stream.read()
