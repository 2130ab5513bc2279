"""Batches of lists of ids become the texts that each list becomes alone."""

import random
import sys

import numpy as np
import pytest
from test_results import SPECIALS, TRAINED_ON

import digram
from digram.errors import UnknownTokenError


@pytest.fixture(scope="module")
def tok():
    return digram.train(TRAINED_ON, vocab_size=340, special_tokens=SPECIALS)


def test_batches_are_decoded_one_by_one(tok):
    texts = [TRAINED_ON[0] * (n % 40) for n in range(200)]
    batch = tok.encode_batch(texts)
    arrays = [np.array(ids, dtype=np.uint32) for ids in batch]
    for threads in (None, 1, 4):
        assert tok.decode_batch(batch, threads=threads) == texts
        assert tok.decode_batch(arrays, threads=threads) == texts
    broken = [[*ids, tok.token_id(b"\xff")] for ids in batch[:9]]
    for errors in ("replace", "ignore"):
        assert tok.decode_batch(broken, errors=errors) == [
            tok.decode(ids, errors=errors) for ids in broken
        ]
    with pytest.raises(UnicodeDecodeError):
        tok.decode_batch(broken, errors="strict")
    assert tok.decode_batch([]) == []
    with pytest.raises(UnknownTokenError, match="991"):
        tok.decode_batch([[1], [991], [992]], threads=2)


@pytest.mark.parametrize("seed", range(8))
def test_texts_of_all_lengths_and_widths_are_decoded_one_by_one(seed):
    tok = digram.train(TRAINED_ON, vocab_size=300, special_tokens=["<|end|>"])
    rng = random.Random(seed)
    batch = []
    for _ in range(rng.randint(1, 80)):
        letters = rng.choice(["ab ", "aé", "éÿ", "aж", "漢字", "a😀", "\x00"])
        ids = tok.encode("".join(rng.choices(letters, k=rng.choice([0, 1, 2, 40, 900]))))
        for id_ in (0, tok.token_id(b"\xff"), tok.token_id(b"\xe6")):
            if rng.random() < 0.1:
                ids.insert(rng.randint(0, len(ids)), id_)
        batch.append(ids)
    for errors in ("replace", "ignore"):
        for skip in (False, True):
            how = {"errors": errors, "skip_special_tokens": skip}
            expected = [tok.decode(ids, **how) for ids in batch]
            for threads in (1, 2, 5):
                texts = tok.decode_batch(batch, threads=threads, **how)
                assert texts == expected
                assert list(map(sys.getsizeof, texts)) == list(map(sys.getsizeof, expected))
    place = rng.randrange(len(batch))
    wrong = [*batch[:place], [*batch[place], 999], *batch[place:], [998] * 5000]
    for threads in (1, 3):
        with pytest.raises(UnknownTokenError, match=rf"^batch\[{place}\]: id 999 "):
            tok.decode_batch(wrong, skip_special_tokens=True, threads=threads)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_batches_of_several_rounds_are_decoded_in_order(tok, threads):
    """More ids than several threads take at once; of the lists that are wrong the first is told."""
    rng = random.Random(threads)
    text = TRAINED_ON[0] * 9
    texts = [text[at : at + rng.choice([0, 1, 90, 400])] for at in rng.choices(range(99), k=14_000)]
    batch = tok.encode_ragged(texts)
    assert len(batch.ids) > 3 * (1 << 17)
    assert tok.decode_batch(batch, threads=threads) == texts
    wrong = batch.to_lists()
    for place in (13_990, 12_321, 12_320):
        wrong[place].append(999)
        with pytest.raises(UnknownTokenError, match=rf"^batch\[{place}\]: id 999 "):
            tok.decode_batch(wrong, threads=threads)
