"""Options that come in groups; and one that many commands share: what a format cannot hold."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints

import typer

from digram.cli.reading import argument

__all__ = ["Known", "grouped", "with_ids", "with_known"]


@dataclass(frozen=True)
class Known:
    """What the user knows and a format cannot hold, each as the command line asks for it."""

    pattern: Annotated[
        str | None,
        typer.Option(
            "--pattern",
            metavar="NAME|REGEX",
            parser=argument,
            help="How text is split, for formats that do not say (.tiktoken, vocab.json);"
            " names are those of patterns, and BertPreTokenizer, UnicodeScripts, Whitespace,"
            " WhitespaceSplit.",
        ),
    ] = None
    special_token: Annotated[
        list[str] | None,
        typer.Option(
            "--special-token",
            metavar="TOKEN[=ID]",
            parser=argument,
            help="A special token, for formats that do not say. Repeatable.",
        ),
    ] = None
    unk_token: Annotated[
        str | None,
        typer.Option(
            "--unk-token",
            metavar="TOKEN",
            parser=argument,
            help="The token for unknown characters.",
        ),
    ] = None
    initial_alphabet: Annotated[
        str | None,
        typer.Option(
            "--initial-alphabet",
            metavar="CHARS",
            parser=argument,
            help="Characters of the alphabet that a codes file does not show.",
        ),
    ] = None
    vocabulary: Annotated[
        str | None,
        typer.Option(
            "--vocabulary",
            metavar="PATH",
            parser=argument,
            help="For codes: tokens and counts; what is not among them is taken apart again.",
        ),
    ] = None
    vocabulary_threshold: Annotated[
        int | None,
        typer.Option(
            "--vocabulary-threshold",
            metavar="N",
            help="Leave out tokens of the vocabulary whose count is below N.",
        ),
    ] = None
    glossary: Annotated[
        list[str] | None,
        typer.Option(
            "--glossary",
            metavar="TEXT|REGEX",
            parser=argument,
            help="For codes: what is kept whole in words. Repeatable.",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return it as `digram.load` takes it."""
        return {
            "pattern": self.pattern,
            "special_tokens": with_ids(self.special_token or ()),
            "unk_token": self.unk_token,
            "initial_alphabet": self.initial_alphabet or "",
            "vocabulary": self.vocabulary,
            "vocabulary_threshold": self.vocabulary_threshold,
            "glossaries": self.glossary or (),
        }


def grouped(name: str, group: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each field of a dataclass, in the place of one argument.

    The options have the annotations and the defaults of the fields.
    """
    asked = get_type_hints(group, include_extras=True)
    defaults = {field.name: field.default for field in fields(group)}
    kind = inspect.Parameter.KEYWORD_ONLY

    def give(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True).parameters

        @functools.wraps(command)
        def asking(**given: Any) -> None:
            options = group(**{field: given.pop(field) for field in asked})
            command(**given, **{name: options})

        parameters = [each for each in own.values() if each.name != name]
        parameters += [
            inspect.Parameter(field, kind, default=defaults[field], annotation=hint)
            for field, hint in asked.items()
        ]
        # what typer reads
        asking.__annotations__ = {each.name: each.annotation for each in parameters}
        vars(asking)["__signature__"] = inspect.Signature(parameters)
        return asking

    return give


with_known = grouped("known", Known)


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
