"""`digram diff`: what has changed between two tokenizers."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

import digram
from digram import Change, Difference
from digram.cli import options, output
from digram.cli.figures import big, several
from digram.cli.visible import printable

__all__ = ["diff"]

# Of one part and kind, so many are shown: enough to see what is the matter.
SHOWN = 10
Tokenizer_ = Annotated[
    str, typer.Argument(metavar="TOKENIZER", help="A tokenizer: a file, or its directory.")
]


def diff(
    first: Tokenizer_,
    second: Tokenizer_,
    *,
    every: Annotated[
        bool, typer.Option("--all", help=f"Show each change, not the first {SHOWN} of a kind.")
    ] = False,
    as_json: options.Json = False,
    pattern: options.KnownPattern = None,
    special_token: options.KnownSpecialTokens = None,
    unk_token: options.KnownUnkToken = None,
    initial_alphabet: options.KnownAlphabet = None,
) -> None:
    """Show what has changed from one tokenizer to another.

    $ digram diff tokenizer.json tampered.json

    What is known (--pattern …) is given to each file whose format does not hold it. Exit codes: 0
    nothing has changed, 1 something has, 2 wrong usage. What is kept of training is not compared.
    """
    known = options.Known(pattern, special_token, unk_token, initial_alphabet)
    before, after = (options.open_where_needed(file, known) for file in (first, second))
    found = digram.diff(before, after)
    if as_json:
        changes = [asdict(change) for change in found.changes]
        output.write_json({"same_ids": found.same_ids, "changes": changes})
    else:
        _show(found, len(found.changes) if every else SHOWN)
    if found:
        raise typer.Exit(1)


def _show(found: Difference, most: int) -> None:
    total, seen = Counter(map(_kind, found.changes)), Counter[tuple[str, str]]()
    for change in found.changes:
        kind = _kind(change)
        seen[kind] += 1
        if seen[kind] <= most:
            output.write_line(printable(str(change)).replace("\n", "\\n"))
        if seen[kind] == total[kind] > most:
            output.write_line(
                f"  {kind[0]}: … and {big(total[kind] - most)} more {kind[1]} (--all)"
            )
    told = several(len(found.changes), "change") if found else "no changes"
    ids = "every text has the same ids" if found.same_ids else "the fingerprints differ"
    output.say(f"{told}; {ids}")


def _kind(change: Change) -> tuple[str, str]:
    return change.part, change.kind
