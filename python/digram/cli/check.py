"""`digram check`: what is wrong with a tokenizer's file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

import digram
from digram import Finding
from digram.cli import options, output
from digram.cli.figures import big, several
from digram.cli.visible import printable

__all__ = ["check"]

# Of one kind, so many are shown: enough to see what is the matter.
SHOWN = 5


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The tokenizer: a file, or its directory.")
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
    pattern: options.KnownPattern = None,
    special_token: options.KnownSpecialTokens = None,
    unk_token: options.KnownUnkToken = None,
    initial_alphabet: options.KnownAlphabet = None,
) -> None:
    """Look for what is wrong with a tokenizer's file, each finding under a code.

    $ digram check tokenizer.json
    $ digram check cl100k_base.tiktoken --pattern cl100k

    A sound file has no findings. Exit codes: 0 no errors (with --strict, no warnings either), 1
    errors, 2 wrong usage. docs/checking.md lists the codes, and what to do about each.
    """
    found = digram.check(
        file,
        notes=notes,
        format=read_as,
        pattern=pattern,
        special_tokens=options.with_ids(special_token or ()),
        unk_token=unk_token,
        initial_alphabet=initial_alphabet or "",
    )
    times = Counter(each.severity for each in found)
    if as_json:
        counts = {f"{severity}s": times[severity] for severity in ("error", "warning", "note")}
        output.write_json({"file": file, "findings": [asdict(each) for each in found], **counts})
    else:
        _show(found, SHOWN if not every else len(found))
        told = [several(times[kind], kind) for kind in ("error", "warning", "note") if times[kind]]
        output.say(f"{file}: {', '.join(told) or 'no findings'}")
    if times["error"] or (strict and times["warning"]):
        raise typer.Exit(1)


def _show(found: Sequence[Finding], most: int) -> None:
    """Write a line for each finding, and how many more there are of a kind."""
    total = Counter((each.severity, each.code) for each in found)
    shown: Counter[tuple[str, str]] = Counter()
    for each in found:
        kind = (each.severity, each.code)
        shown[kind] += 1
        if shown[kind] <= most:
            output.write_line(printable(str(each)).replace("\n", "\\n"))
        if shown[kind] == total[kind] > most:
            more = big(total[kind] - most)
            output.write_line(f"{each.severity} {each.code}: … and {more} more (--all)")
