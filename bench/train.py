"""Training, beside Hugging Face's trainer: the merges are compared first, all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tokenizers
from measure import check, corpus, medians, ready, shared, times, write

import digram
from tests.exact.peers import our_merges, their_merges

# Corpus, size of the vocabulary, one text or one a line.
RUNS = (
    ("english_prose.txt", 32_000, "one text"),
    ("english_prose.txt", 32_000, "by line"),
    ("code_python.txt", 16_000, "one text"),
    ("multi_fa.txt", 16_000, "one text"),
    # Long words without blanks, hardly one like another: what little words have in common is lost.
    ("multi_zh.txt", 16_000, "one text"),
)


def main() -> None:
    """Measure, and write the results."""
    rows, raw = [], []
    for name, size, how in RUNS:
        path = shared() / "corpus" / name
        check(name, our_merges(ours(path, size, how)), their_merges(theirs(path, size, how)))
        seconds = medians(
            {
                "digram": ready(lambda: ours(path, size, how)),  # noqa: B023  run at once
                "tokenizers": ready(lambda: theirs(path, size, how)),  # noqa: B023
            }
        )
        megabytes = round(path.stat().st_size / 1e6, 1)
        ratio = times(seconds["tokenizers"] / seconds["digram"])
        shown = [f"{seconds[each]:.2f} s" for each in ("digram", "tokenizers")]
        rows.append([name, megabytes, how, f"{size:,}", *shown, ratio])
        raw.append([name, size, how, seconds])
        print(rows[-1], flush=True)
    write(
        "train",
        "Training, beside Hugging Face's BpeTrainer",
        ("input", "MB", "texts", "vocabulary", "digram", "tokenizers", "times as fast"),
        rows,
        peers=["tokenizers"],
        notes=(
            "GPT-2's pattern, all bytes, no least frequency, all cores, from file to merges;"
            " medians of 5 rounds in turn. The merges are the same, one by one."
        ),
        raw=raw,
    )


def ours(path: Path, size: int, how: str) -> digram.Tokenizer:
    """Train with digram."""
    texts = digram.corpus(path, documents="file" if how == "one text" else "line")
    return digram.train(texts, vocab_size=size, pattern="gpt2", min_frequency=0)


def theirs(path: Path, size: int, how: str) -> Any:
    """Train with Hugging Face."""
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = byte_level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=0,
        show_progress=False,
        initial_alphabet=byte_level.alphabet(),
    )
    if how == "by line":
        made.train([str(path)], trainer)
    else:
        made.train_from_iterator([corpus(path.name)], trainer)
    return made


if __name__ == "__main__":
    main()
