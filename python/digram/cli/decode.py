"""`digram decode`: ids in, the bytes of their texts out."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from digram import DigramError
from digram.cli import options, output
from digram.cli.known import Known, with_known
from digram.cli.reading import STDIN, batches

__all__ = ["decode"]

# No number of 64 bits has more; Python reads no more than some thousands.
DIGITS = 20
# So many characters of a line are made numbers at a time.
PART = 1 << 16


@with_known
def decode(
    tokenizer: options.TokenizerFile,
    files: options.Files = None,
    *,
    skip_special_tokens: Annotated[
        bool, typer.Option("--skip-special-tokens", help="Leave special tokens out.")
    ] = False,
    lines: Annotated[
        bool, typer.Option("--lines", help="Each text is a line: one without a line end gets it.")
    ] = False,
    as_json: options.Json = False,
    known: Known,
) -> None:
    """Turn ids back into the bytes that they stand for.

    $ digram encode -t tokenizer.json < a.txt | digram decode -t tokenizer.json | cmp - a.txt

    Each line holds the ids of one text: numbers with blanks between, a JSON list, or an object of
    `digram encode --json`. Nothing is written between texts; with --lines, what `encode --lines`
    made of lines becomes lines again, also where ids hold no line ends. --json writes an object for
    each text.
    """
    if lines and as_json:
        raise typer.BadParameter("--json writes an object for each text; --lines goes without it")
    write = _write_line if lines else output.write_bytes
    tok = options.open_tokenizer(tokenizer, known)
    for file in files or [STDIN]:
        for batch in batches([file], lines=True):
            for index, line in enumerate(batch.texts):
                ids = _ids(line, batch.place(index))
                try:
                    content = tok.decode_bytes(ids, skip_special_tokens=skip_special_tokens)
                except DigramError as error:
                    raise batch.told(error, index) from None
                output.write_json(_record(content)) if as_json else write(content)
            output.flush()


def _ids(line: str, place: str) -> list[int]:
    r"""Read the ids of a line.

    >>> _ids("1 2\n", "stdin"), _ids("[1, 2]", "stdin"), _ids('{"ids": [1, 2]}', "stdin")
    ([1, 2], [1, 2], [1, 2])
    """
    if line.lstrip()[:1] in ("[", "{"):
        return _json_ids(line, place)
    ids: list[int] = []
    try:
        for part in _parts(line):
            ids.extend(map(NUMBERS.__getitem__, part.split()))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    return ids


class _Numbers(dict[str, int]):
    """Ids by their digits, each read once: most of the time that ids take to read is this."""

    def __missing__(self, word: str) -> int:
        if not (word.isascii() and word.isdecimal()):
            raise ValueError(f"{word[:40]!r} is no id; ids are whole numbers from 0 on")
        if len(word) > DIGITS:
            raise ValueError(f"{word[:40]}… has {len(word)} digits; no id is so large")
        number = self[word] = int(word)
        return number


NUMBERS = _Numbers()


def _parts(line: str) -> Iterator[str]:
    """Cut a line at spaces, so that the words of a long one are never all there."""
    start = 0
    while start < len(line):
        end = line.find(" ", start + PART)
        end = len(line) if end < 0 else end
        yield line[start:end]
        start = end


def _json_ids(line: str, place: str) -> list[int]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place}: not JSON: {error}") from None
    ids = found.get("ids") if isinstance(found, dict) else found
    if not isinstance(ids, list) or any(type(id_) is not int or id_ < 0 for id_ in ids):
        raise ValueError(
            f"{place}: neither a list of ids, whole numbers from 0 on, nor an object with 'ids'"
        )
    return ids


def _write_line(content: bytes) -> None:
    output.write_bytes(content if content.endswith(b"\n") else content + b"\n")


def _record(content: bytes) -> dict[str, Any]:
    """Tell a text; its bytes as well where they are no text."""
    text = content.decode("utf-8", "replace")
    if text.encode() == content:
        return {"text": text}
    return {"text": text, "base64": base64.b64encode(content).decode("ascii")}
