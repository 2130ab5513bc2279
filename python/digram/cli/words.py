"""`digram words`: how often each word occurs, for training later or elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

import digram
from digram.cli import output, progress, saving
from digram.cli import training_options as told
from digram.cli.figures import big
from digram.cli.texts import Texts, tell_skipped, with_texts

__all__ = ["words"]


@with_texts
def words(
    corpus: told.Corpus = None,
    *,
    target: told.Target = saving.STDOUT,
    pattern: told.Pattern = None,
    normalizer: told.Normalizer = None,
    special_token: told.SpecialTokens = None,
    min_count: Annotated[
        int, typer.Option(min=1, metavar="N", help="Leave out words that occur less often.")
    ] = 1,
    top: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Only the N most frequent words.")
    ] = None,
    threads: told.Threads = None,
    max_memory: told.MaxMemory = None,
    counts: told.Counted = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
    texts: Texts,
) -> None:
    """Count the words of a corpus, to be added up and learned from later.

    $ digram words part-1/ -o 1.parquet
    $ digram train --counts *.parquet --vocab-size 32000 -o tokenizer.json

    A .parquet file also says how text was split. Anything else is TSV: a word, a tab and its
    count, in which a backslash begins an escape.
    """
    if counts and special_token:
        raise typer.BadParameter("--special-token cuts texts, and --counts takes counted words")
    if target != saving.STDOUT:
        saving.check_files(target)
    splitting = {"pattern": pattern, "normalizer": normalizer} if counts else None
    with (
        texts.opened(corpus, splitting) as found,
        progress.training(wanted=not quiet) as tell,
    ):
        counted = found
        if not isinstance(counted, digram.WordCounts):
            saving.check_apart(counted.files, output=target)
            counted = digram.count(
                counted,
                pattern=pattern,
                normalizer=normalizer,
                special_tokens=special_token or (),
                threads=threads,
                progress=tell,
                max_memory=max_memory,
            )
    counted = counted.filter(min_count=min_count)
    _save(counted if top is None else counted.top(top), target)
    if not quiet:
        output.say(f"{big(counted.total)} words, {big(len(counted))} different")
        tell_skipped(found)


def _save(counted: digram.WordCounts, target: str) -> None:
    if target != saving.STDOUT:
        counted.save(target)
        return
    with tempfile.TemporaryDirectory(prefix="digram-") as folder:
        path = Path(folder, "words.tsv")
        counted.save(path)
        output.write_bytes(path.read_bytes())
