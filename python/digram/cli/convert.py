"""`digram convert`: one format in, another out, with the proof that both are the same."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

import digram
from digram.cli import options, output, saving
from digram.cli.figures import big, several, size
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, batches, opened

__all__ = ["convert"]

# How the library calls a file that has no name.
NAMELESS = "<bytes>"


@with_known
def convert(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="The tokenizer: a file, a directory, a name (hub:ORG/NAME, o200k_base), or '-'.",
        ),
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="The file to write, the directory (which is there, or DIR/), or '-'.",
        ),
    ],
    *,
    to: Annotated[
        options.Format | None,
        typer.Option("--to", help="The format to write; without it OUT's name tells."),
    ] = None,
    read_as: options.ReadAs = None,
    text: Annotated[
        list[str] | None,
        typer.Option("--text", metavar="FILE", help="Compare on this text too. Repeatable."),
    ] = None,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Write a tokenizer in another format, if what is written gives the same ids and texts.

    A directory gets tokenizer.json and what stood beside the tokenizer: settings, chat templates.

    $ digram convert cl100k_base.tiktoken tokenizer.json --pattern cl100k
    $ digram convert tokenizer.json folder --to gpt2 --text corpus.txt

    The files are read back and compared with the original before they come to their place: on texts
    made of every token, on texts from all over Unicode, and on the texts given, as a whole and by
    line. The first that differs is shown, and nothing is written.
    """
    saving.check_target(target, to, as_json=as_json)
    if target != saving.STDOUT and os.path.realpath(target) in map(
        os.path.realpath, [source, *(text or [])]
    ):
        raise ValueError(f"OUT is {target!r}, which is read too; name another file")
    tok = _opened(source, known, read_as)
    texts = (each for batch in batches(text or [], lines=False) for each in batch.texts)
    proof = saving.convert(tok, target, to, texts)
    needed = saving.needed_to_read(tok, proof)
    if as_json:
        output.write_json(_record(proof, target, to, tok.vocab_size, needed))
        return
    name = "stdout" if target == saving.STDOUT else target
    output.say(f"{name}: written, {big(tok.vocab_size)} tokens")
    output.say(_compared(proof))
    if needed:
        output.say(f"the format does not hold everything; to read it again, add {needed}")


def _record(
    proof: digram.Proof, target: str, to: options.Format | None, vocab_size: int, needed: str | None
) -> dict[str, Any]:
    return {
        "file": target,
        "format": to,
        "vocab_size": vocab_size,
        "needed_to_read": needed,
        "probes": proof.probes,
        "texts": proof.texts,
        "bytes": proof.compared,
        "fingerprint": proof.fingerprint,
        "fingerprint_read": proof.fingerprint_read,
    }


def _compared(proof: digram.Proof) -> str:
    """Say what was compared.

    >>> _compared(digram.Proof((), 1000, 2, 34567, "ab", "ab"))
    'compared: 1,000 probes and 2 texts, 34.6 kB; ids and texts are the same, fingerprint ab'
    """
    texts = f" and {several(proof.texts, 'text')}" if proof.texts else ""
    same = f"fingerprint {proof.fingerprint}"
    if proof.fingerprint != proof.fingerprint_read:
        same = f"fingerprint {proof.fingerprint} before, {proof.fingerprint_read} after"
    return (
        f"compared: {several(proof.probes, 'probe')}{texts}, {size(proof.compared)};"
        f" ids and texts are the same, {same}"
    )


def _opened(source: str, known: Known, read_as: options.ReadFormat | None) -> digram.Tokenizer:
    """Read a tokenizer from a path, by a name, or from stdin for `-`."""
    if source != STDIN:
        return options.open_tokenizer(source, known, format=read_as)
    with opened(STDIN) as stream:
        content = stream.read()
    try:
        return options.open_tokenizer(content, known, format=read_as)
    except (digram.FormatError, digram.LimitError) as error:  # the library knows no name for it
        said = str(error)
        if not said.startswith(NAMELESS):
            raise
        raise type(error)(f"stdin{said.removeprefix(NAMELESS)}") from None
