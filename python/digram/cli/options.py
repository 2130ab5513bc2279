"""The options that several commands share, each with one name and one meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

import digram
from digram.cli.known import Known

__all__ = [
    "Files",
    "Format",
    "Json",
    "Lines",
    "Policy",
    "ReadAs",
    "ReadFormat",
    "Special",
    "TokenizerFile",
    "is_named",
    "open_tokenizer",
    "open_where_needed",
]

# What is written; and what is read, GGUF included.
Format: TypeAlias = Literal[
    "tokenizer.json", "tiktoken", "tekken", "gpt2", "subword-nmt", "sentencepiece"
]
ReadFormat: TypeAlias = Literal[Format, "gguf"]
Policy: TypeAlias = Literal["text", "token", "error"]

Files: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="FILE", help="Files to read; '-' is stdin.")
]
TokenizerFile: TypeAlias = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        "-t",
        metavar="PATH",
        help="The tokenizer: a file, a directory, of the hub (hub:ORG/NAME[@REVISION]), or an"
        " encoding of tiktoken by name (o200k_base).",
    ),
]
Special: TypeAlias = Annotated[
    Policy,
    typer.Option("--special", help="What special tokens in the text are: text, tokens, an error."),
]
Lines: TypeAlias = Annotated[
    bool, typer.Option("--lines", help="Each line is a text, with its line end.")
]
ReadAs: TypeAlias = Annotated[
    ReadFormat | None,
    typer.Option("--from", help="The format to read; without it the content tells."),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Write JSON.")]

# Nothing is downloaded unless the name begins so, or is that of an encoding and of no file.
HUB = "hub:"


def is_named(source: str) -> bool:
    """Tell whether a tokenizer is named, of the hub or of tiktoken, and not a path; a file wins.

    >>> is_named("hub:org/model"), is_named("cl100k_base"), is_named("tokenizer.json")
    (True, True, False)
    """
    if source.startswith(HUB):
        return True
    return source in digram.list_encoding_names() and not Path(source).exists()


def open_tokenizer(
    source: str | bytes, known: Known, *, format: ReadFormat | None = None
) -> digram.Tokenizer:
    """Read a tokenizer from a path, by a name, or from the bytes of a file."""
    if isinstance(source, bytes) or not is_named(source):
        return digram.load(source, format=format, **known.keywords())
    if known != Known() or format is not None:
        raise typer.BadParameter(
            f"{source}: the name says what it is; leave out what tells how to read a file"
        )
    if source.startswith(HUB):
        name, _, revision = source.partition("@")
        return digram.from_pretrained(name, revision=revision or None)
    return digram.get_encoding(source)


def open_where_needed(source: str, known: Known) -> digram.Tokenizer:
    """Read a tokenizer; what the user knows is for those alone that do not say it."""
    if known == Known() or is_named(source):
        return open_tokenizer(source, Known())
    try:
        return open_tokenizer(source, known)
    except digram.FormatError:
        raise
    except ValueError:
        return digram.load(source)
