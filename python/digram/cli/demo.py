"""`digram demo`: everything once, on real text, checked as it goes."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

import digram
from digram import Tokenizer
from digram.cli import options, output, progress
from digram.cli.figures import big, rate, seconds, size
from digram.cli.inspect_tokenizer import merge_lines, merges_at
from digram.cli.python_files import PythonFiles, python_files
from digram.cli.visible import printable

__all__ = ["demo"]

SAMPLE = 'for word, count in sorted(words.items()):  print(f"naïve {word} 東京 سلام 🙂")'
SHOWN_MERGES = 5
# Texts handed over at once: enough for all cores, few enough for a bar that moves.
BATCH = 64


def demo(
    *,
    folder: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Where tokenizer.json goes.")
    ] = "digram-demo",
    vocab_size: Annotated[int, typer.Option(min=0, metavar="N", help="How many tokens.")] = 8000,
    as_json: options.Json = False,
) -> None:
    """Train on Python's standard library, use the tokenizer, and check it byte for byte.

    $ digram demo
    $ digram demo --vocab-size 32000 --output /tmp/demo

    Saves DIR/tokenizer.json, loads it, encodes and decodes the whole corpus, and fails where one
    byte comes back changed.
    """
    tell = _nothing if as_json else _tell
    path = _room(Path(folder)) / "tokenizer.json"
    corpus = _gathered(tell)
    trained, learning = _trained(corpus, vocab_size, tell)
    tok = _saved_and_loaded(trained, path, tell)
    rows, encoding = _encoded(tok, corpus, tell)
    decoding = _check_decoding(tok, corpus, rows, tell)
    if not as_json:
        _show(tok, path)
        return
    output.write_json(
        {
            "file": str(path),
            "vocab_size": tok.vocab_size,
            "corpus": str(corpus.folder),
            "files": len(corpus.paths),
            "left_out": {str(other): why for other, why in corpus.others.items()},
            "bytes": corpus.size,
            "tokens": sum(map(len, rows)),
            "seconds": {
                "train": round(learning, 3),
                "encode": round(encoding, 3),
                "decode": round(decoding, 3),
            },
            "round_trip": "exact",
            "first_merges": merges_at(tok, range(len(tok.merges))[:SHOWN_MERGES]),
            "last_merges": merges_at(tok, range(len(tok.merges))[-SHOWN_MERGES:]),
        }
    )


def _tell(line: str) -> None:
    output.write_line(printable(line))
    output.flush()


def _nothing(_: str) -> None:
    """Say nothing: JSON comes at the end."""


Tell = Callable[[str], None]


def _room(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _gathered(tell: Tell) -> PythonFiles:
    corpus = python_files()
    files = f"{big(len(corpus.paths))} files of Python"
    tell(f"corpus   {files}, {size(corpus.size)}, from {corpus.folder}")
    if corpus.others:
        tell(f"         left out, because they are not UTF-8: {len(corpus.others)}")
    for path, why in corpus.others.items():
        tell(f"           {path.relative_to(corpus.folder)}: {why}")
    return corpus


def _trained(corpus: PythonFiles, vocab_size: int, tell: Tell) -> tuple[Tokenizer, float]:
    started = time.perf_counter()
    with progress.training(wanted=True) as bar:
        tok = digram.train(digram.corpus(corpus.paths), vocab_size=vocab_size, progress=bar)
    took = time.perf_counter() - started
    tell(
        f"trained  {big(tok.vocab_size)} tokens, {big(len(tok.merges))} of them by merges,"
        f" in {seconds(took)} ({rate(corpus.size, took)})"
    )
    return tok, took


def _saved_and_loaded(trained: Tokenizer, path: Path, tell: Tell) -> Tokenizer:
    trained.save(path)
    tok = digram.load(path)
    if tok != trained:
        raise ValueError(f"{path}: holds another tokenizer than was saved; please report it")
    tell(f"saved    {path}, {size(path.stat().st_size)}; loaded again, and the same")
    return tok


def _encoded(tok: Tokenizer, corpus: PythonFiles, tell: Tell) -> tuple[list[list[int]], float]:
    started = time.perf_counter()
    rows: list[list[int]] = []
    with progress.bytes_done("encoding", corpus.size) as advance:
        for first in range(0, len(corpus.texts), BATCH):
            part = slice(first, first + BATCH)
            rows += tok.encode_batch(corpus.texts[part])
            advance(sum(path.stat().st_size for path in corpus.paths[part]))
    took, count = time.perf_counter() - started, sum(map(len, rows))
    tell(
        f"encoded  {big(count)} tokens in {seconds(took)} ({rate(corpus.size, took)}),"
        f" {corpus.size / max(count, 1):.2f} bytes per token"
    )
    return rows, took


def _check_decoding(
    tok: Tokenizer, corpus: PythonFiles, rows: list[list[int]], tell: Tell
) -> float:
    started = time.perf_counter()
    for path, text, ids in zip(corpus.paths, corpus.texts, rows, strict=True):
        if tok.decode_bytes(ids) != text.encode():
            raise ValueError(f"{path}: comes back changed from its ids; please report it")
    took = time.perf_counter() - started
    tell(
        f"decoded  {size(corpus.size)} in {seconds(took)} ({rate(corpus.size, took)}),"
        " every byte as it was"
    )
    return took


def _show(tok: Tokenizer, path: Path) -> None:
    """Show what was learned, and how to go on."""
    from digram.cli.display import screen, token_line

    ranks = range(len(tok.merges))
    output.write_line(f"\nfirst merges\n{merge_lines(tok, merges_at(tok, ranks[:SHOWN_MERGES]))}")
    output.write_line(f"\nlast merges\n{merge_lines(tok, merges_at(tok, ranks[-SHOWN_MERGES:]))}")
    output.write_line("\na line as it sees it (␣ is a space, \\x.. a byte)")
    output.flush()
    console = screen()
    console.print(token_line([tok.tokens[id_] for id_ in tok.encode(SAMPLE)], console))
    name, run = shlex.quote(str(path)), _command()
    output.write_line(
        "\nnow try\n"
        f"  {run} inspect {name}\n"
        f"  {run} inspect -t {name} 'any text you like'\n"
        f"  echo 'any text you like' | {run} encode -t {name} | {run} decode -t {name}"
    )


def _command() -> str:
    """Return what runs this command: its path, where no folder of PATH has it."""
    given = Path(sys.argv[0])
    return "digram" if shutil.which("digram") or given.stem != "digram" else shlex.quote(str(given))
