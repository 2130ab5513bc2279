"""`digram prune`: a smaller vocabulary for a corpus that uses little of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import digram
from digram.cli import options, output, progress, saving
from digram.cli import training_options as told
from digram.cli.figures import big
from digram.cli.known import Known
from digram.cli.reading import argument
from digram.cli.texts import Texts, tell_skipped, with_texts

__all__ = ["prune"]


@with_texts
def prune(
    tokenizer: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="The tokenizer: a file, a directory, or a name (o200k_base)."
        ),
    ],
    corpus: told.Corpus = None,
    *,
    vocab_size: Annotated[int, typer.Option(min=0, metavar="N", help="How many tokens stay.")],
    target: told.Target = saving.STDOUT,
    to: told.TargetFormat = None,
    rows: Annotated[
        str | None,
        typer.Option(
            "--rows",
            metavar="FILE",
            parser=argument,
            help="Write the old id of each new one, as a JSON list: the rows of an embedding.",
        ),
    ] = None,
    threads: told.Threads = None,
    max_memory: told.MaxMemory = None,
    counts: told.Counted = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
    texts: Texts,
) -> None:
    """Remove the tokens that a corpus uses least, until a vocabulary has a size.

    $ digram prune llama/tokenizer.json 'zh/*.txt' --vocab-size 20000 -o small.json --rows rows.json

    Only tokens that are part of no other go; special tokens and single units stay. New ids are in
    the order of the old ones, and a word in which no removed token was used is encoded as before.
    """
    saving.check_target(target, to, rows, as_json=False)
    tok = options.open_tokenizer(tokenizer, Known())
    with (
        texts.opened(corpus, {} if counts else None) as found,
        progress.training(wanted=not quiet) as tell,
    ):
        read = corpus or [] if isinstance(found, digram.WordCounts) else found.files
        saving.check_apart([tokenizer, *read], output=target, rows=rows)
        small, ids = digram.prune(
            tok, found, vocab_size=vocab_size, threads=threads, progress=tell, max_memory=max_memory
        )
    saving.save(small, target, to)
    if rows is not None:
        Path(rows).write_text(json.dumps(list(ids)), encoding="utf-8")
    if not quiet:
        output.say(f"{big(tok.vocab_size)} tokens before, {big(small.vocab_size)} now")
        tell_skipped(found)
