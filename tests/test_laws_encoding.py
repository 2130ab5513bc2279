"""The engine encodes as the reference does, whatever the model and whatever the text."""

import pytest
from drawn import model_texts, models, texts
from hypothesis import given, note, settings
from hypothesis import strategies as st

import digram
from digram import reference
from digram._model import Merges, Model, Scores
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


@settings(max_examples=400)
@given(
    st.sets(st.text("abé漢", min_size=2, max_size=7), max_size=24),
    st.sampled_from(["bytes", "chars"]),
    st.text("abé漢", max_size=40),
    st.randoms(use_true_random=False),
)
def test_any_cuts_of_tokens_merge_the_same_on_both_engines(texts, units, text, chance):
    """As in files made of ranks: most of these merges are never met, some follow a later one."""
    alphabet = "abé漢" if units == "chars" else [bytes([byte]) for byte in "abé漢".encode()]
    begin = [unit if isinstance(unit, bytes) else unit.encode() for unit in alphabet]
    order = sorted(texts, key=lambda one: (chance.random() < 0.8, len(one)))
    tokens = list(dict.fromkeys([*begin, *(one.encode() for one in order)]))
    ids = {token: at for at, token in enumerate(tokens)}
    cuts = [
        (ids[token[:at]], ids[token[at:]], ids[token])
        for token in tokens
        for at in range(1, len(token))
        if token[:at] in ids and token[at:] in ids
    ]
    if chance.random() < 0.5:
        cuts = [cut for cut in cuts if chance.random() < 0.7]
    if chance.random() < 0.3:
        chance.shuffle(cuts)
    literal = frozenset(cut[2] for cut in cuts if chance.random() < 0.03)
    model = Model(dict(enumerate(tokens)), Merges(tuple(cuts)), units, literal=literal)
    tokenizer = digram.Tokenizer(model)
    assert tokenizer.encode(text) == reference.encode(model, text)
    for token in tokens[len(begin) :]:
        assert tokenizer.encode(token.decode()) == reference.encode(model, token.decode())
    merges = [merge for word in tokenizer.explain(text).words for merge in word.merges]
    for merge in merges if units == "chars" else ():
        left, right, merged = (tokens[id].decode() for id in cuts[merge.rank])
        assert (merge.left, merge.right, merge.merged) == (left, right, merged)


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
