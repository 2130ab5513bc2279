"""The options that say how a corpus is read, and the corpus that they make."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Annotated, Any, Literal

import typer

import digram
from digram.cli import output
from digram.cli.figures import several
from digram.cli.known import grouped
from digram.cli.reading import STDIN, argument, spooled

__all__ = ["Texts", "tell_skipped", "with_texts"]

# Of skipped records so many are shown.
SHOWN = 3
# The longest field of CSV: nobody at a shell can say that a longer one is meant.
LONGEST = 2**31 - 1


def byte_count(given: str) -> int:
    """Read a number of bytes, as the library does: `1500`, `500kB`, `2GB`, `1GiB`.

    >>> byte_count("1500"), byte_count("2.5 kB"), byte_count("1gb"), byte_count("2MiB")
    (1500, 2500, 1000000000, 2097152)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:([KMGT])(I?))?B?", given, re.IGNORECASE)
    if found is None:
        raise typer.BadParameter(f"{given!r} is no number of bytes; write 500MB, or 500000000")
    unit = 1024 if found[3] else 1000
    return int(Fraction(found[1]) * unit ** " KMGT".index((found[2] or " ").upper()))


@dataclass(frozen=True)
class Texts:
    """How a corpus is read: what `digram.corpus` takes, as the shell spells it."""

    documents: Annotated[
        Literal["file", "line"],
        typer.Option(help="What one text is in plain text; a line keeps its end."),
    ] = "file"
    separator: Annotated[
        str | None,
        typer.Option(metavar="TEXT", parser=argument, help="What stands between texts instead."),
    ] = None
    field: Annotated[
        str,
        typer.Option(
            metavar="NAME", parser=argument, help="The field or column that is text; a.b too."
        ),
    ] = "text"
    source: Annotated[
        Literal["text", "jsonl", "json", "csv", "tsv", "parquet", "arrow"] | None,
        typer.Option("--from", help="How files are read; without it their names tell."),
    ] = None
    errors: Annotated[
        Literal["refuse", "skip"],
        typer.Option(help="What becomes of a record that cannot be read."),
    ] = "refuse"
    sample: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Learn from this share of the texts, as 0.1."),
    ] = None
    seed: Annotated[int, typer.Option(metavar="N", help="Another seed, another sample.")] = 0
    limit_bytes: Annotated[
        int | None,
        typer.Option(metavar="SIZE", parser=byte_count, help="Read so much text, as 500MB."),
    ] = None

    @contextlib.contextmanager
    def opened(
        self, given: Sequence[str] | None, counted: Mapping[str, Any] | None
    ) -> Iterator[digram.Corpus | digram.WordCounts]:
        """Name the corpus; or add up word counts, where it is told how they came about."""
        if counted is not None and self != Texts():
            raise typer.BadParameter(
                "--counts takes words that are counted; no option that says how to read texts goes"
                " with it"
            )
        csv.field_size_limit(LONGEST)
        named = list(given or [STDIN])
        # What is skipped is told later, by the name that the file still has then.
        with contextlib.nullcontext(named) if self.errors == "skip" else spooled(named) as paths:
            if counted is not None:
                yield reduce(add, (digram.WordCounts.load(path, **counted) for path in paths))
                return
            yield digram.corpus(
                paths,
                documents=self.documents,
                separator=self.separator,
                field=self.field,
                format=self.source,
                errors=self.errors,
                sample=self.sample,
                seed=self.seed,
                limit_bytes=self.limit_bytes,
            )


with_texts = grouped("texts", Texts)


def tell_skipped(found: digram.Corpus | digram.WordCounts) -> None:
    """Tell which records were skipped, if any were."""
    if isinstance(found, digram.WordCounts) or not found.skipped:
        return
    output.say(f"skipped {several(found.skipped.count, 'record')} that could not be read:")
    for bad in found.skipped.first[:SHOWN]:
        output.say(f"  {bad}")
