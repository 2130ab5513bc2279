"""Special tokens of training that have flags of their own."""

import pytest

import digram
from digram import AddedToken

CORPUS = ["low lower lowest low"]


def test_flags_are_those_that_were_given():
    given = ["<s>", AddedToken(1, "<mask>", lstrip=True), "</s>"]
    tok = digram.train(CORPUS, num_merges=3, special_tokens=given)
    plain = digram.train(CORPUS, num_merges=3, special_tokens=["<s>", "<mask>", "</s>"])
    assert tok.special_tokens == {"<s>": 0, "<mask>": 1, "</s>": 2} == plain.special_tokens
    assert tok.merges == plain.merges
    assert tok.training.tokens == plain.training.tokens
    mask = {token.content: token for token in tok.model.added_tokens}["<mask>"]
    assert mask == AddedToken(1, "<mask>", lstrip=True)
    text = "low  <mask> low"
    assert tok.encode(text, special="token") == plain.encode("low<mask> low", special="token")
    assert tok.encode(text) == plain.encode(text)


def test_added_tokens_of_the_peer_have_their_flags():
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    given = ["<s>", tokenizers.AddedToken("<mask>", rstrip=True)]
    tok = digram.train(CORPUS, num_merges=3, special_tokens=given)
    theirs = tokenizers.Tokenizer.from_buffer(tok.to_bytes())
    for text in ("<s> low <mask>  low", "<mask>\n<mask> low"):
        assert tok.encode(text, special="token") == theirs.encode(text).ids


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([AddedToken(5, "<s>")], "gives '<s>' the id 5; training gives it 0"),
        ([AddedToken(0, "<s>", special=False)], "is not special"),
        ([AddedToken(0, "")], "is empty"),
        (["<s>", 3], "holds str, not int"),
        ({AddedToken(0, "<s>")}, "is a set"),
        ("<s>", "give a list of tokens"),
    ],
)
def test_what_cannot_be_is_told_before_the_corpus_is_read(given, told):
    def texts():
        raise AssertionError("nothing is read")
        yield

    with pytest.raises((TypeError, ValueError), match=told):
        digram.train(texts(), num_merges=1, special_tokens=given)
