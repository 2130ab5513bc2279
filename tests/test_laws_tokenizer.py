"""What is true of every tokenizer and every text, on both engines."""

import pickle

import pytest
from drawn import MARKERS, UNITS, counts, models, texts
from engines import ENGINES
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import digram
from digram.errors import UnknownTokenError
from digram.reference.decode import word_ends

PATTERN = st.sampled_from(["gpt2", "cl100k", "o200k", "qwen2", r"\w+", r"\s+|\d"])
SPECIALS = ["<|end|>", "<s>"]


def trained(engine, pattern, **options):
    """A small byte-level tokenizer, the same for each engine."""
    words = {"the": 9, " the": 7, "漢字": 3, "\r\n\r\n": 2, "don't": 2, "  ": 4}
    options = {"special_tokens": SPECIALS, "pattern": pattern, "num_merges": 12, **options}
    tokenizer, _ = engine.learn(words, **options)
    return tokenizer


@given(texts(), PATTERN, st.sampled_from(["text", "token"]))
@pytest.mark.parametrize("name", ENGINES)
def test_decoding_undoes_encoding(name, text, pattern, special):
    tokenizer = trained(ENGINES[name](), pattern)
    ids = tokenizer.encode(text, special=special)
    assert tokenizer.decode_bytes(ids) == text.encode()
    assert tokenizer.decode(ids) == text


@given(st.lists(texts(), min_size=1, max_size=4))
@pytest.mark.parametrize("name", ENGINES)
def test_decoding_undoes_encoding_by_characters(name, corpus):
    """Of text made of characters that training saw."""
    engine = ENGINES[name]()
    text = "".join(corpus)
    words = engine.count_words([text, "a"], pattern="gpt2")
    tokenizer, _ = engine.learn(words, units="chars", pattern="gpt2", num_merges=10)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(counts(), st.sampled_from(UNITS), st.sampled_from(MARKERS[1:]), st.sampled_from(["<", "$$"]))
@pytest.mark.parametrize("name", ENGINES)
def test_decoding_writes_a_space_for_each_marker_but_the_last(name, words, units, marker, other):
    options = {**marker, "end_of_word": other, "num_merges": 9, "units": units}
    tokenizer, _ = ENGINES[name]().learn(words, **options)
    text = " ".join(words)
    ids = tokenizer.encode(f" {text}\n")
    assume(not stand_for_two(tokenizer.model).intersection(ids))
    assert tokenizer.decode(ids) == text


def stand_for_two(model):
    """Return the tokens that are the text of a unit and the marker, and the end of a word besides.

    Where no other token is that unit at a word's end, it is, as in Hugging Face; such a token is
    decoded as the word's end, though the text may have held it as text.
    """
    return word_ends(model) - model.word_ends


@given(st.lists(texts(), max_size=20), st.sampled_from([None, 1, 2, 3, 7]))
def test_a_batch_is_each_text_on_its_own(corpus, threads):
    tokenizer = trained(ENGINES["rust"](), "o200k")
    one_by_one = [tokenizer.encode(text, special="token") for text in corpus]
    assert tokenizer.encode_batch(corpus, special="token", threads=threads) == one_by_one
    assert tokenizer.decode_batch(one_by_one) == [tokenizer.decode(ids) for ids in one_by_one]
    called = tokenizer(corpus, special="token")
    assert called["input_ids"] == one_by_one
    assert called["attention_mask"] == [[1] * len(ids) for ids in one_by_one]


@given(texts(), PATTERN, st.sampled_from(["text", "token", {"<s>"}]))
def test_count_array_and_explanation_say_what_encode_says(text, pattern, special):
    tokenizer = trained(ENGINES["rust"](), pattern)
    ids = tokenizer.encode(text, special=special)
    assert tokenizer.count(text, special=special) == len(ids)
    array = tokenizer.encode_array(text, special=special)
    assert (array.dtype.name, array.tolist()) == ("uint32", ids)
    assert tokenizer.explain(text, special=special).ids == ids
    assert len(tokenizer.tokenize(text, special=special)) == len(ids)
    assert tokenizer.decode(array) == tokenizer.decode(tuple(ids)) == text


@given(texts(), texts())
def test_a_text_encodes_the_same_however_often_and_after_whatever(first, second):
    """Words are remembered; nobody can observe it."""
    tokenizer = trained(ENGINES["rust"](), "gpt2")
    before = tokenizer.encode(first)
    tokenizer.encode(second)
    fresh = trained(ENGINES["rust"](), "gpt2")
    assert tokenizer.encode(first) == before == fresh.encode(first)


@settings(max_examples=200)
@given(models(), st.data())
def test_a_stream_of_ids_becomes_the_text_that_all_of_them_are(model, data):
    tokenizer = digram.Tokenizer(model)
    ids = data.draw(st.lists(st.sampled_from(sorted(model.tokens)), max_size=12))
    decoder = tokenizer.decoder()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ids)), max_size=4)))
    written = ""
    for start, end in zip([0, *cuts], [*cuts, len(ids)], strict=True):
        written += decoder.feed(ids[start:end])
        assert tokenizer.decode(ids).startswith(written.rstrip("\ufffd"))
    assert written + decoder.finish() == tokenizer.decode(ids)


@given(texts())
def test_a_stream_never_emits_half_a_character(text):
    tokenizer = trained(ENGINES["rust"](), "o200k", num_merges=0)
    decoder = tokenizer.decoder(errors="strict")
    written = [decoder.feed(id_) for id_ in tokenizer.encode(text)]
    assert "".join(written) + decoder.finish() == text


@given(models())
def test_a_pickled_tokenizer_is_the_same_tokenizer(model):
    tokenizer = digram.Tokenizer(model)
    copy = pickle.loads(pickle.dumps(tokenizer))  # noqa: S301  it was made here
    assert (copy, hash(copy), copy.model) == (tokenizer, hash(tokenizer), tokenizer.model)


@given(models(), models())
def test_equal_fingerprints_mean_equal_models_but_for_the_decoder(first, second):
    one, two = digram.Tokenizer(first), digram.Tokenizer(second)
    same = one.with_(decoder=None).model == two.with_(decoder=None).model
    assert (one.fingerprint == two.fingerprint) == same
    assert one.fingerprint == digram.Tokenizer(first).fingerprint


@given(st.integers(0, 2**40))
@pytest.mark.parametrize("name", ENGINES)
def test_an_id_is_decoded_or_refused_by_name(name, id_):
    tokenizer = trained(ENGINES[name](), "gpt2", num_merges=0)
    if id_ < 258:
        assert isinstance(tokenizer.decode_bytes([id_]), bytes)
    else:
        with pytest.raises(UnknownTokenError, match=f"{id_}"):
            tokenizer.decode([id_])
