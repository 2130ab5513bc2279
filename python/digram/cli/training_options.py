"""The options of `digram train`: the keywords of `digram.train`, as the shell spells them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

import typer

from digram.cli.options import Format
from digram.cli.reading import argument

__all__ = [
    "Apart",
    "ByteFallback",
    "CharacterCoverage",
    "Checkpoint",
    "Corpus",
    "Counted",
    "EndOfWord",
    "Extend",
    "Forbidden",
    "ForbiddenPatterns",
    "FuseUnk",
    "InitialAlphabet",
    "LimitAlphabet",
    "Marker",
    "MaxDigits",
    "MaxMemory",
    "MaxTokenLength",
    "MinFrequency",
    "Normalizer",
    "NumMerges",
    "Pattern",
    "Plot",
    "Report",
    "Required",
    "SpecialTokens",
    "Svg",
    "Target",
    "TargetFormat",
    "Threads",
    "Ties",
    "Units",
    "UnkToken",
    "VocabSize",
]


def regex(given: str) -> re.Pattern[str]:
    """Return a regular expression of the command line, compiled."""
    try:
        return re.compile(argument(given))
    except re.error as error:
        raise typer.BadParameter(f"{given!r} does not compile: {error}") from None


Corpus: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CORPUS", help="Files, folders, globs and addresses to learn from; '-' is stdin."
    ),
]
Target: TypeAlias = Annotated[
    str, typer.Option("--output", "-o", metavar="PATH", help="What to write; '-' is stdout.")
]
TargetFormat: TypeAlias = Annotated[
    Format | None,
    typer.Option("--format", help="The format to write; without it PATH's name tells."),
]
VocabSize: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many tokens, special ones and bytes included."),
]
NumMerges: TypeAlias = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="How many merges.")
]
Units: TypeAlias = Annotated[Literal["bytes", "chars"], typer.Option(help="What words consist of.")]
Pattern: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|REGEX",
        parser=argument,
        help="What splits text into words. Default: o200k, or of train whitespace with a marker."
        " Names are those of patterns, and BertPreTokenizer, UnicodeScripts, Whitespace,"
        " WhitespaceSplit.",
    ),
]
Normalizer: TypeAlias = Annotated[
    Literal["NFC", "NFD", "NFKC", "NFKD", "Lowercase"] | None,
    typer.Option(help="What is done to the text first."),
]
SpecialTokens: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        "--special",
        metavar="TOKEN",
        parser=argument,
        help="A special token, cut out of the text. Repeatable.",
    ),
]
MinFrequency: TypeAlias = Annotated[
    int, typer.Option(min=0, metavar="N", help="How often a pair must occur to be merged.")
]
Ties: TypeAlias = Annotated[
    Literal["smallest-ids", "first-seen", "largest-strings", "smallest-strings", "shortest"],
    typer.Option(help="Which of equally frequent pairs is merged first."),
]
EndOfWord: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="TEXT", parser=argument, help="A marker at the end of words, as </w>."),
]
Marker: TypeAlias = Annotated[
    Literal["separate", "attached"],
    typer.Option(help="The marker is a symbol of its own, or part of the last one."),
]
UnkToken: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="TOKEN", parser=argument, help="The token for unknown characters."),
]
FuseUnk: TypeAlias = Annotated[
    bool, typer.Option("--fuse-unk", help="One unknown token for a run of such characters.")
]
ByteFallback: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--byte-fallback",
        help="Spell characters outside the vocabulary in bytes, which get tokens.",
    ),
]
MaxTokenLength: TypeAlias = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="The most units that a token may have.")
]
Forbidden: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--forbid", metavar="TEXT", parser=argument, help="No merge makes this token. Repeatable."
    ),
]
ForbiddenPatterns: TypeAlias = Annotated[
    list[Any] | None,
    typer.Option(
        "--forbid-matching",
        metavar="REGEX",
        parser=regex,
        help="No merge makes a token in which this is found. Repeatable.",
    ),
]
Required: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="TEXT",
        parser=argument,
        help="This is a token for certain; its merges come first. Repeatable.",
    ),
]
Apart: TypeAlias = Annotated[
    list[Any] | None,
    typer.Option(
        metavar="[characters|digits|scripts|sentencepiece|sentencepiece-scripts|"
        "sentencepiece-scripts-with-digits|spaces]",
        parser=argument,
        help="What no merge joins with anything else. Repeatable.",
    ),
]
MaxDigits: TypeAlias = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="The most digits that a token may have.")
]
InitialAlphabet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CHARS",
        parser=argument,
        help="Base symbols besides those seen; 'seen' for no others.",
    ),
]
LimitAlphabet: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The most characters that are base symbols; --unk-token stands for others.",
    ),
]
CharacterCoverage: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="PART",
        help="The most frequent characters are base symbols, until they are this part of the text.",
    ),
]
Extend: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TOKENIZER",
        parser=argument,
        help="A tokenizer to go on from, named as for --tokenizer elsewhere: its ids stay, text is"
        " split as it splits it, and of the sizes --num-merges counts what is new.",
    ),
]
Threads: TypeAlias = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Threads. Default: one per core.")
]
MaxMemory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="How much memory counting may take, as 2GB; the rest goes to TMPDIR."
    ),
]
Counted: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--counts", help="CORPUS is word counts, parquet or TSV, to be added: see digram words."
    ),
]
Checkpoint: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--checkpoint",
        metavar="PATH",
        help="Keep the merges so far in this file, and go on from it if it is there.",
    ),
]
Plot: TypeAlias = Annotated[
    bool, typer.Option("--plot", help="Draw bytes per token by vocabulary size, on stderr.")
]
Svg: TypeAlias = Annotated[
    str | None, typer.Option("--svg", metavar="PATH", help="Draw the same into an SVG file.")
]
Report: TypeAlias = Annotated[
    str | None,
    typer.Option("--report", metavar="PATH", help="Write a table of all merges: CSV, or .parquet."),
]
