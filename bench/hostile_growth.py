"""Fourteen shapes of text that hurt, from a thousand characters to sixteen million: how time grows.

Each tokenizer encodes each shape by a new object, in texts that double; a thread of 256 KiB of
stack does it. Shorter texts are compared with tiktoken or Hugging Face first.
"""

from __future__ import annotations

import random
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import tokenizers
from measure import check, shared, write

import digram
from tests.exact.peers import our_encoding, tiktoken_encoding

SIZES = [1000 << doubled for doubled in range(15)]  # to 16,384,000 characters
TIMED = 0.01  # seconds; below, what is touched for the first time says more than the text
STACK = 256 << 10
CHECKED = 2_000  # characters that are compared with the peers, of which some are quadratic
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def repeated(piece: str) -> Callable[[int], str]:
    """Repeat a piece up to a size."""
    return lambda size: (piece * (size // len(piece) + 1))[:size]


def drawn(letters: str) -> Callable[[int], str]:
    """Draw letters up to a size."""
    return lambda size: "".join(random.Random(1).choices(letters, k=size))


SHAPES: dict[str, Callable[[int], str]] = {
    "`a`": repeated("a"),
    "`A`": repeated("A"),
    "`^`": repeated("^"),
    "`0`": repeated("0"),
    "space": repeated(" "),
    "`\\n`": repeated("\n"),
    "`\\r\\n`": repeated("\r\n"),
    "`'`": repeated("'"),
    "`漢`": repeated("漢"),
    "`e` with U+0301": repeated("e\u0301"),
    "emoji joined by U+200D": repeated("👩\u200d👩\u200d👧\u200d"),
    "` a`": repeated(" a"),
    "random letters": drawn("abcdefghijklmnopqrstuvwxyz"),
    "one line of base64": drawn(BASE64),
}
TIKTOKEN = {"cl100k": "cl100k_base", "o200k": "o200k_base"}
HUGGING_FACE = ("gpt2", "llama3", "qwen2.5")


def loaders() -> dict[str, Callable[[], digram.Tokenizer]]:
    """Return what makes a new object of each vocabulary."""
    vocab = shared() / "vocab"
    found: dict[str, Callable[[], digram.Tokenizer]] = {
        name: lambda encoding=encoding: our_encoding(vocab / "tiktoken", encoding, {})
        for name, encoding in TIKTOKEN.items()
    }
    return found | {
        name: lambda name=name: digram.load(vocab / name / "tokenizer.json")
        for name in HUGGING_FACE
    }


def check_answers(load: dict[str, Callable[[], digram.Tokenizer]]) -> None:
    """Compare short texts of each shape with the peers."""
    for name, make in load.items():
        ours, theirs = make(), peer(name)
        for shape, make_text in SHAPES.items():
            text = make_text(CHECKED)
            check(f"{name} {shape}", ours.encode(text), theirs(text))


def peer(name: str) -> Callable[[str], list[int]]:
    """Return how the owner of a vocabulary encodes."""
    vocab = shared() / "vocab"
    if name in TIKTOKEN:
        encode: Callable[[str], list[int]] = tiktoken_encoding(
            vocab / "tiktoken", TIKTOKEN[name]
        ).encode_ordinary
        return encode
    file = tokenizers.Tokenizer.from_file(str(vocab / name / "tokenizer.json"))
    return lambda text: list(file.encode(text, add_special_tokens=False).ids)


def in_small_stack(work: Callable[[], Any]) -> Any:
    """Run work on a thread that has little stack."""
    before, found = threading.stack_size(STACK), []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    threading.stack_size(before)
    thread.join()
    return found[0]


def seconds(make: Callable[[], digram.Tokenizer], text: str) -> float:
    """Time one text by a new object, which has met a word."""
    tok = make()
    tok.encode("text")
    found: float = in_small_stack(lambda: timed(tok, text))
    return found


def timed(tok: digram.Tokenizer, text: str) -> float:
    """Time one text by the clock."""
    start = time.perf_counter()
    tok.encode_array(text)
    return time.perf_counter() - start


def growth(measured: list[list[float]]) -> list[float]:
    """Tell how much longer each text takes than that of half its length, by the median.

    Of all vocabularies, those count that take long enough for it.
    """
    doubled = [
        [row[at + 1] / row[at] for row in measured if row[at] >= TIMED]
        for at in range(len(SIZES) - 1)
    ]
    return [statistics.median(ratios) for ratios in doubled if ratios]


def row_of(shape: str, measured: list[list[float]]) -> list[str]:
    """Make a row of the table."""
    found = growth(measured)
    last = [f"{row[-1]:.2f} s" for row in measured]
    # no text of some shapes takes long enough
    told = [f"{statistics.median(found):.2f}", f"{max(found):.2f}"] if found else ["–", "–"]
    return [shape, *last, *told]


def main() -> None:
    """Measure, and write the results."""
    load = loaders()
    check_answers(load)
    rows, raw = [], []
    for shape, make_text in SHAPES.items():
        texts = [make_text(size) for size in SIZES]
        measured = [[seconds(make, text) for text in texts] for make in load.values()]
        raw += [[shape, name, found] for name, found in zip(load, measured, strict=True)]
        rows.append(row_of(shape, measured))
        print(rows[-1], flush=True)
    write(
        "hostile_growth",
        "Sixteen million characters that hurt",
        ("text of", *load, "twice the text, median", "at most"),
        rows,
        peers=["tiktoken", "tokenizers"],
        notes=(
            f"Seconds for {SIZES[-1]:,} characters, one text, by a new object, on a thread of"
            " 256 KiB of stack, on all cores; then how much longer a text of twice the length"
            f" takes, from {1000 * TIMED:.0f} ms on: for each length the median of the"
            f" vocabularies, and of these the median and the highest. Ids of {CHECKED:,} characters"
            " compared with tiktoken and Hugging Face first."
        ),
        raw=raw,
    )


if __name__ == "__main__":
    sys.exit(main())
