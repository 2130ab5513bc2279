"""The commands, assembled.

Each is loaded when it is asked for: all of them take longer to load than most work takes.
"""

from __future__ import annotations

import contextlib
import functools
import inspect as introspection
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from digram.cli import output
from digram.cli.failures import told

__all__ = ["app", "run"]

# Each is the function of that name in the module of that name.
NAMES = (
    *("train", "words", "encode", "decode", "count"),
    *("inspect", "convert", "prune", "check", "diff", "demo"),
)
# Plain help: quick to come, and the same in every terminal and every pipe.
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
}


class ByName(Mapping[str, Any]):
    """The commands by their names."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        return command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


@functools.cache
def command(name: str) -> Any:
    """Load a command."""
    function = getattr(import_module(f"digram.cli.{name}"), name)
    alone = typer.Typer(**PLAIN)
    alone.command(name, help=help_of(function))(function)
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The commands, each with its failures told and its output seen off."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.commands: Any = ByName()

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


app = typer.Typer(
    cls=Commands,
    name="digram",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **PLAIN,
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


def run() -> None:
    """Run the command line with the arguments of the process."""
    output.speak_utf8()
    app(prog_name="digram")
