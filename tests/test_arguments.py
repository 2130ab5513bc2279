"""An argument of another kind is refused by its name."""

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
        (lambda tok: tok.with_(special_tokens=["\ud800"]), r"^an added token is '\\ud800', and"),
    ],
)
def test_an_argument_of_another_kind_is_named(tok, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(tok)
