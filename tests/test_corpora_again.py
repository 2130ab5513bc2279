"""A corpus is read again and again, or refuses to be: it never gives nothing in silence."""

import copy
import dataclasses
import io
import pickle
import sys

import pytest

import digram

TEXTS = ["low lower", "lowest"]
WORDS = {"low": 1, " lower": 1, "lowest": 1}
ONCE = "once, and it was read; pass what can be read again"


class Fresh:
    """What makes a new iterator each time."""

    def __iter__(self):
        yield from TEXTS


class Same:
    """What hands out one iterator again and again, and is none itself."""

    def __init__(self):
        self.texts = iter(TEXTS)

    def __iter__(self):
        return self.texts


ITERATORS = {
    "generator": lambda: (text for text in TEXTS),
    "map": lambda: map(str, TEXTS),
    "list": lambda: iter(TEXTS),
    "records": lambda: iter([{"text": text} for text in TEXTS]),
    "bytes": lambda: (text.encode() for text in TEXTS),
}


@pytest.mark.parametrize("texts", [TEXTS, tuple(TEXTS), Fresh(), dict.fromkeys(TEXTS).keys()])
def test_what_makes_iterators_is_read_as_often_as_one_likes(texts):
    corpus = digram.corpus(texts=texts)
    assert next(iter(corpus)) == TEXTS[0]
    for _ in range(2):
        assert dict(digram.count(corpus)) == WORDS
        assert list(corpus) == TEXTS
    for again in (copy.copy(corpus), dataclasses.replace(corpus, sample=1.0)):
        assert list(again) == TEXTS


@pytest.mark.parametrize("kind", ITERATORS)
def test_an_iterator_is_read_once_and_then_refused(kind):
    """The second count was of no words."""
    corpus = digram.corpus(texts=ITERATORS[kind]())
    unread = iter(corpus)
    assert dict(digram.count(corpus)) == WORDS
    for read in (digram.count, digram.train, list, next):
        with pytest.raises(ValueError, match=ONCE):
            read(unread if read is next else corpus)
    with pytest.raises(ValueError, match=ONCE):
        list(dataclasses.replace(corpus, sample=1.0))


def test_an_iterator_of_which_a_part_was_read_is_refused():
    """The first text was missing."""
    corpus = digram.corpus(texts=(text for text in TEXTS))
    assert next(iter(corpus)) == TEXTS[0]
    with pytest.raises(ValueError, match=f"a generator, which gives its texts {ONCE}: a list"):
        digram.count(corpus)


def test_training_reads_an_iterator_once():
    expected = digram.train(TEXTS, num_merges=3)
    assert digram.train(iter(TEXTS), num_merges=3) == expected
    assert digram.train(digram.corpus(texts=iter(TEXTS)), num_merges=3) == expected
    more = digram.train(digram.corpus(texts=iter(TEXTS)), num_merges=1, extend=expected)
    assert more.merges[:3] == expected.merges


def test_an_object_that_hands_out_one_iterator_is_refused_when_it_is_used_up():
    corpus = digram.corpus(texts=Same())
    assert dict(digram.count(corpus)) == WORDS
    with pytest.raises(ValueError, match=r"gave texts before, and now it gives none: .*; pass"):
        digram.count(corpus)
    empty = digram.corpus(texts=[])
    assert list(empty) == list(empty) == []


def test_readers_of_arrow_are_read_once_and_tables_again():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"text": TEXTS})

    class Stranger:
        def __init__(self, inner):
            self.inner = inner

        def __arrow_c_stream__(self, schema=None):
            return self.inner.__arrow_c_stream__(schema)

    for again in (table, Stranger(table), table["text"]):
        corpus = digram.corpus(again)
        assert list(corpus) == list(corpus) == TEXTS
        assert dict(digram.count(corpus)) == WORDS
    for source, told in (
        (table.to_reader(), ONCE),
        (Stranger(table.to_reader()), "gave texts before, and now it gives none"),
    ):
        corpus = digram.corpus(source)
        assert dict(digram.count(corpus)) == WORDS
        for read in (digram.count, list):
            with pytest.raises(ValueError, match=told):
                read(corpus)


def test_stdin_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low lower")))
    corpus = digram.corpus("-")
    assert list(corpus) == ["low lower"]
    with pytest.raises(ValueError, match="from stdin, which can be read once, and it was read"):
        digram.count(corpus)
    with pytest.raises(ValueError, match="write it to a file, and name that"):
        list(digram.corpus(["-", "-"]))


def test_a_corpus_is_still_a_value():
    one, other = digram.corpus(texts=TEXTS), digram.corpus(texts=TEXTS)
    list(one)
    assert one == other == pickle.loads(pickle.dumps(one))  # noqa: S301 - ours
    assert "once" not in repr(one)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (5, "texts must be an iterable of str, bytes or records, not int: 5"),
        (lambda: TEXTS, "texts must be an iterable of str, bytes or records, not function"),
        ({"text": TEXTS}, r"texts is a mapping, .*; pass a column of it, as batch\['text'\]"),
    ],
)
def test_what_is_no_source_of_texts_is_refused_at_once(texts, told):
    with pytest.raises(TypeError, match=told):
        digram.corpus(texts=texts)
