"""Training beside three other trainers: thousands of small corpora, and what subword-nmt learns."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from typing import Any, TypeAlias

import tokenizers
from subword_nmt.learn_bpe import learn_bpe
from tiktoken import _educational

import digram
from tests.exact.peers import our_merges, their_merges
from tests.exact.shared import Shared, read
from tests.exact.tally import Tally

SMALL, QUICK_SMALL = 2_000, 200
# Letters that words are made of, and parts that come again and again in them.
POOLS = ("ab", "abcd", "abé漢", "a1b2-", "x😀y\u0301")
# The settings under which subword-nmt learns: pairs seen twice, ties by the larger pair.
SUBWORD_NMT: dict[str, Any] = {
    "units": "chars",
    "end_of_word": "</w>",
    "marker": "attached",
    "ties": "largest-strings",
    "pattern": "spaces",
}
LEARNED_WHOLE = (("tinyshakespeare.txt", 3_000), ("multi_fa.txt", 3_000), ("multi_ru.txt", 3_000))
QUICK = frozenset({"tinyshakespeare.txt"})

Merges: TypeAlias = list[Any]


def compare(shared: Shared, tally: Tally) -> None:
    """Compare small corpora with each of the three, and larger ones with subword-nmt."""
    small = QUICK_SMALL if shared.quick else SMALL
    trainers: dict[str, Callable[[str, int], tuple[Merges, Merges]]] = {
        "Hugging Face": of_hugging_face,
        "subword-nmt": of_subword_nmt,
        "tiktoken's teaching trainer": of_teaching_trainer,
    }
    for name, learn in trainers.items():
        rng = random.Random(2026)
        with tally.row(f"train, {name}, {small:,} small corpora"):
            for number in range(small):
                compare_all(tally, f"corpus {number}", learn(drawn(rng), rng.randint(1, 60)))
    for name, merges in LEARNED_WHOLE:
        if not shared.quick or name in QUICK:
            with tally.row(f"train, subword-nmt, {name} {merges:,}"):
                text = read(shared.folder / "corpus" / name)
                compare_all(tally, name, of_subword_nmt(text, merges))


def compare_all(tally: Tally, name: str, found: tuple[Merges, Merges]) -> None:
    """Compare each merge, and how many there are."""
    ours, theirs = found
    tally.same(f"{name}: number of merges", len(ours), len(theirs))
    least = min(len(ours), len(theirs))
    places = [f"{name}: merge {rank}" for rank in range(least)]
    tally.all_same(places, ours[:least], theirs[:least])


def drawn(rng: random.Random) -> str:
    """Draw words over one of the pools, some of them periodic; the first has two letters."""
    pool = rng.choice(POOLS)
    words = ["".join(rng.choices(pool, k=2))]
    for _ in range(rng.randint(1, 40)):
        part = "".join(rng.choices(pool, k=rng.randint(1, 5)))
        words += [part * rng.choice((1, 1, 2, 5))] * rng.randint(1, 3)
    return " ".join(words)


def of_hugging_face(text: str, merges: int) -> tuple[Merges, Merges]:
    """Learn bytes with Hugging Face, which prefers smaller ids."""
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = byte_level(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + merges,
        min_frequency=0,
        show_progress=False,
        initial_alphabet=byte_level.alphabet(),
    )
    theirs.train_from_iterator([text], trainer)
    ours = digram.train([text], num_merges=merges, pattern="gpt2", min_frequency=0)
    return our_merges(ours)[1], their_merges(theirs)[1]


def of_subword_nmt(text: str, merges: int) -> tuple[Merges, Merges]:
    """Learn characters with subword-nmt, which prefers larger strings."""
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        learn_bpe(io.StringIO(text, newline="\n"), codes, merges, min_frequency=2)
    ours = digram.train([text], num_merges=merges, **SUBWORD_NMT)
    spelled = ours.training.tokens if ours.training else []
    pairs = [f"{spelled[left]} {spelled[right]}" for left, right, _ in ours.merges]
    return pairs, codes.getvalue().split("\n")[1:-1]


def of_teaching_trainer(text: str, merges: int) -> tuple[Merges, Merges]:
    """Learn bytes with tiktoken's teaching trainer, which takes the pair that it meets first."""
    split = r"\S+| "
    ours = digram.train(
        [text], num_merges=merges, pattern=split, ties="first-seen", min_frequency=1
    )
    # it fails where no pair is left
    size = 256 + len(ours.merges)
    theirs = _educational.bpe_train(text, size, split, visualise=None)
    made = [ours.tokens[merged] for _, _, merged in ours.merges]
    return made, sorted(theirs, key=theirs.__getitem__)[256:]
