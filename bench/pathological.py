"""One million characters without a break: how long they take, beside tiktoken.

Each peer runs in a program of its own, which is stopped when its time is up.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import tokenizers
from measure import ROOT, check, corpus, medians, ready, shared, write

import digram
from tests.exact.peers import our_encoding, tiktoken_encoding

LONG = 1_000_000
CHECKED = 3_000  # characters that are compared with the peer's, which must finish
GIVEN = 20  # seconds for a peer

SHAPES: dict[str, Callable[[random.Random, int], str]] = {
    'one letter, `"a" * 1_000_000`': lambda _, size: "a" * size,
    'one blank, `" " * 1_000_000`': lambda _, size: " " * size,
    "random letters": lambda rng, size: "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
    "random Han characters": lambda rng, size: "".join(
        map(chr, rng.choices(range(0x4E00, 0x9FA6), k=size))
    ),
}
TIKTOKEN = {"cl100k": "cl100k_base", "o200k": "o200k_base"}
HUGGING_FACE = {"gpt2": "gpt2", "llama3": "llama3"}


def text_of(shape: str, size: int) -> str:
    """Make a text of a shape."""
    return SHAPES[shape](random.Random(1), size)


def tokenizers_by_name() -> dict[str, digram.Tokenizer]:
    """Load what is measured, and train one of characters on Chinese, with an unknown token."""
    vocab = shared() / "vocab"
    found = {name: digram.load(vocab / name / "tokenizer.json") for name in HUGGING_FACE}
    found |= {
        name: our_encoding(vocab / "tiktoken", encoding, {}) for name, encoding in TIKTOKEN.items()
    }
    trained_on = [corpus("multi_zh.txt", 1_000_000), corpus("tinyshakespeare.txt")]
    found["trained, characters"] = digram.train(
        trained_on, units="chars", vocab_size=12_000, unk_token="[UNK]"
    )
    return found


def check_answers(ours: dict[str, digram.Tokenizer]) -> None:
    """Compare shorter texts with the peers, and see that the long ones come back."""
    vocab = shared() / "vocab"
    for shape in SHAPES:
        text, whole = text_of(shape, CHECKED), text_of(shape, LONG)
        for name, encoding in TIKTOKEN.items():
            theirs = tiktoken_encoding(vocab / "tiktoken", encoding)
            check(f"{name} {shape}", ours[name].encode(text), theirs.encode_ordinary(text))
        for name, folder in HUGGING_FACE.items():
            opened = tokenizers.Tokenizer.from_file(str(vocab / folder / "tokenizer.json"))
            expected = opened.encode(text, add_special_tokens=False).ids
            check(f"{name} {shape}", ours[name].encode(text), expected)
        for name in (*TIKTOKEN, *HUGGING_FACE):
            check(f"{name} {shape}", ours[name].decode(ours[name].encode(whole)), whole)


def main() -> None:
    """Measure, and write the results."""
    ours = tokenizers_by_name()
    check_answers(ours)
    rows, raw = [], []
    for shape in SHAPES:
        text = text_of(shape, LONG)
        seconds = medians({name: ready(encode(each, text)) for name, each in ours.items()})
        theirs = peer(shape)
        rows.append([shape, *(f"{each:.3f} s" for each in seconds.values()), theirs])
        raw.append([shape, seconds, theirs])
        print(rows[-1], flush=True)
    write(
        "pathological",
        "One million characters without a break",
        ("input", *ours, "tiktoken, cl100k"),
        rows,
        peers=["tiktoken", "tokenizers"],
        notes=(
            "Seconds to encode one text on one thread; medians of 5 rounds in turn. tiktoken ran"
            f" once, in a process that was stopped after {GIVEN} s. Ids of shorter texts compared"
            " with the peers first, and the long ones decoded back."
        ),
        raw=raw,
    )


def encode(tokenizer: digram.Tokenizer, text: str) -> Callable[[], Any]:
    """Make the work that is timed."""
    return lambda: tokenizer.encode(text)


def peer(shape: str) -> str:
    """Time tiktoken in a process of its own; tell how it ended."""
    command = [sys.executable, __file__, shape]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=GIVEN + 5, check=False, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return f"over {GIVEN} s"
    return done.stdout.strip() if done.returncode == 0 else "fails"


def run_peer(shape: str) -> None:
    """Be that process."""
    theirs = tiktoken_encoding(shared() / "vocab" / "tiktoken", "cl100k_base")
    text = text_of(shape, LONG)
    seconds = medians({"tiktoken": ready(lambda: theirs.encode_ordinary(text))}, rounds=1)
    print(f"{seconds['tiktoken']:.2f} s")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_peer(sys.argv[1])
    else:
        main()
