"""An argument of another kind is refused by its name."""

import io
import json

import pytest

import digram


@pytest.fixture(scope="module")
def tok():
    return digram.train(["abc abc"], num_merges=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tok: tok.words(5), r"^text must be a str, not int: 5"),
        (lambda tok: tok.explain(b"x"), r"^text must be a str, not bytes: b'x'"),
        (lambda tok: tok.decoder(errors=5), r"^errors must be the name of an error handler, not"),
        (lambda tok: tok.decode_batch([[1]], errors=None), r"^errors must be the name of an error"),
        (
            lambda tok: tok.decode([1], skip_special_tokens=1),
            r"^skip_special_tokens must be True or",
        ),
        (lambda tok: tok("a", offsets="no"), r"^offsets must be True or False, not str: 'no'"),
        (
            lambda tok: tok.with_(end_of_word=["x"]),
            r"^end_of_word must be a str, or None, not list",
        ),
        (lambda _: digram.from_merges({"a": 0}, unk_token=5), r"^unk_token must be a str, or None"),
        (lambda _: digram.Directory(["x"]), r"^files must be a mapping of names, not list: "),
        (lambda _: digram.Scores("x", {}), r"^values must be a mapping of ids to scores, not str"),
        (lambda tok: tok("a", max_length=5), r"'max_length'; use truncation=.* padding="),
        (lambda tok: tok("a", longest=5), r"^a tokenizer's call takes no keyword 'longest'$"),
        (lambda _: digram.corpus(b"texts.txt"), r"^source must be a path, or an iterable of paths"),
        (lambda _: digram.corpus("*", sample="half"), r"^sample must be a share, not str: 'half'"),
        (lambda _: digram.from_ranks({b"a": 0}, pattern=None), r"^pattern must be a str, or a pre"),
        (lambda _: digram.load(io.BytesIO(b"{}")), r"not BytesIO; give its name, or what it holds"),
        (lambda tok: tok.with_(special_tokens=["\ud800"]), r"^an added token is '\\ud800', and"),
    ],
)
def test_an_argument_of_another_kind_is_named(tok, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(tok)


@pytest.mark.parametrize(
    "call",
    [
        lambda tok, value: tok.encode_batch([value]),
        lambda tok, value: tok.token_id(value),
        lambda tok, value: tok("a", truncation=value),
        lambda _, value: digram.train([value]),
        lambda _, value: digram.train(["a"], vocab_size=value),
        lambda _, value: digram.train(["a"], required=[value]),
        lambda _, value: digram.from_merges({"a": 0}, [value]),
        lambda _, value: digram.components.from_json(value, "normalizer"),
        lambda _, value: digram.corpus("*", format=value),
    ],
)
def test_a_value_that_python_cannot_show_is_refused_all_the_same(tok, call):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((TypeError, ValueError), match=r"<list>|not list"):
        call(tok, deep)


def test_a_message_holds_a_part_of_what_is_long():
    file = {"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}
    with pytest.raises(digram.FormatError, match=r"x … x+\' is not supported$") as refused:
        digram.load(json.dumps(file | {"decoder": {"type": "x" * 1_000_000}}).encode())
    assert len(str(refused.value)) < 5_000
