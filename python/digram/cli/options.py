"""The options that several commands share, each with one name and one meaning."""

from __future__ import annotations

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
        help="The tokenizer: a file, a directory, or of the hub: hub:ORG/NAME[@REVISION].",
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

# Nothing is downloaded unless the name begins so.
HUB = "hub:"


def open_tokenizer(
    source: str | bytes, known: Known, *, format: ReadFormat | None = None
) -> digram.Tokenizer:
    """Read a tokenizer from a path, from the hub, or from the bytes of a file."""
    if isinstance(source, str) and source.startswith(HUB):
        if known != Known() or format is not None:
            raise typer.BadParameter(f"{source}: a model of the hub says itself what it is")
        name, _, revision = source.partition("@")
        return digram.from_pretrained(name, revision=revision or None)
    return digram.load(
        source,
        format=format,
        **known.keywords(),
    )


def open_where_needed(source: str, known: Known) -> digram.Tokenizer:
    """Read a tokenizer; what the user knows is for those files alone that do not hold it."""
    if known == Known():
        return digram.load(source)
    try:
        return open_tokenizer(source, known)
    except digram.FormatError:
        raise
    except ValueError:
        return digram.load(source)
