"""Encoding, beside tiktoken: to a list, to an array, and many documents on all cores.

A tokenizer remembers words, so three speeds are told apart: of a fresh object, of text that it
has not seen after a first half that it has, and of the same text again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from measure import check, corpus, medians, ready, shared, times, write

from tests.exact.peers import our_encoding, tiktoken_encoding

MOST = 6_000_000  # bytes of each input
DOCUMENT = 4_000  # characters of each document of a batch
CODE = ("code_python.txt", "code_rust.txt", "code_c.txt", "code_javascript_typescript.txt")
MIXED = ("english_prose.txt", "multi_zh.txt", "code_mixed.txt", "multi_ar.txt", "multi_ru.txt")
MORE = ("multi_ko.txt", "multi_hi.txt", "multi_th.txt", "web_wikipedia_html.txt", "multi_ja.txt")


def inputs() -> dict[str, str]:
    """Read the texts; the last is the hardest for a table of words: 527 languages in 41 scripts."""
    each = MOST // len(MIXED + MORE)
    return {
        "English prose": corpus("english_prose.txt", MOST),
        "code": "\n".join(corpus(name, MOST // len(CODE)) for name in CODE),
        "Chinese": corpus("multi_zh.txt", MOST),
        "mixed": "\n".join(corpus(name, each) for name in MIXED + MORE),
        "527 languages": corpus("udhr_all_languages.txt", MOST),
    }


def main() -> None:
    """Measure, and write the results."""
    rows, raw = [], []
    for encoding in ("cl100k_base", "o200k_base"):
        for name, text in inputs().items():
            seconds = measured(encoding, text)
            size = len(text.encode()) / 1e6
            raw.append([encoding, name, round(size, 3), seconds])
            rows.append(row(encoding, name, size, seconds))
            print(rows[-1], flush=True)
    columns = ("input", "MB", "encoding", "tiktoken MB/s")
    write(
        "encode",
        "Encoding, times as fast as tiktoken",
        (*columns, "list, fresh", "list, unseen", "list, again", "array, unseen", "batch, unseen"),
        rows,
        peers=["tiktoken"],
        notes=(
            "One text, one thread; `batch` is documents of 4,000 characters on all cores. fresh:"
            " a new object. unseen: the second half, after the first. again: the same text."
            " Medians of 5 rounds in turn; ids compared first."
        ),
        raw=raw,
    )


def row(encoding: str, name: str, size: float, seconds: dict[str, float]) -> list[Any]:
    """Make ratios of seconds."""

    def ratio(what: str) -> str:
        return times(seconds[f"tiktoken {what}"] / seconds[f"digram {what}"])

    speed = round(size / seconds["tiktoken list, again"], 1)
    kinds = ("list, fresh", "list, unseen", "list, again", "array, unseen", "batch, unseen")
    return [name, round(size, 1), encoding.removesuffix("_base"), speed, *map(ratio, kinds)]


def measured(encoding: str, text: str) -> dict[str, float]:
    """Check the ids of a text, then time all ways to make them."""
    folder = shared() / "vocab" / "tiktoken"
    theirs = tiktoken_encoding(folder, encoding)
    ours = our_encoding(folder, encoding, {})
    check(encoding, ours.encode(text), theirs.encode_ordinary(text))
    half = text.find("\n", len(text) // 2) + 1
    first, second = text[:half], text[half:]
    cores = os.cpu_count() or 1
    documents = [second[at : at + DOCUMENT] for at in range(0, len(second), DOCUMENT)]
    fresh, warmed = prepared(encoding, ""), prepared(encoding, first)
    work = {
        "list, fresh": (fresh("encode", text), lambda: theirs.encode_ordinary(text)),
        "list, unseen": (warmed("encode", second), lambda: theirs.encode_ordinary(second)),
        "list, again": (ready(lambda: ours.encode(text)), lambda: theirs.encode_ordinary(text)),
        "array, unseen": (
            warmed("encode_array", second),
            lambda: theirs.encode_to_numpy(second, disallowed_special=()),
        ),
        "batch, unseen": (
            warmed("encode_batch", documents),
            lambda: theirs.encode_ordinary_batch(documents, num_threads=cores),
        ),
    }
    in_turn: dict[str, Callable[[], Any]] = {}
    for what, (mine, other) in work.items():
        in_turn |= {f"digram {what}": mine, f"tiktoken {what}": ready(other)}
    return medians(in_turn)


def prepared(encoding: str, seen: str) -> Callable[[str, Any], Callable[[], Callable[[], Any]]]:
    """Make work on a new object, which has seen some text before the clock runs."""

    def work(method: str, given: Any) -> Callable[[], Callable[[], Any]]:
        def prepare() -> Callable[[], Any]:
            made = our_encoding(shared() / "vocab" / "tiktoken", encoding, {})
            made.encode(seen)
            return lambda: getattr(made, method)(given)

        return prepare

    return work


if __name__ == "__main__":
    main()
