"""Every character there can be, alone and in company: words, and ids, beside the peers."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import tiktoken
from tiktoken_ext import openai_public

import digram
from tests.exact.owners import Owned, owned
from tests.exact.peers import tiktoken_encoding
from tests.exact.shared import Shared
from tests.exact.tally import Tally

SEED = 20_261
# Whatever Unicode has assigned stands below the first number and between the other two; what is
# beyond, private use and nothing, is sampled. The quick tier takes the first blocks and a sample.
ASSIGNED, TAGS = 0x33480, range(0xE0000, 0xE0200)
DENSE, SAMPLED = 0x3100, 12_000
# Many characters are checked in one call of a peer.
AT_ONCE = 10_000
COMPANY = ("{}", "a{}", "{}a", " {}")
# Those who own files that normalize and split in ways of their own; and the files that are enough
# in the quick tier.
PEERS = ("tokenizers", "sentencepiece", "mistral-common")
FEW = ("gpt2/tokenizer.json", "llama3/tokenizer.json", "qwen2.5/tokenizer.json")


def compare(shared: Shared, tally: Tally) -> None:
    """Compare all patterns, and all files."""
    for name, pattern in published(shared).items():
        by_tiktoken(shared, tally, name, pattern)
    for each in owned():
        if each.peer in PEERS and (each.vocabulary in FEW or not shared.quick):
            by_owner(shared, tally, each)


def published(shared: Shared) -> dict[str, str]:
    """The patterns as their owners publish them, by the names that ours have."""
    folder = shared.vocab("tiktoken")
    patterns = {"gpt2": openai_public.r50k_pat_str}
    for name in ("cl100k", "o200k"):
        patterns[name] = tiktoken_encoding(folder, f"{name}_base")._pat_str
    for name, folder_name in (("llama3", "llama3"), ("qwen2", "qwen2.5")):
        described = json.loads(shared.vocab(folder_name, "tokenizer.json").read_bytes())
        first = described["pre_tokenizer"]["pretokenizers"][0]
        patterns[name] = first["pattern"]["Regex"]
    return patterns


def characters(shared: Shared) -> Iterator[list[str]]:
    """Every code point that is assigned, and a sample of the others, in batches."""
    dense = DENSE if shared.quick else ASSIGNED
    rest = [point for point in range(dense, 0x110000) if not 0xD800 <= point < 0xE000]
    sample = random.Random(SEED).sample(rest, SAMPLED)
    points = [point for point in range(dense) if not 0xD800 <= point < 0xE000]
    points += sorted({*TAGS, *sample})
    for start in range(0, len(points), AT_ONCE):
        yield [chr(point) for point in points[start : start + AT_ONCE]]


def by_tiktoken(shared: Shared, tally: Tally, name: str, pattern: str) -> None:
    """Compare words with those of tiktoken's engine.

    They are seen through a vocabulary in which every word that can come out is a token.
    """
    ours = digram.train({"a": 1}, units="chars", pattern=name)
    with tally.row(f"words around each character, {name}, tiktoken's engine", f"seed {SEED}"):
        for chars in characters(shared):
            texts = [form.format(char) for form in COMPANY for char in chars]
            tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
            tokens |= dict.fromkeys(text.encode() for text in texts)
            ids = {token: id_ for id_, token in enumerate(tokens)}
            theirs = tiktoken.Encoding(
                "words", pat_str=pattern, mergeable_ranks=ids, special_tokens={}
            )
            expected = [
                [word.decode() for word in theirs.decode_tokens_bytes(found)]
                for found in theirs.encode_ordinary_batch(texts)
            ]
            words = [[word for word, _, _ in ours.words(text)] for text in texts]
            tally.all_same(texts, words, expected)


def by_owner(shared: Shared, tally: Tally, each: Owned) -> None:
    """Compare ids with those of a file's owner, normalization included."""
    ours, theirs = each.open(shared)
    with tally.row(f"ids around each character, {each.peer}, {each.vocabulary}", f"seed {SEED}"):
        for chars in characters(shared):
            texts = [form.format(char) for form in COMPANY for char in chars]
            tally.all_same(texts, list(ours.encode(texts)), list(theirs.encode(texts)))
