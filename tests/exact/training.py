"""Training, merge for merge, beside five other trainers."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import regex
import tokenizers
from tiktoken import _educational

import digram
from tests.exact import learned_pieces, learned_small
from tests.exact.learned_small import SUBWORD_NMT
from tests.exact.peers import our_merges, their_merges
from tests.exact.shared import Shared, read
from tests.exact.tally import Tally

# Corpus, size of the vocabulary, by lines or whole; the quick tier takes those that it can.
HUGGING_FACE = (
    ("english_prose.txt", 8_000, False),
    ("english_prose.txt", 32_000, False),
    ("english_prose.txt", 16_000, True),
    ("multi_zh.txt", 16_000, False),
    ("code_python.txt", 16_000, False),
    ("multi_fa.txt", 16_000, False),
)
QUICK = frozenset({("english_prose.txt", 8_000), ("multi_fa.txt", 16_000)})
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    for name, size, by_line in HUGGING_FACE:
        if not shared.quick or (name, size) in QUICK:
            with_hugging_face(shared, tally, name, size, by_line=by_line)
    with_subword_nmt(shared, tally)
    with_teaching_trainer(shared, tally)
    with_plain_loop(shared, tally)
    learned_small.compare(shared, tally)
    learned_pieces.compare(shared, tally)


def with_hugging_face(shared: Shared, tally: Tally, name: str, size: int, *, by_line: bool) -> None:
    """Compare with the trainer of Hugging Face, under the same settings."""
    path = shared.folder / "corpus" / name
    how = "by line" if by_line else "whole"
    with tally.row(f"train, Hugging Face, {name} {size:,} {how}"):
        theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
        theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = tokenizers.trainers.BpeTrainer(
            vocab_size=size,
            min_frequency=0,
            show_progress=False,
            initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        )
        if by_line:
            theirs.train([str(path)], trainer)
            corpus = digram.corpus(path, documents="line")
        else:
            theirs.train_from_iterator([read(path)], trainer)
            corpus = digram.corpus(path)
        ours = digram.train(corpus, vocab_size=size, pattern="gpt2", min_frequency=0)
        compare_merges(tally, our_merges(ours), their_merges(theirs))


def compare_merges(tally: Tally, ours: tuple, theirs: tuple) -> None:
    """Compare vocabularies, and each merge."""
    tally.same("vocabulary", sorted(ours[0].items()), sorted(theirs[0].items()))
    tally.same("number of merges", len(ours[1]), len(theirs[1]))
    places = [f"merge {rank}" for rank in range(min(len(ours[1]), len(theirs[1])))]
    tally.all_same(places, ours[1][: len(places)], theirs[1][: len(places)])


def with_subword_nmt(shared: Shared, tally: Tally) -> None:
    """Compare with codes that subword-nmt learned, and with texts that it segmented by them."""
    folder = shared.vocab("subword-nmt")
    cases = (
        ("tinyshakespeare_5k.codes", shared.corpus("tinyshakespeare.txt"), 5000),
        ("bpe.ref", read(folder / "corpus.en"), 1000),
    )
    with tally.row("train, subword-nmt, published codes"), tempfile.TemporaryDirectory() as made:
        for name, text, merges in cases:
            published = read(folder / name).splitlines()
            ours = digram.train([text], num_merges=merges, **SUBWORD_NMT)
            ours.save(Path(made, name), format="subword-nmt")
            written = read(Path(made, name)).splitlines()
            tally.same(f"{name}, lines", len(written), len(published))
            tally.all_same(
                [f"{name} line {at}" for at in range(len(published))], written, published
            )
    segmented = (
        ("tinyshakespeare_5k.codes", "tinyshakespeare_head.txt", "tinyshakespeare_head.bpe.txt"),
        ("bpe.ref", "corpus.en", "corpus.bpe.ref.en"),
    )
    with tally.row("encode, subword-nmt, published segmentations"):
        for codes, plain, expected in segmented:
            lines, theirs = (read(folder / name).split("\n") for name in (plain, expected))
            alphabet = "".join(sorted(set("".join(lines)) - {" "}))
            loaded = digram.load(folder / codes, initial_alphabet=alphabet)
            ours = [" ".join(joined(loaded.tokenize(line))) for line in lines]
            expected_lines = [" ".join(line.split()) for line in theirs]
            tally.all_same([f"{plain}: {line[:30]}" for line in lines], ours, expected_lines)


def joined(tokens: list[str]) -> list[str]:
    """Write tokens as subword-nmt does: "@@" where the word goes on."""
    return [
        token.removesuffix("</w>") if token.endswith("</w>") else f"{token}@@" for token in tokens
    ]


def with_teaching_trainer(shared: Shared, tally: Tally) -> None:
    """Compare with tiktoken's teaching trainer, which merges the pair that it met first."""
    size, merges = (20_000, 100) if shared.quick else (150_000, 300)
    with tally.row("train, tiktoken's teaching trainer"):
        for name in ("tinyshakespeare.txt", "multi_zh.txt", "code_c.txt"):
            text = shared.corpus(name)[:size]
            theirs = _educational.bpe_train(text, 256 + merges, GPT2, visualise=None)
            learned = sorted(theirs, key=theirs.__getitem__)[256:]
            ours = digram.train([text], num_merges=merges, pattern="gpt2", ties="first-seen")
            tokens = [ours.tokens[merged] for _, _, merged in ours.merges]
            tally.all_same([f"{name}, merge {rank}" for rank in range(merges)], tokens, learned)


def with_plain_loop(shared: Shared, tally: Tally) -> None:
    """Compare with the loop that people write first, which takes `max` of a dictionary."""
    size, merges = (50_000, 200) if shared.quick else (400_000, 1000)
    with tally.row("train, a plain loop with max(dict)"):
        for name in ("tinyshakespeare.txt", "multi_ru.txt", "code_mixed.txt"):
            text = shared.corpus(name)[:size]
            counts = digram.count([text], pattern="gpt2")
            expected = plain_loop(counted(text), merges)
            ours = digram.train(counts, num_merges=merges, ties="first-seen")
            told = zip(our_merges(ours)[1], ours.training.frequencies[256:], strict=True)
            tally.all_same(
                [f"{name}, merge {rank}" for rank in range(merges)], list(told), expected
            )


def counted(text: str) -> dict[bytes, int]:
    """Count words in the order first seen."""
    counts: dict[bytes, int] = {}
    for word in regex.findall(GPT2, text):
        counts[word.encode()] = counts.get(word.encode(), 0) + 1
    return counts


Pair = tuple[bytes, bytes]


def plain_loop(counts: Mapping[bytes, int], merges: int) -> list[tuple[Pair, int]]:
    """Learn merges and their frequencies, without any idea of speed."""
    words = [([bytes([byte]) for byte in word], count) for word, count in counts.items()]
    learned = []
    while len(learned) < merges:
        pairs: dict[Pair, int] = {}
        for symbols, count in words:
            for pair in pairwise(symbols):
                pairs[pair] = pairs.get(pair, 0) + count
        best = max(pairs, key=pairs.__getitem__)
        learned.append((best, pairs[best]))
        for symbols, _ in words:
            replace(symbols, best)
    return learned


def replace(symbols: list[bytes], pair: Pair) -> None:
    """Merge a pair in place, from left to right."""
    at = 0
    while at < len(symbols) - 1:
        if (symbols[at], symbols[at + 1]) == pair:
            symbols[at : at + 2] = [pair[0] + pair[1]]
        at += 1
