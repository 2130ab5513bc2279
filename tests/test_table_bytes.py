"""How much a tokenizer remembers: any amount gives the same ids."""

from __future__ import annotations

import pickle
import random

import pytest

import digram

TEXT = "".join(
    "".join(random.Random(seed).choices("abcdeé文字 \n", k=random.Random(seed).randrange(1, 40)))
    for seed in range(3000)
)


@pytest.fixture(scope="module")
def tok():
    return digram.train([TEXT], vocab_size=600, special_tokens=["<|end|>"])


@pytest.mark.parametrize("size", [0, 1, 4096, "64KB", "1MB", "2MB", "5MB", "20MB", 2**40])
def test_ids_are_the_same_whatever_is_remembered(tok, size):
    other = tok.with_(table_bytes=size)
    for _ in range(2):
        assert other.encode(TEXT) == tok.encode(TEXT)
    assert other.encode_batch([TEXT, "abc"], threads=2) == tok.encode_batch([TEXT, "abc"])
    assert other.count(TEXT) == len(tok.encode(TEXT))
    assert other == tok
    assert other.fingerprint == tok.fingerprint
    assert other.training is not None


def test_copies_remember_as_much_as_the_tokenizer_that_they_come_from(tok):
    assert tok.table_bytes == 16 << 20
    small = tok.with_(table_bytes="4 kB")
    assert small.table_bytes == 4000
    assert small.with_(normalizer="NFC").table_bytes == 4000
    assert small.without(["<|end|>"]).table_bytes == 4000
    assert pickle.loads(pickle.dumps(small)).table_bytes == 4000  # noqa: S301
    assert small.with_(table_bytes=16 << 20).table_bytes == 16 << 20


@pytest.mark.parametrize("size", [-1, "much", 2**63])
def test_what_is_no_size_is_refused(tok, size):
    with pytest.raises(ValueError, match="table_bytes is"):
        tok.with_(table_bytes=size)


def test_what_is_no_number_is_refused(tok):
    with pytest.raises(TypeError, match="table_bytes must be"):
        tok.with_(table_bytes=1.5)
