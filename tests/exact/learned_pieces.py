"""Training as SentencePiece does, piece for piece: whole corpora, and thousands of small ones."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from typing import Any

import sentencepiece

import digram
from digram.components import Regex, SentencePieceNormalizer, Split
from tests.exact.shared import Shared, read
from tests.exact.tally import Tally

# SentencePiece skips longer lines, in bytes, and lines with the character that it puts for others.
LONGEST = 4192
RESERVED = "\u2585"
# What splits at its visible blanks.
AT_BLANKS = Split(Regex("\u2581[^\u2581]*|[^\u2581]+"), "Isolated")
CORPORA = (
    ("english_prose.txt", 32_000),
    ("udhr_all_languages.txt", 16_000),
    ("multi_zh.txt", 8_000),
    ("multi_ja.txt", 8_000),
    ("multi_fa.txt", 8_000),
    ("multi_th.txt", 8_000),
    ("code_c.txt", 8_000),
    ("web_wikipedia_html.txt", 12_000),
)
QUICK = frozenset({"multi_fa.txt", "udhr_all_languages.txt"})
# So many small corpora, of letters such as these; so many lines are encoded by both as well.
SMALL, QUICK_SMALL = 2_000, 300
POOLS = ("ab ", "abc ", "aé! ", "ab1 2", "字か カーx ", "aбb\u0301 ", "ab, .x1 ", "αа\ta\u2581")
ENCODED = 500


def compare(shared: Shared, tally: Tally) -> None:
    """Compare corpora and small ones."""
    for name, size in CORPORA:
        if not shared.quick or name in QUICK:
            lines = read(shared.folder / "corpus" / name).split("\n")
            with tally.row(f"train, SentencePiece, {name} {size:,}"):
                compare_lines(tally, name, lines, size)
    small = QUICK_SMALL if shared.quick else SMALL
    with tally.row(f"train, SentencePiece, {small:,} small corpora"):
        rng = random.Random(2026)
        for number in range(small):
            compare_lines(tally, f"corpus {number}", drawn(rng), rng.choice((40, 80, 300)))


def drawn(rng: random.Random) -> list[str]:
    """Draw a few lines over one of the pools; the first is never blank."""
    pool = rng.choice(POOLS)
    lines = range(rng.randint(1, 12))
    return ["a", *("".join(rng.choices(pool, k=rng.randint(1, 40))) for _ in lines)]


def compare_lines(tally: Tally, name: str, lines: Sequence[str], size: int) -> None:
    """Compare the pieces in the order learned, and some lines cut into them."""
    theirs = their_training(lines, size)
    pieces = [theirs.id_to_piece(id_) for id_ in range(3, theirs.get_piece_size())]
    learned = [piece for piece in pieces if len(piece) > 1]
    ours = our_training(lines, num_merges=len(learned))
    made = [ours.tokens[merged].decode() for _, _, merged in ours.merges]
    if len(made) == len(learned):
        cut = kept(lines)[:ENCODED]
        places = [f"{name}: {line[:30]}" for line in cut]
        found = [ours.tokenize(line) for line in cut]
        tally.all_same(places, found, theirs.encode(cut, out_type=str))
    elif ours.training is not None and ours.training.stopped == "no-pairs":
        # where all is merged, SentencePiece goes on to pieces that no longer occur
        learned = learned[: len(made)]
    tally.same(f"{name}: number of pieces", len(made), len(learned))
    places = [f"{name}: piece {place}" for place in range(len(made))]
    tally.all_same(places[: len(learned)], made[: len(learned)], learned[: len(made)])


def kept(lines: Sequence[str]) -> list[str]:
    """Return the lines that SentencePiece reads."""
    return [line for line in lines if len(line.encode()) <= LONGEST and RESERVED not in line]


def their_training(lines: Sequence[str], size: int, **options: Any) -> Any:
    """Train with SentencePiece: all characters kept, text as it is."""
    model = io.BytesIO()
    given = {
        "model_type": "bpe",
        "vocab_size": size,
        "character_coverage": 1.0,
        "normalization_rule_name": "identity",
        "hard_vocab_limit": False,
        "minloglevel": 4,
    }
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, **given | options
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def our_training(lines: Sequence[str], **options: Any) -> digram.Tokenizer:
    """Train as docs/sentencepiece.md says."""
    given = {
        "units": "chars",
        "pattern": AT_BLANKS,
        "normalizer": SentencePieceNormalizer(),
        "ties": "shortest",
        "min_frequency": 1,
        "max_token_length": 16,
        "apart": ["sentencepiece"],
    }
    return digram.train(kept(lines), **given | options)
