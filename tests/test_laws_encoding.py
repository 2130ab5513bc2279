"""The engine encodes as the reference does, whatever the model and whatever the text."""

import pytest
from drawn import model_texts, models, texts
from hypothesis import given, note, settings
from hypothesis import strategies as st

import digram
from digram import reference
from digram._model import Model, Scores
from digram.errors import DigramError


def outcome(encode, *arguments, **options):
    """The ids, or the kind of error that came instead."""
    try:
        return encode(*arguments, **options)
    except DigramError as error:
        note(str(error))
        return type(error).__name__


def policies(model):
    """Every way to treat special tokens in a text."""
    specials = [token.content for token in model.added_tokens if token.special]
    return ["text", "token", "error", set(), set(specials[:1])]


@settings(max_examples=400)
@given(models(), st.lists(model_texts(), min_size=1, max_size=6))
def test_any_model_encodes_the_same_on_both_engines(model, corpus):
    tokenizer = digram.Tokenizer(model)
    for text in corpus:
        for special in policies(model):
            ours = outcome(tokenizer.encode, text, special=special)
            theirs = outcome(reference.encode, model, text, special=special)
            assert ours == theirs, (text, special)


@given(models(), texts())
def test_any_model_encodes_any_text_the_same_on_both_engines(model, text):
    ours = outcome(digram.Tokenizer(model).encode, text)
    assert ours == outcome(reference.encode, model, text)


SCORES = st.sampled_from([0.0, -1.0, -2.5])
PIECES = st.dictionaries(st.text("abé漢", min_size=1, max_size=6), SCORES, min_size=1, max_size=12)


@settings(max_examples=200)
@given(PIECES, st.booleans(), st.text("abcé漢Ж ", max_size=40))
def test_any_pieces_encode_the_same_on_both_engines(pieces, fuse, text):
    tokens = {0: b"<unk>"} | dict(enumerate((piece.encode() for piece in pieces), 1))
    rule = Scores({0: 0.0} | dict(enumerate(pieces.values(), 1)), {0: "unknown"})
    model = Model(tokens, rule, "chars", unk_token="<unk>", fuse_unk=fuse)
    assert digram.Tokenizer(model).encode(text) == reference.encode(model, text)


@settings(max_examples=200)
@given(models(), st.data())
def test_any_ids_decode_the_same_on_both_engines(model, data):
    ids = data.draw(st.lists(st.sampled_from(sorted(model.tokens)), max_size=12))
    tokenizer = digram.Tokenizer(model)
    assert tokenizer.decode_bytes(ids) == reference.decode_bytes(model, ids)
    assert tokenizer.decode(ids) == reference.decode(model, ids)


@given(models())
def test_a_model_comes_back_from_the_engine_as_it_went_in(model):
    assert digram.Tokenizer(model).model == model


@given(models(), model_texts())
def test_tokens_are_spelled_the_same_on_both_engines(model, text):
    tokenizer = digram.Tokenizer(model)
    for marker in (True, False):
        ours = outcome(tokenizer.tokenize, text, marker=marker)
        theirs = outcome(reference.tokenize, model, text, marker=marker)
        assert ours == theirs


@pytest.mark.parametrize("rule", ["merges", "ranks"])
@pytest.mark.parametrize("length", [70, 300, 1000])
def test_long_words_merge_as_short_ones_do(rule, length):
    """The engine has one way for short words and another for long ones."""
    trained = digram.train({"abab" * 9: 3, "aab" * 8: 2, "bba" * 5: 4}, units="chars")
    model = trained.model
    if rule == "ranks":
        model = trained.with_(rule=digram.Ranks()).model
    model = digram.Tokenizer(model).with_(pre_tokenizer=None).model
    tokenizer = digram.Tokenizer(model)
    for text in ("ab" * length, "a" * length, ("aabbab" * length)[:length], "b" * length + "a"):
        assert tokenizer.encode(text) == reference.encode(model, text)
