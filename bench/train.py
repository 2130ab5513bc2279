"""Training, beside the peers on the same corpora.

The merges of Hugging Face and of gigatoken, whose rules are ours, are compared first, all of them.
rustbpe takes the pair of smaller bytes where two are equally frequent, and ours the one of smaller
ids, so of its tokens some are others; how many are ours is told. SentencePiece learns from
characters by rules of its own: its time is told, for lines, which it takes.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gigatoken
import rustbpe
import sentencepiece
import tokenizers
from measure import check, medians, ready, shared, times, write

import digram
from tests.exact.peers import our_merges, their_merges

PEERS = ("tokenizers", "gigatoken", "rustbpe", "sentencepiece")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Corpus, or several behind each other, size of the vocabulary, one text or one a line.
RUNS = (
    ("english_prose.txt", 8_000, "one text"),
    ("english_prose.txt", 32_000, "one text"),
    ("english_prose.txt", 50_000, "one text"),
    ("english_prose.txt", 32_000, "by line"),
    ("multi_*.txt", 32_000, "by line"),
    ("code_python.txt", 16_000, "one text"),
    ("multi_fa.txt", 16_000, "one text"),
    # Long words without blanks, hardly one like another: what little words have in common is lost.
    ("multi_zh.txt", 16_000, "one text"),
)


def main() -> None:
    """Measure, and write the results."""
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder))


def gathered(name: str, folder: Path) -> Path:
    """Return the path of a corpus, or of a new file of several, one behind the other."""
    if "*" not in name:
        return shared() / "corpus" / name
    path = folder / name.replace("*", "all")
    parts = sorted((shared() / "corpus").glob(name))
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return path


def measure(folder: Path) -> None:
    """Measure all runs."""
    rows, raw, shares = [], [], []
    for name, size, how in RUNS:
        path = gathered(name, folder)
        shares.append(compared(path, size, how))
        work: dict[str, Callable[[], Any]] = {"digram": partial(ours, path, size, how)}
        work["tokenizers"] = partial(theirs, path, size, how)
        work["rustbpe"] = partial(of_rustbpe, path, size, how)
        if how == "one text":
            work["gigatoken"] = partial(of_gigatoken, path, size)
        else:
            work["sentencepiece"] = partial(of_sentencepiece, path, size)
        seconds = medians({each: ready(run) for each, run in work.items()})
        megabytes = round(path.stat().st_size / 1e6, 1)
        ratio = times(seconds["tokenizers"] / seconds["digram"])
        shown = [
            f"{seconds[each]:.2f} s" if each in seconds else "–" for each in ("digram", *PEERS)
        ]
        rows.append([name, megabytes, how, f"{size:,}", *shown, ratio])
        raw.append([name, size, how, seconds])
        print(rows[-1], flush=True)
    write(
        "train",
        "Training, beside the peers",
        ("input", "MB", "texts", "vocabulary", "digram", *PEERS, "× tokenizers"),
        rows,
        peers=PEERS,
        notes=(
            "GPT-2's pattern, all bytes, no least frequency, all cores, from file to merges;"
            " medians of 5 rounds in turn. The merges are those of Hugging Face's BpeTrainer and of"
            " gigatoken (which takes one text), one by one. rustbpe breaks ties in another way: at"
            f" least {min(shares):.1%} of its tokens are ours. SentencePiece learns from characters"
            " by other rules, from lines. multi_*.txt are eleven languages, one behind the other."
        ),
        raw=raw,
    )


def read(path: Path) -> str:
    """Read a corpus, its line ends as they are."""
    return path.read_bytes().decode()


def compared(path: Path, size: int, how: str) -> float:
    """Compare what is learned; return the share of rustbpe's tokens that are ours."""
    tok = ours(path, size, how)
    check(path.name, our_merges(tok), their_merges(theirs(path, size, how)))
    if how == "one text":
        pairs = [(tok.tokens[left], tok.tokens[right]) for left, right, _ in tok.merges]
        check(f"{path.name}, gigatoken", pairs, of_gigatoken(path, size))
    tokens = {bytes(token) for token, _ in of_rustbpe(path, size, how).get_mergeable_ranks()}
    return len(tokens & set(tok.tokens.values())) / size


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
        made.train_from_iterator([read(path)], trainer)
    return made


def of_gigatoken(path: Path, size: int) -> list[tuple[bytes, bytes]]:
    """Train with gigatoken, on one text."""
    _, merges = gigatoken.train_bpe(gigatoken.TextFileSource([str(path)]), size, [])
    return [(left, right) for left, right in merges]


def of_rustbpe(path: Path, size: int, how: str) -> Any:
    """Train with rustbpe."""
    text = read(path)
    lines = io.StringIO(text, newline="\n").readlines()
    texts = [text] if how == "one text" else lines
    made = rustbpe.Tokenizer()
    made.train_from_iterator(iter(texts), size, pattern=GPT2)
    return made


def of_sentencepiece(path: Path, size: int) -> bytes:
    """Train with SentencePiece, on lines."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=str(path),
        model_writer=model,
        vocab_size=size,
        model_type="bpe",
        character_coverage=1.0,
        max_sentence_length=10**6,
        num_threads=2,
        minloglevel=2,
    )
    return model.getvalue()


if __name__ == "__main__":
    main()
