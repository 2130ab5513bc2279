"""`digram diff`: what has changed between two tokenizers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

import digram
from digram.cli import options, output
from digram.cli.failures import answering, verdict
from digram.cli.figures import several
from digram.cli.known import Known, with_known

__all__ = ["diff"]

# Of one part and kind, so many are shown: enough to see what is the matter.
SHOWN = 10
Tokenizer_ = Annotated[
    str, typer.Argument(metavar="TOKENIZER", help="A tokenizer: a file, its directory, or a name.")
]


@with_known
@answering
def diff(
    first: Tokenizer_,
    second: Tokenizer_,
    *,
    every: Annotated[
        bool, typer.Option("--all", help=f"Show each change, not the first {SHOWN} of a kind.")
    ] = False,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Show what has changed from one tokenizer to another.

    $ digram diff tokenizer.json tampered.json

    What is known (--pattern …) is given to each file whose format does not hold it. What is kept of
    training is not compared. Exit codes, as those of cmp: 0 nothing has changed, 1 something has, 2
    trouble: a file that cannot be read, or wrong usage.
    """
    before, after = (options.open_where_needed(file, known) for file in (first, second))
    found = digram.diff(before, after)
    with verdict(1 if found else 0):
        _write(found, every=every, as_json=as_json)


def _write(found: digram.Difference, *, every: bool, as_json: bool) -> None:
    if as_json:
        changes = [asdict(change) for change in found.changes]
        output.write_json({"same_ids": found.same_ids, "changes": changes})
        return
    lines = [(f"{change.part}, {change.kind}", change) for change in found.changes]
    output.write_first(len(found.changes) if every else SHOWN, lines)
    told = several(len(found.changes), "change") if found else "no changes"
    ids = "every text has the same ids" if found.same_ids else "the fingerprints differ"
    output.say(f"{told}; {ids}")
