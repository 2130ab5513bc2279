"""`digram check`: what is wrong with a tokenizer's file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

import digram
from digram.cli import options, output
from digram.cli.failures import answering, verdict
from digram.cli.figures import several
from digram.cli.known import Known, with_known
from digram.cli.spoken import spoken

__all__ = ["check"]

# Of one kind, so many are shown: enough to see what is the matter.
SHOWN = 5


@with_known
@answering
def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The tokenizer: a file, its directory, or a name.")
    ],
    *,
    notes: Annotated[
        bool, typer.Option("--notes", help="Show also what is usual and worth knowing.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    every: Annotated[
        bool, typer.Option("--all", help=f"Show each finding, not the first {SHOWN} of a kind.")
    ] = False,
    as_json: options.Json = False,
    read_as: options.ReadAs = None,
    known: Known,
) -> None:
    """Look for what is wrong with a tokenizer's file, each finding under a code.

    $ digram check tokenizer.json
    $ digram check cl100k_base.tiktoken --pattern cl100k

    A sound file has no findings. docs/checking.md lists the codes, and what to do about each. Exit
    codes, as those of cmp: 0 no errors (with --strict, no warnings either), 1 errors, 2 trouble: no
    file that can be checked, or wrong usage.
    """
    is_named = options.is_named(file)
    found = digram.check(
        options.open_tokenizer(file, known, format=read_as) if is_named else file,
        notes=notes,
        format=read_as,
        **known.keywords(),
    )
    failed = {"error", "warning"} if strict else {"error"}
    with verdict(1 if any(each.severity in failed for each in found) else 0):
        _write(found, file, every=every, as_json=as_json)


def _write(found: Sequence[digram.Finding], file: str, *, every: bool, as_json: bool) -> None:
    times = Counter(each.severity for each in found)
    if as_json:
        counts = {f"{severity}s": times[severity] for severity in ("error", "warning", "note")}
        output.write_json({"file": file, "findings": [asdict(each) for each in found], **counts})
        return
    lines = [(f"{each.severity} {each.code}", spoken(str(each))) for each in found]
    output.write_first(len(found) if every else SHOWN, lines)
    told = [several(times[kind], kind) for kind in ("error", "warning", "note") if times[kind]]
    output.say(f"{file}: {', '.join(told) or 'no findings'}")
