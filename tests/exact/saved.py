"""Files that digram wrote: other tools open them, and they are always the same."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import tiktoken
import tokenizers
import transformers

import digram
from digram.patterns import NAMED
from tests.exact.peers import ranks
from tests.exact.shared import Shared
from tests.exact.tally import Tally

# A tokenizer of each kind that training makes.
SPECIAL = {"special_tokens": ["<|end|>", "<|user|>"]}
KINDS: dict[str, dict[str, Any]] = {
    "o200k": {"vocab_size": 8000, **SPECIAL},
    "gpt2": {"vocab_size": 4000, "pattern": "gpt2", **SPECIAL},
    "cl100k": {"vocab_size": 4000, "pattern": "cl100k", **SPECIAL},
    "qwen2, NFC": {"vocab_size": 4000, "pattern": "qwen2", "normalizer": "NFC"},
    "a regex": {"vocab_size": 2000, "pattern": r"\w+|[^\w\s]+|\s+"},
    "o200k, NFKC": {"vocab_size": 2000, "normalizer": "NFKC"},
    "characters, [UNK]": {"units": "chars", "vocab_size": 9000, "unk_token": "[UNK]"},
    "characters, fused [UNK]": {
        "units": "chars",
        "vocab_size": 9000,
        "unk_token": "[UNK]",
        "fuse_unk": True,
        "pattern": "gpt2",
    },
    "</w> attached": {
        "units": "chars",
        "vocab_size": 9000,
        "end_of_word": "</w>",
        "marker": "attached",
        "unk_token": "[UNK]",
    },
    "</w> separate": {
        "units": "chars",
        "vocab_size": 9000,
        "end_of_word": "</w>",
        "unk_token": "[UNK]",
    },
    "bytes, </w> attached": {"num_merges": 2000, "end_of_word": "</w>", "marker": "attached"},
}
# Compared on all of every corpus in the full tier, the others on the beginnings.
WHOLE = frozenset({"o200k"})
TRAINED_ON = ("tinyshakespeare.txt", "multi_fa.txt", "multi_zh.txt", "code_rust.txt")
THREADS = (1, 2, 3, 7)
PARTS = (1_000, 50_021, 1 << 20)


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    corpus = [shared.part(name) for name in TRAINED_ON]
    with tempfile.TemporaryDirectory() as folder:
        for kind, options in KINDS.items():
            # Hugging Face's normal forms are of Unicode 9, and training's are current
            ours = digram.train(corpus, **options).with_(unicode="9.0")
            taken = shared if kind in WHOLE else shared.sample().brief()
            in_hugging_face(taken, tally, kind, ours, Path(folder))
        in_tiktoken(shared.sample().brief(), tally, corpus, Path(folder))
        same_bytes(shared, tally, Path(folder))


def in_hugging_face(
    shared: Shared, tally: Tally, kind: str, ours: digram.Tokenizer, folder: Path
) -> None:
    """Open a saved file with tokenizers and transformers, which encode the same or refuse it."""
    path = folder / "tokenizer.json"
    ours.save(path)
    again = digram.load(path)
    declared = json.loads(path.read_text(encoding="utf-8"))["model"]["type"]
    note = "" if declared == "BPE" else f"type {declared!r}: refused there, read by digram alone"
    with tally.row(f"saved, opened by Hugging Face, {kind}", note) as row:
        tally.same("loaded again", again, ours)
        if declared != "BPE":
            tally.same("refused", str(refused(path)), "True")
            return
        theirs = tokenizers.Tokenizer.from_file(str(path))
        wrapped = transformers.PreTrainedTokenizerFast(tokenizer_file=str(path))
        for places, texts in shared.batches():
            ids = ours.encode_batch(texts, special="token")
            expected = [each.ids for each in theirs.encode_batch_fast(texts)]
            tally.all_same(places, ids, expected)
            tally.all_same(places, again.encode_batch(texts, special="token"), expected)
            some = texts[:: max(len(texts) // 2000, 1)]
            called = wrapped(some, add_special_tokens=False)["input_ids"]
            tally.all_same(some, ours.encode_batch(some, special="token"), called)
            decoded = theirs.decode_batch(ids, skip_special_tokens=False)
            tally.all_same(places, ours.decode_batch(ids), decoded)
        assert row.comparisons > len(shared.names())


def refused(path: Path) -> bool:
    """Say whether Hugging Face refuses to open a file."""
    try:
        tokenizers.Tokenizer.from_file(str(path))
    except Exception:  # noqa: BLE001  it raises nothing more special
        return True
    return False


def in_tiktoken(shared: Shared, tally: Tally, corpus: list[str], folder: Path) -> None:
    """Open exported ranks in a `tiktoken.Encoding`."""
    for pattern in ("gpt2", "cl100k", "o200k"):
        ours = digram.train(corpus, vocab_size=6000, pattern=pattern)
        path = folder / "ranks.tiktoken"
        ours.save(path)
        again = digram.load(path, pattern=pattern)
        theirs = tiktoken.Encoding(
            "exported",
            pat_str=NAMED[pattern],
            mergeable_ranks=ranks(path),
            special_tokens={},
        )
        with tally.row(f"saved, opened by tiktoken, {pattern}"):
            for places, texts in shared.batches():
                expected = theirs.encode_ordinary_batch(texts)
                tally.all_same(places, ours.encode_batch(texts), expected)
                tally.all_same(places, again.encode_batch(texts), expected)


def same_bytes(shared: Shared, tally: Tally, folder: Path) -> None:
    """Train with different numbers of threads and sizes of parts; the file is the same."""
    for name in ("english_prose.txt", "multi_zh.txt", "code_c.txt"):
        text = shared.part(name)
        for ties in ("smallest-ids", "first-seen"):
            options = {"vocab_size": 3000, "ties": ties}
            with tally.row(f"saved bytes, threads and parts, {name}, {ties}"):
                expected = saved(digram.train([text], **options), folder)
                for threads in THREADS:
                    trained = digram.train([text], threads=threads, **options)
                    tally.same(f"{threads} threads", saved(trained, folder), expected)
                    for part in PARTS:
                        counts = counted_in_parts(text, threads, part)
                        what = f"{threads} threads, parts of {part}"
                        trained = digram.train(counts, **options)
                        tally.same(what, saved(trained, folder), expected)


def saved(trained: digram.Tokenizer, folder: Path) -> bytes:
    """Save a tokenizer; return the bytes of the file."""
    path = folder / "tokenizer.json"
    trained.save(path)
    return path.read_bytes()


def counted_in_parts(text: str, threads: int, part: int) -> digram.WordCounts:
    """Count words with a large text cut into parts of a size, which the public door chooses."""
    split = digram.count([], pattern=None)._split
    counter = digram._core.Counter(split, None, [], threads, part)
    counter.add([text], 0, None)
    return digram.WordCounts(counter.finish(), split, None)
