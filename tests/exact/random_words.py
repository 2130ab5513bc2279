"""Random words, millions of them: nearly each is new, so that nearly each is merged.

Each is encoded as a word by itself, beside tiktoken's merging of its bytes, and some beside the
plain reference; and all of them in texts, where they are merged side by side, beside tiktoken.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import digram
from digram import reference
from tests.exact.peers import tiktoken_encoding
from tests.exact.shared import Shared
from tests.exact.tally import Tally

# How many words of each encoding are drawn, in the quick and the full tier.
WORDS = {"cl100k_base": (50_000, 10_000_000), "o200k_base": (50_000, 1_000_000)}
# And how many of these the reference encodes.
BY_REFERENCE = (300, 20_000)
# Words in a text.
TOGETHER = 10_000
# Letters that words are made of, and how many bytes each has.
SCRIPTS = (
    (range(ord("a"), ord("z") + 1), 1),
    (range(0x430, 0x450), 2),
    (range(0x5D0, 0x5EB), 2),
    (range(0x627, 0x63B), 2),
    (range(0x905, 0x940), 3),
    (range(0x4E00, 0x5200), 3),
    (range(0xAC00, 0xB000), 3),
    (range(0x10330, 0x1034A), 4),
)
LONGEST = 40


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all there is to compare."""
    folder = shared.vocab("tiktoken")
    for name, (few, many) in WORDS.items():
        ours, theirs = digram.get_encoding(name, directory=folder), tiktoken_encoding(folder, name)
        whole = ours.with_(pre_tokenizer=None)
        merged = theirs._core_bpe.encode_single_piece
        words = drawn(few if shared.quick else many, sorted(theirs.token_byte_values()))
        with tally.row(f"random words, {name}"):
            for some in parted(words):
                expected = [merged(word.encode()) for word in some]
                tally.all_same(some, whole.encode_batch(some), expected)
        with tally.row(f"random words in texts, {name}"):
            for some in parted(words):
                text = " ".join(some)
                tally.same(text[:40], ours.encode(text), theirs.encode_ordinary(text))
        some = words[:: len(words) // BY_REFERENCE[not shared.quick]]
        with tally.row(f"random words, {name}, reference"):
            expected = reference.encode_batch(whole.model, some)
            tally.all_same(some, whole.encode_batch(some), expected)


def parted(words: list[str]) -> Iterator[list[str]]:
    """Cut a list into parts."""
    return (words[at : at + TOGETHER] for at in range(0, len(words), TOGETHER))


def drawn(count: int, tokens: list[bytes]) -> list[str]:
    """Draw words of 1 to 40 bytes, of each kind as many as of the others."""
    rng = np.random.default_rng(11)
    share = -(-count // (len(SCRIPTS) + 1))
    words = [word for letters, each in SCRIPTS for word in of_letters(rng, share, letters, each)]
    words += of_tokens(rng, share, tokens)
    order = rng.permutation(len(words))[:count]
    return [words[at] for at in order]


def of_letters(rng: np.random.Generator, count: int, letters: range, each: int) -> Iterator[str]:
    """Draw words of random letters."""
    lengths = rng.integers(1, LONGEST // each + 1, count)
    ends = np.cumsum(lengths)
    text = rng.integers(letters.start, letters.stop, ends[-1]).astype("<u4").tobytes()
    text = text.decode("utf-32-le")
    yield from (text[end - length : end] for length, end in zip(lengths, ends, strict=True))


def of_tokens(rng: np.random.Generator, count: int, tokens: list[bytes]) -> Iterator[str]:
    """Draw words of tokens of letters, one to four behind each other: many pairs merge."""
    texts = [token.decode() for token in tokens if token.isalpha()]
    for chosen in rng.integers(0, len(texts), (count, 4)):
        yield "".join(texts[at] for at in chosen[: 1 + chosen[0] % 4])[:LONGEST]
