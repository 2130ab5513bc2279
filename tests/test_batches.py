"""Batches are iterables with an order: columns, which give their names, and sets are none."""

from collections import UserDict

import pytest

import digram


@pytest.fixture(scope="module")
def tok():
    return digram.train(["text a b", "id"], num_merges=3)


class Frame:
    """A data frame as libraries make them: it iterates over the names of its columns."""

    def __dataframe__(self):
        raise NotImplementedError

    def __iter__(self):
        return iter(["text", "id"])


COLUMNS = [{"text": ["a b"], "id": [1]}, UserDict(text=["a b"]), Frame(), {}]
SETS = [{"a", "b"}, frozenset(["a"]), set()]
CALLS = {
    "encode_batch": lambda tok, texts: tok.encode_batch(texts),
    "encode_ragged": lambda tok, texts: tok.encode_ragged(texts),
    "call": lambda tok, texts: tok(texts),
    "call with offsets": lambda tok, texts: tok(texts, offsets=True),
    "pairs": lambda tok, texts: tok(["a"], texts),
    "convert": lambda tok, texts: digram.convert(tok, "never.json", texts=texts),
}


@pytest.mark.parametrize("call", CALLS)
def test_columns_and_sets_are_no_texts(tok, call):
    """The names of the columns were encoded."""
    name = "pairs" if call == "pairs" else "texts"
    for columns in COLUMNS:
        with pytest.raises(
            TypeError, match=rf"^{name} must be .*; pass a column of it, as batch\['text'\]$"
        ):
            CALLS[call](tok, columns)
    for texts in SETS:
        with pytest.raises(TypeError, match=rf"^{name} must be .*set.* by chance: pass a list$"):
            CALLS[call](tok, texts)


def test_columns_and_sets_are_no_ids(tok):
    for columns in (tok(["a b"]), {1: [2]}):
        with pytest.raises(
            TypeError, match=r"^batch must be .*; pass a column of it, as batch\['input_ids'\]$"
        ):
            tok.decode_batch(columns)
    with pytest.raises(TypeError, match="by chance: pass a list"):
        tok.decode_batch({(64, 65)})


def test_what_has_an_order_is_a_batch(tok):
    texts = ["a b", "id"]
    ids = [tok.encode(text) for text in texts]
    columns = dict.fromkeys(texts, 0)
    for batch in (texts, tuple(texts), iter(texts), columns.keys(), {0: "a b", 1: "id"}.values()):
        assert tok.encode_batch(batch) == ids
    assert tok.encode_ragged(columns.keys()).to_lists() == ids
    assert tok(map(str, texts))["input_ids"] == ids
    assert tok.decode_batch(dict(enumerate(ids)).values()) == texts


def test_words_that_are_counted_are_still_a_mapping():
    assert digram.train({"low": 5}, num_merges=1).merges
    assert dict(digram.WordCounts.of({"low": 5})) == {"low": 5}
