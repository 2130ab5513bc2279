"""The options that several commands share, each with one name and one meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

import typer

import digram
from digram.cli.reading import argument

__all__ = [
    "Files",
    "Format",
    "Json",
    "Known",
    "KnownAlphabet",
    "KnownPattern",
    "KnownSpecialTokens",
    "KnownUnkToken",
    "Lines",
    "Policy",
    "ReadAs",
    "ReadFormat",
    "Special",
    "TokenizerFile",
    "open_tokenizer",
    "open_where_needed",
    "with_ids",
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

# What a format cannot hold, to be told along with the file.
KnownPattern: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="NAME|REGEX",
        parser=argument,
        help="How text is split, for formats that do not say (.tiktoken).",
    ),
]
KnownSpecialTokens: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="TOKEN[=ID]",
        parser=argument,
        help="A special token, for formats that do not say. Repeatable.",
    ),
]
KnownUnkToken: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--unk-token", metavar="TOKEN", parser=argument, help="The token for unknown characters."
    ),
]
KnownAlphabet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--initial-alphabet",
        metavar="CHARS",
        parser=argument,
        help="Characters of the alphabet that a codes file does not show.",
    ),
]


@dataclass(frozen=True)
class Known:
    """What the user knows and a format cannot hold."""

    pattern: str | None = None
    special_tokens: Sequence[str] | None = None
    unk_token: str | None = None
    initial_alphabet: str | None = None


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
        pattern=known.pattern,
        special_tokens=with_ids(known.special_tokens or ()),
        unk_token=known.unk_token,
        initial_alphabet=known.initial_alphabet or "",
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


def with_ids(tokens: Sequence[str]) -> dict[str, int] | list[str]:
    """Read `TOKEN=ID`, or `TOKEN` alone; an id is decimal digits after the last equals sign.

    >>> with_ids(["<|end|>=100257", "a=b=7"]), with_ids(["<s>", "x="])
    ({'<|end|>': 100257, 'a=b': 7}, ['<s>', 'x='])
    """
    parts = [token.rpartition("=") for token in tokens]
    ids = {name: int(id_) for name, _, id_ in parts if name and id_.isascii() and id_.isdecimal()}
    if ids and len(ids) < len(tokens):
        raise typer.BadParameter(
            "give each special token an id, once (TOKEN=ID), or none of them",
            param_hint="--special-token",
        )
    return ids or list(tokens)
