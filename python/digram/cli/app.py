"""The commands, assembled."""

from __future__ import annotations

import contextlib
import inspect as introspection
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from digram.cli import (
    check,
    convert,
    count,
    decode,
    demo,
    diff,
    encode,
    inspect,
    output,
    train,
    words,
)
from digram.cli.failures import told

__all__ = ["app", "run"]


class Commands(TyperGroup):
    """The commands, each with its failures told and its output seen off."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Read what stands before the command: the help and the version are written here."""
        with _seen_off():
            try:
                return super().make_context(*given, **named)
            except typer.Exit:
                output.stdout()  # of which help makes nothing where it is closed
                raise

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _seen_off():
            return super().invoke(ctx)


@contextlib.contextmanager
def _seen_off() -> Iterator[None]:
    with told():
        try:
            yield
        except typer.Exit:
            output.flush()
            raise
        output.flush()


def help_of(command: Callable[..., None]) -> str:
    """Return a docstring as help: its examples, the paragraphs that begin with $, keep their lines.

    >>> help_of(lambda: None)
    ''
    """
    paragraphs = introspection.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(
        "\b\n" + paragraph if paragraph.startswith("$ ") else paragraph for paragraph in paragraphs
    )


# Plain help: quick to come, and the same in every terminal and every pipe.
app = typer.Typer(
    cls=Commands,
    name="digram",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # slow to load, and rarely asked for

        output.write_line(f"digram {version('digram')}")
        raise typer.Exit


def about(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Byte-pair encoding: train a tokenizer, use it, look into it.

    $ digram demo
    $ digram train corpus/*.txt --vocab-size 32000 -o tokenizer.json
    $ echo "hello world" | digram encode -t tokenizer.json

    A tokenizer is a file, a directory, or a name: hub:ORG/NAME is a model of the hub; o200k_base
    and the like are encodings of tiktoken, where there is no file of that name. What the caches do
    not have of a name is downloaded; the path of a tokenizer never opens a network.

    Data goes to stdout, everything else to stderr. Exit codes: 0 success, 1 failure, 2 wrong
    usage, 130 interrupted; check and diff answer with 0 or 1, and their failures end with 2.
    """


app.callback(help=help_of(about))(about)
for command in (
    train.train,
    words.words,
    encode.encode,
    decode.decode,
    count.count,
    inspect.inspect,
    convert.convert,
    check.check,
    diff.diff,
    demo.demo,
):
    app.command(help=help_of(command))(command)


def run() -> None:
    """Run the command line with the arguments of the process."""
    output.speak_utf8()
    app(prog_name="digram")
